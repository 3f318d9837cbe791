import { isObject, stringifyJson, type JsonObject } from "@fairlead/base";

import { RenderError, redactedUrl, type RenderInput, type Renderer, type Rendering } from "./renderer.js";

/** What a chart once rendered to. */
export interface Recording {
  readonly url: string;
  readonly values: JsonObject;
  readonly objects: readonly JsonObject[];
}

/** Namespaces stand in recordings as this word, so that one recording serves every service. */
export const NAMESPACE_PLACEHOLDER = "<namespace>";

/** A renderer that answers from recordings, for tests and simulations that must not run a program. */
export function recordedRenderer(recordings: readonly Recording[]): Renderer {
  const known = new Map(recordings.map((r) => [key(r.url, r.values), r]));
  return {
    render: (input: RenderInput): Promise<Rendering> => {
      const found = known.get(key(input.url, input.values));
      if (found === undefined) {
        const message = `no recording of chart ${redactedUrl(input.url)} with these values; record it with the real helm`;
        return Promise.reject(new RenderError(message, { retriable: false }));
      }
      const text = stringifyJson(found.objects).replaceAll(NAMESPACE_PLACEHOLDER, input.namespace);
      const objects: unknown = JSON.parse(text);
      return Promise.resolve({
        kind: "rendered",
        objects: Array.isArray(objects) ? objects.filter((o): o is JsonObject => isObject(o)) : [],
      });
    },
  };
}

function key(url: string, values: JsonObject): string {
  return `${url}\n${stringifyJson(values)}`;
}

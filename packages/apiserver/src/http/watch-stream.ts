import { header, stringifyJson, type HttpResponse, type JsonObject, type JsonValue } from "@fairlead/base";
import { StatusError } from "@fairlead/apimachinery";

import { apiVersionOf } from "../registry/endpoint.js";
import { objectText } from "../registry/object-text.js";
import { watchObjects, type WatchEvent } from "../watch/watch.js";
import { transformed, type Encoding } from "./encode.js";
import { checkListOptions, integerParameter, revisionParameter, selectionOptions } from "./options.js";
import { isTrue } from "./request-info.js";
import { encodingOf, unsupportedField, type Call, type ResourceServer } from "./call.js";

const LEAST_TIMEOUT_MS = 1_800_000;

/** A watch as a stream of JSON lines. */
export function watchResponse(server: ResourceServer, call: Call): HttpResponse {
  const { endpoint, info, ending } = call;
  const { query } = info;
  const encoding = encodingOf(server, call);
  checkListOptions(query, true);
  const resourceVersion = revisionParameter(query, "watch");
  const seconds = integerParameter(query, "timeoutSeconds");
  const selection = selectionOptions(query, (field) => unsupportedField(endpoint, field));
  const named =
    info.name === undefined
      ? selection.fields
      : [...(selection.fields ?? []), { field: "metadata.name", value: info.name, equals: true }];
  const events = watchObjects(server.registry, endpoint, {
    namespace: info.namespace,
    labels: selection.labels,
    fields: named,
    resourceVersion,
    initialEvents: query.has("sendInitialEvents")
      ? isTrue(query.get("sendInitialEvents"))
      : (resourceVersion ?? 0) === 0,
    bookmarks: isTrue(query.get("allowWatchBookmarks")),
    timeoutMs:
      seconds === undefined || seconds <= 0 ? LEAST_TIMEOUT_MS * (1 + server.registry.random.next()) : seconds * 1000,
    signal: ending.signal,
  });
  const chunked =
    header(call.request.headers, "accept")?.includes("stream=watch") === true
      ? "application/json;stream=watch"
      : "application/json";
  return {
    status: 200,
    headers: { "content-type": chunked, "cache-control": "no-cache, private", ...call.warnings.headers() },
    body: lines(events, encoding),
  };
}

async function* lines(events: AsyncIterable<WatchEvent>, encoding: Encoding): AsyncGenerator<string> {
  let first = true;
  try {
    for await (const event of events) {
      yield `${line(event, encoding, first)}\n`;
      first = false;
    }
  } catch (error) {
    // An object that its conversion webhook does not convert.
    if (!(error instanceof StatusError)) throw error;
    yield `${line({ type: "ERROR", status: error.status }, encoding, first)}\n`;
  }
}

function line(event: WatchEvent, encoding: Encoding, first: boolean): string {
  switch (event.type) {
    case "ERROR":
      return stringifyJson({ type: "ERROR", object: event.status as unknown as JsonValue });
    case "BOOKMARK":
      return stringifyJson({ type: "BOOKMARK", object: bookmark(encoding, event) });
    default: {
      const changed = transformed(encoding, event.object, first);
      const text = changed === undefined ? objectText(encoding.endpoint, event.object) : stringifyJson(changed);
      return `{"type":"${event.type}","object":${text}}`;
    }
  }
}

/** A bookmark carries only the kind and the version; the one after the initial events says so. */
function bookmark(
  { endpoint, negotiated, nowMs }: Encoding,
  event: WatchEvent & { readonly type: "BOOKMARK" },
): JsonObject {
  const { info } = endpoint.strategy;
  const annotations = event.initialEventsEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {};
  const metadata = { resourceVersion: String(event.revision), ...annotations };
  if (negotiated.as === "Table") {
    return {
      kind: "Table",
      apiVersion: `meta.k8s.io/${negotiated.version}`,
      metadata: { resourceVersion: String(event.revision) },
      columnDefinitions: null,
      rows: [
        {
          cells: endpoint.strategy.cells({ kind: info.kind, apiVersion: apiVersionOf(info), metadata: {} }, { nowMs }),
          object: { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${negotiated.version}`, metadata },
        },
      ],
    };
  }
  if (negotiated.as !== "object")
    return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${negotiated.version}`, metadata };
  return { kind: info.kind, apiVersion: apiVersionOf(info), metadata };
}

import {
  getOwn,
  stringifyJson,
  type HttpHeaders,
  type HttpResponse,
  type JsonObject,
  type JsonValue,
} from "@fairlead/base";
import { stringify as stringifyYaml } from "yaml";

import { apiVersionOf, type Endpoint } from "../registry/endpoint.js";
import { notAcceptableForm } from "../registry/failures.js";
import { metadataOf } from "../registry/metadata.js";
import { builtinHead, objectText } from "../registry/object-text.js";
import type { Negotiated } from "./negotiate.js";
import { jsonResponse } from "./response.js";

export interface Encoding {
  readonly endpoint: Endpoint;
  readonly negotiated: Negotiated;
  readonly nowMs: number;
  /** `includeObject` of a Table: `Metadata` unless the client says otherwise. */
  readonly includeObject: "None" | "Metadata" | "Object";
}

/** One object as the answer to a get or a write. */
export function objectResponse(
  encoding: Encoding,
  object: JsonObject,
  options: { readonly status: number; readonly headers: HttpHeaders },
): HttpResponse {
  const value = transformed(encoding, object);
  if (encoding.negotiated.format === "yaml") return yamlResponse(value ?? object, options);
  return jsonResponse(options.status, value ?? objectText(encoding.endpoint, object), options.headers);
}

function yamlResponse(
  value: JsonObject,
  { status, headers }: { readonly status: number; readonly headers: HttpHeaders },
): HttpResponse {
  const sorted = JSON.parse(stringifyJson(value)) as unknown;
  return {
    status,
    headers: { "content-type": "application/yaml", "cache-control": "no-cache, private", ...headers },
    body: stringifyYaml(sorted, { version: "1.1", lineWidth: 0 }),
  };
}

/** The object as Table or PartialObjectMetadata; undefined when it goes out as it is. */
export function transformed(encoding: Encoding, object: JsonObject, withColumns = true): JsonObject | undefined {
  switch (encoding.negotiated.as) {
    case "object":
      return undefined;
    case "Table": {
      const version = getOwn(metadataOf(object), "resourceVersion");
      return table(encoding, [object], version === undefined ? {} : { resourceVersion: version }, withColumns);
    }
    case "PartialObjectMetadata":
      return partialMetadata(object, encoding.negotiated.version);
    case "PartialObjectMetadataList":
      throw notAcceptableForm(
        `you requested PartialObjectMetadataList, but the requested object is not a list (${goTypeOf(encoding, "")})`,
      );
  }
}

/** The Go type behind an answer, as messages print it. */
function goTypeOf({ endpoint }: Encoding, list: "" | "List"): string {
  const { custom, group, kind } = endpoint.strategy.info;
  if (custom) return `*unstructured.Unstructured${list}`;
  return `*${group === "" ? "core" : (group.split(".")[0] ?? "")}.${kind}${list}`;
}

export interface ListMeta {
  readonly revision: number;
  readonly continueToken: string | undefined;
  readonly remaining: number | undefined;
}

/** A list: of objects, of their metadata, or a Table. */
export function listResponse(
  encoding: Encoding,
  objects: readonly JsonObject[],
  meta: ListMeta,
  headers: HttpHeaders,
): HttpResponse {
  const { endpoint, negotiated } = encoding;
  const { info } = endpoint.strategy;
  const resourceVersion = String(meta.revision);
  const metadata = {
    ...(meta.continueToken === undefined ? {} : { continue: meta.continueToken }),
    ...(meta.remaining === undefined ? {} : { remainingItemCount: meta.remaining }),
    resourceVersion,
  };
  if (negotiated.as === "Table") return jsonResponse(200, table(encoding, objects, metadata, true), headers);
  if (negotiated.as === "PartialObjectMetadata")
    throw notAcceptableForm(
      `you requested PartialObjectMetadata, but the requested object is a list (${goTypeOf(encoding, "List")})`,
    );
  if (negotiated.as !== "object") {
    const items = objects.length === 0 ? null : objects.map((o) => partialMetadata(o, negotiated.version));
    return jsonResponse(
      200,
      { kind: "PartialObjectMetadataList", apiVersion: `meta.k8s.io/${negotiated.version}`, metadata, items },
      headers,
    );
  }
  const head = { apiVersion: apiVersionOf(info), kind: info.listKind };
  if (negotiated.format === "yaml") {
    const items = info.custom ? objects : objects.map(withoutType);
    return yamlResponse({ ...head, metadata, items }, { status: 200, headers });
  }
  const items = objects.map((object) => {
    const shown = objectText(endpoint, object);
    return info.custom ? shown : untypedText(shown, object);
  });
  const meta2 = stringifyJson(info.custom ? { continue: "", ...metadata } : metadata);
  const text = `{"apiVersion":${JSON.stringify(head.apiVersion)},"items":[${items.join(",")}],"kind":${JSON.stringify(head.kind)},"metadata":${meta2}}`;
  return jsonResponse(200, text, headers);
}

/** Items of built-in lists carry no kind and no apiVersion, which stand first. */
function untypedText(text: string, object: JsonObject): string {
  const head = builtinHead(object);
  return text.startsWith(head) ? `{${text.slice(head.length)}` : stringifyJson(withoutType(object));
}

function withoutType(object: JsonObject): JsonObject {
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = object;
  return rest;
}

export function partialMetadata(object: JsonObject, version: string): JsonObject {
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata: metadataOf(object) };
}

/** meta.k8s.io Table. In a watch only the first one carries the columns. */
function table(
  encoding: Encoding,
  objects: readonly JsonObject[],
  metadata: JsonObject,
  withColumns: boolean,
): JsonObject {
  const { endpoint, negotiated, nowMs, includeObject } = encoding;
  const { strategy } = endpoint;
  const rows = objects.map((object) => ({
    cells: strategy.cells(object, { nowMs }),
    object:
      includeObject === "None"
        ? null
        : includeObject === "Object"
          ? object
          : partialMetadata(object, negotiated.version),
  }));
  const columns = strategy.columns as unknown as JsonValue;
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${negotiated.version}`,
    metadata,
    columnDefinitions: withColumns ? columns : null,
    rows,
  };
}

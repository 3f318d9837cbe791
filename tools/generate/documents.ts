import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** A node of an OpenAPI document, as far as the generator looks into it. */
export interface OpenApiSchema {
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly required?: readonly string[];
  readonly items?: OpenApiSchema;
  readonly additionalProperties?: OpenApiSchema;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  readonly "x-kubernetes-group-version-kind"?: readonly GroupVersionKindEntry[];
}

export interface GroupVersionKindEntry {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** One document of `/openapi/v3`. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: unknown;
  readonly paths: unknown;
  readonly components: {
    readonly schemas?: Readonly<Record<string, OpenApiSchema>>;
    readonly securitySchemes?: unknown;
  };
}

/** The documents by their path below `/openapi/v3/`, e.g. `apis/apps/v1`, in the order of their paths. */
export function readDocuments(folder: URL): ReadonlyMap<string, OpenApiDocument> {
  const out = new Map<string, OpenApiDocument>();
  for (const file of readdirSync(folder).sort()) {
    if (!file.endsWith(".json.gz") || file.startsWith("swagger")) continue;
    const path = file.slice(0, -".json.gz".length).replaceAll("__", "/");
    out.set(path, JSON.parse(gunzipSync(readFileSync(new URL(file, folder))).toString("utf8")) as OpenApiDocument);
  }
  return out;
}

/** The types that the documents describe, by name; a type is the same in every document that has it. */
export function allTypes(documents: ReadonlyMap<string, OpenApiDocument>): ReadonlyMap<string, OpenApiSchema> {
  const out = new Map<string, OpenApiSchema>();
  for (const document of documents.values()) {
    for (const [name, schema] of Object.entries(document.components.schemas ?? {})) out.set(name, schema);
  }
  return new Map([...out].sort(([a], [b]) => (a < b ? -1 : 1)));
}

import { getOwn, isArray, isObject, stringifyJson, type JsonObject, type JsonValue } from "@fairlead/base";

import type { Endpoint } from "../registry/endpoint.js";
import type { ResourceInfo } from "../resources/resource.js";
import { openApiV3 } from "../resources/builtin/openapi.js";
import { customPaths } from "./openapi-paths.js";

/**
 * The OpenAPI v3 document of a custom group version. Its operations and the schemas of metadata are those of a built-in
 * kind that has every endpoint, told of the custom kind, as the real server makes both with one builder
 * (k/k: apiextensions-apiserver/pkg/controller/openapi/builder).
 */
export function customDocument(
  endpoints: readonly Endpoint[],
  { group, version }: { readonly group: string; readonly version: string },
  pattern: Pattern,
): string {
  const paths: { [path: string]: JsonValue } = {};
  const schemas: { [name: string]: JsonValue } = {};
  for (const { strategy } of endpoints) {
    const { info } = strategy;
    schemas[schemaName(info, info.kind)] = kindSchema(info, strategy.openApiSchema);
    schemas[schemaName(info, info.listKind)] = listSchema(info);
    const names = { object: schemaName(info, info.kind), list: schemaName(info, info.listKind) };
    Object.assign(paths, customPaths(pattern.paths, info, names));
  }
  addReferenced(schemas, pattern.schemas, [paths, schemas]);
  return stringifyJson({
    openapi: "3.0.0",
    info: { title: "Kubernetes CRD Swagger", version: "v0.1.0" },
    paths: Object.keys(paths).length === 0 ? { [`/apis/${group}/${version}/`]: {} } : paths,
    components: { schemas },
  });
}

/** What the documents of custom groups are made after. */
export interface Pattern {
  readonly paths: JsonObject;
  readonly schemas: JsonObject;
}

/** The document of the group of Deployments, which are namespaced and have a status and a scale. */
export function patternDocument(): Pattern {
  const document = JSON.parse(openApiV3("apps/v1") ?? "{}") as JsonObject;
  const components = objectAt(document, "components");
  return { paths: objectAt(document, "paths"), schemas: objectAt(components, "schemas") };
}

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
const REFERENCE = "#/components/schemas/";

function reference(name: string): JsonObject {
  return { $ref: `${REFERENCE}${name}` };
}

/** Adds the known schemas that documents refer to, and those that they refer to in turn. */
function addReferenced(
  schemas: { [name: string]: JsonValue },
  known: JsonObject,
  documents: readonly JsonValue[],
): void {
  for (const document of documents) {
    for (const name of references(document)) {
      const schema = Object.hasOwn(schemas, name) ? undefined : getOwn(known, name);
      if (schema === undefined) continue;
      schemas[name] = schema;
      addReferenced(schemas, known, [schema]);
    }
  }
}

function references(value: JsonValue | undefined): readonly string[] {
  if (isArray(value)) return value.flatMap(references);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === "$ref" && typeof member === "string" ? [member.slice(REFERENCE.length)] : references(member),
  );
}

/** The group's parts reversed, then version and kind: `dev.lab.v1.Widget`. */
function schemaName({ group, version }: ResourceInfo, kind: string): string {
  return `${group.split(".").reverse().join(".")}.${version}.${kind}`;
}

const CONVENTIONS = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";
const API_VERSION = `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: ${CONVENTIONS}#resources`;
const KIND = `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: ${CONVENTIONS}#types-kinds`;
const METADATA = `Standard object's metadata. More info: ${CONVENTIONS}#metadata`;
const LIST_METADATA = `Standard list metadata. More info: ${CONVENTIONS}#types-kinds`;

function kindSchema(info: ResourceInfo, schema: JsonObject | undefined): JsonObject {
  const own = schema ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    ...own,
    properties: {
      ...objectAt(own, "properties"),
      apiVersion: { type: "string", description: API_VERSION },
      kind: { type: "string", description: KIND },
      metadata: { description: METADATA, allOf: [reference(`${META}.ObjectMeta`)] },
    },
    "x-kubernetes-group-version-kind": [gvk(info, info.kind)],
  };
}

function listSchema(info: ResourceInfo): JsonObject {
  return {
    description: `${info.listKind} is a list of ${info.kind}`,
    type: "object",
    required: ["items"],
    properties: {
      apiVersion: { type: "string", description: API_VERSION },
      items: {
        description: `List of ${info.resource}. More info: ${CONVENTIONS}`,
        type: "array",
        items: reference(schemaName(info, info.kind)),
      },
      kind: { type: "string", description: KIND },
      metadata: { description: LIST_METADATA, allOf: [reference(`${META}.ListMeta`)] },
    },
    "x-kubernetes-group-version-kind": [gvk(info, info.listKind)],
  };
}

function gvk({ group, version }: ResourceInfo, kind: string): JsonObject {
  return { group, version, kind };
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = getOwn(object, key);
  return isObject(value) ? value : {};
}

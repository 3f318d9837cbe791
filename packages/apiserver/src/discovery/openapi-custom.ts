import {
  getOwn,
  isObject,
  stringifyJson,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";

import { apiVersionOf, type Endpoint } from "../registry/endpoint.js";
import type { ResourceInfo } from "../resources/resource.js";

/**
 * The OpenAPI v3 document of a custom group version: what kubectl and helm need of it (the schema with its kind, and a
 * `fieldValidation` parameter on every write).
 */
export function customDocument(
  endpoints: readonly Endpoint[],
  { group, version }: { readonly group: string; readonly version: string },
): string {
  const paths: MutableJsonObject = {};
  const schemas: MutableJsonObject = {};
  for (const { strategy } of endpoints) {
    const { info } = strategy;
    const name = schemaName(info, info.kind);
    schemas[name] = kindSchema(info, strategy.openApiSchema);
    schemas[schemaName(info, info.listKind)] = listSchema(info, name);
    Object.assign(paths, operations(info, name));
  }
  schemas[OBJECT_META] = {
    type: "object",
    description: "ObjectMeta is metadata that all persisted resources must have.",
  };
  schemas[LIST_META] = {
    type: "object",
    description: "ListMeta describes metadata that synthetic resources must have.",
  };
  return stringifyJson({
    openapi: "3.0.0",
    info: { title: "Kubernetes CRD Swagger", version: "v0.1.0" },
    paths: { [`/apis/${group}/${version}/`]: {}, ...paths },
    components: { schemas },
  });
}

const OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const LIST_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";

function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** The group's parts reversed, then version and kind: `dev.lab.v1.Widget`. */
function schemaName({ group, version }: ResourceInfo, kind: string): string {
  return `${group.split(".").reverse().join(".")}.${version}.${kind}`;
}

const API_VERSION =
  "APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";
const KIND =
  "Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";
const METADATA =
  "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

function kindSchema(info: ResourceInfo, schema: JsonObject | undefined): JsonObject {
  const own = schema ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const properties = getOwn(own, "properties");
  return {
    ...own,
    properties: {
      ...(isObject(properties) ? properties : {}),
      apiVersion: { type: "string", description: API_VERSION },
      kind: { type: "string", description: KIND },
      metadata: { description: METADATA, allOf: [ref(OBJECT_META)] },
    },
    "x-kubernetes-group-version-kind": [gvk(info, info.kind)],
  };
}

function listSchema(info: ResourceInfo, item: string): JsonObject {
  return {
    description: `${info.listKind} is a list of ${info.kind}`,
    type: "object",
    required: ["items"],
    properties: {
      apiVersion: { type: "string", description: API_VERSION },
      items: {
        description: `List of ${info.resource}. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md`,
        type: "array",
        items: ref(item),
      },
      kind: { type: "string", description: KIND },
      metadata: { description: METADATA, allOf: [ref(LIST_META)] },
    },
    "x-kubernetes-group-version-kind": [gvk(info, info.listKind)],
  };
}

function gvk({ group, version }: ResourceInfo, kind: string): JsonObject {
  return { group, version, kind };
}

const QUERY = (name: string, type: string): JsonObject => ({ name, in: "query", schema: { type, uniqueItems: true } });
const WRITE_PARAMETERS: readonly JsonValue[] = [
  QUERY("dryRun", "string"),
  QUERY("fieldManager", "string"),
  QUERY("fieldValidation", "string"),
];

function operations(info: ResourceInfo, schema: string): JsonObject {
  const base = `/apis/${apiVersionOf(info)}${info.namespaced ? "/namespaces/{namespace}" : ""}/${info.resource}`;
  const operation = (action: string, parameters: readonly JsonValue[]): JsonObject => ({
    parameters,
    responses: { "200": { description: "OK", content: { "application/json": { schema: ref(schema) } } } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": gvk(info, info.kind),
  });
  return {
    [base]: { get: operation("list", []), post: operation("post", WRITE_PARAMETERS) },
    [`${base}/{name}`]: {
      get: operation("get", []),
      put: operation("put", WRITE_PARAMETERS),
      patch: operation("patch", [...WRITE_PARAMETERS, QUERY("force", "boolean")]),
      delete: operation("delete", []),
    },
  };
}

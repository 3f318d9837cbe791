import { getOwn, isArray, isObject, type JsonObject, type JsonValue } from "@fairlead/base";

import { apiVersionOf } from "../registry/endpoint.js";
import type { ResourceInfo } from "../resources/resource.js";

const PATTERN = "/apis/apps/v1";
const TYPES: readonly string[] = ["application/json", "application/yaml"];
const PATCHES: readonly string[] = [
  "application/apply-patch+yaml",
  "application/json-patch+json",
  "application/merge-patch+json",
];

/** The schemas of a kind and of its list. */
export interface SchemaNames {
  readonly object: string;
  readonly list: string;
}

/** The operations on a custom kind, made of those on Deployments. */
export function customPaths(pattern: JsonObject, info: ResourceInfo, schemas: SchemaNames): JsonObject {
  const root = `/apis/${apiVersionOf(info)}`;
  const base = `${root}${info.namespaced ? "/namespaces/{namespace}" : ""}/${info.resource}`;
  const item = (suffix: string): JsonObject =>
    adapted(objectAt(pattern, `${PATTERN}/namespaces/{namespace}/deployments${suffix}`), info, schemas);
  const paths: { [path: string]: JsonValue } = { [base]: withCollection(item("")) };
  const listed = parametersOf(objectAt(item(""), "get"));
  const version = listed.filter((each) => each["name"] === "resourceVersion");
  const withVersion = (path: JsonObject): JsonObject => withGet(path, { parameters: version });
  paths[`${base}/{name}`] = withVersion(item("/{name}"));
  if (info.scale !== undefined) paths[`${base}/{name}/scale`] = withVersion(item("/{name}/scale"));
  if (info.hasStatus) paths[`${base}/{name}/status`] = withVersion(item("/{name}/status"));
  if (info.namespaced)
    paths[`${root}/${info.resource}`] = adapted(objectAt(pattern, `${PATTERN}/deployments`), info, schemas);
  return paths;
}

function withGet(path: JsonObject, more: JsonObject): JsonObject {
  return { ...path, get: { ...objectAt(path, "get"), ...more } };
}

/** A collection of custom resources is deleted by the parameters of its list, and without a body. */
function withCollection(path: JsonObject): JsonObject {
  const { requestBody: _body, ...remove } = objectAt(path, "delete");
  return { ...path, delete: { ...remove, parameters: parametersOf(objectAt(path, "get")) } };
}

function parametersOf(operation: JsonObject): readonly JsonObject[] {
  const list = getOwn(operation, "parameters");
  return isArray(list) ? list.filter(isObject) : [];
}

function adapted(path: JsonObject, info: ResourceInfo, schemas: SchemaNames): JsonObject {
  return Object.fromEntries(
    Object.entries(path).map(([key, value]) => [
      key,
      key === "parameters"
        ? pathParameters(value, info)
        : isObject(value)
          ? operation(key, value, { info, schemas })
          : value,
    ]),
  );
}

function pathParameters(value: JsonValue | undefined, info: ResourceInfo): JsonValue {
  const list = isArray(value) ? value.filter(isObject) : [];
  return list
    .filter((each) => info.namespaced || each["name"] !== "namespace")
    .map((each) => (each["name"] === "name" ? { ...each, description: `name of the ${info.kind}` } : each));
}

function operation(
  method: string,
  value: JsonObject,
  { info, schemas }: { readonly info: ResourceInfo; readonly schemas: SchemaNames },
): JsonObject {
  const body = getOwn(value, "requestBody");
  const responses = Object.entries(objectAt(value, "responses")).filter(
    ([code]) => method !== "patch" || code !== "201",
  );
  return {
    ...value,
    tags: [`${operationWord(info.group, false)}_${operationWord(info.version, false)}`],
    description: described(String(value["description"]), info),
    operationId: operationId(String(value["operationId"]), info),
    ...(isObject(body) ? { requestBody: { ...body, ...requestContent(method, body, schemas) } } : {}),
    responses: Object.fromEntries(
      responses.map(([code, response]) => [code, isObject(response) ? responseOf(response, schemas) : response]),
    ),
    "x-kubernetes-group-version-kind": { group: info.group, version: info.version, kind: info.kind },
  };
}

function described(text: string, { kind }: ResourceInfo): string {
  const article = /^[aeiou]/i.test(kind) ? "an" : "a";
  return text
    .replace("list or watch", "list")
    .replace("a Deployment", `${article} ${kind}`)
    .replace("Deployment", kind);
}

/** `listAppsV1NamespacedDeployment` with another group, version and kind (k/k: apiserver/pkg/endpoints/openapi). */
function operationId(id: string, info: ResourceInfo): string {
  const renamed = id
    .replace("AppsV1", `${operationWord(info.group, true)}${operationWord(info.version, true)}`)
    .replace("Deployment", info.kind);
  return info.namespaced ? renamed : renamed.replace("Namespaced", "");
}

/** A text as a part of an identifier: letters and digits, each piece with a capital. */
function operationWord(text: string, capital: boolean): string {
  let out = "";
  let raise = capital;
  for (const [i, c] of [...text.replace(/\.k8s\.io$/, "")].entries()) {
    if (!/\p{L}|_/u.test(c) && (i === 0 || !/\p{Nd}/u.test(c))) raise = true;
    else {
      out += raise ? c.toUpperCase() : c;
      raise = false;
    }
  }
  return out;
}

function requestContent(method: string, body: JsonObject, schemas: SchemaNames): JsonObject {
  const content = objectAt(body, "content");
  const media = Object.values(content)[0] ?? {};
  const types = method === "patch" ? PATCHES : TYPES;
  return { content: renamed(Object.fromEntries(types.map((type) => [type, media])), schemas), ...required(method) };
}

function required(method: string): JsonObject {
  return method === "delete" ? {} : { required: true };
}

function responseOf(response: JsonObject, schemas: SchemaNames): JsonObject {
  const content = getOwn(response, "content");
  if (!isObject(content)) return response;
  const kept = Object.entries(content).filter(([type]) => TYPES.includes(type));
  return { ...response, content: renamed(Object.fromEntries(kept), schemas) };
}

/** A copy in which references to Deployments are references to the custom kind. */
function renamed(value: JsonValue | undefined, schemas: SchemaNames): JsonValue | undefined {
  if (isArray(value)) return value.flatMap((each) => renamed(each, schemas) ?? []);
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, renamed(member, schemas)]));
  switch (value) {
    case "#/components/schemas/io.k8s.api.apps.v1.Deployment":
      return `#/components/schemas/${schemas.object}`;
    case "#/components/schemas/io.k8s.api.apps.v1.DeploymentList":
      return `#/components/schemas/${schemas.list}`;
    default:
      return value;
  }
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = getOwn(object, key);
  return isObject(value) ? value : {};
}

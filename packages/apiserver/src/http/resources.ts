import { getOwn, header, isObject, type HttpRequest, type HttpResponse, type JsonObject } from "@fairlead/base";
import { jsonTypeName, StatusError } from "@fairlead/apimachinery";

import type { Attributes } from "../auth/authorize.js";
import type { ServiceAccountTokens } from "../auth/service-account-tokens.js";
import { applyObject } from "../registry/apply.js";
import type { Catalog } from "../registry/catalog.js";
import { createObject } from "../registry/create.js";
import { decodeObject } from "../registry/decode.js";
import { deleteObject } from "../registry/delete.js";
import { deleteCollection } from "../registry/delete-collection.js";
import { apiVersionOf, storageKey, type Endpoint } from "../registry/endpoint.js";
import {
  badRequest,
  methodNotAllowed,
  methodNotSupported,
  notFound,
  notServed,
  unsupportedMediaType,
} from "../registry/failures.js";
import { listObjects, reach } from "../registry/list.js";
import { metaText } from "../registry/metadata.js";
import { patchObject, type ParsedPatch, type PatchType } from "../registry/patch.js";
import type { Registry } from "../registry/registry.js";
import type { ReviewServer } from "../registry/reviews.js";
import { replaceObject } from "../registry/replace.js";
import { partOf } from "../registry/subresources/parts.js";
import type { RequestContext, Target, UserInfo, WriteOptions } from "../registry/request.js";
import { attributesOf } from "./attributes.js";
import { contentType, parseApplyBody, parsePatch, readObjectBody, readText } from "./body.js";
import { listResponse, objectResponse, type Encoding, type TextCache } from "./encode.js";
import { negotiate } from "./negotiate.js";
import {
  checkListOptions,
  deleteOptions,
  given,
  integerParameter,
  patchOptions,
  revisionParameter,
  selectionOptions,
  writeOptions,
} from "./options.js";
import type { ResourceRequest } from "./request-info.js";
import { jsonResponse, statusResponse, textResponse, warningHeaders } from "./response.js";
import { serveBinding, serveSubresource } from "./subresources.js";
import { watchResponse } from "./watch-stream.js";

/** What the verbs of resources need. */
export interface ResourceServer {
  readonly registry: Registry;
  readonly catalog: Catalog;
  readonly texts: TextCache;
  /** Answers reviews (access, token) and other kinds that are created but never kept; undefined for stored kinds. */
  readonly reviews: ReviewServer;
  readonly accountTokens: ServiceAccountTokens;
}

export interface ResourceCall {
  readonly request: HttpRequest;
  readonly info: ResourceRequest;
  readonly user: UserInfo;
  readonly signal: AbortSignal;
  /** Refuses (403) what the user may not do. */
  readonly authorize: (attributes: Attributes) => void;
}

/** The same with what it addresses. */
export interface Call extends ResourceCall {
  readonly endpoint: Endpoint;
  readonly context: RequestContext;
  readonly warnings: readonly string[];
}

/** Routes a request for a resource to its verb. @throws StatusError */
export async function serveResource(server: ResourceServer, call: ResourceCall): Promise<HttpResponse> {
  const { info, user, signal } = call;
  const endpoint = server.catalog.find(info.group, info.resource, info.version);
  if (endpoint === undefined || !isScoped(endpoint, info))
    return unknownPath(server, info, endpoint, call.request.method);
  const warnings: string[] = [];
  const context: RequestContext = {
    user,
    signal,
    warn: (text) => warnings.push(text),
    checkCreate: () => call.authorize(attributesOf({ ...info, verb: "create" }, call.request.method)),
  };
  const full: Call = { ...call, endpoint, context, warnings };
  for (const warning of endpoint.strategy.deprecation === undefined ? [] : [endpoint.strategy.deprecation])
    context.warn(warning);
  try {
    return await serveEndpoint(server, full);
  } catch (error) {
    if (!(error instanceof StatusError) || warnings.length === 0) throw error;
    const refusal = statusResponse(error.status);
    return { ...refusal, headers: { ...refusal.headers, ...warningHeaders(warnings) } };
  }
}

async function serveEndpoint(server: ResourceServer, call: Call): Promise<HttpResponse> {
  const { info } = call;
  const kind = call.endpoint.strategy.info;
  const isPart = (info.subresource === "status" && kind.hasStatus) || partOf(kind, info.subresource) !== undefined;
  if (info.subresource !== "" && !isPart) return serveSubresource(server, call);
  if (info.subresource !== "" && info.subresource !== "status" && !["get", "update", "patch"].includes(info.verb))
    throw methodNotAllowed();
  if (info.subresource === "status" && (info.verb === "create" || info.verb === "delete")) {
    throw kind.custom ? methodNotSupported(kind, info.verb) : methodNotAllowed();
  }
  return verb(server, call);
}

async function verb(server: ResourceServer, call: Call): Promise<HttpResponse> {
  const { info, endpoint } = call;
  const supported = endpoint.strategy.info.verbs.includes(info.verb);
  if (!supported && !(info.subresource !== "")) throw methodNotAllowed();
  if (info.name === undefined && (info.verb === "update" || info.verb === "patch")) {
    throw endpoint.strategy.info.custom ? badRequest("name must be provided") : methodNotAllowed();
  }
  if (info.name !== undefined && info.verb === "create" && !endpoint.strategy.info.custom) throw methodNotAllowed();
  switch (info.verb) {
    case "get":
      return get(server, call);
    case "list":
      return list(server, call);
    case "watch":
      return watchResponse(server, call);
    case "create":
      return create(server, call);
    case "update":
      return update(server, call);
    case "patch":
      return patch(server, call);
    case "delete":
      return remove(server, call);
    case "deletecollection":
      return removeCollection(server, call);
  }
}

/** Namespaced objects live below their namespace; lists may span all of them. */
function isScoped({ strategy }: Endpoint, { namespace, name, verb: asked }: ResourceRequest): boolean {
  if (!strategy.info.namespaced) return namespace === undefined;
  return namespace !== undefined || (name === undefined && (asked === "list" || asked === "watch"));
}

function unknownPath(
  { catalog }: ResourceServer,
  info: ResourceRequest,
  endpoint: Endpoint | undefined,
  method: string,
): HttpResponse {
  if (!catalog.isBuiltinGroup(info.group)) return textResponse(404, "404 page not found\n");
  if (endpoint !== undefined && info.name === undefined && method !== "GET") throw methodNotAllowed();
  throw notServed();
}

export function targetOf({ info }: Call): Target {
  return { namespace: info.namespace, name: info.name ?? "", subresource: info.subresource };
}

export function encodingOf({ registry, texts }: ResourceServer, { request, info, endpoint }: Call): Encoding {
  const include = info.query.get("includeObject");
  return {
    endpoint,
    negotiated: negotiate(header(request.headers, "accept")),
    texts,
    nowMs: registry.clock.now(),
    includeObject: include === "None" || include === "Object" ? include : "Metadata",
  };
}

export function userAgent(request: HttpRequest): string | undefined {
  return header(request.headers, "user-agent");
}

async function get(server: ResourceServer, call: Call): Promise<HttpResponse> {
  const { registry } = server;
  const { endpoint, info, signal } = call;
  const encoding = encodingOf(server, call);
  const wanted = revisionParameter(info.query, "get");
  if (wanted !== undefined && wanted > registry.storage.revision) await reach(registry, wanted, signal);
  const record = registry.storage.get(endpoint.collection, storageKey(endpoint, info.namespace, info.name ?? ""));
  if (record === undefined) throw notFound(endpoint.strategy.info, info.name ?? "");
  if (endpoint.strategy.info.custom) server.texts.remember(record.object, record.text);
  const object = endpoint.convert(record.object, apiVersionOf(endpoint.strategy.info));
  return objectResponse(encoding, object, { status: 200, headers: warningHeaders(call.warnings) });
}

async function list(server: ResourceServer, call: Call): Promise<HttpResponse> {
  const { endpoint, info, signal } = call;
  const { query } = info;
  const encoding = encodingOf(server, call);
  checkListOptions(query, false);
  const limit = integerParameter(query, "limit");
  integerParameter(query, "timeoutSeconds");
  const match = query.get("resourceVersionMatch");
  const listed = await listObjects(
    server.registry,
    endpoint,
    {
      namespace: info.namespace,
      ...selectionOptions(query, (field) => unsupportedField(endpoint, field)),
      limit: limit === undefined || limit <= 0 ? undefined : limit,
      continueToken: given(query, "continue"),
      resourceVersion: revisionParameter(query, "list"),
      match: match === "Exact" || match === "NotOlderThan" ? match : undefined,
      signal,
    },
    server.registry.continueTokens,
  );
  return listResponse(encoding, listed.objects, listed, warningHeaders(call.warnings));
}

/** Why a kind cannot be selected by a field; undefined when it can. */
export function unsupportedField({ strategy }: Endpoint, field: string): string | undefined {
  const { info, selectableFields } = strategy;
  if (field === "metadata.name" || (field === "metadata.namespace" && (info.namespaced || info.custom)))
    return undefined;
  if (selectableFields.has(field)) return undefined;
  if (info.custom || selectableFields.size > 0) return `field label not supported: ${field}`;
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

async function create(server: ResourceServer, call: Call): Promise<HttpResponse> {
  const { request, info, endpoint, context, user } = call;
  if (info.group === "" && info.resource === "bindings") return serveBinding(server, call);
  const encoding = encodingOf(server, call);
  const options = writeOptions(info.query, "CreateOptions", userAgent(request));
  const body = await readObjectBody(request, endpoint.strategy.info.kind);
  const object = decodeObject(endpoint, body, options, context);
  const review = server.reviews({
    endpoint,
    object,
    user,
    namespace: info.namespace,
    fieldManager: options.fieldManager,
  });
  const made =
    review ?? (await createObject(server.registry, endpoint, { namespace: info.namespace, object, options, context }));
  return objectResponse(encoding, made, { status: 201, headers: warningHeaders(call.warnings) });
}

async function update(server: ResourceServer, call: Call): Promise<HttpResponse> {
  const { request, info, endpoint, context } = call;
  const encoding = encodingOf(server, call);
  const options = writeOptions(info.query, "UpdateOptions", userAgent(request));
  const body = await readObjectBody(request, endpoint.strategy.info.kind);
  const object = decodeObject(endpoint, body, options, context);
  const written = await replaceObject(server.registry, endpoint, { target: targetOf(call), object, options, context });
  return objectResponse(encoding, written.object, {
    status: written.created ? 201 : 200,
    headers: warningHeaders(call.warnings),
  });
}

const PATCH_TYPES: ReadonlyMap<string, PatchType> = new Map([
  ["application/json-patch+json", "json"],
  ["application/merge-patch+json", "merge"],
  ["application/strategic-merge-patch+json", "strategic"],
]);
const CUSTOM_PATCHES = "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
export const APPLY_TYPE = "application/apply-patch+yaml";

/** The patch's kind; undefined for an apply. @throws StatusError 415 */
export function patchTypeOf({ request, endpoint }: Call): PatchType | undefined {
  const media = contentType(request);
  if (media === APPLY_TYPE) return undefined;
  const type = PATCH_TYPES.get(media);
  const { custom } = endpoint.strategy.info;
  if (type !== undefined && !(custom && type === "strategic")) return type;
  if (!custom) throw unsupportedMediaType("415: Unsupported Media Type", {});
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${CUSTOM_PATCHES}`,
  );
}

async function patch(server: ResourceServer, call: Call): Promise<HttpResponse> {
  const { request, info, endpoint, context } = call;
  const type = patchTypeOf(call);
  const encoding = encodingOf(server, call);
  const options = patchOptions(info.query, type === undefined, userAgent(request));
  const target = targetOf(call);
  const headers = (): HttpResponse["headers"] => warningHeaders(call.warnings);
  if (type !== undefined) {
    const object = await patchObject(server.registry, endpoint, {
      target,
      type,
      patch: await readPatch(request, type),
      options,
      context,
    });
    return objectResponse(encoding, object, { status: 200, headers: headers() });
  }
  const { info: wanted } = endpoint.strategy;
  const config = await readConfiguration(call, options.fieldValidation, {
    apiVersion: apiVersionOf(wanted),
    kind: wanted.kind,
  });
  const written = await applyObject(server.registry, endpoint, {
    target,
    config,
    force: options.force,
    options,
    context,
  });
  return objectResponse(encoding, written.object, { status: written.created ? 201 : 200, headers: headers() });
}

/**
 * The body of an apply: an object of a kind. The text is read now, and parsed when the verb asks for it: whether there is
 * anything to change is known first.
 */
export async function readConfiguration(
  { request, context }: Call,
  validation: WriteOptions["fieldValidation"],
  wanted: { readonly apiVersion: string; readonly kind: string },
): Promise<() => JsonObject> {
  const text = await readText(request);
  return () => {
    const body = parseApplyBody(text);
    if (body.duplicates.length > 0) {
      if (validation === "Strict") {
        throw badRequest(
          `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  ${body.duplicates.join("\n  ")}`,
        );
      }
      if (validation === "Warn") for (const duplicate of body.duplicates) context.warn(duplicate);
    }
    const value = body.value ?? {};
    if (!isObject(value)) {
      throw badRequest(
        `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonTypeName(value)} into Go value of type map[string]interface {}`,
      );
    }
    const sent = { apiVersion: getOwn(value, "apiVersion") ?? "", kind: getOwn(value, "kind") ?? "" };
    if (sent.apiVersion !== wanted.apiVersion || sent.kind !== wanted.kind) {
      const version = String(sent.apiVersion);
      throw badRequest(
        `invalid object type: ${version === "" ? "/" : version.includes("/") ? version : `/${version}`}, Kind=${String(sent.kind)}`,
      );
    }
    return value;
  };
}

/** The body of a JSON, merge or strategic merge patch, read now and parsed when it is asked for. @throws StatusError 413 */
export async function readPatch(request: HttpRequest, type: PatchType): Promise<() => ParsedPatch> {
  const text = await readText(request);
  let parsed: ParsedPatch | undefined;
  return () => (parsed ??= parsePatch(text, type));
}

async function remove(server: ResourceServer, call: Call): Promise<HttpResponse> {
  const { request, info, endpoint, context } = call;
  const encoding = encodingOf(server, call);
  const body = await readObjectBody(
    request.body === undefined || request.body.length === 0 ? { ...request, body: "{}" } : request,
    "",
  );
  const options = deleteOptions(info.query, body.value);
  const deleted = await deleteObject(server.registry, endpoint, { target: targetOf(call), options, context });
  const { strategy } = endpoint;
  const headers = warningHeaders(call.warnings);
  if (!deleted.removed || strategy.info.returnsDeletedObject)
    return objectResponse(encoding, deleted.object, { status: 200, headers });
  return jsonResponse(
    200,
    {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: {
        name: info.name ?? "",
        ...(strategy.info.group === "" ? {} : { group: strategy.info.group }),
        kind: strategy.info.resource,
        uid: metaText(deleted.object, "uid"),
      },
    },
    headers,
  );
}

async function removeCollection(server: ResourceServer, call: Call): Promise<HttpResponse> {
  const { request, info, endpoint, context } = call;
  const encoding = encodingOf(server, call);
  checkListOptions(info.query, false);
  const body = await readObjectBody(
    request.body === undefined || request.body.length === 0 ? { ...request, body: "{}" } : request,
    "",
  );
  const options = deleteOptions(info.query, body.value);
  const selection = selectionOptions(info.query, (field) => unsupportedField(endpoint, field));
  const limit = integerParameter(info.query, "limit");
  const listed = await deleteCollection(server.registry, endpoint, {
    namespace: info.namespace,
    ...selection,
    limit,
    options,
    context,
  });
  return listResponse(encoding, listed.objects, listed, warningHeaders(call.warnings));
}

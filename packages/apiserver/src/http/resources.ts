import { type HttpResponse } from "@fairlead/base";
import { StatusError } from "@fairlead/apimachinery";

import { applyObject } from "../registry/apply.js";
import { isHeavy } from "../registry/bounds.js";
import { converted } from "../registry/conversion.js";
import { createObject } from "../registry/create.js";
import { decodeObject } from "../registry/decode.js";
import { deleteObject } from "../registry/delete.js";
import { deleteCollection } from "../registry/delete-collection.js";
import { apiVersionOf, storageKey, type Endpoint } from "../registry/endpoint.js";
import { badRequest, methodNotAllowed, methodNotSupported, notFound, notServed } from "../registry/failures.js";
import { listObjects, reach } from "../registry/list.js";
import { metaText } from "../registry/metadata.js";
import { patchObject } from "../registry/patch.js";
import { replaceObject } from "../registry/replace.js";
import { partOf } from "../registry/subresources/parts.js";
import type { RequestContext } from "../registry/request.js";
import { attributesOf } from "./attributes.js";
import { readObjectBody } from "./body.js";
import { listResponse, objectResponse } from "./encode.js";
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
import { jsonResponse, statusResponse, textResponse } from "./response.js";
import {
  encodingOf,
  targetOf,
  unsupportedField,
  userAgent,
  type Call,
  type ResourceCall,
  type ResourceServer,
} from "./call.js";
import { patchTypeOf, readConfiguration, readPatch } from "./patch-body.js";
import { serveBinding, serveSubresource } from "./subresources.js";
import { Warnings } from "./warnings.js";
import { watchResponse } from "./watch-stream.js";

/** Routes a request for a resource to its verb. @throws StatusError */
export async function serveResource(server: ResourceServer, call: ResourceCall): Promise<HttpResponse> {
  const { info, user, ending } = call;
  const endpoint = server.catalog.find(info.group, info.resource, info.version);
  if (endpoint === undefined || !isScoped(endpoint, info))
    return unknownPath(server, info, endpoint, call.request.method);
  const warnings = new Warnings();
  const context: RequestContext = {
    user,
    ending,
    bodyBytes: call.request.body?.length ?? 0,
    warn: (text) => {
      warnings.add(text);
    },
    checkCreate: () => call.authorize(attributesOf({ ...info, verb: "create" }, call.request.method)),
  };
  const full: Call = { ...call, endpoint, context, warnings };
  for (const warning of endpoint.strategy.deprecation === undefined ? [] : [endpoint.strategy.deprecation])
    context.warn(warning);
  try {
    return await serveEndpoint(server, full);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const refusal = statusResponse(error.status);
    return { ...refusal, headers: { ...refusal.headers, ...warnings.headers() } };
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

async function get(server: ResourceServer, call: Call): Promise<HttpResponse> {
  const { registry } = server;
  const { endpoint, info, ending } = call;
  const encoding = encodingOf(server, call);
  const wanted = revisionParameter(info.query, "get");
  if (wanted !== undefined && wanted > registry.storage.revision) await reach(registry, wanted, ending);
  const record = registry.storage.get(endpoint.collection, storageKey(endpoint, info.namespace, info.name ?? ""));
  if (record === undefined) throw notFound(endpoint.strategy.info, info.name ?? "");
  const object = await converted(endpoint, record.object, apiVersionOf(endpoint.strategy.info));
  return objectResponse(encoding, object, { status: 200, headers: call.warnings.headers() });
}

async function list(server: ResourceServer, call: Call): Promise<HttpResponse> {
  const { endpoint, info, ending } = call;
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
      ending,
    },
    server.registry.continueTokens,
  );
  return listResponse(encoding, listed.objects, listed, call.warnings.headers());
}

async function create(server: ResourceServer, call: Call): Promise<HttpResponse> {
  const { request, info, endpoint, context, user } = call;
  if (info.group === "" && info.resource === "bindings") return serveBinding(server, call);
  const encoding = encodingOf(server, call);
  const options = writeOptions(info.query, "CreateOptions", userAgent(request));
  const body = await readObjectBody(request, endpoint.strategy.info.kind);
  if (isHeavy(context.bodyBytes)) await server.registry.clock.turn();
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
  return objectResponse(encoding, made, { status: 201, headers: call.warnings.headers() });
}

async function update(server: ResourceServer, call: Call): Promise<HttpResponse> {
  const { request, info, endpoint, context } = call;
  const encoding = encodingOf(server, call);
  const options = writeOptions(info.query, "UpdateOptions", userAgent(request));
  const body = await readObjectBody(request, endpoint.strategy.info.kind);
  if (isHeavy(context.bodyBytes)) await server.registry.clock.turn();
  const object = decodeObject(endpoint, body, options, context);
  const written = await replaceObject(server.registry, endpoint, { target: targetOf(call), object, options, context });
  return objectResponse(encoding, written.object, {
    status: written.created ? 201 : 200,
    headers: call.warnings.headers(),
  });
}

async function patch(server: ResourceServer, call: Call): Promise<HttpResponse> {
  const { request, info, endpoint, context } = call;
  const type = patchTypeOf(call);
  const encoding = encodingOf(server, call);
  const options = patchOptions(info.query, type === undefined, userAgent(request));
  const target = targetOf(call);
  const headers = (): HttpResponse["headers"] => call.warnings.headers();
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
  const headers = call.warnings.headers();
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
  return listResponse(encoding, listed.objects, listed, call.warnings.headers());
}

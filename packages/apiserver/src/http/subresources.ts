import { decodeNumbers, isObject, type HttpResponse, type JsonObject } from "@fairlead/base";

import { decodeObject } from "../registry/decode.js";
import { storageKey } from "../registry/endpoint.js";
import { badRequest, methodNotAllowed, methodNotSupported, notFound, notServed } from "../registry/failures.js";
import { finalizeNamespace } from "../registry/subresources/finalize.js";
import { bindPod } from "../registry/subresources/binding.js";
import { evictPod } from "../registry/subresources/eviction.js";
import { requestToken } from "../registry/subresources/token.js";
import { metaText } from "../registry/metadata.js";
import { patchedObject } from "../registry/patch.js";
import { SCALE_ENDPOINT, SCALE_VERSION } from "../registry/scale-endpoint.js";
import { getScale, writeScale } from "../registry/scale.js";
import { readObjectBody } from "./body.js";
import { deleteOptions, patchOptions, writeOptions } from "./options.js";
import { targetOf, userAgent, type Call, type ResourceServer } from "./call.js";
import { patchTypeOf, readConfiguration, readPatch } from "./patch-body.js";
import { jsonResponse, textResponse } from "./response.js";

const SUCCESS: JsonObject = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

/** Every subresource but `status`. @throws StatusError 404 for one that the kind does not have */
export async function serveSubresource(server: ResourceServer, call: Call): Promise<HttpResponse> {
  const { info, endpoint } = call;
  const kind = endpoint.strategy.info;
  if (info.subresource === "scale" && kind.scale !== undefined) return scale(server, call);
  const known = kind.otherSubresources.find((s) => s.name === info.subresource);
  if (known === undefined) {
    if (kind.custom) throw notFound(kind, info.name ?? "");
    throw notServed();
  }
  if (!known.verbs.includes(info.verb === "watch" ? "get" : info.verb)) throw methodNotAllowed();
  switch (`${kind.resource}/${info.subresource}`) {
    case "pods/binding":
      return serveBinding(server, call);
    case "pods/eviction":
      return eviction(server, call);
    case "pods/log":
      return log(server, call);
    case "serviceaccounts/token":
      return token(server, call);
    case "namespaces/finalize":
      return finalize(server, call);
    default:
      throw notServed();
  }
}

/** A Binding, posted to its pod or to `/bindings`. */
export async function serveBinding(server: ResourceServer, call: Call): Promise<HttpResponse> {
  const options = writeOptions(call.info.query, "CreateOptions", userAgent(call.request));
  const body = await readObjectBody(call.request, "Binding");
  if (!isObject(body.value)) throw badRequest("the body of a binding must be a Binding");
  const pods = server.catalog.find("", "pods");
  if (pods === undefined) throw notServed();
  const target = targetOf(call);
  const name = target.name === "" ? metaText(body.value, "name") : target.name;
  await bindPod(server.registry, pods, {
    target: { ...target, name, subresource: "" },
    binding: body.value,
    dryRun: options.dryRun,
  });
  return jsonResponse(201, SUCCESS);
}

async function eviction(server: ResourceServer, call: Call): Promise<HttpResponse> {
  const write = writeOptions(call.info.query, "CreateOptions", userAgent(call.request));
  const body = await readObjectBody(call.request, "Eviction");
  if (!isObject(body.value)) throw badRequest("the body of an eviction must be an Eviction");
  const given = deleteOptions(new URLSearchParams(), body.value["deleteOptions"] ?? {});
  const options = { ...given, dryRun: given.dryRun || write.dryRun };
  await evictPod(server.registry, call.endpoint, {
    target: targetOf(call),
    eviction: body.value,
    options,
    context: call.context,
  });
  return jsonResponse(201, SUCCESS);
}

async function token(server: ResourceServer, call: Call): Promise<HttpResponse> {
  const body = await readObjectBody(call.request, "TokenRequest");
  if (!isObject(body.value)) throw badRequest("the body of a token request must be a TokenRequest");
  return jsonResponse(
    201,
    requestToken(server.registry, call.endpoint, {
      target: targetOf(call),
      request: decodeNumbers(body.value) as JsonObject,
      tokens: server.accountTokens,
    }),
  );
}

async function finalize(server: ResourceServer, call: Call): Promise<HttpResponse> {
  const body = await readObjectBody(call.request, "Namespace");
  if (!isObject(body.value)) throw badRequest("the body of a finalize must be a Namespace");
  return jsonResponse(200, await finalizeNamespace(server.registry, call.endpoint, targetOf(call).name, body.value));
}

/** The log of a container: what the simulated kubelet wrote, or nothing. */
function log(server: ResourceServer, call: Call): HttpResponse {
  const { registry } = server;
  const { endpoint, info } = call;
  const record = registry.storage.get(endpoint.collection, storageKey(endpoint, info.namespace, info.name ?? ""));
  if (record === undefined) throw notFound(endpoint.strategy.info, info.name ?? "");
  return { ...textResponse(200, ""), headers: { "content-type": "text/plain" } };
}

async function scale(server: ResourceServer, call: Call): Promise<HttpResponse> {
  const { request, info, endpoint, context } = call;
  const target = targetOf(call);
  const { registry } = server;
  switch (info.verb) {
    case "get":
      return jsonResponse(200, await getScale(registry, endpoint, target));
    case "update": {
      const options = writeOptions(info.query, "UpdateOptions", userAgent(request));
      const wanted = decodeObject(SCALE_ENDPOINT, await readObjectBody(request, "Scale"), options, context);
      const written = await writeScale(registry, endpoint, {
        target,
        options,
        context,
        change: { kind: "update", next: () => wanted },
      });
      return jsonResponse(200, written, call.warnings.headers());
    }
    case "patch": {
      const type = patchTypeOf(call);
      const options = patchOptions(info.query, type === undefined, userAgent(request));
      if (type === undefined) {
        const config = await readConfiguration(call, options.fieldValidation, {
          apiVersion: SCALE_VERSION,
          kind: "Scale",
        });
        const written = await writeScale(registry, endpoint, {
          target,
          options,
          context,
          change: { kind: "apply", config, force: options.force },
        });
        return jsonResponse(200, written, call.warnings.headers());
      }
      const patch = await readPatch(request, type);
      const next = (live: JsonObject): JsonObject =>
        patchedObject(SCALE_ENDPOINT, { type, patch, options, context }, live);
      const written = await writeScale(registry, endpoint, {
        target,
        options,
        context,
        change: { kind: "update", next },
      });
      return jsonResponse(200, written, call.warnings.headers());
    }
    default:
      throw endpoint.strategy.info.custom ? methodNotSupported(endpoint.strategy.info, info.verb) : methodNotAllowed();
  }
}

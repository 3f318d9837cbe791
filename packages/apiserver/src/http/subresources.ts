import { decodeNumbers, getPath, isArray, isObject, type HttpResponse, type JsonObject } from "@fairlead/base";

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
import { objectResponse } from "./encode.js";
import { deleteOptions, patchOptions, writeOptions } from "./options.js";
import { encodingOf, targetOf, userAgent, type Call, type ResourceServer } from "./call.js";
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
    case "pods/attach":
    case "pods/exec":
    case "pods/portforward":
      return connect(server, call);
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
  checkContainer(record.object, info.query.get("container") ?? "");
  return { ...textResponse(200, ""), headers: { "content-type": "text/plain" } };
}

/** What leads into a container: the pod and its container are looked up, and then there is nothing to run in. */
function connect(server: ResourceServer, call: Call): never {
  const { endpoint, info } = call;
  const name = info.name ?? "";
  const record = server.registry.storage.get(endpoint.collection, storageKey(endpoint, info.namespace, name));
  if (record === undefined) throw notFound(endpoint.strategy.info, name);
  if (info.subresource !== "portforward") checkContainer(record.object, info.query.get("container") ?? "");
  const node = getPath(record.object, "spec", "nodeName");
  if (typeof node !== "string" || node === "") throw badRequest(`pod ${name} does not have a host assigned`);
  throw badRequest("exec, attach and port-forward need a container runtime, and simulated containers have none");
}

/** The container that is meant is there, or the pod has only one (k/k: registry/core/pod validateContainer). */
function checkContainer(pod: JsonObject, container: string): void {
  const names = (key: string): readonly string[] => {
    const list = getPath(pod, "spec", key);
    return isArray(list) ? list.filter(isObject).map((each) => String(each["name"])) : [];
  };
  const [plain, init, ephemeral] = [names("containers"), names("initContainers"), names("ephemeralContainers")];
  const podName = metaText(pod, "name");
  if (container !== "") {
    if (![...plain, ...init, ...ephemeral].includes(container))
      throw badRequest(`container ${container} is not valid for pod ${podName}`);
    return;
  }
  if (plain.length === 1) return;
  const choice = plain.length === 0 ? "" : `, choose one of: [${plain.join(" ")}]`;
  const inits = init.length === 0 ? "" : ` or one of the init containers: [${init.join(" ")}]`;
  throw badRequest(`a container name must be specified for pod ${podName}${choice}${choice === "" ? "" : inits}`);
}

async function scale(server: ResourceServer, call: Call): Promise<HttpResponse> {
  const { request, info, endpoint, context } = call;
  const target = targetOf(call);
  const encoding = encodingOf(server, { ...call, endpoint: SCALE_ENDPOINT });
  const { registry } = server;
  switch (info.verb) {
    case "get":
      return objectResponse(encoding, await getScale(registry, endpoint, target), { status: 200, headers: {} });
    case "update": {
      const options = writeOptions(info.query, "UpdateOptions", userAgent(request));
      const wanted = decodeObject(SCALE_ENDPOINT, await readObjectBody(request, "Scale"), options, context);
      const written = await writeScale(registry, endpoint, {
        target,
        options,
        context,
        change: { kind: "update", next: () => wanted },
      });
      return objectResponse(encoding, written, { status: 200, headers: call.warnings.headers() });
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
        return objectResponse(encoding, written, { status: 200, headers: call.warnings.headers() });
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
      return objectResponse(encoding, written, { status: 200, headers: call.warnings.headers() });
    }
    default:
      throw endpoint.strategy.info.custom ? methodNotSupported(endpoint.strategy.info, info.verb) : methodNotAllowed();
  }
}

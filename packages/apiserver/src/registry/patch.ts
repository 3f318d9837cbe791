import { isObject, type JsonObject, type JsonValue } from "@fairlead/base";
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  unknownJsonPatchMembers,
} from "@fairlead/apimachinery";
import { trackUpdate } from "@fairlead/ssa";

import { isHeavy } from "./bounds.js";
import { inNamespace } from "./create.js";
import { decideOwnership } from "./conversion.js";
import { decodePatched } from "./decode.js";
import type { Endpoint } from "./endpoint.js";
import { badRequest } from "./failures.js";
import { metaText } from "./metadata.js";
import { withUniqueOwners } from "./owners.js";
import { withDefaults, type Registry } from "./registry.js";
import type { RequestContext, Target, WriteOptions } from "./request.js";
import { updateObject } from "./update.js";

export type PatchType = "json" | "merge" | "strategic";

/** A patch as it was sent. */
export interface ParsedPatch {
  readonly value: JsonValue;
  /** Members that stood twice, as paths. */
  readonly duplicates: readonly string[];
}

export interface PatchRequest {
  readonly target: Target;
  readonly type: PatchType;
  /** Reads the body; called only when there is an object to patch. @throws StatusError 400 */
  readonly patch: () => ParsedPatch;
  readonly options: WriteOptions;
  readonly context: RequestContext;
}

/** JSON, merge and strategic merge patch: the patch is applied to the live object in the version of the URL. */
export async function patchObject(registry: Registry, endpoint: Endpoint, request: PatchRequest): Promise<JsonObject> {
  const { target, options, context } = request;
  const next = (live: JsonObject): JsonObject | Promise<JsonObject> => {
    const decoded = patchedObject(endpoint, request, live);
    checkIdentity(endpoint, decoded, target);
    const tracked = (): JsonObject | Promise<JsonObject> => {
      const wanted = withUniqueOwners(withDefaults(endpoint, decoded), context.warn);
      return decideOwnership(registry, { endpoint, subresource: target.subresource }, (ssa) =>
        trackUpdate(ssa, { live, next: wanted, manager: options.fieldManager }),
      );
    };
    return isHeavy(context.bodyBytes) ? registry.clock.turn().then(tracked) : tracked();
  };
  return updateObject(registry, endpoint, { target, options, context, next, via: "patch" });
}

/** The live object with the patch applied, decoded as the endpoint's kind. */
export function patchedObject(endpoint: Endpoint, request: Omit<PatchRequest, "target">, live: JsonObject): JsonObject {
  const { type, options, context } = request;
  const { value, duplicates } = request.patch();
  const object = patchedJson(endpoint, { type, patch: value }, live);
  const problems =
    type === "json"
      ? [
          ...duplicates.map((path) => `json patch duplicate field ${JSON.stringify(path)}`),
          ...unknownJsonPatchMembers(value).map((path) => `json patch unknown field ${JSON.stringify(path)}`),
        ]
      : duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`);
  return decodePatched(endpoint, { object, live, type, patch: value, problems }, options, context);
}

function patchedJson(
  endpoint: Endpoint,
  { type, patch }: { readonly type: PatchType; readonly patch: JsonValue },
  live: JsonObject,
): JsonObject {
  switch (type) {
    case "json":
      return objectOrThrow(applyJsonPatch(live, patch));
    case "merge":
      return objectOrThrow(applyMergePatch(live, patch));
    case "strategic":
      return objectOrThrow(applyStrategicMergePatch(live, patch, endpoint.strategy.schema));
  }
}

function objectOrThrow(value: JsonValue): JsonObject {
  if (isObject(value)) return value;
  throw badRequest("Invalid JSON Patch");
}

/** @throws StatusError 400 when an object has another name or namespace than the URL, or no name */
export function checkIdentity(endpoint: Endpoint, object: JsonObject, { name, namespace }: Target): void {
  const given = metaText(object, "name");
  if (given === "")
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (given !== name)
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  inNamespace(endpoint, namespace, object);
}

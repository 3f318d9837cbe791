import { isObject, type JsonObject, type JsonValue, type MutableJsonObject } from "@fairlead/base";
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch } from "@fairlead/apimachinery";
import { trackUpdate } from "@fairlead/ssa";

import { decodePatched } from "./decode.js";
import type { Endpoint } from "./endpoint.js";
import { badRequest, invalid } from "./failures.js";
import { metaText } from "./metadata.js";
import { managerContext, type Registry } from "./registry.js";
import type { RequestContext, Target, WriteOptions } from "./request.js";
import { updateObject } from "./update.js";

export type PatchType = "json" | "merge" | "strategic";

export interface PatchRequest {
  readonly target: Target;
  readonly type: PatchType;
  /** The parsed body. */
  readonly patch: JsonValue;
  readonly options: WriteOptions;
  readonly context: RequestContext;
}

/** JSON, merge and strategic merge patch: the patch is applied to the live object in the version of the URL. */
export async function patchObject(registry: Registry, endpoint: Endpoint, request: PatchRequest): Promise<JsonObject> {
  const { target, options, context } = request;
  const { strategy } = endpoint;
  const ssa = managerContext(registry, endpoint, target.subresource);
  const next = (live: JsonObject): JsonObject => {
    const patched = patchedJson(endpoint, request, live);
    checkIdentity(endpoint, patched, target);
    const decoded: MutableJsonObject = { ...decodePatched(endpoint, patched, options, context) };
    strategy.applyDefaults(decoded);
    return trackUpdate(ssa, { live, next: decoded, manager: options.fieldManager });
  };
  return updateObject(registry, endpoint, { target, options, context, next, via: "patch" });
}

/** The live JSON with the patch applied. */
export function patchedJson(endpoint: Endpoint, { type, patch }: Pick<PatchRequest, "type" | "patch">, live: JsonObject): JsonObject {
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

function checkIdentity(endpoint: Endpoint, patched: JsonObject, target: Target): void {
  const { info } = endpoint.strategy;
  const name = metaText(patched, "name");
  if (name !== target.name) throw badRequest(`the name of the object (${name}) does not match the name on the URL (${target.name})`);
  const { kind } = patched;
  if (info.custom && kind !== info.kind) {
    throw invalid(info, target.name, [{ type: "FieldValueInvalid", field: "kind", badValue: kind ?? "", detail: `must be ${info.kind}` }]);
  }
}

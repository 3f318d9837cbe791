import type { JsonObject } from "@fairlead/base";
import { trackUpdate } from "@fairlead/ssa";

import { decideOwnership } from "./conversion.js";
import { inNamespace, insertObject, wiped } from "./create.js";
import { storageKey, type Endpoint } from "./endpoint.js";
import { checkIdentity } from "./patch.js";
import { withUniqueOwners } from "./owners.js";
import { withDefaults, type Registry } from "./registry.js";
import type { RequestContext, Target, WriteOptions } from "./request.js";
import { updateObject, type Written } from "./update.js";

export interface ReplaceRequest {
  readonly target: Target;
  /** The decoded body, with apiVersion and kind. */
  readonly object: JsonObject;
  readonly options: WriteOptions;
  readonly context: RequestContext;
}

/** PUT: the body replaces the object; a few kinds are created by it. */
export async function replaceObject(registry: Registry, endpoint: Endpoint, request: ReplaceRequest): Promise<Written> {
  const { target, options, context } = request;
  const { strategy } = endpoint;
  const placed = inNamespace(endpoint, target.namespace, request.object);
  checkIdentity(endpoint, placed, target);
  const body = withUniqueOwners(withDefaults(endpoint, placed), context.warn);
  const manager = options.fieldManager;
  const place = { endpoint, subresource: target.subresource };
  const live = registry.storage.getForWrite(endpoint.collection, storageKey(endpoint, target.namespace, target.name));
  if (live === undefined && target.subresource === "" && strategy.info.allowsCreateOnUpdate) {
    context.checkCreate?.();
    const object = await decideOwnership(registry, place, (ssa) =>
      trackUpdate(ssa, { live: undefined, next: wiped(body), manager }),
    );
    return {
      object: await insertObject(registry, endpoint, { namespace: target.namespace, object, options, context }),
      created: true,
    };
  }
  const next = (seen: JsonObject): JsonObject | Promise<JsonObject> =>
    decideOwnership(registry, place, (ssa) => trackUpdate(ssa, { live: seen, next: body, manager }));
  return {
    object: await updateObject(registry, endpoint, { target, options, context, next, via: "update" }),
    created: false,
  };
}

import { deepEqual, type JsonObject } from "@fairlead/base";
import { applyConfiguration } from "@fairlead/ssa";

import { isHeavy } from "./bounds.js";
import { decideOwnership } from "./conversion.js";
import { inNamespace, insertObject, wiped } from "./create.js";
import { storageKey, type Endpoint } from "./endpoint.js";
import { conflict, notFound } from "./failures.js";
import { metadataOf, metaText, withMetadata } from "./metadata.js";
import { checkIdentity } from "./patch.js";
import { withCoercedMetadata, type Registry } from "./registry.js";
import type { RequestContext, Target, WriteOptions } from "./request.js";
import { updateObject, type Written } from "./update.js";

export interface ApplyRequest {
  readonly target: Target;
  /** Reads the body: the configuration, with exactly the fields that the manager wants to own. @throws StatusError 400 */
  readonly config: () => JsonObject;
  readonly force: boolean;
  readonly options: WriteOptions;
  readonly context: RequestContext;
}

/** Server-side apply; creates the object when it is not there (but not through a subresource). */
export async function applyObject(registry: Registry, endpoint: Endpoint, request: ApplyRequest): Promise<Written> {
  const { target, force, options, context } = request;
  const { info } = endpoint.strategy;
  const manager = options.fieldManager;
  const place = { endpoint, subresource: target.subresource };
  const live = registry.storage.getForWrite(endpoint.collection, storageKey(endpoint, target.namespace, target.name));
  if (live === undefined) {
    if (target.subresource !== "") throw notFound(info, target.name);
    const config = request.config();
    const heavy = isHeavy(context.bodyBytes);
    if (heavy) await registry.clock.turn();
    const applied = await decideOwnership(registry, place, (ssa) =>
      applyConfiguration(ssa, { live: undefined, config, manager, force }),
    );
    if (heavy) await registry.clock.turn();
    checkIdentity(endpoint, applied, target);
    const uid = metaText(config, "uid");
    if (uid !== "")
      throw conflict(
        info,
        target.name,
        `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
      );
    context.checkCreate?.();
    const placed = wiped(inNamespace(endpoint, target.namespace, applied));
    // Kubernetes up to 1.36 forgets to wipe this one where an apply creates the object.
    const quirk = withMetadata(placed, { deletionTimestamp: metadataOf(applied)["deletionTimestamp"] });
    const object = info.custom ? withCoercedMetadata(endpoint, quirk) : quirk;
    const untidy = info.custom && !deepEqual(metadataOf(quirk), metadataOf(object));
    return {
      object: await insertObject(registry, endpoint, { namespace: target.namespace, object, options, context, untidy }),
      created: true,
    };
  }
  let config: JsonObject | undefined;
  const next = (seen: JsonObject): JsonObject | Promise<JsonObject> => {
    const wanted = (config ??= request.config());
    const placed = (applied: JsonObject): JsonObject => {
      checkIdentity(endpoint, applied, target);
      return inNamespace(endpoint, target.namespace, applied);
    };
    const merged = (): JsonObject | Promise<JsonObject> => {
      const applied = decideOwnership(registry, place, (ssa) =>
        applyConfiguration(ssa, { live: seen, config: wanted, manager, force }),
      );
      return applied instanceof Promise ? applied.then(placed) : placed(applied);
    };
    return isHeavy(context.bodyBytes) ? inTurn(registry, merged) : merged();
  };
  return {
    object: await updateObject(registry, endpoint, { target, options, context, next, via: "apply" }),
    created: false,
  };
}

/** Decides in a turn of its own; what was refused is answered in another, since it may be refused for many fields. */
async function inTurn<T>(registry: Registry, decide: () => T | Promise<T>): Promise<T> {
  await registry.clock.turn();
  try {
    return await decide();
  } catch (error) {
    await registry.clock.turn();
    throw error;
  }
}

import type { JsonObject, MutableJsonObject } from "@fairlead/base";
import { trackUpdate } from "@fairlead/ssa";

import { inNamespace, insertObject, wiped } from "./create.js";
import { storageKey, type Endpoint } from "./endpoint.js";
import { badRequest } from "./failures.js";
import { metaText, withMetadata } from "./metadata.js";
import { managerContext, type Registry } from "./registry.js";
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
  const placed = named(endpoint, target, inNamespace(endpoint, target.namespace, request.object));
  const body: MutableJsonObject = { ...placed };
  strategy.applyDefaults(body);
  const manager = options.fieldManager;
  const tracking = managerContext(registry, endpoint, target.subresource);
  const live = registry.storage.getForWrite(endpoint.collection, storageKey(endpoint, target.namespace, target.name));
  if (live === undefined && target.subresource === "" && strategy.info.allowsCreateOnUpdate) {
    const object = trackUpdate(tracking, { live: undefined, next: wiped(body), manager });
    return { object: await insertObject(registry, endpoint, { namespace: target.namespace, object, options, context }), created: true };
  }
  const next = (seen: JsonObject): JsonObject => trackUpdate(tracking, { live: seen, next: body, manager });
  return { object: await updateObject(registry, endpoint, { target, options, context, next, via: "update" }), created: false };
}

/** The body under the name of the URL. @throws StatusError 400 when the body names another, or none */
function named(endpoint: Endpoint, { name }: Target, object: JsonObject): JsonObject {
  const given = metaText(object, "name");
  if (given === "") throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (given !== name) throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  return withMetadata(object, {});
}

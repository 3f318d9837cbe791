import { cloneJson, getOwn, isArray, type JsonObject, type MutableJsonObject } from "@fairlead/base";
import { parseGroupVersion, type GroupVersionKind } from "@fairlead/apimachinery";

import { equalSets } from "../fieldpath/field-set.js";
import { ConflictError } from "../merge/conflicts.js";
import type { TypedObject } from "../merge/context.js";
import type { Managers, VersionedSet } from "../merge/managers.js";
import { applyObject } from "../merge/updater.js";
import { endpointOf, type Endpoint, type ManagerContext } from "./context.js";
import { decodeManagedFields, encodeManagedFields, isSameList, type Managed } from "./entries.js";
import { badRequest, conflictFailure, describeObject, explained, goGvk } from "./failures.js";
import { formatIdentity } from "./identity.js";
import { absorbedConflicts, withLastApplied } from "./last-applied.js";
import { managedFieldsOf, withManagedFields } from "./metadata.js";
import { stripMetadata } from "./strip.js";
import { inVersion, trackChange } from "./update.js";

export interface ApplyInput {
  /** The stored object, in any served version; undefined where there is none. Not changed. */
  readonly live: JsonObject | undefined;
  /** The applied configuration, numbers decoded. Not changed. */
  readonly config: JsonObject;
  readonly manager: string;
  /** Whether to take fields from other managers. */
  readonly force: boolean;
}

/**
 * Server-side apply: the object to be validated and stored, in the endpoint's version, with its managedFields. It is
 * `live` itself when the apply changes neither the object nor who owns it.
 *
 * @throws StatusError 400 for a wrong kind or version and for managedFields in the configuration; 500 without a reason
 *   for a configuration that does not fit the schema; 409 with a cause per path for conflicts.
 */
export function applyConfiguration(context: ManagerContext, input: ApplyInput): JsonObject {
  const { config } = input;
  const endpoint = endpointOf(context);
  const managed = explained("failed to decode managed fields", () =>
    decodeManagedFields(input.live === undefined ? undefined : managedFieldsOf(input.live), endpoint.cache.sets),
  );
  const gvk = gvkOf(config);
  if (goGvk(gvk) !== goGvk(context.gvk)) throw badRequest(`invalid object type: ${goGvk(gvk)}`);
  const request = requestOf(endpoint, input, managed);
  try {
    return withLastApplied(applyOnce(request, input.force), input);
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    const left = absorbedConflicts(endpoint, error.conflicts, input);
    if (left.length > 0) throw conflictFailure(left);
    return withLastApplied(applyOnce(request, true), input);
  }
}

/** One apply, its objects typed. */
interface ApplyRequest extends ApplyInput {
  readonly endpoint: Endpoint;
  readonly liveObject: TypedObject;
  readonly configObject: TypedObject;
  readonly managed: Managed;
}

function requestOf(endpoint: Endpoint, input: ApplyInput, managed: Managed): ApplyRequest {
  const { config } = input;
  const { gvk } = endpoint.context;
  const tracked =
    managed.managers.size === 0 && input.live !== undefined ? beforeFirstApply(endpoint, input.live, managed) : managed;
  const sent = managedFieldsOf(config);
  if (sent !== undefined && sent !== null) throw badRequest("metadata.managedFields must be nil");
  const configObject = explained(`failed to create typed patch object (${describeObject(config, gvk)})`, () =>
    endpoint.typed(config, { allowDuplicates: false }),
  );
  const liveObject = explained(
    `failed to create typed live object (${describeObject(input.live ?? config, gvk)})`,
    () =>
      input.live === undefined
        ? endpoint.empty()
        : endpoint.typed(inVersion(endpoint, input.live), { allowDuplicates: true, memo: input.live }),
  );
  return { ...input, endpoint, liveObject, configObject, managed: tracked };
}

/** An object that nobody's ownership was recorded of belongs to whoever wrote it before. */
function beforeFirstApply(endpoint: Endpoint, live: JsonObject, managed: Managed): Managed {
  const why = "failed to create manager for existing fields";
  return explained(why, () => {
    const object = `failed to convert new object (${describeObject(live, endpoint.context.gvk)}) to smd typed`;
    const after = explained(`${why}: ${object}`, () =>
      endpoint.typed(inVersion(endpoint, live), { allowDuplicates: true, memo: live }),
    );
    return trackChange(endpoint, { before: endpoint.empty(), after, managed, manager: "before-first-apply" });
  });
}

function applyOnce(request: ApplyRequest, force: boolean): JsonObject {
  const { endpoint, managed, live, config } = request;
  const { context, apiVersion } = endpoint;
  const key = formatIdentity({
    manager: request.manager === "" ? "unknown" : request.manager,
    operation: "Apply",
    apiVersion,
    subresource: context.subresource,
  });
  const applied = explained("failed to apply", () =>
    applyObject(endpoint, {
      live: request.liveObject,
      config: request.configObject,
      managers: managed.managers,
      manager: key,
      force,
    }),
  );
  const managers = keptIfSame(stripMetadata(applied.managers, key), key, managed.managers.get(key));
  const times = applied.object === undefined ? managed.times : new Map(managed.times).set(key, context.now);
  const encoded = encodeManagedFields({ ...managed, managers, times }, endpoint.cache.sets);
  if (applied.object === undefined) {
    const unchanged = live ?? request.liveObject.value;
    const known = managedFieldsOf(unchanged);
    return withManagedFields(unchanged, isSameList(known, encoded) && isArray(known) ? known : encoded);
  }
  return withManagedFields(decoded(context, applied.object.value, config), encoded);
}

/** The managers with the earlier set itself where nothing changed, so that its entry need not be written anew. */
function keptIfSame(managers: Managers, key: string, last: VersionedSet | undefined): Managers {
  const owned = managers.get(key);
  if (
    owned === undefined ||
    last === undefined ||
    owned.apiVersion !== last.apiVersion ||
    !equalSets(owned.set, last.set)
  )
    return managers;
  return new Map(managers).set(key, last);
}

function decoded(context: ManagerContext, merged: JsonObject, config: JsonObject): JsonObject {
  const copy = cloneJson<MutableJsonObject>(merged);
  explained(`failed to convert new object (${describeObject(config, context.gvk)}) to proper version`, () => {
    context.applyDefaults(copy);
  });
  return copy;
}

/** The kind an object says it has; all empty when its apiVersion is not one. */
function gvkOf(object: JsonObject): GroupVersionKind {
  const [apiVersion, kind] = [getOwn(object, "apiVersion"), getOwn(object, "kind")];
  const gv = parseGroupVersion(typeof apiVersion === "string" ? apiVersion : "");
  return gv === undefined
    ? { group: "", version: "", kind: "" }
    : { ...gv, kind: typeof kind === "string" ? kind : "" };
}

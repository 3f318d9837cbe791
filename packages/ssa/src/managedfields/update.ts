import { deepEqual, FairleadError, getOwn, isArray, isObject, type JsonObject, type JsonValue } from "@fairlead/base";

import { union } from "../fieldpath/set-algebra.js";
import type { TypedObject } from "../merge/context.js";
import { withManager, type Managers } from "../merge/managers.js";
import { updateObject } from "../merge/updater.js";
import { capUpdateManagers } from "./cap.js";
import { endpointOf, type Endpoint, type ManagerContext } from "./context.js";
import {
  decodeManagedFields,
  encodeManagedFields,
  isSameList,
  ManagedFieldsError,
  NOTHING_MANAGED,
  type Managed,
  type SetMemo,
} from "./entries.js";
import { formatIdentity } from "./identity.js";
import { managedFieldsOf, metadataText, withManagedFields } from "./metadata.js";
import { stripMetadata } from "./strip.js";

export interface UpdateInput {
  /** The stored object; undefined for a creation. */
  readonly live: JsonObject | undefined;
  /** What is to be stored, decoded and defaulted. It may bring managedFields of the client's. */
  readonly next: JsonObject;
  readonly manager: string;
}

/**
 * The object to be stored by a create, PUT or patch, with its managedFields brought up to date: the manager owns what
 * changed, and others lose it. Never fails: the managedFields are dropped where the stored or the wanted object does not
 * fit the schema, or others own fields in a version that it cannot be converted to (as of Kubernetes 1.36).
 */
export function trackUpdate(context: ManagerContext, input: UpdateInput): JsonObject {
  const { live, next } = input;
  const bare = withManagedFields(next, undefined);
  try {
    const endpoint = endpointOf(context);
    const managed = managedBefore(endpoint, live, next);
    if (managed.managers.size === 0 && live !== undefined && metadataText(live, "uid") !== "") return bare;
    const after = endpoint.typed(inVersion(endpoint, bare), { allowDuplicates: true });
    const before =
      live === undefined
        ? endpoint.empty()
        : endpoint.typed(inVersion(endpoint, live), { allowDuplicates: true, memo: live });
    const tracked = trackChange(endpoint, { before, after, managed, manager: input.manager });
    const encoded = encodeManagedFields(tracked, endpoint.cache.sets);
    const known = live === undefined ? undefined : managedFieldsOf(live);
    return withManagedFields(bare, isSameList(known, encoded) && isArray(known) ? known : encoded);
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code === "Invariant") throw error;
    return bare;
  }
}

/**
 * Reads a stored object and who owns what of it ahead of a decision, which then takes about half as long: what both found
 * is remembered by the object and by `types` of the context. What is wrong with them is the decision's to say.
 */
export function readAhead(context: ManagerContext, live: JsonObject): void {
  const endpoint = endpointOf(context);
  decodeLeniently(live, endpoint.cache.sets);
  try {
    endpoint.typed(inVersion(endpoint, live), { allowDuplicates: true, memo: live });
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code === "Invariant") throw error;
  }
}

/** The object without managedFields, in the endpoint's version. */
export function inVersion(endpoint: Endpoint, object: JsonObject): JsonObject {
  const bare = withManagedFields(object, undefined);
  const version = getOwn(bare, "apiVersion");
  if (version === endpoint.apiVersion || typeof version !== "string") return bare;
  return withManagedFields(endpoint.context.convert(bare, endpoint.apiVersion), undefined);
}

/**
 * Who owned what before: as the client says on the main resource, where it says so properly, else as stored. What the
 * client says need not be in canonical form, so its entries are written anew.
 */
function managedBefore(endpoint: Endpoint, live: JsonObject | undefined, next: JsonObject): Managed {
  const { context, cache } = endpoint;
  if (context.subresource !== "") return decodeLeniently(live, cache.sets);
  const sent = managedFieldsOf(next);
  if (live !== undefined && deepEqual(sent, managedFieldsOf(live))) return decodeLeniently(live, cache.sets);
  if (isReset(sent, context.builtin)) return NOTHING_MANAGED;
  const managed = decodeLeniently(next, cache.sets);
  return managed.managers.size === 0 ? decodeLeniently(live, cache.sets) : { ...managed, read: new Map() };
}

/** `[{}]` asks to forget all ownership; so does `[]` on built-in kinds, while custom ones decode it as absent. */
function isReset(sent: JsonValue | undefined, builtin: boolean): boolean {
  if (!isArray(sent)) return false;
  if (sent.length === 0) return builtin;
  const [entry] = sent;
  return sent.length === 1 && isObject(entry) && deepEqual(entry, {});
}

function decodeLeniently(object: JsonObject | undefined, memo: SetMemo): Managed {
  try {
    return object === undefined ? NOTHING_MANAGED : decodeManagedFields(managedFieldsOf(object), memo);
  } catch (error) {
    if (error instanceof ManagedFieldsError) return NOTHING_MANAGED;
    throw error;
  }
}

/**
 * Ownership after a change that is not an apply. The change is first tracked under a name of its own, so that a manager
 * whose earlier changes are overwritten by its own later ones ends up with one entry and a new time.
 */
export function trackChange(
  endpoint: Endpoint,
  input: {
    readonly before: TypedObject;
    readonly after: TypedObject;
    readonly managed: Managed;
    readonly manager: string;
  },
): Managed {
  const { managed } = input;
  const changed = updateObject(endpoint, {
    before: input.before,
    after: input.after,
    managers: managed.managers,
    manager: CURRENT,
  });
  const managers = stripMetadata(changed, CURRENT);
  const key = formatIdentity({
    manager: input.manager === "" ? "unknown" : input.manager,
    operation: "Update",
    apiVersion: endpoint.apiVersion,
    subresource: endpoint.context.subresource,
  });
  return capUpdateManagers(named({ ...managed, managers }, key, endpoint.context.now));
}

const CURRENT = "current-operation";

/** Gives what the current operation changed to a manager, which changed something if there is anything. */
function named(managed: Managed, key: string, now: string): Managed {
  const gained = managed.managers.get(CURRENT);
  if (gained === undefined) return managed;
  const previous = managed.managers.get(key);
  const set = previous === undefined ? gained.set : union(gained.set, previous.set);
  const rest: Managers = withoutCurrent(managed.managers);
  return {
    ...managed,
    managers: withManager(rest, key, { ...gained, set }),
    times: new Map(managed.times).set(key, now),
  };
}

function withoutCurrent(managers: Managers): Managers {
  const out = new Map(managers);
  out.delete(CURRENT);
  return out;
}

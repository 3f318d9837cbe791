import type { JsonArray, JsonValue } from "@fairlead/base";

import { fieldSetOf, hasPath, isEmptySet } from "../fieldpath/field-set.js";
import { fieldPath, type FieldPath } from "../fieldpath/path.js";
import { difference } from "../fieldpath/set-algebra.js";
import type { VersionedSet } from "../merge/managers.js";
import { decodeManagedFields, encodeManagedFields, type Managed } from "./entries.js";

/** Where replicas stand in each version of the parent; undefined for a version that has no `/scale`. */
export type ReplicasPaths = ReadonlyMap<string, FieldPath | undefined>;

const SCALE_VERSION = "autoscaling/v1";
const SCALE_PATH = fieldPath("spec", "replicas");

/**
 * The parent's managedFields as its Scale has them: who owns the replicas, in terms of autoscaling/v1.
 *
 * @throws ManagedFieldsError
 */
export function scaleManagedFields(parent: JsonValue | undefined, paths: ReplicasPaths): JsonArray | undefined {
  const managed = decodeManagedFields(parent);
  const managers = new Map<string, VersionedSet>();
  const times = new Map<string, string>();
  for (const [key, owned] of managed.managers) {
    const path = paths.get(owned.apiVersion);
    if (path === undefined || !hasPath(owned.set, path)) continue;
    managers.set(key, { set: fieldSetOf([SCALE_PATH]), apiVersion: SCALE_VERSION, applied: owned.applied });
    const time = managed.times.get(key);
    if (time !== undefined) times.set(key, time);
  }
  return encodeManagedFields({ managers, times, read: new Map() });
}

/**
 * The parent's managedFields after a write through `/scale`: whoever owned the replicas keeps them only if it still does
 * in the Scale, and who is new there comes in, in the parent's version. Entries of unknown versions are dropped.
 *
 * @param options.apiVersion - The parent's version that the write came through.
 * @throws ManagedFieldsError
 */
export function parentManagedFields(
  parent: JsonValue | undefined,
  scale: JsonValue | undefined,
  options: { readonly paths: ReplicasPaths; readonly apiVersion: string },
): JsonArray | undefined {
  const before = decodeManagedFields(parent);
  const ofScale = decodeManagedFields(scale);
  const pending = new Map(ofScale.managers);
  const managers = new Map<string, VersionedSet>();
  for (const [key, owned] of before.managers) {
    if (!options.paths.has(owned.apiVersion)) continue;
    const path = options.paths.get(owned.apiVersion);
    if (path === undefined || !hasPath(owned.set, path)) managers.set(key, owned);
    else if (pending.delete(key)) managers.set(key, owned);
    else {
      const set = difference(owned.set, fieldSetOf([path]));
      if (!isEmptySet(set)) managers.set(key, { ...owned, set });
    }
  }
  addFromScale(managers, pending, options);
  return encodeManagedFields({ managers, times: timesOf(managers, before), read: before.read });
}

function addFromScale(
  managers: Map<string, VersionedSet>,
  pending: ReadonlyMap<string, VersionedSet>,
  options: { readonly paths: ReplicasPaths; readonly apiVersion: string },
): void {
  const path = options.paths.get(options.apiVersion);
  if (path === undefined) return;
  for (const [key, owned] of pending) {
    if (hasPath(owned.set, SCALE_PATH))
      managers.set(key, { set: fieldSetOf([path]), apiVersion: options.apiVersion, applied: owned.applied });
  }
}

/** Times as the parent knew them: what came in through the Scale has none. */
function timesOf(managers: ReadonlyMap<string, VersionedSet>, before: Managed): ReadonlyMap<string, string> {
  return new Map([...before.times].filter(([key]) => managers.has(key)));
}

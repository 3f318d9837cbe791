import { union } from "../fieldpath/set-algebra.js";
import type { VersionedSet } from "../merge/managers.js";
import { secondsOf, type Managed } from "./entries.js";
import { formatIdentity } from "./identity.js";

/** Entries of updates at most (apimachinery: util/managedfields/internal/fieldmanager.go). */
export const MAX_UPDATE_MANAGERS = 10;

/**
 * Folds the oldest update entries of the same version into one manager, `ancient-changes`, until there are at most
 * `MAX_UPDATE_MANAGERS`. A version with a single old entry keeps it. Entries of applies are left alone.
 */
export function capUpdateManagers(managed: Managed): Managed {
  const updaters = [...managed.managers].filter(([, owned]) => !owned.applied).map(([key]) => key);
  if (updaters.length <= MAX_UPDATE_MANAGERS) return managed;
  const seconds = (key: string): number => secondsOf(managed.times.get(key));
  updaters.sort((a, b) => seconds(a) - seconds(b) || (a < b ? -1 : 1));
  const managers = new Map(managed.managers);
  const times = new Map(managed.times);
  const firstOfVersion = new Map<string, string>();
  let count = updaters.length;
  for (const key of updaters) {
    if (count <= MAX_UPDATE_MANAGERS) break;
    const owned = managers.get(key) as VersionedSet;
    const first = firstOfVersion.get(owned.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(owned.apiVersion, key);
      continue;
    }
    const bucket = formatIdentity({
      manager: "ancient-changes",
      operation: "Update",
      apiVersion: owned.apiVersion,
      subresource: "",
    });
    const held = managers.get(bucket) ?? (managers.get(first) as VersionedSet);
    if (!managers.has(bucket)) managers.delete(first);
    managers.set(bucket, { ...owned, set: union(owned.set, held.set) });
    managers.delete(key); // in this order upstream: a bucket that is not the oldest of its version is lost
    const time = managed.times.get(key);
    if (time === undefined) times.delete(bucket);
    else times.set(bucket, time);
    count--;
  }
  return { ...managed, managers, times };
}

import { isEmptySet } from "../fieldpath/field-set.js";
import { fieldSetOfNames } from "../fieldpath/fields-v1.js";
import { difference } from "../fieldpath/set-algebra.js";
import { withManager, type Managers } from "../merge/managers.js";

/** What identifies an object or is set by the server belongs to nobody. */
const STRIPPED = fieldSetOfNames([
  ["apiVersion"],
  ["kind"],
  ["metadata"],
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((name) => ["metadata", name]),
]);

/** The managers with those paths taken from one of them, which goes when it has nothing else. */
export function stripMetadata(managers: Managers, manager: string): Managers {
  const owned = managers.get(manager);
  if (owned === undefined) return managers;
  const set = difference(owned.set, STRIPPED);
  return set === owned.set && !isEmptySet(set) ? managers : withManager(managers, manager, { ...owned, set });
}

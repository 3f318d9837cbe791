import type { JsonObject } from "@fairlead/base";

import { EMPTY_SET, type FieldSet } from "../fieldpath/field-set.js";
import { union } from "../fieldpath/set-algebra.js";
import { decodeManagedFields } from "./entries.js";
import { parseIdentity, type ManagerIdentity } from "./identity.js";
import { managedFieldsOf } from "./metadata.js";

/**
 * What a manager owns of an object, all its entries together. Members of `who` that are left out match anything.
 *
 * @throws ManagedFieldsError when managedFields cannot be decoded.
 */
export function fieldsOwnedBy(object: JsonObject, who: Partial<ManagerIdentity>): FieldSet {
  const { managers } = decodeManagedFields(managedFieldsOf(object));
  let owned = EMPTY_SET;
  for (const [key, entry] of managers) {
    const identity = { ...parseIdentity(key), apiVersion: entry.apiVersion };
    if (matches(identity, who)) owned = union(owned, entry.set);
  }
  return owned;
}

function matches(identity: ManagerIdentity, who: Partial<ManagerIdentity>): boolean {
  return (Object.keys(who) as (keyof ManagerIdentity)[]).every(
    (name) => who[name] === undefined || who[name] === identity[name],
  );
}

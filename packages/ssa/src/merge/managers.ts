import { isEmptySet, type FieldSet } from "../fieldpath/field-set.js";

/** What one manager owns, in the terms of one API version. */
export interface VersionedSet {
  readonly set: FieldSet;
  readonly apiVersion: string;
  /** By apply; else by updates. */
  readonly applied: boolean;
}

/** Managers by an identity that is opaque here. Never changed in place. */
export type Managers = ReadonlyMap<string, VersionedSet>;

/** The managers with one set replaced; without the manager when the set is empty. */
export function withManager(managers: Managers, manager: string, owned: VersionedSet): Managers {
  const out = new Map(managers);
  if (isEmptySet(owned.set)) out.delete(manager);
  else out.set(manager, owned);
  return out;
}

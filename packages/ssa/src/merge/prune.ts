import type { JsonObject } from "@fairlead/base";

import { isEmptySet, type FieldSet } from "../fieldpath/field-set.js";
import { difference, intersection, union } from "../fieldpath/set-algebra.js";
import { removeItems } from "../typed/remove.js";
import { ensureNamedFieldsAreMembers } from "../typed/schema-sets.js";
import { fieldSetOfValue } from "../typed/to-field-set.js";
import type { MergeContext, TypedObject } from "./context.js";
import type { Managers, VersionedSet } from "./managers.js";

/**
 * Removes from a merged object what the applying manager owned last time and no manager, itself included, owns now.
 *
 * Everything of the last set goes first; then what anybody owns is put back, version by version; then what the manager
 * never owned is put back too, so that in the end only paths of the last set are gone (structured-merge-diff:
 * merge/update.go). Each step is a removal from the merged object by a set, never an addition to a smaller one.
 */
export function prune(
  context: MergeContext,
  input: { readonly merged: TypedObject; readonly managers: Managers; readonly manager: string; readonly last: VersionedSet | undefined },
): TypedObject {
  const { last, managers } = input;
  if (last === undefined || isEmptySet(last.set)) return input.merged;
  const merged = context.convert(input.merged, last.apiVersion);
  if (merged === undefined) return input.merged;
  const emptied = without(context, merged, ensureNamedFieldsAreMembers(last.set, merged.type));
  const owned = addBackOwned(context, merged, emptied, { managers, firstVersion: last.apiVersion });
  const dangling = addBackDangling(context, merged, owned, last);
  const version = (managers.get(input.manager) as VersionedSet).apiVersion;
  return context.convert(dangling, version) ?? dangling;
}

function without(context: MergeContext, object: TypedObject, items: FieldSet): TypedObject {
  const value = removeItems(object.value, items, object.type, context.emptied);
  return value === object.value ? object : { ...object, value: (value ?? {}) as JsonObject };
}

function addBackOwned(
  context: MergeContext,
  merged: TypedObject,
  pruned: TypedObject,
  owners: { readonly managers: Managers; readonly firstVersion: string },
): TypedObject {
  const byVersion = new Map<string, FieldSet>();
  for (const { apiVersion, set } of owners.managers.values()) {
    const known = byVersion.get(apiVersion);
    byVersion.set(apiVersion, known === undefined ? set : union(known, set));
  }
  const others = [...byVersion.keys()].filter((version) => version !== owners.firstVersion).sort();
  let step = { merged, pruned };
  for (const version of byVersion.has(owners.firstVersion) ? [owners.firstVersion, ...others] : others) {
    step = addBackInVersion(context, step, version, byVersion.get(version) as FieldSet);
  }
  return step.pruned;
}

interface Step {
  readonly merged: TypedObject;
  readonly pruned: TypedObject;
}

function addBackInVersion(context: MergeContext, step: Step, version: string, owned: FieldSet): Step {
  const merged = context.convert(step.merged, version);
  const pruned = merged === undefined ? undefined : context.convert(step.pruned, version);
  if (merged === undefined) return step;
  if (pruned === undefined) return { merged, pruned: step.pruned };
  const { type } = merged;
  const kept = union(namedFieldSet(pruned), ensureNamedFieldsAreMembers(owned, type));
  return { merged, pruned: without(context, merged, difference(namedFieldSet(merged), kept)) };
}

function addBackDangling(context: MergeContext, merged: TypedObject, pruned: TypedObject, last: VersionedSet): TypedObject {
  const converted = context.convert(pruned, last.apiVersion);
  if (converted === undefined) return merged;
  const gone = difference(namedFieldSet(merged), namedFieldSet(converted));
  return without(context, merged, intersection(gone, ensureNamedFieldsAreMembers(last.set, merged.type)));
}

function namedFieldSet(object: TypedObject): FieldSet {
  return ensureNamedFieldsAreMembers(fieldSetOfValue(object.value, object.type), object.type);
}

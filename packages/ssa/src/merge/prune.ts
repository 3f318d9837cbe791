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
  input: {
    readonly merged: TypedObject;
    readonly managers: Managers;
    readonly manager: string;
    readonly last: VersionedSet | undefined;
  },
): TypedObject {
  const { last, managers } = input;
  if (last === undefined || isEmptySet(last.set)) return input.merged;
  const merged = context.convert(input.merged, last.apiVersion);
  if (merged === undefined) return input.merged;
  const lastNamed = ensureNamedFieldsAreMembers(last.set, merged.type);
  const all = namedFieldSet(merged);
  const emptied = without(context, merged, lastNamed);
  const owned = addBackOwned(context, { merged, all, pruned: emptied }, { managers, firstVersion: last.apiVersion });
  const dangling = addBackDangling(context, { merged, all, pruned: owned }, lastNamed);
  const version = (managers.get(input.manager) as VersionedSet).apiVersion;
  return context.convert(dangling, version) ?? dangling;
}

function without(context: MergeContext, object: TypedObject, items: FieldSet): TypedObject {
  const value = removeItems(object.value, items, object.type, context.emptied);
  return value === object.value ? object : { ...object, value: (value ?? {}) as JsonObject };
}

interface Step {
  readonly merged: TypedObject;
  /** What `merged` sets, with its named fields. */
  readonly all: FieldSet;
  readonly pruned: TypedObject;
}

function addBackOwned(
  context: MergeContext,
  start: Step,
  owners: { readonly managers: Managers; readonly firstVersion: string },
): TypedObject {
  const byVersion = new Map<string, FieldSet>();
  for (const { apiVersion, set } of owners.managers.values()) {
    const known = byVersion.get(apiVersion);
    byVersion.set(apiVersion, known === undefined ? set : union(known, set));
  }
  const others = [...byVersion.keys()].filter((version) => version !== owners.firstVersion).sort();
  let step = start;
  for (const version of byVersion.has(owners.firstVersion) ? [owners.firstVersion, ...others] : others) {
    step = addBackInVersion(context, step, version, byVersion.get(version) as FieldSet);
  }
  return step.pruned;
}

function addBackInVersion(context: MergeContext, step: Step, version: string, owned: FieldSet): Step {
  const merged = context.convert(step.merged, version);
  if (merged === undefined) return step;
  const all = merged === step.merged ? step.all : namedFieldSet(merged);
  const pruned = context.convert(step.pruned, version);
  if (pruned === undefined) return { merged, all, pruned: step.pruned };
  const kept = union(namedFieldSet(pruned), ensureNamedFieldsAreMembers(owned, merged.type));
  return { merged, all, pruned: without(context, merged, difference(all, kept)) };
}

function addBackDangling(context: MergeContext, { merged, all, pruned }: Step, last: FieldSet): TypedObject {
  const converted = context.convert(pruned, merged.apiVersion);
  if (converted === undefined) return merged;
  return without(context, merged, intersection(difference(all, namedFieldSet(converted)), last));
}

function namedFieldSet(object: TypedObject): FieldSet {
  return ensureNamedFieldsAreMembers(fieldSetOfValue(object.value, object.type), object.type);
}

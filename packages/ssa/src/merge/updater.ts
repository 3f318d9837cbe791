import type { JsonObject } from "@fairlead/base";

import { EMPTY_SET, isEmptySet, isSubset, type FieldSet } from "../fieldpath/field-set.js";
import { difference, intersection, recursiveDifference, union } from "../fieldpath/set-algebra.js";
import { compareTyped, excludeFromComparison, SAME, type Comparison } from "../typed/compare.js";
import { mergeTyped } from "../typed/merge.js";
import { reconcileWithSchema } from "../typed/schema-sets.js";
import { fieldSetOfValue } from "../typed/to-field-set.js";
import type { Type } from "../typed/type.js";
import { equalValues } from "../value/compare.js";
import { ConflictError, conflictsOf } from "./conflicts.js";
import type { MergeContext, TypedObject } from "./context.js";
import { withManager, type Managers, type VersionedSet } from "./managers.js";
import { prune } from "./prune.js";

export interface Applied {
  /** The merged object; undefined when nothing changed. */
  readonly object: TypedObject | undefined;
  readonly managers: Managers;
}

/**
 * Merges a configuration into a live object of the same version, removes what the manager applied last time and now
 * leaves out and nobody else owns, and gives the manager what it applied.
 *
 * @throws ConflictError unless `force`, when a value changes that someone else owns.
 */
export function applyObject(
  context: MergeContext,
  input: {
    readonly live: TypedObject;
    readonly config: TypedObject;
    readonly managers: Managers;
    readonly manager: string;
    readonly force: boolean;
  },
): Applied {
  const { live, config, manager } = input;
  const reconciled = reconcileManagers(context, live, input.managers);
  const last = reconciled.get(manager);
  const owned: VersionedSet = {
    set: ownedByConfig(context, config, last?.set),
    apiVersion: config.apiVersion,
    applied: true,
  };
  const managers = new Map(reconciled).set(manager, owned);
  const merged: TypedObject = { ...live, value: mergeTyped(live.value, config.value, live.type) as JsonObject };
  const pruned = isNothingToPrune(managers, last, owned, config)
    ? merged
    : prune(context, { merged, managers, manager, last });
  const { managers: settled } = settle(context, { before: live, after: pruned, managers, manager, force: input.force });
  return { object: equalValues(live.value, pruned.value) ? undefined : pruned, managers: settled };
}

/** What a configuration sets and the endpoint tracks; likely much the same as what its manager owns already. */
function ownedByConfig(context: MergeContext, config: TypedObject, last: FieldSet | undefined): FieldSet {
  const set = fieldSetOfValue(config.value, config.type, last);
  const ignored = context.ignored(config.apiVersion);
  return ignored === undefined ? set : recursiveDifference(set, ignored);
}

/**
 * Whether pruning would change nothing: all that was applied last time is applied again, in the only version around.
 * A list that is owned through an explicit null can still go, so configurations with nulls are pruned.
 */
function isNothingToPrune(
  managers: Managers,
  last: VersionedSet | undefined,
  owned: VersionedSet,
  config: TypedObject,
): boolean {
  if (last === undefined || isEmptySet(last.set)) return true;
  if (!isSubset(last.set, owned.set) || config.hasNull !== false) return false;
  for (const { apiVersion } of managers.values()) if (apiVersion !== last.apiVersion) return false;
  return true;
}

/**
 * Gives a manager what an update changed, and takes that, and what the update removed, from everybody else.
 *
 * @param input.after - What is to be stored.
 */
export function updateObject(
  context: MergeContext,
  input: {
    readonly before: TypedObject;
    readonly after: TypedObject;
    readonly managers: Managers;
    readonly manager: string;
  },
): Managers {
  const { after, manager } = input;
  const reconciled = reconcileManagers(context, input.before, input.managers);
  const { managers, comparison } = settle(context, { ...input, managers: reconciled, force: true });
  const owned = managers.get(manager)?.set ?? EMPTY_SET;
  const gained = union(union(difference(owned, comparison.removed), comparison.modified), comparison.added);
  const ignored = context.ignored(after.apiVersion);
  const set = ignored === undefined ? gained : recursiveDifference(gained, ignored);
  return withManager(managers, manager, { set, apiVersion: after.apiVersion, applied: false });
}

interface Settlement {
  readonly managers: Managers;
  readonly comparison: Comparison;
}

/** Takes from all managers but one what changed from `before` to `after`, judging each in its own version. */
function settle(
  context: MergeContext,
  input: {
    readonly before: TypedObject;
    readonly after: TypedObject;
    readonly managers: Managers;
    readonly manager: string;
    readonly force: boolean;
  },
): Settlement {
  const { before, after } = input;
  const comparison = compareIn(context, before, after);
  const byVersion = new Map<string, Comparison>([[after.apiVersion, comparison]]);
  const managers = new Map<string, VersionedSet>();
  const conflicts = new Map<string, FieldSet>();
  for (const [manager, owned] of input.managers) {
    if (manager === input.manager) {
      managers.set(manager, owned);
      continue;
    }
    const changes = byVersion.get(owned.apiVersion) ?? compareInVersion(context, before, after, owned.apiVersion);
    if (changes === undefined) continue;
    byVersion.set(owned.apiVersion, changes);
    const conflict = changes === SAME ? EMPTY_SET : intersection(owned.set, union(changes.modified, changes.added));
    if (!isEmptySet(conflict)) conflicts.set(manager, conflict);
    const set = changes === SAME ? owned.set : difference(difference(owned.set, conflict), changes.removed);
    managers.set(manager, set === owned.set ? owned : { ...owned, set });
  }
  if (!input.force && conflicts.size > 0) throw new ConflictError(conflictsOf(conflicts));
  for (const [manager, owned] of managers) if (isEmptySet(owned.set)) managers.delete(manager);
  return { managers, comparison };
}

function compareInVersion(
  context: MergeContext,
  before: TypedObject,
  after: TypedObject,
  apiVersion: string,
): Comparison | undefined {
  const old = context.convert(before, apiVersion);
  const now = old === undefined ? undefined : context.convert(after, apiVersion);
  return old === undefined || now === undefined ? undefined : compareIn(context, old, now);
}

function compareIn(context: MergeContext, before: TypedObject, after: TypedObject): Comparison {
  const comparison = compareTyped(before.value, after.value, after.type);
  if (comparison === SAME) return SAME;
  const ignored = context.ignored(after.apiVersion);
  return ignored === undefined ? comparison : excludeFromComparison(comparison, ignored);
}

/** The managers, as the schema of today sees what they own; those of versions that are gone are left out. */
function reconcileManagers(context: MergeContext, live: TypedObject, managers: Managers): Managers {
  const types = new Map<string, Type | undefined>([[live.apiVersion, live.type]]);
  const out = new Map<string, VersionedSet>();
  for (const [manager, owned] of managers) {
    if (!types.has(owned.apiVersion)) types.set(owned.apiVersion, context.convert(live, owned.apiVersion)?.type);
    const type = types.get(owned.apiVersion);
    if (type === undefined) continue;
    const isKnown = context.reconciled?.get(owned.set) === type;
    const set = isKnown ? owned.set : reconcileWithSchema(owned.set, type);
    if (!isKnown && set === owned.set) context.reconciled?.set(set, type);
    out.set(manager, set === owned.set ? owned : { ...owned, set });
  }
  return out;
}

// What a write does to a quota (k/k: staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go).
import { byCodeUnit, getPath, type JsonObject } from "@fairlead/base";

import {
  addAmounts,
  describeAmounts,
  exceedingNames,
  maskAmounts,
  NO_AMOUNTS,
  nonZeroAmounts,
  withoutAmounts,
  type Amounts,
} from "./amounts.js";
import type { QuotaEvaluator } from "./evaluator.js";
import { isInScopes, quotaStatus } from "./quota.js";

/** An object that is about to be stored. */
export interface QuotaChange {
  readonly object: JsonObject;
  /** The stored one, which is counted already; undefined for a new object. */
  readonly oldObject: JsonObject | undefined;
  readonly nowMs: number;
  /** Counts without refusing: what a status tells has happened. */
  readonly lenient: boolean;
}

/** What a write adds to each quota, or why one of them forbids it. */
export type QuotaCharges =
  { readonly kind: "charged"; readonly added: readonly Amounts[] } | { readonly kind: "refused"; readonly why: string };

/**
 * Asks the quotas of a namespace about a write: whether it says what they need to know, and then whether it fits. A quota
 * of which nothing is known yet (`status.hard`) counts nothing.
 */
export function quotaCharges(
  evaluator: QuotaEvaluator,
  quotas: readonly JsonObject[],
  change: QuotaChange,
): QuotaCharges {
  for (const quota of quotas) {
    const why = unfitFor(evaluator, quota, change.object);
    if (why !== undefined) return { kind: "refused", why };
  }
  const usage = evaluator.usage(change.object, change.nowMs);
  const negative = [...usage].filter(([, amount]) => amount.mantissa < 0n).map(([name]) => name);
  if (negative.length > 0)
    return { kind: "refused", why: `quota usage is negative for resource(s): ${negative.sort(byCodeUnit).join(",")}` };
  const added: Amounts[] = [];
  for (const quota of quotas) {
    const more = addedTo(evaluator, quota, { ...change, usage });
    const why = change.lenient ? undefined : excess(quota, more);
    if (why !== undefined) return { kind: "refused", why };
    added.push(more);
  }
  return { kind: "charged", added };
}

/** The names in a quota that a change of an object is counted under. */
function countedNames(evaluator: QuotaEvaluator, quota: JsonObject, object: JsonObject): readonly string[] {
  const counted = [...quotaStatus(quota).hard.keys()].filter(evaluator.counts).sort(byCodeUnit);
  return counted.length > 0 && isInScopes(evaluator, quota, object) ? counted : [];
}

/** What the object, or the quota, does not tell. */
function unfitFor(evaluator: QuotaEvaluator, quota: JsonObject, object: JsonObject): string | undefined {
  const counted = countedNames(evaluator, quota, object);
  if (counted.length === 0) return undefined;
  const missing = evaluator.missing?.(object, counted);
  if (missing !== undefined) return `failed quota: ${nameOf(quota)}: ${missing}`;
  const { used } = quotaStatus(quota);
  return counted.every((name) => used.has(name))
    ? undefined
    : `status unknown for quota: ${nameOf(quota)}, resources: ${counted.join(",")}`;
}

function addedTo(
  evaluator: QuotaEvaluator,
  quota: JsonObject,
  { object, oldObject, nowMs, usage }: QuotaChange & { readonly usage: Amounts },
): Amounts {
  const counted = countedNames(evaluator, quota, object);
  if (counted.length === 0) return NO_AMOUNTS;
  const knows = oldObject !== undefined && isInScopes(evaluator, quota, oldObject);
  const before = knows ? evaluator.usage(oldObject, nowMs) : NO_AMOUNTS;
  return maskAmounts(nonZeroAmounts(withoutAmounts(usage, before)), counted);
}

function excess(quota: JsonObject, added: Amounts): string | undefined {
  const { hard, used } = quotaStatus(quota);
  const exceeded = exceedingNames(maskAmounts(addAmounts(used, added), added.keys()), hard);
  if (exceeded.length === 0) return undefined;
  const told = (amounts: Amounts): string => describeAmounts(maskAmounts(amounts, exceeded));
  return `exceeded quota: ${nameOf(quota)}, requested: ${told(added)}, used: ${told(used)}, limited: ${told(hard)}`;
}

function nameOf(quota: JsonObject): string {
  return String(getPath(quota, "metadata", "name"));
}

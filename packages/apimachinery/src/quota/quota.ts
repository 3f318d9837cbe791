import { getOwn, isObject, type JsonObject } from "@fairlead/base";

import { addAmounts, amountsIn, maskAmounts, NO_AMOUNTS, numberOf, type Amounts } from "./amounts.js";
import { claimEvaluator } from "./claims.js";
import { countEvaluator } from "./counts.js";
import type { QuotaEvaluator } from "./evaluator.js";
import { podEvaluator } from "./pods.js";
import { scopesOf } from "./scopes.js";
import { serviceEvaluator } from "./services.js";

/** Resources that come and go too often to be counted. */
const IGNORED: ReadonlySet<string> = new Set(["/events", "events.k8s.io/events"]);

const EVALUATORS: ReadonlyMap<string, QuotaEvaluator> = new Map([
  ["/pods", podEvaluator],
  ["/services", serviceEvaluator],
  ["/persistentvolumeclaims", claimEvaluator],
]);

/** How the objects of a resource are measured; undefined when they are not. */
export function quotaEvaluator(group: string, resource: string): QuotaEvaluator | undefined {
  const id = `${group}/${resource}`;
  return IGNORED.has(id) ? undefined : (EVALUATORS.get(id) ?? countEvaluator(group, resource));
}

/** What a ResourceQuota allows, and how much of it is used, by its status. */
export function quotaStatus(quota: JsonObject): { readonly hard: Amounts; readonly used: Amounts } {
  const status = getOwn(quota, "status");
  if (!isObject(status)) return { hard: NO_AMOUNTS, used: NO_AMOUNTS };
  return { hard: amountsIn(status, "hard"), used: amountsIn(status, "used") };
}

/** Whether an object is in every scope of a quota. */
export function isInScopes(evaluator: QuotaEvaluator, quota: JsonObject, object: JsonObject): boolean {
  return scopesOf(quota).every((scope) => evaluator.inScope?.(object, scope) === true);
}

/** What objects of one resource use of those names of a quota that count them. */
export function countedUsage(
  evaluator: QuotaEvaluator,
  quota: JsonObject,
  { names, objects, nowMs }: { names: readonly string[]; objects: Iterable<JsonObject>; nowMs: number },
): Amounts {
  const counted = names.filter((name) => evaluator.counts(name));
  let used: Amounts = new Map(counted.map((name) => [name, numberOf(0)]));
  for (const object of objects) {
    if (!isInScopes(evaluator, quota, object)) continue;
    used = addAmounts(used, maskAmounts(evaluator.usage(object, nowMs), counted));
  }
  return used;
}

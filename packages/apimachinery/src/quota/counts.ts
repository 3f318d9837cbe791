import { numberOf } from "./amounts.js";
import type { QuotaEvaluator } from "./evaluator.js";

/** Resources of the core group that quotas count under their bare name as well. */
const LEGACY: ReadonlySet<string> = new Set(["configmaps", "resourcequotas", "replicationcontrollers", "secrets"]);

/** The name under which objects of a resource are counted: `count/deployments.apps`. */
export function countName(group: string, resource: string): string {
  return `count/${group === "" ? resource : `${resource}.${group}`}`;
}

/** Objects of which only the number is measured, when they are made. */
export function countEvaluator(group: string, resource: string): QuotaEvaluator {
  const names = [countName(group, resource), ...(group === "" && LEGACY.has(resource) ? [resource] : [])];
  const usage = new Map(names.map((name) => [name, numberOf(1)]));
  return { counts: (name) => usage.has(name), usage: () => usage, updates: new Set() };
}

import { formatTime } from "@fairlead/base";
import type { Condition } from "@fairlead/apimachinery";

/** A condition as it should be; the rest follows from what is there. */
export interface ConditionChange {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/**
 * The conditions with changes applied: ours are set, everybody else's stay as they are. `lastTransitionTime` moves only
 * with the status, and every condition that is set tells the generation that it speaks of.
 */
export function withConditions(
  before: readonly Condition[],
  changes: readonly ConditionChange[],
  at: { readonly nowMs: number; readonly generation: number },
): readonly Condition[] {
  return changes.reduce<readonly Condition[]>((conditions, change) => {
    const old = conditions.find((c) => c.type === change.type);
    const lastTransitionTime =
      (old?.status === change.status ? old.lastTransitionTime : undefined) ?? formatTime(at.nowMs);
    const next: Condition = { ...change, lastTransitionTime, observedGeneration: at.generation };
    return old === undefined ? [...conditions, next] : conditions.map((c) => (c === old ? next : c));
  }, before);
}

import { formatTime, parseTime } from "@fairlead/base";
import type { kinds } from "@fairlead/client";

import type { ConditionInput } from "./pods.js";
import { listed, maxUnavailable, size, sum, wantedReplicas, type Sets } from "./rollout.js";

/** A condition with both its times: the transition moves with the status, the update with the reason. */
export interface TimedCondition extends ConditionInput {
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
}

export interface DeploymentStatus {
  readonly observedGeneration: number;
  readonly replicas: number;
  readonly updatedReplicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  readonly unavailableReplicas: number;
  readonly terminatingReplicas: number;
  readonly conditions: readonly TimedCondition[];
}

/** No deadline: nobody looks at the progress (k/k: MaxInt32). */
const NEVER_SECONDS = 2 ** 31 - 1;

export function hasDeadline(deployment: kinds.Deployment): boolean {
  return (deployment.spec?.progressDeadlineSeconds ?? 600) !== NEVER_SECONDS;
}

function deadlineMs(deployment: kinds.Deployment): number {
  return (deployment.spec?.progressDeadlineSeconds ?? 600) * 1000;
}

export function conditionOf(conditions: readonly TimedCondition[], type: string): TimedCondition | undefined {
  return conditions.find((c) => c.type === type);
}

export function conditionsOf(deployment: kinds.Deployment): readonly TimedCondition[] {
  return (deployment.status?.conditions ?? []) as readonly TimedCondition[];
}

/** The conditions with one set; the same status and reason leave it as it is. */
export function withCondition(
  conditions: readonly TimedCondition[],
  condition: ConditionInput,
  nowMs: number,
): readonly TimedCondition[] {
  const before = conditionOf(conditions, condition.type);
  if (before?.status === condition.status && before.reason === condition.reason) return conditions;
  const now = formatTime(nowMs);
  const since = before?.status === condition.status ? before.lastTransitionTime : now;
  return [
    ...without(conditions, condition.type),
    { ...condition, lastUpdateTime: now, ...(since === undefined ? {} : { lastTransitionTime: since }) },
  ];
}

function without(conditions: readonly TimedCondition[], type: string): readonly TimedCondition[] {
  return conditions.filter((c) => c.type !== type);
}

export function progressing(status: ConditionInput["status"], reason: string, message: string): ConditionInput {
  return { type: "Progressing", status, reason, message };
}

/** What the sets add up to, and whether enough of them are available (k/k: calculateStatus). */
export function countedStatus(
  deployment: kinds.Deployment,
  { current, old }: Sets,
  { conditions, nowMs }: { readonly conditions: readonly TimedCondition[]; readonly nowMs: number },
): DeploymentStatus {
  const all = [...old, ...listed(current)];
  const wanted = wantedReplicas(deployment);
  const available = sum(all, (s) => s.status?.availableReplicas);
  const enough = available >= wanted - maxUnavailable(deployment, wanted);
  return {
    observedGeneration: deployment.metadata.generation ?? 1,
    replicas: sum(all, (s) => s.status?.replicas),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: sum(all, (s) => s.status?.readyReplicas),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, sum(all, size) - available),
    terminatingReplicas: sum(all, (s) => s.status?.terminatingReplicas),
    conditions: withCondition(
      conditions,
      enough
        ? {
            type: "Available",
            status: "True",
            reason: "MinimumReplicasAvailable",
            message: "Deployment has minimum availability.",
          }
        : {
            type: "Available",
            status: "False",
            reason: "MinimumReplicasUnavailable",
            message: "Deployment does not have minimum availability.",
          },
      nowMs,
    ),
  };
}

/** The same with how a rollout goes, and why pods cannot be made (k/k: syncRolloutStatus). */
export function rolloutStatus(
  deployment: kinds.Deployment,
  sets: Sets,
  seen: { readonly conditions: readonly TimedCondition[]; readonly nowMs: number },
): DeploymentStatus {
  const status = countedStatus(deployment, sets, seen);
  const conditions = withFailure(withProgress(deployment, status, { sets, ...seen }), sets, seen.nowMs);
  return { ...status, conditions };
}

function withProgress(
  deployment: kinds.Deployment,
  status: DeploymentStatus,
  {
    sets,
    conditions: before,
    nowMs,
  }: { readonly sets: Sets; readonly conditions: readonly TimedCondition[]; readonly nowMs: number },
): readonly TimedCondition[] {
  if (!hasDeadline(deployment)) return without(status.conditions, "Progressing");
  const known = conditionOf(before, "Progressing");
  if (status.replicas === status.updatedReplicas && known?.reason === "NewReplicaSetAvailable")
    return status.conditions;
  const subject =
    sets.current === undefined
      ? `Deployment ${JSON.stringify(deployment.metadata.name)}`
      : `ReplicaSet ${JSON.stringify(sets.current.metadata.name)}`;
  const set = (condition: ConditionInput, conditions = status.conditions): readonly TimedCondition[] =>
    withCondition(conditions, condition, nowMs);
  if (isComplete(deployment, status))
    return set(progressing("True", "NewReplicaSetAvailable", `${subject} has successfully progressed.`));
  if (isProgressing(deployment, status)) {
    const next = progressing("True", "ReplicaSetUpdated", `${subject} is progressing.`);
    const now = formatTime(nowMs);
    const since = known?.status === "True" ? (known.lastTransitionTime ?? now) : now;
    return [...without(status.conditions, "Progressing"), { ...next, lastUpdateTime: now, lastTransitionTime: since }];
  }
  if (isOverdue(deployment, conditionOf(status.conditions, "Progressing"), nowMs))
    return set(progressing("False", "ProgressDeadlineExceeded", `${subject} has timed out progressing.`));
  return status.conditions;
}

export function isComplete(deployment: kinds.Deployment, status: DeploymentStatus): boolean {
  const wanted = wantedReplicas(deployment);
  return (
    status.updatedReplicas === wanted &&
    status.replicas === wanted &&
    status.availableReplicas === wanted &&
    status.observedGeneration >= (deployment.metadata.generation ?? 1)
  );
}

function isProgressing({ status: old }: kinds.Deployment, status: DeploymentStatus): boolean {
  return (
    status.updatedReplicas > (old?.updatedReplicas ?? 0) ||
    status.replicas - status.updatedReplicas < (old?.replicas ?? 0) - (old?.updatedReplicas ?? 0) ||
    status.readyReplicas > (old?.readyReplicas ?? 0) ||
    status.availableReplicas > (old?.availableReplicas ?? 0)
  );
}

function isOverdue(deployment: kinds.Deployment, known: TimedCondition | undefined, nowMs: number): boolean {
  if (known === undefined || known.reason === "NewReplicaSetAvailable") return false;
  if (known.reason === "ProgressDeadlineExceeded") return true;
  const from = parseTime(known.lastUpdateTime);
  return from !== undefined && from + deadlineMs(deployment) < nowMs;
}

/** When to look again whether the deadline is over, in milliseconds from now; undefined when nothing is awaited. */
export function untilDeadline(
  deployment: kinds.Deployment,
  status: DeploymentStatus,
  nowMs: number,
): number | undefined {
  const known = conditionOf(status.conditions, "Progressing");
  if (!hasDeadline(deployment) || known === undefined || isComplete(deployment, status)) return undefined;
  if (known.reason === "ProgressDeadlineExceeded" || known.reason === "NewReplicaSetAvailable") return undefined;
  const from = parseTime(known.lastUpdateTime) ?? nowMs;
  return Math.max(1000, from + deadlineMs(deployment) + 1000 - nowMs);
}

function withFailure(
  conditions: readonly TimedCondition[],
  { current, old }: Sets,
  nowMs: number,
): readonly TimedCondition[] {
  const failing = [...listed(current), ...old]
    .flatMap((set) => set.status?.conditions ?? [])
    .find((c) => c.type === "ReplicaFailure" && c.status === "True");
  if (failing === undefined) return without(conditions, "ReplicaFailure");
  const { reason = "", message = "" } = failing;
  return withCondition(conditions, { type: "ReplicaFailure", status: "True", reason, message }, nowMs);
}

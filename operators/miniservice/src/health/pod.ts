import { parseTime } from "@fairlead/base";
import type { Condition } from "@fairlead/apimachinery";
import type { kinds } from "@fairlead/client";

import type { Limits } from "../limits.js";

/** How a pod stands: what the operator makes of its status. */
export interface PodHealth {
  readonly status: string;
  readonly reason: string;
  readonly state: "good" | "pending" | "scheduling" | "bad";
  /** The containers that are at fault, where that is known. */
  readonly containers: readonly string[];
}

interface Seen {
  readonly pod: kinds.Pod;
  readonly nowMs: number;
  readonly limits: Limits;
  /** Milliseconds since the pod was launched. */
  readonly ageMs: number;
}

type ContainerStatus = NonNullable<NonNullable<kinds.Pod["status"]>["containerStatuses"]>[number];

/** Rules in order of priority; the first that applies is the pod's health. */
export function podHealth(
  pod: kinds.Pod,
  { nowMs, limits }: { readonly nowMs: number; readonly limits: Limits },
): PodHealth {
  const seen: Seen = { pod, nowMs, limits, ageMs: nowMs - launchTime(pod) };
  switch (pod.status?.phase ?? "") {
    case "Running":
      return running(seen);
    case "Succeeded":
      return { status: "succeeded", reason: "", state: "good", containers: [] };
    case "Failed":
      return failed(pod);
    default:
      return isTrue(pod, "PodScheduled") ? waiting(seen) : unscheduled(seen);
  }
}

function running(seen: Seen): PodHealth {
  if (isTrue(seen.pod, "Ready")) return { status: "running", reason: "", state: "good", containers: [] };
  return stuck(seen) ?? degraded(seen) ?? { status: "starting", reason: "", state: "pending", containers: [] };
}

function failed(pod: kinds.Pod): PodHealth {
  const reason = pod.status?.reason ?? "";
  if (reason.toLowerCase() === "unexpectedadmissionerror") return bad("container-stuck", "UnexpectedAdmissionError");
  return bad("failed", reason);
}

/** Scheduled, but its containers do not run yet. */
function waiting(seen: Seen): PodHealth {
  const { pod, limits, ageMs } = seen;
  const pulling = allStatuses(pod).filter((c) =>
    /^(?:errimagepull|imagepullbackoff)$/i.test(c.state?.waiting?.reason ?? ""),
  );
  if (pulling.length > 0 && ageMs >= limits.maxImagePullErrorThresholdMs) {
    return bad(
      "image-pull-issues",
      "ImagePullIssues",
      pulling.map((c) => c.name),
    );
  }
  const found = stuck(seen);
  if (found !== undefined) return found;
  if (ageMs >= limits.podLaunchThresholdOnInitFailureMs) return bad("init-container-stuck", pod.status?.reason ?? "");
  return { status: "starting", reason: waitingReason(pod), state: "pending", containers: [] };
}

function unscheduled({ pod, limits, ageMs }: Seen): PodHealth {
  if (ageMs >= limits.podScheduledThresholdMs) return bad("container-stuck", "PodStuckScheduling");
  return {
    status: "scheduling",
    reason: conditionOf(pod, "PodScheduled")?.reason ?? "",
    state: "scheduling",
    containers: [],
  };
}

/** Containers that restart again and again, or init containers that never end. */
function stuck({ pod, limits, ageMs }: Seen): PodHealth | undefined {
  if (!isTrue(pod, "Initialized")) {
    return ageMs >= limits.podLaunchThresholdOnInitFailureMs
      ? bad("container-stuck", "ContainerStuckAfterThreshold")
      : undefined;
  }
  if (ageMs < limits.podLaunchThresholdOnFailedRestartsMs) return undefined;
  const looping = (statuses: readonly ContainerStatus[] | undefined): ContainerStatus | undefined =>
    statuses?.find((c) => (c.restartCount ?? 0) >= limits.restartLoopCount && c.ready !== true);
  const container = looping(pod.status?.containerStatuses);
  if (container !== undefined) return bad("container-stuck", "ContainersInRestartLoop", [container.name]);
  const init = looping(pod.status?.initContainerStatuses?.filter((c) => c.state?.terminated?.exitCode !== 0));
  return init === undefined ? undefined : bad("container-stuck", "InitContainersInRestartLoop", [init.name]);
}

/** A pod whose containers were started and are not ready for too long, or that ended with a failure for good. */
function degraded({ pod, limits, nowMs }: Seen): PodHealth | undefined {
  if (!isFalse(pod, "ContainersReady") || !isFalse(pod, "Ready") || !isTrue(pod, "Initialized")) return undefined;
  const reason = conditionOf(pod, "ContainersReady")?.reason ?? "";
  if (pod.spec?.restartPolicy === "Never") {
    const ended = (pod.status?.containerStatuses ?? []).filter((c) => (c.state?.terminated?.exitCode ?? 0) !== 0);
    if (ended.length > 0)
      return bad(
        "degraded-worker",
        reason,
        ended.map((c) => c.name),
      );
  }
  const since = parseTime(conditionOf(pod, "Ready")?.lastTransitionTime);
  if (since === undefined) return undefined;
  const limit = isFirstStart(pod, since) ? limits.workerStartupTimeoutMs : limits.workerDegradationTimeoutMs;
  if (nowMs - since < limit) return undefined;
  return bad(
    "degraded-worker",
    reason,
    (pod.status?.containerStatuses ?? []).filter((c) => c.ready !== true).map((c) => c.name),
  );
}

/** Whether a pod has never been ready: it became unready within a second of its start. */
function isFirstStart(pod: kinds.Pod, unreadySinceMs: number): boolean {
  const started = parseTime(pod.status?.startTime);
  return started === undefined || unreadySinceMs <= started + 1000;
}

/** Why containers wait, where they say it. */
function waitingReason(pod: kinds.Pod): string {
  return allStatuses(pod).find((c) => c.state?.waiting?.reason !== undefined)?.state?.waiting?.reason ?? "";
}

/** When a pod was launched: its start; before that, since when it cannot be scheduled; else its creation. */
export function launchTime(pod: kinds.Pod): number {
  const started = parseTime(pod.status?.startTime);
  if (started !== undefined) return started;
  const scheduled = conditionOf(pod, "PodScheduled");
  const since = scheduled?.status === "False" ? parseTime(scheduled.lastTransitionTime) : undefined;
  return since ?? parseTime(pod.metadata.creationTimestamp) ?? 0;
}

export function conditionOf(pod: kinds.Pod, type: string): Condition | undefined {
  return (pod.status?.conditions as readonly Condition[] | undefined)?.find((c) => c.type === type);
}

function isTrue(pod: kinds.Pod, type: string): boolean {
  return conditionOf(pod, type)?.status === "True";
}

function isFalse(pod: kinds.Pod, type: string): boolean {
  return conditionOf(pod, type)?.status === "False";
}

function allStatuses(pod: kinds.Pod): readonly ContainerStatus[] {
  return [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
}

function bad(status: string, reason: string, containers: readonly string[] = []): PodHealth {
  return { status, reason, state: "bad", containers };
}

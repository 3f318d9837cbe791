import { parseTime } from "@fairlead/base";

import type { Phase } from "../api.js";
import type { ConditionChange } from "../conditions.js";
import type { Limits } from "../limits.js";
import type { Observation, WorkerSeen } from "../observe.js";
import { healthOf, type ObjectHealth } from "./object.js";
import { healthMessage, inState } from "./report.js";

/** What the health of an installed service means for its status. */
export interface Verdict {
  readonly conditions: readonly ConditionChange[];
  /** The phase after it; undefined leaves it. */
  readonly phase?: Phase;
  /** Whether terminal failures are being tolerated: since when. */
  readonly failingSinceMs?: number;
  /** Set when the service has failed for good. */
  readonly failure?: string;
  /** When to look again at the latest; undefined waits for events. */
  readonly requeueMs?: number;
}

interface Seen {
  readonly seen: Observation;
  readonly limits: Limits;
  readonly objects: readonly ObjectHealth[];
}

/** The verdict in the mode that the service is in. */
export function healthVerdict(seen: Observation, limits: Limits, byWorker: boolean): Verdict {
  const objects = healthOf(seen.objects ?? [], { nowMs: seen.nowMs, limits });
  return byWorker ? workerVerdict({ seen, limits, objects }) : aggressiveVerdict({ seen, limits, objects });
}

const PENDING = ["pending", "scheduling"] as const;

/** Every object counts. Rules in order of priority. */
function aggressiveVerdict({ seen, limits, objects }: Seen): Verdict {
  const all = [...objects, ...workerAsObject(seen.worker)];
  const bad = inState(all, ["bad"]);
  if (bad.length > 0) return failing(seen, limits, { all, bad });
  const pending = inState(all, PENDING);
  if (pending.length > 0) return waiting(seen, limits, all);
  return {
    conditions: [{ type: "ObjectsHealthy", status: "True", reason: "ObjectsReady", message: "" }],
    phase: "Running",
  };
}

function failing(
  seen: Observation,
  limits: Limits,
  { all, bad }: { readonly all: readonly ObjectHealth[]; readonly bad: readonly ObjectHealth[] },
): Verdict {
  const message = healthMessage(all, ["bad"]);
  if (bad.every((o) => o.status === "degraded-worker")) {
    return { conditions: [unhealthy("DegradedWorker", message)], failure: "at least one object is degraded" };
  }
  const since = parseTime(seen.service.status?.firstFailureTime ?? undefined) ?? seen.nowMs;
  if (seen.nowMs - since <= limits.failingObjectsBackoffTimeoutMs) {
    return {
      conditions: [unhealthy("ObjectsFailedWithinBackoffTimeout", message)],
      failingSinceMs: since,
      requeueMs: limits.failingObjectsBackoffRequeueIntervalMs,
    };
  }
  return { conditions: [unhealthy("ObjectsFailed", message)], failingSinceMs: since, failure: "some objects failed" };
}

function waiting(seen: Observation, limits: Limits, all: readonly ObjectHealth[]): Verdict {
  const list = healthMessage(all, PENDING);
  if (isOverdue(seen, "ObjectsHealthy", limits.maxRunningTimeoutMs)) {
    return { conditions: [unhealthy("ObjectsTimedOutPending", list)], failure: "some resources timed out pending" };
  }
  const scheduling = inState(all, ["scheduling"]).length > 0;
  const head = scheduling ? "Some objects are not scheduled\n" : "All objects are scheduled, waiting on readiness\n";
  const starting = !scheduling && seen.service.status?.phase !== "Running" ? { phase: "Starting" as const } : {};
  return { conditions: [unhealthy("WaitingOnObjectReadiness", head + list)], ...starting, requeueMs: limits.pollMs };
}

/** The worker's container stands for the whole; the chart's objects are told about and change nothing. */
function workerVerdict({ seen, limits, objects }: Seen): Verdict {
  const notGood = ["bad", "pending", "scheduling"] as const;
  const informational: ConditionChange =
    inState(objects, notGood).length > 0
      ? unhealthy("WaitingOnObjectReadiness", healthMessage(objects, notGood))
      : { type: "ObjectsHealthy", status: "True", reason: "ObjectsReady", message: "" };
  const { worker } = seen;
  const conditions = (change: Omit<ConditionChange, "type">): readonly ConditionChange[] => [
    informational,
    { type: "WorkersHealthy", ...change },
  ];
  if (worker.kind === "absent") {
    return {
      conditions: conditions({ status: "False", reason: "WorkerNotFound", message: "Worker pod not found" }),
      requeueMs: limits.pollMs,
    };
  }
  if (worker.container === "undeclared") {
    return {
      conditions: conditions({ status: "False", reason: "WorkerNotFound", message: "worker container not found" }),
      failure: "worker container not found",
    };
  }
  if (worker.container === "ready" && !worker.leaving) {
    return { conditions: conditions({ status: "True", reason: "WorkersReady", message: "" }), phase: "Running" };
  }
  if (worker.health.state === "bad" && !worker.leaving) {
    const message = `worker container is in a terminal bad state: ${worker.health.status}${worker.health.reason === "" ? "" : `: ${worker.health.reason}`}`;
    return {
      conditions: conditions({ status: "False", reason: "WorkerTerminalBadState", message }),
      failure: "worker container is in a terminal bad state",
    };
  }
  if (isOverdue(seen, "WorkersHealthy", limits.maxRunningTimeoutMs)) {
    const message = `worker did not become ready within ${duration(limits.maxRunningTimeoutMs)}`;
    return { conditions: conditions({ status: "False", reason: "ObjectsTimedOutPending", message }), failure: message };
  }
  const scheduling = worker.health.state === "scheduling";
  const message = scheduling ? "Worker pod is not scheduled" : "Worker pod is scheduled, waiting on readiness";
  const starting = !scheduling && seen.service.status?.phase !== "Running" ? { phase: "Starting" as const } : {};
  return {
    conditions: conditions({ status: "False", reason: "WaitingOnObjectReadiness", message }),
    ...starting,
    requeueMs: limits.pollMs,
  };
}

/** The worker among the objects, for the mode in which everything counts. One that is missing is being made again. */
function workerAsObject(worker: WorkerSeen): readonly ObjectHealth[] {
  const none = { events: [], children: [] };
  if (worker.kind === "absent")
    return [{ id: "v1.Pod utils", status: "starting", reason: "Worker pod not found", state: "pending", ...none }];
  const { status, reason, state } = worker.health;
  return [{ id: "v1.Pod utils", status, reason, state: worker.leaving ? "pending" : state, ...none }];
}

function unhealthy(reason: string, message: string): ConditionChange {
  return { type: "ObjectsHealthy", status: "False", reason, message };
}

/** Whether a condition has not been True for longer than a limit. */
function isOverdue({ service, nowMs }: Observation, type: string, limitMs: number): boolean {
  const condition = service.status?.conditions?.find((c) => c.type === type);
  if (condition === undefined || condition.status === "True") return false;
  return nowMs - (parseTime(condition.lastTransitionTime) ?? nowMs) > limitMs;
}

/** `3h0m0s`, as Go prints it. */
function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  return h > 0 ? `${h}h${m}m${s}s` : m > 0 ? `${m}m${s}s` : `${s}s`;
}

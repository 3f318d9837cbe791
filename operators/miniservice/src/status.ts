import { formatTime } from "@fairlead/base";

import type { MiniServiceStatus, Phase } from "./api.js";
import { withConditions, type ConditionChange } from "./conditions.js";
import type { Done } from "./act.js";
import type { Plan } from "./decide.js";
import type { Verdict } from "./health/verdict.js";
import type { Observation } from "./observe.js";

/** A merge patch of the status, and when to look again. */
export interface StatusPlan {
  /** Undefined: nothing to write. */
  readonly status: MiniServiceStatus | undefined;
  /** Undefined: events are enough. */
  readonly requeueMs: number | undefined;
}

interface Changes {
  readonly conditions?: readonly ConditionChange[];
  readonly phase?: Phase;
  readonly fields?: MiniServiceStatus;
  /** Whether the present spec has been dealt with, for better or worse. */
  readonly observed: boolean;
  readonly requeueMs?: number | undefined;
}

const ACCEPTED: ConditionChange = { type: "Accepted", status: "True", reason: "Accepted", message: "" };

/** The status that follows from what was seen, what was planned and what came of it. */
export function statusOf(seen: Observation, plan: Plan, done: Done): StatusPlan {
  const changes = changesOf(seen, plan, done);
  if (changes === undefined) return { status: undefined, requeueMs: undefined };
  const before = seen.service.status ?? {};
  const generation = seen.service.metadata.generation ?? 0;
  const phase = changes.phase ?? before.phase ?? "";
  const conditions = withConditions(before.conditions ?? [], changes.conditions ?? [], {
    nowMs: seen.nowMs,
    generation,
  });
  return {
    status: {
      ...changes.fields,
      phase,
      ...(phase === (before.phase ?? "") ? {} : { lastPhaseTransitionTime: formatTime(seen.nowMs) }),
      conditions,
      ...(changes.observed ? { observedGeneration: generation } : {}),
    },
    requeueMs: changes.requeueMs,
  };
}

function changesOf(seen: Observation, plan: Plan, done: Done): Changes | undefined {
  switch (plan.kind) {
    case "reject":
      return {
        conditions: [{ type: "Accepted", status: "False", reason: plan.reason, message: plan.message }],
        observed: true,
      };
    case "install":
      return installChanges(seen, plan);
    case "fail":
      return failChanges(seen, plan);
    case "wait":
      return {
        conditions: [
          ACCEPTED,
          { type: "InstallSuccessful", status: "False", reason: plan.reason, message: plan.message },
        ],
        observed: false,
        requeueMs: plan.afterMs,
      };
    case "watch":
    case "restoreWorker":
      return healthChanges(seen, plan.verdict);
    case "cleanUp":
      return done.kind === "remaining" ? cleanUpChanges(done) : undefined;
    case "retry":
      return {
        conditions: [
          ACCEPTED,
          { type: "InstallSuccessful", status: "False", reason: plan.reason, message: plan.message },
        ],
        phase: installingPhase(seen),
        observed: false,
      };
    case "addFinalizer":
    case "removeFinalizer":
    case "saveWorkloadConfig":
    case "parked":
      return undefined;
  }
}

function renderedFields({ rendered }: Observation): MiniServiceStatus {
  if (rendered?.kind !== "documents") return {};
  return {
    renderedDetails: { hash: rendered.hash, resources: rendered.documents.resources },
    attemptedDigest: rendered.inputDigest,
  };
}

/** While a revision serves, an update of it does not take the phase away. */
function installingPhase({ service }: Observation): Phase {
  const phase = service.status?.phase ?? "";
  return service.status?.installedRevision !== undefined &&
    (phase === "Running" || phase === "Starting" || phase === "Installed")
    ? phase
    : "Installing";
}

function installChanges(seen: Observation, plan: Plan & { readonly kind: "install" }): Changes {
  const fields = { ...renderedFields(seen), revision: plan.revision };
  if (plan.waitsFor !== undefined) {
    const waiting: ConditionChange = {
      type: "InstallSuccessful",
      status: "False",
      reason: "Installing",
      message: `waiting for ${plan.waitsFor}`,
    };
    return {
      conditions: [ACCEPTED, waiting],
      phase: installingPhase(seen),
      fields,
      observed: false,
      requeueMs: undefined,
    };
  }
  const installed: ConditionChange = plan.update
    ? {
        type: "InstallSuccessful",
        status: "True",
        reason: "WorkloadObjectsUpdated",
        message: `Workload update to revision ${plan.revision} completed successfully`,
      }
    : { type: "InstallSuccessful", status: "True", reason: "AllObjectsApplied", message: "" };
  const digest = seen.rendered?.inputDigest;
  return {
    conditions: [ACCEPTED, installed],
    phase: plan.update ? (installingPhase(seen) === "Installing" ? "Installed" : installingPhase(seen)) : "Installed",
    fields: {
      ...fields,
      installedRevision: plan.revision,
      ...(digest === undefined ? {} : { installedDigest: digest }),
      firstFailureTime: null,
    },
    observed: true,
    requeueMs: 0,
  };
}

/** A revision that cannot be installed fails the service only when none serves. */
function failChanges(seen: Observation, plan: Plan & { readonly kind: "fail" }): Changes {
  const failed: ConditionChange = {
    type: "InstallSuccessful",
    status: "False",
    reason: plan.reason,
    message: plan.message,
  };
  const fields = {
    ...renderedFields(seen),
    ...(seen.rendered === undefined ? {} : { attemptedDigest: seen.rendered.inputDigest }),
  };
  if (plan.update) return { conditions: [ACCEPTED, failed], fields, observed: true, requeueMs: 0 };
  return { conditions: [ACCEPTED, failed], phase: "InstallFailed", fields, observed: true };
}

function healthChanges(seen: Observation, verdict: Verdict): Changes {
  const before = seen.service.status;
  const failed = verdict.failure !== undefined;
  const phase: Phase | undefined = failed ? (before?.phase === "Running" ? "Failed" : "InstallFailed") : verdict.phase;
  const since = verdict.failingSinceMs === undefined ? null : formatTime(verdict.failingSinceMs);
  return {
    conditions: [ACCEPTED, ...verdict.conditions],
    ...(phase === undefined ? {} : { phase }),
    fields: since === null && (before?.firstFailureTime ?? null) === null ? {} : { firstFailureTime: since },
    observed: true,
    requeueMs: failed ? undefined : verdict.requeueMs,
  };
}

function cleanUpChanges({ remaining }: Done & { readonly kind: "remaining" }): Changes {
  const reason = remaining.stage === "stuck" ? "ObjectDeletionTimeout" : "SomeObjectsPendingDeletion";
  return {
    conditions: [{ type: "CleanupSuccessful", status: "False", reason, message: remaining.objects }],
    fields: { deletion: { stage: remaining.stage, remaining: remaining.count } },
    observed: false,
    requeueMs: remaining.afterMs,
  };
}

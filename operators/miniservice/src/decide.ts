import { isFlagSet, sameWorkloadConfig } from "./codec.js";
import { STATUS_BY_WORKER_READINESS, type Phase, type WorkloadConfig } from "./api.js";
import { healthVerdict, type Verdict } from "./health/verdict.js";
import type { Limits } from "./limits.js";
import type { Observation } from "./observe.js";

/** Steps of an install, in order; each is safe to repeat. */
export type InstallStep = "namespace" | "fences" | "worker" | "workload" | "revision";

/** What to do next. */
export type Plan =
  /** The object says nothing that could be done. */
  | { readonly kind: "reject"; readonly reason: string; readonly message: string }
  | { readonly kind: "addFinalizer" }
  /** Nothing to hold on to any more. */
  | { readonly kind: "removeFinalizer" }
  /** The chart's objects go, then the namespace. */
  | { readonly kind: "cleanUp" }
  | { readonly kind: "saveWorkloadConfig"; readonly config: WorkloadConfig | null }
  | {
      readonly kind: "install";
      readonly steps: readonly InstallStep[];
      readonly revision: number;
      /** Whether a revision is installed already and keeps serving meanwhile. */
      readonly update: boolean;
      /** What the pass waits for after its steps; undefined when it completes the install. */
      readonly waitsFor: string | undefined;
    }
  /** The chart cannot be installed. */
  | { readonly kind: "fail"; readonly reason: string; readonly message: string; readonly update: boolean }
  | { readonly kind: "wait"; readonly reason: string; readonly message: string; readonly afterMs: number }
  /** Rendering or applying failed on the way: try again, slower and slower. */
  | { readonly kind: "retry"; readonly reason: string; readonly message: string }
  /** The worker's pod is gone, and comes back. */
  | { readonly kind: "restoreWorker"; readonly verdict: Verdict }
  | { readonly kind: "watch"; readonly verdict: Verdict }
  /** Ended, well or not, and nothing has changed since. */
  | { readonly kind: "parked" };

const NAMESPACE_WAIT_MS = 5000;
const ENDED: ReadonlySet<Phase> = new Set<Phase>(["Completed", "InstallFailed", "Failed"]);

/** Rules in order of priority; the first that applies is the plan. */
export function decide(seen: Observation, limits: Limits): Plan {
  const { service, requestName, request, namespace, rendered } = seen;
  if (seen.deleting) return cleanUp(seen);
  if (requestName.kind === "invalid")
    return reject("ConflictingAliases", `${requestName.message}; keep one of icmsRequestName and spotRequestName`);
  if ((service.spec.namespace ?? "") === "")
    return reject("NamespaceMissing", `miniservice ${service.metadata.name} has no namespace; set spec.namespace`);
  if (requestName.value === "")
    return reject("RequestNameMissing", "ICMS request name is not set; set spec.icmsRequestName");
  if (request.kind === "absent") {
    if (request.confirmed) return cleanUp(seen);
    return {
      kind: "wait",
      reason: "RequestNotFound",
      message: `ICMSRequest ${requestName.value} not found; looking again`,
      afterMs: request.recheckMs,
    };
  }
  if (!seen.finalized) return { kind: "addFinalizer" };
  const update = service.status?.installedRevision !== undefined;
  const phase = service.status?.phase ?? "";
  if (rendered === undefined)
    return { kind: "retry", reason: "RenderUnavailable", message: "the chart was not rendered" };
  if (ENDED.has(phase) && service.status?.attemptedDigest === rendered.inputDigest) return { kind: "parked" };
  switch (rendered.kind) {
    case "unavailable":
      return { kind: "retry", reason: "RenderUnavailable", message: rendered.message };
    case "invalid":
      if (update && service.status?.attemptedDigest === rendered.inputDigest) return watching(seen, limits);
      return { kind: "fail", reason: rendered.reason, message: rendered.message, update };
    case "documents":
      break;
  }
  if (namespace.kind === "terminating") {
    return {
      kind: "wait",
      reason: "NamespaceTerminating",
      message: `namespace ${service.spec.namespace ?? ""} is terminating`,
      afterMs: NAMESPACE_WAIT_MS,
    };
  }
  if (namespace.kind === "active" && namespace.owner === "other") {
    return {
      kind: "fail",
      reason: "NamespaceTaken",
      message: `namespace ${service.spec.namespace ?? ""} belongs to another MiniService; choose another spec.namespace`,
      update,
    };
  }
  const { config } = rendered.documents.control;
  const stored = service.spec.workloadConfig;
  const settledConfig = config === null ? stored === undefined : sameWorkloadConfig(config, stored);
  const installed = service.status?.installedDigest === rendered.inputDigest;
  if (!settledConfig && (!update || installed)) return { kind: "saveWorkloadConfig", config };
  if (!installed || namespace.kind === "absent") return install(seen, update, installed);
  return watching(seen, limits);
}

/** Everything is applied in one pass; the chart waits until the worker's init containers have ended. */
function install({ service, worker }: Observation, update: boolean, again: boolean): Plan {
  const next = (service.status?.installedRevision ?? 0) + (again ? 0 : 1);
  const revision = update ? next : (service.status?.revision ?? 0);
  const around: readonly InstallStep[] = ["namespace", "fences", "worker"];
  if (worker.kind === "present" && worker.health.state === "bad") {
    return {
      kind: "fail",
      reason: "UnexpectedInstallError",
      message: `utils pod is ${worker.health.status}: ${worker.health.reason}`,
      update,
    };
  }
  if (!update && (worker.kind === "absent" || !worker.initialized)) {
    return { kind: "install", steps: around, revision, update, waitsFor: "the init containers of Pod utils" };
  }
  return { kind: "install", steps: [...around, "workload", "revision"], revision, update, waitsFor: undefined };
}

function watching(seen: Observation, limits: Limits): Plan {
  const verdict = healthVerdict(seen, limits, isFlagSet(seen.service.spec.workloadConfig, STATUS_BY_WORKER_READINESS));
  if (seen.worker.kind === "absent" && seen.namespace.kind === "active") return { kind: "restoreWorker", verdict };
  return { kind: "watch", verdict };
}

function cleanUp({ finalized, namespace }: Observation): Plan {
  if (!finalized) return { kind: "parked" };
  if (namespace.kind === "absent" || (namespace.kind === "active" && namespace.owner !== "us"))
    return { kind: "removeFinalizer" };
  return { kind: "cleanUp" };
}

function reject(reason: string, message: string): Plan {
  return { kind: "reject", reason, message };
}

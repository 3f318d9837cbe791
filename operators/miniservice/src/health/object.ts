import { getOwn, getPath, isArray, isObject, type JsonObject } from "@fairlead/base";
import type { kinds } from "@fairlead/client";

import type { Limits } from "../limits.js";
import { gvkOf, nameOf } from "../render/documents.js";
import { podHealth } from "./pod.js";

/** How one object stands, with the objects that it owns. */
export interface ObjectHealth {
  /** `apps/v1.Deployment web`. */
  readonly id: string;
  readonly status: string;
  readonly reason: string;
  readonly state: "good" | "pending" | "scheduling" | "bad";
  readonly events: readonly { readonly reason: string; readonly message: string; readonly error: boolean }[];
  readonly children: readonly ObjectHealth[];
}

/** A live object and what belongs to it, as observation found them. */
export interface ObservedObject {
  /** The live object; undefined when it is not in the cluster. */
  readonly live: JsonObject | undefined;
  /** The rendered one. */
  readonly wanted: JsonObject;
  readonly children: readonly ObservedObject[];
  /** Warnings about it, oldest first, each message once. */
  readonly events: readonly { readonly reason: string; readonly message: string }[];
  /** A pod that no rendered object stands for; it counts only when it is stuck. */
  readonly swept?: boolean;
}

export interface HealthContext {
  readonly nowMs: number;
  readonly limits: Limits;
}

type Verdict = Pick<ObjectHealth, "status" | "reason" | "state">;

const ERROR_EVENTS = new Set(["FailedCreate", "FailedUpdate", "ReplicaSetCreateError"]);

/** An object's health by the rules of its kind; warnings that tell of failure make a good object bad. */
export function objectHealth(seen: ObservedObject, context: HealthContext): ObjectHealth {
  const id = idOf(seen.wanted);
  const children = seen.children.map((child) => objectHealth(child, context));
  const verdict =
    seen.live === undefined
      ? bad("not-found", `${kindName(seen.wanted)} ${JSON.stringify(nameOf(seen.wanted))} not found`)
      : verdictOf(seen.live, children, context);
  const events = seen.events.map((e) => ({
    ...e,
    error: ERROR_EVENTS.has(e.reason) || e.message.includes("forbidden:"),
  }));
  if (
    (verdict.state === "pending" || verdict.state === "scheduling") &&
    events.some((e) => e.error) &&
    !children.some((c) => c.state === "good")
  ) {
    return { id, status: "failed", reason: "terminal error event(s)", state: "bad", events, children };
  }
  return { id, ...verdict, events, children };
}

/** Rules by kind; a kind without one exists and, where it has conditions, has not failed. */
function verdictOf(live: JsonObject, children: readonly ObjectHealth[], context: HealthContext): Verdict {
  const { group, kind } = gvkOf(live);
  switch (group === "" ? kind : `${group}/${kind}`) {
    case "Pod":
      return podHealth(live as unknown as kinds.Pod, context);
    case "apps/Deployment":
      return deployment(live, children);
    case "apps/ReplicaSet":
      return replicaSet(live, children);
    case "apps/DaemonSet":
      return daemonSet(live, children);
    case "apps/StatefulSet":
      return statefulSet(live, children);
    case "batch/Job":
      return job(live, children);
    case "batch/CronJob":
      return good(`Jobs scheduled at ${String(getPath(live, "status", "lastScheduleTime") ?? "<none>")}`);
    case "PersistentVolumeClaim":
      return getPath(live, "status", "phase") === "Lost"
        ? bad("failed", "the claim has lost its volume")
        : good(NO_HANDLER);
    default:
      return byConditions(live);
  }
}

const NO_HANDLER = "No status handler, assuming object is functioning as expected";

function deployment(live: JsonObject, children: readonly ObjectHealth[]): Verdict {
  const reasons = new Set<string>();
  for (const c of conditionsOf(live)) {
    const reason = String(c["reason"] ?? "");
    if (
      reason === "ProgressDeadlineExceeded" ||
      (c["type"] === "ReplicaFailure" && c["status"] === "True") ||
      (c["type"] === "Progressing" && c["status"] === "False")
    ) {
      reasons.add(reason === "" ? String(c["type"]) : reason);
    }
  }
  if (reasons.size > 0) return bad("failed", [...reasons].sort().join(","));
  return replicas(live, children, number(live, "spec", "replicas") ?? 1);
}

function replicaSet(live: JsonObject, children: readonly ObjectHealth[]): Verdict {
  const failure = conditionsOf(live).find((c) => c["type"] === "ReplicaFailure" && c["status"] === "True");
  if (failure !== undefined) return bad("failed", String(failure["reason"] ?? "ReplicaFailure"));
  return replicas(live, children, number(live, "spec", "replicas") ?? 1);
}

function statefulSet(live: JsonObject, children: readonly ObjectHealth[]): Verdict {
  return replicas(live, children, number(live, "spec", "replicas") ?? 1);
}

/** Like a ReplicaSet, with as many replicas as there are nodes for it. A set that nobody has looked at yet waits. */
function daemonSet(live: JsonObject, children: readonly ObjectHealth[]): Verdict {
  const observed = number(live, "status", "observedGeneration") ?? 0;
  if (observed < (number(live, "metadata", "generation") ?? 0))
    return { status: "starting", reason: "", state: "pending" };
  const wanted = number(live, "status", "desiredNumberScheduled") ?? 0;
  const available = number(live, "status", "numberAvailable") ?? number(live, "status", "numberReady") ?? 0;
  if (available >= wanted) return { status: "running", reason: "", state: "good" };
  const scheduling =
    children.some((c) => c.state === "scheduling") || (number(live, "status", "currentNumberScheduled") ?? 0) < wanted;
  return scheduling
    ? { status: "scheduling", reason: "", state: "scheduling" }
    : { status: "starting", reason: "", state: "pending" };
}

function replicas(live: JsonObject, children: readonly ObjectHealth[], wanted: number): Verdict {
  const observed = number(live, "status", "observedGeneration") ?? 0;
  const current = observed >= (number(live, "metadata", "generation") ?? 0);
  const available = current ? (number(live, "status", "availableReplicas") ?? 0) : 0;
  if (current && available >= wanted) return { status: "running", reason: "", state: "good" };
  const scheduling = anyScheduling(children) || (number(live, "status", "replicas") ?? 0) < wanted;
  const reason = `${available} of ${wanted} available`;
  return scheduling
    ? { status: "scheduling", reason, state: "scheduling" }
    : { status: "starting", reason, state: "pending" };
}

function anyScheduling(children: readonly ObjectHealth[]): boolean {
  return children.some((c) => c.state === "scheduling" || anyScheduling(c.children));
}

function job(live: JsonObject, children: readonly ObjectHealth[]): Verdict {
  const conditions = conditionsOf(live);
  const failure = conditions.find((c) => c["type"] === "Failed" && c["status"] === "True");
  if (failure !== undefined) return bad("failed", String(failure["reason"] ?? ""));
  if (
    getPath(live, "status", "completionTime") !== undefined ||
    conditions.some((c) => c["type"] === "Complete" && c["status"] === "True")
  )
    return good("");
  if (getPath(live, "spec", "suspend") === true) return good("suspended");
  const scheduling = anyScheduling(children) || (number(live, "status", "active") ?? 0) <= 0;
  if (!scheduling && getPath(live, "metadata", "labels", "task-id") !== undefined)
    return good("not waiting for task Job to complete");
  return { status: scheduling ? "scheduling" : "starting", reason: "", state: scheduling ? "scheduling" : "pending" };
}

const FAILED_CONDITIONS = new Set(["Failed", "Failure", "Degraded", "Stalled"]);

/** A kind that nobody knows: it exists; a condition that says it has failed is believed. */
function byConditions(live: JsonObject): Verdict {
  const failure = conditionsOf(live).find((c) => FAILED_CONDITIONS.has(String(c["type"])) && c["status"] === "True");
  if (failure !== undefined) return bad("failed", String(failure["reason"] ?? failure["type"]));
  return good(NO_HANDLER);
}

export function conditionsOf(live: JsonObject): readonly JsonObject[] {
  const conditions = getPath(live, "status", "conditions");
  return isArray(conditions) ? conditions.filter((c): c is JsonObject => isObject(c)) : [];
}

function number(object: JsonObject, ...path: readonly string[]): number | undefined {
  const value = getPath(object, ...path);
  return typeof value === "number" ? value : undefined;
}

/** `v1.Pod name`. */
export function idOf(object: JsonObject): string {
  return `${String(getOwn(object, "apiVersion"))}.${String(getOwn(object, "kind"))} ${nameOf(object)}`;
}

function kindName(object: JsonObject): string {
  return String(getOwn(object, "kind"));
}

function good(reason: string): Verdict {
  return { status: "succeeded", reason, state: "good" };
}

function bad(status: string, reason: string): Verdict {
  return { status, reason, state: "bad" };
}

const STUCK: ReadonlySet<string> = new Set(["image-pull-issues", "container-stuck", "init-container-stuck"]);

/** The health of all objects; swept pods only where they are stuck. */
export function healthOf(objects: readonly ObservedObject[], context: HealthContext): readonly ObjectHealth[] {
  return objects.flatMap((object) => {
    const health = objectHealth(object, context);
    return object.swept === true && !(health.state === "bad" && STUCK.has(health.status)) ? [] : [health];
  });
}

import { formatTime, messageOf, parseTime } from "@fairlead/base";
import { isStatus } from "@fairlead/apimachinery";
import { kinds, removeFinalizer } from "@fairlead/client";
import { after, defineController, settled, type Context, type ControllerDefinition, type Outcome } from "@fairlead/runtime";

import { isNamespaceGoing } from "./replica-set.js";
import { controlled, controllerReference, isActive, isReady, podFrom, writeStatus } from "./pods.js";

const TRACKING = "batch.kubernetes.io/job-tracking";
/** A merge needs nulls to empty what it merges into. */
const NONE_UNCOUNTED = { succeeded: null, failed: null };

/** Runs pods until enough of them have succeeded, or too many failed. */
export function jobController(): ControllerDefinition {
  return defineController<kinds.Job>({
    name: "job-controller",
    fieldManager: "kube-controller-manager",
    for: kinds.Job,
    owns: [kinds.Pod],
    reconcile: reconcileJob,
  });
}

async function reconcileJob(job: kinds.Job, ctx: Context<kinds.Job>): Promise<Outcome> {
  const pods = controlled(ctx.store(kinds.Pod), job);
  if (job.metadata.deletionTimestamp !== undefined || isEnded(job)) {
    for (const pod of pods.filter(isTracked)) await release(pod, ctx);
    return job.metadata.deletionTimestamp === undefined ? timeToLive(job, ctx) : settled();
  }
  if (job.spec?.suspend === true) return suspend(job, pods, ctx);
  const counted = await count(job, pods, ctx);
  const completions = job.spec?.completions ?? undefined;
  const { succeeded, failed } = counted;
  const active = pods.filter(isActive);
  const complete = completions === undefined ? succeeded > 0 && active.length === 0 : succeeded >= completions;
  const exceeded = failed > (job.spec?.backoffLimit ?? 6);
  const now = formatTime(ctx.clock.now());
  const startTime = job.status?.startTime ?? now;
  const overdue = job.spec?.activeDeadlineSeconds !== undefined && ctx.clock.now() - (parseTime(startTime) ?? 0) >= job.spec.activeDeadlineSeconds * 1000;
  if (complete) {
    const why = ["CompletionsReached", "Reached expected number of succeeded pods"] as const;
    await finish(job, ctx, { succeeded, failed, startTime, conditions: [condition("SuccessCriteriaMet", why, now), condition("Complete", why, now)], completionTime: now });
    ctx.event({ type: "Normal", reason: "Completed", message: "Job completed" });
    return timeToLive(job, ctx);
  }
  if (exceeded || overdue) {
    const why = overdue ? (["DeadlineExceeded", "Job was active longer than specified deadline"] as const) : (["BackoffLimitExceeded", "Job has reached the specified backoff limit"] as const);
    for (const pod of active) await ctx.client.api(kinds.Pod).deleteObject(pod, { signal: ctx.signal }).ignoreError("it may be gone already");
    await finish(job, ctx, { succeeded, failed: failed + active.length, startTime, conditions: [condition("FailureTarget", why, now), condition("Failed", why, now)] });
    ctx.event({ type: "Warning", reason: why[0], message: why[1] });
    return timeToLive(job, ctx);
  }
  const left = completions === undefined ? (succeeded > 0 ? 0 : (job.spec?.parallelism ?? 1)) : Math.min(job.spec?.parallelism ?? 1, completions - succeeded);
  const created = await create(job, Math.max(0, left - active.length), { failed, active: active.length }, ctx);
  await writeStatus(ctx, job, {
    active: active.length + created || undefined,
    ready: active.filter(isReady).length,
    succeeded: succeeded || undefined,
    failed: failed || undefined,
    startTime,
    uncountedTerminatedPods: NONE_UNCOUNTED,
    terminating: pods.filter((p) => p.metadata.deletionTimestamp !== undefined).length,
  });
  return job.spec?.activeDeadlineSeconds === undefined ? settled() : after(1000);
}

function isTracked(pod: kinds.Pod): boolean {
  return pod.metadata.finalizers?.includes(TRACKING) === true;
}

async function release(pod: kinds.Pod, ctx: Context<kinds.Job>): Promise<void> {
  await removeFinalizer(ctx.client.api(kinds.Pod), pod, TRACKING, { signal: ctx.signal });
}

interface Uncounted {
  readonly succeeded?: readonly string[];
  readonly failed?: readonly string[];
}

/**
 * Counts pods that have ended, each exactly once whatever happens in between: their uids go into the status first, then
 * the finalizer comes off that has kept them, and then the uids turn into numbers.
 */
async function count(job: kinds.Job, pods: readonly kinds.Pod[], ctx: Context<kinds.Job>): Promise<{ readonly succeeded: number; readonly failed: number }> {
  const before = (job.status?.uncountedTerminatedPods ?? {}) as Uncounted;
  const known = new Set([...(before.succeeded ?? []), ...(before.failed ?? [])]);
  const succeeded = [...(before.succeeded ?? [])];
  const failed = [...(before.failed ?? [])];
  const ended = pods.filter((p) => isTracked(p) && (p.status?.phase === "Succeeded" || p.status?.phase === "Failed" || p.metadata.deletionTimestamp !== undefined));
  for (const pod of ended) {
    const uid = pod.metadata.uid ?? "";
    if (!known.has(uid)) (pod.status?.phase === "Succeeded" ? succeeded : failed).push(uid);
  }
  if (succeeded.length + failed.length > known.size) {
    const uncounted = { ...(succeeded.length === 0 ? {} : { succeeded }), ...(failed.length === 0 ? {} : { failed }) };
    await ctx.status({ uncountedTerminatedPods: uncounted, startTime: job.status?.startTime ?? formatTime(ctx.clock.now()) } as never);
  }
  for (const pod of ended) await release(pod, ctx);
  return { succeeded: (job.status?.succeeded ?? 0) + succeeded.length, failed: (job.status?.failed ?? 0) + failed.length };
}

async function create(job: kinds.Job, count: number, { failed, active }: { readonly failed: number; readonly active: number }, ctx: Context<kinds.Job>): Promise<number> {
  let created = 0;
  const indexed = job.spec?.completionMode === "Indexed";
  for (let i = 0; i < count; i++) {
    const annotations = indexed ? { annotations: { "batch.kubernetes.io/job-completion-index": String((job.status?.succeeded ?? 0) + failed + active + i) } } : {};
    try {
      const pod = await ctx.client.api(kinds.Pod).create(
        podFrom(job.spec?.template, { owner: controllerReference(job, kinds.Job), namespace: job.metadata.namespace ?? "", name: { generateName: `${job.metadata.name}-` }, finalizers: [TRACKING], ...annotations }),
        { signal: ctx.signal },
      );
      created++;
      ctx.event({ type: "Normal", reason: "SuccessfulCreate", message: `Created pod: ${pod.metadata.name}` });
    } catch (error) {
      if (!isStatus(error)) throw error;
      if (isNamespaceGoing(error)) return created;
      ctx.event({ type: "Warning", reason: "FailedCreate", message: `Error creating: ${messageOf(error)}` });
      throw error;
    }
  }
  return created;
}

async function suspend(job: kinds.Job, pods: readonly kinds.Pod[], ctx: Context<kinds.Job>): Promise<Outcome> {
  for (const pod of pods.filter(isActive)) await ctx.client.api(kinds.Pod).deleteObject(pod, { signal: ctx.signal }).ignoreError("it may be gone already");
  const before = job.status?.conditions?.find((c) => c.type === "Suspended");
  if (before?.status !== "True") {
    await writeStatus(ctx, job, { active: undefined, conditions: [...(job.status?.conditions ?? []).filter((c) => c.type !== "Suspended"), condition("Suspended", ["JobSuspended", "Job suspended"], formatTime(ctx.clock.now()))] });
    ctx.event({ type: "Normal", reason: "Suspended", message: "Job suspended" });
  }
  return settled();
}

interface End {
  readonly succeeded: number;
  readonly failed: number;
  readonly startTime: string;
  readonly completionTime?: string;
  readonly conditions: readonly unknown[];
}

async function finish(job: kinds.Job, ctx: Context<kinds.Job>, { succeeded, failed, startTime, completionTime, conditions }: End): Promise<void> {
  await writeStatus(ctx, job, {
    active: undefined,
    ready: 0,
    succeeded: succeeded || undefined,
    failed: failed || undefined,
    startTime,
    ...(completionTime === undefined ? {} : { completionTime }),
    terminating: 0,
    uncountedTerminatedPods: NONE_UNCOUNTED,
    conditions,
  });
}

function condition(type: string, [reason, message]: readonly [reason: string, message: string], now: string): unknown {
  return { type, status: "True", reason, message, lastProbeTime: now, lastTransitionTime: now };
}

function isEnded(job: kinds.Job): boolean {
  return job.status?.conditions?.some((c) => (c.type === "Complete" || c.type === "Failed") && c.status === "True") === true;
}

/** Ended jobs with a time to live are deleted when it is over. */
async function timeToLive(job: kinds.Job, ctx: Context<kinds.Job>): Promise<Outcome> {
  const ttl = job.spec?.ttlSecondsAfterFinished;
  if (ttl === undefined) return settled();
  const ended = job.status?.conditions?.find((c) => (c.type === "Complete" || c.type === "Failed") && c.status === "True");
  const left = (parseTime(ended?.lastTransitionTime) ?? ctx.clock.now()) + ttl * 1000 - ctx.clock.now();
  if (left > 0) return after(left);
  await ctx.client.api(kinds.Job).deleteObject(job, { propagation: "foreground", signal: ctx.signal }).ignoreError("it may be gone already");
  return settled();
}

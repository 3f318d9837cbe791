import { formatTime, messageOf, parseTime } from "@fairlead/base";
import { isStatus } from "@fairlead/apimachinery";
import { kinds, removeFinalizer } from "@fairlead/client";
import { after, defineController, settled, type Context, type ControllerDefinition, type Outcome } from "@fairlead/runtime";

import { isNamespaceGoing } from "./replica-set.js";
import { controlled, controllerReference, isActive, isReady, podFrom, writeStatus } from "./pods.js";

const TRACKING = "batch.kubernetes.io/job-tracking";

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
  const counted = await release(pods, ctx);
  if (job.metadata.deletionTimestamp !== undefined) return settled();
  if (isEnded(job)) return timeToLive(job, ctx);
  if (job.spec?.suspend === true) return suspend(job, pods, ctx);
  const completions = job.spec?.completions ?? undefined;
  const succeeded = (job.status?.succeeded ?? 0) + counted.succeeded;
  const failed = (job.status?.failed ?? 0) + counted.failed;
  const active = pods.filter(isActive);
  const complete = completions === undefined ? succeeded > 0 && active.length === 0 : succeeded >= completions;
  const exceeded = failed > (job.spec?.backoffLimit ?? 6);
  const now = formatTime(ctx.clock.now());
  const startTime = job.status?.startTime ?? now;
  const overdue = job.spec?.activeDeadlineSeconds !== undefined && ctx.clock.now() - (parseTime(startTime) ?? 0) >= job.spec.activeDeadlineSeconds * 1000;
  if (complete) {
    await finish(job, ctx, { succeeded, failed, startTime, conditions: [condition("SuccessCriteriaMet", "CompletionsReached", "Reached expected number of succeeded pods", now), condition("Complete", "CompletionsReached", "Reached expected number of succeeded pods", now)], completionTime: now });
    ctx.event({ type: "Normal", reason: "Completed", message: "Job completed" });
    return timeToLive(job, ctx);
  }
  if (exceeded || overdue) {
    const [reason, message] = overdue ? ["DeadlineExceeded", "Job was active longer than specified deadline"] : ["BackoffLimitExceeded", "Job has reached the specified backoff limit"];
    for (const pod of active) await ctx.client.api(kinds.Pod).deleteObject(pod, { signal: ctx.signal }).ignoreError("it may be gone already");
    await finish(job, ctx, { succeeded, failed: failed + active.length, startTime, conditions: [condition("FailureTarget", reason, message, now), condition("Failed", reason, message, now)] });
    ctx.event({ type: "Warning", reason, message });
    return timeToLive(job, ctx);
  }
  const left = completions === undefined ? (succeeded > 0 ? 0 : (job.spec?.parallelism ?? 1)) : Math.min(job.spec?.parallelism ?? 1, completions - succeeded);
  const created = await create(job, Math.max(0, left - active.length), { failed, active: active.length }, ctx);
  await writeStatus(ctx, job, { active: active.length + created || undefined, ready: active.filter(isReady).length, succeeded: succeeded || undefined, failed: failed || undefined, startTime, uncountedTerminatedPods: {}, terminating: pods.filter((p) => p.metadata.deletionTimestamp !== undefined).length });
  return job.spec?.activeDeadlineSeconds === undefined ? settled() : after(1000);
}

/** Counts pods that have ended, by taking the finalizer off that kept them for counting. */
async function release(pods: readonly kinds.Pod[], ctx: Context<kinds.Job>): Promise<{ readonly succeeded: number; readonly failed: number }> {
  let succeeded = 0;
  let failed = 0;
  for (const pod of pods) {
    if (pod.metadata.finalizers?.includes(TRACKING) !== true) continue;
    const ended = pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
    if (!ended && pod.metadata.deletionTimestamp === undefined) continue;
    await removeFinalizer(ctx.client.api(kinds.Pod), pod, TRACKING, { signal: ctx.signal });
    if (pod.status?.phase === "Succeeded") succeeded++;
    else failed++;
  }
  return { succeeded, failed };
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
    await writeStatus(ctx, job, { active: undefined, conditions: [...(job.status?.conditions ?? []).filter((c) => c.type !== "Suspended"), condition("Suspended", "JobSuspended", "Job suspended", formatTime(ctx.clock.now()))] });
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
    uncountedTerminatedPods: {},
    conditions,
  });
}

function condition(type: string, reason: string, message: string, now: string): unknown {
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

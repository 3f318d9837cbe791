import { formatTime, messageOf, parseTime } from "@fairlead/base";
import { isStatus, keyOf } from "@fairlead/apimachinery";
import { kinds, removeFinalizer } from "@fairlead/client";
import {
  after,
  defineController,
  settled,
  watch,
  type Context,
  type ControllerDefinition,
  type Outcome,
} from "@fairlead/runtime";

import { COMPLETION_INDEX, completionIndex, formatIndexes, missingIndexes, parseIndexes } from "./job-indexes.js";
import { claim, orphansOf } from "./claim.js";
import { isNamespaceGoing } from "./replica-set.js";
import { controlled, controllerReference, isActive, isReady, podFrom, writeStatus, type PodOptions } from "./pods.js";

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
    watches: [orphansOf(kinds.Job, kinds.Pod)],
    reconcile: reconcileJob,
  });
}

/** Pods of jobs that are gone are let go. */
export function orphanedJobPods(): ControllerDefinition {
  return defineController<kinds.Pod>({
    name: "job-pod-release",
    fieldManager: "kube-controller-manager",
    for: kinds.Pod,
    reads: [kinds.Job],
    predicate: ({ object }) => isTracked(object),
    watches: [watch(kinds.Job, (job, stores) => controlled(stores.store(kinds.Pod), job).map((pod) => keyOf(pod)))],
    reconcile: async (pod, ctx) => {
      const owner = pod.metadata.ownerReferences?.find((r) => r.controller === true);
      if (!isTracked(pod) || (owner !== undefined && owner.kind !== "Job")) return settled();
      const { namespace = "" } = pod.metadata;
      const key = { namespace, name: owner?.name ?? "" };
      const isThere = (job: kinds.Job | undefined): boolean => job !== undefined && job.metadata.uid === owner?.uid;
      if (owner !== undefined && isThere(ctx.store(kinds.Job).get(key))) return settled();
      // The cache may not have a job yet whose pods it knows already.
      if (owner !== undefined && isThere(await ctx.client.api(kinds.Job).find(key, { signal: ctx.signal })))
        return settled();
      await removeFinalizer(ctx.client.api(kinds.Pod), pod, TRACKING, { signal: ctx.signal });
      return settled();
    },
  });
}

async function reconcileJob(job: kinds.Job, ctx: Context<kinds.Job>): Promise<Outcome> {
  await claim(job, { owner: kinds.Job, claimed: kinds.Pod }, ctx);
  const pods = controlled(ctx.store(kinds.Pod), job);
  if (job.metadata.deletionTimestamp !== undefined || isEnded(job)) {
    for (const pod of pods.filter(isTracked)) await release(pod, ctx);
    return job.metadata.deletionTimestamp === undefined ? timeToLive(job, ctx) : settled();
  }
  if (job.spec?.suspend === true) return suspend(job, pods, ctx);
  const counted = await count(job, pods, ctx);
  const completions = job.spec?.completions ?? undefined;
  const { succeeded, failed, indexes } = counted;
  const active = pods.filter(isActive);
  const complete = completions === undefined ? succeeded > 0 && active.length === 0 : succeeded >= completions;
  const exceeded = failed > (job.spec?.backoffLimit ?? 6);
  const now = formatTime(ctx.clock.now());
  const startTime = job.status?.startTime ?? now;
  const overdue =
    job.spec?.activeDeadlineSeconds !== undefined &&
    ctx.clock.now() - (parseTime(startTime) ?? 0) >= job.spec.activeDeadlineSeconds * 1000;
  if (complete) {
    const why = ["CompletionsReached", "Reached expected number of succeeded pods"] as const;
    await finish(job, ctx, {
      succeeded,
      failed,
      startTime,
      ...completed(indexes),
      conditions: [condition("SuccessCriteriaMet", why, now), condition("Complete", why, now)],
      completionTime: now,
    });
    ctx.event({ type: "Normal", reason: "Completed", message: "Job completed" });
    return timeToLive(job, ctx);
  }
  if (exceeded || overdue) {
    const why = overdue
      ? (["DeadlineExceeded", "Job was active longer than specified deadline"] as const)
      : (["BackoffLimitExceeded", "Job has reached the specified backoff limit"] as const);
    for (const pod of active)
      await ctx.client.api(kinds.Pod).deleteObject(pod, { signal: ctx.signal }).ignoreError("it may be gone already");
    await finish(job, ctx, {
      succeeded,
      failed: failed + active.length,
      startTime,
      ...completed(indexes),
      conditions: [condition("FailureTarget", why, now), condition("Failed", why, now)],
    });
    ctx.event({ type: "Warning", reason: why[0], message: why[1] });
    return timeToLive(job, ctx);
  }
  const left =
    completions === undefined
      ? succeeded > 0
        ? 0
        : (job.spec?.parallelism ?? 1)
      : Math.min(job.spec?.parallelism ?? 1, completions - succeeded);
  const wanted = Math.max(0, left - active.length);
  const created = await create(job, podsToCreate(job, wanted, { active, indexes }), ctx);
  await writeStatus(ctx, job, {
    active: active.length + created || undefined,
    ready: active.filter(isReady).length,
    succeeded: succeeded || undefined,
    failed: failed || undefined,
    ...completed(indexes),
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

interface Counted {
  readonly succeeded: number;
  readonly failed: number;
  /** Of an Indexed job: the indexes that have succeeded. */
  readonly indexes?: ReadonlySet<number>;
}

/**
 * Counts pods that have ended, each exactly once whatever happens in between: their uids go into the status first, then
 * the finalizer comes off that has kept them, and then the uids turn into numbers. Successes of an Indexed job need no
 * uids, since an index counts once however often it succeeds.
 */
async function count(job: kinds.Job, pods: readonly kinds.Pod[], ctx: Context<kinds.Job>): Promise<Counted> {
  const before = job.status?.uncountedTerminatedPods ?? {};
  const known = new Set([...(before.succeeded ?? []), ...(before.failed ?? [])]);
  const succeeded = [...(before.succeeded ?? [])];
  const failed = [...(before.failed ?? [])];
  const completions = job.spec?.completionMode === "Indexed" ? (job.spec.completions ?? 0) : undefined;
  const indexes = new Set(completions === undefined ? [] : parseIndexes(job.status?.completedIndexes, completions));
  const ended = pods.filter(
    (p) =>
      isTracked(p) &&
      (p.status?.phase === "Succeeded" || p.status?.phase === "Failed" || p.metadata.deletionTimestamp !== undefined),
  );
  for (const pod of ended) {
    const uid = pod.metadata.uid ?? "";
    if (known.has(uid)) continue;
    const index = completions === undefined ? undefined : completionIndex(pod, completions);
    if (pod.status?.phase !== "Succeeded") failed.push(uid);
    else if (completions === undefined) succeeded.push(uid);
    else if (index !== undefined) indexes.add(index);
  }
  const completedIndexes = formatIndexes(indexes);
  if (succeeded.length + failed.length > known.size || completedIndexes !== (job.status?.completedIndexes ?? "")) {
    const uncountedTerminatedPods = {
      ...(succeeded.length === 0 ? {} : { succeeded }),
      ...(failed.length === 0 ? {} : { failed }),
    };
    await ctx.status({
      uncountedTerminatedPods,
      ...completed(indexes),
      startTime: job.status?.startTime ?? formatTime(ctx.clock.now()),
    });
  }
  for (const pod of ended) await release(pod, ctx);
  const numbers = { failed: (job.status?.failed ?? 0) + failed.length };
  return completions === undefined
    ? { ...numbers, succeeded: (job.status?.succeeded ?? 0) + succeeded.length }
    : { ...numbers, succeeded: indexes.size, indexes };
}

function completed(indexes: ReadonlySet<number> | undefined): { readonly completedIndexes?: string } {
  return indexes === undefined || indexes.size === 0 ? {} : { completedIndexes: formatIndexes(indexes) };
}

/** An entry for each pod to create; its index, of an Indexed job. */
function podsToCreate(
  job: kinds.Job,
  count: number,
  { active, indexes }: { readonly active: readonly kinds.Pod[]; readonly indexes: ReadonlySet<number> | undefined },
): readonly (number | undefined)[] {
  if (indexes === undefined) return Array.from({ length: count }, () => undefined);
  const completions = job.spec?.completions ?? 0;
  const running = active.map((pod) => completionIndex(pod, completions)).filter((index) => index !== undefined);
  return missingIndexes(new Set([...indexes, ...running]), completions, count);
}

async function create(
  job: kinds.Job,
  wanted: readonly (number | undefined)[],
  ctx: Context<kinds.Job>,
): Promise<number> {
  let created = 0;
  const { name } = job.metadata;
  const common = {
    owner: controllerReference(job, kinds.Job),
    namespace: job.metadata.namespace ?? "",
    finalizers: [TRACKING],
  };
  for (const index of wanted) {
    const own = index === undefined ? { name: { generateName: `${name}-` } } : ofIndex(name, index);
    try {
      const pod = await ctx.client
        .api(kinds.Pod)
        .create(podFrom(job.spec?.template, { ...common, ...own }), { signal: ctx.signal });
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

/** What tells a pod its index: its name, host name, label, annotation, and a variable in every container. */
function ofIndex(job: string, index: number): Pick<PodOptions, "name" | "labels" | "annotations" | "spec"> {
  const mark = { [COMPLETION_INDEX]: String(index) };
  const env = {
    name: "JOB_COMPLETION_INDEX",
    valueFrom: { fieldRef: { fieldPath: `metadata.labels['${COMPLETION_INDEX}']` } },
  };
  const withIndex = (container: kinds.Container): kinds.Container => ({
    ...container,
    env: [...(container.env ?? []), env],
  });
  return {
    name: { generateName: `${job}-${index}-` },
    labels: mark,
    annotations: mark,
    spec: (spec) => ({
      ...spec,
      hostname: `${job}-${index}`,
      containers: spec.containers.map(withIndex),
      ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(withIndex) }),
    }),
  };
}

async function suspend(job: kinds.Job, pods: readonly kinds.Pod[], ctx: Context<kinds.Job>): Promise<Outcome> {
  for (const pod of pods.filter(isActive))
    await ctx.client.api(kinds.Pod).deleteObject(pod, { signal: ctx.signal }).ignoreError("it may be gone already");
  const before = job.status?.conditions?.find((c) => c.type === "Suspended");
  if (before?.status !== "True") {
    await writeStatus(ctx, job, {
      active: undefined,
      conditions: [
        ...(job.status?.conditions ?? []).filter((c) => c.type !== "Suspended"),
        condition("Suspended", ["JobSuspended", "Job suspended"], formatTime(ctx.clock.now())),
      ],
    });
    ctx.event({ type: "Normal", reason: "Suspended", message: "Job suspended" });
  }
  return settled();
}

interface End {
  readonly succeeded: number;
  readonly failed: number;
  readonly startTime: string;
  readonly completionTime?: string;
  readonly completedIndexes?: string;
  readonly conditions: readonly unknown[];
}

async function finish(job: kinds.Job, ctx: Context<kinds.Job>, { succeeded, failed, ...end }: End): Promise<void> {
  await writeStatus(ctx, job, {
    active: undefined,
    ready: 0,
    succeeded: succeeded || undefined,
    failed: failed || undefined,
    terminating: 0,
    uncountedTerminatedPods: NONE_UNCOUNTED,
    ...end,
  });
}

function condition(type: string, [reason, message]: readonly [reason: string, message: string], now: string): unknown {
  return { type, status: "True", reason, message, lastProbeTime: now, lastTransitionTime: now };
}

function isEnded(job: kinds.Job): boolean {
  return (
    job.status?.conditions?.some((c) => (c.type === "Complete" || c.type === "Failed") && c.status === "True") === true
  );
}

/** Ended jobs with a time to live are deleted when it is over. */
async function timeToLive(job: kinds.Job, ctx: Context<kinds.Job>): Promise<Outcome> {
  const ttl = job.spec?.ttlSecondsAfterFinished;
  if (ttl === undefined) return settled();
  const ended = job.status?.conditions?.find(
    (c) => (c.type === "Complete" || c.type === "Failed") && c.status === "True",
  );
  const left = (parseTime(ended?.lastTransitionTime) ?? ctx.clock.now()) + ttl * 1000 - ctx.clock.now();
  if (left > 0) return after(left);
  await ctx.client
    .api(kinds.Job)
    .deleteObject(job, { propagation: "foreground", signal: ctx.signal })
    .ignoreError("it may be gone already");
  return settled();
}

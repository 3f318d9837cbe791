import { deepEqual, formatTime, parseTime } from "@fairlead/base";
import { isStatus } from "@fairlead/apimachinery";
import { kinds, scale, setAnnotations } from "@fairlead/client";
import {
  after,
  defineController,
  settled,
  type Context,
  type ControllerDefinition,
  type Outcome,
} from "@fairlead/runtime";

import { isNamespaceGoing } from "./replica-set.js";
import { controlled, controllerReference, templateHash, writeStatus, type ConditionInput } from "./pods.js";
import { maxSurge, maxUnavailable, scalePlan } from "./rollout.js";

const REVISION = "deployment.kubernetes.io/revision";
const HASH_LABEL = "pod-template-hash";

/** Keeps one ReplicaSet for a Deployment's template, and moves the replicas over to it. */
export function deploymentController(): ControllerDefinition {
  return defineController<kinds.Deployment>({
    name: "deployment-controller",
    fieldManager: "kube-controller-manager",
    for: kinds.Deployment,
    owns: [kinds.ReplicaSet],
    reads: [kinds.Pod],
    reconcile: reconcileDeployment,
  });
}

async function reconcileDeployment(deployment: kinds.Deployment, ctx: Context<kinds.Deployment>): Promise<Outcome> {
  const sets = controlled(ctx.store(kinds.ReplicaSet), deployment);
  if (deployment.metadata.deletionTimestamp !== undefined) {
    await status(deployment, ctx, { sets, current: currentSet(deployment, sets) });
    return settled();
  }
  const paused = deployment.spec?.paused === true;
  const found = currentSet(deployment, sets);
  let current = found;
  if (current === undefined && !paused) {
    current = await createSet(deployment, ctx, sets);
    if (current === undefined) return after(1000);
  }
  const all =
    current === undefined || sets.some((s) => s.metadata.uid === current.metadata.uid) ? sets : [...sets, current];
  if (current !== undefined) await annotateRevision(deployment, current, ctx, all);
  for (const { set, replicas } of scalePlan(deployment, all, current)) {
    const from = set.spec?.replicas ?? 0;
    if (from === replicas) continue;
    const { namespace = "", name } = set.metadata;
    await scale(ctx.client.api(kinds.ReplicaSet), { namespace, name }, replicas, { signal: ctx.signal });
    ctx.event({
      type: "Normal",
      reason: "ScalingReplicaSet",
      message: `Scaled ${replicas > from ? "up" : "down"} replica set ${name} from ${from} to ${replicas}`,
    });
  }
  if (current !== undefined) await removeOld(deployment, ctx, { all, current });
  const seen = controlled(ctx.store(kinds.ReplicaSet), deployment);
  return status(deployment, ctx, { sets: seen.length === 0 ? all : seen, current });
}

/** The set whose template is the Deployment's; of several the oldest. */
export function currentSet(
  deployment: kinds.Deployment,
  sets: readonly kinds.ReplicaSet[],
): kinds.ReplicaSet | undefined {
  const same = sets.filter((s) => deepEqual(withoutHash(s.spec?.template), withoutHash(deployment.spec?.template)));
  return [...same].sort((a, b) =>
    (a.metadata.creationTimestamp ?? "") < (b.metadata.creationTimestamp ?? "") ? -1 : 1,
  )[0];
}

function withoutHash(template: kinds.PodTemplateSpec | undefined): unknown {
  const { [HASH_LABEL]: _hash, ...labels } = template?.metadata?.labels ?? {};
  return { ...template, metadata: { ...template?.metadata, labels } };
}

/** Undefined when a set of that name exists and is not ours to use; the next look finds it. */
async function createSet(
  deployment: kinds.Deployment,
  ctx: Context<kinds.Deployment>,
  sets: readonly kinds.ReplicaSet[],
): Promise<kinds.ReplicaSet | undefined> {
  const { namespace = "", name, annotations = {} } = deployment.metadata;
  const hash = templateHash(deployment.spec?.template, deployment.status?.collisionCount ?? 0);
  const labels = { ...deployment.spec?.template?.metadata?.labels, [HASH_LABEL]: hash };
  const { "kubectl.kubernetes.io/last-applied-configuration": _applied, [REVISION]: _revision, ...kept } = annotations;
  const wanted = deployment.spec?.replicas ?? 1;
  const surge = wanted + maxSurge(deployment, wanted);
  const others = sets.reduce((n, s) => n + (s.spec?.replicas ?? 0), 0);
  const recreate = deployment.spec?.strategy?.type === "Recreate";
  const replicas = recreate
    ? others === 0 && !hasPods(ctx, sets)
      ? wanted
      : 0
    : Math.max(0, Math.min(wanted, surge - others));
  try {
    const made = await ctx.client.api(kinds.ReplicaSet).create(
      {
        metadata: {
          name: `${name}-${hash}`,
          namespace,
          labels,
          annotations: {
            ...kept,
            [REVISION]: String(nextRevision(sets)),
            "deployment.kubernetes.io/desired-replicas": String(wanted),
            "deployment.kubernetes.io/max-replicas": String(surge),
          },
          ownerReferences: [controllerReference(deployment, kinds.Deployment)],
        },
        spec: {
          replicas,
          ...(deployment.spec?.minReadySeconds === undefined
            ? {}
            : { minReadySeconds: deployment.spec.minReadySeconds }),
          selector: {
            ...deployment.spec?.selector,
            matchLabels: { ...deployment.spec?.selector?.matchLabels, [HASH_LABEL]: hash },
          },
          template: { ...deployment.spec?.template, metadata: { ...deployment.spec?.template?.metadata, labels } },
        },
      },
      { signal: ctx.signal },
    );
    if (replicas > 0)
      ctx.event({
        type: "Normal",
        reason: "ScalingReplicaSet",
        message: `Scaled up replica set ${made.metadata.name} from 0 to ${replicas}`,
      });
    return made;
  } catch (error) {
    if (isStatus(error, "AlreadyExists") || isNamespaceGoing(error)) return undefined;
    throw error;
  }
}

function hasPods(ctx: Context<kinds.Deployment>, sets: readonly kinds.ReplicaSet[]): boolean {
  const uids = new Set(sets.map((s) => s.metadata.uid));
  return ctx
    .store(kinds.Pod)
    .list()
    .some((p) => p.metadata.ownerReferences?.some((r) => uids.has(r.uid)) === true);
}

function revisionOf(set: kinds.ReplicaSet): number {
  return Number(set.metadata.annotations?.[REVISION] ?? 0);
}

function nextRevision(sets: readonly kinds.ReplicaSet[]): number {
  return Math.max(0, ...sets.map(revisionOf)) + 1;
}

/** The current set has the highest revision, and the Deployment says the same number. */
async function annotateRevision(
  deployment: kinds.Deployment,
  current: kinds.ReplicaSet,
  ctx: Context<kinds.Deployment>,
  sets: readonly kinds.ReplicaSet[],
): Promise<void> {
  const others = sets.filter((s) => s.metadata.uid !== current.metadata.uid);
  const revision = Math.max(
    revisionOf(current),
    others.length === 0
      ? 1
      : Math.max(...others.map(revisionOf)) < revisionOf(current)
        ? revisionOf(current)
        : nextRevision(others),
  );
  if (revisionOf(current) !== revision)
    await setAnnotations(
      ctx.client.api(kinds.ReplicaSet),
      keyOf(current),
      { [REVISION]: String(revision) },
      { signal: ctx.signal },
    );
  if (deployment.metadata.annotations?.[REVISION] !== String(revision))
    await setAnnotations(
      ctx.client.api(kinds.Deployment),
      keyOf(deployment),
      { [REVISION]: String(revision) },
      { signal: ctx.signal },
    );
}

function keyOf(object: kinds.Deployment | kinds.ReplicaSet): { readonly namespace: string; readonly name: string } {
  return { namespace: object.metadata.namespace ?? "", name: object.metadata.name };
}

/** Old sets beyond the history limit go, once they have no pods. */
async function removeOld(
  deployment: kinds.Deployment,
  ctx: Context<kinds.Deployment>,
  { all, current }: { all: readonly kinds.ReplicaSet[]; current: kinds.ReplicaSet },
): Promise<void> {
  const limit = deployment.spec?.revisionHistoryLimit ?? 10;
  const old = all
    .filter((s) => s.metadata.uid !== current.metadata.uid && s.metadata.deletionTimestamp === undefined)
    .sort((a, b) => revisionOf(a) - revisionOf(b));
  for (const set of old.slice(0, Math.max(0, old.length - limit))) {
    if ((set.spec?.replicas ?? 0) > 0 || (set.status?.replicas ?? 0) > 0) continue;
    await ctx.client
      .api(kinds.ReplicaSet)
      .deleteObject(set, { signal: ctx.signal })
      .ignoreError("it may be gone already");
  }
}

async function status(
  deployment: kinds.Deployment,
  ctx: Context<kinds.Deployment>,
  { sets, current }: { sets: readonly kinds.ReplicaSet[]; current: kinds.ReplicaSet | undefined },
): Promise<Outcome> {
  const sum = (of: (s: kinds.ReplicaSet) => number | undefined): number => sets.reduce((n, s) => n + (of(s) ?? 0), 0);
  const wanted = deployment.spec?.replicas ?? 1;
  const live = current === undefined ? undefined : sets.find((s) => s.metadata.uid === current.metadata.uid);
  const updated = live?.status?.replicas ?? 0;
  const replicas = sum((s) => s.status?.replicas);
  const ready = sum((s) => s.status?.readyReplicas);
  const available = sum((s) => s.status?.availableReplicas);
  const unavailable = Math.max(0, sum((s) => s.spec?.replicas) - available);
  const nowMs = ctx.clock.now();
  const progress = progressing(deployment, {
    live,
    complete: updated === wanted && replicas === wanted && available === wanted,
    nowMs,
  });
  const enough = available >= wanted - maxUnavailable(deployment, wanted);
  const availability: ConditionInput = enough
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
      };
  const failing = sets
    .flatMap((s) => s.status?.conditions ?? [])
    .find((c) => c.type === "ReplicaFailure" && c.status === "True");
  const failure: readonly ConditionInput[] =
    failing === undefined
      ? []
      : [{ type: "ReplicaFailure", status: "True", reason: failing.reason ?? "", message: failing.message ?? "" }];
  const conditions = merged(
    deployment,
    [availability, ...(progress === undefined ? [] : [progress]), ...failure],
    nowMs,
  );
  await writeStatus(ctx, deployment, {
    observedGeneration: deployment.metadata.generation ?? 1,
    replicas: replicas === 0 ? undefined : replicas,
    updatedReplicas: updated === 0 ? undefined : updated,
    readyReplicas: ready === 0 ? undefined : ready,
    availableReplicas: available === 0 ? undefined : available,
    unavailableReplicas: unavailable === 0 ? undefined : unavailable,
    terminatingReplicas: sum((s) => s.status?.terminatingReplicas),
    conditions,
  });
  if (progress?.reason === "ReplicaSetUpdated") return after(deadlineMs(deployment));
  return settled();
}

function deadlineMs(deployment: kinds.Deployment): number {
  return (deployment.spec?.progressDeadlineSeconds ?? 600) * 1000;
}

/** Whether the rollout goes on, is done, is paused, or has taken too long. */
function progressing(
  deployment: kinds.Deployment,
  { live, complete, nowMs }: { live: kinds.ReplicaSet | undefined; complete: boolean; nowMs: number },
): ConditionInput | undefined {
  const before = deployment.status?.conditions?.find((c) => c.type === "Progressing");
  const condition = (value: "True" | "False" | "Unknown", reason: string, message: string): ConditionInput => ({
    type: "Progressing",
    status: value,
    reason,
    message,
  });
  if (deployment.spec?.paused === true) return condition("Unknown", "DeploymentPaused", "Deployment is paused");
  const name = live?.metadata.name ?? "";
  if (complete && live !== undefined)
    return condition(
      "True",
      "NewReplicaSetAvailable",
      `ReplicaSet ${JSON.stringify(name)} has successfully progressed.`,
    );
  if (live === undefined)
    return before === undefined ? undefined : condition("True", before.reason ?? "", before.message ?? "");
  const since = parseTime((before as { readonly lastUpdateTime?: string } | undefined)?.lastUpdateTime);
  const stalled =
    before?.reason === "ReplicaSetUpdated" &&
    before.message?.includes(JSON.stringify(name)) === true &&
    since !== undefined &&
    nowMs - since >= deadlineMs(deployment);
  if (
    stalled ||
    (before?.reason === "ProgressDeadlineExceeded" && before.message?.includes(JSON.stringify(name)) === true)
  ) {
    return condition(
      "False",
      "ProgressDeadlineExceeded",
      `ReplicaSet ${JSON.stringify(name)} has timed out progressing.`,
    );
  }
  if (before === undefined)
    return condition("True", "NewReplicaSetCreated", `Created new replica set ${JSON.stringify(name)}`);
  return condition("True", "ReplicaSetUpdated", `ReplicaSet ${JSON.stringify(name)} is progressing.`);
}

/** Conditions with their times: the transition moves with the status, the update with the reason. */
function merged(deployment: kinds.Deployment, wanted: readonly ConditionInput[], nowMs: number): readonly unknown[] {
  const now = formatTime(nowMs);
  const before = (deployment.status?.conditions ?? []) as readonly (ConditionInput & {
    readonly lastTransitionTime?: string;
    readonly lastUpdateTime?: string;
  })[];
  return wanted.map((condition) => {
    const old = before.find((c) => c.type === condition.type);
    if (old === undefined) return { ...condition, lastUpdateTime: now, lastTransitionTime: now };
    const same =
      old.status === condition.status && old.reason === condition.reason && old.message === condition.message;
    return {
      ...condition,
      lastUpdateTime: same ? old.lastUpdateTime : now,
      lastTransitionTime: old.status === condition.status ? old.lastTransitionTime : now,
    };
  });
}

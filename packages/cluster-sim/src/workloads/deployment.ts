import { deepEqual, messageOf } from "@fairlead/base";
import { isStatus, keyOf } from "@fairlead/apimachinery";
import { kinds, owns, scale, setAnnotations, setStatusAnnotations } from "@fairlead/client";
import {
  after,
  defineController,
  settled,
  type Context,
  type ControllerDefinition,
  type Outcome,
} from "@fairlead/runtime";

import { claim, orphansOf } from "./claim.js";
import {
  annotationsOfSet,
  changedAnnotations,
  hasTemplate,
  newSet,
  nextRevision,
  replicaAnnotations,
  REVISION,
  splitSets,
  surplusSets,
} from "./deployment-sets.js";
import {
  conditionOf,
  conditionsOf,
  countedStatus,
  hasDeadline,
  isComplete,
  progressing,
  rolloutStatus,
  untilDeadline,
  withCondition,
  type DeploymentStatus,
  type TimedCondition,
} from "./deployment-status.js";
import { isNamespaceGoing } from "./replica-set.js";
import { controlled, controllerReference, writeStatus } from "./pods.js";
import {
  isScaling,
  newSetSize,
  recreateStep,
  rollingStep,
  scaleStep,
  size,
  wantedReplicas,
  type Sets,
  type SetScale,
} from "./rollout.js";

const readiness = owns(kinds.ReplicaSet, "spec.minReadySeconds");

/** Keeps one ReplicaSet for a Deployment's template, and moves the replicas over to it. */
export function deploymentController(): ControllerDefinition {
  return defineController<kinds.Deployment>({
    name: "deployment-controller",
    fieldManager: "kube-controller-manager",
    for: kinds.Deployment,
    owns: [kinds.ReplicaSet],
    watches: [orphansOf(kinds.Deployment, kinds.ReplicaSet)],
    reads: [kinds.Pod],
    onConflict: "take",
    reconcile: reconcileDeployment,
  });
}

type DeploymentContext = Context<kinds.Deployment>;

async function reconcileDeployment(deployment: kinds.Deployment, ctx: DeploymentContext): Promise<Outcome> {
  await claim(deployment, { owner: kinds.Deployment, claimed: kinds.ReplicaSet }, ctx);
  const paused = deployment.spec?.paused === true;
  const deleting = deployment.metadata.deletionTimestamp !== undefined;
  let conditions = pausedConditions(deployment, ctx.clock.now());
  const found = splitSets(deployment, setsOf(deployment, ctx));
  if (deleting) {
    return writeCounted(deployment, ctx, { sets: found, conditions });
  }
  if (found.current !== undefined) conditions = await describeSet(deployment, found, { ctx, conditions });
  if (paused || isScaling(deployment, found)) {
    await scaleSets(deployment, scaleStep(deployment, found), ctx);
    if (paused) await removeSets(surplusSets(deployment, found.old), ctx);
    return writeCounted(deployment, ctx, { sets: splitSets(deployment, setsOf(deployment, ctx)), conditions });
  }
  const recreate = deployment.spec?.strategy?.type === "Recreate";
  if (recreate) {
    const steps = recreateStep(found.old);
    await scaleSets(deployment, steps, ctx);
    if (steps.length > 0 || hasOldPods(found, ctx)) return writeRollout(deployment, ctx, conditions);
  }
  let { current } = found;
  if (current === undefined) {
    const created = await createSet(deployment, found.old, { ctx, conditions });
    if (created === undefined) return after(1000);
    current = created.set;
    conditions = created.conditions;
  }
  const steps = recreate
    ? [{ set: current, replicas: wantedReplicas(deployment) }]
    : rollingStep(deployment, { current, old: found.old });
  const changed = steps.filter(({ set, replicas }) => replicas !== size(set));
  await scaleSets(deployment, changed, ctx);
  if (changed.length === 0 && isComplete(deployment, statusOf(deployment)))
    await removeSets(surplusSets(deployment, found.old), ctx);
  return writeRollout(deployment, ctx, conditions);
}

function setsOf(deployment: kinds.Deployment, ctx: DeploymentContext): readonly kinds.ReplicaSet[] {
  return controlled(ctx.store(kinds.ReplicaSet), deployment);
}

/** Pauses and resumptions are told among the conditions of the progress. */
function pausedConditions(deployment: kinds.Deployment, nowMs: number): readonly TimedCondition[] {
  const conditions = conditionsOf(deployment);
  const known = conditionOf(conditions, "Progressing");
  if (!hasDeadline(deployment) || known?.reason === "ProgressDeadlineExceeded") return conditions;
  const told = known?.reason === "DeploymentPaused";
  if (deployment.spec?.paused === true)
    return told
      ? conditions
      : withCondition(conditions, progressing("Unknown", "DeploymentPaused", "Deployment is paused"), nowMs);
  return told
    ? withCondition(conditions, progressing("Unknown", "DeploymentResumed", "Deployment is resumed"), nowMs)
    : conditions;
}

/** The current set tells the Deployment's annotations and the highest revision, and the Deployment the same revision. */
async function describeSet(
  deployment: kinds.Deployment,
  { current, old }: Sets,
  { ctx, conditions }: { readonly ctx: DeploymentContext; readonly conditions: readonly TimedCondition[] },
): Promise<readonly TimedCondition[]> {
  if (current === undefined) return conditions;
  const wanted = annotationsOfSet(deployment, current.metadata, nextRevision(old));
  const changed = changedAnnotations(current.metadata.annotations, wanted);
  if (Object.keys(changed).length > 0)
    await setAnnotations(ctx.client.api(kinds.ReplicaSet), keyOf(current), changed, { signal: ctx.signal });
  const seconds = deployment.spec?.minReadySeconds ?? 0;
  if ((current.spec?.minReadySeconds ?? 0) !== seconds)
    await ctx.apply(readiness, keyOf(current), { spec: { minReadySeconds: seconds } });
  await writeRevision(deployment, wanted[REVISION] ?? "1", ctx);
  if (!hasDeadline(deployment) || conditionOf(conditions, "Progressing") !== undefined) return conditions;
  const text = `Found new replica set ${JSON.stringify(current.metadata.name)}`;
  return withCondition(conditions, progressing("True", "FoundNewReplicaSet", text), ctx.clock.now());
}

/** Through the status, since an annotation that changes with the object makes a new generation of it. */
async function writeRevision(deployment: kinds.Deployment, revision: string, ctx: DeploymentContext): Promise<void> {
  if (deployment.metadata.annotations?.[REVISION] === revision) return;
  await setStatusAnnotations(
    ctx.client.api(kinds.Deployment),
    keyOf(deployment),
    { [REVISION]: revision },
    { signal: ctx.signal },
  );
}

interface Created {
  readonly set: kinds.ReplicaSet;
  readonly conditions: readonly TimedCondition[];
}

/** Undefined when the set cannot be made now; what stands in the way is told in the status. */
async function createSet(
  deployment: kinds.Deployment,
  old: readonly kinds.ReplicaSet[],
  { ctx, conditions }: { readonly ctx: DeploymentContext; readonly conditions: readonly TimedCondition[] },
): Promise<Created | undefined> {
  const revision = nextRevision(old);
  const replicas = newSetSize(deployment, { current: undefined, old });
  const wanted = newSet(deployment, { replicas, revision });
  const { name } = wanted.metadata;
  const owner = controllerReference(deployment, kinds.Deployment);
  try {
    const set = await ctx.client
      .api(kinds.ReplicaSet)
      .create({ ...wanted, metadata: { ...wanted.metadata, ownerReferences: [owner] } }, { signal: ctx.signal });
    if (replicas > 0) tellScaling(ctx, name, { from: 0, to: replicas });
    await writeRevision(deployment, String(revision), ctx);
    if (!hasDeadline(deployment)) return { set, conditions };
    const text = `Created new replica set ${JSON.stringify(name)}`;
    const told = withCondition(conditions, progressing("True", "NewReplicaSetCreated", text), ctx.clock.now());
    return { set, conditions: told };
  } catch (error) {
    if (isStatus(error, "AlreadyExists")) return takeOver(deployment, name, { ctx, conditions, owner: owner.uid });
    if (isNamespaceGoing(error) || !isStatus(error)) {
      if (isNamespaceGoing(error)) return undefined;
      throw error;
    }
    const text = `Failed to create new replica set ${JSON.stringify(name)}: ${messageOf(error)}`;
    ctx.event({ type: "Warning", reason: "ReplicaSetCreateError", message: text });
    if (hasDeadline(deployment))
      await ctx.status({
        conditions: withCondition(conditions, progressing("False", "ReplicaSetCreateError", text), ctx.clock.now()),
      } as never);
    return undefined;
  }
}

/** A set of the wanted name is there: it is the Deployment's own, or another name must be found. */
async function takeOver(
  deployment: kinds.Deployment,
  name: string,
  {
    ctx,
    conditions,
    owner,
  }: { readonly ctx: DeploymentContext; readonly conditions: readonly TimedCondition[]; readonly owner: string },
): Promise<Created | undefined> {
  const live = await ctx.client
    .api(kinds.ReplicaSet)
    .find({ namespace: deployment.metadata.namespace ?? "", name }, { signal: ctx.signal });
  const controller = live?.metadata.ownerReferences?.find((r) => r.controller === true);
  if (live !== undefined && controller?.uid === owner && hasTemplate(live, deployment))
    return { set: live, conditions };
  if (live !== undefined && (controller !== undefined || !hasTemplate(live, deployment)))
    await ctx.status({ collisionCount: (deployment.status?.collisionCount ?? 0) + 1 });
  return undefined;
}

async function scaleSets(
  deployment: kinds.Deployment,
  steps: readonly SetScale[],
  ctx: DeploymentContext,
): Promise<void> {
  const api = ctx.client.api(kinds.ReplicaSet);
  const annotations = replicaAnnotations(deployment);
  for (const { set, replicas } of steps) {
    const changed = changedAnnotations(set.metadata.annotations, annotations);
    if (Object.keys(changed).length > 0) await setAnnotations(api, keyOf(set), changed, { signal: ctx.signal });
    const from = size(set);
    if (from === replicas) continue;
    await scale(api, keyOf(set), replicas, { signal: ctx.signal });
    tellScaling(ctx, set.metadata.name, { from, to: replicas });
  }
}

function tellScaling(
  ctx: DeploymentContext,
  name: string,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  const way = to > from ? "up" : "down";
  ctx.event({
    type: "Normal",
    reason: "ScalingReplicaSet",
    message: `Scaled ${way} replica set ${name} from ${from} to ${to}`,
  });
}

/** Pods of other sets than the current one, also those that are going. */
function hasOldPods({ old }: Sets, ctx: DeploymentContext): boolean {
  if (old.some((set) => (set.status?.replicas ?? 0) > 0)) return true;
  const uids = new Set(old.map((set) => set.metadata.uid));
  return ctx
    .store(kinds.Pod)
    .list()
    .some(
      (pod) =>
        pod.status?.phase !== "Failed" &&
        pod.status?.phase !== "Succeeded" &&
        pod.metadata.ownerReferences?.some((r) => r.controller === true && uids.has(r.uid)) === true,
    );
}

async function removeSets(sets: readonly kinds.ReplicaSet[], ctx: DeploymentContext): Promise<void> {
  for (const set of sets)
    await ctx.client
      .api(kinds.ReplicaSet)
      .deleteObject(set, { signal: ctx.signal })
      .ignoreError("it may be gone already");
}

async function writeCounted(
  deployment: kinds.Deployment,
  ctx: DeploymentContext,
  { sets, conditions }: { readonly sets: Sets; readonly conditions: readonly TimedCondition[] },
): Promise<Outcome> {
  await write(deployment, countedStatus(deployment, sets, { conditions, nowMs: ctx.clock.now() }), ctx);
  return settled();
}

async function writeRollout(
  deployment: kinds.Deployment,
  ctx: DeploymentContext,
  conditions: readonly TimedCondition[],
): Promise<Outcome> {
  const sets = splitSets(deployment, setsOf(deployment, ctx));
  const nowMs = ctx.clock.now();
  const status = rolloutStatus(deployment, sets, { conditions, nowMs });
  await write(deployment, status, ctx);
  const wait = untilDeadline(deployment, status, nowMs);
  return wait === undefined ? settled() : after(wait);
}

async function write(deployment: kinds.Deployment, status: DeploymentStatus, ctx: DeploymentContext): Promise<void> {
  const orNothing = (n: number): number | undefined => (n === 0 ? undefined : n);
  await writeStatus(ctx, deployment, {
    observedGeneration: status.observedGeneration,
    replicas: orNothing(status.replicas),
    updatedReplicas: orNothing(status.updatedReplicas),
    readyReplicas: orNothing(status.readyReplicas),
    availableReplicas: orNothing(status.availableReplicas),
    unavailableReplicas: orNothing(status.unavailableReplicas),
    terminatingReplicas: status.terminatingReplicas,
    ...(deepEqual(status.conditions, conditionsOf(deployment)) ? {} : { conditions: status.conditions }),
  });
}

/** The status as it was last told. */
function statusOf({ status }: kinds.Deployment): DeploymentStatus {
  return {
    observedGeneration: status?.observedGeneration ?? 0,
    replicas: status?.replicas ?? 0,
    updatedReplicas: status?.updatedReplicas ?? 0,
    readyReplicas: status?.readyReplicas ?? 0,
    availableReplicas: status?.availableReplicas ?? 0,
    unavailableReplicas: status?.unavailableReplicas ?? 0,
    terminatingReplicas: status?.terminatingReplicas ?? 0,
    conditions: (status?.conditions ?? []) as readonly TimedCondition[],
  };
}

import { messageOf } from "@fairlead/base";
import { isStatus } from "@fairlead/apimachinery";
import { kinds } from "@fairlead/client";
import {
  after,
  defineController,
  settled,
  type Context,
  type ControllerDefinition,
  type Outcome,
} from "@fairlead/runtime";

import { claim, orphansOf } from "./claim.js";
import { isNamespaceGoing } from "./replica-set.js";
import { controlled, controllerReference, isAvailable, isReady, podFrom, templateHash, writeStatus } from "./pods.js";

const REVISION_LABEL = "controller-revision-hash";

/** Keeps numbered pods with claims of their own, one after another unless told otherwise. */
export function statefulSetController(): ControllerDefinition {
  return defineController<kinds.StatefulSet>({
    name: "statefulset-controller",
    fieldManager: "kube-controller-manager",
    for: kinds.StatefulSet,
    owns: [kinds.Pod],
    watches: [orphansOf(kinds.StatefulSet, kinds.Pod)],
    reconcile: reconcileStatefulSet,
  });
}

async function reconcileStatefulSet(set: kinds.StatefulSet, ctx: Context<kinds.StatefulSet>): Promise<Outcome> {
  await claim(set, { owner: kinds.StatefulSet, claimed: kinds.Pod, takes: (pod) => isMember(set, pod) }, ctx);
  const revision = `${set.metadata.name}-${templateHash(set.spec?.template, set.status?.collisionCount ?? 0)}`;
  const replicas = set.spec?.replicas ?? 1;
  let failed = false;
  if (set.metadata.deletionTimestamp === undefined) {
    await recordRevision(set, revision, ctx);
    failed = !(await step(set, { revision, replicas }, ctx));
  }
  await status(set, { revision, replicas }, ctx);
  return failed ? after(5000) : settled();
}

interface Wanted {
  readonly revision: string;
  readonly replicas: number;
}

/** One move: creates, replaces or deletes what is next in turn. Returns false when a pod could not be created. */
async function step(
  set: kinds.StatefulSet,
  { revision, replicas }: Wanted,
  ctx: Context<kinds.StatefulSet>,
): Promise<boolean> {
  const api = ctx.client.api(kinds.Pod);
  const parallel = set.spec?.podManagementPolicy === "Parallel";
  const first = set.spec?.ordinals?.start ?? 0;
  const pods = new Map(controlled(ctx.store(kinds.Pod), set).map((p) => [ordinalOf(p.metadata.name), p]));
  for (let i = first; i < first + replicas; i++) {
    const pod = pods.get(i);
    if (pod === undefined) {
      if (!(await createPod(set, i, revision, ctx))) return false;
      if (!parallel) return true;
      continue;
    }
    const ended = pod.status?.phase === "Failed" || pod.status?.phase === "Succeeded";
    if (ended && pod.metadata.deletionTimestamp === undefined)
      await api.deleteObject(pod, { signal: ctx.signal }).ignoreError("it may be gone already");
    if (
      !parallel &&
      (ended ||
        pod.metadata.deletionTimestamp !== undefined ||
        !isAvailable(pod, set.spec?.minReadySeconds ?? 0, ctx.clock.now()))
    )
      return true;
  }
  const surplus = [...pods].filter(([i]) => i < first || i >= first + replicas).sort(([a], [b]) => b - a);
  for (const [, pod] of surplus) {
    if (pod.metadata.deletionTimestamp === undefined) {
      await api.deleteObject(pod, { signal: ctx.signal }).ignoreError("it may be gone already");
      ctx.event({
        type: "Normal",
        reason: "SuccessfulDelete",
        message: `delete Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`,
      });
    }
    if (!parallel) return true;
  }
  await update(set, { revision, pods: [...pods].sort(([a], [b]) => b - a) }, ctx);
  return true;
}

/** Replaces pods of older revisions, the highest first, one at a time. */
async function update(
  set: kinds.StatefulSet,
  { revision, pods }: { readonly revision: string; readonly pods: readonly (readonly [number, kinds.Pod])[] },
  ctx: Context<kinds.StatefulSet>,
): Promise<void> {
  if (set.spec?.updateStrategy?.type === "OnDelete") return;
  const partition = set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
  for (const [ordinal, pod] of pods) {
    if (ordinal < partition) return;
    if (pod.metadata.labels?.[REVISION_LABEL] !== revision) {
      if (pod.metadata.deletionTimestamp === undefined)
        await ctx.client.api(kinds.Pod).deleteObject(pod, { signal: ctx.signal }).ignoreError("it may be gone already");
      return;
    }
    if (!isReady(pod)) return;
  }
}

async function createPod(
  set: kinds.StatefulSet,
  ordinal: number,
  revision: string,
  ctx: Context<kinds.StatefulSet>,
): Promise<boolean> {
  const name = `${set.metadata.name}-${ordinal}`;
  const namespace = set.metadata.namespace ?? "";
  try {
    for (const claim of set.spec?.volumeClaimTemplates ?? []) await createClaim(set, claim, name, ctx);
    await ctx.client.api(kinds.Pod).create(
      podFrom(set.spec?.template, {
        owner: controllerReference(set, kinds.StatefulSet),
        namespace,
        name: { name },
        labels: {
          "apps.kubernetes.io/pod-index": String(ordinal),
          [REVISION_LABEL]: revision,
          "statefulset.kubernetes.io/pod-name": name,
        },
        spec: (spec) => ({
          ...spec,
          hostname: name,
          ...(set.spec?.serviceName === undefined || set.spec.serviceName === ""
            ? {}
            : { subdomain: set.spec.serviceName }),
          volumes: withClaims(set, spec.volumes ?? [], name),
        }),
      }),
      { signal: ctx.signal },
    );
    ctx.event({
      type: "Normal",
      reason: "SuccessfulCreate",
      message: `create Pod ${name} in StatefulSet ${set.metadata.name} successful`,
    });
    return true;
  } catch (error) {
    if (isStatus(error, "AlreadyExists") || isNamespaceGoing(error)) return true;
    if (!isStatus(error)) throw error;
    ctx.event({
      type: "Warning",
      reason: "FailedCreate",
      message: `create Pod ${name} in StatefulSet ${set.metadata.name} failed error: ${messageOf(error)}`,
    });
    return false;
  }
}

type ClaimTemplate = NonNullable<NonNullable<kinds.StatefulSet["spec"]>["volumeClaimTemplates"]>[number];

async function createClaim(
  set: kinds.StatefulSet,
  template: ClaimTemplate,
  pod: string,
  ctx: Context<kinds.StatefulSet>,
): Promise<void> {
  const namespace = set.metadata.namespace ?? "";
  const name = `${template.metadata.name}-${pod}`;
  const labels = { ...template.metadata.labels, ...set.spec?.selector?.matchLabels };
  try {
    const claim = await ctx.client.api(kinds.PersistentVolumeClaim).create(
      {
        metadata: {
          ...(template.metadata.annotations === undefined ? {} : { annotations: template.metadata.annotations }),
          name,
          namespace,
          labels,
        },
        spec: template.spec as NonNullable<kinds.PersistentVolumeClaim["spec"]>,
      },
      { signal: ctx.signal },
    );
    ctx.event({
      type: "Normal",
      reason: "SuccessfulCreate",
      message: `create Claim ${claim.metadata.name} Pod ${pod} in StatefulSet ${set.metadata.name} success`,
    });
  } catch (error) {
    if (!isStatus(error, "AlreadyExists")) throw error;
  }
}

function withClaims(set: kinds.StatefulSet, volumes: readonly kinds.Volume[], pod: string): readonly kinds.Volume[] {
  const claims = (set.spec?.volumeClaimTemplates ?? []).map((t): kinds.Volume => ({
    name: t.metadata.name,
    persistentVolumeClaim: { claimName: `${t.metadata.name}-${pod}` },
  }));
  return [...claims, ...volumes.filter((v) => !claims.some((c) => c.name === v.name))];
}

async function recordRevision(
  set: kinds.StatefulSet,
  revision: string,
  ctx: Context<kinds.StatefulSet>,
): Promise<void> {
  if (set.status?.updateRevision === revision) return;
  try {
    await ctx.client.api(kinds.ControllerRevision).create(
      {
        metadata: {
          name: revision,
          namespace: set.metadata.namespace ?? "",
          labels: { ...set.spec?.selector?.matchLabels, [REVISION_LABEL]: revision },
          ownerReferences: [controllerReference(set, kinds.StatefulSet)],
        },
        data: { spec: { template: set.spec?.template ?? {} } },
        revision: Math.max(1, set.metadata.generation ?? 1),
      },
      { signal: ctx.signal },
    );
  } catch (error) {
    if (!isStatus(error, "AlreadyExists") && !isNamespaceGoing(error)) throw error;
  }
}

async function status(
  set: kinds.StatefulSet,
  { revision, replicas }: Wanted,
  ctx: Context<kinds.StatefulSet>,
): Promise<void> {
  const pods = controlled(ctx.store(kinds.Pod), set);
  const nowMs = ctx.clock.now();
  const updated = pods.filter((p) => p.metadata.labels?.[REVISION_LABEL] === revision).length;
  const ready = pods.filter((p) => isReady(p) && p.metadata.deletionTimestamp === undefined);
  const before = set.status?.currentRevision ?? "";
  const complete = updated === replicas && pods.length === replicas && ready.length === replicas;
  const current = before === "" || complete ? revision : before;
  await writeStatus(ctx, set, {
    observedGeneration: set.metadata.generation ?? 1,
    replicas: pods.length,
    readyReplicas: ready.length === 0 ? undefined : ready.length,
    availableReplicas: ready.filter((p) => isAvailable(p, set.spec?.minReadySeconds ?? 0, nowMs)).length,
    currentReplicas: pods.filter((p) => p.metadata.labels?.[REVISION_LABEL] === current).length || undefined,
    updatedReplicas: updated === 0 ? undefined : updated,
    currentRevision: current,
    updateRevision: revision,
    collisionCount: set.status?.collisionCount ?? 0,
  });
}

function isMember(set: kinds.StatefulSet, pod: kinds.Pod): boolean {
  return pod.metadata.name === `${set.metadata.name}-${ordinalOf(pod.metadata.name)}`;
}

function ordinalOf(name: string): number {
  return Number(/-(\d+)$/.exec(name)?.[1] ?? -1);
}

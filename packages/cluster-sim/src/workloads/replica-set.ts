import { formatTime, messageOf } from "@fairlead/base";
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
import {
  controlled,
  controllerReference,
  inOrderOfDeletion,
  isActive,
  isAvailable,
  isReady,
  podFrom,
  writeStatus,
} from "./pods.js";

/** Keeps as many pods as a ReplicaSet asks for. */
export function replicaSetController(): ControllerDefinition {
  return defineController<kinds.ReplicaSet>({
    name: "replicaset-controller",
    fieldManager: "kube-controller-manager",
    for: kinds.ReplicaSet,
    owns: [kinds.Pod],
    watches: [orphansOf(kinds.ReplicaSet, kinds.Pod)],
    reconcile: reconcileReplicaSet,
  });
}

async function reconcileReplicaSet(set: kinds.ReplicaSet, ctx: Context<kinds.ReplicaSet>): Promise<Outcome> {
  await claim(set, { owner: kinds.ReplicaSet, claimed: kinds.Pod }, ctx);
  const wanted = set.spec?.replicas ?? 1;
  const pods = controlled(ctx.store(kinds.Pod), set).filter(isActive);
  let failure: string | undefined;
  if (set.metadata.deletionTimestamp === undefined) failure = await adjust(set, ctx, { pods, wanted });
  const now = controlled(ctx.store(kinds.Pod), set);
  const active = now.filter(isActive);
  const nowMs = ctx.clock.now();
  const minReady = set.spec?.minReadySeconds ?? 0;
  const labels = set.spec?.template?.metadata?.labels ?? {};
  const ready = active.filter(isReady);
  const available = ready.filter((p) => isAvailable(p, minReady, nowMs));
  const terminating = now.filter((p) => p.metadata.deletionTimestamp !== undefined).length;
  const others = (set.status?.conditions ?? []).filter((c) => c.type !== "ReplicaFailure");
  const conditions =
    failure === undefined
      ? others
      : [
          ...others,
          {
            type: "ReplicaFailure",
            status: "True",
            reason: "FailedCreate",
            message: failure,
            lastTransitionTime:
              set.status?.conditions?.find((c) => c.type === "ReplicaFailure")?.lastTransitionTime ?? formatTime(nowMs),
          },
        ];
  await writeStatus(ctx, set, {
    replicas: active.length,
    fullyLabeledReplicas: active.filter((p) => Object.entries(labels).every(([k, v]) => p.metadata.labels?.[k] === v))
      .length,
    readyReplicas: ready.length,
    availableReplicas: available.length,
    terminatingReplicas: terminating,
    observedGeneration: set.metadata.generation ?? 1,
    conditions: conditions.length === 0 && set.status?.conditions === undefined ? undefined : conditions,
  });
  if (failure !== undefined) return after(5000);
  return minReady > 0 && ready.length > available.length ? after(minReady * 1000) : settled();
}

/** Creates what is missing, deletes what is too many. Returns why pods cannot be created. */
async function adjust(
  set: kinds.ReplicaSet,
  ctx: Context<kinds.ReplicaSet>,
  { pods, wanted }: { pods: readonly kinds.Pod[]; wanted: number },
): Promise<string | undefined> {
  const api = ctx.client.api(kinds.Pod);
  const namespace = set.metadata.namespace ?? "";
  for (let i = pods.length; i < wanted; i++) {
    const pod = podFrom(set.spec?.template, {
      owner: controllerReference(set, kinds.ReplicaSet),
      namespace,
      name: { generateName: `${set.metadata.name}-` },
    });
    try {
      const made = await api.create(pod, { signal: ctx.signal });
      ctx.event({ type: "Normal", reason: "SuccessfulCreate", message: `Created pod: ${made.metadata.name}` });
    } catch (error) {
      if (!isStatus(error)) throw error;
      if (isNamespaceGoing(error)) return undefined;
      ctx.event({ type: "Warning", reason: "FailedCreate", message: `Error creating: ${messageOf(error)}` });
      return messageOf(error);
    }
  }
  for (const pod of inOrderOfDeletion(pods).slice(0, Math.max(0, pods.length - wanted))) {
    await api.deleteObject(pod, { signal: ctx.signal }).ignoreError("it may be gone already");
    ctx.event({ type: "Normal", reason: "SuccessfulDelete", message: `Deleted pod: ${pod.metadata.name}` });
  }
  return undefined;
}

/** Creating in a namespace that is going away is no failure worth telling. */
export function isNamespaceGoing(error: unknown): boolean {
  return (
    isStatus(error) &&
    (error.status.details?.causes?.some((c) => c.reason === "NamespaceTerminating") === true ||
      (isStatus(error, "NotFound") && error.status.details?.kind === "namespaces"))
  );
}

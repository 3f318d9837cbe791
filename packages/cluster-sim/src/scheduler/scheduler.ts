import { formatTime } from "@fairlead/base";
import { isStatus } from "@fairlead/apimachinery";
import { bindPod, kinds, mergeStatus } from "@fairlead/client";
import {
  after,
  defineController,
  settled,
  watch,
  type Context,
  type ControllerDefinition,
  type Outcome,
  type Stores,
} from "@fairlead/runtime";

import { place, type NodeState } from "./predicates.js";

const RETRY_MS = 30_000;

/**
 * Assigns pods to nodes. One pod at a time, so that what one takes the next one sees; a pod that fits nowhere waits for a
 * node to change or another pod to go.
 */
export function scheduler(): ControllerDefinition {
  const assumed = new Map<string, string>();
  const waiting = (
    _object: unknown,
    stores: Stores,
  ): readonly { readonly namespace?: string; readonly name: string }[] =>
    stores
      .store(kinds.Pod)
      .list()
      .filter(isUnassigned)
      .map(({ metadata: { namespace, name } }) => (namespace === undefined ? { name } : { namespace, name }));
  return defineController<kinds.Pod>({
    name: "scheduler",
    fieldManager: "kube-scheduler",
    for: kinds.Pod,
    concurrency: 1,
    watches: [
      watch(kinds.Node, waiting),
      watch(kinds.PersistentVolumeClaim, waiting),
      watch(kinds.Pod, waiting, {
        predicate: ({ type, object }) =>
          type === "deleted" || object.status?.phase === "Succeeded" || object.status?.phase === "Failed",
      }),
    ],
    reconcile: (pod, ctx) => schedule(pod, ctx, assumed),
  });
}

function isUnassigned(pod: kinds.Pod): boolean {
  return (
    (pod.spec?.nodeName ?? "") === "" &&
    pod.metadata.deletionTimestamp === undefined &&
    (pod.spec?.schedulerName ?? "default-scheduler") === "default-scheduler"
  );
}

async function schedule(pod: kinds.Pod, ctx: Context<kinds.Pod>, assumed: Map<string, string>): Promise<Outcome> {
  const uid = pod.metadata.uid ?? "";
  if (!isUnassigned(pod)) {
    assumed.delete(uid);
    return settled();
  }
  if (assumed.has(uid)) return settled();
  if ((pod.spec?.schedulingGates ?? []).length > 0) return settled();
  const claim = unboundClaim(pod, ctx);
  const placement =
    claim === undefined ? place({ pod, nodes: nodeStates(ctx, assumed) }) : ({ kind: "none", message: claim } as const);
  const { namespace, name } = pod.metadata;
  const key = namespace === undefined ? { name } : { namespace, name };
  if (placement.kind === "none") {
    const condition = {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message: placement.message,
    } as const;
    const before = pod.status?.conditions?.find((c) => c.type === "PodScheduled");
    if (before?.message !== placement.message) {
      const others = (pod.status?.conditions ?? []).filter((c) => c.type !== "PodScheduled");
      const lastTransitionTime = before?.status === "False" ? before.lastTransitionTime : formatTime(ctx.clock.now());
      await mergeStatus(
        ctx.client.api(kinds.Pod),
        key,
        { conditions: [...others, { ...condition, lastTransitionTime }] },
        { signal: ctx.signal },
      );
      ctx.event({ type: "Warning", reason: "FailedScheduling", message: placement.message });
    }
    return after(RETRY_MS);
  }
  assumed.set(uid, placement.name);
  try {
    await bindPod(ctx.client.api(kinds.Pod), key, placement.name, { uid, signal: ctx.signal });
  } catch (error) {
    assumed.delete(uid);
    if (isStatus(error, "NotFound") || isStatus(error, "Conflict")) return settled();
    throw error;
  }
  ctx.event({
    type: "Normal",
    reason: "Scheduled",
    message: `Successfully assigned ${namespace ?? ""}/${name} to ${placement.name}`,
  });
  return settled();
}

/** Every node that is ready, with what is on it and what is on its way there. */
function nodeStates(ctx: Context<kinds.Pod>, assumed: ReadonlyMap<string, string>): readonly NodeState[] {
  const byNode = new Map<string, kinds.Pod[]>();
  for (const pod of ctx.store(kinds.Pod).list()) {
    if (pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed") continue;
    const node = pod.spec?.nodeName ?? assumed.get(pod.metadata.uid ?? "");
    if (node === undefined || node === "") continue;
    const pods = byNode.get(node);
    if (pods === undefined) byNode.set(node, [pod]);
    else pods.push(pod);
  }
  return ctx
    .store(kinds.Node)
    .list()
    .filter((node) => node.status?.conditions?.some((c) => c.type === "Ready" && c.status === "True") === true)
    .map((node) => ({ node, pods: byNode.get(node.metadata.name) ?? [] }));
}

/** Why a pod must wait for its volumes; undefined when it need not. */
function unboundClaim(pod: kinds.Pod, ctx: Context<kinds.Pod>): string | undefined {
  for (const volume of pod.spec?.volumes ?? []) {
    const name =
      volume.persistentVolumeClaim?.claimName ??
      (volume.ephemeral === undefined ? undefined : `${pod.metadata.name}-${volume.name}`);
    if (name === undefined) continue;
    const claim = ctx.store(kinds.PersistentVolumeClaim).get({ namespace: pod.metadata.namespace ?? "", name });
    if (claim === undefined)
      return `0/${ctx.store(kinds.Node).list().length} nodes are available: persistentvolumeclaim ${JSON.stringify(name)} not found.`;
    if (claim.status?.phase !== "Bound")
      return `0/${ctx.store(kinds.Node).list().length} nodes are available: pod has unbound immediate PersistentVolumeClaims.`;
  }
  return undefined;
}

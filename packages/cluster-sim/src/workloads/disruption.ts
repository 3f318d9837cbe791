import { formatTime, type JsonValue } from "@fairlead/base";
import { labelSelectorOf, matchesLabels } from "@fairlead/apimachinery";
import { kinds } from "@fairlead/client";
import {
  defineController,
  settled,
  watch,
  type Context,
  type ControllerDefinition,
  type Outcome,
} from "@fairlead/runtime";

import { isReady, scaled, writeStatus } from "./pods.js";

/** Tells how many pods each disruption budget allows to go. */
export function disruptionController(): ControllerDefinition {
  return defineController<kinds.PodDisruptionBudget>({
    name: "disruption-controller",
    fieldManager: "kube-controller-manager",
    for: kinds.PodDisruptionBudget,
    reads: [kinds.ReplicaSet, kinds.StatefulSet],
    watches: [
      watch(kinds.Pod, (pod, stores) =>
        stores
          .store(kinds.PodDisruptionBudget)
          .list()
          .filter((budget) => budget.metadata.namespace === pod.metadata.namespace && selects(budget, pod))
          .map(({ metadata }) => ({ namespace: metadata.namespace ?? "", name: metadata.name })),
      ),
    ],
    reconcile: reconcileBudget,
  });
}

function selects(budget: kinds.PodDisruptionBudget, pod: kinds.Pod): boolean {
  const selector = budget.spec?.selector;
  return (
    selector !== undefined &&
    matchesLabels(labelSelectorOf(selector as unknown as JsonValue), pod.metadata.labels ?? {})
  );
}

async function reconcileBudget(
  budget: kinds.PodDisruptionBudget,
  ctx: Context<kinds.PodDisruptionBudget>,
): Promise<Outcome> {
  const pods = ctx
    .store(kinds.Pod)
    .list()
    .filter(
      (p) =>
        p.metadata.namespace === budget.metadata.namespace &&
        selects(budget, p) &&
        p.status?.phase !== "Succeeded" &&
        p.status?.phase !== "Failed",
    );
  const expected = expectedPods(budget, pods, ctx);
  const desired = desiredHealthy(budget, expected);
  const healthy = pods.filter((p) => isReady(p) && p.metadata.deletionTimestamp === undefined).length;
  const allowed = Math.max(0, Math.min(healthy - desired, pods.length));
  const enough = allowed > 0;
  const generation = budget.metadata.generation ?? 1;
  const before = budget.status?.conditions?.find((c) => c.type === "DisruptionAllowed");
  const value = enough ? "True" : "False";
  await writeStatus(ctx, budget, {
    observedGeneration: generation,
    disruptionsAllowed: allowed,
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
    conditions: [
      {
        type: "DisruptionAllowed",
        status: value,
        reason: enough ? "SufficientPods" : "InsufficientPods",
        message: "",
        observedGeneration: generation,
        lastTransitionTime: before?.status === value ? before.lastTransitionTime : formatTime(ctx.clock.now()),
      },
    ],
  });
  return settled();
}

/** What the owners of the pods want; pods without one count as they are. */
function expectedPods(
  budget: kinds.PodDisruptionBudget,
  pods: readonly kinds.Pod[],
  ctx: Context<kinds.PodDisruptionBudget>,
): number {
  if (typeof budget.spec?.minAvailable === "number" && budget.spec.maxUnavailable === undefined) return pods.length;
  const owners = new Map<string, number>();
  let bare = 0;
  for (const pod of pods) {
    const owner = pod.metadata.ownerReferences?.find((r) => r.controller === true);
    const namespace = pod.metadata.namespace ?? "";
    const set =
      owner === undefined
        ? undefined
        : owner.kind === "ReplicaSet"
          ? ctx.store(kinds.ReplicaSet).get({ namespace, name: owner.name })
          : owner.kind === "StatefulSet"
            ? ctx.store(kinds.StatefulSet).get({ namespace, name: owner.name })
            : undefined;
    if (owner === undefined || set === undefined) bare++;
    else owners.set(owner.uid, set.spec?.replicas ?? 1);
  }
  return [...owners.values()].reduce((n, r) => n + r, bare);
}

function desiredHealthy(budget: kinds.PodDisruptionBudget, expected: number): number {
  const { minAvailable, maxUnavailable } = budget.spec ?? {};
  if (maxUnavailable !== undefined) return Math.max(0, expected - scaled(maxUnavailable, expected, true));
  return minAvailable === undefined ? Math.max(0, expected - 1) : scaled(minAvailable, expected, true);
}

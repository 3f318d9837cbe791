import { messageOf } from "@fairlead/base";
import { isStatus } from "@fairlead/apimachinery";
import { kinds } from "@fairlead/client";
import {
  after,
  defineController,
  settled,
  watch,
  type Context,
  type ControllerDefinition,
  type Outcome,
} from "@fairlead/runtime";

import { claim, orphansOf } from "./claim.js";
import { isNamespaceGoing } from "./replica-set.js";
import {
  controlled,
  controllerReference,
  isActive,
  isAvailable,
  isReady,
  podFrom,
  templateHash,
  writeStatus,
} from "./pods.js";

const HASH_LABEL = "controller-revision-hash";
const TOLERATED: readonly (readonly [key: string, effect: string])[] = [
  ["node.kubernetes.io/not-ready", "NoExecute"],
  ["node.kubernetes.io/unreachable", "NoExecute"],
  ["node.kubernetes.io/disk-pressure", "NoSchedule"],
  ["node.kubernetes.io/memory-pressure", "NoSchedule"],
  ["node.kubernetes.io/pid-pressure", "NoSchedule"],
  ["node.kubernetes.io/unschedulable", "NoSchedule"],
];

/** Keeps one pod on every node that takes it. */
export function daemonSetController(): ControllerDefinition {
  return defineController<kinds.DaemonSet>({
    name: "daemonset-controller",
    fieldManager: "kube-controller-manager",
    for: kinds.DaemonSet,
    owns: [kinds.Pod],
    watches: [
      orphansOf(kinds.DaemonSet, kinds.Pod),
      watch(kinds.Node, (_node, stores) =>
        stores
          .store(kinds.DaemonSet)
          .list()
          .map((d) => ({ namespace: d.metadata.namespace ?? "", name: d.metadata.name })),
      ),
    ],
    reconcile: reconcileDaemonSet,
  });
}

async function reconcileDaemonSet(set: kinds.DaemonSet, ctx: Context<kinds.DaemonSet>): Promise<Outcome> {
  await claim(set, { owner: kinds.DaemonSet, claimed: kinds.Pod }, ctx);
  const hash = templateHash(set.spec?.template);
  const nodes = ctx
    .store(kinds.Node)
    .list()
    .filter((node) => shouldRun(set, node));
  let failed = false;
  if (set.metadata.deletionTimestamp === undefined) failed = !(await adjust(set, { hash, nodes }, ctx));
  const pods = controlled(ctx.store(kinds.Pod), set).filter(isActive);
  const nowMs = ctx.clock.now();
  const names = new Set(nodes.map((n) => n.metadata.name));
  const wanted = pods.filter((p) => names.has(nodeOf(p)));
  const ready = wanted.filter(isReady);
  const available = ready.filter((p) => isAvailable(p, set.spec?.minReadySeconds ?? 0, nowMs));
  await writeStatus(ctx, set, {
    observedGeneration: set.metadata.generation ?? 1,
    currentNumberScheduled: new Set(wanted.map(nodeOf)).size,
    desiredNumberScheduled: nodes.length,
    numberMisscheduled: pods.length - wanted.length,
    numberReady: ready.length,
    numberAvailable: available.length === 0 ? undefined : available.length,
    numberUnavailable: nodes.length - available.length === 0 ? undefined : nodes.length - available.length,
    updatedNumberScheduled: wanted.filter((p) => p.metadata.labels?.[HASH_LABEL] === hash).length || undefined,
  });
  return failed ? after(5000) : settled();
}

async function adjust(
  set: kinds.DaemonSet,
  { hash, nodes }: { readonly hash: string; readonly nodes: readonly kinds.Node[] },
  ctx: Context<kinds.DaemonSet>,
): Promise<boolean> {
  const api = ctx.client.api(kinds.Pod);
  const pods = controlled(ctx.store(kinds.Pod), set);
  const names = new Set(nodes.map((n) => n.metadata.name));
  for (const pod of pods) {
    const ended = pod.status?.phase === "Failed" || pod.status?.phase === "Succeeded";
    if ((ended || !names.has(nodeOf(pod))) && pod.metadata.deletionTimestamp === undefined)
      await api.deleteObject(pod, { signal: ctx.signal }).ignoreError("it may be gone already");
  }
  const old = pods.filter((p) => isActive(p) && p.metadata.labels?.[HASH_LABEL] !== hash && names.has(nodeOf(p)));
  const [next] = old;
  const rolling = (set.spec?.updateStrategy?.type ?? "RollingUpdate") === "RollingUpdate";
  if (rolling && next !== undefined && pods.filter((p) => isActive(p) && isReady(p)).length >= nodes.length)
    await api.deleteObject(next, { signal: ctx.signal }).ignoreError("it may be gone already");
  for (const node of nodes) {
    if (
      pods.some((p) => nodeOf(p) === node.metadata.name && (isActive(p) || p.metadata.deletionTimestamp !== undefined))
    )
      continue;
    try {
      const made = await api.create(daemonPod(set, node.metadata.name, hash), { signal: ctx.signal });
      ctx.event({ type: "Normal", reason: "SuccessfulCreate", message: `Created pod: ${made.metadata.name}` });
    } catch (error) {
      if (!isStatus(error)) throw error;
      if (isNamespaceGoing(error)) return true;
      ctx.event({ type: "Warning", reason: "FailedCreate", message: `Error creating: ${messageOf(error)}` });
      return false;
    }
  }
  return true;
}

function daemonPod(
  set: kinds.DaemonSet,
  node: string,
  hash: string,
): Parameters<ReturnType<Context<kinds.DaemonSet>["client"]["api"]>["create"]>[0] {
  const onNode = { matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] };
  return podFrom(set.spec?.template, {
    owner: controllerReference(set, kinds.DaemonSet),
    namespace: set.metadata.namespace ?? "",
    name: { generateName: `${set.metadata.name}-` },
    labels: { [HASH_LABEL]: hash, "pod-template-generation": String(set.metadata.generation ?? 1) },
    spec: (spec) => ({
      ...spec,
      affinity: {
        ...spec.affinity,
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [onNode] } },
      } as kinds.Affinity,
      tolerations: [
        ...(spec.tolerations ?? []),
        ...TOLERATED.map(([key, effect]) => ({ key, operator: "Exists", effect }) as kinds.Toleration),
      ],
    }),
  });
}

/** The node of a daemon's pod: where it runs, or where its affinity sends it. */
function nodeOf(pod: kinds.Pod): string {
  if (pod.spec?.nodeName !== undefined && pod.spec.nodeName !== "") return pod.spec.nodeName;
  const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution as
    | {
        readonly nodeSelectorTerms?: readonly {
          readonly matchFields?: readonly { readonly values?: readonly string[] }[];
        }[];
      }
    | undefined;
  return required?.nodeSelectorTerms?.[0]?.matchFields?.[0]?.values?.[0] ?? "";
}

/** Whether the template's node selector and tolerations let it run on a node. Cordons do not keep daemons off. */
function shouldRun(set: kinds.DaemonSet, node: kinds.Node): boolean {
  const spec = set.spec?.template?.spec;
  const labels = node.metadata.labels ?? {};
  if (!Object.entries(spec?.nodeSelector ?? {}).every(([key, value]) => labels[key] === value)) return false;
  const tolerations = spec?.tolerations ?? [];
  return (node.spec?.taints ?? []).every((taint) => {
    if (taint.effect === "PreferNoSchedule" || TOLERATED.some(([key]) => key === taint.key)) return true;
    return tolerations.some(
      (t) =>
        ((t.effect ?? "") === "" || t.effect === taint.effect) &&
        ((t.key ?? "") === ""
          ? t.operator === "Exists"
          : t.key === taint.key && (t.operator === "Exists" || (t.value ?? "") === (taint.value ?? ""))),
    );
  });
}

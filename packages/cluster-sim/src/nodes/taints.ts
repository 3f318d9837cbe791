import { editTaints, kinds, type Taint } from "@fairlead/client";
import { defineController, settled, type ControllerDefinition } from "@fairlead/runtime";

/** Taints that follow from a node's state: whether it is ready, and whether it is cordoned. */
const RULES: readonly {
  readonly taint: Pick<Taint, "key" | "effect">;
  readonly holds: (node: kinds.Node) => boolean;
}[] = [
  {
    taint: { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" },
    holds: (node) => readiness(node) === "False" || readiness(node) === undefined,
  },
  {
    taint: { key: "node.kubernetes.io/unreachable", effect: "NoSchedule" },
    holds: (node) => readiness(node) === "Unknown",
  },
  {
    taint: { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" },
    holds: (node) => node.spec?.unschedulable === true,
  },
  {
    taint: { key: "node.kubernetes.io/memory-pressure", effect: "NoSchedule" },
    holds: (node) => condition(node, "MemoryPressure") === "True",
  },
  {
    taint: { key: "node.kubernetes.io/disk-pressure", effect: "NoSchedule" },
    holds: (node) => condition(node, "DiskPressure") === "True",
  },
  {
    taint: { key: "node.kubernetes.io/pid-pressure", effect: "NoSchedule" },
    holds: (node) => condition(node, "PIDPressure") === "True",
  },
];

/** Keeps the taints of nodes in step with their conditions. */
export function nodeLifecycleController(): ControllerDefinition {
  return defineController<kinds.Node>({
    name: "node-lifecycle-controller",
    fieldManager: "kube-controller-manager",
    for: kinds.Node,
    reconcile: async (node, ctx) => {
      const add = RULES.filter((r) => r.holds(node)).map((r) => r.taint as Taint);
      const remove = RULES.filter((r) => !r.holds(node)).map((r) => r.taint);
      await editTaints(ctx.client.api(kinds.Node), node, { add, remove }, { signal: ctx.signal });
      return settled();
    },
  });
}

function condition(node: kinds.Node, type: string): string | undefined {
  return node.status?.conditions?.find((c) => c.type === type)?.status;
}

function readiness(node: kinds.Node): string | undefined {
  return condition(node, "Ready");
}

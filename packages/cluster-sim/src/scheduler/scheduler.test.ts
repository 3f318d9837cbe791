import { evict, kinds, type NewObject } from "@fairlead/client";
import { isStatus } from "@fairlead/apimachinery";
import { testEnv, type TestEnv } from "@fairlead/testing";
import { afterEach, describe, expect, it } from "vitest";

import { place } from "./predicates.js";

const node = (name: string, extra: Partial<kinds.Node> = {}): kinds.Node => ({
  metadata: { name, labels: { "kubernetes.io/hostname": name, zone: name < "n3" ? "a" : "b" } },
  status: { allocatable: { cpu: "4", memory: "8Gi", pods: "3", "nvidia.com/gpu": "1" } },
  ...extra,
});
const pod = (spec: object = {}, name = "p"): kinds.Pod => ({
  metadata: { name, namespace: "d", labels: { app: "x" } },
  spec: { containers: [{ name: "c", resources: { requests: { cpu: "1" } } }], ...spec },
});
const gpu = {
  containers: [{ name: "c", resources: { limits: { "nvidia.com/gpu": "1" }, requests: { "nvidia.com/gpu": "1" } } }],
};

describe("the place of a pod", () => {
  it("is the node with most room", () => {
    expect(
      place({
        pod: pod(),
        nodes: [
          { node: node("n1"), pods: [pod({}, "q")] },
          { node: node("n2"), pods: [] },
        ],
      }),
    ).toEqual({ kind: "node", name: "n2" });
  });

  it.each([
    [
      "cordoned nodes",
      pod(),
      node("n1", { spec: { unschedulable: true } }),
      "0/1 nodes are available: 1 node(s) were unschedulable.",
    ],
    [
      "taints",
      pod(),
      node("n1", { spec: { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] } }),
      "0/1 nodes are available: 1 node(s) had untolerated taint {k: v}.",
    ],
    [
      "the node's labels",
      pod({ nodeSelector: { zone: "b" } }),
      node("n1"),
      "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.",
    ],
    [
      "too little CPU",
      pod({ containers: [{ name: "c", resources: { requests: { cpu: "4100m" } } }] }),
      node("n1"),
      "0/1 nodes are available: 1 Insufficient cpu.",
    ],
  ])("is refused by %s", (_what, wanted, on, message) => {
    expect(place({ pod: wanted, nodes: [{ node: on, pods: [] }] })).toEqual({ kind: "none", message });
  });

  it("is refused when its GPUs are taken, and the room for pods is", () => {
    expect(
      place({
        pod: pod(gpu),
        nodes: [
          { node: node("n1"), pods: [pod(gpu, "q")] },
          { node: node("n2"), pods: ["a", "b", "c"].map((n) => pod({}, n)) },
        ],
      }),
    ).toEqual({ kind: "none", message: "0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 Too many pods." });
  });

  it("may be a tainted node that the pod tolerates", () => {
    const tainted = node("n1", { spec: { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] } });
    for (const toleration of [
      { key: "k", value: "v", effect: "NoSchedule" },
      { key: "k", operator: "Exists" },
      { operator: "Exists" },
    ]) {
      expect(place({ pod: pod({ tolerations: [toleration] }), nodes: [{ node: tainted, pods: [] }] }).kind).toBe(
        "node",
      );
    }
    expect(
      place({ pod: pod({ tolerations: [{ key: "k", value: "w" }] }), nodes: [{ node: tainted, pods: [] }] }).kind,
    ).toBe("none");
  });

  it("keeps its distance from pods that it is anti-affine to", () => {
    const anti = {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: "zone", labelSelector: { matchLabels: { app: "x" } } },
          ],
        },
      },
    };
    const nodes = [
      { node: node("n1"), pods: [pod({}, "q")] },
      { node: node("n2"), pods: [] },
      { node: node("n3"), pods: [] },
    ];
    expect(place({ pod: pod(anti), nodes })).toEqual({ kind: "node", name: "n3" });
  });

  it("may be the first of a group that is affine to itself", () => {
    const near = {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: "zone", labelSelector: { matchLabels: { app: "x" } } },
          ],
        },
      },
    };
    expect(place({ pod: pod(near), nodes: [{ node: node("n1"), pods: [] }] }).kind).toBe("node");
    const nodes = [
      { node: node("n1"), pods: [] },
      { node: node("n3"), pods: [pod({}, "q")] },
    ];
    expect(place({ pod: pod(near), nodes })).toEqual({ kind: "node", name: "n3" });
  });
});

describe("the scheduler", () => {
  let env: TestEnv;
  afterEach(() => env.close());

  it("never gives more than a node has, and hands on what becomes free", async () => {
    env = await testEnv({
      cluster: { nodes: [{ name: "n1", capacity: { cpu: "4", memory: "8Gi", pods: "10", "nvidia.com/gpu": "2" } }] },
    });
    const pods = env.client("user").api(kinds.Pod, "default");
    const wants = (name: string) =>
      ({
        metadata: { name },
        spec: {
          terminationGracePeriodSeconds: 0,
          containers: [{ name: "c", image: "a", resources: { limits: { "nvidia.com/gpu": "1" } } }],
        },
      }) as unknown as NewObject<kinds.Pod>;
    for (const name of ["a", "b", "c"]) await pods.create(wants(name));
    await env.settle();
    const waiting = (await pods.list()).items.filter((p) => (p.spec?.nodeName ?? "") === "");
    expect(waiting.map((p) => p.metadata.name)).toEqual(["c"]);
    expect(waiting[0]?.status?.conditions?.find((c) => c.type === "PodScheduled")).toMatchObject({
      status: "False",
      reason: "Unschedulable",
      message: "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.",
    });
    await pods.delete("a", { preconditions: "none" });
    await env.settle();
    expect((await pods.get("c")).status?.phase).toBe("Running");
  });

  it("leaves evictions to budgets", async () => {
    env = await testEnv({ cluster: {} });
    const client = env.client("user");
    const labels = { app: "x" };
    await client.api(kinds.Deployment, "default").create({
      metadata: { name: "d" },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "a" }] } },
      },
    });
    await client
      .api(kinds.PodDisruptionBudget, "default")
      .create({ metadata: { name: "b" }, spec: { minAvailable: 2, selector: { matchLabels: labels } } });
    await env.settle();
    const pods = client.api(kinds.Pod, "default");
    const [first] = (await pods.list()).items;
    const refused = await evict(pods, first?.metadata.name ?? "").then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(isStatus(refused, "TooManyRequests")).toBe(true);
  });
});

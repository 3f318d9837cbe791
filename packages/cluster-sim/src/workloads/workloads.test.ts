import { kinds, type ResourceKind } from "@fairlead/client";
import { testEnv, type TestEnv } from "@fairlead/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ANNOTATIONS, DEFAULT_NODES, NO_DELAYS } from "../options.js";

let env: TestEnv;
beforeEach(async () => {
  env = await testEnv({ cluster: { delays: { ...NO_DELAYS, runMs: 100 } } });
});
afterEach(() => env.close());

const labels = { app: "web" };
const template = (image = "a:1", annotations: Readonly<Record<string, string>> = {}) => ({
  metadata: { labels, annotations },
  spec: { containers: [{ name: "c", image }] },
});
const deployments = () => env.client("user").api(kinds.Deployment, "default");
const pods = async () => (await env.client("user").api(kinds.Pod, "default").list()).items;
const names = async () => (await pods()).map((p) => p.metadata.name).sort();
const patch = async (kind: Parameters<typeof pathOf>[0], name: string, body: unknown) => {
  const request = {
    method: "PATCH",
    path: pathOf(kind, name),
    headers: { "content-type": "application/merge-patch+json" },
    body: JSON.stringify(body),
  } as const;
  const { status } = await env.server.transport({ username: "user", groups: ["system:masters"] })(
    request,
    new AbortController().signal,
  );
  expect(status).toBe(200);
};
const pathOf = (kind: Pick<ResourceKind, "group" | "version" | "resource">, name: string) =>
  `${kind.group === "" ? "/api" : `/apis/${kind.group}`}/${kind.version}/namespaces/default/${kind.resource}/${name}`;

describe("a Deployment", () => {
  const web = (replicas = 3) => ({
    metadata: { name: "web" },
    spec: { replicas, selector: { matchLabels: labels }, template: template() },
  });

  it("rolls to a new template within its bounds and keeps the old ReplicaSet at zero", async () => {
    await deployments().create(web());
    await env.settle();
    const before = env.server.storage.revision;
    await patch(kinds.Deployment, "web", {
      spec: { template: { spec: { containers: [{ name: "c", image: "a:2" }] } } },
    });
    await env.settle();
    expect(env.server.storage.revision).toBeGreaterThan(before);
    const sets = (await env.client("user").api(kinds.ReplicaSet, "default").list()).items;
    expect(
      sets.map((s) => [s.metadata.annotations?.["deployment.kubernetes.io/revision"], s.spec?.replicas]).sort(),
    ).toEqual([
      ["1", 0],
      ["2", 3],
    ]);
    expect((await pods()).map((p) => p.spec?.containers[0]?.image)).toEqual(["a:2", "a:2", "a:2"]);
    const { metadata, status } = await deployments().get("web");
    expect(status).toMatchObject({ observedGeneration: metadata.generation, updatedReplicas: 3, readyReplicas: 3 });
  });

  it("goes back to the ReplicaSet of an earlier template", async () => {
    await deployments().create(web(1));
    await env.settle();
    const [first] = await names();
    for (const image of ["a:2", "a:1"]) {
      await patch(kinds.Deployment, "web", { spec: { template: { spec: { containers: [{ name: "c", image }] } } } });
      await env.settle();
    }
    const sets = (await env.client("user").api(kinds.ReplicaSet, "default").list()).items;
    expect(sets).toHaveLength(2);
    expect((await names())[0]?.split("-")[1]).toBe(first?.split("-")[1]);
  });

  it("stops with the old pods when the new ones never get ready", async () => {
    await deployments().create(web(2));
    await env.settle();
    await patch(kinds.Deployment, "web", {
      spec: { progressDeadlineSeconds: 60, template: template("a:2", { [ANNOTATIONS.neverReady]: "true" }) },
    });
    await env.settle({ quietMs: 120_000, limitMs: 1_200_000 });
    const { status } = await deployments().get("web");
    expect(status?.availableReplicas).toBe(2);
    expect(status?.conditions?.find((c) => c.type === "Progressing")).toMatchObject({
      status: "False",
      reason: "ProgressDeadlineExceeded",
    });
  });

  it("replaces everything at once when its strategy is Recreate", async () => {
    await deployments().create({ ...web(2), spec: { ...web(2).spec, strategy: { type: "Recreate" } } } as never);
    await env.settle();
    let mixed = false;
    const old = new Set(await names());
    await patch(kinds.Deployment, "web", { spec: { template: template("a:2") } });
    for (let i = 0; i < 20; i++) {
      await (env.clock as unknown as { advance(ms: number): Promise<void> }).advance(5);
      const now = (await pods()).filter((p) => p.status?.phase === "Running");
      mixed ||= now.some((p) => old.has(p.metadata.name)) && now.some((p) => !old.has(p.metadata.name));
    }
    await env.settle();
    expect(mixed).toBe(false);
    expect((await pods()).map((p) => p.spec?.containers[0]?.image)).toEqual(["a:2", "a:2"]);
  });

  it("goes with its ReplicaSets and pods when it is deleted in the background", async () => {
    await deployments().create(web());
    await env.settle();
    await deployments().delete("web", { preconditions: "none" });
    await env.settle();
    expect(await pods()).toEqual([]);
    expect((await env.client("user").api(kinds.ReplicaSet, "default").list()).items).toEqual([]);
  });

  it("leaves its pods behind when it is deleted with orphaning", async () => {
    await deployments().create(web());
    await env.settle();
    const before = await names();
    await deployments().delete("web", { propagation: "orphan", preconditions: "none" });
    await env.settle();
    expect(await names()).toEqual(before);
    expect(
      (await env.client("user").api(kinds.ReplicaSet, "default").list()).items[0]?.metadata.ownerReferences ?? [],
    ).toEqual([]);
  });
});

describe("a StatefulSet", () => {
  const set = (extra: object = {}) => ({
    metadata: { name: "db" },
    spec: { serviceName: "db", replicas: 3, selector: { matchLabels: labels }, template: template(), ...extra },
  });

  it("starts one pod after the other, each with its own claim, and stops them from the end", async () => {
    const volumeClaimTemplates = [
      {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
    ];
    await env.client("user").api(kinds.StatefulSet, "default").create(set({ volumeClaimTemplates }));
    await env.settle();
    expect(await names()).toEqual(["db-0", "db-1", "db-2"]);
    const times = [...(await pods())]
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
      .map((p) => Number(p.metadata.resourceVersion));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    const claims = (await env.client("user").api(kinds.PersistentVolumeClaim, "default").list()).items;
    expect(claims.map((c) => [c.metadata.name, c.status?.phase]).sort()).toEqual([
      ["data-db-0", "Bound"],
      ["data-db-1", "Bound"],
      ["data-db-2", "Bound"],
    ]);
    await patch(kinds.StatefulSet, "db", { spec: { replicas: 1 } });
    await env.settle();
    expect(await names()).toEqual(["db-0"]);
    expect((await env.client("user").api(kinds.PersistentVolumeClaim, "default").list()).items).toHaveLength(3);
  });

  it("does not go on while a pod is not ready", async () => {
    await env
      .client("user")
      .api(kinds.StatefulSet, "default")
      .create(set({ template: template("a:1", { [ANNOTATIONS.neverReady]: "true" }) }));
    await env.settle();
    expect(await names()).toEqual(["db-0"]);
  });

  it("replaces pods of an old revision from the end", async () => {
    await env.client("user").api(kinds.StatefulSet, "default").create(set());
    await env.settle();
    await patch(kinds.StatefulSet, "db", { spec: { template: template("a:2") } });
    await env.settle();
    expect((await pods()).map((p) => p.spec?.containers[0]?.image)).toEqual(["a:2", "a:2", "a:2"]);
    const { status } = await env.client("user").api(kinds.StatefulSet, "default").get("db");
    expect(status).toMatchObject({ readyReplicas: 3, updatedReplicas: 3 });
    expect(status?.currentRevision).toBe(status?.updateRevision);
  });
});

describe("a DaemonSet", () => {
  it("has one pod on each node, cordoned ones included, and follows the nodes", async () => {
    await env
      .client("user")
      .api(kinds.DaemonSet, "default")
      .create({ metadata: { name: "agent" }, spec: { selector: { matchLabels: labels }, template: template() } });
    await env.settle();
    expect((await pods()).map((p) => p.spec?.nodeName).sort()).toEqual(DEFAULT_NODES.map((n) => n.name));
    await env.client("user").api(kinds.Node).delete("node-2", { preconditions: "none" });
    await env.settle();
    const { status } = await env.client("user").api(kinds.DaemonSet, "default").get("agent");
    expect(status).toMatchObject({ desiredNumberScheduled: 2, numberReady: 2 });
  });
});

describe("a Job", () => {
  const job = (spec: object, annotations: Readonly<Record<string, string>> = {}) => ({
    metadata: { name: "j" },
    spec: {
      template: {
        metadata: { annotations },
        spec: { restartPolicy: "Never" as const, containers: [{ name: "c", image: "a" }] },
      },
      ...spec,
    },
  });
  const jobs = () => env.client("user").api(kinds.Job, "default");

  it("runs as many pods at once as it may until enough have succeeded, and counts each once", async () => {
    await jobs().create(job({ completions: 5, parallelism: 2 }));
    await env.settle();
    const { status } = await jobs().get("j");
    expect(status).toMatchObject({ succeeded: 5 });
    expect(status?.active).toBeUndefined();
    expect(status?.conditions?.map((c) => c.type).sort()).toEqual(["Complete", "SuccessCriteriaMet"]);
    const all = await pods();
    expect(all).toHaveLength(5);
    expect(all.flatMap((p) => p.metadata.finalizers ?? [])).toEqual([]);
  });

  it("fails when its pods fail too often", async () => {
    await jobs().create(job({ backoffLimit: 2 }, { [ANNOTATIONS.exitCode]: "3" }));
    await env.settle({ quietMs: 120_000, limitMs: 3_600_000 });
    const { status } = await jobs().get("j");
    expect(status?.failed).toBe(3);
    expect(status?.conditions?.find((c) => c.type === "Failed")).toMatchObject({
      status: "True",
      reason: "BackoffLimitExceeded",
    });
  });

  it("gives every index a pod that succeeds", async () => {
    await jobs().create(job({ completions: 4, parallelism: 3, completionMode: "Indexed" }));
    await env.settle();
    const { status } = await jobs().get("j");
    expect(status).toMatchObject({ succeeded: 4, completedIndexes: "0-3" });
    expect(
      (await pods()).map((p) => p.metadata.annotations?.["batch.kubernetes.io/job-completion-index"]).sort(),
    ).toEqual(["0", "1", "2", "3"]);
    expect((await pods()).map((p) => /^j-\d-/.test(p.metadata.name))).toEqual([true, true, true, true]);
  });

  it("waits while it is suspended", async () => {
    await jobs().create(job({ suspend: true }));
    await env.settle();
    expect(await pods()).toEqual([]);
    await patch(kinds.Job, "j", { spec: { suspend: false } });
    await env.settle();
    expect((await jobs().get("j")).status).toMatchObject({ succeeded: 1 });
  });

  it("goes after its time to live", async () => {
    await jobs().create(job({ ttlSecondsAfterFinished: 30 }));
    await env.settle({ quietMs: 60_000 });
    expect(await jobs().find("j")).toBeUndefined();
    expect(await pods()).toEqual([]);
  });
});

import { startApiServer } from "@fairlead/apiserver";
import { seededRandom, silentLogger, VirtualClock } from "@fairlead/base";
import type { KubernetesObject, OwnerReference, Uid } from "@fairlead/apimachinery";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  addFinalizer,
  ApplyConflictError,
  applyOwned,
  bindPod,
  Client,
  finalizeNamespace,
  getScale,
  kinds,
  mergeStatus,
  ownedPaths,
  owns,
  ownsStatus,
  removeFinalizer,
  removeOwnerReference,
  resourceKind,
  scale,
  setAnnotations,
  setOwnerReference,
  setStatusCondition,
  StaleObjectError,
  updateLease,
  wholeObject,
} from "../index.js";

/** The writes against the embedded server: what they do to the object, and to who owns its fields. */

let client: Client;
let close: () => Promise<void>;

beforeEach(async () => {
  const clock = new VirtualClock();
  const server = await startApiServer({
    clock,
    random: seededRandom(1),
    logger: silentLogger,
    disableAdmissionPlugins: ["ServiceAccount"],
  });
  close = () => server.close();
  client = new Client({ transport: server.transport(), clock, random: seededRandom(2), fieldManager: "controller" });
});
afterEach(() => close());

interface MiniService extends KubernetesObject {
  readonly spec: { readonly namespace: string; readonly workloadConfig?: Readonly<Record<string, unknown>> | null };
  readonly status?: { readonly phase?: string; readonly claims?: Readonly<Record<string, string>> };
}
const MiniService = resourceKind<MiniService>({
  group: "nvcf.example.com",
  version: "v1",
  kind: "MiniService",
  resource: "miniservices",
  namespaced: false,
});

async function installMiniService(): Promise<void> {
  const free = { type: "object", "x-kubernetes-preserve-unknown-fields": true } as const;
  await client.api(kinds.CustomResourceDefinition).create({
    metadata: { name: "miniservices.nvcf.example.com" },
    spec: {
      group: "nvcf.example.com",
      scope: "Cluster",
      names: { plural: "miniservices", kind: "MiniService" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: {
                  type: "object",
                  properties: { namespace: { type: "string" }, workloadConfig: { ...free, nullable: true } },
                },
                status: {
                  type: "object",
                  properties: {
                    phase: { type: "string" },
                    claims: { type: "object", additionalProperties: { type: "string" } },
                  },
                },
              },
            },
          },
        },
      ],
    },
  });
  await expect
    .poll(() => client.discovery.find({ group: "nvcf.example.com", version: "v1", kind: "MiniService" }))
    .toBeDefined();
}

const web = owns(kinds.Deployment, "metadata.labels", "spec.replicas", "spec.selector", "spec.template");
const ref = { namespace: "default", name: "web" };
const labels = { app: "web" };
const body = {
  metadata: { labels },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "app", image: "a:1" }] } },
  },
};

/** `manager operation[/subresource]`, as managedFields have them. */
function owners(object: KubernetesObject): readonly string[] {
  return (object.metadata.managedFields ?? []).map(
    (one) => `${one.manager ?? ""} ${one.operation ?? ""}${one.subresource === undefined ? "" : `/${one.subresource}`}`,
  );
}

describe("an apply of owned paths", () => {
  it("creates, then changes nothing, then only what it owns", async () => {
    const { object: first } = await applyOwned(client, ownedPaths(web, ref, body));
    const { object: again } = await applyOwned(client, ownedPaths(web, ref, body));
    expect(again.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    await scale(client.as("hpa").api(kinds.Deployment, "default"), "web", 5);
    const error: unknown = await applyOwned(client, ownedPaths(web, ref, body)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApplyConflictError);
    expect((error as ApplyConflictError).conflicts).toEqual([{ field: ".spec.replicas", manager: "hpa" }]);
    const left = await applyOwned(client, ownedPaths(web, ref, body), { onConflict: "yield" });
    expect([left.object.spec?.replicas, left.yielded.length]).toEqual([5, 1]);
    const taken = await applyOwned(client, ownedPaths(web, ref, body), { onConflict: "take" });
    expect(taken.object.spec?.replicas).toBe(2);
  });

  it("gives up what it leaves out", async () => {
    await applyOwned(client, ownedPaths(web, ref, { ...body, metadata: { labels: { app: "web", extra: "1" } } }));
    const { object } = await applyOwned(client, ownedPaths(web, ref, body));
    expect(object.metadata.labels).toEqual(labels);
  });

  it("owns a rendered manifest whole", async () => {
    const manifest = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "c", creationTimestamp: null },
      data: { a: "1" },
      status: {},
    };
    const { object } = await applyOwned(
      client,
      ownedPaths(wholeObject(kinds.ConfigMap), { namespace: "default", name: "c" }, manifest),
    );
    expect(object).toMatchObject({
      data: { a: "1" },
      metadata: {
        managedFields: [{ manager: "controller", operation: "Apply", fieldsV1: { "f:data": { "f:a": {} } } }],
      },
    });
  });
});

describe("a targeted apply to a custom resource", () => {
  const config = owns(MiniService, "spec.workloadConfig");
  const at = { name: "ms" };
  const set = ownedPaths(config, at, { spec: { workloadConfig: { featureFlags: { StatusByWorkerReadiness: true } } } });
  const clear = ownedPaths(config, at, {}, { clear: ["spec.workloadConfig"] });
  const take = { onConflict: "take" } as const;

  beforeEach(async () => {
    await installMiniService();
  });

  it("changes its own field, and owns nothing else", async () => {
    await client
      .as("user")
      .api(MiniService)
      .create({ metadata: { name: "ms" }, spec: { namespace: "ns" } });
    const { object } = await applyOwned(client, set, take);
    expect(object.spec).toEqual({
      namespace: "ns",
      workloadConfig: { featureFlags: { StatusByWorkerReadiness: true } },
    });
    const own = object.metadata.managedFields?.find((one) => one.manager === "controller");
    expect(own).toMatchObject({
      operation: "Apply",
      fieldsV1: { "f:spec": { "f:workloadConfig": { "f:featureFlags": { "f:StatusByWorkerReadiness": {} } } } },
    });
    expect(Object.keys(own?.fieldsV1?.["f:spec"] as object)).toEqual(["f:workloadConfig"]);
  });

  it.each<[sentence: string, before: () => PromiseLike<unknown>]>([
    ["its own value", () => applyOwned(client, set, take)],
    [
      "another manager's update",
      () =>
        client
          .as("user")
          .api(MiniService)
          .delete("ms", { preconditions: "none" })
          .then(() =>
            client
              .as("user")
              .api(MiniService)
              .create({
                metadata: { name: "ms" },
                spec: { namespace: "ns", workloadConfig: { featureFlags: { a: true } } },
              }),
          ),
    ],
    ["another manager's apply", () => applyOwned(client.as("user"), set, take)],
    ["what both own", () => applyOwned(client.as("user"), set, take).then(() => applyOwned(client, set, take))],
  ])("clears %s: the key is gone, and nobody owns it", async (_sentence, before) => {
    await client
      .as("user")
      .api(MiniService)
      .create({ metadata: { name: "ms" }, spec: { namespace: "ns" } });
    await before();
    const { object } = await applyOwned(client, clear, take);
    expect(object.spec).toEqual({ namespace: "ns" });
    expect(JSON.stringify(object.metadata.managedFields)).not.toContain("workloadConfig");
  });

  it("applies status paths through /status, beside a merged status", async () => {
    const api = client.api(MiniService);
    await api.create({ metadata: { name: "ms" }, spec: { namespace: "ns" } });
    await mergeStatus(api, "ms", { phase: "Running" });
    const claims = ownsStatus(MiniService, "status.claims");
    const { object } = await applyOwned(client, ownedPaths(claims, at, { status: { claims: { a: "b" } } }), take);
    expect(object.status).toEqual({ phase: "Running", claims: { a: "b" } });
    expect(owners(object)).toContain("controller Apply/status");
    expect(owners(object)).toContain("controller Update/status");
  });
});

describe("keyed edits", () => {
  const owner = (uid: string, name = uid): OwnerReference => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    name,
    uid: uid as Uid,
  });

  it("of finalizers cannot drop a stranger's", async () => {
    const api = client.api(kinds.ConfigMap, "default");
    const seen = await api.create({ metadata: { name: "c" } });
    const mine = await addFinalizer(api, seen, "mine/f");
    await expect(addFinalizer(api, seen, "late/f")).rejects.toBeInstanceOf(StaleObjectError);
    await addFinalizer(api, mine, "other/f");
    const left = await removeFinalizer(api, mine, "mine/f");
    expect(left.metadata.finalizers).toEqual(["other/f"]);
    await expect(removeFinalizer(api, mine, "mine/f")).rejects.toBeInstanceOf(StaleObjectError);
    expect((await removeFinalizer(api, left, "other/f")).metadata.finalizers).toBeUndefined();
  });

  it("of owner references go by uid", async () => {
    const api = client.api(kinds.ConfigMap, "default");
    let object = await api.create({ metadata: { name: "c" } });
    object = await setOwnerReference(api, object, owner("u1"));
    object = await setOwnerReference(api, object, owner("u2"));
    object = await setOwnerReference(api, object, { ...owner("u1"), controller: true });
    expect(object.metadata.ownerReferences).toMatchObject([{ uid: "u1", controller: true }, { uid: "u2" }]);
    object = await removeOwnerReference(api, object, "u1" as Uid);
    expect(object.metadata.ownerReferences).toEqual([owner("u2")]);
  });

  it("of annotations go by key", async () => {
    const api = client.api(kinds.ConfigMap, "default");
    await api.create({ metadata: { name: "c", annotations: { a: "1", b: "2" } } });
    expect((await setAnnotations(api, "c", { a: null, c: "3" })).metadata.annotations).toEqual({ b: "2", c: "3" });
  });

  it("of conditions go by type", async () => {
    const api = client.api(kinds.Node);
    let node = await api.create({ metadata: { name: "n" } });
    for (const [type, status] of [
      ["Ready", "False"],
      ["Disk", "True"],
      ["Ready", "True"],
    ] as const)
      node = await setStatusCondition(api, node, { type, status });
    expect(node.status?.conditions).toMatchObject([
      { type: "Ready", status: "True" },
      { type: "Disk", status: "True" },
    ]);
  });
});

describe("the closed list", () => {
  it("deletes only the life that was read", async () => {
    const api = client.api(kinds.ConfigMap, "default");
    const first = await api.create({ metadata: { name: "c" } });
    await api.deleteObject(first);
    await api.create({ metadata: { name: "c" } });
    await expect(api.deleteObject(first)).rejects.toMatchObject({ reason: "Conflict" });
    expect(await api.find("c")).toBeDefined();
  });

  it("binds a pod once", async () => {
    const api = client.api(kinds.Pod, "default");
    const pod = await api.create({ metadata: { name: "p" }, spec: { containers: [{ name: "a", image: "b" }] } });
    await bindPod(api, "p", "n1", { uid: pod.metadata.uid ?? "" });
    expect((await api.get("p")).spec?.nodeName).toBe("n1");
    await expect(bindPod(api, "p", "n2")).rejects.toMatchObject({ reason: "Conflict" });
  });

  it("scales, and reads the scale", async () => {
    await applyOwned(client, ownedPaths(web, ref, body));
    const api = client.api(kinds.Deployment, "default");
    expect((await scale(api, "web", 4)).spec?.replicas).toBe(4);
    expect((await getScale(api, "web")).spec?.replicas).toBe(4);
  });

  it("lets a terminating namespace go", async () => {
    const api = client.api(kinds.Namespace);
    await api.create({ metadata: { name: "going", labels: { a: "b" } }, spec: { finalizers: ["kubernetes"] } });
    await api.delete("going", { preconditions: "none" });
    const going = await api.get("going");
    expect(going).toMatchObject({ status: { phase: "Terminating" }, metadata: { labels: { a: "b" } } });
    await finalizeNamespace(api, going, []);
    expect(await api.find("going")).toBeUndefined();
  });

  it("replaces a lease that was read, and no other", async () => {
    const api = client.api(kinds.Lease, "default");
    const lease = await api.create({
      metadata: { name: "l" },
      spec: { holderIdentity: "a", leaseDurationSeconds: 15 },
    });
    await updateLease(api, { ...lease, spec: { ...lease.spec, holderIdentity: "b" } });
    await expect(updateLease(api, lease)).rejects.toMatchObject({ reason: "Conflict" });
  });
});

import { startApiServer } from "@fairlead/apiserver";
import { never, seededRandom, silentLogger, VirtualClock, type HttpRequest, type Transport } from "@fairlead/base";
import { formatKey, keyOf, type KubernetesObject } from "@fairlead/apimachinery";
import { applyOwned, Client, kinds, ownedPaths, owns, scale } from "@fairlead/client";
import { afterEach, describe, expect, it } from "vitest";
import type { ControllerDefinition, Reconciled } from "../controller/controller.js";
import { defineController } from "../controller/define.js";
import { after, released, settled, terminal } from "../controller/outcome.js";
import type { ControllerSpec } from "../controller/spec.js";
import { generationChanged, index, watch } from "../controller/triggers.js";
import { Manager, type ManagerOptions } from "./manager.js";

/** A server, a client to look with, and managers, all in this process and on one virtual clock. */
interface World {
  readonly clock: VirtualClock;
  readonly client: Client;
  readonly requests: HttpRequest[];
  /** Writes other than leases and events since the last call. */
  writes(): readonly string[];
  start(
    controllers: readonly ControllerDefinition[],
    options?: Partial<ManagerOptions> & { readonly via?: (transport: Transport) => Transport },
  ): Promise<Manager>;
  settle(ms?: number): Promise<void>;
  readonly reconciled: Reconciled[];
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function world(): Promise<World> {
  const clock = new VirtualClock();
  const server = await startApiServer({ clock, random: seededRandom(1), logger: silentLogger });
  closing.push(() => server.close());
  const requests: HttpRequest[] = [];
  const direct = server.transport();
  const recorded: Transport = (request, signal) => {
    requests.push(request);
    return direct(request, signal);
  };
  const reconciled: Reconciled[] = [];
  let seen = 0;
  return {
    clock,
    requests,
    reconciled,
    client: new Client({ transport: direct, clock, random: seededRandom(2), fieldManager: "user" }),
    writes() {
      const since = requests
        .slice(seen)
        .filter(({ method, path }) => method !== "GET" && !/\/(leases|events)\b/.test(path));
      seen = requests.length;
      return since.map(({ method, path }) => `${method} ${path.split("?")[0] ?? ""}`);
    },
    async start(controllers, { via = (transport: Transport) => transport, ...options } = {}) {
      const client = new Client({ transport: via(recorded), clock, random: seededRandom(3) });
      const manager = new Manager({
        client,
        clock,
        random: seededRandom(4),
        controllers,
        freeze: true,
        onReconciled: (one) => reconciled.push(one),
        ...options,
      });
      closing.push(async () => {
        const closed = manager.close();
        await clock.advance(20_000);
        await closed;
      });
      const started = manager.start(never);
      await clock.advance(0);
      await started;
      return manager;
    },
    settle: (ms = 0) => clock.advance(ms),
  };
}

const config = owns(kinds.ConfigMap, "data", "metadata.ownerReferences", "metadata.labels");
const ref = { namespace: "default", name: "web" };

function deployment(name = "web", replicas = 1): Parameters<ReturnType<typeof api>["create"]>[0] {
  const labels = { app: name };
  return {
    metadata: { name, namespace: "default" },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "app", image: "a:1" }] } },
    },
  };
}
const api = (client: Client) => client.api(kinds.Deployment, "default");

function ownerOf(object: KubernetesObject): readonly [
  {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly uid: never;
    readonly controller: true;
  },
] {
  return [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      name: object.metadata.name,
      uid: object.metadata.uid as never,
      controller: true,
    },
  ];
}

/** Keeps a ConfigMap with the number of replicas, and reports it in the status. */
function mirror(change: Partial<ControllerSpec<kinds.Deployment>> = {}): ControllerDefinition {
  return defineController({
    name: "mirror",
    for: kinds.Deployment,
    owns: { config },
    async reconcile(object, ctx) {
      const replicas = object.spec?.replicas ?? 1;
      await ctx.apply(
        config,
        { name: object.metadata.name },
        { metadata: { ownerReferences: ownerOf(object) }, data: { replicas: String(replicas) } },
      );
      await ctx.status({ replicas, observedGeneration: object.metadata.generation ?? 0 });
      return settled();
    },
    ...change,
  });
}

describe("a controller", () => {
  it("makes what is asked for, follows changes, and then writes nothing", async () => {
    const w = await world();
    await api(w.client).create(deployment());
    await w.start([mirror()]);
    await w.settle();
    expect((await w.client.api(kinds.ConfigMap).get(ref)).data).toEqual({ replicas: "1" });
    expect((await api(w.client).get("web")).status).toMatchObject({ replicas: 1, observedGeneration: 1 });
    w.writes();
    await setReplicas(w, 3);
    await w.settle();
    expect((await w.client.api(kinds.ConfigMap).get(ref)).data).toEqual({ replicas: "3" });
    w.writes();
    await w.settle(60_000);
    expect(w.writes()).toEqual([]);
  });

  it("writes in its own name, and only what it owns", async () => {
    const w = await world();
    await api(w.client).create(deployment());
    await w.start([mirror()]);
    await w.settle();
    const made = await w.client.api(kinds.ConfigMap).get(ref);
    expect(made.metadata.managedFields).toMatchObject([{ manager: "fairlead/mirror", operation: "Apply" }]);
    const { managedFields = [] } = (await api(w.client).get("web")).metadata;
    expect(managedFields.find((entry) => entry.subresource === "status")).toMatchObject({
      manager: "fairlead/mirror",
      operation: "Update",
    });
  });

  it("restores what it owns when it is deleted", async () => {
    const w = await world();
    await api(w.client).create(deployment());
    await w.start([mirror()]);
    await w.settle();
    await w.client.api(kinds.ConfigMap).delete(ref, { preconditions: "none" });
    await w.settle();
    expect(await w.client.api(kinds.ConfigMap).find(ref)).toBeDefined();
  });

  it("sees its own writes at once, although the watch has not brought them", async () => {
    const w = await world();
    await api(w.client).create(deployment());
    const counts: number[] = [];
    const deaf: (transport: Transport) => Transport = (transport) => async (request, signal) => {
      // The watch of ConfigMaps connects and stays silent.
      if (!request.path.includes("configmaps?watch")) return transport(request, signal);
      return { status: 200, headers: {}, body: silence(signal) };
    };
    await w.start(
      [
        mirror({
          async reconcile(object, ctx) {
            counts.push(ctx.owned(kinds.ConfigMap).length);
            if (counts.at(-1) === 3) return settled();
            await ctx.client
              .api(kinds.ConfigMap, "default")
              .create({ metadata: { generateName: "made-", ownerReferences: ownerOf(object) } });
            return after(10);
          },
        }),
      ],
      { via: deaf },
    );
    await w.settle(1_000);
    expect(counts).toEqual([0, 1, 2, 3]);
    expect(
      (await w.client.api(kinds.ConfigMap, "default").list()).items.filter((one) =>
        one.metadata.name.startsWith("made-"),
      ),
    ).toHaveLength(3);
  });

  it("retries what fails with a growing pause, and lets others work on", async () => {
    const w = await world();
    await api(w.client).create(deployment("bad"));
    await api(w.client).create(deployment("good"));
    let failures = 0;
    await w.start([
      mirror({
        reconcile(object) {
          if (object.metadata.name === "good") return Promise.resolve(settled());
          failures++;
          throw new Error("no luck");
        },
      }),
    ]);
    await w.settle(5 + 10 + 20);
    expect(failures).toBe(4);
    expect(w.reconciled.filter((one) => one.key.name === "good").map((one) => one.result.kind)).toEqual(["done"]);
    expect(w.reconciled.filter((one) => one.key.name === "bad").map((one) => one.result)).toMatchObject(
      [5, 10, 20, 40].map((retryMs) => ({ kind: "failed", retryMs })),
    );
  });

  it("leaves an object alone after a terminal failure, until it changes", async () => {
    const w = await world();
    await api(w.client).create(deployment());
    let tries = 0;
    await w.start([
      mirror({
        reconcile() {
          tries++;
          throw terminal("QuotaExceeded", "too many");
        },
      }),
    ]);
    await w.settle(1_000_000);
    expect(tries).toBe(1);
    await setReplicas(w, 2);
    await w.settle();
    expect(tries).toBe(2);
  });

  it("fails when a write was made and not awaited, and names it", async () => {
    const w = await world();
    await api(w.client).create(deployment());
    await w.start([
      mirror({
        reconcile(object, ctx) {
          // eslint-disable-next-line @typescript-eslint/no-floating-promises -- the mistake that is tested
          ctx.status({ replicas: 7 });
          return Promise.resolve(settled());
        },
      }),
    ]);
    await w.settle();
    expect(w.reconciled[0]?.result).toMatchObject({ kind: "failed", error: { code: "UnawaitedWrite" } });
    expect(String((w.reconciled[0]?.result as { error?: unknown }).error)).toMatch(
      /patch Deployment\/status default\/web was never awaited.*manager\.test\.ts/,
    );
    expect(w.writes()).toEqual([]);
  });

  it("aborts a reconcile at its deadline, and refuses what it writes afterwards", async () => {
    const w = await world();
    await api(w.client).create(deployment());
    let late: unknown;
    await w.start([
      mirror({
        deadlineMs: 1_000,
        async reconcile(object, ctx) {
          await w.clock.sleep(2_000, never);
          late = await ctx.status({ replicas: 7 }).catch((error: unknown) => error);
          return settled();
        },
      }),
    ]);
    await w.settle(1_000);
    expect(w.reconciled[0]?.result).toMatchObject({ kind: "failed", error: { code: "ReconcileDeadline" } });
    await w.settle(1_000);
    expect(late).toMatchObject({ code: "WriteRefused" });
    expect(w.writes()).toEqual([]);
  });

  it("comes back after the time it asked for, and not for its own status when generations decide", async () => {
    const w = await world();
    await api(w.client).create(deployment());
    let passes = 0;
    await w.start([
      mirror({
        predicate: generationChanged,
        async reconcile(object, ctx) {
          passes++;
          await ctx.status({ replicas: passes });
          return after(30_000);
        },
      }),
    ]);
    await w.settle(29_999);
    expect(passes).toBe(1);
    await w.settle(1);
    expect(passes).toBe(2);
  });

  it("maps other kinds to its objects, and finds them by index", async () => {
    const w = await world();
    const seen: string[] = [];
    await w.start([
      defineController({
        name: "nodes",
        for: kinds.Node,
        watches: [watch(kinds.Pod, (pod) => (pod.spec?.nodeName === undefined ? [] : [{ name: pod.spec.nodeName }]))],
        indexes: [
          index(kinds.Pod, "node", (pod: kinds.Pod) => (pod.spec?.nodeName === undefined ? [] : [pod.spec.nodeName])),
        ],
        reconcile(node, ctx) {
          seen.push(
            `${node.metadata.name}: ${ctx
              .store(kinds.Pod)
              .by("node", node.metadata.name)
              .map((pod) => formatKey(keyOf(pod)))
              .join()}`,
          );
          return Promise.resolve(settled());
        },
      }),
    ]);
    await w.client.api(kinds.Node).create({ metadata: { name: "n1" } });
    await w.settle();
    await w.client
      .api(kinds.ServiceAccount, "default")
      .create({ metadata: { name: "default" } })
      .ignoreError("it may be there");
    await w.client
      .api(kinds.Pod, "default")
      .create({ metadata: { name: "p" }, spec: { nodeName: "n1", containers: [{ name: "a", image: "b" }] } });
    await w.settle();
    expect(seen).toEqual(["n1: ", "n1: default/p"]);
  });
});

describe("what need not be written", () => {
  it("is not sent: an apply done before, as long as its object is as it was left", async () => {
    const w = await world();
    await api(w.client).create(deployment());
    let passes = 0;
    await w.start([
      mirror({
        async reconcile(object, ctx) {
          await ctx.apply(
            config,
            { name: "web" },
            { metadata: { ownerReferences: ownerOf(object) }, data: { a: "1" } },
            { onConflict: "take" },
          );
          return ++passes < 10 ? after(1_000) : settled();
        },
      }),
    ]);
    await w.settle(4_500);
    const applies = (): number => w.writes().filter((write) => write.startsWith("PATCH")).length;
    expect(applies()).toBeLessThan(3);
    await applyOwned(w.client, ownedPaths(owns(kinds.ConfigMap, "data"), ref, { data: { a: "2" } }), {
      onConflict: "take",
    });
    await w.settle(1_000);
    expect((await w.client.api(kinds.ConfigMap).get(ref)).data).toEqual({ a: "1" });
    expect(applies()).toBeGreaterThan(0);
    expect(passes).toBeGreaterThan(5);
  });

  it("is judged by the status as it is after the writes of the same pass", async () => {
    const w = await world();
    await api(w.client).create(deployment());
    await w.start([
      mirror({
        async reconcile(_object, ctx) {
          await ctx.status({ replicas: 1 });
          await ctx.status({ replicas: 2 });
          await ctx.status({ replicas: 1 });
          return settled();
        },
        predicate: generationChanged,
      }),
    ]);
    await w.settle();
    expect(w.writes()).toHaveLength(3);
    expect((await api(w.client).get("web")).status?.replicas).toBe(1);
  });
});

describe("a selected informer", () => {
  it("shows own writes only to those who selected them", async () => {
    const w = await world();
    const manager = await w.start([], {
      runnables: [
        {
          name: "writer",
          async run({ client, informers }, signal) {
            const all = informers.get(kinds.ConfigMap, { namespace: "default" });
            await all.synced(signal);
            await client
              .as("writer")
              .api(kinds.ConfigMap, "default")
              .create({ metadata: { name: "c", labels: { tier: "web" } } });
          },
        },
      ],
    });
    const web = manager.informers.get(kinds.ConfigMap, { labelSelector: "tier=web" });
    const other = manager.informers.get(kinds.ConfigMap, { labelSelector: "tier=db" });
    const elsewhere = manager.informers.get(kinds.ConfigMap, { namespace: "kube-system" });
    await w.settle();
    expect([web, other, elsewhere].map((informer) => informer.store.get("default/c") !== undefined)).toEqual([
      true,
      false,
      false,
    ]);
    manager.informers.remove(web);
    await w.client.api(kinds.ConfigMap, "default").delete("c", { preconditions: "none" });
    await w.settle();
    expect(web.store.get("default/c")).toBeDefined();
  });
});

describe("a finalizer", () => {
  it("is on the object before the first effect, and comes off only after everything is released", async () => {
    const w = await world();
    await api(w.client).create(deployment());
    const steps: string[] = [];
    let clean = false;
    await w.start([
      mirror({
        reconcile(object) {
          steps.push(`reconcile with ${object.metadata.finalizers?.join() ?? "none"}`);
          return Promise.resolve(settled());
        },
        finalize: {
          name: "example.com/cleanup",
          run() {
            steps.push("finalize");
            if (steps.filter((step) => step === "finalize").length === 1) throw new Error("not yet");
            return Promise.resolve(clean ? released() : after(1_000));
          },
        },
      }),
    ]);
    await w.settle(10);
    expect(steps).toEqual(["reconcile with example.com/cleanup"]);
    await api(w.client).delete("web", { preconditions: "none" });
    await w.settle(100);
    expect(steps).toEqual(["reconcile with example.com/cleanup", "finalize", "finalize"]);
    expect(await api(w.client).find("web")).toBeDefined();
    clean = true;
    await w.settle(1_000);
    expect(await api(w.client).find("web")).toBeUndefined();
  });
});

describe("a manager", () => {
  it("closes everything it opened", async () => {
    const w = await world();
    await api(w.client).create(deployment());
    const manager = await w.start([mirror({ reconcile: () => Promise.resolve(after(1_000)) })]);
    await w.settle(5_000);
    await manager.close();
    expect(w.clock.nextMs()).toBeUndefined();
  });

  it("lets a reconcile end before it closes, but not for ever", async () => {
    const w = await world();
    await api(w.client).create(deployment());
    const manager = await w.start(
      [
        mirror({
          reconcile: (_object, ctx) => ctx.clock.sleep(60_000, never).then(() => settled()),
          deadlineMs: 100_000,
        }),
      ],
      { stopMs: 5_000 },
    );
    await w.settle();
    let closed = false;
    const closing = manager.close().then(() => (closed = true));
    await w.settle(4_999);
    expect(closed).toBe(false);
    await w.settle(1);
    await closing;
  });

  it("counts an event that repeats", async () => {
    const w = await world();
    await api(w.client).create(deployment());
    let passes = 0;
    await w.start([
      mirror({
        reconcile(_object, ctx) {
          ctx.event({ type: "Normal", reason: "Seen", message: "it was seen" });
          return Promise.resolve(++passes < 3 ? after(1_000) : settled());
        },
      }),
    ]);
    await w.settle(10_000);
    const { items } = await w.client.api(kinds.Event, "default").list();
    expect(items).toMatchObject([
      {
        reason: "Seen",
        count: 3,
        involvedObject: { kind: "Deployment", name: "web" },
        firstTimestamp: "2026-01-01T00:00:00Z",
        lastTimestamp: "2026-01-01T00:00:02Z",
      },
    ]);
  });

  it("refuses two controllers of one name", () => {
    const clock = new VirtualClock();
    const client = new Client({ transport: () => Promise.reject(new Error("none")), clock, random: seededRandom(1) });
    expect(() => new Manager({ client, clock, random: seededRandom(1), controllers: [mirror(), mirror()] })).toThrow(
      "Two controllers are named mirror",
    );
  });
});

describe("two managers with one lease", () => {
  const leader = (identity: string): Partial<ManagerOptions> => ({
    leader: { namespace: "default", lease: "mirror", identity },
  });

  function who(): { readonly controller: (name: string) => ControllerDefinition; readonly by: string[] } {
    const by: string[] = [];
    return {
      by,
      controller: (name) =>
        mirror({
          async reconcile(object, ctx) {
            await ctx.status({ replicas: (object.status?.replicas ?? 0) + 1 });
            by.push(name);
            return after(1_000);
          },
          predicate: generationChanged,
        }),
    };
  }

  it("work one at a time, and the second takes over when the first gives the lease back", async () => {
    const w = await world();
    await api(w.client).create(deployment());
    const { controller, by } = who();
    const first = await w.start([controller("first")], leader("a"));
    await w.start([controller("second")], leader("b"));
    await w.settle(30_000);
    expect(new Set(by)).toEqual(new Set(["first"]));
    const closed = first.close();
    await w.settle(5_000);
    await closed;
    await w.settle(5_000);
    expect(by.at(-1)).toBe("second");
  });

  it("never write both, when the first is cut off and does not know it", async () => {
    const w = await world();
    await api(w.client).create(deployment());
    const { controller, by } = who();
    let cut = false;
    const via =
      (transport: Transport): Transport =>
      (request, signal) =>
        cut && request.path.includes("leases") ? Promise.reject(new Error("no route")) : transport(request, signal);
    const first = await w.start([controller("first")], { ...leader("a"), via });
    await w.start([controller("second")], leader("b"));
    await w.settle(5_000);
    cut = true;
    for (let i = 0; i < 60; i++) {
      await w.settle(1_000);
      if (by.at(-1) === "second") expect(first.leading).toBe(false);
    }
    expect(by.lastIndexOf("first")).toBeLessThan(by.indexOf("second"));
    expect(by.at(-1)).toBe("second");
  });
});

async function setReplicas(w: World, replicas: number): Promise<void> {
  await scale(api(w.client), "web", replicas);
}

async function* silence(signal: AbortSignal): AsyncGenerator<string> {
  yield await new Promise<string>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}

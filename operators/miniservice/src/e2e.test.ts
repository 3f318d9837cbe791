import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import { seededRandom, silentLogger, VirtualClock } from "@fairlead/base";
import { isStatus, type Condition } from "@fairlead/apimachinery";
import { startApiServer, type ApiServer } from "@fairlead/apiserver";
import { applyOwned, Client, evict, kinds, ownedPaths, owns, wholeObject } from "@fairlead/client";
import { NO_DELAYS, simulatedCluster, type Delays } from "@fairlead/cluster-sim";
import { Manager } from "@fairlead/runtime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  CONTROL_CONFIG_MAP,
  FIELD_MANAGER,
  FINALIZER,
  IcmsRequest,
  icmsRequestDefinition,
  MiniService,
  miniServiceDefinition,
  NAME_LABEL,
  REQUESTS_NAMESPACE,
} from "./api.js";
import { controlPlane } from "./control-plane/control-plane.js";
import { miniServiceController } from "./controller.js";
import { defaultPolicy, trustedPolicy, type Policy } from "./render/policy.js";
import { recordedRenderer, type Recording } from "./render/recorded.js";
import type { Renderer } from "./render/renderer.js";
import { neutralWorker } from "./worker/profile.js";

const recordings = JSON.parse(
  readFileSync(new URL("../../../packages/conformance/data/rendered/sample-inference.json", import.meta.url), "utf8"),
) as Recording[];
const URL_OF_SAMPLE = recordings[0]?.url ?? "";
const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** API server, cluster, operator and control plane in this process, on a virtual clock. */
class Stack {
  readonly clock = new VirtualClock();
  readonly random = seededRandom(7);
  readonly server: ApiServer;
  readonly client: Client;
  readonly #managers: Manager[] = [];

  private constructor(server: ApiServer, clock: VirtualClock) {
    this.server = server;
    this.clock = clock;
    this.client = this.as("tester");
  }

  static async start(
    options: {
      readonly delays?: Delays;
      readonly purge?: boolean;
      readonly renderer?: Renderer;
      readonly policy?: Policy;
    } = {},
  ): Promise<Stack> {
    const clock = new VirtualClock();
    const stack = new Stack(await startApiServer({ clock, random: seededRandom(3), logger: silentLogger }), clock);
    for (const definition of [miniServiceDefinition, icmsRequestDefinition]) {
      await applyOwned(
        stack.client,
        ownedPaths(
          wholeObject(kinds.CustomResourceDefinition),
          { name: definition.metadata.name },
          definition as unknown as Readonly<Record<string, unknown>>,
        ),
      );
    }
    await stack.client.api(kinds.Namespace).create({ metadata: { name: REQUESTS_NAMESPACE } });
    await clock.advance(10);
    const nodes = ["n1", "n2", "n3"].map((name) => ({
      name,
      capacity: { cpu: "64", memory: "256Gi", pods: "110", "nvidia.com/gpu": "4" },
    }));
    await stack.run(
      "kube-controller-manager",
      simulatedCluster({
        nodes,
        delays: options.delays ?? { ...NO_DELAYS, readyMs: 500, stopMs: 200 },
        authority: "ca",
      }),
    );
    await stack.run(FIELD_MANAGER, {
      controllers: [
        miniServiceController({
          renderer: options.renderer ?? recordedRenderer(recordings),
          policy: options.policy ?? defaultPolicy,
          worker: neutralWorker({ image: "worker:1", initImage: "init:1" }),
          digest: (text) => createHash("sha256").update(text).digest("hex"),
        }),
        controlPlane({ purge: options.purge ?? false }),
      ],
    });
    return stack;
  }

  as(fieldManager: string): Client {
    return new Client({
      transport: this.server.transport(),
      clock: this.clock,
      random: this.random,
      fieldManager,
      retry: "none",
    });
  }

  async run(
    name: string,
    parts: Pick<ConstructorParameters<typeof Manager>[0], "controllers"> & {
      readonly runnables?: ConstructorParameters<typeof Manager>[0]["runnables"];
    },
  ): Promise<void> {
    const { clock, random } = this;
    const manager = new Manager({
      client: this.as(name),
      clock,
      random,
      stopMs: 100,
      freeze: true,
      controllers: parts.controllers,
      ...(parts.runnables === undefined ? {} : { runnables: parts.runnables }),
    });
    this.#managers.push(manager);
    const started = manager.start(new AbortController().signal);
    await clock.advance(20);
    await started;
  }

  /** Lets the world go on until something holds, at most for this long. */
  async until(what: string, holds: () => Promise<boolean>, limitMs = 60_000): Promise<void> {
    for (let waited = 0; waited <= limitMs; waited += 100) {
      if (await holds()) return;
      await this.clock.advance(100);
    }
    throw new Error(`${what} did not come about within ${limitMs} ms`);
  }

  async request(name: string, values?: string): Promise<void> {
    const environment = base64(
      "FUNCTION_NAME=f\nHELM_CHART_INFERENCE_SERVICE_NAME=mini-service-entrypoint\nINFERENCE_PORT=8000",
    );
    const launch = {
      helmChart: URL_OF_SAMPLE,
      environment,
      ...(values === undefined ? {} : { configuration: base64(values) }),
    };
    await this.client.api(IcmsRequest, REQUESTS_NAMESPACE).create({
      metadata: { name },
      spec: {
        requestId: "r1",
        action: "RequestICMSInstances",
        creationMsgInfo: { instanceCount: 1, functionLaunchSpecification: launch },
      },
    });
  }

  service(name = "sr-foo-miniservice"): Promise<MiniService> {
    return this.client.api(MiniService).get(name);
  }

  async phase(name = "sr-foo-miniservice"): Promise<string> {
    return (await this.client.api(MiniService).find(name))?.status?.phase ?? "";
  }

  async condition(type: string): Promise<Condition | undefined> {
    return (await this.service()).status?.conditions?.find((c) => c.type === type);
  }

  async functionState(name = "sr-foo"): Promise<string> {
    return (await this.client.api(IcmsRequest, REQUESTS_NAMESPACE).get(name)).status?.functionState ?? "";
  }

  /** Whether the chart's entry Service has an endpoint that takes requests. */
  async serves(): Promise<boolean> {
    const { items } = await this.client
      .api(kinds.EndpointSlice, "sr-foo")
      .list({ labelSelector: "kubernetes.io/service-name=mini-service-entrypoint" });
    return items.some((s) => (s.endpoints ?? []).some((e) => e.conditions?.ready === true));
  }

  async close(): Promise<void> {
    for (const manager of this.#managers) {
      const closed = manager.close();
      await this.clock.advance(2000);
      await closed;
    }
    await this.server.close();
  }
}

let stack: Stack;
afterEach(async () => {
  await stack.close();
});

describe("a function whose worker's readiness counts", () => {
  beforeEach(async () => {
    stack = await Stack.start();
    await stack.request("sr-foo");
    await stack.until(
      "Running",
      async () => (await stack.phase()) === "Running" && (await stack.functionState()) === "ACTIVE",
    );
  });

  it("is installed at revision zero with the flag stored, and the flag is all that the operator owns of the spec", async () => {
    const service = await stack.service();
    expect(service.spec.workloadConfig).toEqual({ featureFlags: { StatusByWorkerReadiness: true } });
    expect(service.spec).toMatchObject({
      namespace: "sr-foo",
      icmsRequestName: "sr-foo",
      helmChartConfig: { url: URL_OF_SAMPLE, serviceName: "mini-service-entrypoint", servicePort: 8000 },
    });
    expect(service.status).toMatchObject({
      revision: 0,
      installedRevision: 0,
      observedGeneration: service.metadata.generation,
    });
    const applied =
      service.metadata.managedFields?.filter((e) => e.manager === FIELD_MANAGER && e.operation === "Apply") ?? [];
    expect(applied.map((e) => e.fieldsV1)).toEqual([
      { "f:spec": { "f:workloadConfig": { ".": {}, "f:featureFlags": { ".": {}, "f:StatusByWorkerReadiness": {} } } } },
    ]);
    expect(service.metadata.finalizers).toEqual([FINALIZER]);
    await expect(
      stack.client.api(kinds.ConfigMap).get({ namespace: "sr-foo", name: CONTROL_CONFIG_MAP }),
    ).rejects.toSatisfy((e) => isStatus(e, "NotFound"));
  });

  it("applies everything under its own name from the first install", async () => {
    const deployment = await stack.client
      .api(kinds.Deployment)
      .get({ namespace: "sr-foo", name: "mini-service-decode" });
    expect(deployment.metadata.labels?.[NAME_LABEL]).toBe("sr-foo-miniservice");
    expect(deployment.metadata.managedFields?.filter((e) => e.operation === "Apply").map((e) => e.manager)).toEqual([
      FIELD_MANAGER,
    ]);
  });

  it("keeps serving and ACTIVE while a decode worker's node is drained, and recovers", async () => {
    await stack.until("all pods ready", async () => (await stack.condition("ObjectsHealthy"))?.status === "True");
    expect(await stack.serves()).toBe(true);
    const { items } = await stack.client
      .api(kinds.Pod, "sr-foo")
      .list({ labelSelector: "app.kubernetes.io/component=decode" });
    const victims = new Map(items.map((p) => [p.spec?.nodeName ?? "", p]));
    const occupied = new Set(
      (await stack.client.api(kinds.Pod, "sr-foo").list()).items
        .filter((p) => p.metadata.name === "utils" || p.metadata.labels?.["app.kubernetes.io/component"] === "frontend")
        .map((p) => p.spec?.nodeName),
    );
    const [node, victim] = [...victims].find(([name]) => !occupied.has(name)) ?? [];
    if (node === undefined || victim === undefined) throw new Error("no node carries a decode worker alone");
    const cordon = owns(kinds.Node, "spec.unschedulable");

    // Every revision of the degraded window is looked at as it becomes visible, whoever wrote it.
    const seen = {
      revisions: 0,
      states: new Set<string>(),
      phases: new Set<string>(),
      healthy: new Set<string>(),
      gaps: 0,
    };
    const look = (): void => {
      seen.revisions++;
      const at = (collection: string, key: string) => stack.server.storage.get(collection, key)?.object as unknown;
      seen.states.add(
        (at("nvca.nvcf.nvidia.io/icmsrequests", `${REQUESTS_NAMESPACE}/sr-foo`) as IcmsRequest).status?.functionState ??
          "",
      );
      const { status } = at("nvca.nvcf.nvidia.io/miniservices", "sr-foo-miniservice") as MiniService;
      seen.phases.add(status?.phase ?? "");
      seen.healthy.add(status?.conditions?.find((c) => c.type === "ObjectsHealthy")?.status ?? "");
      const slices = stack.server.storage
        .list("discovery.k8s.io/endpointslices", { prefix: "sr-foo/" })
        .map((r) => r.object as unknown as kinds.EndpointSlice);
      const entry = slices.filter(
        (s) => s.metadata.labels?.["kubernetes.io/service-name"] === "mini-service-entrypoint",
      );
      if (!entry.some((s) => (s.endpoints ?? []).some((e) => e.conditions?.ready === true))) seen.gaps++;
    };
    const collections = [
      "/pods",
      "/nodes",
      "/events",
      "apps/deployments",
      "apps/replicasets",
      "discovery.k8s.io/endpointslices",
      "nvca.nvcf.nvidia.io/icmsrequests",
      "nvca.nvcf.nvidia.io/miniservices",
    ];
    const stops = collections.map((name) => stack.server.storage.subscribe(name, stack.server.storage.revision, look));
    await applyOwned(stack.as("kubectl"), ownedPaths(cordon, { name: node }, { spec: { unschedulable: true } }));
    await evict(stack.client.api(kinds.Pod), { namespace: "sr-foo", name: victim.metadata.name });
    await stack.clock.advance(20 * 60_000);
    expect(seen.revisions).toBeGreaterThan(5);
    expect(seen.gaps).toBe(0);
    expect([...seen.states]).toEqual(["ACTIVE"]);
    expect([...seen.phases]).toEqual(["Running"]);
    expect(seen.healthy).toContain("False");
    expect((await stack.condition("ObjectsHealthy"))?.status).toBe("False");
    expect((await stack.condition("WorkersHealthy"))?.status).toBe("True");
    for (const stop of stops) stop();

    await applyOwned(stack.as("kubectl"), ownedPaths(cordon, { name: node }, {}));
    await stack.until("recovery", async () => (await stack.condition("ObjectsHealthy"))?.status === "True", 120_000);
  }, 60_000);

  it("writes nothing while nothing changes", async () => {
    await stack.until("all pods ready", async () => (await stack.condition("ObjectsHealthy"))?.status === "True");
    await stack.clock.advance(5000);
    const before = stack.server.storage.revision;
    await stack.clock.advance(120_000);
    expect(stack.server.storage.revision).toBe(before);
  });

  it("goes with everything that it made when it is deleted", async () => {
    await stack.client.api(MiniService).deleteObject(await stack.service());
    await stack.client.api(IcmsRequest, REQUESTS_NAMESPACE).delete("sr-foo", { preconditions: "none" });
    await stack.until(
      "gone",
      async () => (await stack.client.api(MiniService).find("sr-foo-miniservice")) === undefined,
      300_000,
    );
    expect(await stack.client.api(kinds.Namespace).find("sr-foo")).toBeUndefined();
    expect((await stack.client.api(kinds.Pod).list()).items).toEqual([]);
  });
});

describe("a service whose namespace was deleted", () => {
  it("makes it again, with everything in it, under the same revision", async () => {
    stack = await Stack.start();
    await stack.request("sr-foo");
    await stack.until("Running", async () => (await stack.phase()) === "Running");
    const before = await stack.client.api(kinds.Namespace).get("sr-foo");
    await stack.client.api(kinds.Namespace).deleteObject(before);
    await stack.until("a new namespace that serves", async () => {
      const now = await stack.client.api(kinds.Namespace).find("sr-foo");
      return now !== undefined && now.metadata.uid !== before.metadata.uid && (await stack.serves());
    });
    await stack.until("Healthy", async () => (await stack.condition("ObjectsHealthy"))?.status === "True");
    expect((await stack.service()).status?.installedRevision).toBe(0);
    expect(await stack.condition("InstallSuccessful")).toMatchObject({ status: "True" });
  });
});

describe("an object that cannot be applied yet", () => {
  it("is named in InstallSuccessful, and applied once it can be", async () => {
    const orphan = { apiVersion: "sim.dev/v1", kind: "Later", metadata: { name: "late" } };
    const renderer: Renderer = { render: () => Promise.resolve({ kind: "rendered", objects: [orphan] }) };
    stack = await Stack.start({ renderer, policy: trustedPolicy });
    await stack.request("sr-foo");
    await stack.until(
      "made",
      async () => (await stack.client.api(MiniService).find("sr-foo-miniservice")) !== undefined,
    );
    await stack.until("named", async () => (await stack.condition("InstallSuccessful"))?.reason === "ApplyFailed");
    expect((await stack.condition("InstallSuccessful"))?.message).toMatch(/^apply Later late: .*sim\.dev\/v1/);
    const schema = { openAPIV3Schema: { type: "object" } };
    const definition = {
      metadata: { name: "laters.sim.dev" },
      spec: {
        group: "sim.dev",
        scope: "Namespaced",
        names: { kind: "Later", plural: "laters" },
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    };
    await stack.client.api(kinds.CustomResourceDefinition).create(definition as never);
    await stack.until("applied", async () => (await stack.condition("InstallSuccessful"))?.status === "True", 600_000);
  });
});

describe("spec edits by others", () => {
  it("survive the operator's own write", async () => {
    stack = await Stack.start();
    await stack.request("sr-foo");
    await stack.until("Running", async () => (await stack.phase()) === "Running");
    const edit = owns(MiniService, "spec.helmChartConfig.serviceName");
    await applyOwned(
      stack.as("editor"),
      ownedPaths(edit, { name: "sr-foo-miniservice" }, { spec: { helmChartConfig: { serviceName: "" } } }),
      { onConflict: "take" },
    );
    await stack.until("the edit is dealt with", async () => {
      const service = await stack.service();
      return (
        service.status?.observedGeneration === service.metadata.generation && service.status?.installedRevision === 1
      );
    });
    const service = await stack.service();
    expect(service.spec.helmChartConfig?.serviceName).toBe("");
    expect(service.spec.workloadConfig).toEqual({ featureFlags: { StatusByWorkerReadiness: true } });
    expect(await stack.phase()).toBe("Running");
  });

  it("that ask for what the policy refuses are reported, and what runs goes on", async () => {
    stack = await Stack.start();
    await stack.request("sr-foo");
    await stack.until("Running", async () => (await stack.phase()) === "Running");
    const edit = owns(MiniService, "spec.helmChartConfig.serviceName");
    await applyOwned(
      stack.as("editor"),
      ownedPaths(edit, { name: "sr-foo-miniservice" }, { spec: { helmChartConfig: { serviceName: "other" } } }),
      { onConflict: "take" },
    );
    await stack.clock.advance(60_000);
    expect(await stack.condition("InstallSuccessful")).toMatchObject({
      status: "False",
      reason: "ReValResultInvalid",
      message: expect.stringContaining("Service other: the chart has none of this name") as unknown,
    });
    expect(await stack.phase()).toBe("Running");
    expect(await stack.functionState()).toBe("ACTIVE");
    expect(await stack.serves()).toBe(true);
  });

  it("that take the control ConfigMap out of the chart clear the flag, and nobody owns it any more", async () => {
    stack = await Stack.start();
    await stack.request("sr-foo");
    await stack.until("Running", async () => (await stack.phase()) === "Running");
    const edit = owns(MiniService, "spec.helmChartConfig.values");
    await applyOwned(
      stack.as("editor"),
      ownedPaths(
        edit,
        { name: "sr-foo-miniservice" },
        { spec: { helmChartConfig: { values: { nvcfWorkloadConfig: false } } } },
      ),
      { onConflict: "take" },
    ).ignoreError("nulls cannot be applied; the merge below says it");
    await stack.server.transport()(
      {
        method: "PATCH",
        path: `/apis/nvca.nvcf.nvidia.io/v1alpha1/miniservices/sr-foo-miniservice?fieldManager=editor`,
        headers: { "content-type": "application/json-patch+json" },
        body: JSON.stringify([
          { op: "add", path: "/spec/helmChartConfig/values", value: { nvcfWorkloadConfig: null } },
        ]),
      },
      new AbortController().signal,
    );
    await stack.until(
      "the flag is cleared",
      async () => !Object.hasOwn((await stack.service()).spec, "workloadConfig"),
      120_000,
    );
    const owners = (await stack.service()).metadata.managedFields?.filter((e) =>
      JSON.stringify(e.fieldsV1).includes("f:workloadConfig"),
    );
    expect(owners).toEqual([]);
  });
});

describe("what cannot be installed", () => {
  it.each<[sentence: string, spec: object, reason: string, text: string]>([
    ["has no namespace", { icmsRequestName: "sr-foo", helmChartConfig: {} }, "NamespaceMissing", "has no namespace"],
    [
      "names no request",
      { namespace: "sr-foo", helmChartConfig: {} },
      "RequestNameMissing",
      "ICMS request name is not set",
    ],
    [
      "has two names for its request",
      { namespace: "sr-foo", icmsRequestName: "a", spotRequestName: "b", helmChartConfig: {} },
      "ConflictingAliases",
      "conflicting values",
    ],
  ])("a MiniService that %s says so in Accepted, and is left alone", async (_sentence, spec, reason, text) => {
    stack = await Stack.start();
    await stack.client.api(MiniService).create({ metadata: { name: "sr-foo-miniservice" }, spec: spec });
    await stack.until("Accepted=False", async () => (await stack.condition("Accepted"))?.status === "False");
    expect(await stack.condition("Accepted")).toMatchObject({ reason });
    expect((await stack.condition("Accepted"))?.message).toContain(text);
    expect((await stack.service()).metadata.finalizers).toBeUndefined();
  });

  it("a chart that does not render fails the install with the reason, and leaves nothing behind", async () => {
    const refusing: Renderer = {
      render: () => Promise.resolve({ kind: "invalid", errors: ["run helm template: execution error"] }),
    };
    stack = await Stack.start({ renderer: refusing });
    await stack.request("sr-foo");
    await stack.until("InstallFailed", async () => (await stack.phase()) === "InstallFailed");
    expect(await stack.condition("InstallSuccessful")).toMatchObject({
      status: "False",
      reason: "ReValResultInvalid",
      message: 'validation errors: ["run helm template: execution error"]',
    });
    expect(await stack.functionState()).toBe("ERROR");
    expect(await stack.client.api(kinds.Namespace).find("sr-foo")).toBeUndefined();
  });
});

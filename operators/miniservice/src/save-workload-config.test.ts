import { seededRandom, silentLogger, VirtualClock, type HttpRequest } from "@fairlead/base";
import { startApiServer, type ApiServer } from "@fairlead/apiserver";
import { applyOwned, Client, kinds, ownedPaths, wholeObject } from "@fairlead/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { saveWorkloadConfig } from "./act.js";
import { FIELD_MANAGER, MiniService, miniServiceDefinition, type WorkloadConfig } from "./api.js";

const clock = new VirtualClock();
let server: ApiServer;
let client: Client;
let sent: HttpRequest[];
let events: string[];

const start = async (emptiedContainers?: "empty" | "null"): Promise<void> => {
  server = await startApiServer({
    clock,
    random: seededRandom(1),
    logger: silentLogger,
    ...(emptiedContainers === undefined ? {} : { emptiedContainers }),
  });
  const inner = server.transport();
  sent = [];
  events = [];
  client = new Client({
    transport: (request, signal) => {
      if (request.method !== "GET") sent.push(request);
      return inner(request, signal);
    },
    clock,
    random: seededRandom(2),
    fieldManager: FIELD_MANAGER,
    retry: "none",
  });
  await applyOwned(
    client,
    ownedPaths(
      wholeObject(kinds.CustomResourceDefinition),
      { name: miniServiceDefinition.metadata.name },
      miniServiceDefinition as unknown as Readonly<Record<string, unknown>>,
    ),
  );
  await clock.advance(10);
  await client
    .as("creator")
    .api(MiniService)
    .create({
      metadata: { name: "ms" },
      spec: { namespace: "sr-a", icmsRequestName: "sr-a", helmChartConfig: { url: "oci://r/c:1" } },
    });
  sent.length = 0;
};

beforeEach(() => start());
afterEach(() => server.close());

const save = async (config: WorkloadConfig | null): Promise<MiniService> =>
  saveWorkloadConfig(client, await client.api(MiniService).get("ms"), config, {
    signal: new AbortController().signal,
    event: (e) => events.push(e.reason),
  });
const bodies = (): unknown[] =>
  sent.map(
    (r) =>
      JSON.parse(typeof r.body === "string" ? r.body : Buffer.from(r.body ?? new Uint8Array()).toString()) as unknown,
  );
const owners = async (): Promise<string[]> =>
  ((await client.api(MiniService).get("ms")).metadata.managedFields ?? [])
    .filter((e) => JSON.stringify(e.fieldsV1).includes("f:workloadConfig"))
    .map((e) => `${e.manager ?? ""}/${e.operation ?? ""}`);
const FLAG: WorkloadConfig = { featureFlags: { StatusByWorkerReadiness: true } };

describe("saving the workload's configuration", () => {
  it("sends four keys and nothing else, as a forced apply in the controller's name", async () => {
    await save(FLAG);
    expect(sent.map((r) => [r.method, r.path, r.headers["content-type"]])).toEqual([
      [
        "PATCH",
        `/apis/nvca.nvcf.nvidia.io/v1alpha1/miniservices/ms?force=true&fieldManager=${FIELD_MANAGER}`,
        "application/apply-patch+yaml",
      ],
    ]);
    expect(bodies()).toEqual([
      {
        apiVersion: "nvca.nvcf.nvidia.io/v1alpha1",
        kind: "MiniService",
        metadata: { name: "ms" },
        spec: { workloadConfig: { featureFlags: { StatusByWorkerReadiness: true } } },
      },
    ]);
  });

  it("leaves every other field of the spec as it is", async () => {
    const before = (await client.api(MiniService).get("ms")).spec;
    const after = await save(FLAG);
    expect(after.spec).toEqual({ ...before, workloadConfig: FLAG });
    expect(await owners()).toEqual([`${FIELD_MANAGER}/Apply`]);
  });

  it("does not lose an edit that another writer makes in between", async () => {
    const read = await client.api(MiniService).get("ms");
    await server.transport()(
      {
        method: "PATCH",
        path: "/apis/nvca.nvcf.nvidia.io/v1alpha1/miniservices/ms?fieldManager=editor",
        headers: { "content-type": "application/merge-patch+json" },
        body: '{"spec":{"helmChartConfig":{"url":"oci://r/c:2"}}}',
      },
      new AbortController().signal,
    );
    const after = await saveWorkloadConfig(client, read, FLAG, {
      signal: new AbortController().signal,
      event: () => undefined,
    });
    expect(after.spec.helmChartConfig?.url).toBe("oci://r/c:2");
    expect(after.spec.workloadConfig).toEqual(FLAG);
  });

  it.each(["empty", "null"] as const)(
    "clears what it has set itself where an apply leaves %s: null first, then one guarded merge patch; the key is gone and nobody owns it",
    async (emptied) => {
      await server.close();
      await start(emptied);
      await save(FLAG);
      sent.length = 0;
      const after = await save(null);
      expect(bodies()[0]).toEqual({
        apiVersion: "nvca.nvcf.nvidia.io/v1alpha1",
        kind: "MiniService",
        metadata: { name: "ms" },
        spec: { workloadConfig: null },
      });
      expect(bodies()[1]).toEqual({
        metadata: { resourceVersion: expect.any(String) as string },
        spec: { workloadConfig: null },
      });
      expect(after.spec).not.toHaveProperty("workloadConfig");
      expect(await owners()).toEqual([]);
      expect(events).toEqual(["WorkloadConfigForceCleared"]);
    },
  );

  it("clears what another manager has set", async () => {
    await server.transport()(
      {
        method: "PATCH",
        path: "/apis/nvca.nvcf.nvidia.io/v1alpha1/miniservices/ms?fieldManager=old-build",
        headers: { "content-type": "application/merge-patch+json" },
        body: JSON.stringify({ spec: { workloadConfig: FLAG } }),
      },
      new AbortController().signal,
    );
    const after = await save(null);
    expect(after.spec).not.toHaveProperty("workloadConfig");
    expect(await owners()).toEqual([]);
  });

  it("says which service it was when the write fails", async () => {
    const read = await client.api(MiniService).get("ms");
    await server.close();
    await expect(
      saveWorkloadConfig(client, read, FLAG, { signal: new AbortController().signal, event: () => undefined }),
    ).rejects.toThrow(/^patch miniservice ms workload config: /);
  });
});

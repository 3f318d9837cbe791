import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";

import { startApiServer } from "@fairlead/apiserver";
import { silentLogger } from "@fairlead/base";
import { systemClock, systemRandom } from "@fairlead/base/node";
import { applyOwned, Client, kinds, ownedPaths, wholeObject } from "@fairlead/client";
import { DEFAULT_NODES, NO_DELAYS, simulatedCluster } from "@fairlead/cluster-sim";
import {
  IcmsRequest,
  MiniService,
  controlPlane,
  icmsRequestDefinition,
  miniServiceController,
  miniServiceDefinition,
  neutralWorker,
  POLICIES,
  recordedRenderer,
  REQUESTS_NAMESPACE,
  type Recording,
} from "@fairlead/miniservice";
import { Manager } from "@fairlead/runtime";

import { median, rounded, type Bench } from "./figure.js";

const RECORDINGS = new URL("../../packages/conformance/data/rendered/sample-inference.json", import.meta.url);
const RUNS = 5;

/** From the creation of the request to phase Running: the sample chart as helm once rendered it, no simulated delays. */
export const miniServiceRunning: Bench = {
  name: "miniservice-running",
  async measure() {
    const recordings = JSON.parse(await readFile(RECORDINGS, "utf8")) as readonly Recording[];
    const seconds: number[] = [];
    for (let i = 0; i < RUNS; i++) seconds.push(await run(recordings));
    const detail = { runs: RUNS, first: rounded(seconds[0] ?? NaN), fastest: rounded(Math.min(...seconds)) };
    return { name: "miniservice-running", value: median(seconds), unit: "s", goal: 1, better: "lower", detail };
  },
};

async function run(recordings: readonly Recording[]): Promise<number> {
  const [clock, random] = [systemClock, systemRandom];
  const server = await startApiServer({ clock, random, logger: silentLogger });
  const connect = (fieldManager: string): Client =>
    new Client({ transport: server.transport(), clock, random, fieldManager });
  const client = connect("bench");
  for (const definition of [miniServiceDefinition, icmsRequestDefinition]) {
    const body = definition as unknown as Readonly<Record<string, unknown>>;
    await applyOwned(
      client,
      ownedPaths(wholeObject(kinds.CustomResourceDefinition), { name: definition.metadata.name }, body),
    );
  }
  await client.api(kinds.Namespace).create({ metadata: { name: REQUESTS_NAMESPACE } });
  const policy = POLICIES.get("default");
  if (policy === undefined) throw new Error("there is no policy default");
  const operator = miniServiceController({
    renderer: recordedRenderer(recordings),
    policy,
    worker: neutralWorker({ image: "worker:1", initImage: "init:1" }),
    digest: (text) => createHash("sha256").update(text).digest("hex"),
  });
  const cluster = simulatedCluster({ nodes: DEFAULT_NODES, delays: NO_DELAYS, authority: "" });
  const managers = [
    new Manager({ client: connect("kube-controller-manager"), clock, random, stopMs: 100, ...cluster }),
    new Manager({
      client: connect("miniservice-controller"),
      clock,
      random,
      stopMs: 100,
      controllers: [operator, controlPlane({ purge: false })],
    }),
  ];
  const stop = new AbortController();
  try {
    for (const manager of managers) await manager.start(stop.signal);
    return await timed(client, recordings[0]?.url ?? "");
  } finally {
    for (const manager of managers.reverse()) await manager.close();
    await server.close();
  }
}

async function timed(client: Client, helmChart: string): Promise<number> {
  const environment = "FUNCTION_NAME=f\nHELM_CHART_INFERENCE_SERVICE_NAME=mini-service-entrypoint\nINFERENCE_PORT=8000";
  const functionLaunchSpecification = { helmChart, environment: Buffer.from(environment).toString("base64") };
  const spec = {
    requestId: "r",
    action: "RequestICMSInstances",
    creationMsgInfo: { instanceCount: 1, functionLaunchSpecification },
  };
  const limit = AbortSignal.timeout(60_000);
  const began = systemClock.monotonic();
  await client.api(IcmsRequest, REQUESTS_NAMESPACE).create({ metadata: { name: "sr-bench" }, spec });
  for await (const event of client.api(MiniService).watch({ signal: limit })) {
    if (event.type === "BOOKMARK") continue;
    if (event.object.status?.phase === "Running") return (systemClock.monotonic() - began) / 1000;
  }
  throw new Error("the watch ended before the service was Running");
}

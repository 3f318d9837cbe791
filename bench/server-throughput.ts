import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { median, rounded, type Bench } from "./figure.js";
import { startChild } from "./load/child.js";
import { Load, type LoadRequest } from "./load/load.js";
import { configMap, deployment } from "./load/objects.js";

const IN_FLIGHT = 16;
const NAMES = 64;
const BATCH = 1000;
const BATCHES = 7;

interface Throughput {
  readonly name: string;
  readonly goal: number;
  /** Whether both servers keep what they are sent on disk. */
  readonly disk?: boolean;
  readonly request: (name: string, round: number) => LoadRequest;
}

const MAPS = "/api/v1/namespaces/default/configmaps";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const APPLY = "?fieldManager=bench&force=true";

const applyConfigMap = (name: string, round: number): LoadRequest => ({
  method: "PATCH",
  path: `${MAPS}/${name}${APPLY}`,
  body: configMap(name, round),
});
const applyDeployment = (name: string, round: number): LoadRequest => ({
  method: "PATCH",
  path: `${DEPLOYMENTS}/${name}${APPLY}`,
  body: deployment(name, round),
});
const getDeployment = (name: string): LoadRequest => ({ method: "GET", path: `${DEPLOYMENTS}/${name}` });

/**
 * Requests per second of the API server beside those of a bare `node:https` server that parses and prints the same bytes
 * (and fsyncs them in groups); 16 in flight over TLS, both in processes of their own, in turns.
 */
function throughput({ name, goal, disk = false, request }: Throughput): Bench {
  return {
    name,
    async measure() {
      const folder = await mkdtemp(join(tmpdir(), "bench-"));
      const fairlead = await startChild("fairlead", disk ? [join(folder, "data")] : []);
      const bare = await startChild("bare", disk ? [join(folder, "log")] : []);
      const loads = [new Load(fairlead, IN_FLIGHT), new Load(bare, IN_FLIGHT)] as const;
      try {
        const figures: readonly [number[], number[]] = [[], []];
        const names = Array.from({ length: NAMES }, (_, i) => `object-${i}`);
        await seed(loads, names, request);
        for (let batch = 0; batch <= BATCHES; batch++) {
          for (const [i, load] of loads.entries()) {
            const requests = Array.from({ length: BATCH }, (_, j) =>
              request(names[j % NAMES] ?? "", 1 + batch * BATCH + j),
            );
            const perSecond = await load.run(requests);
            if (batch > 0) figures[i]?.push(perSecond); // The first is the warm-up.
          }
        }
        const [ours, theirs] = [median(figures[0]), median(figures[1])];
        const detail = { perSecond: rounded(ours), barePerSecond: rounded(theirs), runs: BATCHES * BATCH };
        return { name, value: ours / theirs, unit: "ratio", goal, better: "higher", detail };
      } finally {
        for (const load of loads) await load.close();
        await fairlead.close();
        await bare.close();
        await rm(folder, { recursive: true });
      }
    },
  };
}

/** Both have the objects; where they are read, the bare server has the very text that the other one answers with. */
async function seed(
  [ours, bare]: readonly [Load, Load],
  names: readonly string[],
  request: Throughput["request"],
): Promise<void> {
  const reads = request("", 0).method === "GET";
  for (const name of names) {
    const applied = await ours.send(reads ? applyDeployment(name, 0) : request(name, 0));
    await bare.send(reads ? { ...getDeployment(name), method: "PATCH", body: applied } : request(name, 0));
  }
}

export const serverThroughput: readonly Bench[] = [
  throughput({ name: "apply-configmap", goal: 0.5, request: applyConfigMap }),
  throughput({ name: "apply-deployment", goal: 0.5, request: applyDeployment }),
  throughput({ name: "apply-configmap-disk", goal: 0.5, disk: true, request: applyConfigMap }),
  throughput({ name: "apply-deployment-disk", goal: 0.5, disk: true, request: applyDeployment }),
  throughput({ name: "get-deployment", goal: 0.8, request: getDeployment }),
];

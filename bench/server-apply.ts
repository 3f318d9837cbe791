import { startApiServer, type ApiServer } from "@fairlead/apiserver";
import { never, seededRandom, silentLogger, VirtualClock } from "@fairlead/base";
import { systemClock } from "@fairlead/base/node";

import { median, rounded, type Bench } from "./figure.js";

const PATH = "/apis/apps/v1/namespaces/default/deployments/web";
const ROUNDS = 100;
const BATCHES = 9;

/**
 * An apply of a whole Deployment of 4 KB that changes one field, beside a merge patch of that one field; in this process
 * and without a socket. What it costs more is what ownership costs.
 */
export const serverApply: Bench = {
  name: "server-apply",
  async measure() {
    const server = await startApiServer({ clock: new VirtualClock(), random: seededRandom(1), logger: silentLogger });
    try {
      const [apply, merge]: [number[], number[]] = [[], []];
      for (let i = 0; i <= BATCHES; i++) {
        const [applied, merged] = [await applies(server), await merges(server)];
        if (i === 0) continue; // Warm-up.
        apply.push(applied);
        merge.push(merged);
      }
      const [applyMs, mergeMs] = [median(apply), median(merge)];
      const detail = {
        applyMs: rounded(applyMs),
        mergeMs: rounded(mergeMs),
        runs: BATCHES * ROUNDS,
        bodyBytes: deployment(1).length,
      };
      return { name: "server-apply", value: applyMs / mergeMs, unit: "ratio", goal: 2, better: "lower", detail };
    } finally {
      await server.close();
    }
  },
};

const applies = (server: ApiServer): Promise<number> =>
  patches(server, "?fieldManager=bench&force=true", "application/apply-patch+yaml", deployment);
const merges = (server: ApiServer): Promise<number> =>
  patches(server, "?fieldManager=other", "application/merge-patch+json", (replicas) =>
    JSON.stringify({ spec: { replicas } }),
  );

/** Milliseconds for one, on average; each changes the number of replicas. */
async function patches(
  server: ApiServer,
  query: string,
  contentType: string,
  bodyOf: (replicas: number) => string,
): Promise<number> {
  const transport = server.transport();
  const headers = { "content-type": contentType };
  const began = systemClock.monotonic();
  for (let round = 0; round < ROUNDS; round++) {
    const { status } = await transport(
      { method: "PATCH", path: PATH + query, headers, body: bodyOf(1 + (round % 5)) },
      never,
    );
    if (status >= 300) throw new Error(`patch ${round} was answered ${status}`);
  }
  return (systemClock.monotonic() - began) / ROUNDS;
}

function deployment(replicas: number): string {
  const env = Array.from({ length: 60 }, (_, i) => ({
    name: `VARIABLE_NUMBER_${i}`,
    value: `the value of variable number ${i}`,
  }));
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "web:1", env }] } };
  return JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", labels },
    spec: { replicas, selector: { matchLabels: labels }, template },
  });
}

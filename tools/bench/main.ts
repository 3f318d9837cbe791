// How many applies of one Deployment the embedded server answers in a second, in this process and without a socket: one
// that changes something each time, and one that never does.
import { startApiServer } from "@fairlead/apiserver";
import { never, seededRandom, silentLogger, VirtualClock } from "@fairlead/base";
import { systemClock } from "@fairlead/base/node";

const ROUNDS = 2000;
const PATH = "/apis/apps/v1/namespaces/default/deployments/web?fieldManager=bench";

/** A Deployment of about 4 KB. */
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

const server = await startApiServer({ clock: new VirtualClock(), random: seededRandom(1), logger: silentLogger });
const transport = server.transport();

async function rate(replicas: (round: number) => number): Promise<number> {
  const headers = { "content-type": "application/apply-patch+yaml" };
  const start = systemClock.now();
  for (let round = 0; round < ROUNDS; round++) {
    const answer = await transport({ method: "PATCH", path: PATH, headers, body: deployment(replicas(round)) }, never);
    if (answer.status >= 300) throw new Error(`apply ${round} was answered ${answer.status}`);
  }
  return Math.round((ROUNDS * 1000) / (systemClock.now() - start));
}

await rate((round) => 1 + (round % 5));
const results = {
  bodyBytes: deployment(1).length,
  changing: await rate((round) => 1 + (round % 5)),
  same: await rate(() => 1),
};
process.stdout.write(`${JSON.stringify(results)}\n`);
await server.close();

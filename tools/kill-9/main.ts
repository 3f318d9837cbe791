#!/usr/bin/env node
/**
 * Kills a real server process with SIGKILL while clients write, starts it again in the same folder, and checks that
 * every acknowledged write is there, that none is there that nobody made, that no revision is used twice, and that a
 * watch resumes without a gap from where it stood.
 *
 *   npm run kill-9 -- --cycles 25 --seed 1
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { never, seededRandom, type Random } from "@fairlead/base";
import { systemClock } from "@fairlead/base/node";

import { Ledger, type Seen, type SeenEvent } from "./ledger.js";
import { ServerProcess } from "./server.js";

const PATH = "/api/v1/namespaces/default/configmaps";
const WRITERS = 8;
const KEYS_PER_WRITER = 4;
const LONGEST_LOAD_MS = 200;

async function run(cycles: number, seed: number): Promise<number> {
  const random = seededRandom(seed);
  const folder = await mkdtemp(join(tmpdir(), "kill-9-"));
  const ledger = new Ledger();
  let written = 0;
  const next = (): string => String(++written);
  let watchedTo: number | undefined;
  try {
    for (let cycle = 1; cycle <= cycles && ledger.problems.length === 0; cycle++) {
      const server = await ServerProcess.start(folder);
      try {
        await checkObjects(server, ledger, cycle);
        watchedTo ??= ledger.newest;
        const watch = new Watch(server, ledger, watchedTo);
        const writers = Array.from({ length: WRITERS }, (_, w) => load(server, ledger, { random, writer: w, next }));
        await systemClock.sleep(5 + random.next() * LONGEST_LOAD_MS, never);
        await server.kill();
        await Promise.all([...writers, watch.ended]);
        watch.check();
        watchedTo = watch.at;
      } finally {
        await server.kill().catch(() => undefined);
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const { acknowledged, uncertain, events, problems } = ledger;
  process.stdout.write(
    `${JSON.stringify({ cycles, seed, acknowledged, uncertain, events, lost: problems.length, problems: problems.slice(0, 20) })}\n`,
  );
  return problems.length === 0 && acknowledged > cycles && events > 0 ? 0 : 1;
}

/** Every key that was ever written, by list and by get. */
async function checkObjects(server: ServerProcess, ledger: Ledger, cycle: number): Promise<void> {
  const listed = await server.ask("GET", PATH);
  if (listed?.status !== 200) throw new Error(`a list after start ${cycle} was answered ${String(listed?.status)}`);
  const { items, metadata } = JSON.parse(listed.body) as {
    readonly items: readonly Seen[];
    readonly metadata: { readonly resourceVersion: string };
  };
  const byName = new Map(items.map((item) => [item.metadata.name, item]));
  const where = `start ${cycle}`;
  if (Number(metadata.resourceVersion) < ledger.newest)
    ledger.problems.push(`${where}: the newest revision is ${metadata.resourceVersion}, and was ${ledger.newest}`);
  if (cycle === 1) ledger.newest = Number(metadata.resourceVersion);
  for (const key of ledger.keys) ledger.found(key, byName.get(key), where);
  for (const name of byName.keys())
    if (!ledger.keys.includes(name)) ledger.problems.push(`${where}: nobody made ${name}`);
}

/** Creates, changes and removes a writer's own keys until the server is gone. */
async function load(
  server: ServerProcess,
  ledger: Ledger,
  { random, writer, next }: { readonly random: Random; readonly writer: number; readonly next: () => string },
): Promise<void> {
  const there = new Map<string, boolean>();
  while (true) {
    const key = `w${writer}-k${Math.floor(random.next() * KEYS_PER_WRITER)}`;
    if (!there.has(key)) {
      const got = await server.ask("GET", `${PATH}/${key}`);
      if (got === undefined) return;
      there.set(key, got.status === 200);
    }
    const exists = there.get(key) === true;
    const n = exists && random.next() < 0.2 ? undefined : next();
    ledger.began(key, n);
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: key }, data: { n, pad: "x".repeat(500) } };
    const answer =
      n === undefined
        ? await server.ask("DELETE", `${PATH}/${key}`)
        : await server.ask(exists ? "PUT" : "POST", exists ? `${PATH}/${key}` : PATH, object);
    if (answer === undefined) return void ledger.uncertain++;
    if (answer.status >= 300) {
      ledger.problems.push(`${key} was answered ${answer.status}: ${answer.body}`);
      return;
    }
    ledger.succeeded(key, n, n === undefined ? undefined : (JSON.parse(answer.body) as Seen));
    there.set(key, n !== undefined);
  }
}

/** A watch from a revision until the server is gone. */
class Watch {
  at: number;
  readonly ended: Promise<void>;
  readonly #from: number;
  readonly #ledger: Ledger;
  readonly #sent = new Set<number>();

  constructor(server: ServerProcess, ledger: Ledger, from: number) {
    this.#from = this.at = from;
    this.#ledger = ledger;
    let rest = "";
    this.ended = new Promise((resolve) => {
      server.stream("GET", `${PATH}?watch=1&resourceVersion=${from}`, undefined, {
        head: (status) => {
          if (status !== 200) ledger.problems.push(`a watch from ${from} was answered ${status}`);
        },
        data: (text) => {
          const lines = (rest + text).split("\n");
          rest = lines.pop() ?? "";
          for (const line of lines) this.#take(JSON.parse(line) as SeenEvent);
        },
        end: () => resolve(),
      });
    });
  }

  /** Compares what was sent with all that answers told of. */
  check(): void {
    this.#ledger.gapless(this.#sent, this.#from, this.at);
  }

  #take(event: SeenEvent): void {
    if (event.type === "ERROR") {
      this.#ledger.problems.push(`a watch from ${this.#from} ended with ${JSON.stringify(event.object)}`);
      return;
    }
    this.at = this.#ledger.event(event, this.at);
    this.#sent.add(this.at);
  }
}

const { values } = parseArgs({
  options: { cycles: { type: "string", default: "25" }, seed: { type: "string", default: "1" } },
});
const [cycles, seed] = [Number(values.cycles), Number(values.seed)];
if (!Number.isInteger(cycles) || cycles < 1 || !Number.isInteger(seed)) {
  process.stderr.write("error: --cycles and --seed are whole numbers\n");
  process.exitCode = 2;
} else process.exitCode = await run(cycles, seed);

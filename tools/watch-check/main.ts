#!/usr/bin/env node
/**
 * Loads servers at random, on virtual time, and checks what their clients saw against V1 to V16.
 *
 *   npm run watch-check -- --seeds 1000 --seed 1 --operations 600
 */
import { parseArgs } from "node:util";

import { violations, type Violation } from "@fairlead/testing";

import { run } from "./run.js";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "50" },
    seed: { type: "string", default: "1" },
    operations: { type: "string", default: "600" },
  },
});
const [seeds, seed, operations] = [Number(values.seeds), Number(values.seed), Number(values.operations)];
if (![seeds, seed, operations].every(Number.isInteger) || seeds < 1 || operations < 1) {
  process.stderr.write("error: --seeds, --seed and --operations are whole numbers\n");
  process.exitCode = 2;
} else process.exitCode = await check();

/** Stops at the first seed with which a rule is broken. */
async function check(): Promise<number> {
  const seen = { operations: 0, events: 0, watches: 0, lists: 0 };
  let broken: readonly Violation[] = [];
  let current = seed;
  for (; current < seed + seeds && broken.length === 0; current++) {
    const history = await run({ seed: current, operations });
    seen.operations += history.operations.length;
    seen.lists += history.listings.length;
    seen.watches += history.sessions.length;
    seen.events += history.sessions.reduce((sum, { events }) => sum + events.length, 0);
    broken = violations(history);
  }
  const last = current - 1;
  process.stdout.write(
    `${JSON.stringify({ seed, last, ...seen, broken: broken.length, violations: broken.slice(0, 20) })}\n`,
  );
  return broken.length === 0 ? 0 : 1;
}

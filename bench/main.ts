#!/usr/bin/env node
import { formatFigure, type Bench } from "./figure.js";
import { hostileDefinitions } from "./hostile-definitions.js";
import { hostileInput } from "./hostile-input.js";
import { miniServiceRunning } from "./miniservice-running.js";
import { ssaApply, ssaApplyNoOp } from "./ssa-apply.js";
import { ssaItems } from "./ssa-items.js";
import { serverApply } from "./server-apply.js";
import { serverStart } from "./server-start.js";
import { serverThroughput } from "./server-throughput.js";

/** In the order in which they run. */
const BENCHES: readonly Bench[] = [
  serverStart,
  serverApply,
  ...serverThroughput,
  ssaApply,
  ssaApplyNoOp,
  ssaItems,
  hostileInput,
  hostileDefinitions,
  miniServiceRunning,
];

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !BENCHES.some((bench) => bench.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `error: no figure is named ${unknown.join(", ")}; known are ${BENCHES.map((bench) => bench.name).join(", ")}\n`,
  );
  process.exitCode = 2;
} else {
  for (const bench of BENCHES) {
    if (asked.length === 0 || asked.includes(bench.name))
      process.stdout.write(`${formatFigure(await bench.measure())}\n`);
  }
}

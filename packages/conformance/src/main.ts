#!/usr/bin/env node
import { parseArgs } from "node:util";

import { runSuite } from "./run.js";
import { isRequired } from "./suite/required.js";

const USAGE = `usage: npm run conformance -- [--all] [--only PREFIX] [RECORDING…]

Replays recorded calls against the embedded server. Without arguments: what must pass. RECORDING is the beginning of a
recording's name, --only the beginning of the ids to play, --all plays everything and fails only for what must pass.
`;

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { all: { type: "boolean" }, only: { type: "string" }, help: { type: "boolean" } },
  });
  if (values.help === true) process.stdout.write(USAGE);
  else {
    const chosen = values.all === true || values.only !== undefined || positionals.length > 0;
    const ended = await runSuite({
      recordings: positionals,
      only: values.only ?? "",
      chosen: chosen ? () => true : isRequired,
      counts: values.all === true ? isRequired : () => true,
      print: (line) => process.stdout.write(`${line}\n`),
    });
    process.exitCode = ended.failed === 0 ? 0 : 1;
  }
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}

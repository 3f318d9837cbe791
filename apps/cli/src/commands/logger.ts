import { jsonLogger, type Logger } from "@fairlead/base";
import { systemClock } from "@fairlead/base/node";

import type { Terminal } from "../terminal.js";

/** Errors, one line of JSON each, on standard error; with `FAIRLEAD_LOG=debug` everything. */
export function commandLogger({ env, stderr }: Terminal): Logger {
  const level = env["FAIRLEAD_LOG"] === "debug" ? "debug" : "error";
  return jsonLogger((line) => void stderr.write(`${line}\n`), { level, now: () => systemClock.now() });
}

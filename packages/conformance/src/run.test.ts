import { startApiServer } from "@fairlead/apiserver";
import { bodyText, header, seededRandom, silentLogger, VirtualClock } from "@fairlead/base";
import { describe, expect, it } from "vitest";

import { isRequired, runSuite } from "./run.js";
import type { Target } from "./suite/target.js";

/** An embedded server without a socket, on a clock that only the recordings' pauses move. */
async function inProcess(): Promise<Target> {
  const clock = new VirtualClock();
  const options = { clock, random: seededRandom(1), logger: silentLogger, disableAdmissionPlugins: ["ServiceAccount"] };
  const server = await startApiServer(options);
  const transport = server.transport();
  return {
    clock: {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep: (ms) => clock.advance(ms),
      schedule: (ms, action) => clock.schedule(ms, action),
    },
    async send({ method, path, contentType, accept, body }, signal) {
      const headers = { accept: accept ?? "application/json", "content-type": contentType ?? "application/json" };
      const response = await transport({ method, path, headers, ...(body === undefined ? {} : { body }) }, signal);
      const { warning } = response.headers;
      return {
        status: response.status,
        contentType: header(response.headers, "content-type") ?? "",
        warnings: warning === undefined ? [] : typeof warning === "string" ? [warning] : warning,
        text: await bodyText(response),
      };
    },
    close: () => server.close(),
  };
}

describe("the embedded server", () => {
  it("answers every required recording as Kubernetes does", async () => {
    const lines: string[] = [];
    const print = (line: string): void => void lines.push(line);
    const totals = await runSuite({
      recordings: [],
      only: "",
      chosen: isRequired,
      counts: () => true,
      print,
      target: inProcess,
    });
    expect(lines.filter((line) => !/^\w*:? ?\d+ passed/.test(line))).toEqual([]);
    expect(totals.failed).toBe(0);
    expect(totals.passed).toBeGreaterThanOrEqual(80);
  });
});

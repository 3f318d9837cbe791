import { startApiServer } from "@fairlead/apiserver";
import { bodyText, header, seededRandom, silentLogger, VirtualClock } from "@fairlead/base";
import { describe, expect, it } from "vitest";

import { runSuite, type Totals } from "./run.js";
import { isRequired } from "./suite/required.js";
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
      turn: () => clock.turn(),
      schedule: (ms, action) => clock.schedule(ms, action),
    },
    async send({ method, path, contentType, accept, body }, signal) {
      const headers = { accept: accept ?? "application/json", "content-type": contentType ?? "application/json" };
      const response = await transport({ method, path, headers, ...(body === undefined ? {} : { body }) }, signal);
      const { warning } = response.headers;
      return {
        status: response.status,
        contentType: header(response.headers, "content-type") ?? "",
        // The recorder saw the lines of one header as one.
        warnings: warning === undefined ? [] : [typeof warning === "string" ? warning : warning.join(", ")],
        text: await bodyText(response),
      };
    },
    close: () => server.close(),
  };
}

/** Asks as somebody else, which takes a server that authenticates. */
const OTHER_USER = "patch-X05";

// Those that need neither a socket nor real time; `npm run conformance` plays all of them.
describe("the embedded server answers as Kubernetes does", () => {
  it.each([
    ["miniservice", 17],
    ["patch", 89],
    ["ssa", 350],
  ])("what was recorded in %s", { timeout: 120_000 }, async (recording, atLeast) => {
    const lines: string[] = [];
    const totals = await runSuite({
      recordings: [recording],
      only: "",
      chosen: (name, id) => isRequired(name, id) && id !== OTHER_USER,
      counts: () => true,
      print: (line) => void lines.push(line),
      target: inProcess,
    });
    expect(lines.filter((line) => !/^\w*:? ?\d+ passed/.test(line))).toEqual([]);
    expect(totals.failed).toBe(0);
    expect(totals.passed).toBeGreaterThanOrEqual(atLeast);
  });
});

describe("a case that differs", () => {
  const run = async (target: () => Promise<Target>): Promise<readonly [Totals, readonly string[]]> => {
    const lines: string[] = [];
    const totals = await runSuite({
      recordings: ["patch"],
      only: "patch-J01",
      chosen: () => true,
      counts: () => true,
      print: (line) => void lines.push(line),
      target,
    });
    return [totals, lines.filter((line) => !line.startsWith(" "))];
  };
  /** A server whose answers to the patches of the case are lost. */
  const deaf = async (): Promise<Target> => {
    const target = await inProcess();
    return {
      ...target,
      send: (request, signal) =>
        request.path.includes("patch-j01") && request.method === "PATCH"
          ? Promise.reject(new Error("the answer is lost"))
          : target.send(request, signal),
    };
  };

  it("is tried once more on a server of its own, and that is said", async () => {
    let started = 0;
    const [totals, lines] = await run(() => (started++ === 0 ? deaf() : inProcess()));
    expect(totals).toEqual({ passed: 1, failed: 0 });
    expect(lines[0]).toMatch(/^second try patch-J01 /);
    expect(started).toBe(2);
  });

  it("fails where it differs again", async () => {
    const [totals, lines] = await run(deaf);
    expect(totals).toEqual({ passed: 0, failed: 1 });
    expect(lines[0]).toMatch(/^not ok patch-J01 /);
  });
});

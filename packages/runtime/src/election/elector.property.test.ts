import {
  seededRandom,
  silentLogger,
  VirtualClock,
  type Clock,
  type HttpRequest,
  type HttpResponse,
  type Transport,
} from "@fairlead/base";
import { failure } from "@fairlead/apimachinery";
import { Client } from "@fairlead/client";
import { jsonResponse, requestBody } from "@fairlead/client/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { Elector } from "./elector.js";

/** One lease as an API server keeps it: compare and swap. */
function leaseServer(): (request: HttpRequest) => Promise<HttpResponse> {
  let version = 0;
  let lease: Record<string, unknown> | undefined;
  const status = (code: number, reason: "NotFound" | "Conflict" | "AlreadyExists"): HttpResponse =>
    jsonResponse(failure(code, reason, reason), code);
  return async (request) => {
    const body = (await requestBody(request)) as { readonly metadata: Record<string, unknown> } | undefined;
    if (request.method === "GET") return lease === undefined ? status(404, "NotFound") : jsonResponse(lease);
    if (request.method === "POST" && lease !== undefined) return status(409, "AlreadyExists");
    if (
      request.method === "PUT" &&
      (lease?.metadata as { readonly resourceVersion?: unknown } | undefined)?.resourceVersion !==
        body?.metadata.resourceVersion
    )
      return status(409, "Conflict");
    lease = { ...body, metadata: { ...body?.metadata, resourceVersion: String(++version) } };
    return jsonResponse(lease);
  };
}

/** The same clock, some time off. The monotonic part runs alike, as clocks of different machines about do. */
function shifted(clock: VirtualClock, byMs: number): Clock {
  return {
    now: () => clock.now() + byMs,
    monotonic: () => clock.monotonic() + byMs * 7,
    sleep: (ms, signal) => clock.sleep(ms, signal),
    turn: () => clock.turn(),
    schedule: (ms, action) => clock.schedule(ms, action),
  };
}

type Network = "fine" | "cut" | "slow" | "answerLost";
const change = fc.record({
  who: fc.nat(2),
  network: fc.constantFrom<Network>("fine", "cut", "slow", "answerLost"),
  afterMs: fc.integer({ min: 100, max: 12_000 }),
});

it("at most one leads at any moment, whatever the network and the wall clocks do; and one does, once it is well", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 12 }),
      fc.array(fc.integer({ min: -100_000_000, max: 100_000_000 }), { minLength: 3, maxLength: 3 }),
      fc.nat(),
      async (changes, shifts, seed) => {
        const clock = new VirtualClock();
        const server = leaseServer();
        const network: Network[] = ["fine", "fine", "fine"];
        const stop = new AbortController();
        let working: string[] = [];
        const electors = shifts.map((shift, i) => {
          const transport: Transport = async (request, signal) => {
            if (network[i] === "cut") throw new Error("no route");
            if (network[i] === "slow") await clock.sleep(4_000, signal);
            const answer = await server(request);
            if (network[i] === "slow") await clock.sleep(4_000, signal);
            if (network[i] === "answerLost") throw new Error("reset");
            return answer;
          };
          const own = shifted(clock, shift);
          const client = new Client({ transport, clock: own, random: seededRandom(seed + i), retry: "none" });
          return new Elector({
            client,
            clock: own,
            random: seededRandom(seed + i + 10),
            logger: silentLogger,
            namespace: "default",
            name: "l",
            identity: `c${i}`,
          });
        });
        const running = electors.map((elector, i) =>
          elector.run(stop.signal, async (leading) => {
            working.push(`c${i}`);
            // Work that is slow to stop, so that the next round must wait for it.
            await clock
              .sleep(Number.MAX_SAFE_INTEGER, leading)
              .catch(() => clock.sleep(300, new AbortController().signal));
            working = working.filter((one) => one !== `c${i}`);
          }),
        );
        const turn = async (): Promise<void> => {
          for (let i = 0; i < 40; i++) await Promise.resolve();
        };
        const run = async (ms: number): Promise<void> => {
          for (let left = ms; left > 0; left -= 500) {
            await clock.advance(Math.min(500, left), turn);
            expect(electors.filter((elector) => elector.leading).length).toBeLessThanOrEqual(1);
            expect(working.length).toBeLessThanOrEqual(1);
          }
        };
        await run(5_000);
        for (const { who, network: to, afterMs } of changes) {
          network[who] = to;
          await run(afterMs);
        }
        network.fill("fine");
        await run(40_000);
        expect(electors.filter((elector) => elector.leading)).toHaveLength(1);
        expect(working).toHaveLength(1);
        stop.abort();
        await clock.advance(10_000, turn);
        await Promise.all(running);
        expect(clock.nextMs()).toBeUndefined();
      },
    ),
    { numRuns: 60 },
  );
});

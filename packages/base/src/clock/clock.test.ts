import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { formatMicroTime, formatTime, parseTime } from "./clock.js";
import { systemClock } from "./system.js";
import { VirtualClock } from "./virtual.js";

describe("a virtual clock", () => {
  it("rings alarms in the order of their times, and of equal ones as they were set", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(5), { maxLength: 20 }), async (delays) => {
        const clock = new VirtualClock(0);
        const rung: [at: number, index: number][] = [];
        for (const [index, ms] of delays.entries()) clock.schedule(ms, () => rung.push([clock.now(), index]));
        await clock.advance(5, () => Promise.resolve());
        expect(rung).toEqual(delays.map((ms, index) => [ms, index]).sort(([a = 0], [b = 0]) => a - b));
        expect(clock.now()).toBe(5);
      }),
    );
  });

  it("lets what one alarm starts be seen by the next", async () => {
    const clock = new VirtualClock(0);
    const seen: number[] = [];
    const signal = new AbortController().signal;
    const loop = (async () => {
      for (let i = 0; i < 3; i++) {
        await clock.sleep(10, signal);
        seen.push(clock.now());
      }
    })();
    await clock.advance(100);
    await loop;
    expect(seen).toEqual([10, 20, 30]);
  });

  it("does not ring what was taken back, nor count it as the next alarm", () => {
    const clock = new VirtualClock(0);
    const cancel = clock.schedule(5, () => expect.fail("it was taken back"));
    clock.schedule(9, () => undefined);
    cancel();
    expect(clock.nextMs()).toBe(9);
    expect(clock.step()).toBe(true);
    expect(clock.step()).toBe(false);
  });
});

describe.each([
  ["virtual", () => new VirtualClock()],
  ["system", () => systemClock],
])("sleep of the %s clock", (_name, make) => {
  it("ends at once, with the reason, when its signal is aborted, before or during it", async () => {
    const reason = new Error("stop");
    const aborted = AbortSignal.abort(reason);
    await expect(make().sleep(60_000, aborted)).rejects.toBe(reason);
    const controller = new AbortController();
    const sleeping = make().sleep(60_000, controller.signal);
    controller.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
  });
});

describe("times on the wire", () => {
  it("are whole seconds or microseconds, in UTC", () => {
    const ms = Date.UTC(2026, 10, 30, 12, 0, 1) + 987;
    expect(formatTime(ms)).toBe("2026-11-30T12:00:01Z");
    expect(formatMicroTime(ms)).toBe("2026-11-30T12:00:01.987000Z");
    expect(parseTime(formatMicroTime(ms))).toBe(ms);
    expect(parseTime("yesterday")).toBeUndefined();
    expect(parseTime(undefined)).toBeUndefined();
  });
});

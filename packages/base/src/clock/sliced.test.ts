import { expect, it } from "vitest";

import { VirtualClock } from "./virtual.js";
import { inSlices, isSliced, SLICE_WORK, unsliced, type Sliced } from "./sliced.js";

function* counting(stops: number, work: number, log: string[] = []): Sliced<number> {
  for (let i = 0; i < stops; i++) {
    log.push(`step ${i}`);
    yield work;
  }
  return stops;
}

it("is at its end at once when it takes little work", () => {
  expect(inSlices(counting(10, SLICE_WORK / 20), new VirtualClock())).toBe(10);
});

it("gives others a turn after each slice of work", async () => {
  const clock = new VirtualClock();
  const log: string[] = [];
  const result = inSlices(counting(4, SLICE_WORK / 2, log), clock);
  expect(result).toBeInstanceOf(Promise);
  log.push("another");
  await clock.advance(0);
  expect(await result).toBe(4);
  expect(log.slice(0, 3)).toEqual(["step 0", "step 1", "another"]);
  expect(log).toHaveLength(5);
});

it("fails where the computation does, whether it has paused or not", async () => {
  const clock = new VirtualClock();
  function* failing(work: number): Sliced<never> {
    yield work;
    throw new Error("no");
  }
  expect(() => inSlices(failing(1), clock)).toThrow("no");
  await expect(Promise.all([inSlices(failing(SLICE_WORK), clock), clock.advance(0)])).rejects.toThrow("no");
});

it("runs without a pause when asked to, and is told from a result", () => {
  expect(unsliced(counting(3, SLICE_WORK))).toBe(3);
  expect(isSliced(counting(1, 1))).toBe(true);
  expect(isSliced<readonly number[]>([1])).toBe(false);
});

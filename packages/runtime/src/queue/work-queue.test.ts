import { VirtualClock } from "@fairlead/base";
import { describe, expect, it } from "vitest";
import { WorkQueue } from "./work-queue.js";

function fresh(): { readonly queue: WorkQueue; readonly clock: VirtualClock } {
  const clock = new VirtualClock();
  return { clock, queue: new WorkQueue({ clock }) };
}

async function takeAll(queue: WorkQueue): Promise<readonly string[]> {
  const keys: string[] = [];
  while (queue.length > 0) keys.push((await queue.next()) ?? "");
  return keys;
}

describe("a work queue", () => {
  it("hands keys out in order, each once however often it was added", async () => {
    const { queue } = fresh();
    for (const key of ["a", "b", "a", "c", "b"]) queue.add(key);
    expect(await takeAll(queue)).toEqual(["a", "b", "c"]);
  });

  it("never hands out a key that is worked on, and hands it out again when it was added meanwhile", async () => {
    const { queue } = fresh();
    queue.add("a");
    await queue.next();
    queue.add("a");
    queue.add("a");
    expect(queue.length).toBe(0);
    queue.done("a");
    expect(await takeAll(queue)).toEqual(["a"]);
    queue.done("a");
    expect(queue.length).toBe(0);
  });

  it("wakes those who wait, first come first served", async () => {
    const { queue } = fresh();
    const both = Promise.all([queue.next(), queue.next()]);
    queue.add("a");
    queue.add("b");
    expect(await both).toEqual(["a", "b"]);
    expect(queue.working).toBe(2);
  });

  it("backs off from 5 ms, doubled, to 1000 s, and begins anew after a success", async () => {
    const { queue, clock } = fresh();
    const pauses: number[] = [];
    queue.add("a");
    for (let i = 0; i < 20; i++) {
      await queue.next();
      pauses.push(queue.retry("a"));
      queue.done("a");
      expect(queue.nextDueMs).toBe(pauses.at(-1));
      await clock.advance(pauses.at(-1) ?? 0, () => Promise.resolve());
    }
    expect(pauses.slice(0, 4)).toEqual([5, 10, 20, 40]);
    expect(pauses.slice(-2)).toEqual([1_000_000, 1_000_000]);
    await queue.next();
    queue.forget("a");
    expect(queue.retry("a")).toBe(5);
  });

  it("retries a failing key sooner when something happens to it, but not at once", async () => {
    const { queue, clock } = fresh();
    queue.add("a");
    for (let i = 0; i < 12; i++) {
      await queue.next();
      queue.retry("a");
      queue.done("a");
      await clock.advance(queue.nextDueMs ?? 0, () => Promise.resolve());
    }
    await queue.next();
    expect(queue.retry("a")).toBe(20_480);
    queue.add("a");
    queue.done("a");
    expect(queue.nextDueMs).toBe(1_000);
  });

  it("keeps the sooner of two delays, and what happens at once overtakes both", async () => {
    const { queue, clock } = fresh();
    queue.addAfter("a", 50);
    queue.addAfter("a", 10);
    queue.addAfter("b", 20);
    expect(queue.nextDueMs).toBe(10);
    queue.add("b");
    expect(await takeAll(queue)).toEqual(["b"]);
    await clock.advance(10, () => Promise.resolve());
    expect(await takeAll(queue)).toEqual(["a"]);
    queue.done("a");
    queue.done("b");
    await clock.advance(1_000, () => Promise.resolve());
    expect(queue.length).toBe(0);
    expect(queue.nextDueMs).toBeUndefined();
  });

  it("forgets the delay of a key when work on it begins: its own outcome says when it is next due", async () => {
    const { queue, clock } = fresh();
    queue.addAfter("a", 100);
    queue.add("a");
    await queue.next();
    queue.addAfter("a", 500);
    queue.done("a");
    await clock.advance(499, () => Promise.resolve());
    expect(queue.length).toBe(0);
    await clock.advance(1, () => Promise.resolve());
    expect(queue.length).toBe(1);
  });

  it("ends waits when it is closed, and leaves no alarm", async () => {
    const { queue, clock } = fresh();
    const waiting = queue.next();
    queue.addAfter("a", 100);
    queue.close();
    expect(await waiting).toBeUndefined();
    expect(await queue.next()).toBeUndefined();
    expect(clock.nextMs()).toBeUndefined();
  });
});

import { VirtualClock } from "@fairlead/base";
import fc from "fast-check";
import { expect, it } from "vitest";
import { WorkQueue } from "./work-queue.js";

/** The queue as plainly as it can be said: one list of what is ready, one time at which each key falls due. */
interface Model {
  now: number;
  readonly ready: string[];
  readonly working: Set<string>;
  readonly dirty: Set<string>;
  readonly due: Map<string, { at: number; order: number }>;
  readonly failures: Map<string, { count: number; at: number }>;
  order: number;
}

const BASE = 5;
const MAX = 1_000;
const EAGER = 100;
const pause = (failures: number): number => Math.min(BASE * 2 ** (failures - 1), MAX);

function addTo(m: Model, key: string): void {
  if (m.working.has(key)) m.dirty.add(key);
  else if (!m.ready.includes(key)) {
    const failed = m.failures.get(key);
    if (failed === undefined) enqueue(m, key);
    else delay(m, key, failed.at + Math.min(EAGER, pause(failed.count)));
  }
}

function enqueue(m: Model, key: string): void {
  m.due.delete(key);
  m.ready.push(key);
}

function delay(m: Model, key: string, at: number): void {
  if (m.ready.includes(key)) return;
  const due = m.due.get(key);
  if (due !== undefined && due.at <= at) return;
  if (!m.working.has(key) && at <= m.now) enqueue(m, key);
  else m.due.set(key, { at, order: m.order++ });
}

function advance(m: Model, ms: number): void {
  const until = m.now + ms;
  for (;;) {
    const next = [...m.due]
      .filter(([, due]) => due.at <= until)
      .sort(([, a], [, b]) => a.at - b.at || a.order - b.order)[0];
    if (next === undefined) break;
    m.now = Math.max(m.now, next[1].at);
    m.due.delete(next[0]);
    if (m.working.has(next[0])) m.dirty.add(next[0]);
    else enqueue(m, next[0]);
  }
  m.now = until;
}

type Op =
  | { readonly op: "add" | "done" | "fail"; readonly key: string }
  | { readonly op: "after"; readonly key: string; readonly ms: number }
  | { readonly op: "take" }
  | { readonly op: "advance"; readonly ms: number };

const keys = fc.constantFrom("a", "b", "c", "d");
const ops: fc.Arbitrary<Op> = fc.oneof(
  fc.record({ op: fc.constantFrom("add" as const, "done" as const, "fail" as const), key: keys }),
  fc.record({ op: fc.constant("after" as const), key: keys, ms: fc.nat(200) }),
  fc.constant({ op: "take" } as const),
  fc.record({ op: fc.constant("advance" as const), ms: fc.nat(300) }),
);

it("does what the model does, whatever is done to it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(ops, { maxLength: 60, size: "max" }), async (script) => {
      const clock = new VirtualClock(0);
      const queue = new WorkQueue({ clock, baseMs: BASE, maxMs: MAX, eagerMs: EAGER });
      const m: Model = {
        now: 0,
        ready: [],
        working: new Set(),
        dirty: new Set(),
        due: new Map(),
        failures: new Map(),
        order: 0,
      };
      for (const step of script) await apply(step, m, queue, clock);
      // Left alone, everything that fell due is handed out at last.
      await apply({ op: "advance", ms: 10_000 }, m, queue, clock);
      while (m.ready.length > 0) await apply({ op: "take" }, m, queue, clock);
    }),
  );
});

async function apply(step: Op, m: Model, queue: WorkQueue, clock: VirtualClock): Promise<void> {
  switch (step.op) {
    case "add":
      queue.add(step.key);
      addTo(m, step.key);
      break;
    case "after":
      queue.addAfter(step.key, step.ms);
      delay(m, step.key, m.now + step.ms);
      break;
    case "take": {
      const key = m.ready.shift();
      if (key === undefined) break;
      expect(await queue.next()).toBe(key);
      expect(m.working.has(key)).toBe(false);
      m.working.add(key);
      break;
    }
    case "done":
    case "fail": {
      if (!m.working.has(step.key)) break;
      if (step.op === "fail") {
        const count = (m.failures.get(step.key)?.count ?? 0) + 1;
        m.failures.set(step.key, { count, at: m.now });
        expect(queue.retry(step.key)).toBe(pause(count));
        delay(m, step.key, m.now + pause(count));
      } else {
        queue.forget(step.key);
        m.failures.delete(step.key);
      }
      queue.done(step.key);
      m.working.delete(step.key);
      if (m.dirty.delete(step.key)) addTo(m, step.key);
      break;
    }
    case "advance":
      await clock.advance(step.ms, () => Promise.resolve());
      advance(m, step.ms);
      break;
  }
  expect(queue.length).toBe(m.ready.length);
  expect(queue.working).toBe(m.working.size);
  const due = [...m.due.values()].map(({ at }) => at - m.now);
  expect(queue.nextDueMs).toBe(due.length === 0 ? undefined : Math.max(0, Math.min(...due)));
}

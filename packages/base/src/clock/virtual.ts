import { onAbort } from "../async/async.js";
import { Heap } from "../collections/heap.js";
import type { Clock } from "./clock.js";

interface Alarm {
  readonly at: number;
  readonly order: number;
  readonly ring: () => void;
  cancelled: boolean;
}

const START_MS = Date.UTC(2026, 0, 1);

/**
 * A clock that moves only when told. Alarms ring in the order of their times, and of equal times in the order in which
 * they were set, so a run depends on nothing but its inputs.
 */
export class VirtualClock implements Clock {
  #now: number;
  #order = 0;
  readonly #alarms = new Heap<Alarm>((a, b) => a.at - b.at || a.order - b.order);

  /** @param startMs - The time it shows at first, in milliseconds since 1970; 2026-01-01 by default. */
  constructor(startMs: number = START_MS) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.schedule(ms, () => {
        release();
        resolve();
      });
      const release = onAbort(signal, () => {
        cancel();
        reject(signal.reason as Error);
      });
    });
  }

  /** Nothing but promises is ready on a clock that stands still. */
  turn(): Promise<void> {
    return Promise.resolve();
  }

  schedule(ms: number, action: () => void): () => void {
    const alarm: Alarm = { at: this.#now + Math.max(0, ms), order: this.#order++, ring: action, cancelled: false };
    this.#alarms.push(alarm);
    return () => {
      alarm.cancelled = true;
    };
  }

  /** Milliseconds until the next alarm; undefined when none is set. */
  nextMs(): number | undefined {
    while (this.#alarms.peek()?.cancelled === true) this.#alarms.pop();
    const next = this.#alarms.peek();
    return next === undefined ? undefined : Math.max(0, next.at - this.#now);
  }

  /** Moves to the next alarm and rings it. Returns false when none is set. */
  step(): boolean {
    if (this.nextMs() === undefined) return false;
    const alarm = this.#alarms.pop();
    if (alarm === undefined) return false;
    this.#now = Math.max(this.#now, alarm.at);
    alarm.ring();
    return true;
  }

  /**
   * Moves `ms` milliseconds on, ringing what falls due. Between two alarms it lets `settle` run, by default until the
   * microtasks and the event loop's immediate work are done, so that what one alarm starts is seen by the next.
   */
  async advance(ms: number, settle: () => Promise<void> = drainEventLoop): Promise<void> {
    const until = this.#now + ms;
    await settle();
    for (let next = this.nextMs(); next !== undefined && this.#now + next <= until; next = this.nextMs()) {
      this.step();
      await settle();
    }
    this.#now = until;
  }
}

/**
 * Resolves in a later turn of the event loop. Code that only awaits what is done already never ends a turn, so whoever
 * lets others loop in one process without a socket puts this in their way.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

async function drainEventLoop(): Promise<void> {
  for (let i = 0; i < 20; i++) await nextTurn();
}

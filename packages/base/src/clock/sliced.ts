// Long computations that share their thread. What decides is pure and does not wait, so it cannot give others a turn
// itself: it is a generator that says how much it has done, and who runs it decides when to pause.
import type { Clock } from "./clock.js";

/**
 * A computation that stops now and then, each time with the work that it has done since the last stop, and returns its
 * result. A unit of work is a step that takes some ten nanoseconds, up to a hundred; thousands of them make a good stop.
 */
export type Sliced<T> = Generator<number, T, undefined>;

/** Work between two turns of others: some milliseconds. */
export const SLICE_WORK = 50_000;

/** Runs to the end, without a pause. */
export function unsliced<T>(work: Sliced<T>): T {
  while (true) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** The result at once if it takes no more than a slice of work, else a promise of it: others have turns in between. */
export function inSlices<T>(work: Sliced<T>, clock: Clock): T | Promise<T> {
  const step = slice(work);
  return step.done === true ? step.value : rest(work, clock);
}

async function rest<T>(work: Sliced<T>, clock: Clock): Promise<T> {
  while (true) {
    await clock.turn();
    const step = slice(work);
    if (step.done === true) return step.value;
  }
}

/** The stop at which a slice of work has been done, or the end if that comes first. */
function slice<T>(work: Sliced<T>): IteratorResult<number, T> {
  let step = work.next();
  for (let done = 0; step.done !== true; step = work.next()) {
    done += step.value;
    if (done >= SLICE_WORK) break;
  }
  return step;
}

/** Whether a value is a computation in slices rather than a result. */
export function isSliced<T>(value: T | Sliced<T>): value is Sliced<T> {
  return typeof value === "object" && value !== null && Symbol.iterator in value && "next" in value && "throw" in value;
}

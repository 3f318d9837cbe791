import { assertNever, type Clock, FairleadError, onAbort, type Random } from "@fairlead/base";
import type { KubernetesObject, ResourceVersion } from "@fairlead/apimachinery";
import type { Api, Page, Selection, WatchEvent } from "@fairlead/client";
import { step, UNLISTED, type Input, type State, type Step, type StoreEvent } from "./step.js";

/** The two calls that a watcher makes. */
export interface ListWatch<T> {
  /** @param next - The token of the page before; undefined for the first. */
  list(next: string | undefined, signal: AbortSignal): Promise<Page<T>>;
  /** @param timeoutSeconds - After which the server is asked to end the watch. */
  watch(from: ResourceVersion, timeoutSeconds: number, signal: AbortSignal): AsyncIterable<WatchEvent<T>>;
}

export interface WatcherOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** The pause before the next call after `misses` calls in a row that brought nothing; see `defaultPauseMs`. */
  readonly pauseMs?: (misses: number, random: Random) => number;
  /** A watch that says nothing for so long (bookmarks included) is given up as half-open and opened anew; 2 min. */
  readonly idleMs?: number;
  /** Told of each failure before the pause. Failures are never thrown. */
  readonly onFailure?: (error: unknown) => void;
}

/** A watch on which nothing came for too long; it is opened anew from the same version. */
export class WatchIdleError extends FairleadError {
  constructor(idleMs: number) {
    super("WatchIdle", `Nothing came on the watch for ${idleMs} ms, so its connection is given up and opened anew`);
  }
}

const IDLE_MS = 120_000;
/** A call that lasted this long was no miss, even if it brought nothing: a quiet resource is not a failing one. */
const LASTED_MS = 5_000;
/** Servers end watches after 5 to 10 minutes; so do we, spread evenly, so that not all come back at once. */
const LEAST_TIMEOUT_SECONDS = 290;

/** No pause after progress; then from 0.1 s up to 30 s, trebled each time, spread over the upper half. */
export function defaultPauseMs(misses: number, random: Random): number {
  if (misses === 0) return 0;
  return Math.min(100 * 3 ** (misses - 1), 30_000) * (1 - random.next() / 2);
}

/** The calls of a watcher over an Api, in pages of `limit` (500 by default). */
export function listWatch<T extends KubernetesObject>(
  api: Api<T>,
  selection: Selection & { readonly limit?: number } = {},
): ListWatch<T> {
  const { limit = 500, ...selected } = selection;
  return {
    list: (next, signal) => api.page({ ...selected, limit, ...(next === undefined ? {} : { continue: next }), signal }),
    watch: (resourceVersion, timeoutSeconds, signal) =>
      api.watch({ ...selected, resourceVersion, timeoutSeconds, signal }),
  };
}

/** Lists, then watches, for ever; rejects with `signal.reason` when aborted. Other failures are paced, not thrown. */
export async function* watch<T extends KubernetesObject>(
  api: ListWatch<T>,
  o: WatcherOptions,
): AsyncGenerator<StoreEvent<T>> {
  const pauseMs = o.pauseMs ?? defaultPauseMs;
  let state: State = UNLISTED;
  let misses = 0; // calls in a row that brought nothing
  while (true) {
    const began = o.clock.monotonic();
    for await (const input of perform(api, state, o)) {
      const next: Step<T> = step(state, input);
      if (input.type === "failed" && !o.signal.aborted) o.onFailure?.(input.error);
      state = next.state;
      yield* next.emit;
      misses = input.type === "page" || input.type === "wire" ? 0 : misses + 1;
    }
    if (o.signal.aborted) throw o.signal.reason;
    if (misses > 0 && o.clock.monotonic() - began >= LASTED_MS) misses = 0;
    const pause = pauseMs(misses, o.random);
    if (pause > 0) await o.clock.sleep(pause, o.signal);
  }
}

/** The one call that a state asks for, as inputs. Never throws. */
async function* perform<T extends KubernetesObject>(
  api: ListWatch<T>,
  state: State,
  o: WatcherOptions,
): AsyncGenerator<Input<T>> {
  try {
    switch (state.at) {
      case "unlisted":
        yield { type: "page", page: await api.list(undefined, o.signal) };
        return;
      case "paging":
        yield { type: "page", page: await api.list(state.next, o.signal) };
        return;
      case "watching":
        yield* watchOnce(api, state.from, o);
        return;
      default:
        assertNever(state);
    }
  } catch (error) {
    yield { type: "failed", error };
  }
}

/** One connection, ended when it falls silent. */
async function* watchOnce<T extends KubernetesObject>(
  api: ListWatch<T>,
  from: ResourceVersion,
  o: WatcherOptions,
): AsyncGenerator<Input<T>> {
  const idleMs = o.idleMs ?? IDLE_MS;
  const closing = new AbortController();
  if (o.signal.aborted) throw o.signal.reason;
  const release = onAbort(o.signal, () => {
    closing.abort(o.signal.reason);
  });
  let heard = o.clock.monotonic();
  let cancel = (): void => undefined;
  const guard = (ms: number): void => {
    cancel = o.clock.schedule(ms, () => {
      const left = idleMs - (o.clock.monotonic() - heard);
      if (left > 0) guard(left);
      else closing.abort(new WatchIdleError(idleMs));
    });
  };
  guard(idleMs);
  try {
    const timeoutSeconds = LEAST_TIMEOUT_SECONDS + Math.floor(o.random.next() * LEAST_TIMEOUT_SECONDS);
    for await (const event of api.watch(from, timeoutSeconds, closing.signal)) {
      heard = o.clock.monotonic();
      yield { type: "wire", event };
    }
    yield { type: "closed" };
  } finally {
    cancel();
    release();
  }
}

import { deferred, type Deferred } from "./async.js";

/** What `push` says: the value was taken, or the channel was full or closed and it was not. */
export type PushResult = "taken" | "full" | "closed";

/**
 * A bounded queue with one reader, as an async iterable. `push` never waits: a producer that meets a full channel must
 * decide (drop, end the reader, slow down).
 */
export class Channel<T> implements AsyncIterable<T> {
  readonly #limit: number;
  readonly #weightLimit: number;
  #items: (T | undefined)[] = [];
  #weights: number[] = [];
  #weight = 0;
  #head = 0;
  #ended: { readonly error?: unknown } | undefined;
  #waiting: Deferred<void> | undefined;

  /**
   * @param limit - Values that may wait unread; unbounded by default is refused on purpose, so name a number.
   * @param weightLimit - What they may weigh together. One value is taken whatever it weighs; no limit by default.
   */
  constructor(limit: number, weightLimit: number = Infinity) {
    this.#limit = limit;
    this.#weightLimit = weightLimit;
  }

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(value: T, weight: number = 0): PushResult {
    if (this.#ended !== undefined) return "closed";
    if (this.size >= this.#limit || (this.size > 0 && this.#weight + weight > this.#weightLimit)) return "full";
    this.#items.push(value);
    this.#weights.push(weight);
    this.#weight += weight;
    this.#wake();
    return "taken";
  }

  /** Ends the stream after what was pushed before; with `error`, the reader then rejects with it. */
  close(error?: unknown): void {
    if (this.#ended !== undefined) return;
    this.#ended = error === undefined ? {} : { error };
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    while (true) {
      while (this.#head < this.#items.length) yield this.#take();
      if (this.#ended !== undefined) {
        if ("error" in this.#ended) throw this.#ended.error;
        return;
      }
      this.#waiting = deferred();
      await this.#waiting.promise;
    }
  }

  /** The next value, which is let go of. */
  #take(): T {
    const value = this.#items[this.#head] as T;
    this.#items[this.#head] = undefined;
    this.#weight -= this.#weights[this.#head] as number;
    this.#head++;
    if (this.#head === this.#items.length || (this.#head > 1024 && this.#head * 2 > this.#items.length)) {
      this.#items = this.#items.slice(this.#head);
      this.#weights = this.#weights.slice(this.#head);
      this.#head = 0;
    }
    return value;
  }

  #wake(): void {
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }
}

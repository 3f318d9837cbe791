import { deferred, Heap, type Clock, type Deferred } from "@fairlead/base";

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** The first pause after a failure, doubled with each further one; 5 ms by default. */
  readonly baseMs?: number;
  /** The longest pause after failures; 1000 s by default. */
  readonly maxMs?: number;
  /**
   * How long a failing key still waits at most when something new happens to it; 1 s by default. So a change is not held
   * up by an old backoff, and a reconcile that fails after it wrote does not drive itself around in circles.
   */
  readonly eagerMs?: number;
}

interface Due {
  readonly key: string;
  readonly at: number;
  readonly order: number;
}

/** What the queue knows of one key. At rest (not queued, not delayed, not worked on, no failures) it knows nothing. */
interface Entry {
  state: "idle" | "queued" | "working";
  /** Added again while it is worked on. */
  dirty: boolean;
  failures: number;
  /** When it falls due by itself, on the monotonic clock; undefined when it does not. */
  dueAt: number | undefined;
  /** When the last failure was, for `eagerMs`. */
  failedAt: number;
}

/**
 * A level-triggered queue of keys. A key that is waiting is not added again; one that is worked on is handed out again
 * only after `done`, so no key is worked on twice at once. First come, first served.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #baseMs: number;
  readonly #maxMs: number;
  readonly #eagerMs: number;
  readonly #entries = new Map<string, Entry>();
  #delayed = new Heap<Due>((a, b) => a.at - b.at || a.order - b.order);
  readonly #takers: Deferred<string | undefined>[] = [];
  #ready: string[] = [];
  #head = 0;
  #order = 0;
  #working = 0;
  #closed = false;
  #alarm: { readonly at: number; readonly cancel: () => void } | undefined;

  constructor(options: WorkQueueOptions) {
    this.#clock = options.clock;
    this.#baseMs = options.baseMs ?? 5;
    this.#maxMs = options.maxMs ?? 1_000_000;
    this.#eagerMs = options.eagerMs ?? 1_000;
  }

  /** Keys that could be worked on now. */
  get length(): number {
    return this.#ready.length - this.#head;
  }

  /** Keys that are worked on. */
  get working(): number {
    return this.#working;
  }

  /** Milliseconds until a waiting key falls due; undefined when none waits. */
  get nextDueMs(): number | undefined {
    const due = this.#nextDue();
    return due === undefined ? undefined : Math.max(0, due.at - this.#clock.monotonic());
  }

  /** Something happened to this key: it is handed out as soon as it can be. */
  add(key: string): void {
    if (this.#closed) return;
    const entry = this.#entry(key);
    if (entry.state === "working") entry.dirty = true;
    if (entry.state !== "idle") return;
    if (entry.failures > 0)
      this.#delay(key, entry, entry.failedAt + Math.min(this.#eagerMs, this.#pauseMs(entry.failures)));
    else this.#enqueue(key, entry);
  }

  /** Hands the key out after `ms` milliseconds, or sooner when something happens to it. */
  addAfter(key: string, ms: number): void {
    if (this.#closed) return;
    const entry = this.#entry(key);
    this.#delay(key, entry, this.#clock.monotonic() + Math.max(0, ms));
  }

  /** It failed: hands the key out after a pause that grows with each failure in a row. Returns the pause. */
  retry(key: string): number {
    const entry = this.#entry(key);
    entry.failures++;
    entry.failedAt = this.#clock.monotonic();
    const pause = this.#pauseMs(entry.failures);
    if (!this.#closed) this.#delay(key, entry, entry.failedAt + pause);
    return pause;
  }

  /** It did not fail: the next failure is the first again. */
  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    entry.failures = 0;
    this.#tidy(key, entry);
  }

  /** How often in a row the key failed. */
  failures(key: string): number {
    return this.#entries.get(key)?.failures ?? 0;
  }

  /**
   * The next key, which is then worked on until `done`; waits for one.
   *
   * @returns undefined once the queue is closed.
   */
  async next(): Promise<string | undefined> {
    if (this.#closed) return undefined;
    const key = this.#shift();
    if (key !== undefined) return key;
    const taker = deferred<string | undefined>();
    this.#takers.push(taker);
    return taker.promise;
  }

  /** The key is no longer worked on. It is handed out again if something happened to it meanwhile. */
  done(key: string): void {
    const entry = this.#entries.get(key);
    if (entry?.state !== "working") return;
    entry.state = "idle";
    this.#working--;
    if (entry.dirty) {
      entry.dirty = false;
      this.add(key);
    }
    this.#tidy(key, entry);
  }

  /** Hands out nothing more, and forgets what waits. */
  close(): void {
    this.#closed = true;
    this.#alarm?.cancel();
    this.#alarm = undefined;
    this.#ready = [];
    this.#head = 0;
    for (const taker of this.#takers.splice(0)) taker.resolve(undefined);
  }

  #entry(key: string): Entry {
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = { state: "idle", dirty: false, failures: 0, dueAt: undefined, failedAt: 0 };
      this.#entries.set(key, entry);
    }
    return entry;
  }

  #pauseMs(failures: number): number {
    return Math.min(this.#baseMs * 2 ** (failures - 1), this.#maxMs);
  }

  #enqueue(key: string, entry: Entry): void {
    entry.state = "queued";
    entry.dueAt = undefined;
    this.#ready.push(key);
    const taker = this.#takers.shift();
    if (taker !== undefined) taker.resolve(this.#shift());
  }

  #shift(): string | undefined {
    if (this.#head >= this.#ready.length) return undefined;
    const key = this.#ready[this.#head] as string;
    this.#head++;
    if (this.#head > 1024 && this.#head * 2 > this.#ready.length) {
      this.#ready = this.#ready.slice(this.#head);
      this.#head = 0;
    }
    const entry = this.#entry(key);
    entry.state = "working";
    entry.dueAt = undefined;
    this.#working++;
    return key;
  }

  /** Sets when a key falls due, unless it does so sooner already. */
  #delay(key: string, entry: Entry, at: number): void {
    if (entry.state === "queued" || (entry.dueAt !== undefined && entry.dueAt <= at)) return;
    if (entry.state === "idle" && at <= this.#clock.monotonic()) return this.#enqueue(key, entry);
    entry.dueAt = at;
    if (this.#delayed.size > 2 * this.#entries.size + 1024) this.#compact();
    this.#delayed.push({ key, at, order: this.#order++ });
    this.#setAlarm();
  }

  /** The next delay that still holds; those that were overtaken are dropped on the way. */
  #nextDue(): Due | undefined {
    for (let due = this.#delayed.peek(); due !== undefined; due = this.#delayed.peek()) {
      if (this.#entries.get(due.key)?.dueAt === due.at) return due;
      this.#delayed.pop();
    }
    return undefined;
  }

  #setAlarm(): void {
    const due = this.#nextDue();
    if (due === undefined || (this.#alarm !== undefined && this.#alarm.at <= due.at)) return;
    this.#alarm?.cancel();
    const cancel = this.#clock.schedule(due.at - this.#clock.monotonic(), () => {
      this.#alarm = undefined;
      this.#ring();
    });
    this.#alarm = { at: due.at, cancel };
  }

  #ring(): void {
    const now = this.#clock.monotonic();
    for (let due = this.#nextDue(); due !== undefined && due.at <= now; due = this.#nextDue()) {
      this.#delayed.pop();
      const entry = this.#entry(due.key);
      entry.dueAt = undefined;
      if (entry.state === "working") entry.dirty = true;
      else if (entry.state === "idle") this.#enqueue(due.key, entry);
    }
    this.#setAlarm();
  }

  /** Drops the delays that were overtaken, which keys that are worked on all the time leave behind. */
  #compact(): void {
    const live = new Heap<Due>((a, b) => a.at - b.at || a.order - b.order);
    for (let due = this.#delayed.pop(); due !== undefined; due = this.#delayed.pop()) {
      if (this.#entries.get(due.key)?.dueAt === due.at) live.push(due);
    }
    this.#delayed = live;
  }

  #tidy(key: string, entry: Entry): void {
    if (entry.state === "idle" && entry.failures === 0 && entry.dueAt === undefined && !entry.dirty)
      this.#entries.delete(key);
  }
}

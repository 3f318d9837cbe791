import type { StorageEvent } from "./storage.js";

export interface HistoryEvent extends StorageEvent {
  readonly collection: string;
}

/** The recent past, for watches that resume and lists at a revision. Bounded in events and in bytes. */
export class History {
  readonly #maxEvents: number;
  readonly #maxBytes: number;
  #events: HistoryEvent[] = [];
  #bytes = 0;
  #compacted: number;

  constructor(compacted: number, bounds: { readonly maxEvents: number; readonly maxBytes: number }) {
    this.#compacted = compacted;
    this.#maxEvents = bounds.maxEvents;
    this.#maxBytes = bounds.maxBytes;
  }

  /** Events up to and including this revision are forgotten. */
  get compacted(): number {
    return this.#compacted;
  }

  add(event: HistoryEvent): void {
    this.#events.push(event);
    this.#bytes += event.record.text.length;
    while (this.#events.length > this.#maxEvents || (this.#bytes > this.#maxBytes && this.#events.length > 1)) {
      const cut = Math.ceil(this.#events.length / 10);
      this.#forget(cut, (this.#events[cut - 1] as HistoryEvent).revision);
    }
  }

  /** Events after a revision, in order. */
  after(revision: number): readonly HistoryEvent[] {
    return this.#events.slice(this.#firstAfter(revision));
  }

  compact(revision: number): void {
    if (revision > this.#compacted) this.#forget(this.#firstAfter(revision), revision);
  }

  #forget(count: number, revision: number): void {
    for (let i = 0; i < count; i++) this.#bytes -= (this.#events[i] as HistoryEvent).record.text.length;
    this.#events = this.#events.slice(count);
    this.#compacted = revision;
  }

  #firstAfter(revision: number): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle] as HistoryEvent).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

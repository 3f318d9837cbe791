import { byCodeUnit, deepFreeze, stringifyJson, type JsonObject } from "@fairlead/base";

import { Collection } from "./collection.js";
import { CompactedError, RequestTooLargeError } from "./errors.js";
import type { Range, Record, Storage, StorageEvent } from "./storage.js";

export interface MemoryStorageOptions {
  /** The first write gets this plus one; 1 by default. */
  readonly startRevision?: number;
  /** Events kept at most over all collections; 100,000 by default. The oldest tenth goes when it is reached. */
  readonly maxEvents?: number;
  /** Whether stored objects are frozen, so that whoever changes one in place fails at once; false by default. */
  readonly freeze?: boolean;
  /** Called with each write before it becomes visible; the write waits for it. The log of the disk storage hangs here. */
  readonly persist?: (write: PersistedWrite) => Promise<void>;
}

/** One write as a log keeps it. */
export interface PersistedWrite {
  readonly collection: string;
  readonly key: string;
  readonly revision: number;
  /** The object's JSON; undefined for a deletion. */
  readonly text: string | undefined;
}

/** etcd's `--max-request-bytes`. */
const MAX_BYTES = 1.5 * 1024 * 1024;

interface Event extends StorageEvent {
  readonly collection: string;
}

/** Storage in this process's memory; durable only as far as `persist` makes it. */
export class MemoryStorage implements Storage {
  readonly #collections = new Map<string, Collection>();
  readonly #subscribers = new Map<string, Set<(event: StorageEvent) => void>>();
  /** Writes that `persist` has not yet confirmed, by collection and key; the newest of each. */
  readonly #pending = new Map<string, { readonly revision: number; readonly record: Record | undefined }>();
  readonly #persist: ((write: PersistedWrite) => Promise<void>) | undefined;
  readonly #maxEvents: number;
  readonly #freeze: boolean;
  #events: Event[] = [];
  #visible: number;
  #assigned: number;
  #compacted: number;
  /** Publishes strictly in the order of revisions. */
  #tail: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: MemoryStorageOptions = {}) {
    this.#visible = this.#assigned = this.#compacted = options.startRevision ?? 1;
    this.#maxEvents = options.maxEvents ?? 100_000;
    this.#persist = options.persist;
    this.#freeze = options.freeze ?? false;
  }

  get revision(): number {
    return this.#visible;
  }

  get compactedRevision(): number {
    return this.#compacted;
  }

  /** Puts back what a log or snapshot kept, without events. Only before the first write. */
  restore(collection: string, key: string, revision: number, object: JsonObject | undefined): void {
    if (object === undefined) this.#collection(collection).delete(key);
    else this.#collection(collection).set({ key, revision, object, text: stringifyJson(object) });
    this.#visible = this.#assigned = this.#compacted = Math.max(this.#visible, revision);
  }

  /** Every visible record with its collection, for a snapshot. */
  *records(): Generator<{ readonly collection: string; readonly record: Record }> {
    for (const name of [...this.#collections.keys()].sort(byCodeUnit)) {
      for (const record of this.#collection(name).list({ prefix: "" })) yield { collection: name, record };
    }
  }

  get(collection: string, key: string): Record | undefined {
    return this.#collections.get(collection)?.get(key);
  }

  getForWrite(collection: string, key: string): Record | undefined {
    const pending = this.#pending.get(`${collection}\n${key}`);
    return pending === undefined ? this.get(collection, key) : pending.record;
  }

  list(collection: string, range: Range): readonly Record[] {
    if (range.revision !== undefined && range.revision < this.#visible)
      return this.#listAt(collection, range, range.revision);
    return this.#collections.get(collection)?.list(range) ?? [];
  }

  count(collection: string, prefix: string): number {
    return this.#collections.get(collection)?.count(prefix) ?? 0;
  }

  async write(
    collection: string,
    key: string,
    expected: number,
    make: (revision: number) => JsonObject | undefined,
  ): Promise<Record | undefined> {
    if (this.#closed) throw new Error("storage is closed");
    const before = this.getForWrite(collection, key);
    if ((before?.revision ?? 0) !== expected) return undefined;
    const revision = this.#assigned + 1;
    const object = make(revision);
    const last = object ?? withRevision(before?.object ?? { metadata: {} }, revision);
    const text = stringifyJson(last);
    if (object !== undefined && byteLength(text, MAX_BYTES) > MAX_BYTES) throw new RequestTooLargeError();
    this.#assigned = revision;
    if (this.#freeze) deepFreeze(last);
    const record: Record = { key, revision, object: last, text };
    const event: Event = {
      type: object === undefined ? "DELETED" : before === undefined ? "ADDED" : "MODIFIED",
      collection,
      revision,
      key,
      record,
      previous: before,
    };
    if (this.#persist === undefined) this.#publish(event);
    else await this.#commit(event, this.#persist);
    return record;
  }

  subscribe(collection: string, from: number, onEvent: (event: StorageEvent) => void): () => void {
    if (from < this.#compacted) throw new CompactedError(from, this.#compacted);
    for (let i = this.#firstAfter(from); i < this.#events.length; i++) {
      const event = this.#events[i] as Event;
      if (event.collection === collection) onEvent(event);
    }
    let set = this.#subscribers.get(collection);
    if (set === undefined) this.#subscribers.set(collection, (set = new Set()));
    set.add(onEvent);
    return () => set.delete(onEvent);
  }

  compact(revision: number): void {
    const upTo = Math.min(revision, this.#visible);
    if (upTo <= this.#compacted) return;
    this.#events = this.#events.slice(this.#firstAfter(upTo));
    this.#compacted = upTo;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#tail.catch(() => undefined);
    this.#subscribers.clear();
  }

  async #commit(event: Event, persist: (write: PersistedWrite) => Promise<void>): Promise<void> {
    const id = `${event.collection}\n${event.key}`;
    const deleted = event.type === "DELETED";
    this.#pending.set(id, { revision: event.revision, record: deleted ? undefined : event.record });
    const { collection, key, revision } = event;
    const durable = persist({ collection, key, revision, text: deleted ? undefined : event.record.text });
    const turn = this.#tail.then(async () => {
      await durable;
      if (this.#pending.get(id)?.revision === event.revision) this.#pending.delete(id);
      this.#publish(event);
    });
    this.#tail = turn.catch(() => undefined);
    await turn;
  }

  #publish(event: Event): void {
    const collection = this.#collection(event.collection);
    if (event.type === "DELETED") collection.delete(event.key);
    else collection.set(event.record);
    this.#visible = event.revision;
    this.#events.push(event);
    if (this.#events.length > this.#maxEvents) {
      const cut = Math.ceil(this.#maxEvents / 10);
      this.#compacted = (this.#events[cut - 1] as Event).revision;
      this.#events = this.#events.slice(cut);
    }
    for (const subscriber of [...(this.#subscribers.get(event.collection) ?? [])]) subscriber(event);
  }

  #collection(name: string): Collection {
    let collection = this.#collections.get(name);
    if (collection === undefined) this.#collections.set(name, (collection = new Collection()));
    return collection;
  }

  /** Undoes the events after `revision`, newest first, on a copy of the range. */
  #listAt(collection: string, range: Range, revision: number): readonly Record[] {
    if (revision < this.#compacted) throw new CompactedError(revision, this.#compacted);
    const records = new Map(
      this.#collections
        .get(collection)
        ?.list({ prefix: range.prefix })
        .map((r) => [r.key, r]),
    );
    for (let i = this.#events.length - 1; i >= 0; i--) {
      const event = this.#events[i] as Event;
      if (event.revision <= revision) break;
      if (event.collection !== collection || !event.key.startsWith(range.prefix)) continue;
      if (event.previous === undefined) records.delete(event.key);
      else records.set(event.key, event.previous);
    }
    const { after } = range;
    const found = [...records.values()]
      .filter((r) => after === undefined || r.key > after)
      .sort((a, b) => byCodeUnit(a.key, b.key));
    return range.limit === undefined ? found : found.slice(0, range.limit);
  }

  /** The index of the first event after a revision. */
  #firstAfter(revision: number): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle] as Event).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The length of a text in UTF-8, which is only looked at where it may be beyond a bound. */
function byteLength(text: string, bound: number): number {
  return text.length * 3 <= bound ? text.length : new TextEncoder().encode(text).length;
}

function withRevision(object: JsonObject, revision: number): JsonObject {
  return { ...object, metadata: { ...(object["metadata"] as JsonObject), resourceVersion: String(revision) } };
}

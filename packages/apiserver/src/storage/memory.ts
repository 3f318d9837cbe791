import { byCodeUnit, deepFreeze, stringifyJson, type FairleadError, type JsonObject } from "@fairlead/base";

import { Collection } from "./collection.js";
import { CompactedError, RequestTooLargeError } from "./errors.js";
import { History, type HistoryEvent } from "./history.js";
import { StoredRecord } from "./record.js";
import type { Range, Record, Storage, StorageEvent } from "./storage.js";

export interface MemoryStorageOptions {
  /** The first write gets this plus one; 1 by default. */
  readonly startRevision?: number;
  /**
   * Events kept at most over all collections; 100,000 by default, which is more than a minute at 1,000 writes a second.
   * The oldest tenth goes when it is reached.
   */
  readonly maxEvents?: number;
  /** UTF-16 units of JSON in the events that are kept, at most; 256 Mi by default. */
  readonly maxEventBytes?: number;
  /** Whether stored objects are frozen, so that whoever changes one in place fails at once; false by default. */
  readonly freeze?: boolean;
  /** What makes writes durable before they become visible; without it they are visible at once. */
  readonly journal?: Journal;
}

/** Where writes go before they are acknowledged. */
export interface Journal {
  /** Why no write is taken any more. */
  readonly refusal: FairleadError | undefined;
  /** Why writes fail at present: the refusal, or what may pass. */
  readonly trouble: FairleadError | undefined;
  /** Calls `done` once: in the order of the writes, with why not when the write could not be made durable. */
  append(write: PersistedWrite, done: (failure?: FairleadError) => void): void;
  close(): Promise<void>;
}

/** One write as a log keeps it. */
export interface PersistedWrite {
  readonly collection: string;
  readonly key: string;
  readonly revision: number;
  /** The object's JSON; undefined for a deletion. */
  readonly text: string | undefined;
}

/** Everything that is known at one moment: the objects at the oldest known revision, and every write since. */
export interface Image {
  readonly compacted: number;
  readonly revision: number;
  readonly base: ReadonlyMap<string, ReadonlyMap<string, Record>>;
  readonly events: readonly HistoryEvent[];
}

/** etcd's `--max-request-bytes`. */
const MAX_BYTES = 1.5 * 1024 * 1024;

interface Pending {
  readonly record: Record | undefined;
  readonly revision: number;
  readonly done: Promise<void>;
}

/** Storage in this process's memory; durable only as far as its journal makes it. */
export class MemoryStorage implements Storage {
  readonly #collections = new Map<string, Collection>();
  readonly #subscribers = new Map<string, Set<(event: StorageEvent) => void>>();
  /** Writes that the journal has not yet confirmed, by collection and key; the newest of each. */
  readonly #pending = new Map<string, Pending>();
  readonly #history: History;
  readonly #freeze: boolean;
  #journal: Journal | undefined;
  #visible: number;
  #assigned: number;
  #closed = false;

  constructor(options: MemoryStorageOptions = {}) {
    this.#visible = this.#assigned = options.startRevision ?? 1;
    this.#history = new History(this.#visible, {
      maxEvents: options.maxEvents ?? 100_000,
      maxBytes: options.maxEventBytes ?? 256 << 20,
    });
    this.#journal = options.journal;
    this.#freeze = options.freeze ?? false;
  }

  get revision(): number {
    return this.#visible;
  }

  get compactedRevision(): number {
    return this.#history.compacted;
  }

  get unavailable(): FairleadError | undefined {
    return this.#journal?.trouble;
  }

  /** Objects over all collections. */
  get size(): number {
    let size = 0;
    for (const collection of this.#collections.values()) size += collection.size;
    return size;
  }

  /** Makes writes wait for a journal from now on. */
  attach(journal: Journal): void {
    this.#journal = journal;
  }

  /** Puts back an object as it was at the oldest known revision, without an event. Only before the first write. */
  restore({ collection, key, revision, text }: PersistedWrite): void {
    if (text === undefined) this.#collection(collection).delete(key);
    else this.#collection(collection).set(new StoredRecord({ key, revision }, text));
    this.restoreRevision(revision);
  }

  /** Nothing before this revision is known any more. */
  restoreRevision(revision: number): void {
    this.advance(revision);
    this.#history.compact(this.#visible);
  }

  /** Revisions up to this one are used, by writes that are not to be seen any more. */
  advance(revision: number): void {
    this.#visible = this.#assigned = Math.max(this.#visible, revision);
  }

  /** Puts back a write with its event. @returns whether its revision follows the last one */
  replay({ collection, key, revision, text }: PersistedWrite): boolean {
    if (revision <= this.#visible) return false;
    const previous = this.get(collection, key);
    if (text === undefined && previous === undefined) return false;
    const last = text ?? stringifyJson(withRevision(previous?.object ?? {}, revision));
    const type = text === undefined ? "DELETED" : previous === undefined ? "ADDED" : "MODIFIED";
    const record = new StoredRecord({ key, revision }, last);
    this.#assigned = revision;
    this.#publish({ type, collection, revision, key, record, previous });
    return true;
  }

  /** Everything that is known now, for a snapshot. What it holds does not change any more. */
  image(): Image {
    const base = new Map([...this.#collections].map(([name, collection]) => [name, collection.copy()]));
    const events = this.#history.after(this.#history.compacted);
    for (let i = events.length - 1; i >= 0; i--) {
      const { collection, key, previous } = events[i] as HistoryEvent;
      if (previous === undefined) base.get(collection)?.delete(key);
      else base.get(collection)?.set(key, previous);
    }
    return { compacted: this.#history.compacted, revision: this.#visible, base, events };
  }

  get(collection: string, key: string): Record | undefined {
    return this.#collections.get(collection)?.get(key);
  }

  getForWrite(collection: string, key: string): Record | undefined {
    const pending = this.#pending.size === 0 ? undefined : this.#pending.get(`${collection}\n${key}`);
    return pending === undefined ? this.get(collection, key) : pending.record;
  }

  settled(collection: string, key: string): Promise<void> | undefined {
    return this.#pending.get(`${collection}\n${key}`)?.done;
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
    print: (object: JsonObject) => string = stringifyJson,
  ): Promise<Record | undefined> {
    if (this.#closed) throw new Error("storage is closed");
    const refusal = this.#journal?.refusal;
    if (refusal !== undefined) throw refusal;
    const before = this.getForWrite(collection, key);
    if ((before?.revision ?? 0) !== expected) return undefined;
    const revision = this.#assigned + 1;
    const object = make(revision);
    const last = object ?? withRevision(before?.object ?? { metadata: {} }, revision);
    const text = print(last);
    if (object !== undefined && byteLength(text, MAX_BYTES) > MAX_BYTES) throw new RequestTooLargeError();
    this.#assigned = revision;
    if (this.#freeze) deepFreeze(last);
    const record = new StoredRecord({ key, revision }, text, last);
    const event: HistoryEvent = {
      type: object === undefined ? "DELETED" : before === undefined ? "ADDED" : "MODIFIED",
      collection,
      revision,
      key,
      record,
      previous: before,
    };
    if (this.#journal === undefined) this.#publish(event);
    else await this.#commit(event, this.#journal);
    return record;
  }

  subscribe(collection: string, from: number, onEvent: (event: StorageEvent) => void): () => void {
    if (from < this.#history.compacted) throw new CompactedError(from, this.#history.compacted);
    for (const event of this.#history.after(from)) if (event.collection === collection) onEvent(event);
    let set = this.#subscribers.get(collection);
    if (set === undefined) this.#subscribers.set(collection, (set = new Set()));
    set.add(onEvent);
    return () => set.delete(onEvent);
  }

  compact(revision: number): void {
    this.#history.compact(Math.min(revision, this.#visible));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#journal?.close();
    this.#subscribers.clear();
  }

  /** Visible once it is durable. When it cannot be, what counts is again what was before. */
  #commit(event: HistoryEvent, journal: Journal): Promise<void> {
    const { collection, key, revision, type, record } = event;
    const id = `${collection}\n${key}`;
    const deleted = type === "DELETED";
    const done = new Promise<void>((resolve, reject) => {
      journal.append({ collection, key, revision, text: deleted ? undefined : record.text }, (failure) => {
        if (this.#pending.get(id)?.revision === revision) this.#pending.delete(id);
        if (failure !== undefined) return reject(failure);
        this.#publish(event);
        resolve();
      });
    });
    this.#pending.set(id, { record: deleted ? undefined : record, revision, done });
    return done;
  }

  #publish(event: HistoryEvent): void {
    const collection = this.#collection(event.collection);
    if (event.type === "DELETED") collection.delete(event.key);
    else collection.set(event.record);
    this.#visible = event.revision;
    this.#history.add(event);
    const subscribers = this.#subscribers.get(event.collection);
    if (subscribers !== undefined) for (const subscriber of [...subscribers]) subscriber(event);
  }

  #collection(name: string): Collection {
    let collection = this.#collections.get(name);
    if (collection === undefined) this.#collections.set(name, (collection = new Collection()));
    return collection;
  }

  /** Undoes the events after `revision`, newest first, on a copy of the range. */
  #listAt(collection: string, range: Range, revision: number): readonly Record[] {
    if (revision < this.#history.compacted) throw new CompactedError(revision, this.#history.compacted);
    const records = new Map(
      this.#collections
        .get(collection)
        ?.list({ prefix: range.prefix })
        .map((r) => [r.key, r]),
    );
    const events = this.#history.after(revision);
    for (let i = events.length - 1; i >= 0; i--) {
      const event = events[i] as HistoryEvent;
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
}

/** The length of a text in UTF-8, which is only looked at where it may be beyond a bound. */
function byteLength(text: string, bound: number): number {
  return text.length * 3 <= bound ? text.length : new TextEncoder().encode(text).length;
}

function withRevision(object: JsonObject, revision: number): JsonObject {
  return { ...object, metadata: { ...(object["metadata"] as JsonObject), resourceVersion: String(revision) } };
}

import type { FairleadError, JsonObject } from "@fairlead/base";

/**
 * What the API server keeps: objects by collection and key, under one global, strictly increasing revision, with the
 * recent past for watches and exact lists. One process, one writer; a write is visible to readers and watchers, and
 * acknowledged, only once it is as durable as the implementation promises.
 */
export interface Storage {
  /** The revision of the last visible write. */
  readonly revision: number;
  /** Events up to and including this revision are forgotten. */
  readonly compactedRevision: number;

  /** Why writes are refused at present (the disk is full, or failed); reads and watches go on. */
  readonly unavailable: FairleadError | undefined;

  /** The visible record of a key. */
  get(collection: string, key: string): Record | undefined;

  /** The newest record of a key, visible or about to be: what a writer must compare with. */
  getForWrite(collection: string, key: string): Record | undefined;

  /**
   * Waits until what `getForWrite` returns is visible; undefined when it is. Whoever answers with such a record without
   * writing (a change that changes nothing) must wait, or it would promise what a crash can still take away.
   */
  settled(collection: string, key: string): Promise<void> | undefined;

  /** Records in key order (by code unit). With `revision`, as they were then. @throws CompactedError */
  list(collection: string, range: Range): readonly Record[];

  /** How many records a range without `limit` and `after` has. */
  count(collection: string, prefix: string): number;

  /**
   * Compares and swaps. `expected` is the revision of the record that the writer saw (0: none).
   *
   * `make` is handed the new revision and returns the object to store, or undefined to delete the key; it must not wait.
   *
   * @param print - Makes the record's text; `stringifyJson` by default.
   * @returns the new record (for a deletion: the last object under the deletion's revision), or undefined when the
   *   expectation failed and nothing was written.
   * @throws FairleadError `DiskFull` when there is no room (and there may be again), `DataDirectory` when the disk failed
   */
  write(
    collection: string,
    key: string,
    expected: number,
    make: (revision: number) => JsonObject | undefined,
    print?: (object: JsonObject) => string,
  ): Promise<Record | undefined>;

  /**
   * Calls `onEvents` with the events of a collection after `from` that are already visible, and then with each batch
   * as it becomes visible, in order, until the returned function is called.
   *
   * @throws CompactedError when events after `from` are forgotten
   */
  subscribe(collection: string, from: number, onEvent: (event: StorageEvent) => void): () => void;

  /** Forgets events up to `revision`. */
  compact(revision: number): void;

  /** Ends all writes and frees files. */
  close(): Promise<void>;
}

export interface Range {
  /** Only keys with this prefix; `ns/` lists a namespace. */
  readonly prefix: string;
  /** Only keys greater than this one. */
  readonly after?: string;
  readonly limit?: number;
  readonly revision?: number;
}

/** One stored object at one revision. Immutable. */
export interface Record {
  readonly key: string;
  readonly revision: number;
  /** The object with `metadata.resourceVersion` set. */
  readonly object: JsonObject;
  /** The same as JSON text, in whatever order of keys its writer prints. */
  readonly text: string;
}

export interface StorageEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly revision: number;
  readonly key: string;
  /** The record after the write; for DELETED the last state, under the deletion's revision. */
  readonly record: Record;
  readonly previous: Record | undefined;
}

import { assertNever, deepFreeze } from "@fairlead/base";
import {
  formatKey,
  isAtLeast,
  keyOf,
  revisionOf,
  type KubernetesObject,
  type ObjectKey,
  type ResourceVersion,
  type Uid,
} from "@fairlead/apimachinery";
import type { StoreEvent } from "../watcher/step.js";

/** What happened to one object of a store. */
export type Change<T> =
  | { readonly type: "added"; readonly object: T; readonly old: undefined }
  | { readonly type: "updated"; readonly object: T; readonly old: T }
  /** `object` is the last state that was seen. */
  | { readonly type: "deleted"; readonly object: T; readonly old: T };

/** The values under which an index finds an object: none, one or several. */
export type IndexFn<T> = (object: T) => readonly string[];

/** A cache of objects, for readers. Objects are shared: never change them. */
export interface StoreReader<T> {
  /** The object, or undefined when it is not there (as far as was seen). */
  get(key: ObjectKey | string): T | undefined;
  /** All objects, or those of one namespace, in no order that means anything but the same in every run. */
  list(namespace?: string): readonly T[];
  /** The same without a copy: read it to its end before the next await. */
  values(namespace?: string): Iterable<T>;
  /**
   * The objects that an index has under a value.
   *
   * @throws RangeError for an index that was not declared.
   */
  by(index: string, value: string): readonly T[];
  readonly size: number;
}

/**
 * The cache behind an informer. It only moves forward: for one life of an object (its uid) an older version never
 * replaces a newer one, and what was deleted does not come back. So the answers to own writes may be put in at once
 * (`wrote`, `removed`), before the watch has caught up with them.
 */
export class Store<T extends KubernetesObject> implements StoreReader<T> {
  readonly #objects = new Map<string, T>();
  readonly #byNamespace = new Map<string, Map<string, T>>();
  readonly #indexes = new Map<string, { readonly of: IndexFn<T>; readonly entries: Map<string, Map<string, T>> }>();
  readonly #gone: Tombstones;
  readonly #freeze: boolean;
  #listing: Map<string, T> | undefined;
  #reached: ResourceVersion | undefined;

  /**
   * @param options.freeze - Freezes every object deeply, so that a reconciler that changes one fails at once. For tests.
   * @param options.tombstones - Deleted uids that are remembered at most; 4096 by default.
   */
  constructor(
    options: {
      readonly indexes?: Readonly<Record<string, IndexFn<T>>>;
      readonly freeze?: boolean;
      readonly tombstones?: number;
    } = {},
  ) {
    this.#freeze = options.freeze ?? false;
    this.#gone = new Tombstones(options.tombstones ?? 4096);
    for (const [name, of] of Object.entries(options.indexes ?? {})) this.addIndex(name, of);
  }

  get size(): number {
    return this.#objects.size;
  }

  /** The newest version that the list or the watch has reached; undefined before the first list. */
  get reached(): ResourceVersion | undefined {
    return this.#reached;
  }

  get(key: ObjectKey | string): T | undefined {
    return this.#objects.get(typeof key === "string" ? key : formatKey(key));
  }

  list(namespace?: string): readonly T[] {
    return [...this.values(namespace)];
  }

  values(namespace?: string): Iterable<T> {
    const from = namespace === undefined ? this.#objects : this.#byNamespace.get(namespace);
    return from === undefined ? [] : from.values();
  }

  by(index: string, value: string): readonly T[] {
    const found = this.#indexes.get(index);
    if (found === undefined)
      throw new RangeError(`This store has no index ${JSON.stringify(index)}; declare it with the informer`);
    const entries = found.entries.get(value);
    return entries === undefined ? [] : [...entries.values()];
  }

  /** Declares an index, and fills it; one that is declared already is kept. */
  addIndex(name: string, of: IndexFn<T>): void {
    if (this.#indexes.has(name)) return;
    const index = { of, entries: new Map<string, Map<string, T>>() };
    this.#indexes.set(name, index);
    for (const [key, object] of this.#objects) for (const value of of(object)) put(index.entries, value, key, object);
  }

  /** Takes an event of the watcher. Returns what changed: nothing for what was known already. */
  take(event: StoreEvent<T>): readonly Change<T>[] {
    switch (event.type) {
      case "listStart":
        this.#listing = new Map();
        return [];
      case "listed":
        this.#listing?.set(formatKey(keyOf(event.object)), event.object);
        return [];
      case "listEnd":
        return this.#replace(event.resourceVersion);
      case "changed":
        this.#reach(event.object.metadata.resourceVersion);
        return this.#upsert(event.object);
      case "deleted":
        this.#reach(event.object.metadata.resourceVersion);
        return this.#delete(event.object);
      case "reached":
        this.#reach(event.resourceVersion);
        return [];
      default:
        return assertNever(event);
    }
  }

  /**
   * Puts in the answer to an own write, unless the watch has been past it already: then what the store has is at least as
   * new, and the object may even be gone.
   */
  wrote(object: T): readonly Change<T>[] {
    const { resourceVersion } = object.metadata;
    if (resourceVersion === undefined || revisionOf(resourceVersion) === undefined) return [];
    if (this.#reached === undefined || isAtLeast(this.#reached, resourceVersion)) return [];
    return this.#upsert(object);
  }

  /** Takes out an object whose deletion was answered as done. */
  removed(key: ObjectKey, uid: Uid | undefined): readonly Change<T>[] {
    const held = this.get(key);
    if (held === undefined || uid === undefined || held.metadata.uid !== uid) return [];
    return this.#delete(held);
  }

  #reach(version: ResourceVersion | undefined): void {
    if (version === undefined) return;
    if (this.#reached === undefined || !isAtLeast(this.#reached, version)) this.#reached = version;
  }

  /** The end of a list: what it does not have is gone, but for own writes that are newer than the list. */
  #replace(version: ResourceVersion): readonly Change<T>[] {
    const listed = this.#listing ?? new Map<string, T>();
    this.#listing = undefined;
    const changes: Change<T>[] = [];
    for (const [key, held] of this.#objects) {
      if (listed.has(key)) continue;
      const own = held.metadata.resourceVersion;
      if (own !== undefined && revisionOf(own) !== undefined && !isAtLeast(version, own)) continue;
      changes.push(...this.#delete(held));
    }
    for (const object of listed.values()) changes.push(...this.#upsert(object));
    this.#reach(version);
    return changes;
  }

  #upsert(object: T): readonly Change<T>[] {
    const { uid, resourceVersion } = object.metadata;
    if (uid !== undefined && this.#gone.has(uid)) return [];
    const key = formatKey(keyOf(object));
    const held = this.#objects.get(key);
    if (held === undefined) {
      this.#put(key, object);
      return [{ type: "added", object, old: undefined }];
    }
    if (held.metadata.uid !== uid) {
      // Another life of the same name; one that is older than what is held was deleted before it.
      if (isOlder(object, held)) return [];
      const gone = this.#delete(held);
      this.#put(key, object);
      return [...gone, { type: "added", object, old: undefined }];
    }
    if (
      resourceVersion !== undefined &&
      held.metadata.resourceVersion !== undefined &&
      isAtLeast(held.metadata.resourceVersion, resourceVersion)
    )
      return [];
    this.#put(key, object);
    return [{ type: "updated", object, old: held }];
  }

  #delete(object: T): readonly Change<T>[] {
    const { uid } = object.metadata;
    if (uid !== undefined) this.#gone.add(uid);
    const key = formatKey(keyOf(object));
    const held = this.#objects.get(key);
    if (held === undefined || held.metadata.uid !== uid) return [];
    this.#unindex(key, held);
    this.#objects.delete(key);
    if (this.#freeze) deepFreeze(object);
    return [{ type: "deleted", object, old: held }];
  }

  #put(key: string, object: T): void {
    if (this.#freeze) deepFreeze(object);
    const held = this.#objects.get(key);
    if (held !== undefined) this.#unindex(key, held);
    this.#objects.set(key, object);
    const { namespace } = object.metadata;
    if (namespace !== undefined) put(this.#byNamespace, namespace, key, object);
    for (const { of, entries } of this.#indexes.values())
      for (const value of of(object)) put(entries, value, key, object);
  }

  #unindex(key: string, object: T): void {
    const { namespace } = object.metadata;
    if (namespace !== undefined) take(this.#byNamespace, namespace, key);
    for (const { of, entries } of this.#indexes.values()) for (const value of of(object)) take(entries, value, key);
  }
}

function isOlder(object: KubernetesObject, than: KubernetesObject): boolean {
  const [a, b] = [object.metadata.resourceVersion, than.metadata.resourceVersion];
  return (
    a !== undefined && b !== undefined && revisionOf(a) !== undefined && revisionOf(b) !== undefined && isAtLeast(b, a)
  );
}

function put<T>(entries: Map<string, Map<string, T>>, value: string, key: string, object: T): void {
  const found = entries.get(value);
  if (found === undefined) entries.set(value, new Map([[key, object]]));
  else found.set(key, object);
}

function take<T>(entries: Map<string, Map<string, T>>, value: string, key: string): void {
  const found = entries.get(value);
  if (found === undefined) return;
  found.delete(key);
  if (found.size === 0) entries.delete(value);
}

/** The last uids that were deleted, oldest forgotten first. */
class Tombstones {
  readonly #uids = new Set<string>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  has(uid: string): boolean {
    return this.#uids.has(uid);
  }

  add(uid: string): void {
    this.#uids.delete(uid);
    this.#uids.add(uid);
    if (this.#uids.size <= this.#limit) return;
    const [oldest] = this.#uids;
    if (oldest !== undefined) this.#uids.delete(oldest);
  }
}

import { deferred, messageOf, orAborted, type Clock, type Logger, type Random } from "@fairlead/base";
import {
  isAtLeast,
  keyOf,
  matchesLabels,
  parseLabelSelector,
  type KubernetesObject,
  type LabelSelector,
  type ObjectKey,
  type ResourceVersion,
  type Uid,
} from "@fairlead/apimachinery";
import type { Client, ResourceKind, Selection } from "@fairlead/client";
import { Store, type Change, type IndexFn, type StoreReader } from "../store/store.js";
import type { StoreEvent } from "../watcher/step.js";
import { listWatch, watch } from "../watcher/watcher.js";

/** Called with each change, after the store has it, in the order of the server. It must not wait; what it throws is logged. */
export type ChangeHandler<T> = (change: Change<T>) => void;

export interface InformerOptions extends Selection {
  /** One namespace; all by default. */
  readonly namespace?: string;
}

/** What an informer needs from its surroundings. */
export interface InformerDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** See Store. */
  readonly freeze?: boolean;
}

/**
 * One list and watch of one kind, kept in a store and shared by all who are interested. It follows the server for as
 * long as it runs, whatever fails.
 */
export class Informer<T extends KubernetesObject> {
  readonly kind: ResourceKind<T>;
  readonly options: InformerOptions;
  readonly #deps: InformerDeps;
  readonly #store: Store<T>;
  readonly #handlers = new Set<ChangeHandler<T>>();
  readonly #labels: LabelSelector | undefined;
  readonly #synced = deferred<void>();
  #hasSynced = false;
  #waiting: { readonly version: ResourceVersion; readonly reached: () => void }[] = [];

  constructor(kind: ResourceKind<T>, options: InformerOptions, deps: InformerDeps) {
    this.kind = kind;
    this.options = options;
    this.#deps = deps;
    this.#labels = options.labelSelector === undefined ? undefined : parseLabelSelector(options.labelSelector);
    this.#store = new Store<T>({ freeze: deps.freeze ?? false });
  }

  get store(): StoreReader<T> {
    return this.#store;
  }

  /** Whether the first list is complete. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Resolves when the first list is complete. */
  async synced(signal: AbortSignal): Promise<void> {
    if (!this.#hasSynced) await orAborted(this.#synced.promise, signal);
  }

  /** Declares an index for `store.by`, at any time. An object for which `of` throws is in no entry of it. */
  addIndex(name: string, of: IndexFn<T>): void {
    this.#store.addIndex(name, (object) => {
      try {
        return of(object);
      } catch (error) {
        this.#deps.logger.error("index failed", { index: name, kind: this.kind.kind, error: messageOf(error) });
        return [];
      }
    });
  }

  /**
   * Calls `handler` with every change from now on, and first with each object that is there already.
   *
   * @returns what ends it.
   */
  onChange(handler: ChangeHandler<T>): () => void {
    for (const object of this.#store.list()) this.#call(handler, { type: "added", object, old: undefined });
    this.#handlers.add(handler);
    return () => void this.#handlers.delete(handler);
  }

  /** Follows the server until the signal is aborted; then resolves. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, logger, client } = this.#deps;
    const api = client.api(this.kind, this.options.namespace);
    const onFailure = (error: unknown): void => {
      logger.warn("watch failed", { kind: this.kind.kind, error: messageOf(error) });
    };
    try {
      for await (const event of watch(listWatch(api, this.options), { clock, random, signal, onFailure }))
        this.#take(event);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Shows the answer to an own write at once, before the watch brings it; what is not selected here is left out. */
  wrote(object: T): void {
    if (this.#selects(object)) this.#publish(this.#store.wrote(object));
  }

  /** Hides an object whose deletion was answered as done. */
  removed(key: ObjectKey, uid: Uid | undefined): void {
    this.#publish(this.#store.removed(key, uid));
  }

  /** Whether the store is at least as new as a version of this server. */
  hasReached(version: ResourceVersion): boolean {
    return this.#store.reached !== undefined && isAtLeast(this.#store.reached, version);
  }

  /**
   * Waits until the watch has brought everything up to a version.
   *
   * @param limitMs - The longest wait; 5 s by default.
   * @returns whether it was reached in time.
   */
  async reached(version: ResourceVersion, signal: AbortSignal, limitMs: number = 5_000): Promise<boolean> {
    if (this.hasReached(version)) return true;
    const { promise, resolve } = deferred<boolean>();
    const entry = { version, reached: () => resolve(true) };
    this.#waiting.push(entry);
    const cancel = this.#deps.clock.schedule(limitMs, () => {
      resolve(false);
    });
    try {
      return await orAborted(promise, signal);
    } finally {
      cancel();
      this.#waiting = this.#waiting.filter((other) => other !== entry);
    }
  }

  /** Whether the server would send it here. Fields cannot be judged from outside, so then only what is held is renewed. */
  #selects(object: T): boolean {
    const { namespace, fieldSelector } = this.options;
    if (namespace !== undefined && object.metadata.namespace !== namespace) return false;
    if (fieldSelector !== undefined && this.#store.get(keyOf(object)) === undefined) return false;
    return this.#labels === undefined || matchesLabels(this.#labels, object.metadata.labels);
  }

  #take(event: StoreEvent<T>): void {
    this.#publish(this.#store.take(event));
    if (this.#waiting.length > 0)
      for (const { version, reached } of this.#waiting) if (this.hasReached(version)) reached();
    if (event.type === "listEnd" && !this.#hasSynced) {
      this.#hasSynced = true;
      this.#synced.resolve();
    }
  }

  #publish(changes: readonly Change<T>[]): void {
    for (const change of changes) for (const handler of this.#handlers) this.#call(handler, change);
  }

  /** One handler's mistake must not keep the change from the others, nor end the watch. */
  #call(handler: ChangeHandler<T>, change: Change<T>): void {
    try {
      handler(change);
    } catch (error) {
      this.#deps.logger.error("handler failed", { kind: this.kind.kind, error: messageOf(error) });
    }
  }
}

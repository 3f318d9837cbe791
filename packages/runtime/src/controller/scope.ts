import type { KubernetesObject, Uid } from "@fairlead/apimachinery";
import {
  formatWrite,
  UnawaitedWriteError,
  type WriteHandle,
  type WriteInfo,
  type WriteObserver,
} from "@fairlead/client";
import type { Informers } from "../informer/informers.js";
import { WriteRefusedError } from "./outcome.js";

/** The generations of primary objects that the controller's own writes made, for telling them from a user's. */
export class OwnGenerations {
  readonly #byUid = new Map<Uid, number[]>();
  readonly #limit: number;

  /** @param limit - Generations that are remembered of one object at most; 16 by default. */
  constructor(limit: number = 16) {
    this.#limit = limit;
  }

  add(uid: Uid, generation: number): void {
    const seen = this.#byUid.get(uid) ?? [];
    if (seen.includes(generation)) return;
    this.#byUid.set(uid, [...seen, generation].slice(-this.#limit));
  }

  has(uid: Uid, generation: number): boolean {
    return this.#byUid.get(uid)?.includes(generation) ?? false;
  }

  forget(uid: Uid): void {
    this.#byUid.delete(uid);
  }
}

/**
 * The writes of one reconcile. Refuses them when leadership is gone or the reconcile is over, shows their answers to the
 * caches at once, and knows which were never awaited.
 */
export class WriteScope implements WriteObserver {
  readonly #handles: WriteHandle<unknown>[] = [];
  readonly #o: WriteScopeOptions;
  #ended = false;

  constructor(options: WriteScopeOptions) {
    this.#o = options;
  }

  created(handle: WriteHandle<unknown>): void {
    handle.rememberSite();
    this.#handles.push(handle);
  }

  sending(info: WriteInfo): void {
    if (this.#ended || this.#o.signal.aborted)
      throw new WriteRefusedError(formatWrite(info), "the reconcile has ended");
    if (!this.#o.leading()) throw new WriteRefusedError(formatWrite(info), "leadership was lost");
  }

  done(info: WriteInfo, object: KubernetesObject | undefined): void {
    if (info.dryRun) return;
    const { informers, ownGenerations } = this.#o;
    if (object === undefined) {
      if (info.verb !== "delete" || info.key === undefined) return;
      for (const informer of informers.of(info.kind)) informer.removed(info.key, info.uid);
      return;
    }
    if (object.kind !== info.kind.kind) return;
    for (const informer of informers.of(info.kind)) informer.wrote(object);
    const { uid, generation } = object.metadata;
    if (uid !== undefined && generation !== undefined && info.subresource === undefined)
      ownGenerations.add(uid, generation);
  }

  /**
   * Ends the scope: waits for writes that were begun and not awaited, then refuses all further ones.
   *
   * @throws UnawaitedWriteError for the first write that was made and never sent.
   */
  async end(): Promise<void> {
    await Promise.all(this.#handles.filter((handle) => handle.started).map((handle) => handle.settled()));
    this.#ended = true;
    const forgotten = this.#handles.find((handle) => !handle.started);
    if (forgotten !== undefined) throw new UnawaitedWriteError(forgotten);
  }

  /** Refuses all further writes, and waits for nothing. */
  abandon(): void {
    this.#ended = true;
  }
}

export interface WriteScopeOptions {
  readonly informers: Informers;
  readonly ownGenerations: OwnGenerations;
  readonly leading: () => boolean;
  readonly signal: AbortSignal;
}

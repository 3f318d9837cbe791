import type { KubernetesObject } from "@fairlead/apimachinery";
import {
  formatWrite,
  UnawaitedWriteError,
  type WriteHandle,
  type WriteInfo,
  type WriteObserver,
} from "@fairlead/client";
import type { Informers } from "../informer/informers.js";
import { WriteRefusedError } from "./outcome.js";
import { showInCaches } from "./own-writes.js";

export interface WriteScopeOptions {
  readonly informers: Informers;
  readonly leading: () => boolean;
  readonly signal: AbortSignal;
  /** Told of each answer that is an object. */
  readonly onObject: (info: WriteInfo, object: KubernetesObject) => void;
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
    showInCaches(this.#o.informers, info, object);
    if (object !== undefined && !info.dryRun) this.#o.onObject(info, object);
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

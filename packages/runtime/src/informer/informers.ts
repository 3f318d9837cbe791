import { messageOf } from "@fairlead/base";
import type { KubernetesObject } from "@fairlead/apimachinery";
import { collectionPath, type ResourceKind } from "@fairlead/client";
import { Informer, type InformerDeps, type InformerOptions } from "./informer.js";

/**
 * The informers of one manager: one for each kind, namespace and selection, whoever asks. They run from the moment they
 * are asked for once the set was started, until it is closed.
 */
export class Informers {
  readonly #deps: InformerDeps;
  readonly #informers = new Map<string, Informer<KubernetesObject>>();
  readonly #ends = new WeakMap<Informer<KubernetesObject>, () => void>();
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #started = false;

  constructor(deps: InformerDeps) {
    this.#deps = deps;
  }

  /** The informer of a selection, made when nobody asked before. */
  get<T extends KubernetesObject>(kind: ResourceKind<T>, options: InformerOptions = {}): Informer<T> {
    const key = `${collectionPath(kind, options.namespace)}?${options.labelSelector ?? ""}&${options.fieldSelector ?? ""}`;
    let informer = this.#informers.get(key) as Informer<T> | undefined;
    if (informer === undefined) {
      informer = new Informer(kind, options, this.#deps);
      this.#informers.set(key, informer as unknown as Informer<KubernetesObject>);
      if (this.#started) this.#run(informer as unknown as Informer<KubernetesObject>);
    }
    return informer;
  }

  /** Those that cover a kind, whatever their selection. */
  of(kind: ResourceKind<KubernetesObject>): readonly Informer<KubernetesObject>[] {
    return [...this.#informers.values()].filter(
      (informer) =>
        informer.kind.resource === kind.resource &&
        informer.kind.group === kind.group &&
        informer.kind.version === kind.version,
    );
  }

  get all(): readonly Informer<KubernetesObject>[] {
    return [...this.#informers.values()];
  }

  /** Ends one informer, and forgets it; who asks again gets a new one. For kinds that have ceased to be. */
  remove(informer: Informer<KubernetesObject>): void {
    for (const [key, one] of this.#informers) if (one === informer) this.#informers.delete(key);
    this.#ends.get(informer)?.();
  }

  /** Starts following. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    for (const informer of this.#informers.values()) this.#run(informer);
  }

  /** Resolves when all informers so far have their first list. */
  async synced(signal: AbortSignal): Promise<void> {
    await Promise.all(this.all.map((informer) => informer.synced(signal)));
  }

  /** Ends all watches, and resolves when they have ended. */
  async close(): Promise<void> {
    this.#stop.abort(new Error("The informers were closed"));
    await Promise.all(this.#running);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #run(informer: Informer<KubernetesObject>): void {
    const ending = new AbortController();
    this.#ends.set(informer, () => {
      ending.abort(new Error("The informer was removed"));
    });
    const running = informer.run(AbortSignal.any([this.#stop.signal, ending.signal])).catch((error: unknown) => {
      this.#deps.logger.error("informer ended", { kind: informer.kind.kind, error: messageOf(error) });
    });
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }
}

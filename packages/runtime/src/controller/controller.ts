import { deferred, messageOf, orAborted, type Clock, type Logger, type Random } from "@fairlead/base";
import { formatKey, keyOf, type KubernetesObject, type ObjectKey } from "@fairlead/apimachinery";
import {
  addFinalizer,
  removeFinalizer,
  type AnyContract,
  type Client,
  type OnConflict,
  type ResourceKind,
} from "@fairlead/client";
import { EventRecorder } from "../events/recorder.js";
import type { Informer, InformerOptions } from "../informer/informer.js";
import type { Informers } from "../informer/informers.js";
import { WorkQueue } from "../queue/work-queue.js";
import type { Change, StoreReader } from "../store/store.js";
import type { Context } from "./context.js";
import { after, ReconcileDeadlineError, TerminalError, type Outcome } from "./outcome.js";
import { OwnGenerations } from "./own-writes.js";
import { WriteScope } from "./scope.js";
import { ownedBy, type Index, type Predicate, type Trigger } from "./triggers.js";
import { AppliedBodies, Writer } from "./writer.js";

/** A controller as its author writes it; see `defineController`. */
export interface ControllerSpec<T extends KubernetesObject> {
  /** Lower case, unique in the manager. */
  readonly name: string;
  /** The primary kind: `reconcile` gets its objects. */
  readonly for: ResourceKind<T>;
  /** Which of them: a namespace, a selector. */
  readonly scope?: InformerOptions;
  /** Which changes of primary objects lead to a reconcile; all by default. See `generationChanged`. */
  readonly predicate?: Predicate<T>;
  /** What it makes: changes of objects of these kinds reconcile their owner. Contracts, or kinds. */
  readonly owns?:
    | readonly (AnyContract | ResourceKind<KubernetesObject>)[]
    | Readonly<Record<string, AnyContract | ResourceKind<KubernetesObject>>>;
  /** What else leads to reconciles; see `watch`. */
  readonly watches?: readonly Trigger[];
  /** Kinds that are kept in a store for reading, and trigger nothing. */
  readonly reads?: readonly ResourceKind<KubernetesObject>[];
  /** Indexes over the kinds above. */
  readonly indexes?: readonly Index[];

  /**
   * Brings the world closer to what the object asks for. Called with the newest state that is known, whatever happened
   * in between; must be safe to repeat and to be cut off at any await. What it throws is retried with backoff, except
   * TerminalError. Deleting objects come here too, unless there is a `finalize`.
   */
  reconcile(object: T, ctx: Context<T>): Promise<Outcome>;

  /** Cleaning up before an object goes away. The finalizer is on the object before the first `reconcile`. */
  readonly finalize?: {
    /** `example.com/cleanup` */
    readonly name: string;
    /** Returns `released()` once there is nothing left; only then the finalizer is removed. */
    run(object: T, ctx: Context<T>): Promise<Outcome>;
  };

  /** Called when a primary object is gone: for memory that was kept for it. It cannot be relied on after a restart. */
  gone?(key: ObjectKey): void;

  /** Who owns the fields it writes; `fairlead/<name>` by default. */
  readonly fieldManager?: string;
  /** For `ctx.apply`; `report` by default. */
  readonly onConflict?: OnConflict;
  /** Objects that are reconciled at the same time at most; 8 by default. One object never is twice. */
  readonly concurrency?: number;
  /** How long one reconcile may take; 60 s by default. */
  readonly deadlineMs?: number;
  /** Whether it works only on the leader; `leader` by default. */
  readonly runs?: "leader" | "everywhere";
  /** See WorkQueue. */
  readonly backoff?: { readonly baseMs?: number; readonly maxMs?: number };
}

/** What one reconcile came to, for whoever observes. */
export interface Reconciled {
  readonly controller: string;
  readonly key: ObjectKey;
  readonly durationMs: number;
  readonly result:
    | { readonly kind: "done"; readonly outcome: Outcome }
    | { readonly kind: "failed"; readonly error: unknown; readonly retryMs: number | undefined };
}

/** What a controller needs from its manager. */
export interface ControllerEnv {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly informers: Informers;
  /** Whether this process may write right now. */
  readonly leading: () => boolean;
  readonly onReconciled?: ((reconciled: Reconciled) => void) | undefined;
}

/** A controller for a manager to run; its type no longer shows the primary kind. */
export interface ControllerDefinition {
  readonly name: string;
  readonly fieldManager: string;
  readonly runs: "leader" | "everywhere";
  create(env: ControllerEnv): Controller;
}

/** A controller in a manager. */
export interface Controller {
  readonly name: string;
  /** Waits for its caches, then works until the signal is aborted; then lets reconciles end for `stopMs`, and resolves. */
  run(signal: AbortSignal, stopMs: number): Promise<void>;
  /** What it has to do at this moment. */
  readonly activity: Activity;
}

/** How busy something is. At rest: nothing queued, nothing working. */
export interface Activity {
  readonly queued: number;
  readonly working: number;
  /** Milliseconds until something waits no longer; undefined when nothing does. */
  readonly nextDueMs: number | undefined;
}

/**
 * Defines a controller. Nothing happens until a manager runs it.
 *
 * ```ts
 * const web = owns(kinds.Deployment, "spec.replicas", "spec.selector", "spec.template");
 * const controller = defineController({
 *   name: "website",
 *   for: Website,
 *   owns: { web },
 *   async reconcile(site, ctx) {
 *     const made = await ctx.apply(web, { name: site.metadata.name }, deploymentConfig(site));
 *     await ctx.status({ ready: made.status?.readyReplicas ?? 0 });
 *     return settled();
 *   },
 * });
 * ```
 */
export function defineController<T extends KubernetesObject>(spec: ControllerSpec<T>): ControllerDefinition {
  const fieldManager = spec.fieldManager ?? `fairlead/${spec.name}`;
  return Object.freeze({
    name: spec.name,
    fieldManager,
    runs: spec.runs ?? "leader",
    create: (env: ControllerEnv) => new ControllerLoop(spec, { ...env, client: env.client.as(fieldManager) }),
  });
}

const OWNER_INDEX = "fairlead/owner";

class ControllerLoop<T extends KubernetesObject> implements Controller {
  readonly #spec: ControllerSpec<T>;
  readonly #env: ControllerEnv;
  readonly #logger: Logger;
  readonly #primary: Informer<T>;
  readonly #triggers: readonly { readonly trigger: Trigger; readonly informer: Informer<KubernetesObject> }[];
  readonly #readable = new Map<string, Informer<KubernetesObject>>();
  readonly #ownGenerations = new OwnGenerations();
  readonly #applied = new AppliedBodies();
  #events: EventRecorder;
  #queue: WorkQueue;

  constructor(spec: ControllerSpec<T>, env: ControllerEnv) {
    this.#spec = spec;
    this.#env = env;
    this.#logger = env.logger.with({ controller: spec.name });
    this.#queue = this.#newQueue();
    this.#events = this.#newRecorder();
    this.#primary = this.#read(spec.for, spec.scope ?? {});
    const owned = Object.values(spec.owns ?? {}).map((one) => ownedBy(spec.for, "owned" in one ? one.kind : one));
    const unique = new Map(owned.map((trigger) => [kindKey(trigger.kind), trigger]));
    this.#triggers = [...unique.values(), ...(spec.watches ?? [])].map((trigger) => ({
      trigger,
      informer: this.#read(trigger.kind, trigger.options),
    }));
    for (const kind of spec.reads ?? []) if (!this.#readable.has(kindKey(kind))) this.#read(kind, {});
    for (const { kind, name, of } of spec.indexes ?? []) this.#informer(kind).addIndex(name, of);
    for (const informer of this.#readable.values()) informer.addIndex(OWNER_INDEX, ownerUids);
  }

  get name(): string {
    return this.#spec.name;
  }

  get activity(): Activity {
    const { length, working, nextDueMs } = this.#queue;
    return { queued: length + this.#events.pending, working, nextDueMs };
  }

  async run(signal: AbortSignal, stopMs: number): Promise<void> {
    const { clock } = this.#env;
    await Promise.all(
      [this.#primary, ...this.#triggers.map((one) => one.informer), ...this.#readable.values()].map((informer) =>
        informer.synced(signal),
      ),
    );
    const hardStop = new AbortController();
    const queue = this.#newQueue();
    this.#queue = queue;
    const recorder = this.#newRecorder();
    this.#events = recorder;
    const unsubscribe = this.#subscribe(queue);
    const events = recorder.run(hardStop.signal);
    const workers = Array.from({ length: this.#spec.concurrency ?? 8 }, () => this.#work(queue, hardStop.signal));
    await untilAborted(signal);
    for (const end of unsubscribe) end();
    queue.close();
    recorder.close();
    const cancel = clock.schedule(stopMs, () => {
      hardStop.abort(signal.reason);
    });
    await Promise.all([...workers, events]);
    cancel();
  }

  #newQueue(): WorkQueue {
    return new WorkQueue({ clock: this.#env.clock, ...this.#spec.backoff });
  }

  #newRecorder(): EventRecorder {
    return new EventRecorder({ ...this.#env, logger: this.#logger, component: this.name });
  }

  #read<K extends KubernetesObject>(kind: ResourceKind<K>, options: InformerOptions): Informer<K> {
    const informer = this.#env.informers.get(kind, options);
    const key = kindKey(kind);
    if (!this.#readable.has(key)) this.#readable.set(key, informer as unknown as Informer<KubernetesObject>);
    return informer;
  }

  #find<K extends KubernetesObject>(kind: ResourceKind<K>): Informer<K> | undefined {
    return this.#readable.get(kindKey(kind)) as unknown as Informer<K> | undefined;
  }

  #informer<K extends KubernetesObject>(kind: ResourceKind<K>): Informer<K> {
    const informer = this.#find(kind);
    if (informer === undefined) {
      throw new RangeError(
        `Controller ${this.name} has no store of ${kind.kind}; name the kind in owns, watches or reads`,
      );
    }
    return informer;
  }

  #store<K extends KubernetesObject>(kind: ResourceKind<K>): StoreReader<K> {
    return this.#informer(kind).store;
  }

  /** Changes become keys. A predicate or a map that throws is reported, and lets the change through as far as it can. */
  #subscribe(queue: WorkQueue): readonly (() => void)[] {
    const { predicate } = this.#spec;
    const stores = { store: <K extends KubernetesObject>(kind: ResourceKind<K>) => this.#store(kind) };
    const primary = this.#primary.onChange((change) => {
      if (predicate === undefined || this.#passes(predicate, change)) queue.add(formatKey(keyOf(change.object)));
    });
    const others = this.#triggers.map(({ trigger, informer }) =>
      informer.onChange((change) => {
        if (trigger.predicate !== undefined && !this.#passes(trigger.predicate, change)) return;
        try {
          for (const object of change.old === undefined || change.old === change.object
            ? [change.object]
            : [change.old, change.object]) {
            for (const key of trigger.map(object, stores)) queue.add(formatKey(key));
          }
        } catch (error) {
          this.#logger.error("map failed", { kind: trigger.kind.kind, error: messageOf(error) });
        }
      }),
    );
    return [primary, ...others];
  }

  #passes<K>(predicate: Predicate<K>, change: Change<K>): boolean {
    try {
      return predicate(change);
    } catch (error) {
      this.#logger.error("predicate failed", { error: messageOf(error) });
      return true;
    }
  }

  async #work(queue: WorkQueue, signal: AbortSignal): Promise<void> {
    for (let key = await queue.next(); key !== undefined; key = await queue.next()) {
      const began = this.#env.clock.monotonic();
      let result: Reconciled["result"];
      try {
        const outcome = await this.#reconcile(key, signal);
        queue.forget(key);
        if (outcome.kind === "after") queue.addAfter(key, outcome.afterMs);
        result = { kind: "done", outcome };
      } catch (error) {
        result = this.#failed(queue, key, error);
      }
      queue.done(key);
      this.#report(key, began, result);
    }
  }

  #failed(queue: WorkQueue, key: string, error: unknown): Reconciled["result"] {
    if (error instanceof TerminalError) {
      queue.forget(key);
      return { kind: "failed", error, retryMs: undefined };
    }
    return { kind: "failed", error, retryMs: queue.retry(key) };
  }

  #report(key: string, began: number, result: Reconciled["result"]): void {
    const durationMs = this.#env.clock.monotonic() - began;
    if (result.kind === "done") this.#logger.info("reconciled", { key, outcome: result.outcome.kind, durationMs });
    else
      this.#logger.warn("reconcile failed", {
        key,
        error: messageOf(result.error),
        retryMs: result.retryMs,
        durationMs,
      });
    this.#env.onReconciled?.({ controller: this.name, key: parseKey(key), durationMs, result });
  }

  /** One reconcile, with its deadline and its writes. */
  async #reconcile(key: string, stop: AbortSignal): Promise<Outcome> {
    const object = this.#primary.store.get(key);
    if (object === undefined) {
      this.#spec.gone?.(parseKey(key));
      return { kind: "settled" };
    }
    const deadlineMs = this.#spec.deadlineMs ?? 60_000;
    const ending = new AbortController();
    const onStop = (): void => {
      ending.abort(stop.reason);
    };
    stop.addEventListener("abort", onStop, { once: true });
    if (stop.aborted) onStop();
    const cancel = this.#env.clock.schedule(deadlineMs, () => {
      ending.abort(new ReconcileDeadlineError(deadlineMs));
    });
    const { ctx, scope } = this.#context(object, ending.signal);
    try {
      const outcome = await orAborted(this.#steps(object, ctx), ending.signal);
      await orAborted(scope.end(), ending.signal);
      return outcome;
    } finally {
      scope.abandon();
      cancel();
      stop.removeEventListener("abort", onStop);
    }
  }

  /** The finalizer goes on before anything else is done, and comes off after everything is undone. */
  async #steps(object: T, ctx: Context<T>): Promise<Outcome> {
    const { finalize } = this.#spec;
    if (finalize === undefined) return this.#spec.reconcile(object, ctx);
    const held = object.metadata.finalizers?.includes(finalize.name) ?? false;
    const api = ctx.client.api(this.#spec.for);
    if (object.metadata.deletionTimestamp === undefined) {
      if (held) return this.#spec.reconcile(object, ctx);
      await addFinalizer(api, object, finalize.name, { signal: ctx.signal });
      return after(0);
    }
    if (!held) return { kind: "settled" };
    const outcome = await finalize.run(object, ctx);
    if (outcome.kind === "released") await removeFinalizer(api, object, finalize.name, { signal: ctx.signal });
    return outcome;
  }

  #context(object: T, signal: AbortSignal): { readonly ctx: Context<T>; readonly scope: WriteScope } {
    const { clock, random, informers, leading } = this.#env;
    const scope: WriteScope = new WriteScope({
      informers,
      leading,
      signal,
      onObject: (info, written) => {
        writer.wrote(info.kind, written);
      },
    });
    const key = keyOf(object);
    const client = this.#env.client.observedBy(scope);
    const logger = this.#logger.with({ key: formatKey(key) });
    const writer = new Writer<T>({
      client,
      logger,
      kind: this.#spec.for,
      object,
      applied: this.#applied,
      ownGenerations: this.#ownGenerations,
      storeOf: <K extends KubernetesObject>(kind: ResourceKind<K>) => this.#find(kind)?.store,
    });
    const onConflict = this.#spec.onConflict ?? "report";
    const { uid } = object.metadata;
    const ctx: Context<T> = {
      key,
      object,
      client,
      clock,
      random,
      logger,
      signal,
      store: (kind) => this.#store(kind),
      owned: (kind) => (uid === undefined ? [] : this.#store(kind).by(OWNER_INDEX, uid)),
      apply: (contract, ref, body, options = {}) => {
        const inherits = contract.kind.namespaced && ref.namespace === undefined && key.namespace !== undefined;
        const at = inherits ? { ...ref, namespace: key.namespace } : ref;
        return writer.apply(contract, at, body, { onConflict, signal, ...options });
      },
      status: (status, options = {}) => writer.status(status, { signal, ...options }),
      event: (event) => {
        this.#events.record(object, event);
      },
      isOwnGeneration: (generation) => uid !== undefined && this.#ownGenerations.has(uid, generation),
    };
    return { ctx, scope };
  }
}

function ownerUids(object: KubernetesObject): readonly string[] {
  return object.metadata.ownerReferences?.map((owner) => owner.uid) ?? [];
}

function kindKey(kind: ResourceKind<KubernetesObject>): string {
  return `${kind.group}/${kind.version}/${kind.resource}`;
}

/** The key that `formatKey` printed. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf("/");
  return slash < 0 ? { name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = deferred<void>();
  signal.addEventListener(
    "abort",
    () => {
      resolve();
    },
    { once: true },
  );
  await promise;
}

import { type Logger, messageOf, onAbort, orAborted, whenAborted } from "@fairlead/base";
import { formatKey, keyOf, type KubernetesObject } from "@fairlead/apimachinery";
import { addFinalizer, removeFinalizer, type ResourceKind } from "@fairlead/client";
import type { Informer, InformerOptions } from "../informer/informer.js";
import { WorkQueue } from "../queue/work-queue.js";
import type { Change, StoreReader } from "../store/store.js";
import type { Context, EventSink } from "./context.js";
import type { Activity, Controller, ControllerEnv, Reconciled } from "./controller.js";
import { parseKey } from "./key.js";
import { after, ReconcileDeadlineError, TerminalError, type Outcome } from "./outcome.js";
import { OwnGenerations } from "./own-writes.js";
import { WriteScope } from "./scope.js";
import type { ControllerSpec } from "./spec.js";
import { ownedBy, type Predicate, type Trigger } from "./triggers.js";
import { AppliedBodies, Writer } from "./writer.js";

const OWNER_INDEX = "fairlead/owner";

/** A controller at work: events become keys, keys are reconciled, outcomes say when they are next. */
export class ControllerLoop<T extends KubernetesObject> implements Controller {
  readonly #spec: ControllerSpec<T>;
  readonly #env: ControllerEnv;
  readonly #logger: Logger;
  readonly #primary: Informer<T>;
  readonly #triggers: readonly { readonly trigger: Trigger; readonly informer: Informer<KubernetesObject> }[];
  readonly #readable = new Map<string, Informer<KubernetesObject>>();
  readonly #ownGenerations = new OwnGenerations();
  readonly #applied = new AppliedBodies();
  #events: EventSink;
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
    await whenAborted(signal);
    for (const end of unsubscribe) end();
    queue.close();
    recorder.close();
    // A leader that is none any more has no time to lose: what it still does may be undone by the next.
    const cancel = clock.schedule(this.#env.leading() ? stopMs : 0, () => {
      hardStop.abort(signal.reason);
    });
    await Promise.all([...workers, events]);
    cancel();
  }

  #newQueue(): WorkQueue {
    return new WorkQueue({ clock: this.#env.clock, ...this.#spec.backoff });
  }

  #newRecorder(): EventSink {
    return this.#env.events(this.name, this.#env.client);
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
      const { uid } = change.object.metadata;
      if (change.type === "deleted" && uid !== undefined) this.#ownGenerations.forget(uid);
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
    const release = onAbort(stop, () => {
      ending.abort(stop.reason);
    });
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
      release();
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
    const client = this.#env.client.boundTo(signal).observedBy(scope);
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

import { messageOf, silentLogger, type Clock, type Logger, type Random, whenAborted } from "@fairlead/base";
import { formatWrite, type Client, type WriteObserver } from "@fairlead/client";
import type { Activity, Controller, ControllerDefinition, Reconciled } from "../controller/controller.js";
import { WriteRefusedError } from "../controller/outcome.js";
import { showInCaches } from "../controller/own-writes.js";
import { Elector } from "../election/elector.js";
import type { LeaseTimes } from "../election/lease.js";
import { EventRecorder } from "../events/recorder.js";
import { Informers } from "../informer/informers.js";

/** Work beside the controllers that lives as long as the manager. */
export interface Runnable {
  readonly name: string;
  readonly runs?: "leader" | "everywhere";
  /** Works until the signal is aborted, then resolves. A rejection is logged, and ends only this runnable. */
  run(env: RunnableEnv, signal: AbortSignal): Promise<void>;
}

export interface RunnableEnv {
  /** The manager's client; name yourself with `client.as(…)`. Own writes show in the informers at once. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly informers: Informers;
}

export interface LeaderOptions {
  /** The namespace and name of the lease. */
  readonly namespace: string;
  readonly lease: string;
  /** Unique among the candidates: the pod's name. */
  readonly identity: string;
  readonly times?: Partial<LeaseTimes>;
}

export interface ManagerOptions {
  /** Each controller writes through it in its own name. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  readonly controllers: readonly ControllerDefinition[];
  readonly runnables?: readonly Runnable[];
  /** Only one of several managers works at a time; without it this one always does. */
  readonly leader?: LeaderOptions;
  /** How long reconciles may go on after the manager is told to stop; 10 s by default. Then they are aborted. */
  readonly stopMs?: number;
  /** Freezes what is in the stores, so that a reconciler that changes it fails. For tests. */
  readonly freeze?: boolean;
  readonly onReconciled?: (reconciled: Reconciled) => void;
}

/**
 * Starts and stops everything in order: informers, then (with a leader) the election, then the controllers once their
 * caches are complete; and back: controllers, lease, informers.
 */
export class Manager {
  /** The caches that all controllers of this manager share. */
  readonly informers: Informers;
  readonly #o: ManagerOptions;
  readonly #logger: Logger;
  readonly #controllers: readonly Controller[];
  readonly #definitions: readonly ControllerDefinition[];
  readonly #elector: Elector | undefined;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: ManagerOptions) {
    this.#o = options;
    this.#logger = options.logger ?? silentLogger;
    const { client, clock, random, leader } = options;
    const env = { client, clock, random, logger: this.#logger };
    this.informers = new Informers({ ...env, freeze: options.freeze ?? false });
    this.#elector =
      leader === undefined
        ? undefined
        : new Elector({
            ...env,
            namespace: leader.namespace,
            name: leader.lease,
            identity: leader.identity,
            ...(leader.times === undefined ? {} : { times: leader.times }),
          });
    this.#definitions = options.controllers;
    const twice = options.controllers.find(
      (one, i) => options.controllers.findIndex((other) => other.name === one.name) !== i,
    );
    if (twice !== undefined)
      throw new RangeError(`Two controllers are named ${twice.name}; their writes could not be told apart`);
    this.#controllers = options.controllers.map((definition) =>
      definition.create({
        ...env,
        informers: this.informers,
        events: (component, named) => new EventRecorder({ ...env, client: named, component }),
        leading: () => definition.runs === "everywhere" || (this.#elector?.leading ?? true),
        onReconciled: options.onReconciled,
      }),
    );
  }

  /** Whether this manager's controllers may work: it leads, or there is no election. */
  get leading(): boolean {
    return this.#elector?.leading ?? true;
  }

  /** What all controllers have to do at this moment. */
  get activity(): Activity {
    let [queued, working] = [0, 0];
    let nextDueMs: number | undefined;
    for (const { activity } of this.#controllers) {
      queued += activity.queued;
      working += activity.working;
      if (activity.nextDueMs !== undefined)
        nextDueMs = Math.min(nextDueMs ?? Number.POSITIVE_INFINITY, activity.nextDueMs);
    }
    return { queued, working, nextDueMs };
  }

  /**
   * Starts, and resolves when all caches are complete. Everything goes on until `close`.
   *
   * @throws `signal.reason` when it is aborted before; the manager is closed then.
   */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#running !== undefined) return;
    this.#running = this.#run();
    try {
      await this.informers.synced(signal);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Stops everything in order, and resolves when nothing of it runs any more. Takes `stopMs` at most, plus the lease. */
  async close(): Promise<void> {
    this.#stop.abort(new Error("The manager was closed"));
    await this.#running;
    await this.informers.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    this.informers.start();
    const everywhere = this.#runAll("everywhere", signal);
    if (this.#elector === undefined) await this.#runAll("leader", signal);
    else await this.#elector.run(signal, (leading) => this.#runAll("leader", leading));
    await everywhere;
  }

  /** Runs what belongs to one of the two until the signal is aborted. One that fails does not take the others along. */
  async #runAll(runs: "leader" | "everywhere", signal: AbortSignal): Promise<void> {
    const { client, clock, random, runnables = [], stopMs = 10_000 } = this.#o;
    const env: RunnableEnv = {
      client: client.observedBy(this.#observer(runs)),
      clock,
      random,
      logger: this.#logger,
      informers: this.informers,
    };
    const controllers = this.#controllers
      .filter((_, i) => this.#definitions[i]?.runs === runs)
      .map((controller) => ({ name: controller.name, run: () => controller.run(signal, stopMs) }));
    const others = runnables
      .filter((runnable) => (runnable.runs ?? "leader") === runs)
      .map((runnable) => ({ name: runnable.name, run: () => runnable.run(env, signal) }));
    await Promise.all([...controllers, ...others].map((one) => this.#guarded(one.name, one.run, signal)));
  }

  /** What runnables write is shown in the caches, and refused when this process may not write. */
  #observer(runs: "leader" | "everywhere"): WriteObserver {
    return {
      created: () => undefined,
      sending: (info) => {
        if (runs === "leader" && !this.leading) throw new WriteRefusedError(formatWrite(info), "leadership was lost");
      },
      done: (info, object) => {
        showInCaches(this.informers, info, object);
      },
    };
  }

  async #guarded(name: string, run: () => Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (!signal.aborted) this.#logger.error("stopped by a failure", { name, error: messageOf(error) });
    }
  }
}

/** Runs a manager until the signal is aborted, then stops it. */
export async function runManager(options: ManagerOptions, signal: AbortSignal): Promise<void> {
  await using manager = new Manager(options);
  await manager.start(signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  if (signal.aborted) return;
  await whenAborted(signal);
}

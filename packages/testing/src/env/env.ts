import type { KubernetesObject, ObjectKey } from "@fairlead/apimachinery";
import { startApiServer, type ApiServer, type ApiServerOptions, type UserInfo } from "@fairlead/apiserver";
import { never, seededRandom, silentLogger, VirtualClock, type Clock, type Logger, type Random } from "@fairlead/base";
import { systemClock, systemRandom } from "@fairlead/base/node";
import { Client, type ResourceKind } from "@fairlead/client";
import { DEFAULT_NODES, NO_DELAYS, simulatedCluster, type Delays, type NodeSpec } from "@fairlead/cluster-sim";
import { Manager, type ControllerDefinition, type Reconciled, type Runnable } from "@fairlead/runtime";

import { ownersOf, type Owners } from "../owners/owners.js";
import { settle, type SettleOptions } from "../settle/settle.js";
import { formatTraffic, Traffic, type Write } from "../settle/traffic.js";

export interface TestEnvOptions {
  /** `virtual` by default: time moves only in `settle` and by `clock.advance`, and every run is the same. */
  readonly clock?: "virtual" | "system";
  /** Of all chance; 1 by default. On the system clock chance is real. */
  readonly seed?: number;
  /** A simulated cluster beside the server; without it nothing but the server and the controllers acts on objects. */
  readonly cluster?: ClusterSetup;
  /** Run from the start, in one manager of their own. */
  readonly controllers?: readonly ControllerDefinition[];
  readonly runnables?: readonly Runnable[];
  /** Objects that are there before the controllers start, CustomResourceDefinitions first. */
  readonly objects?: readonly KubernetesObject[];
  readonly disableAdmissionPlugins?: readonly string[];
  /** What server-side apply leaves of a container whose last child it removes; `empty` by default. */
  readonly emptiedContainers?: ApiServerOptions["emptiedContainers"];
  /** How the server calls conversion webhooks: any Transport will do; without it they cannot be called. */
  readonly webhooks?: ApiServerOptions["webhooks"];
  readonly logger?: Logger;
}

export interface ClusterSetup {
  readonly nodes?: readonly NodeSpec[];
  /** None by default: a pod is ready as soon as it is scheduled. */
  readonly delays?: Delays;
  /** As `--controllers` takes it, split at commas; all by default. */
  readonly controllers?: readonly string[];
}

/**
 * An API server, perhaps a simulated cluster, and controllers, all in this process. What is in the controllers' stores
 * is frozen, so a reconciler that changes what it was given fails at once. Close it when the test ends.
 */
export class TestEnv {
  /** A VirtualClock unless the system's was asked for. */
  readonly clock: Clock;
  readonly server: ApiServer;
  /** Every reconcile of the controllers so far. */
  readonly reconciled: readonly Reconciled[];
  readonly #parts: Parts;
  readonly #stop = new AbortController();
  #managers: readonly Manager[] = [];

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.clock = parts.clock;
    this.server = parts.server;
    this.reconciled = parts.reconciled;
  }

  /** Starts everything; caches are complete when it resolves, and `settle` does the first pass. */
  static async start(options: TestEnvOptions = {}): Promise<TestEnv> {
    const env = new TestEnv(await partsOf(options));
    try {
      const { cluster } = options;
      await env.#createAll(options.objects ?? []);
      if (cluster !== undefined) env.#managers = [await env.#startCluster(cluster)];
      env.#managers = [...env.#managers, await env.#startControllers()];
    } catch (error) {
      await env.close();
      throw error;
    }
    return env;
  }

  /** Writes of everybody that changed something so far; without leases and events. */
  get writes(): readonly Write[] {
    return this.#parts.traffic.writes;
  }

  /**
   * A client in somebody's name.
   *
   * @param as - The field manager, and the user when none is given; `test` by default.
   * @param user - Who asks; by default somebody who may do everything.
   */
  client(as: string = "test", user: UserInfo = { username: as, groups: ["system:masters"] }): Client {
    const { server, clock, random, traffic } = this.#parts;
    const groups = [...new Set([...(user.groups ?? []), "system:authenticated"])];
    const transport = traffic.counted(server.transport({ ...user, groups }));
    return new Client({ transport, clock, random, fieldManager: as });
  }

  /**
   * Lets everything run until nothing is worked on and nothing was written for a while. On a virtual clock that takes as
   * long as the computations do.
   *
   * @throws NotSettledError
   */
  async settle(options: SettleOptions = {}): Promise<void> {
    const { clock, traffic } = this.#parts;
    const work = () => ({
      busy: this.#managers.reduce((sum, { activity }) => sum + activity.queued + activity.working, 0),
      open: traffic.open,
      sent: traffic.sent,
      written: traffic.writes.length,
    });
    const lastWrites = () => traffic.writes.slice(-5).map(formatTraffic);
    await settle({ clock, real: systemClock, work, lastWrites, signal: this.#stop.signal }, options);
  }

  /** Who owns which fields of an object; see Owners. */
  async owners<T extends KubernetesObject>(kind: ResourceKind<T>, ref: ObjectKey): Promise<Owners> {
    return ownersOf(await this.client().api(kind).get(ref));
  }

  /**
   * Settles, restarts the controllers with empty caches, settles again, and tells what they changed in the second pass. A
   * controller that is done writes nothing, so this should be empty.
   */
  async writesOnSecondPass(options: SettleOptions = {}): Promise<readonly string[]> {
    await this.settle(options);
    const before = this.writes.length;
    const own = this.#managers.at(-1);
    this.#managers = this.#managers.slice(0, -1);
    if (own !== undefined) await this.#moving(own.close());
    this.#managers = [...this.#managers, await this.#startControllers()];
    await this.settle(options);
    return this.writes.slice(before).map(formatTraffic);
  }

  /** Stops controllers, cluster and server; nothing of them runs any more when it resolves. */
  async close(): Promise<void> {
    for (const manager of [...this.#managers].reverse()) await this.#moving(manager.close());
    this.#managers = [];
    this.#stop.abort(new Error("The test environment was closed"));
    await this.#moving(this.server.close());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #createAll(objects: readonly KubernetesObject[]): Promise<void> {
    const client = this.client();
    for (const object of objects) {
      const kind = await this.#moving(client.discovery.ofObject(object));
      await this.#moving(client.api(kind).create(object as never));
    }
  }

  #startCluster(setup: ClusterSetup): Promise<Manager> {
    const { nodes = DEFAULT_NODES, delays = NO_DELAYS, controllers: list } = setup;
    return this.#startManager("kube-controller-manager", simulatedCluster({ nodes, delays, authority: "" }, list));
  }

  #startControllers(): Promise<Manager> {
    const { controllers = [], runnables = [] } = this.#parts.options;
    return this.#startManager("controllers", { controllers, runnables });
  }

  async #startManager(
    name: string,
    parts: { readonly controllers: readonly ControllerDefinition[]; readonly runnables: readonly Runnable[] },
  ): Promise<Manager> {
    const { clock, random, logger, reconciled } = this.#parts;
    const client = this.client(name);
    const onReconciled = (one: Reconciled): void => void reconciled.push(one);
    const manager = new Manager({ client, clock, random, logger, freeze: true, onReconciled, ...parts });
    await this.#moving(manager.start(never));
    return manager;
  }

  /** Waits for something that may need the clock to move. */
  async #moving<T>(promise: PromiseLike<T>): Promise<T> {
    const { clock } = this;
    if (!(clock instanceof VirtualClock)) return promise;
    let done = false;
    const end = (): void => {
      done = true;
    };
    const watched = Promise.resolve(promise).finally(end);
    watched.catch(end);
    for (let moved = 0; !done && moved < CLOSE_STEPS; moved++) await clock.advance(moved === 0 ? 0 : STEP_MS);
    return watched;
  }
}

/** Starts a server, perhaps a simulated cluster, and controllers in this process; see TestEnv. */
export function testEnv(options: TestEnvOptions = {}): Promise<TestEnv> {
  return TestEnv.start(options);
}

/** How the clock moves while something is started or closed: by so much, so often. */
const STEP_MS = 100;
const CLOSE_STEPS = 600;

interface Parts {
  readonly options: TestEnvOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly server: ApiServer;
  readonly traffic: Traffic;
  readonly reconciled: Reconciled[];
}

function serverOptions({
  disableAdmissionPlugins,
  emptiedContainers,
  webhooks,
}: TestEnvOptions): Partial<ApiServerOptions> {
  return {
    ...(disableAdmissionPlugins === undefined ? {} : { disableAdmissionPlugins }),
    ...(emptiedContainers === undefined ? {} : { emptiedContainers }),
    ...(webhooks === undefined ? {} : { webhooks }),
  };
}

async function partsOf(options: TestEnvOptions): Promise<Parts> {
  const { clock: which = "virtual", seed = 1, logger = silentLogger } = options;
  const clock = which === "virtual" ? new VirtualClock() : systemClock;
  const random = which === "virtual" ? seededRandom(seed) : systemRandom;
  const server = await startApiServer({ clock, random, logger, ...serverOptions(options) });
  return {
    options,
    clock,
    random,
    logger,
    server,
    traffic: new Traffic(() => server.storage.revision),
    reconciled: [],
  };
}

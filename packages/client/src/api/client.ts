import { never, type Clock, type Random, type Transport } from "@fairlead/base";
import type { KubernetesObject } from "@fairlead/apimachinery";
import { Discovery } from "../discovery/discovery.js";
import type { ResourceKind } from "../request/resource-kind.js";
import { Api, type Connection } from "./api.js";
import { fieldManager as checked, type FieldManager } from "./field-manager.js";
import { DEFAULT_RETRY, retrying, type RetryPolicy } from "./retry.js";
import type { WriteObserver } from "./write-handle.js";

export interface ClientOptions {
  /** How to reach the API server: a pool from `@fairlead/client/node`, or the embedded server itself. */
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  /** In whose name fields are written. May be left out by clients that only read, create and delete. */
  readonly fieldManager?: string;
  /** When a call is tried again by itself; `"none"` leaves that to the caller. */
  readonly retry?: RetryPolicy | "none";
}

/**
 * A way to one API server, in one name. Cheap to derive from (`as`, `boundTo`, `observedBy`); holds no socket itself, so there is
 * nothing to close: whoever made the transport closes that.
 */
export class Client {
  /** The kinds that the server knows. Shared by all clients derived from one. */
  readonly discovery: Discovery;
  readonly #connection: Connection;
  readonly #apis = new Map<ResourceKind<KubernetesObject>, Api<KubernetesObject>>();

  constructor(options: ClientOptions);
  /** Derives a client; use `as` and `observedBy`. */
  constructor(from: Connection, discovery: Discovery);
  constructor(options: ClientOptions | Connection, discovery?: Discovery) {
    if (discovery !== undefined) {
      this.#connection = options as Connection;
      this.discovery = discovery;
      return;
    }
    const { transport, clock, random, fieldManager, retry = DEFAULT_RETRY } = options as ClientOptions;
    this.#connection = {
      transport: retry === "none" ? transport : retrying(transport, { clock, random, policy: retry }),
      fieldManager: fieldManager === undefined ? undefined : checked(fieldManager),
      observer: undefined,
    };
    this.discovery = new Discovery(this.#connection.transport);
  }

  /** In whose name this client writes. */
  get fieldManager(): FieldManager | undefined {
    return this.#connection.fieldManager;
  }

  /** The transport with its retries, for requests that have no method. */
  get transport(): Transport {
    return this.#connection.transport;
  }

  /**
   * The verbs of a kind.
   *
   * @param namespace - Where names are looked for and lists are made; undefined for all namespaces.
   */
  api<T extends KubernetesObject>(kind: ResourceKind<T>, namespace?: string): Api<T> {
    if (namespace !== undefined) return new Api(this.#connection, kind, namespace);
    let api = this.#apis.get(kind) as Api<T> | undefined;
    if (api === undefined) {
      api = new Api(this.#connection, kind);
      this.#apis.set(kind, api);
    }
    return api;
  }

  /** The same server in another name. */
  as(fieldManager: string): Client {
    return new Client({ ...this.#connection, fieldManager: checked(fieldManager) }, this.discovery);
  }

  /** The same, whose calls all end when `signal` is aborted, whatever signal they are given besides. */
  boundTo(signal: AbortSignal): Client {
    const { transport } = this.#connection;
    const bound: Transport = (request, own) =>
      transport(request, own === never || own === signal ? signal : AbortSignal.any([own, signal]));
    return new Client({ ...this.#connection, transport: bound }, this.discovery);
  }

  /** The same, with every write shown to `observer`. */
  observedBy(observer: WriteObserver): Client {
    return new Client({ ...this.#connection, observer }, this.discovery);
  }
}

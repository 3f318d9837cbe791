import { never, type HttpRequest, type Transport } from "@fairlead/base";
import {
  formatKey,
  isStatus,
  keyOf,
  type KubernetesObject,
  type ObjectKey,
  type ResourceVersion,
  type Uid,
} from "@fairlead/apimachinery";
import { watchEvents, type WatchEvent } from "../watch/watch.js";
import { collectionPath, objectPath, RequestError } from "../request/path.js";
import {
  deleteCollectionRequest,
  deleteRequest,
  getRequest,
  listRequest,
  postRequest,
  subresourcePath,
  watchRequest,
  type CallOptions,
  type DeleteParams,
  type ListParams,
  type Preconditions,
  type Selection,
  type WatchParams,
  type WriteParams,
} from "../request/request.js";
import { apiVersionOf, type ResourceKind } from "../request/resource-kind.js";
import type { FieldManager } from "./field-manager.js";
import { isStatusObject, readJson, ResponseError } from "../request/response.js";
import { WriteHandle, type WriteInfo, type WriteObserver } from "./write-handle.js";

/** The name of an object in the Api's namespace, or a key that names its namespace itself. */
export type Target = string | ObjectKey;

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** The version of the whole list, from which a watch goes on. */
  readonly resourceVersion: ResourceVersion;
  /** The token of the next page; undefined on the last. */
  readonly continue: string | undefined;
  readonly remainingItemCount?: number;
}

/** All objects of a list, as of one version. */
export interface ObjectList<T> {
  readonly items: readonly T[];
  readonly resourceVersion: ResourceVersion;
}

export interface ListOptions extends CallOptions, Omit<ListParams, "continue"> {}

export interface WriteOptions extends CallOptions, WriteParams {}

export interface DeleteOptions extends CallOptions, Omit<DeleteParams, "preconditions"> {
  /** Which life of the object is meant: its uid, or the word `none` for whatever has that name when the call arrives. */
  readonly preconditions: Preconditions | "none";
}

/** What an Api sends through and in whose name. Made by Client. */
export interface Connection {
  readonly transport: Transport;
  readonly fieldManager: FieldManager | undefined;
  readonly observer: WriteObserver | undefined;
}

/** A write of the closed list, as the functions under `writes/` describe it. */
export interface Write<R> {
  readonly verb: WriteInfo["verb"];
  readonly target: Target | undefined;
  readonly subresource?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly uid?: Uid | undefined;
  /** @param path - Of the object (with its subresource), or of the collection. Called when the write is awaited. */
  readonly request: (path: string) => HttpRequest;
  readonly decode: (answer: unknown, info: WriteInfo) => R;
}

let doorOf: <R>(api: Api<KubernetesObject>, write: Write<R>) => WriteHandle<R>;
let connectionIn: (api: Api<KubernetesObject>) => Connection;

/** Makes a write of the closed list: the door for the functions under `writes/`, and not exported from the package. */
export function send<R>(api: Api<KubernetesObject>, write: Write<R>): WriteHandle<R> {
  return doorOf(api, write);
}

/** What an Api sends through; not exported from the package either. */
export function connectionOf(api: Api<KubernetesObject>): Connection {
  return connectionIn(api);
}

/** Objects asked for per call when a whole list is read. */
const PAGE_LIMIT = 500;

/**
 * The verbs of one kind. Reading is complete; of the writes only creation and deletion are here. To change an object,
 * merge its status (`mergeStatus`), apply the fields you own (`applyOwned`), or use one of the narrow writes beside
 * them: there is no update of a whole object.
 *
 * Every method rejects with StatusError for a failure that the server answered, and with the transport's error when it
 * did not answer.
 */
export class Api<T extends KubernetesObject> {
  readonly kind: ResourceKind<T>;
  /** Where names without a namespace are looked for, and what lists cover; undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly #connection: Connection;
  readonly #collection: string;
  readonly #apiVersion: string;

  static {
    doorOf = (api, write) => api.#send(write);
    connectionIn = (api) => api.#connection;
  }

  /** Use `client.api(kind)`. */
  constructor(from: Connection, kind: ResourceKind<T>, namespace?: string) {
    this.#connection = from;
    this.kind = kind;
    this.namespace = kind.namespaced ? namespace : undefined;
    this.#collection = collectionPath(kind, this.namespace);
    this.#apiVersion = apiVersionOf(kind);
  }

  /** The same kind in one namespace. */
  in(namespace: string): Api<T> {
    return namespace === this.namespace ? this : new Api(this.#connection, this.kind, namespace);
  }

  /** @throws StatusError `NotFound` when there is none. */
  async get(target: Target, options: CallOptions = {}): Promise<T> {
    return (await this.#read(getRequest(this.path(target)), options, "get", target)) as T;
  }

  /** Like `get`, but absence is an answer rather than a fault. */
  async find(target: Target, options: CallOptions = {}): Promise<T | undefined> {
    try {
      return await this.get(target, options);
    } catch (error) {
      if (isStatus(error, "NotFound")) return undefined;
      throw error;
    }
  }

  /** All objects, read in pages of `limit` (500 by default) of one snapshot, in the server's order. */
  async list(options: ListOptions = {}): Promise<ObjectList<T>> {
    const items: T[] = [];
    for await (const page of this.pages(options)) {
      for (const item of page.items) items.push(item);
      if (page.continue === undefined) return { items, resourceVersion: page.resourceVersion };
    }
    throw new ResponseError(`list ${this.kind.resource}: the server answered no page`, 200);
  }

  /**
   * The pages of a list, one call each.
   *
   * @throws StatusError `Expired` when the snapshot is compacted while it is being read; begin again.
   */
  async *pages(options: ListOptions = {}): AsyncGenerator<Page<T>> {
    let next: string | undefined;
    do {
      const page: Page<T> = await this.page({
        limit: PAGE_LIMIT,
        ...options,
        ...(next === undefined ? {} : { continue: next }),
      });
      yield page;
      next = page.continue;
    } while (next !== undefined);
  }

  /** One page; without `limit`, everything. */
  async page(options: ListParams & CallOptions = {}): Promise<Page<T>> {
    const params =
      options.continue === undefined
        ? options
        : { ...options, resourceVersion: undefined, resourceVersionMatch: undefined };
    const answer = await this.#read(listRequest(this.#collection, params as ListParams), options, "list", undefined);
    return this.#page(answer);
  }

  /**
   * One watch connection, until the server ends it, the signal is aborted or the reader leaves the loop. It does not
   * reconnect; for that use an informer.
   *
   * @throws StatusError as the server sends it within the stream, `Expired` when `resourceVersion` is too old.
   */
  watch(options: WatchParams & CallOptions = {}): AsyncGenerator<WatchEvent<T>> {
    return watchEvents<T>(this.#connection.transport, watchRequest(this.#collection, options), options.signal ?? never);
  }

  /**
   * Creates the object as given, in its own namespace or the Api's.
   *
   * @param object - A whole object without server-set fields; `apiVersion` and `kind` are filled in.
   * @throws StatusError `AlreadyExists`.
   */
  create(object: NewObject<T>, options: WriteOptions = {}): WriteHandle<T> {
    const { name, namespace = this.namespace } = object.metadata;
    const target =
      name === undefined || name === "" ? undefined : namespace === undefined ? { name } : { namespace, name };
    return this.#send<T>({
      verb: "create",
      target,
      dryRun: options.dryRun,
      signal: options.signal,
      request: () => {
        if (this.kind.namespaced && namespace === undefined) {
          throw new RequestError(
            `${this.kind.kind} ${name ?? ""} is namespaced; give metadata.namespace, or use api.in(namespace)`,
          );
        }
        const body = {
          apiVersion: this.#apiVersion,
          kind: this.kind.kind,
          ...object,
          ...(this.kind.namespaced ? { metadata: { ...object.metadata, namespace } } : {}),
        };
        return postRequest(collectionPath(this.kind, namespace), body, this.#params(options));
      },
      decode: asObject,
    });
  }

  /**
   * Asks for the deletion of an object. It may stay for a while: for its grace period, its finalizers, or (with
   * foreground propagation) its dependents.
   *
   * @returns the object while it is still there or as it last was; undefined when the server answered a Status.
   * @throws StatusError `NotFound`; `Conflict` when the object there is another than `preconditions` say.
   */
  delete(target: Target, options: DeleteOptions): WriteHandle<T | undefined> {
    const { preconditions } = options;
    return this.#send({
      verb: "delete",
      target,
      uid: preconditions === "none" ? undefined : preconditions.uid,
      dryRun: options.dryRun,
      signal: options.signal,
      request: (path) =>
        deleteRequest(path, { ...options, preconditions: preconditions === "none" ? undefined : preconditions }),
      decode: (answer) => (isStatusObject(answer) ? undefined : (answer as T)),
    });
  }

  /** Deletes exactly the object that was read: by its key and uid. An object without a uid is refused. */
  deleteObject(object: T, options: Omit<DeleteOptions, "preconditions"> = {}): WriteHandle<T | undefined> {
    const { uid } = object.metadata;
    if (uid === undefined)
      throw new RequestError(
        `${this.kind.kind} ${formatKey(keyOf(object))} has no uid, so it was not read from a server; use delete`,
      );
    return this.delete(keyOf(object), { ...options, preconditions: { uid } });
  }

  /** Deletes every object of the selection in the Api's namespace. */
  deleteCollection(options: Omit<DeleteOptions, "preconditions"> & Selection = {}): WriteHandle<void> {
    return this.#send({
      verb: "deleteCollection",
      target: undefined,
      dryRun: options.dryRun,
      signal: options.signal,
      request: (path) => deleteCollectionRequest(path, options, options),
      decode: () => undefined,
    });
  }

  /** The path of an object, for requests that have no method here. */
  path(target: Target): string {
    return typeof target === "string"
      ? objectPath(this.kind, this.namespace, target)
      : objectPath(this.kind, target.namespace ?? this.namespace, target.name);
  }

  /** Makes the handle of a write; the request is built and sent when it is awaited. */
  #send<R>(write: Write<R>): WriteHandle<R> {
    const { target, subresource } = write;
    const { observer, transport } = this.#connection;
    const info: WriteInfo = {
      verb: write.verb,
      kind: this.kind,
      key: this.#key(target),
      subresource,
      dryRun: write.dryRun === true,
      uid: write.uid,
    };
    const handle = new WriteHandle<R>(info, async () => {
      const at = target === undefined || write.verb === "create" ? this.#collection : this.path(target);
      const request = write.request(subresource === undefined ? at : subresourcePath(at, subresource));
      observer?.sending(info);
      const answer = await readJson(await transport(request, write.signal ?? never), this.#what(write.verb, target));
      observer?.done(info, isKubernetesObject(answer) ? answer : undefined);
      return write.decode(answer, info);
    });
    observer?.created(handle);
    return handle;
  }

  async #read(request: HttpRequest, options: CallOptions, verb: string, target: Target | undefined): Promise<unknown> {
    const response = await this.#connection.transport(request, options.signal ?? never);
    return readJson(response, this.#what(verb, target));
  }

  #page(answer: unknown): Page<T> {
    const list = answer as { readonly items?: readonly T[] | null; readonly metadata?: ListMeta };
    const items = list.items ?? [];
    for (const item of items) this.#fillIn(item);
    const { resourceVersion = "", continue: next, remainingItemCount } = list.metadata ?? {};
    return {
      items,
      resourceVersion: resourceVersion as ResourceVersion,
      continue: next === "" ? undefined : next,
      ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
    };
  }

  /** Items of a list of a built-in kind do not say their kind; here every object looks the same wherever it came from. */
  #fillIn(item: T): void {
    if (item.kind !== undefined && item.apiVersion !== undefined) return;
    const fresh = item as { apiVersion?: string; kind?: string };
    fresh.apiVersion = this.#apiVersion;
    fresh.kind = this.kind.kind;
  }

  #params(options: WriteOptions): WriteParams {
    return { ...options, fieldManager: options.fieldManager ?? this.#connection.fieldManager };
  }

  #key(target: Target | undefined): ObjectKey | undefined {
    if (typeof target !== "string") return target;
    return this.namespace === undefined ? { name: target } : { namespace: this.namespace, name: target };
  }

  #what(verb: string, target: Target | undefined): string {
    const key = this.#key(target);
    return key === undefined ? `${verb} ${this.kind.resource}` : `${verb} ${this.kind.kind} ${formatKey(key)}`;
  }
}

/** An object to be created: its name may be left to the server (`generateName`), its type to the Api. */
export type NewObject<T extends KubernetesObject> = Omit<T, "metadata" | "apiVersion" | "kind"> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: Omit<Partial<T["metadata"]>, "uid" | "resourceVersion" | "managedFields">;
};

interface ListMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** The answer of a write as the object it is. */
export function asObject<T extends KubernetesObject>(answer: unknown, info: WriteInfo): T {
  if (isKubernetesObject(answer)) return answer as T;
  throw new ResponseError(`${info.verb} ${info.kind.kind}: the server answered no object`, 200);
}

function isKubernetesObject(value: unknown): value is KubernetesObject {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "metadata") && !isStatusObject(value);
}

import { getOwn, isObject, type JsonValue, type Logger } from "@fairlead/base";
import { isAtLeast, keyOf, type KubernetesObject, type ObjectKey } from "@fairlead/apimachinery";
import {
  applyOwned,
  mergeStatus,
  mergeStatusBody,
  ownedPaths,
  WriteHandle,
  type ApplyOwnedOptions,
  type Client,
  type Contract,
  type MergeStatusOptions,
  type OwnedPaths,
  type OwnedPathsOptions,
  type ResourceKind,
} from "@fairlead/client";
import type { StoreReader } from "../store/store.js";
import { isMerged } from "./context.js";
import type { OwnGenerations } from "./own-writes.js";

/**
 * What was applied before, by the object that came of it: as long as the store holds that very object, the same apply
 * would change nothing and need not be sent. Forgotten with the object.
 */
export class AppliedBodies {
  readonly #byObject = new WeakMap<KubernetesObject, Map<unknown, string>>();

  has(object: KubernetesObject, contract: unknown, body: string): boolean {
    return this.#byObject.get(object)?.get(contract) === body;
  }

  add(object: KubernetesObject, contract: unknown, body: string): void {
    const known = this.#byObject.get(object);
    if (known === undefined) this.#byObject.set(object, new Map([[contract, body]]));
    else known.set(contract, body);
  }
}

export interface WriterOptions<T extends KubernetesObject> {
  readonly client: Client;
  readonly logger: Logger;
  readonly kind: ResourceKind<T>;
  readonly object: T;
  readonly applied: AppliedBodies;
  readonly ownGenerations: OwnGenerations;
  /** The store of a kind; undefined where the controller has none. */
  readonly storeOf: <K extends KubernetesObject>(kind: ResourceKind<K>) => StoreReader<K> | undefined;
}

/** `ctx.apply` and `ctx.status` of one reconcile. */
export class Writer<T extends KubernetesObject> {
  readonly #o: WriterOptions<T>;
  /** The reconciled object after the last own write to it. */
  #latest: T;

  constructor(options: WriterOptions<T>) {
    this.#o = options;
    this.#latest = options.object;
  }

  /** An own write was answered with this object. */
  wrote(kind: ResourceKind<KubernetesObject>, object: KubernetesObject): void {
    if (kind === this.#o.kind && object.metadata.uid === this.#o.object.metadata.uid) this.#latest = object as T;
  }

  apply<K extends KubernetesObject, B>(
    contract: Contract<K, B>,
    ref: ObjectKey,
    body: NoInfer<B>,
    options: ApplyOwnedOptions & OwnedPathsOptions,
  ): WriteHandle<K> {
    const { client, applied, storeOf } = this.#o;
    const owned = ownedPaths(contract, ref, body, options.clear === undefined ? {} : { clear: options.clear });
    const text = remembered(owned, options);
    const store = storeOf(contract.kind);
    const held = store?.get(owned.key);
    if (text !== undefined && held !== undefined && applied.has(held, contract, text)) {
      return WriteHandle.done(
        { verb: "apply", kind: contract.kind, key: owned.key, subresource: owned.subresource, dryRun: false },
        held,
      );
    }
    const before = this.#latest;
    const sending = applyOwned(client, owned, options);
    return sending.map(({ object, yielded, forceCleared }) => {
      const { kind, key } = owned;
      if (yielded.length > 0)
        this.#o.logger.debug("fields left to their owners", { kind: kind.kind, name: key.name, yielded });
      if (forceCleared.length > 0)
        this.#o.logger.warn("fields cleared by merge patch", { kind: kind.kind, name: key.name, forceCleared });
      if (owned.subresource === undefined) this.#o.ownGenerations.applied(before, object, owned.body);
      const now = store?.get(key);
      if (text !== undefined && now !== undefined && now.metadata.resourceVersion === object.metadata.resourceVersion)
        applied.add(now, contract, text);
      return object;
    });
  }

  status(status: unknown, options: MergeStatusOptions): WriteHandle<T> {
    const { client, kind } = this.#o;
    const known = this.#newest();
    const key = keyOf(this.#o.object);
    mergeStatusBody(status);
    if (options.dryRun !== true && isMerged((known as { readonly status?: JsonValue }).status, status as JsonValue)) {
      return WriteHandle.done({ verb: "patch", kind, key, subresource: "status", dryRun: false }, known);
    }
    return mergeStatus(client.api(kind), key, status, options).map((object) => {
      const lost = lostPath((object as { readonly status?: JsonValue }).status, status as JsonValue);
      if (lost !== undefined) {
        this.#o.logger.warn("the server did not keep a status field as sent; does the schema have it?", {
          path: `status${lost}`,
        });
      }
      return object;
    });
  }

  /** The newest state of the reconciled object that is known: from an own write, or from the store. */
  #newest(): T {
    const held = this.#o.storeOf(this.#o.kind)?.get(keyOf(this.#latest));
    const [own, seen] = [this.#latest.metadata, held?.metadata];
    if (held === undefined || seen === undefined || seen.uid !== own.uid) return this.#latest;
    if (own.resourceVersion === undefined || seen.resourceVersion === undefined) return this.#latest;
    return isAtLeast(seen.resourceVersion, own.resourceVersion) ? held : this.#latest;
  }
}

/** The first path that a merge patch set and an object does not have so: pruned, or rewritten. */
export function lostPath(value: JsonValue | undefined, patch: JsonValue | undefined): string | undefined {
  if (isMerged(value, patch)) return undefined;
  if (!isObject(patch) || !isObject(value)) return "";
  for (const key of Object.keys(patch)) {
    const lost = lostPath(getOwn(value, key), patch[key]);
    if (lost !== undefined) return `.${key}${lost}`;
  }
  return "";
}

/** The text by which an apply is remembered; undefined for one that must be sent in any case. */
function remembered(owned: OwnedPaths<KubernetesObject>, options: ApplyOwnedOptions): string | undefined {
  if (options.dryRun === true || options.precondition !== undefined || options.fieldManager !== undefined)
    return undefined;
  return `${options.onConflict ?? ""} ${JSON.stringify(owned.body)}`;
}

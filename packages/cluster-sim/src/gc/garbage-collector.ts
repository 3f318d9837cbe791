import { messageOf, onAbort } from "@fairlead/base";
import { isStatus, parseGroupVersion, type KubernetesObject, type OwnerReference } from "@fairlead/apimachinery";
import {
  kinds,
  removeFinalizer,
  removeOwnerReference,
  StaleObjectError,
  type Client,
  type ServedKind,
} from "@fairlead/client";
import { WorkQueue, type Informer, type Runnable, type RunnableEnv } from "@fairlead/runtime";

import { OwnerGraph, ownersOf, type GraphNode } from "./graph.js";

const FOREGROUND = "foregroundDeletion";
const ORPHAN = "orphan";
const REDISCOVER_MS = 5000;
const WORKERS = 4;

/**
 * Deletes what its owners have left behind, holds owners back that are deleted in the foreground until their dependents
 * are gone, and frees dependents of owners that are deleted as orphans. Works on every kind that can be listed, watched
 * and deleted; kinds that come later are found when their definition appears.
 */
export const garbageCollector: Runnable = {
  name: "garbage-collector-controller",
  run: async (env, signal) => {
    await new Collector({ ...env, client: env.client.as("kube-controller-manager") }).run(signal);
  },
};

class Collector {
  readonly #env: RunnableEnv;
  readonly #graph = new OwnerGraph();
  readonly #queue: WorkQueue;
  readonly #informers = new Map<string, { readonly kind: ServedKind; readonly informer: Informer<KubernetesObject> }>();

  constructor(env: RunnableEnv) {
    this.#env = env;
    this.#queue = new WorkQueue({ clock: env.clock });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#env;
    onAbort(signal, () => this.#queue.close());
    const workers = Array.from({ length: WORKERS }, () => this.#work(signal));
    const definitions = this.#env.informers.get(kinds.CustomResourceDefinition);
    let changed: (() => void) | undefined;
    definitions.onChange(() => changed?.());
    while (!signal.aborted) {
      await this.#follow(signal);
      const waiting = new AbortController();
      changed = () => waiting.abort(new Error("definitions changed"));
      await clock.sleep(REDISCOVER_MS, AbortSignal.any([signal, waiting.signal])).catch(() => undefined);
      changed = undefined;
    }
    await Promise.all(workers);
  }

  /** Watches every kind that is served now. */
  async #follow(signal: AbortSignal): Promise<void> {
    let served: readonly ServedKind[];
    try {
      served = await this.#env.client.discovery.preferred({ signal });
    } catch (error) {
      if (!signal.aborted) this.#env.logger.warn("discovery failed", { error: messageOf(error) });
      return;
    }
    const wanted = new Map(served.filter(isCollected).map((kind) => [idOf(kind), kind]));
    for (const [id, { kind, informer }] of this.#informers) {
      if (wanted.has(id)) continue;
      this.#env.informers.remove(informer);
      this.#informers.delete(id);
      for (const uid of this.#graph.removeKind((k) => idOf(k) === idOf(kind))) this.#touch(uid);
    }
    for (const [id, kind] of wanted) {
      if (this.#informers.has(id)) continue;
      const informer = this.#env.informers.get(kind) as unknown as Informer<KubernetesObject>;
      this.#informers.set(id, { kind, informer });
      informer.onChange((change) => {
        const uid = change.object.metadata.uid ?? "";
        if (change.type === "deleted") this.#graph.delete(uid);
        else this.#graph.set(kind, change.object);
        this.#touch(uid);
        for (const owner of ownersOf(change.object)) this.#queue.add(owner.uid);
      });
    }
  }

  /** An object changed: it and those that name it are looked at again. */
  #touch(uid: string): void {
    this.#queue.add(uid);
    for (const { object } of this.#graph.dependents(uid)) this.#queue.add(object.metadata.uid ?? "");
  }

  async #work(signal: AbortSignal): Promise<void> {
    for (let uid = await this.#queue.next(); uid !== undefined; uid = await this.#queue.next()) {
      try {
        await this.#collect(uid, signal);
        this.#queue.forget(uid);
      } catch (error) {
        if (!signal.aborted && !isExpected(error))
          this.#env.logger.debug("collecting failed", { error: messageOf(error) });
        if (!signal.aborted) this.#queue.retry(uid);
      } finally {
        this.#queue.done(uid);
      }
    }
  }

  async #collect(uid: string, signal: AbortSignal): Promise<void> {
    const node = this.#graph.get(uid);
    if (node === undefined) return;
    const finalizers = node.object.metadata.finalizers ?? [];
    if (node.object.metadata.deletionTimestamp !== undefined) {
      if (finalizers.includes(FOREGROUND)) return this.#foreground(node, signal);
      if (finalizers.includes(ORPHAN)) return this.#orphan(node, signal);
      return;
    }
    if (ownersOf(node.object).length > 0) await this.#judge(node, signal);
  }

  /** Deletes the dependents; the owner goes when none is left that blocks it. */
  async #foreground(node: GraphNode, signal: AbortSignal): Promise<void> {
    const uid = node.object.metadata.uid ?? "";
    let blocked = false;
    for (const dependent of this.#graph.dependents(uid)) {
      const reference = ownersOf(dependent.object).find((r) => r.uid === uid);
      if (reference?.blockOwnerDeletion === true) blocked = true;
      if (dependent.object.metadata.deletionTimestamp !== undefined) continue;
      const others = await this.#livingOwners(dependent, uid, signal);
      if (others)
        await removeOwnerReference(
          apiOf(this.#env.client, dependent.kind),
          dependent.object,
          uid as OwnerReference["uid"],
          { signal },
        );
      else
        await remove(this.#env.client, dependent, {
          propagation:
            this.#graph.dependents(dependent.object.metadata.uid ?? "").length > 0 ? "foreground" : "background",
          signal,
        });
    }
    if (!blocked) await free(this.#env.client, node, FOREGROUND, signal);
  }

  /** Whether another owner than `uid` is there and stays. */
  async #livingOwners(node: GraphNode, uid: string, signal: AbortSignal): Promise<boolean> {
    for (const owner of ownersOf(node.object)) {
      if (owner.uid === uid) continue;
      const known = this.#graph.get(owner.uid);
      if (
        known !== undefined
          ? known.object.metadata.deletionTimestamp === undefined
          : await this.#exists(owner, node, signal)
      )
        return true;
    }
    return false;
  }

  async #orphan(node: GraphNode, signal: AbortSignal): Promise<void> {
    const uid = node.object.metadata.uid ?? "";
    for (const dependent of this.#graph.dependents(uid)) {
      await removeOwnerReference(
        apiOf(this.#env.client, dependent.kind),
        dependent.object,
        uid as OwnerReference["uid"],
        { signal },
      );
    }
    await free(this.#env.client, node, ORPHAN, signal);
  }

  /** An object whose owners are all gone is deleted; references to some that are gone are taken off. */
  async #judge(node: GraphNode, signal: AbortSignal): Promise<void> {
    const absent: string[] = [];
    let solid = 0;
    for (const owner of ownersOf(node.object)) {
      if (this.#graph.get(owner.uid) !== undefined || (await this.#exists(owner, node, signal))) solid++;
      else absent.push(owner.uid);
    }
    if (absent.length === 0) return;
    if (solid === 0) {
      const orphaned = (node.object.metadata.finalizers ?? []).includes(ORPHAN);
      return remove(this.#env.client, node, { propagation: orphaned ? "orphan" : "background", signal });
    }
    for (const uid of absent)
      await removeOwnerReference(apiOf(this.#env.client, node.kind), node.object, uid as OwnerReference["uid"], {
        signal,
      });
  }

  /** Asks the server whether an owner is there, under this uid. A kind that is not served counts as there. */
  async #exists(owner: OwnerReference, node: GraphNode, signal: AbortSignal): Promise<boolean> {
    const gv = parseGroupVersion(owner.apiVersion);
    if (gv === undefined) return true;
    const kind = await this.#env.client.discovery.find({ ...gv, kind: owner.kind }, { signal });
    if (kind === undefined) return true;
    const { namespace } = node.object.metadata;
    if (kind.namespaced && namespace === undefined) return true;
    const live = await this.#env.client
      .api(kind)
      .find(kind.namespaced ? { namespace: namespace ?? "", name: owner.name } : { name: owner.name }, { signal });
    return live?.metadata.uid === owner.uid;
  }
}

/** Everything with a life of its own; events come and go too often to matter and own nothing. */
function isCollected(kind: ServedKind): boolean {
  return ["list", "watch", "delete"].every((v) => kind.verbs.includes(v)) && kind.resource !== "events";
}

function idOf({ group, version, resource }: ServedKind): string {
  return `${group}/${version}/${resource}`;
}

function apiOf(client: Client, kind: ServedKind): ReturnType<Client["api"]> {
  return client.api(kind) as ReturnType<Client["api"]>;
}

async function remove(
  client: Client,
  { kind, object }: GraphNode,
  options: { readonly propagation: "foreground" | "background" | "orphan"; readonly signal: AbortSignal },
): Promise<void> {
  try {
    await apiOf(client, kind).deleteObject(object, options);
  } catch (error) {
    if (!isStatus(error, "NotFound") && !isStatus(error, "Conflict")) throw error;
  }
}

async function free(
  client: Client,
  { kind, object }: GraphNode,
  finalizer: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await removeFinalizer(apiOf(client, kind), object, finalizer, { signal });
  } catch (error) {
    if (!isStatus(error, "NotFound")) throw error;
  }
}

/** A stale view, which the next look has not. */
function isExpected(error: unknown): boolean {
  return error instanceof StaleObjectError || isStatus(error, "Conflict") || isStatus(error, "NotFound");
}

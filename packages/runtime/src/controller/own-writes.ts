import { deepEqual, isObject, type JsonValue } from "@fairlead/base";
import type { KubernetesObject, Uid } from "@fairlead/apimachinery";
import type { WriteInfo } from "@fairlead/client";
import type { Informers } from "../informer/informers.js";

/** Shows the answer to an own write in the caches, before the watch brings it. */
export function showInCaches(informers: Informers, info: WriteInfo, object: KubernetesObject | undefined): void {
  if (info.dryRun) return;
  if (object === undefined) {
    if (info.verb !== "delete" || info.key === undefined) return;
    for (const informer of informers.of(info.kind)) informer.removed(info.key, info.uid);
  } else if (object.kind === info.kind.kind) {
    for (const informer of informers.of(info.kind)) informer.wrote(object);
  }
}

/** The generations of primary objects that the controller's own writes made, for telling them from a user's. */
export class OwnGenerations {
  readonly #byUid = new Map<Uid, number[]>();
  readonly #limit: number;

  /** @param limit - Generations that are remembered of one object at most; 16 by default. */
  constructor(limit: number = 16) {
    this.#limit = limit;
  }

  /**
   * Takes note of the answer to an apply to the primary object, if its generation is our doing alone: it is the next one,
   * and nothing but what was sent has changed since the object was read.
   */
  applied(before: KubernetesObject, after: KubernetesObject, sent: JsonValue): void {
    const { uid, generation } = after.metadata;
    if (uid === undefined || uid !== before.metadata.uid || generation === undefined) return;
    if (generation !== (before.metadata.generation ?? 0) + 1) return;
    if (!differsOnlyWithin(specOf(before), specOf(after), specOf(sent))) return;
    const seen = this.#byUid.get(uid) ?? [];
    if (!seen.includes(generation)) this.#byUid.set(uid, [...seen, generation].slice(-this.#limit));
  }

  has(uid: Uid, generation: number): boolean {
    return this.#byUid.get(uid)?.includes(generation) ?? false;
  }

  forget(uid: Uid): void {
    this.#byUid.delete(uid);
  }
}

/** What decides about generations: everything but metadata and status. */
function specOf(object: unknown): JsonValue {
  const {
    metadata: _metadata,
    status: _status,
    apiVersion: _apiVersion,
    kind: _kind,
    ...rest
  } = object as Readonly<Record<string, JsonValue>>;
  return rest;
}

/** Whether two values are equal but for paths that `within` has as leaves. */
export function differsOnlyWithin(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  within: JsonValue | undefined,
): boolean {
  if (deepEqual(before, after)) return true;
  if (within === undefined) return false;
  if (!isObject(within)) return true;
  const [a, b] = [isObject(before) ? before : {}, isObject(after) ? after : {}];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) =>
    differsOnlyWithin(a[key], b[key], Object.hasOwn(within, key) ? within[key] : undefined),
  );
}

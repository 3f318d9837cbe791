import {
  deepEqual,
  isObject,
  type Clock,
  type JsonObject,
  type JsonValue,
  type Logger,
  type Random,
} from "@fairlead/base";
import type { KubernetesObject, ObjectKey } from "@fairlead/apimachinery";
import type {
  ApplyOwnedOptions,
  Client,
  Contract,
  MergeStatusOptions,
  OwnedPathsOptions,
  ResourceKind,
  WriteHandle,
} from "@fairlead/client";
import type { Stores } from "./triggers.js";

/** Any part of a kind's status; null clears. */
export type StatusPatch<T> = T extends { readonly status?: infer S } ? MergePatch<NonNullable<S>> : JsonObject;
type MergePatch<S> = unknown extends S
  ? unknown
  : S extends object
    ? {
        readonly [K in keyof S]?: S[K] extends readonly unknown[] | undefined
          ? S[K] | null
          : MergePatch<NonNullable<S[K]>> | null;
      }
    : S;

/** Something worth telling a user, about one object. */
export interface RecordedEvent {
  readonly type: "Normal" | "Warning";
  /** Short, in CamelCase, the same for the same cause: `ScaledUp`. */
  readonly reason: string;
  /** For people. Repetitions of the same message are counted instead of recorded anew, so keep times out of it. */
  readonly message: string;
  readonly action?: string;
}

/** Where recorded events go: EventRecorder, which a manager provides. */
export interface EventSink {
  /** Events that were recorded and not sent yet. */
  readonly pending: number;
  record(about: KubernetesObject, event: RecordedEvent): void;
  run(signal: AbortSignal): Promise<void>;
  close(): void;
}

/** What a reconcile has to work with. Valid until it ends: writes after that are refused. */
export interface Context<T extends KubernetesObject> extends Stores {
  readonly key: ObjectKey;
  /** The object that is reconciled, as the cache had it at the beginning. */
  readonly object: T;
  /** Reads and writes in the controller's name, until `signal`. Reads go to the server; prefer `store`. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Aborted when the reconcile's deadline is over, or the controller must stop at once. */
  readonly signal: AbortSignal;

  /** The objects of a kind that this one owns, from the store. */
  owned<K extends KubernetesObject>(kind: ResourceKind<K>): readonly K[];

  /**
   * Applies what this controller owns of an object; creates it if it is not there. An apply that was done before, with
   * the same body to the object as it still is, is not sent again.
   *
   * @param ref - Which object; the reconciled object's namespace is used when it has none.
   * @throws see `ownedPaths` and `applyOwned`. `onConflict` is the controller's by default.
   */
  apply<K extends KubernetesObject, B>(
    contract: Contract<K, B>,
    ref: ObjectKey,
    body: NoInfer<B>,
    options?: ApplyOwnedOptions & OwnedPathsOptions,
  ): WriteHandle<K>;

  /**
   * Merges into the status of the reconciled object. What would change nothing (by the cache) is not sent.
   *
   * @returns the object after it.
   */
  status(status: StatusPatch<T>, options?: MergeStatusOptions): WriteHandle<T>;

  /** Tells users about the reconciled object; see EventRecorder. */
  event(event: RecordedEvent): void;

  /**
   * Whether a generation of the reconciled object was made by this controller's own apply alone, as far as it remembers:
   * since it started, and for the last few.
   */
  isOwnGeneration(generation: number): boolean;
}

/** Whether merging `patch` (RFC 7396) into a value would leave it as it is. */
export function isMerged(value: JsonValue | undefined, patch: JsonValue | undefined): boolean {
  if (patch === undefined) return true;
  if (patch === null) return value === undefined;
  if (!isObject(patch)) return deepEqual(value, patch);
  if (!isObject(value)) return false;
  return Object.keys(patch).every((key) => isMerged(Object.hasOwn(value, key) ? value[key] : undefined, patch[key]));
}

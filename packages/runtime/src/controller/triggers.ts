import { deepEqual } from "@fairlead/base";
import { parseGroupVersion, type KubernetesObject, type ObjectKey } from "@fairlead/apimachinery";
import type { ResourceKind } from "@fairlead/client";
import type { InformerOptions } from "../informer/informer.js";
import type { Change, IndexFn, StoreReader } from "../store/store.js";

/** Whether a change is worth a reconcile. */
export type Predicate<T> = (change: Change<T>) => boolean;

/** The stores that a controller may read. */
export interface Stores {
  /** @throws RangeError for a kind that the controller neither reconciles, owns, watches nor reads. */
  store<K extends KubernetesObject>(kind: ResourceKind<K>): StoreReader<K>;
}

/** The primary objects that an object matters to; called for the old and the new state of it. */
export type MapFn<K> = (object: K, stores: Stores) => Iterable<ObjectKey>;

/** A kind whose changes lead to reconciles of primary objects. Made by `watch` and `ownedBy`. */
export interface Trigger {
  readonly kind: ResourceKind<KubernetesObject>;
  readonly options: InformerOptions;
  readonly predicate: Predicate<KubernetesObject> | undefined;
  readonly map: MapFn<KubernetesObject>;
}

/**
 * Reconciles the primary objects that `map` names when an object of another kind changes.
 *
 * ```ts
 * watch(kinds.Pod, (pod) => (pod.spec?.nodeName === undefined ? [] : [{ name: pod.spec.nodeName }]))
 * ```
 */
export function watch<K extends KubernetesObject>(
  kind: ResourceKind<K>,
  map: MapFn<K>,
  options: InformerOptions & { readonly predicate?: Predicate<K> } = {},
): Trigger {
  const { predicate, ...informer } = options;
  return {
    kind,
    options: informer,
    predicate: predicate as Predicate<KubernetesObject> | undefined,
    map: map as MapFn<KubernetesObject>,
  };
}

/**
 * Reconciles the owner of an object: the primary kind's object that its `ownerReferences` name as controller. Versions
 * do not matter, so it keeps working when the primary kind moves on to another.
 */
export function ownedBy(
  primary: ResourceKind<KubernetesObject>,
  kind: ResourceKind<KubernetesObject>,
  options: InformerOptions = {},
): Trigger {
  return {
    kind,
    options,
    predicate: undefined,
    map: (object) => {
      const owner = object.metadata.ownerReferences?.find((one) => one.controller === true);
      if (
        owner === undefined ||
        owner.kind !== primary.kind ||
        parseGroupVersion(owner.apiVersion)?.group !== primary.group
      )
        return [];
      const { namespace } = object.metadata;
      return [primary.namespaced && namespace !== undefined ? { namespace, name: owner.name } : { name: owner.name }];
    },
  };
}

/** An index over a kind that a controller reads: `ctx.store(kind).by(name, value)`. */
export interface Index {
  readonly kind: ResourceKind<KubernetesObject>;
  readonly name: string;
  readonly of: IndexFn<KubernetesObject>;
}

/** Declares an index. */
export function index<K extends KubernetesObject>(kind: ResourceKind<K>, name: string, of: IndexFn<K>): Index {
  return { kind, name, of: of as IndexFn<KubernetesObject> };
}

/**
 * Lets through what changes the wish: a new generation, the beginning of a deletion, appearance, disappearance. Kinds
 * without generations (ConfigMap, Service, …) always pass, since nothing tells their status from their spec.
 */
export const generationChanged: Predicate<KubernetesObject> = ({ type, object, old }) =>
  type !== "updated" ||
  object.metadata.generation === undefined ||
  object.metadata.generation !== old.metadata.generation ||
  object.metadata.deletionTimestamp !== old.metadata.deletionTimestamp;

/** Lets through changes of metadata that a user makes: labels, annotations, finalizers, owners. */
export const metadataChanged: Predicate<KubernetesObject> = ({ type, object, old }) =>
  type !== "updated" ||
  !deepEqual(object.metadata.labels, old.metadata.labels) ||
  !deepEqual(object.metadata.annotations, old.metadata.annotations) ||
  !deepEqual(object.metadata.finalizers, old.metadata.finalizers) ||
  !deepEqual(object.metadata.ownerReferences, old.metadata.ownerReferences);

/** Passes what any of them lets through. */
export function anyOf<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (change) => predicates.some((predicate) => predicate(change));
}

/** Passes what all of them let through. */
export function allOf<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (change) => predicates.every((predicate) => predicate(change));
}

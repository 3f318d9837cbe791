import type { JsonObject } from "@fairlead/base";

declare const brand: unique symbol;

/** A value of type T that only the place that makes brands B can make. */
export type Brand<T, B extends string> = T & { readonly [brand]: B };

/** Identity of one object's life; a deleted and re-created object has another. */
export type Uid = Brand<string, "Uid">;

/** Who owns an object (meta/v1). At most one owner has `controller: true`. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: Uid;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** One manager's claim on fields (meta/v1 ManagedFieldsEntry). */
export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: "Apply" | "Update";
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: "FieldsV1";
  readonly fieldsV1?: JsonObject;
  readonly subresource?: string;
}

/** meta/v1 ObjectMeta, as received; times are RFC 3339 strings. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly generateName?: string;
  readonly uid?: Uid;
  readonly resourceVersion?: ResourceVersion;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

/** An opaque version; compare only for equality, outside resource-version.ts. */
export type ResourceVersion = Brand<string, "ResourceVersion">;

/** What every object of every kind has. */
export interface KubernetesObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

/** A condition of meta/v1 and of most built-in kinds. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

/** Identity within one kind. `namespace` is absent for cluster-scoped kinds. */
export interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}

/** `namespace/name`, or `name` alone. */
export function formatKey(key: ObjectKey): string {
  return key.namespace === undefined || key.namespace === "" ? key.name : `${key.namespace}/${key.name}`;
}

/** The key of an object. */
export function keyOf(object: KubernetesObject): ObjectKey {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? { name } : { namespace, name };
}

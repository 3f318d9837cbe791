import type { JsonObject } from "@fairlead/base";

import type { ResourceStrategy } from "../resources/resource.js";

/**
 * One served resource in one version, as the verbs see it: what the kind does, where its objects are kept, and how they
 * turn into the other served versions. All versions of a resource share one collection.
 */
export interface Endpoint {
  readonly strategy: ResourceStrategy;
  /** `group/resource`; the storage's name for the place. */
  readonly collection: string;
  /** The apiVersion that objects are stored in. */
  readonly storageVersion: string;
  /** Every served version by its apiVersion, for field ownership across versions. */
  readonly versions: ReadonlyMap<string, ResourceStrategy>;
  readonly conversion: Conversion;
  /** Why new objects are refused now (a terminating CRD); undefined otherwise. */
  readonly refusesCreate?: () => string | undefined;
}

/** How objects turn into those of another version of `versions`, pruned and defaulted by it; arguments stay as they are. */
export type Conversion = LocalConversion | WebhookConversion;

export interface LocalConversion {
  readonly kind: "local";
  readonly convert: (object: JsonObject, apiVersion: string) => JsonObject;
}

export interface WebhookConversion {
  readonly kind: "webhook";
  /** In the order of the objects. @throws StatusError 500 when the webhook does not answer, or not as it should */
  readonly convertAll: (objects: readonly JsonObject[], apiVersion: string) => Promise<readonly JsonObject[]>;
}

/** How a built-in kind that is served twice is stored. */
export interface StoredAs {
  readonly collection: string;
  readonly apiVersion: string;
  readonly convert: (object: JsonObject, apiVersion: string) => JsonObject;
}

/** The storage key of an object: `ns/name`, or `name` for cluster-scoped kinds. */
export function storageKey(endpoint: Endpoint, namespace: string | undefined, name: string): string {
  return endpoint.strategy.info.namespaced ? `${namespace ?? ""}/${name}` : name;
}

/**
 * The kind as the messages of validation name it: in the group that its objects are stored in, which of a kind that is
 * served in two groups (Event) is one.
 */
export function storedKind({ strategy, storageVersion }: Endpoint): { readonly group: string; readonly kind: string } {
  const at = storageVersion.lastIndexOf("/");
  return { group: at < 0 ? "" : storageVersion.slice(0, at), kind: strategy.info.kind };
}

export function apiVersionOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === "" ? version : `${group}/${version}`;
}

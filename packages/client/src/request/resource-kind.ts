import type { JsonValue } from "@fairlead/base";
import { formatGroupVersion, type GroupVersionKind, type KubernetesObject } from "@fairlead/apimachinery";

/**
 * What the client must know about a kind to reach its objects: where they are served, and (in the type only) what they
 * look like. Descriptors of built-in kinds are in `kinds`; `Discovery` makes them for any other.
 */
export interface ResourceKind<T extends KubernetesObject = DynamicObject> extends GroupVersionKind {
  /** The plural URL word: `deployments`. */
  readonly resource: string;
  readonly namespaced: boolean;
  /** Carries T in the type; never set. */
  readonly "~object"?: T;
}

/** An object of a kind that has no type here: read its fields with `getPath`. */
export interface DynamicObject extends KubernetesObject {
  readonly spec?: JsonValue;
  readonly status?: JsonValue;
  readonly [field: string]: unknown;
}

/** The object type of a descriptor. */
export type ObjectOf<K> = K extends ResourceKind<infer T> ? T : never;

/** `apps/v1`, as objects of this kind say it. */
export function apiVersionOf(kind: GroupVersionKind): string {
  return formatGroupVersion(kind);
}

/** A descriptor for a kind that is known in advance; T is what the caller says its objects look like. */
export function resourceKind<T extends KubernetesObject = DynamicObject>(
  kind: GroupVersionKind & { readonly resource: string; readonly namespaced: boolean },
): ResourceKind<T> {
  return Object.freeze({
    group: kind.group,
    version: kind.version,
    kind: kind.kind,
    resource: kind.resource,
    namespaced: kind.namespaced,
  });
}

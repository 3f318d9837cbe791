import type { JsonValue } from "@fairlead/base";
import type { KubernetesObject, ObjectMeta } from "@fairlead/apimachinery";

/**
 * Contracts for the compiler. A path is split into its steps, followed through the object's type, and the paths of a
 * contract together give the type of its bodies: exactly the declared fields, each optional, list items with their keys.
 */

/** The steps of a path: `"spec.ports[].name"` is `["spec", "ports", "[]", "name"]`. */
export type Steps<P extends string> = P extends `${infer Before}["${infer Key}"]${infer After}`
  ? [...Split<Before>, Key, ...(After extends "" ? [] : After extends `.${infer Rest}` ? Steps<Rest> : [never])]
  : Split<P>;

type Split<P extends string> = P extends `${infer Head}.${infer Rest}`
  ? [...Brackets<Head>, ...Split<Rest>]
  : Brackets<P>;
type Brackets<P extends string> = P extends `${infer Field}[${infer Keys}]` ? [Field, `[${Keys}]`] : [P];

/** Anything may be below a value that has no type. */
type Untyped<T> = [Exclude<JsonValue, null>] extends [T] ? true : false;
type Present<T> = NonNullable<T>;
type At<T, K> = K extends keyof T ? Present<T[K]> : never;

type Resolves<T, S> =
  Untyped<T> extends true
    ? true
    : S extends readonly [infer Head, ...infer Rest]
      ? Head extends `[${string}]`
        ? T extends readonly (infer Item)[]
          ? Resolves<Present<Item>, Rest>
          : false
        : [At<T, Head>] extends [never]
          ? false
          : Resolves<At<T, Head>, Rest>
      : true;

/** What no contract of an object itself may own: its identity, its status, and what the server sets. */
type NotOwnable =
  | "apiVersion"
  | "kind"
  | "metadata"
  | "status"
  | `status.${string}`
  | `metadata.${Exclude<keyof ObjectMeta, Ownable>}`
  | `metadata.${"managedFields" | "ownerReferences"}[]${string}`;
type Ownable = "labels" | "annotations" | "ownerReferences" | "finalizers";

/** The path itself when the type has it, else a text that says what is wrong and that no path is assignable to. */
export type CheckPath<T, P extends string> = P extends NotOwnable
  ? `${P} cannot be owned: identity, status and server-set metadata are not a controller's`
  : Resolves<T, Steps<P>> extends true
    ? P
    : `${P} is no path of this kind`;

/** `CheckPath` over a tuple of paths. */
export type CheckPaths<T, P extends readonly string[]> = { readonly [I in keyof P]: CheckPath<T, P[I]> };

/** The same for a contract on `/status`. */
export type CheckStatusPaths<T, P extends readonly string[]> = {
  readonly [I in keyof P]: P[I] extends `status.${string}`
    ? Resolves<T, Steps<P[I]>> extends true
      ? P[I]
      : `${P[I]} is no path of this kind`
    : `${P[I]} is not in status`;
};

/** Any part of a value: every field optional at every depth, null nowhere. */
export type Partially<T> =
  Untyped<T> extends true
    ? unknown
    : T extends readonly (infer Item)[]
      ? readonly Partially<Item>[]
      : T extends object
        ? { readonly [K in keyof T]?: Partially<Exclude<T[K], null | undefined>> }
        : T;

/** What says which object a body is for. Filled in when it is left out; refused when it says something else. */
export interface Identity {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

/** A body of an apply in general: any part of the object but its status and what the server sets. */
export type ApplyConfig<T extends KubernetesObject> = {
  readonly [K in keyof T as K extends "status" | "metadata" | "~object" ? never : K]?: Partially<
    Exclude<T[K], null | undefined>
  >;
} & Identity & { readonly metadata?: Partial<Pick<ObjectMeta, Ownable>> };

type Head<S> = S extends readonly [infer H extends string, ...unknown[]] ? H : never;
type Tail<S, K> = S extends readonly [K, ...infer R extends readonly string[]] ? R : never;
/** The keys named in brackets: `[host,path]`. */
type BracketKeys<S> = S extends readonly [`[${infer Keys}]`, ...unknown[]] ? KeyNames<Keys> : never;
type KeyNames<K extends string> = K extends `${infer First},${infer Rest}` ? First | KeyNames<Rest> : K;
type ListTail<S> = S extends readonly [`[${string}]`, ...infer R extends readonly string[]] ? R : never;

/** Names that are merge keys of some list; an item may always give those its type has. */
type MergeKey =
  | "name"
  | "containerPort"
  | "port"
  | "protocol"
  | "type"
  | "uid"
  | "mountPath"
  | "devicePath"
  | "ip"
  | "key"
  | "effect"
  | "topologyKey"
  | "whenUnsatisfiable"
  | "resourceName";

/** The part of T that the step lists S name. */
export type Owned<T, S extends readonly string[]> = [] extends S
  ? Partially<T>
  : Untyped<T> extends true
    ? unknown
    : T extends readonly (infer Item)[]
      ? readonly OwnedItem<Present<Item>, ListTail<S>, BracketKeys<S>>[]
      : { readonly [K in Head<S>]?: Owned<At<T, K>, Tail<S, K>> };

type OwnedItem<T, S extends readonly string[], Keys> = [] extends S
  ? Partially<T>
  : {
      readonly [K in Head<S> | Extract<keyof T, MergeKey | Keys>]?: [Tail<S, K>] extends [never]
        ? At<T, K>
        : Owned<At<T, K>, Tail<S, K>>;
    };

/** The bodies of a contract with these paths. */
export type OwnedBody<T extends KubernetesObject, P extends string> = Owned<T, Steps<P>> & Identity;

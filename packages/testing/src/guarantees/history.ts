import { getOwn, getPath, isArray, isObject, type JsonObject } from "@fairlead/base";
import { matchesLabels, type FieldSelector, type LabelSelector } from "@fairlead/apimachinery";

/**
 * What clients of an API server did and saw, as plain data: the material of `violations`. Moments (`began`, `ended`,
 * `at`) are places in one order over the whole history, not times.
 *
 * Of each resource one watch without selectors should have run from the first write to the last: a deletion's answer
 * does not tell its revision, so the rules learn it from events.
 */
export interface History {
  readonly operations: readonly Operation[];
  readonly listings: readonly Listing[];
  readonly sessions: readonly Session[];
  /** Forced compactions, and up to which revision. */
  readonly compactions: readonly { readonly at: number; readonly revision: number }[];
  /** When each revision became durable, where that is known. */
  readonly durable: ReadonlyMap<number, number>;
  /** The newest revision of the server when everything was over. */
  readonly newest: number;
  /** As many of the newest changes as a server must remember, whatever else it forgets. */
  readonly remembered: number;
  /** Whether objects of these resources were written by others than these operations. */
  readonly othersWrite: boolean;
}

/** What is listed or watched. */
export interface Scope {
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly labels: LabelSelector | undefined;
  readonly fields: FieldSelector | undefined;
}

/** A request for one object, `resource namespace/name`. */
export interface Operation {
  readonly type: "create" | "read" | "update" | "apply" | "delete";
  readonly key: string;
  readonly began: number;
  /** Infinity when there was no answer. */
  readonly ended: number;
  /** The resourceVersion that it was conditional on. */
  readonly expected?: number;
  /** Of an apply: who applies what. Equal intents are equal requests. */
  readonly intent?: string;
  readonly outcome: Outcome;
}

/** `unknown`: nobody answered, so it may have happened, may yet, or never will. */
export type Outcome =
  | { readonly kind: "object"; readonly object: JsonObject }
  | { readonly kind: "removed" | "unknown" }
  | { readonly kind: "refused"; readonly reason: string };

/** One list with all its pages. */
export interface Listing {
  readonly scope: Scope;
  readonly began: number;
  readonly ended: number;
  /** The resourceVersion that was asked for; undefined: unset. */
  readonly version: number | undefined;
  readonly match: "Exact" | "NotOlderThan" | undefined;
  readonly pages: readonly { readonly revision: number; readonly objects: readonly JsonObject[] }[];
  /** How it ended: `whole`, or with a 410 after its last page. */
  readonly end: "whole" | "expired";
}

/** One watch, from its request to its end. */
export interface Session {
  readonly scope: Scope;
  readonly began: number;
  /** The resourceVersion that was asked for; undefined: unset. */
  readonly from: number | undefined;
  /** Whether the present state comes first. */
  readonly initial: boolean;
  readonly bookmarks: boolean;
  /** Whether the reader took everything at once, so that times tell of the server. */
  readonly prompt: boolean;
  readonly openedMs: number;
  readonly endedMs: number;
  readonly events: readonly Taken[];
  /** It was open, and its reader had nothing more to take, when this was the newest revision. */
  readonly through: number | undefined;
}

/** An event as a reader took it. */
export type Taken = { readonly at: number; readonly ms: number } & (
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: JsonObject }
  | { readonly type: "BOOKMARK"; readonly revision: number; readonly initialEnd: boolean }
  | { readonly type: "ERROR"; readonly code: number }
);

/** A broken rule of the specification of watches and of the objects behind them, V1 to V16. */
export interface Violation {
  readonly rule: `V${number}`;
  readonly message: string;
}

export function keyOf(resource: string, object: JsonObject): string {
  return `${resource} ${textAt(object, "namespace")}/${textAt(object, "name")}`;
}

export function revisionOf(object: JsonObject): number {
  return Number(textAt(object, "resourceVersion"));
}

export function textAt(object: JsonObject, field: string): string {
  const value = getPath(object, "metadata", field);
  return typeof value === "string" ? value : "";
}

export function isDeleting(object: JsonObject): boolean {
  return textAt(object, "deletionTimestamp") !== "";
}

export function finalizersOf(object: JsonObject): number {
  const value = getPath(object, "metadata", "finalizers");
  return isArray(value) ? value.length : 0;
}

/** Whether a watch or list of this scope shows an object. */
export function selects(scope: Scope, key: string, object: JsonObject): boolean {
  const prefix = `${scope.resource} ${scope.namespace === undefined ? "" : `${scope.namespace}/`}`;
  if (!key.startsWith(prefix)) return false;
  const labels = getPath(object, "metadata", "labels");
  if (scope.labels !== undefined && !matchesLabels(scope.labels, isObject(labels) ? labels : undefined)) return false;
  return (scope.fields ?? []).every(({ field, value, equals }) => {
    const metadata = getOwn(object, "metadata");
    const own = isObject(metadata) ? getOwn(metadata, field.replace(/^metadata\./, "")) : undefined;
    return (own === value) === equals;
  });
}

import type { HttpHeaders, HttpRequest } from "@fairlead/base";
import type { ResourceVersion, Uid } from "@fairlead/apimachinery";
import { encodeJson, LENIENT } from "./encode.js";
import { pathSegment, query } from "./path.js";

/**
 * Requests as pure data, one function per verb. A path comes from `collectionPath` or `objectPath`, so that an Api can
 * keep the fixed part of it.
 */

/** What can be said of every call. */
export interface CallOptions {
  /** Aborting it ends the call with `signal.reason`. */
  readonly signal?: AbortSignal;
}

/** What a list or a watch is restricted to. */
export interface Selection {
  /** As in kubectl: `app=web,tier in (a,b)`. */
  readonly labelSelector?: string;
  /** E.g. `spec.nodeName=node-1`; which fields are selectable depends on the kind. */
  readonly fieldSelector?: string;
}

export interface ListParams extends Selection {
  /** Objects a page at most. */
  readonly limit?: number;
  /** The token of the page before. */
  readonly continue?: string;
  /** Absent: the newest state. `"0"`: any state, possibly an old one. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
}

export interface WatchParams extends Selection {
  /** Where to go on from: the version of a list, an event or a bookmark. */
  readonly resourceVersion?: string;
  /** After how many seconds the server ends the watch. */
  readonly timeoutSeconds?: number;
  /** Whether the server may send bookmarks; they are asked for by default. */
  readonly bookmarks?: "ask" | "none";
  /** Asks for the present objects as ADDED events first, ended by a bookmark (KEP-3157). */
  readonly sendInitialEvents?: boolean;
}

/** What can be said of every write. */
export interface WriteParams {
  /** Who is recorded in managedFields. */
  readonly fieldManager?: string | undefined;
  /** Answers as if it had been done, and does nothing. */
  readonly dryRun?: boolean | undefined;
  /** What the server does about unknown and duplicate fields; its own default is `Warn`. */
  readonly fieldValidation?: "Strict" | "Warn" | "Ignore" | undefined;
}

export type PropagationPolicy = "foreground" | "background" | "orphan";

/** The object that must be there for a write to happen. */
export interface Preconditions {
  readonly uid?: Uid | undefined;
  readonly resourceVersion?: ResourceVersion | undefined;
}

export interface DeleteParams {
  readonly propagation?: PropagationPolicy | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly preconditions?: Preconditions | undefined;
  readonly dryRun?: boolean | undefined;
}

/** How the server reads the body of a patch. */
export type PatchType = "apply" | "merge" | "json" | "strategic";

const CONTENT_TYPE: Readonly<Record<PatchType, string>> = {
  apply: "application/apply-patch+yaml",
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
};

const ACCEPT: HttpHeaders = Object.freeze({ accept: "application/json" });
const SEND_JSON: HttpHeaders = Object.freeze({ accept: "application/json", "content-type": "application/json" });
const PATCH_HEADERS: ReadonlyMap<PatchType, HttpHeaders> = new Map(
  (Object.keys(CONTENT_TYPE) as PatchType[]).map((type) => [
    type,
    Object.freeze({ accept: "application/json", "content-type": CONTENT_TYPE[type] }),
  ]),
);

export function getRequest(path: string): HttpRequest {
  return { method: "GET", path, headers: ACCEPT };
}

export function listRequest(collection: string, params: ListParams): HttpRequest {
  const path = `${collection}${query({
    labelSelector: params.labelSelector,
    fieldSelector: params.fieldSelector,
    limit: params.limit,
    continue: params.continue,
    resourceVersion: params.resourceVersion,
    resourceVersionMatch: params.resourceVersionMatch,
  })}`;
  return { method: "GET", path, headers: ACCEPT };
}

export function watchRequest(collection: string, params: WatchParams): HttpRequest {
  const path = `${collection}${query({
    watch: true,
    labelSelector: params.labelSelector,
    fieldSelector: params.fieldSelector,
    resourceVersion: params.resourceVersion,
    resourceVersionMatch: params.sendInitialEvents === true ? "NotOlderThan" : undefined,
    sendInitialEvents: params.sendInitialEvents,
    allowWatchBookmarks: params.bookmarks !== "none",
    timeoutSeconds: params.timeoutSeconds,
  })}`;
  return { method: "GET", path, headers: ACCEPT };
}

/** Creates an object, or posts to a subresource when `path` ends in one. */
export function postRequest(path: string, body: unknown, params: WriteParams): HttpRequest {
  return { method: "POST", path: `${path}${writeQuery(params)}`, headers: SEND_JSON, body: encodeJson(body, LENIENT) };
}

/** Replaces an object or a subresource. Only the closed list of writes may use it. */
export function putRequest(path: string, body: unknown, params: WriteParams): HttpRequest {
  return { method: "PUT", path: `${path}${writeQuery(params)}`, headers: SEND_JSON, body: encodeJson(body, LENIENT) };
}

/** @param body - JSON text, already checked by the rules of its patch type. */
export function patchRequest(
  path: string,
  patch: { readonly type: PatchType; readonly body: string; readonly force?: boolean },
  params: WriteParams,
): HttpRequest {
  const at = `${path}${query({
    dryRun: params.dryRun === true ? "All" : undefined,
    force: patch.type === "apply" ? patch.force : undefined,
    fieldManager: params.fieldManager,
    fieldValidation: params.fieldValidation,
  })}`;
  return { method: "PATCH", path: at, headers: PATCH_HEADERS.get(patch.type) ?? SEND_JSON, body: patch.body };
}

export function deleteRequest(path: string, params: DeleteParams): HttpRequest {
  const body = deleteBody(params);
  return body === undefined
    ? { method: "DELETE", path, headers: ACCEPT }
    : { method: "DELETE", path, headers: SEND_JSON, body };
}

export function deleteCollectionRequest(collection: string, selection: Selection, params: DeleteParams): HttpRequest {
  return deleteRequest(
    `${collection}${query({ labelSelector: selection.labelSelector, fieldSelector: selection.fieldSelector })}`,
    params,
  );
}

/** The path of a subresource: `…/pods/web-0/eviction`. */
export function subresourcePath(path: string, subresource: string): string {
  return `${path}/${pathSegment(subresource, "subresource")}`;
}

const PROPAGATION: Readonly<Record<PropagationPolicy, string>> = {
  foreground: "Foreground",
  background: "Background",
  orphan: "Orphan",
};

/** The DeleteOptions of a request; undefined when nothing is asked for. */
export function deleteOptions(params: DeleteParams): Readonly<Record<string, unknown>> | undefined {
  const { propagation, gracePeriodSeconds, preconditions, dryRun } = params;
  if (propagation === undefined && gracePeriodSeconds === undefined && preconditions === undefined && dryRun !== true) {
    return undefined;
  }
  return {
    apiVersion: "v1",
    kind: "DeleteOptions",
    ...(propagation === undefined ? {} : { propagationPolicy: PROPAGATION[propagation] }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(dryRun === true ? { dryRun: ["All"] } : {}),
  };
}

function deleteBody(params: DeleteParams): string | undefined {
  const options = deleteOptions(params);
  return options === undefined ? undefined : encodeJson(options, LENIENT);
}

function writeQuery(params: WriteParams): string {
  return query({
    dryRun: params.dryRun === true ? "All" : undefined,
    fieldManager: params.fieldManager,
    fieldValidation: params.fieldValidation,
  });
}

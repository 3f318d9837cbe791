import type { Node } from "../kinds/kinds.js";
import { FairleadError, type JsonObject } from "@fairlead/base";
import {
  formatKey,
  isStatus,
  keyOf,
  type Condition,
  type KubernetesObject,
  type OwnerReference,
  type Uid,
} from "@fairlead/apimachinery";
import { asObject, connectionOf, send, type Api, type Target } from "../api/api.js";
import { WriteHandle, type WriteInfo } from "../api/write-handle.js";
import { encodeJson, LENIENT } from "../request/encode.js";
import { patchRequest, type CallOptions, type PatchType } from "../request/request.js";

/**
 * Edits of lists that several writers share: finalizers, owner references, conditions. Each changes one entry and is
 * bound to what was read, so that it cannot drop a stranger's. Maps (labels, annotations) merge by key and need no such
 * guard.
 */

/** The object is no longer as it was read, and nothing was changed: read it again and decide again. */
export class StaleObjectError extends FairleadError {
  constructor(what: string, options: { readonly cause: unknown }) {
    super(
      "StaleObject",
      `${what}: the object changed since it was read, and nothing was done. Read it again and retry`,
      options,
    );
  }
}

/** An entry of a JSON patch (RFC 6902). */
interface Operation {
  readonly op: "test" | "add" | "remove" | "replace";
  readonly path: string;
  readonly value?: unknown;
}

/**
 * Puts a finalizer on an object; one that is there already is not written again.
 *
 * @param object - As read; a deleting object is refused by the server (422).
 * @throws StaleObjectError when the object changed meanwhile.
 */
export function addFinalizer<T extends KubernetesObject>(
  api: Api<T>,
  object: T,
  finalizer: string,
  options: CallOptions = {},
): WriteHandle<T> {
  const held = object.metadata.finalizers ?? [];
  if (held.includes(finalizer)) return unchanged(api, object);
  return editList(api, object, { list: "finalizers", held, add: finalizer }, options);
}

/**
 * Takes one finalizer off an object; one that is not there is not written.
 *
 * @throws StaleObjectError when the object changed meanwhile; StatusError `NotFound` when it is gone.
 */
export function removeFinalizer<T extends KubernetesObject>(
  api: Api<T>,
  object: T,
  finalizer: string,
  options: CallOptions = {},
): WriteHandle<T> {
  const held = object.metadata.finalizers ?? [];
  const at = held.indexOf(finalizer);
  if (at < 0) return unchanged(api, object);
  return jsonPatch(
    api,
    object,
    undefined,
    [
      { op: "test", path: `/metadata/finalizers/${at}`, value: finalizer },
      { op: "remove", path: `/metadata/finalizers/${at}` },
    ],
    options,
  );
}

/** Adds an owner, or replaces the reference with the same uid. */
export function setOwnerReference<T extends KubernetesObject>(
  api: Api<T>,
  object: T,
  owner: OwnerReference,
  options: CallOptions = {},
): WriteHandle<T> {
  const held = object.metadata.ownerReferences ?? [];
  const at = held.findIndex((one) => one.uid === owner.uid);
  if (at < 0) return editList(api, object, { list: "ownerReferences", held, add: owner }, options);
  return jsonPatch(
    api,
    object,
    undefined,
    [
      { op: "test", path: `/metadata/ownerReferences/${at}/uid`, value: owner.uid },
      { op: "replace", path: `/metadata/ownerReferences/${at}`, value: owner },
    ],
    options,
  );
}

/** Removes the reference to the owner with this uid; none is not written. */
export function removeOwnerReference<T extends KubernetesObject>(
  api: Api<T>,
  object: T,
  owner: Uid,
  options: CallOptions = {},
): WriteHandle<T> {
  const at = (object.metadata.ownerReferences ?? []).findIndex((one) => one.uid === owner);
  if (at < 0) return unchanged(api, object);
  return jsonPatch(
    api,
    object,
    undefined,
    [
      { op: "test", path: `/metadata/ownerReferences/${at}/uid`, value: owner },
      { op: "remove", path: `/metadata/ownerReferences/${at}` },
    ],
    options,
  );
}

/**
 * Adds a condition to the status, or replaces the one of the same type; the others stay as they are. For kinds whose
 * conditions have several writers; a single writer sends its whole list with `mergeStatus`.
 */
export function setStatusCondition<T extends KubernetesObject>(
  api: Api<T>,
  object: T,
  condition: Condition,
  options: CallOptions = {},
): WriteHandle<T> {
  const status = (object as { readonly status?: { readonly conditions?: readonly Condition[] } }).status;
  const held = status?.conditions ?? [];
  const at = held.findIndex((one) => one.type === condition.type);
  if (at >= 0) {
    return jsonPatch(
      api,
      object,
      "status",
      [
        { op: "test", path: `/status/conditions/${at}/type`, value: condition.type },
        { op: "replace", path: `/status/conditions/${at}`, value: condition },
      ],
      options,
    );
  }
  if (held.length > 0)
    return jsonPatch(api, object, "status", [{ op: "add", path: "/status/conditions/-", value: condition }], options);
  return mergePatch(
    api,
    keyOf(object),
    "status",
    { metadata: guardOf(object), status: { conditions: [condition] } },
    options,
  );
}

/** Sets annotations by key, and removes those given as null; others stay. */
export function setAnnotations<T extends KubernetesObject>(
  api: Api<T>,
  target: Target,
  annotations: Readonly<Record<string, string | null>>,
  options: CallOptions & { readonly precondition?: { readonly resourceVersion?: string; readonly uid?: string } } = {},
): WriteHandle<T> {
  return mergePatch(api, target, undefined, { metadata: { ...options.precondition, annotations } }, options);
}

/** Sets labels by key, and removes those given as null; others stay. */
export function setLabels<T extends KubernetesObject>(
  api: Api<T>,
  target: Target,
  labels: Readonly<Record<string, string | null>>,
  options: CallOptions & { readonly precondition?: { readonly resourceVersion?: string; readonly uid?: string } } = {},
): WriteHandle<T> {
  return mergePatch(api, target, undefined, { metadata: { ...options.precondition, labels } }, options);
}

/** One taint of a node; its key and effect together name it. */
export type Taint = NonNullable<NonNullable<Node["spec"]>["taints"]>[number];

/** Taints to add and to remove, by key and effect. */
export interface TaintChange {
  readonly add: readonly Taint[];
  readonly remove: readonly Pick<Taint, "key" | "effect">[];
}

/**
 * Adds and removes taints of a node by key and effect; everybody else's stay. What is there already is not written.
 *
 * @param node - As read: the list is atomic, so the write is bound to that version.
 * @throws StaleObjectError when the node changed meanwhile.
 */
export function editTaints(
  api: Api<Node>,
  node: Node,
  change: TaintChange,
  options: CallOptions = {},
): WriteHandle<Node> {
  const held = node.spec?.taints ?? [];
  const same = (a: Pick<Taint, "key" | "effect">, b: Pick<Taint, "key" | "effect">): boolean =>
    a.key === b.key && a.effect === b.effect;
  const kept = held.filter((taint) => !change.remove.some((removed) => same(taint, removed)));
  const added = change.add.filter((taint) => !kept.some((other) => same(other, taint)));
  if (added.length === 0 && kept.length === held.length) return unchanged(api, node);
  const taints = [...kept, ...added];
  const body = { metadata: guardOf(node), spec: { taints: taints.length === 0 ? null : taints } };
  return mergePatch(api, keyOf(node), undefined, body, options);
}

/** Appends to a list of metadata. The first entry has no list to append to, so it is bound to the object's version. */
function editList<T extends KubernetesObject>(
  api: Api<T>,
  object: T,
  edit: { readonly list: "finalizers" | "ownerReferences"; readonly held: readonly unknown[]; readonly add: unknown },
  options: CallOptions,
): WriteHandle<T> {
  if (edit.held.length > 0) {
    return jsonPatch(
      api,
      object,
      undefined,
      [{ op: "add", path: `/metadata/${edit.list}/-`, value: edit.add }],
      options,
    );
  }
  return mergePatch(
    api,
    keyOf(object),
    undefined,
    { metadata: { ...guardOf(object), [edit.list]: [edit.add] } },
    options,
  );
}

function guardOf(object: KubernetesObject): JsonObject {
  const { uid, resourceVersion } = object.metadata;
  return { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
}

function jsonPatch<T extends KubernetesObject>(
  api: Api<T>,
  object: T,
  subresource: "status" | undefined,
  operations: readonly Operation[],
  options: CallOptions,
): WriteHandle<T> {
  const { uid } = object.metadata;
  const guarded = uid === undefined ? operations : [{ op: "test", path: "/metadata/uid", value: uid }, ...operations];
  return patch(api, keyOf(object), subresource, { type: "json", body: guarded, options });
}

function mergePatch<T extends KubernetesObject>(
  api: Api<T>,
  target: Target,
  subresource: "status" | undefined,
  body: unknown,
  options: CallOptions,
): WriteHandle<T> {
  return patch(api, target, subresource, { type: "merge", body, options });
}

function patch<T extends KubernetesObject>(
  api: Api<T>,
  target: Target,
  subresource: "status" | undefined,
  edit: { readonly type: PatchType; readonly body: unknown; readonly options: CallOptions },
): WriteHandle<T> {
  const sent = send<T>(api, {
    verb: "patch",
    target,
    subresource,
    signal: edit.options.signal,
    request: (path) =>
      patchRequest(
        path,
        { type: edit.type, body: encodeJson(edit.body, LENIENT) },
        { fieldManager: connectionOf(api).fieldManager },
      ),
    decode: asObject,
  });
  return sent.mapError((error) =>
    isStale(error, edit.type) ? new StaleObjectError(describe(sent.info), { cause: error }) : error,
  );
}

/** A stale version is a Conflict; a `test` that fails is reported as Invalid without causes. */
function isStale(error: unknown, type: PatchType): boolean {
  if (isStatus(error, "Conflict")) return true;
  return type === "json" && isStatus(error, "Invalid") && (error.status.details?.causes ?? []).length === 0;
}

function describe(info: WriteInfo): string {
  return `patch ${info.kind.kind} ${info.key === undefined ? "" : formatKey(info.key)}`;
}

function unchanged<T extends KubernetesObject>(api: Api<T>, object: T): WriteHandle<T> {
  const info: WriteInfo = { verb: "patch", kind: api.kind, key: keyOf(object), dryRun: false };
  return WriteHandle.done(info, object);
}

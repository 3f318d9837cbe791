import { FairleadError } from "@fairlead/base";
import type { KubernetesObject } from "@fairlead/apimachinery";
import { asObject, connectionOf, send, type Api, type Target } from "../api/api.js";
import type { WriteHandle } from "../api/write-handle.js";
import { assertEncodable, encodeJson, LENIENT } from "../request/encode.js";
import { patchRequest } from "../request/request.js";
import type { ResourceKind } from "../request/resource-kind.js";

/**
 * The first of the two patch postures: a merge patch (RFC 7396) of `/status`, last write wins per path. Objects merge,
 * arrays and scalars replace, null removes, what is absent stays.
 */

export interface MergeStatusOptions {
  /** Who is recorded in managedFields; the client's own by default. */
  readonly fieldManager?: string;
  readonly dryRun?: boolean;
  /** `strategic` merges lists by their keys; only built-in kinds have them. */
  readonly strategy?: "merge" | "strategic";
  /** Refuses the write with `Conflict` when the object is no longer at this version. */
  readonly precondition?: { readonly resourceVersion: string };
  readonly signal?: AbortSignal;
  /** Keeps the parameters of an apply out: a merge cannot be forced. */
  readonly verb?: never;
  readonly force?: never;
}

/** A write that the server would refuse, or do otherwise than meant; nothing was sent. */
export class PostureError extends FairleadError {
  constructor(message: string) {
    super("Posture", message);
  }
}

/**
 * The body of a status merge: the value under the one key `status`, and nothing beside it. The value is checked, not
 * copied; the wrapper is frozen.
 *
 * @throws TypeError for undefined, which would send an empty body.
 * @throws PostureError for null, which would remove the whole status, unless `allowStatusRemoval`.
 * @throws EncodingError with the path of what JSON would change silently: NaN, Map, undefined in a list, …
 */
export function mergeStatusBody<S>(
  status: S,
  options: { readonly allowStatusRemoval?: boolean } = {},
): Readonly<{ status: S }> {
  if (status === undefined)
    throw new TypeError("A status of undefined would send an empty body; send what should change");
  if (status === null && options.allowStatusRemoval !== true) {
    throw new PostureError("A status of null removes the whole status; say allowStatusRemoval if that is meant");
  }
  const body = { status };
  assertEncodable(body, LENIENT);
  return Object.freeze(body);
}

/**
 * Merges `status` into the status of one object, through its `/status` subresource and touching nothing else. A field
 * is cleared by an explicit null, a list is replaced whole.
 *
 * @returns the whole object as the server then has it.
 * @throws StatusError unchanged; nothing is retried or swallowed.
 */
export function mergeStatus<K extends KubernetesObject, S>(
  api: Api<K>,
  name: Target,
  status: S,
  options: MergeStatusOptions = {},
): WriteHandle<K> {
  const strategy = options.strategy ?? "merge";
  if (strategy === "strategic" && !isBuiltIn(api.kind)) {
    throw new PostureError(
      `${api.kind.kind} is a custom kind; the server merges its lists only by replacement. Use strategy "merge"`,
    );
  }
  const { precondition } = options;
  const composed = mergeStatusBody(status);
  const body =
    precondition === undefined
      ? composed
      : { metadata: { resourceVersion: precondition.resourceVersion }, ...composed };
  return send<K>(api, {
    verb: "patch",
    target: name,
    subresource: "status",
    dryRun: options.dryRun,
    signal: options.signal,
    request: (path) =>
      patchRequest(
        path,
        { type: strategy, body: encodeJson(body, LENIENT) },
        { dryRun: options.dryRun, fieldManager: options.fieldManager ?? connectionOf(api).fieldManager },
      ),
    decode: asObject,
  });
}

/** Whether a kind is Kubernetes' own, by its group: those of custom kinds hold a dot and do not end in `.k8s.io`. */
export function isBuiltIn(kind: Pick<ResourceKind, "group">): boolean {
  return (
    !kind.group.includes(".") ||
    /^(networking|discovery|rbac\.authorization|coordination|storage|scheduling|apiextensions|admissionregistration|apiregistration|certificates|node|events|authentication|authorization|flowcontrol\.apiserver|resource)\.k8s\.io$/.test(
      kind.group,
    )
  );
}

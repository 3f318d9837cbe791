import { isStatus, type KubernetesObject, type ResourceVersion } from "@fairlead/apimachinery";
import { asObject, connectionOf, send, type Api } from "../api/api.js";
import type { Client } from "../api/client.js";
import { FieldManagerError } from "../api/field-manager.js";
import { WriteHandle } from "../api/write-handle.js";
import { encodeJson, LENIENT } from "../request/encode.js";
import { patchRequest } from "../request/request.js";
import { applyPatchParams, unforcedApplyParams, type ApplyParams, type UnforcedApplyParams } from "./apply-params.js";
import { ApplyConflictError, fieldConflicts, withoutField, type FieldConflict } from "./conflict.js";
import type { OwnedPaths } from "./owned-paths.js";
import { hasPath, withPath, type OwnedPath } from "./path.js";

/** The second of the two patch postures: server-side apply of exactly the declared paths. */

export interface ApplyOptions {
  readonly dryRun?: boolean;
  /** What the server does about unknown fields; its own default is `Warn`. */
  readonly fieldValidation?: "Strict" | "Warn" | "Ignore";
  /** Refuses the write with `Conflict` when the object is no longer at this version. */
  readonly precondition?: { readonly resourceVersion: string };
  readonly signal?: AbortSignal;
}

/**
 * Sends one apply. Most callers want `applyOwned`, which also decides about conflicts.
 *
 * @param params - From `applyPatchParams`, or `unforcedApplyParams` to be refused with `Conflict`.
 */
export function apply<T extends KubernetesObject>(
  api: Api<T>,
  owned: OwnedPaths<T>,
  params: ApplyParams | UnforcedApplyParams,
  options: ApplyOptions = {},
): WriteHandle<T> {
  const { precondition } = options;
  return send<T>(api, {
    verb: "apply",
    target: owned.key,
    subresource: owned.subresource,
    dryRun: options.dryRun,
    signal: options.signal,
    request: (path) => {
      const body =
        precondition === undefined ? owned.body : withPath(owned.body, VERSION_STEPS, precondition.resourceVersion);
      return patchRequest(
        path,
        { type: "apply", force: params.force, body: encodeJson(body, LENIENT) },
        { dryRun: options.dryRun, fieldManager: params.fieldManager, fieldValidation: options.fieldValidation },
      );
    },
    decode: asObject,
  });
}

const VERSION_STEPS = [
  { kind: "field", name: "metadata" },
  { kind: "field", name: "resourceVersion" },
] as const;

/**
 * What happens when another manager owns a field with another value. `report`: nothing is changed, ApplyConflictError.
 * `take`: the field is taken (`force`). `yield`: the field is left to its owner, the rest is applied.
 */
export type OnConflict = "report" | "take" | "yield";

export interface ApplyOwnedOptions extends ApplyOptions {
  /** `report` by default. */
  readonly onConflict?: OnConflict;
  /** The client's by default. */
  readonly fieldManager?: string;
}

/** What an apply came to. */
export interface Applied<T> {
  readonly object: T;
  /** Fields that were left to their owners; only with `yield`. */
  readonly yielded: readonly FieldConflict[];
  /** Cleared paths that the apply left behind (as null, `{}`, or another manager's value) and a merge patch removed. */
  readonly forceCleared: readonly string[];
}

/** Applies of one `yield` at most: each round may meet conflicts that the one before hid. */
const MAX_ROUNDS = 4;

/**
 * Applies a checked body as its owner. Fields that were in this manager's last apply and are not in this one are given
 * up: removed unless another manager owns them too.
 *
 * Clearing: null is applied, and a path that the answer still has is then removed by one merge patch of that path alone,
 * bound to the answer's version (a concurrent write makes it fail with `Conflict`). Afterwards nobody owns the path.
 *
 * @throws ApplyConflictError with `report`.
 * @throws StatusError for everything else.
 */
export function applyOwned<T extends KubernetesObject>(
  client: Client,
  owned: OwnedPaths<T>,
  options: ApplyOwnedOptions = {},
): WriteHandle<Applied<T>> {
  const manager = options.fieldManager ?? client.fieldManager;
  if (manager === undefined)
    throw new FieldManagerError("An apply needs a field manager; make the client with one, or use client.as(name)");
  const api = client.api(owned.kind, owned.key.namespace);
  const info = {
    verb: "apply",
    kind: owned.kind,
    key: owned.key,
    subresource: owned.subresource,
    dryRun: options.dryRun === true,
  } as const;
  const handle = new WriteHandle<Applied<T>>(info, async () => {
    const { object, yielded } = await applyRounds(api, owned, manager, options);
    const left = options.dryRun === true ? [] : owned.clear.filter((path) => hasPath(object, path.steps));
    if (left.length === 0) return { object, yielded, forceCleared: [] };
    return {
      object: await clearPaths(api, object, left, options),
      yielded,
      forceCleared: left.map((path) => path.text),
    };
  });
  connectionOf(api).observer?.created(handle);
  return handle;
}

async function applyRounds<T extends KubernetesObject>(
  api: Api<T>,
  owned: OwnedPaths<T>,
  manager: string,
  options: ApplyOwnedOptions,
): Promise<{ readonly object: T; readonly yielded: readonly FieldConflict[] }> {
  const params = options.onConflict === "take" ? applyPatchParams(manager) : unforcedApplyParams(manager);
  let sent = owned;
  const yielded: FieldConflict[] = [];
  for (let round = 1; ; round++) {
    try {
      return { object: await apply(api, sent, params, options), yielded };
    } catch (error) {
      if (!isStatus(error, "Conflict")) throw error;
      const conflicts = fieldConflicts(error);
      if (conflicts.length === 0) throw error;
      if (options.onConflict !== "yield" || round === MAX_ROUNDS)
        throw new ApplyConflictError(owned, manager, conflicts, error);
      const body = conflicts.reduce((left, conflict) => withoutField(left, conflict.field), sent.body);
      if (body === sent.body) throw new ApplyConflictError(owned, manager, conflicts, error);
      sent = { ...sent, body };
      yielded.push(...conflicts);
    }
  }
}

/** One merge patch that removes these paths from the object as it was read, and touches nothing else. */
function clearPaths<T extends KubernetesObject>(
  api: Api<T>,
  object: T,
  paths: readonly OwnedPath[],
  options: { readonly signal?: AbortSignal },
): WriteHandle<T> {
  const { name, namespace, resourceVersion } = object.metadata;
  const guard = { metadata: { resourceVersion: resourceVersion ?? ("" as ResourceVersion) } };
  const body = paths.reduce<Parameters<typeof withPath>[0]>((value, path) => withPath(value, path.steps, null), guard);
  return send<T>(api, {
    verb: "patch",
    target: namespace === undefined ? { name } : { namespace, name },
    signal: options.signal,
    request: (path) =>
      patchRequest(
        path,
        { type: "merge", body: encodeJson(body, LENIENT) },
        { fieldManager: connectionOf(api).fieldManager },
      ),
    decode: asObject,
  });
}

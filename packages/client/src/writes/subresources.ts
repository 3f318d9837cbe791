import { formatKey, keyOf, type KubernetesObject } from "@fairlead/apimachinery";
import { asObject, connectionOf, send, type Api, type Target } from "../api/api.js";
import type { WriteHandle } from "../api/write-handle.js";
import { encodeJson, LENIENT } from "../request/encode.js";
import { readJson, ResponseError } from "../request/response.js";
import { RequestError } from "../request/path.js";
import {
  deleteOptions,
  getRequest,
  patchRequest,
  postRequest,
  putRequest,
  subresourcePath,
  type CallOptions,
  type DeleteParams,
} from "../request/request.js";
import { never } from "@fairlead/base";
import type { Event, Lease, Namespace, Pod, ServiceAccount } from "../kinds/kinds.js";

/** The closed list of writes that are neither a status merge nor an apply, beside creation, deletion and keyed edits. */

const nameOf = (target: Target): string => (typeof target === "string" ? target : target.name);

/**
 * Asks for a pod to be evicted, which respects disruption budgets.
 *
 * @throws StatusError `TooManyRequests` while a budget forbids it.
 */
export function evict(api: Api<Pod>, target: Target, options: CallOptions & DeleteParams = {}): WriteHandle<void> {
  return send(api, {
    verb: "create",
    target,
    subresource: "eviction",
    dryRun: options.dryRun,
    signal: options.signal,
    request: () => {
      const asked = deleteOptions(options);
      const body = {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: metadataOf(api, target),
        ...(asked === undefined ? {} : { deleteOptions: asked }),
      };
      return postRequest(subresourcePath(api.path(target), "eviction"), body, {});
    },
    decode: () => undefined,
  });
}

/**
 * Assigns a pod to a node.
 *
 * @throws StatusError `Conflict` when it is assigned already, or is another pod than `uid` says.
 */
export function bindPod(
  api: Api<Pod>,
  target: Target,
  node: string,
  options: CallOptions & { readonly uid?: string } = {},
): WriteHandle<void> {
  return send(api, {
    verb: "create",
    target,
    subresource: "binding",
    signal: options.signal,
    request: () => {
      const metadata = { ...metadataOf(api, target), ...(options.uid === undefined ? {} : { uid: options.uid }) };
      const body = {
        apiVersion: "v1",
        kind: "Binding",
        metadata,
        target: { apiVersion: "v1", kind: "Node", name: node },
      };
      return postRequest(subresourcePath(api.path(target), "binding"), body, {
        fieldManager: connectionOf(api).fieldManager,
      });
    },
    decode: () => undefined,
  });
}

/** What a service account's token is to be good for. */
export interface TokenSpec {
  readonly audiences?: readonly string[];
  readonly expirationSeconds?: number;
  readonly boundObjectRef?: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly uid?: string;
  };
}

export interface Token {
  readonly token: string;
  readonly expirationTimestamp: string;
}

/** Has a token made for a service account. */
export function requestToken(
  api: Api<ServiceAccount>,
  target: Target,
  spec: TokenSpec,
  options: CallOptions = {},
): WriteHandle<Token> {
  return send(api, {
    verb: "create",
    target,
    subresource: "token",
    signal: options.signal,
    request: () =>
      postRequest(
        subresourcePath(api.path(target), "token"),
        { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { audiences: [], ...spec } },
        {},
      ),
    decode: (answer) => {
      const { status } = answer as { readonly status?: Token };
      if (status === undefined)
        throw new ResponseError(`create token ${nameOf(target)}: the server answered no token`, 200);
      return status;
    },
  });
}

/** autoscaling/v1 Scale, as far as it is used. */
export interface Scale extends KubernetesObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas: number; readonly selector?: string };
}

/** The scale of a workload of any kind that has one. */
export async function getScale<T extends KubernetesObject>(
  api: Api<T>,
  target: Target,
  options: CallOptions = {},
): Promise<Scale> {
  const request = getRequest(subresourcePath(api.path(target), "scale"));
  return (await readJson(
    await connectionOf(api).transport(request, options.signal ?? never),
    `get scale ${nameOf(target)}`,
  )) as Scale;
}

/** Sets the number of replicas through `/scale`, and nothing else. */
export function scale<T extends KubernetesObject>(
  api: Api<T>,
  target: Target,
  replicas: number,
  options: CallOptions = {},
): WriteHandle<Scale> {
  return send<Scale>(api, {
    verb: "patch",
    target,
    subresource: "scale",
    signal: options.signal,
    request: (path) =>
      patchRequest(
        path,
        { type: "merge", body: encodeJson({ spec: { replicas } }, LENIENT) },
        { fieldManager: connectionOf(api).fieldManager },
      ),
    decode: asObject,
  });
}

/**
 * Replaces the finalizers of a terminating namespace, the one thing that `/finalize` changes. Without any left, the
 * namespace goes away.
 *
 * @param namespace - As read: its version guards the write.
 * @throws StatusError `Conflict` when it changed meanwhile.
 */
export function finalizeNamespace(
  api: Api<Namespace>,
  namespace: Namespace,
  finalizers: readonly string[],
  options: CallOptions = {},
): WriteHandle<Namespace> {
  const { managedFields: _, ...metadata } = namespace.metadata;
  return send<Namespace>(api, {
    verb: "update",
    target: keyOf(namespace),
    subresource: "finalize",
    signal: options.signal,
    request: (path) =>
      putRequest(
        path,
        { apiVersion: "v1", kind: "Namespace", metadata, spec: { finalizers } },
        { fieldManager: connectionOf(api).fieldManager },
      ),
    decode: asObject,
  });
}

/**
 * Replaces a lease. The one kind that is updated whole: a lease is a compare-and-swap register with one writer at a time.
 *
 * @param lease - As read, with its `resourceVersion`; without one it is refused, since it would overwrite blindly.
 * @throws StatusError `Conflict` when another holder wrote it meanwhile.
 */
export function updateLease(api: Api<Lease>, lease: Lease, options: CallOptions = {}): WriteHandle<Lease> {
  if (lease.metadata.resourceVersion === undefined) {
    throw new RequestError(`Lease ${formatKey(keyOf(lease))} has no resourceVersion; update the one that was read`);
  }
  const { managedFields: _, ...metadata } = lease.metadata;
  return send<Lease>(api, {
    verb: "update",
    target: keyOf(lease),
    signal: options.signal,
    request: (path) =>
      putRequest(
        path,
        { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec: lease.spec ?? {} },
        { fieldManager: connectionOf(api).fieldManager },
      ),
    decode: asObject,
  });
}

/** Counts one more occurrence of an event that was recorded before. */
export function countEvent(
  api: Api<Event>,
  target: Target,
  seen: { readonly count: number; readonly lastTimestamp: string; readonly message?: string },
  options: CallOptions = {},
): WriteHandle<Event> {
  return send<Event>(api, {
    verb: "patch",
    target,
    signal: options.signal,
    request: (path) =>
      patchRequest(
        path,
        { type: "merge", body: encodeJson(seen, LENIENT) },
        { fieldManager: connectionOf(api).fieldManager },
      ),
    decode: asObject,
  });
}

function metadataOf<T extends KubernetesObject>(
  api: Api<T>,
  target: Target,
): { readonly name: string; readonly namespace?: string } {
  const namespace = typeof target === "string" ? api.namespace : (target.namespace ?? api.namespace);
  return namespace === undefined ? { name: nameOf(target) } : { name: nameOf(target), namespace };
}

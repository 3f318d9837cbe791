import type { KubernetesObject } from "@fairlead/apimachinery";
import type { ResourceKind } from "../request/resource-kind.js";
import type { ApplyConfig, CheckPaths, CheckStatusPaths, OwnedBody } from "./contract-types.js";
import { ContractPathError, parseOwnedPath, type OwnedPath } from "./path.js";

/**
 * Which fields of a kind a controller owns. Bodies are checked against it twice: by the compiler, since B has the
 * declared fields only, and before they are sent.
 */
export interface Contract<T extends KubernetesObject, B = ApplyConfig<T>> {
  readonly kind: ResourceKind<T>;
  readonly subresource: "status" | undefined;
  /** The declared paths in the order given; `whole` owns every path that a body names. */
  readonly owned: readonly OwnedPath[] | "whole";
  /** Carries B in the type; never set. */
  readonly "~body"?: (body: B) => void;
}

/** A contract of whatever kind. */
export type AnyContract = Contract<KubernetesObject, never>;

/** The bodies of a contract. */
export type BodyOf<C> = C extends Contract<infer _T, infer B> ? B : never;

/**
 * Declares the fields that a controller owns of a kind.
 *
 * ```ts
 * const web = owns(kinds.Deployment, "spec.replicas", "spec.template.spec.containers[].image");
 * ```
 *
 * @param paths - See path.ts. A path that the kind's type does not have is a compile-time error; for a DynamicObject any
 *   path is taken.
 * @throws ContractPathError for a path that no controller can own: identity, status, server-set metadata.
 */
export function owns<T extends KubernetesObject, const P extends readonly string[]>(
  kind: ResourceKind<T>,
  ...paths: P & CheckPaths<T, P>
): Contract<T, OwnedBody<T, P[number]>> {
  return contract(kind, undefined, paths);
}

/** Like `owns`, for fields of the status that are applied rather than merged: those that several writers share by key. */
export function ownsStatus<T extends KubernetesObject, const P extends readonly string[]>(
  kind: ResourceKind<T>,
  ...paths: P & CheckStatusPaths<T, P>
): Contract<T, OwnedBody<T, P[number]>> {
  return contract(kind, "status", paths);
}

/**
 * A contract for rendered manifests: whatever path a body names is owned. Status, nulls and server-set metadata, which
 * renderers like to print, are left out of what is sent.
 */
export function wholeObject<T extends KubernetesObject>(
  kind: ResourceKind<T>,
): Contract<T, Readonly<Record<string, unknown>> | ApplyConfig<T>> {
  return Object.freeze({ kind, subresource: undefined, owned: "whole" });
}

function contract<T extends KubernetesObject, B>(
  kind: ResourceKind<T>,
  subresource: "status" | undefined,
  paths: readonly string[],
): Contract<T, B> {
  const owned = paths.map(parseOwnedPath);
  for (const path of owned) checkOwnable(path, subresource);
  return Object.freeze({ kind, subresource, owned: Object.freeze(owned) });
}

/** Members of metadata that a controller may own. */
const OWNABLE_META: ReadonlySet<string> = new Set(["labels", "annotations", "ownerReferences", "finalizers"]);

function checkOwnable(path: OwnedPath, subresource: "status" | undefined): void {
  const [first, second] = path.steps.map((step) => (step.kind === "field" ? step.name : "[]"));
  if (subresource === "status") {
    if (first !== "status" || second === undefined)
      throw new ContractPathError(path.text, "a contract on /status owns fields below status");
    return;
  }
  if (first === "status")
    throw new ContractPathError(path.text, "status is written with mergeStatus, or owned with ownsStatus");
  if (first === "apiVersion" || first === "kind")
    throw new ContractPathError(path.text, "identity is filled in and owned by nobody");
  if (first === "metadata" && (second === undefined || !OWNABLE_META.has(second))) {
    throw new ContractPathError(
      path.text,
      "of metadata only labels, annotations, ownerReferences and finalizers can be owned",
    );
  }
}

import { FairleadError } from "@fairlead/base";
import type { ResourceKind } from "./resource-kind.js";

/** A request that cannot be built from what was given: no name, no namespace, a name that would change the path. */
export class RequestError extends FairleadError {
  constructor(message: string) {
    super("Request", message);
  }
}

type Located = Pick<ResourceKind, "group" | "version" | "resource" | "namespaced" | "kind">;

/**
 * The path of a collection: `/apis/apps/v1/namespaces/default/deployments`.
 *
 * @param namespace - Undefined for a cluster-scoped kind, and for all namespaces of a namespaced one.
 */
export function collectionPath(kind: Located, namespace: string | undefined): string {
  const root = kind.group === "" ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  if (!kind.namespaced || namespace === undefined) return `${root}/${kind.resource}`;
  return `${root}/namespaces/${pathSegment(namespace, "namespace")}/${kind.resource}`;
}

/** The path of one object; a namespaced kind needs its namespace. */
export function objectPath(kind: Located, namespace: string | undefined, name: string): string {
  if (kind.namespaced && (namespace === undefined || namespace === "")) {
    throw new RequestError(
      `${kind.kind} ${name} is namespaced; give its namespace, as { namespace, name } or by api.in(namespace)`,
    );
  }
  return `${collectionPath(kind, namespace)}/${pathSegment(name, "name")}`;
}

/**
 * One name as a part of a path. What a path cannot carry is refused rather than encoded, as Kubernetes does
 * (apimachinery: pkg/api/validation/path/name.go).
 */
export function pathSegment(text: string, what: "name" | "namespace" | "subresource"): string {
  if (PLAIN.test(text) && text !== "." && text !== "..") return text;
  if (text === "") throw new RequestError(`A non-empty ${what} is required`);
  if (text === "." || text === ".." || /[/%]/.test(text)) {
    throw new RequestError(`${JSON.stringify(text)} is no ${what}: it must not be "." or "..", nor hold "/" or "%"`);
  }
  return encodeURIComponent(text);
}

const PLAIN = /^[A-Za-z0-9._-]+$/;

/** A value of a query parameter that was asked for; undefined, false and the empty string are left out. */
export type QueryValue = string | number | boolean | undefined;

/** `?a=1&b=2` in the order given, or the empty string. */
export function query(params: Readonly<Record<string, QueryValue>>): string {
  let out = "";
  for (const key of Object.keys(params)) {
    const value = params[key];
    if (value === undefined || value === false || value === "") continue;
    out += `${out === "" ? "?" : "&"}${key}=${encodeURIComponent(value)}`;
  }
  return out;
}

/** What a path and method ask for (apiserver: pkg/endpoints/request/requestinfo.go). */
export type RequestInfo =
  ResourceRequest | { readonly kind: "path"; readonly path: string; readonly query: URLSearchParams };

export interface ResourceRequest {
  readonly kind: "resource";
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string;
  /** Path segments after the subresource (`proxy` only). */
  readonly rest: readonly string[];
  readonly verb: Verb;
  readonly query: URLSearchParams;
}

export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

const NAMESPACE_SUBRESOURCES = new Set(["status", "finalize"]);

/** Reads a request's path; anything that is not below `/api/v1/…` or `/apis/g/v/…` is a plain path. */
export function requestInfo(method: string, target: string): RequestInfo {
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? "" : target.slice(mark + 1));
  const plain = { kind: "path", path, query } as const;
  const parts = segments(path);
  if (parts === undefined) return plain;
  const [root, ...tail] = parts;
  const [group, version, rest] =
    root === "api"
      ? ["", tail[0], tail.slice(1)]
      : root === "apis"
        ? [tail[0], tail[1], tail.slice(2)]
        : [undefined, undefined, []];
  if (group === undefined || version === undefined || rest.length === 0) return plain;

  let at = rest;
  const watchPrefix = at[0] === "watch" && at.length > 1;
  if (watchPrefix) at = at.slice(1);
  let namespace: string | undefined;
  if (at[0] === "namespaces" && at.length > 2 && !(at.length === 3 && NAMESPACE_SUBRESOURCES.has(at[2] as string))) {
    namespace = at[1];
    at = at.slice(2);
  }
  const [resource = "", name, subresource = "", ...beyond] = at;
  const verb = watchPrefix ? "watch" : verbOf(method, name, query);
  if (verb === undefined) return plain;
  return { kind: "resource", group, version, resource, namespace, name, subresource, rest: beyond, verb, query };
}

function verbOf(method: string, name: string | undefined, query: URLSearchParams): Verb | undefined {
  switch (method) {
    case "GET":
    case "HEAD":
      if (isTrue(query.get("watch"))) return "watch";
      return name === undefined ? "list" : "get";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return name === undefined ? "deletecollection" : "delete";
    default:
      return undefined;
  }
}

function segments(path: string): string[] | undefined {
  try {
    return path
      .split("/")
      .filter((s) => s !== "")
      .map((s) => decodeURIComponent(s));
  } catch {
    return undefined;
  }
}

/** Whether a query value means yes, as Kubernetes' conversion of booleans reads it: anything but empty-not-given, false and 0. */
export function isTrue(value: string | null): boolean {
  return value !== null && value.toLowerCase() !== "false" && value !== "0";
}

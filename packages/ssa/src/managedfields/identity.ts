import { getOwn, type JsonObject } from "@fairlead/base";
import { goQuote } from "@fairlead/apimachinery";

import { goJsonString } from "../value/go-format.js";

/** Whom an entry of managedFields belongs to. Empty strings stand for what is absent. */
export interface ManagerIdentity {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
}

/**
 * The key of a manager: the entry's JSON without fields and time, and without apiVersion for applies, so an applier is
 * the same whatever version it used. Kubernetes sorts conflicts by this text.
 */
export function formatIdentity(identity: ManagerIdentity): string {
  const apiVersion = identity.operation === "Apply" ? "" : identity.apiVersion;
  const members = [
    ["manager", identity.manager],
    ["operation", identity.operation],
    ["apiVersion", apiVersion],
    ["subresource", identity.subresource],
  ] as const;
  return `{${members
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `"${name}":${goJsonString(value)}`)
    .join(",")}}`;
}

/** The inverse of `formatIdentity`, for keys that it made. */
export function parseIdentity(key: string): ManagerIdentity {
  const members = JSON.parse(key) as JsonObject;
  const text = (name: string): string => String(getOwn(members, name) ?? "");
  return {
    manager: text("manager"),
    operation: text("operation") === "Apply" ? "Apply" : "Update",
    apiVersion: text("apiVersion"),
    subresource: text("subresource"),
  };
}

/** `"hpa" with subresource "scale" using apps/v1`, as conflict messages name a manager. */
export function describeManager(key: string): string {
  const identity = parseIdentity(key);
  const subresource = identity.subresource === "" ? "" : ` with subresource ${goQuote(identity.subresource)}`;
  const version = identity.operation === "Update" ? ` using ${identity.apiVersion}` : "";
  return `${goQuote(identity.manager)}${subresource}${version}`;
}

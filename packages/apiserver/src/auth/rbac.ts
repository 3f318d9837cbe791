import { getOwn, isArray, type JsonObject } from "@fairlead/base";

import type { UserInfo } from "../registry/request.js";
import type { Storage } from "../storage/storage.js";
import type { Attributes, Authorizer } from "./authorize.js";

const GROUP = "rbac.authorization.k8s.io";

/** One binding that names a user, with the rules that it grants. */
export interface Grant {
  readonly rules: readonly JsonObject[];
  /** `RoleBinding "b/ns" of Role "r" to User "jane"`, as reasons say it. */
  readonly by: string;
  /** Why there are no rules: the role does not exist. */
  readonly problem?: string;
}

/** What a user is granted: cluster-wide, and in a namespace when one is given. Cluster bindings come first. */
export function* grants(storage: Storage, user: UserInfo, namespace: string | undefined): Generator<Grant> {
  for (const { object } of storage.list(`${GROUP}/clusterrolebindings`, { prefix: "" }))
    yield* grantOf(storage, object, { user, namespace: "" });
  if (namespace === undefined || namespace === "") return;
  for (const { object } of storage.list(`${GROUP}/rolebindings`, { prefix: `${namespace}/` }))
    yield* grantOf(storage, object, { user, namespace });
}

/** RBAC over the roles and bindings that are stored. */
export function rbacAuthorizer(storage: Storage): Authorizer {
  return (user, attributes) => {
    const problems: string[] = [];
    for (const grant of grants(storage, user, attributes.kind === "resource" ? attributes.namespace : undefined)) {
      if (grant.problem !== undefined) problems.push(grant.problem);
      else if (allows(grant.rules, attributes)) return { allowed: true, reason: `RBAC: allowed by ${grant.by}` };
    }
    if (problems.length === 0) return { allowed: false, reason: "" };
    return {
      allowed: false,
      reason: `RBAC: ${problems.length === 1 ? (problems[0] ?? "") : `[${problems.join(", ")}]`}`,
    };
  };
}

/** The rules of the role that a binding names; undefined when there is no such role. */
export function rulesOfRole(
  storage: Storage,
  ref: JsonObject | undefined,
  namespace: string,
): readonly JsonObject[] | undefined {
  const name = String(ref?.["name"] ?? "");
  const role =
    ref?.["kind"] === "Role"
      ? storage.get(`${GROUP}/roles`, `${namespace}/${name}`)
      : storage.get(`${GROUP}/clusterroles`, name);
  return role === undefined ? undefined : list(role.object, "rules");
}

function* grantOf(
  storage: Storage,
  binding: JsonObject,
  { user, namespace }: { readonly user: UserInfo; readonly namespace: string },
): Generator<Grant> {
  const subject = list(binding, "subjects").find((s) => names(s, user, namespace));
  if (subject === undefined) return;
  const ref = binding["roleRef"] as JsonObject | undefined;
  const kind = String(ref?.["kind"] ?? "");
  const name = String(ref?.["name"] ?? "");
  const rules = rulesOfRole(storage, ref, namespace);
  const own = String((binding["metadata"] as JsonObject)["name"]);
  const bound =
    namespace === ""
      ? `ClusterRoleBinding ${JSON.stringify(own)}`
      : `RoleBinding ${JSON.stringify(`${own}/${namespace}`)}`;
  const by = `${bound} of ${kind} ${JSON.stringify(name)} to ${describe(subject, namespace)}`;
  if (rules === undefined)
    yield { rules: [], by, problem: `${kind.toLowerCase()}.${GROUP} ${JSON.stringify(name)} not found` };
  else yield { rules, by };
}

/** Whether a subject is the user, one of its groups, or the service account that it is. */
function names(subject: JsonObject, user: UserInfo, namespace: string): boolean {
  const name = subject["name"];
  switch (subject["kind"]) {
    case "User":
      return name === user.username;
    case "Group":
      return user.groups.includes(String(name));
    case "ServiceAccount":
      return user.username === `system:serviceaccount:${String(subject["namespace"] ?? namespace)}:${String(name)}`;
    default:
      return false;
  }
}

function describe(subject: JsonObject, namespace: string): string {
  const name = String(subject["name"]);
  if (subject["kind"] !== "ServiceAccount") return `${String(subject["kind"])} ${JSON.stringify(name)}`;
  return `ServiceAccount ${JSON.stringify(`${name}/${String(subject["namespace"] ?? namespace)}`)}`;
}

/** Whether one of the rules covers the request. */
export function allows(rules: readonly JsonObject[], attributes: Attributes): boolean {
  return rules.some((rule) => {
    if (!has(rule, "verbs", attributes.verb)) return false;
    if (attributes.kind === "path")
      return texts(rule, "nonResourceURLs").some((url) => matchesPath(url, attributes.path));
    const { group, resource, subresource, name } = attributes;
    const wanted = subresource === "" ? resource : `${resource}/${subresource}`;
    const resources = texts(rule, "resources");
    const given = texts(rule, "resourceNames");
    return (
      has(rule, "apiGroups", group) &&
      (resources.includes("*") ||
        resources.includes(wanted) ||
        (subresource !== "" && resources.includes(`*/${subresource}`))) &&
      (given.length === 0 || (name !== undefined && given.includes(name)))
    );
  });
}

export function matchesPath(pattern: string, path: string): boolean {
  return pattern === "*" || pattern === path || (pattern.endsWith("*") && path.startsWith(pattern.slice(0, -1)));
}

function has(rule: JsonObject, key: string, value: string): boolean {
  const values = texts(rule, key);
  return values.includes("*") || values.includes(value);
}

/** A list of texts of a rule; empty when it is absent. */
export function texts(object: JsonObject, key: string): readonly string[] {
  const value = getOwn(object, key);
  return isArray(value) ? (value as readonly string[]) : [];
}

function list(object: JsonObject, key: string): readonly JsonObject[] {
  const value = getOwn(object, key);
  return isArray(value) ? (value as readonly JsonObject[]) : [];
}

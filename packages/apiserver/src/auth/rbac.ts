import { getOwn, isArray, type JsonObject } from "@fairlead/base";

import type { UserInfo } from "../registry/request.js";
import type { Storage } from "../storage/storage.js";
import type { Attributes, Authorizer } from "./authorize.js";

const GROUP = "rbac.authorization.k8s.io";

/** RBAC over the roles and bindings that are stored: cluster bindings first, then those of the request's namespace. */
export function rbacAuthorizer(storage: Storage): Authorizer {
  return (user, attributes) => {
    for (const { object } of storage.list(`${GROUP}/clusterrolebindings`, { prefix: "" })) {
      if (binds(object, user, "") && allows(rulesOf(storage, object, ""), attributes)) return true;
    }
    const namespace = attributes.kind === "resource" ? attributes.namespace : undefined;
    if (namespace === undefined) return false;
    for (const { object } of storage.list(`${GROUP}/rolebindings`, { prefix: `${namespace}/` })) {
      if (binds(object, user, namespace) && allows(rulesOf(storage, object, namespace), attributes)) return true;
    }
    return false;
  };
}

/** Whether a binding names the user, one of its groups, or the service account that it is. */
function binds(binding: JsonObject, user: UserInfo, namespace: string): boolean {
  return list(binding, "subjects").some((subject) => {
    const name = subject["name"];
    switch (subject["kind"]) {
      case "User":
        return name === "*" || name === user.username;
      case "Group":
        return user.groups.includes(String(name));
      case "ServiceAccount":
        return user.username === `system:serviceaccount:${String(subject["namespace"] ?? namespace)}:${String(name)}`;
      default:
        return false;
    }
  });
}

function rulesOf(storage: Storage, binding: JsonObject, namespace: string): readonly JsonObject[] {
  const ref = binding["roleRef"] as JsonObject | undefined;
  const name = String(ref?.["name"] ?? "");
  const role = ref?.["kind"] === "Role" ? storage.get(`${GROUP}/roles`, `${namespace}/${name}`) : storage.get(`${GROUP}/clusterroles`, name);
  return role === undefined ? [] : list(role.object, "rules");
}

/** Whether one of the rules covers the request. */
export function allows(rules: readonly JsonObject[], attributes: Attributes): boolean {
  return rules.some((rule) => {
    if (!has(rule, "verbs", attributes.verb)) return false;
    if (attributes.kind === "path") return texts(rule, "nonResourceURLs").some((url) => matchesPath(url, attributes.path));
    const { group, resource, subresource, name } = attributes;
    const wanted = subresource === "" ? resource : `${resource}/${subresource}`;
    const resources = texts(rule, "resources");
    const names = texts(rule, "resourceNames");
    return (
      has(rule, "apiGroups", group) &&
      (resources.includes("*") || resources.includes(wanted) || (subresource !== "" && resources.includes(`*/${subresource}`))) &&
      (names.length === 0 || (name !== undefined && names.includes(name)))
    );
  });
}

function matchesPath(pattern: string, path: string): boolean {
  return pattern === "*" || pattern === path || (pattern.endsWith("*") && path.startsWith(pattern.slice(0, -1)));
}

function has(rule: JsonObject, key: string, value: string): boolean {
  const values = texts(rule, key);
  return values.includes("*") || values.includes(value);
}

function texts(object: JsonObject, key: string): readonly string[] {
  const value = getOwn(object, key);
  return isArray(value) ? (value as readonly string[]) : [];
}

function list(object: JsonObject, key: string): readonly JsonObject[] {
  const value = getOwn(object, key);
  return isArray(value) ? (value as readonly JsonObject[]) : [];
}

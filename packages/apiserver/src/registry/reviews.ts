import { getOwn, getPath, isArray, isObject, type JsonObject, type JsonValue } from "@fairlead/base";

import type { Attributes, Authorizer } from "../auth/authorize.js";
import type { Endpoint } from "./endpoint.js";
import type { Registry } from "./registry.js";
import type { UserInfo } from "./request.js";

/** Serves a create-only kind. Returns undefined for kinds that are stored. */
export type ReviewServer = (review: {
  readonly endpoint: Endpoint;
  readonly object: JsonObject;
  readonly user: UserInfo;
  readonly namespace: string | undefined;
}) => JsonObject | undefined;

/** Access reviews and their kin: created, answered, never stored. */
export function reviewServer(_registry: Registry, authorizer: Authorizer): ReviewServer {
  return ({ endpoint, object, user, namespace }) => {
    const { group, kind } = endpoint.strategy.info;
    switch (`${group}/${kind}`) {
      case "authorization.k8s.io/SelfSubjectAccessReview":
        return answered(object, accessStatus(authorizer, user, object, namespace));
      case "authorization.k8s.io/SubjectAccessReview":
      case "authorization.k8s.io/LocalSubjectAccessReview":
        return answered(object, accessStatus(authorizer, reviewedUser(object), object, namespace));
      case "authorization.k8s.io/SelfSubjectRulesReview":
        return answered(object, rulesStatus(user));
      case "authentication.k8s.io/SelfSubjectReview":
        return answered(object, { userInfo: userInfo(user) });
      case "authentication.k8s.io/TokenReview":
        return answered(object, { user: {}, error: "this server does not review tokens" });
      default:
        return undefined;
    }
  };
}

function answered(object: JsonObject, status: JsonObject): JsonObject {
  const metadata = getOwn(object, "metadata");
  return { ...object, metadata: isObject(metadata) ? metadata : {}, status };
}

function accessStatus(authorizer: Authorizer, user: UserInfo, review: JsonObject, namespace: string | undefined): JsonObject {
  const allowed = authorizer(user, attributes(review, namespace));
  return allowed ? { allowed, reason: "" } : { allowed };
}

function attributes(review: JsonObject, namespace: string | undefined): Attributes {
  const path = getPath(review, "spec", "nonResourceAttributes");
  if (isObject(path)) return { kind: "path", verb: text(path, "verb"), path: text(path, "path") };
  const wanted = getPath(review, "spec", "resourceAttributes");
  const resource: JsonObject = isObject(wanted) ? wanted : {};
  return {
    kind: "resource",
    verb: text(resource, "verb"),
    group: text(resource, "group"),
    resource: text(resource, "resource"),
    subresource: text(resource, "subresource"),
    namespace: text(resource, "namespace") || namespace,
    name: text(resource, "name") || undefined,
  };
}

function reviewedUser(review: JsonObject): UserInfo {
  const groups = getPath(review, "spec", "groups");
  return { username: String(getPath(review, "spec", "user") ?? ""), groups: isArray(groups) ? (groups as readonly string[]) : [] };
}

function rulesStatus(user: UserInfo): JsonObject {
  const all = user.groups.includes("system:masters");
  return {
    incomplete: !all,
    nonResourceRules: all ? [{ verbs: ["*"], nonResourceURLs: ["*"] }] : [],
    resourceRules: all ? [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }] : [],
  };
}

function userInfo(user: UserInfo): JsonObject {
  return { username: user.username, ...(user.uid === undefined ? {} : { uid: user.uid }), groups: user.groups, ...(user.extra === undefined ? {} : { extra: user.extra as JsonValue }) };
}

function text(object: JsonObject, key: string): string {
  const value = getOwn(object, key);
  return typeof value === "string" ? value : "";
}

import { formatTime, getOwn, getPath, isArray, isObject, type JsonObject, type JsonValue } from "@fairlead/base";
import type { FieldError } from "@fairlead/apimachinery";
import { trackUpdate } from "@fairlead/ssa";

import type { Attributes, Authorizer } from "../auth/authorize.js";
import { grants } from "../auth/rbac.js";
import type { Endpoint } from "./endpoint.js";
import { badRequest, invalid } from "./failures.js";
import { metadataOf, withMetadata } from "./metadata.js";
import { managerContext, withDefaults, type Registry } from "./registry.js";
import type { UserInfo } from "./request.js";

export interface Review {
  readonly endpoint: Endpoint;
  readonly object: JsonObject;
  readonly user: UserInfo;
  readonly namespace: string | undefined;
  readonly fieldManager: string;
}

/** Serves a create-only kind. Returns undefined for kinds that are stored. @throws StatusError 400, 422 */
export type ReviewServer = (review: Review) => JsonObject | undefined;

export interface ReviewOptions {
  readonly authorizer: Authorizer;
  /** Whom a bearer token stands for; undefined when it is good for nobody. */
  readonly userOfToken: (token: string) => UserInfo | undefined;
}

/** Access reviews and their kin: created, answered, never stored. */
export function reviewServer(registry: Registry, { authorizer, userOfToken }: ReviewOptions): ReviewServer {
  return (review) => {
    const { group, kind } = review.endpoint.strategy.info;
    switch (`${group}/${kind}`) {
      case "authorization.k8s.io/SelfSubjectAccessReview":
        return accessReview(registry, authorizer, review, review.user);
      case "authorization.k8s.io/SubjectAccessReview":
      case "authorization.k8s.io/LocalSubjectAccessReview":
        return accessReview(registry, authorizer, review, reviewedUser(review.object));
      case "authorization.k8s.io/SelfSubjectRulesReview":
        return { ...tracked(registry, review), status: rulesStatus(registry, review) };
      case "authentication.k8s.io/SelfSubjectReview":
        return {
          ...review.object,
          metadata: { creationTimestamp: formatTime(registry.clock.now()) },
          status: { userInfo: userInfo(review.user) },
        };
      case "authentication.k8s.io/TokenReview":
        return tokenReview(tracked(registry, review), userOfToken);
      default:
        return undefined;
    }
  };
}

/** The review as it was sent, owned by its sender. */
function tracked(registry: Registry, { endpoint, object, fieldManager }: Review): JsonObject {
  const placed = withMetadata(object, {});
  return trackUpdate(managerContext(registry, endpoint, ""), {
    live: undefined,
    next: withDefaults(endpoint, placed),
    manager: fieldManager,
  });
}

function accessReview(registry: Registry, authorizer: Authorizer, review: Review, user: UserInfo): JsonObject {
  const object = tracked(registry, review);
  const errors = reviewErrors(review, object);
  if (errors.length > 0) throw invalid({ group: "authorization.k8s.io", kind: "" }, "", errors);
  const { allowed, reason } = authorizer(user, attributes(object));
  return { ...object, status: { allowed, ...(reason === "" ? {} : { reason }) } };
}

/** What is wrong with an access review (k/k: pkg/apis/authorization/validation). */
function reviewErrors({ endpoint, namespace }: Review, object: JsonObject): readonly FieldError[] {
  const { kind } = endpoint.strategy.info;
  const spec = objectOf(getOwn(object, "spec"));
  const resource = getOwn(spec, "resourceAttributes");
  const path = getOwn(spec, "nonResourceAttributes");
  const errors: FieldError[] = [];
  const add = (field: string, badValue: JsonValue, detail: string): void => {
    errors.push({ type: "FieldValueInvalid", field, badValue, detail });
  };
  if (isObject(resource) && isObject(path)) {
    add(
      "spec.nonResourceAttributes",
      { Path: text(path, "path"), Verb: text(path, "verb") },
      "cannot be specified in combination with resourceAttributes",
    );
  }
  if (!isObject(resource) && !isObject(path))
    add(
      "spec.resourceAttributes",
      null,
      "exactly one of nonResourceAttributes or resourceAttributes must be specified",
    );
  const groups = getOwn(spec, "groups");
  if (kind !== "SelfSubjectAccessReview" && text(spec, "user") === "" && !(isArray(groups) && groups.length > 0)) {
    add("spec.user", "", "at least one of user or group must be specified");
  }
  const { managedFields: _managedFields, namespace: own, ...meta } = metadataOf(object);
  const mayHaveNamespace = kind === "LocalSubjectAccessReview";
  if (Object.keys(meta).length > 0 || (own !== undefined && !mayHaveNamespace))
    add("metadata", metadataOf(object), "must be empty");
  if (mayHaveNamespace && isObject(resource) && text(resource, "namespace") !== namespace) {
    add("spec.resourceAttributes.namespace", text(resource, "namespace"), "must match metadata.namespace");
  }
  if (mayHaveNamespace && isObject(path))
    add(
      "spec.nonResourceAttributes",
      { Path: text(path, "path"), Verb: text(path, "verb") },
      "disallowed on this kind of request",
    );
  return errors;
}

function attributes(review: JsonObject): Attributes {
  const path = getPath(review, "spec", "nonResourceAttributes");
  if (isObject(path)) return { kind: "path", verb: text(path, "verb"), path: text(path, "path") };
  const resource = objectOf(getPath(review, "spec", "resourceAttributes"));
  return {
    kind: "resource",
    verb: text(resource, "verb"),
    group: text(resource, "group"),
    resource: text(resource, "resource"),
    subresource: text(resource, "subresource"),
    namespace: text(resource, "namespace") || undefined,
    name: text(resource, "name") || undefined,
  };
}

function reviewedUser(review: JsonObject): UserInfo {
  const groups = getPath(review, "spec", "groups");
  return {
    username: String(getPath(review, "spec", "user") ?? ""),
    groups: isArray(groups) ? (groups as readonly string[]) : [],
  };
}

function rulesStatus({ storage }: Registry, { object, user }: Review): JsonObject {
  const namespace = text(objectOf(getOwn(object, "spec")), "namespace");
  if (namespace === "") throw badRequest("no namespace on request");
  const rules = [...grants(storage, user, namespace)].flatMap((grant) => grant.rules);
  return {
    incomplete: false,
    nonResourceRules: rules.filter((rule) => rule["nonResourceURLs"] !== undefined),
    resourceRules: rules.filter((rule) => rule["nonResourceURLs"] === undefined),
  };
}

function tokenReview(object: JsonObject, userOfToken: ReviewOptions["userOfToken"]): JsonObject {
  const token = text(objectOf(getOwn(object, "spec")), "token");
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  const user = userOfToken(token);
  const status =
    user === undefined ? { user: {}, error: "invalid bearer token" } : { authenticated: true, user: userInfo(user) };
  return { ...object, spec: {}, status };
}

function userInfo(user: UserInfo): JsonObject {
  return {
    username: user.username,
    ...(user.uid === undefined ? {} : { uid: user.uid }),
    groups: user.groups,
    ...(user.extra === undefined ? {} : { extra: user.extra }),
  };
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function text(object: JsonObject, key: string): string {
  const value = getOwn(object, key);
  return typeof value === "string" ? value : "";
}

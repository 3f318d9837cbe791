import { forbidden, forbiddenPath } from "../registry/failures.js";
import type { UserInfo } from "../registry/request.js";

/** What a request wants to do, as RBAC sees it. */
export type Attributes =
  | {
      readonly kind: "resource";
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string | undefined;
      readonly name: string | undefined;
    }
  | { readonly kind: "path"; readonly verb: string; readonly path: string };

/** Whether a user may do something, and why (or why not) as far as that can be said. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

export type Authorizer = (user: UserInfo, attributes: Attributes) => Decision;

const OPENID = "/.well-known/openid-configuration";

/** `system:masters` may everything, and everybody may read what tokens are checked with. */
export function withDefaults(rules: Authorizer): Authorizer {
  return (user, attributes) => {
    if (user.groups.includes("system:masters")) return { allowed: true, reason: "" };
    if (attributes.kind === "path" && attributes.verb === "get" && attributes.path === OPENID)
      return { allowed: true, reason: "" };
    return rules(user, attributes);
  };
}

/** @throws StatusError 403 with the real server's words */
export function authorize(authorizer: Authorizer, user: UserInfo, attributes: Attributes): void {
  const { allowed, reason } = authorizer(user, attributes);
  if (!allowed) throw refusal(user, attributes, reason);
}

function refusal(user: UserInfo, attributes: Attributes, reason: string): Error {
  const who = `User ${JSON.stringify(user.username)} cannot ${attributes.verb}`;
  const why = reason === "" ? "" : `: ${reason}`;
  if (attributes.kind === "path") return forbiddenPath(`${who} path ${JSON.stringify(attributes.path)}${why}`);
  const { resource, subresource, group, namespace, name } = attributes;
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === undefined ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  return forbidden(
    { group, resource },
    name ?? "",
    `${who} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}${why}`,
  );
}

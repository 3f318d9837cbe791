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

/** Whether a user may do something. */
export type Authorizer = (user: UserInfo, attributes: Attributes) => boolean;

/** Paths that everybody may read. */
const PUBLIC = /^\/(?:healthz|livez|readyz|version\/?|\.well-known\/openid-configuration)$/;
const DISCOVERY = /^\/(?:api|apis|openapi|version|healthz|livez|readyz)(?:\/|$)/;

/** `system:masters` may everything; everybody may read health and version, and who has signed in also discovery. */
export function withDefaults(rules: Authorizer): Authorizer {
  return (user, attributes) => {
    if (user.groups.includes("system:masters")) return true;
    if (attributes.kind === "path" && (attributes.verb === "get" || attributes.verb === "head")) {
      if (PUBLIC.test(attributes.path)) return true;
      if (user.groups.includes("system:authenticated") && DISCOVERY.test(attributes.path)) return true;
    }
    return rules(user, attributes);
  };
}

/** @throws StatusError 403 with the real server's words */
export function authorize(authorizer: Authorizer, user: UserInfo, attributes: Attributes): void {
  if (!authorizer(user, attributes)) throw refusal(user, attributes);
}

function refusal(user: UserInfo, attributes: Attributes): Error {
  const who = `User ${JSON.stringify(user.username)} cannot ${attributes.verb}`;
  if (attributes.kind === "path") return forbiddenPath(`${who} path ${JSON.stringify(attributes.path)}`);
  const { resource, subresource, group, namespace, name } = attributes;
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === undefined ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  return forbidden({ group, resource }, name ?? "", `${who} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`);
}

import { createHash, timingSafeEqual } from "node:crypto";

import { header, type HttpRequest } from "@fairlead/base";

import { badRequest, unauthorized } from "../registry/failures.js";
import type { UserInfo } from "../registry/request.js";

/** Finds out who sends a request. @returns undefined when the request brings no credentials that this one knows */
export type Authenticator = (request: HttpRequest) => UserInfo | undefined;

export const ANONYMOUS: UserInfo = { username: "system:anonymous", groups: ["system:unauthenticated"] };
const AUTHENTICATED = "system:authenticated";
const UNAUTHENTICATED = "system:unauthenticated";

/** Bearer tokens, compared in constant time. */
export function tokenAuthenticator(tokens: ReadonlyMap<string, UserInfo>): Authenticator {
  const known = [...tokens].map(([token, user]) => ({ digest: digest(token), user: authenticated(user) }));
  return (request) => {
    const token = bearerToken(request);
    if (token === undefined) return undefined;
    const given = digest(token);
    return known.find((k) => timingSafeEqual(k.digest, given))?.user;
  };
}

/** The first that knows the request decides; credentials that nobody knows are refused; none at all is anonymous. */
export function authenticate(authenticators: readonly Authenticator[], request: HttpRequest): UserInfo {
  for (const authenticator of authenticators) {
    const user = authenticator(request);
    if (user !== undefined) return user;
  }
  if (bearerToken(request) !== undefined) throw unauthorized();
  return ANONYMOUS;
}

/** Whom a bearer token stands for; undefined when no authenticator knows it. */
export function userOfToken(authenticators: readonly Authenticator[], token: string): UserInfo | undefined {
  const request: HttpRequest = { method: "GET", path: "/", headers: { authorization: `Bearer ${token}` } };
  for (const authenticator of authenticators) {
    const user = authenticator(request);
    if (user !== undefined) return user;
  }
  return undefined;
}

export function bearerToken(request: HttpRequest): string | undefined {
  const match = /^bearer\s+(.+)$/i.exec(header(request.headers, "authorization") ?? "");
  return match?.[1]?.trim();
}

export function authenticated(user: UserInfo): UserInfo {
  const group = user.username === ANONYMOUS.username ? UNAUTHENTICATED : AUTHENTICATED;
  const settled = user.groups.includes(AUTHENTICATED) || user.groups.includes(UNAUTHENTICATED);
  return settled ? user : { ...user, groups: [...user.groups, group] };
}

/** Whom the request wants to act as; undefined when it has no Impersonate headers. @throws StatusError 400 */
export function impersonated(request: HttpRequest): UserInfo | undefined {
  const { headers } = request;
  const username = header(headers, "impersonate-user");
  const groups = all(headers["impersonate-group"]);
  const uid = header(headers, "impersonate-uid");
  const extra: Record<string, readonly string[]> = {};
  for (const name of Object.keys(headers)) {
    if (name.startsWith("impersonate-extra-"))
      extra[decodeURIComponent(name.slice("impersonate-extra-".length))] = all(headers[name]);
  }
  if (username === undefined || username === "") {
    if (groups.length > 0 || uid !== undefined)
      throw badRequest(`requested [{Group  ${groups[0] ?? ""}    }] without impersonating a user`);
    return undefined;
  }
  const account = /^system:serviceaccount:([^:]+):[^:]+$/.exec(username);
  const wanted =
    groups.length > 0
      ? groups
      : account === null
        ? []
        : ["system:serviceaccounts", `system:serviceaccounts:${account[1] ?? ""}`];
  return {
    ...authenticated({ username, groups: wanted }),
    ...(uid === undefined ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function all(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

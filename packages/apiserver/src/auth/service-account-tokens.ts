import { createHash, createHmac, timingSafeEqual } from "node:crypto";

import { isObject, uuid, type Clock, type JsonObject, type JsonValue, type Random } from "@fairlead/base";

import type { UserInfo } from "../registry/request.js";
import type { Storage } from "../storage/storage.js";
import { bearerToken, type Authenticator } from "./authenticate.js";

/** The audience of tokens for this server itself. */
export const AUDIENCE = "https://kubernetes.default.svc.cluster.local";

/** Makes and checks the tokens of service accounts: JSON web tokens, signed with a key that only this server has. */
export interface ServiceAccountTokens {
  issue(
    account: JsonObject,
    options: {
      readonly expirationSeconds: number;
      readonly audiences: readonly string[];
      readonly bound?: BoundObject | undefined;
    },
  ): { readonly token: string; readonly expiresMs: number };
  /** Whom a token stands for; undefined when it is not ours, has run out, or its account is gone. */
  verify(token: string): { readonly user: UserInfo; readonly audiences: readonly string[] } | undefined;
}

/** The object with which a token ends. */
export interface BoundObject {
  /** `pods`, `secrets` or `nodes`. */
  readonly resource: string;
  readonly key: string;
  readonly uid: string;
  /** How the token names it. */
  readonly claim: JsonObject;
}

export interface TokenKeeper {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: Random;
  readonly key: Uint8Array;
}

const HEADER = encode({ alg: "HS256", typ: "JWT" });

export function serviceAccountTokens({ storage, clock, random, key }: TokenKeeper): ServiceAccountTokens {
  const sign = signerOf(key);
  return {
    issue(account, { expirationSeconds, audiences, bound }) {
      const { name, namespace, uid } = account["metadata"] as JsonObject;
      const now = Math.floor(clock.now() / 1000);
      const exp = now + expirationSeconds;
      const claims = encode({
        aud: audiences.length === 0 ? [AUDIENCE] : audiences,
        exp,
        iat: now,
        iss: AUDIENCE,
        jti: uuid(random),
        "kubernetes.io": { namespace, ...bound?.claim, serviceaccount: { name, uid } },
        nbf: now,
        sub: `system:serviceaccount:${String(namespace)}:${String(name)}`,
      });
      const text = `${HEADER}.${claims}`;
      return { token: `${text}.${sign(text)}`, expiresMs: exp * 1000 };
    },
    verify(token) {
      const [head, claims, signature] = token.split(".");
      if (head !== HEADER || claims === undefined || signature === undefined) return undefined;
      const [given, right] = [Buffer.from(signature), Buffer.from(sign(`${head}.${claims}`))];
      if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
      return accountOf(JSON.parse(Buffer.from(claims, "base64url").toString("utf8")) as JsonObject, {
        storage,
        nowMs: clock.now(),
      });
    },
  };
}

const BOUND = [
  ["node", "nodes"],
  ["pod", "pods"],
  ["secret", "secrets"],
] as const;

function accountOf(
  claims: JsonObject,
  { storage, nowMs }: { readonly storage: Storage; readonly nowMs: number },
): ReturnType<ServiceAccountTokens["verify"]> {
  const own = claims["kubernetes.io"];
  if (!isObject(own) || Number(claims["exp"]) * 1000 <= nowMs) return undefined;
  const { name, uid } = own["serviceaccount"] as JsonObject;
  const namespace = String(own["namespace"]);
  const live = storage.get("/serviceaccounts", `${namespace}/${String(name)}`);
  if (live === undefined || (live.object["metadata"] as JsonObject)["uid"] !== uid) return undefined;
  for (const [kind, resource] of BOUND) {
    const named = own[kind];
    if (!isObject(named)) continue;
    const key = kind === "node" ? String(named["name"]) : `${namespace}/${String(named["name"])}`;
    const there = storage.get(`/${resource}`, key);
    if (there === undefined || (there.object["metadata"] as JsonObject)["uid"] !== named["uid"]) return undefined;
  }
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
  return {
    user: { username: String(claims["sub"]), uid: String(uid), groups },
    audiences: claims["aud"] as readonly string[],
  };
}

/** Requests that bring a service account's token for this server. */
export function serviceAccountAuthenticator(tokens: ServiceAccountTokens): Authenticator {
  return (request) => {
    const token = bearerToken(request);
    const found = token === undefined ? undefined : tokens.verify(token);
    return found?.audiences.includes(AUDIENCE) === true ? found.user : undefined;
  };
}

/** Signs short texts with a key, for what only its maker may hand back. */
export function signerOf(key: Uint8Array): (text: string) => string {
  return (text) => createHmac("sha256", key).update(text).digest("base64url");
}

/** A signing key that is always the same for a secret. */
export function signingKeyOf(secret: string): Uint8Array {
  return createHash("sha256").update(`service account tokens: ${secret}`).digest();
}

function encode(value: JsonValue): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

import { failure, StatusError } from "@fairlead/apimachinery";

import { badRequest } from "./failures.js";

/** Where a list goes on: after a key, as the collection was at a revision (negative: as it is now). */
export interface ContinuePoint {
  readonly revision: number;
  readonly after: string;
}

/** Makes and reads `continue` tokens in the real server's form: base64url of `{"v":"meta.k8s.io/v1","rv":…,"start":…}`. */
export interface ContinueTokens {
  encode(point: ContinuePoint, prefix: string): string;
  /** @throws StatusError 400 for a token that this server did not make */
  decode(token: string, prefix: string): ContinuePoint;
  /** The 410 for a token whose revision is gone, with one that goes on inconsistently. */
  expired(point: ContinuePoint, prefix: string): StatusError;
}

const TOO_OLD =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

const decoder = new TextDecoder();

export const continueTokens: ContinueTokens = {
  encode: ({ revision, after }, prefix) => {
    const start = `/${after.slice(prefix.length)}\u0000`;
    const json = `{"v":"meta.k8s.io/v1","rv":${revision},"start":${JSON.stringify(start)}}`;
    return toBase64Url(new TextEncoder().encode(json));
  },
  decode: (token, prefix) => {
    const fail = (why: string): never => {
      throw badRequest(`invalid continue token: continue key is not valid: ${why}`);
    };
    const bytes = fromBase64Url(token);
    if (bytes === undefined) return fail("illegal base64 data at input byte 0");
    let value: unknown;
    try {
      value = JSON.parse(decoder.decode(bytes));
    } catch {
      return fail("invalid character");
    }
    const { v, rv, start } = (value ?? {}) as { readonly v?: unknown; readonly rv?: unknown; readonly start?: unknown };
    if (v !== "meta.k8s.io/v1") return fail(`server does not recognize this encoded version ${JSON.stringify(v)}`);
    if (typeof rv !== "number" || rv === 0) return fail("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
    if (typeof start !== "string" || start === "" || start.split("/").includes("..")) return fail("encoded start key missing (version meta.k8s.io/v1)");
    const key = start.replace(/^\//, "");
    return { revision: rv, after: prefix + (key.endsWith("\u0000") ? key.slice(0, -1) : key) };
  },
  expired: (point, prefix) => {
    const status = failure(410, "Expired", TOO_OLD);
    const token = continueTokens.encode({ ...point, revision: -1 }, prefix);
    return new StatusError({ ...status, metadata: { continue: token } });
  },
};

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64Url(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined;
  try {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  } catch {
    return undefined;
  }
}

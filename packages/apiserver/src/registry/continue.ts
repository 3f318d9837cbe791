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
const MAC_LENGTH = 22;

/**
 * Tokens that end in a signature, so that only this server makes them. A token of another server, or of this one before
 * it was started anew, counts as too old.
 */
export function continueTokens(sign: (text: string) => string): ContinueTokens {
  const mac = (text: string, prefix: string): string => sign(`${prefix}\n${text}`).slice(0, MAC_LENGTH);
  const tokens: ContinueTokens = {
    encode: ({ revision, after }, prefix) => {
      const start = `/${after.slice(prefix.length)}\u0000`;
      const fields = `"v":"meta.k8s.io/v1","rv":${revision},"start":${JSON.stringify(start)}`;
      return toBase64Url(new TextEncoder().encode(`{${fields},"mac":"${mac(fields, prefix)}"}`));
    },
    decode: (token, prefix) => {
      const point = readToken(token);
      const fields = `"v":"meta.k8s.io/v1","rv":${point.revision},"start":${JSON.stringify(point.start)}`;
      if (point.mac !== mac(fields, prefix)) throw new StatusError(failure(410, "Expired", TOO_OLD));
      const key = point.start.replace(/^\//, "");
      return { revision: point.revision, after: prefix + (key.endsWith("\u0000") ? key.slice(0, -1) : key) };
    },
    expired: (point, prefix) => {
      const status = failure(410, "Expired", TOO_OLD);
      return new StatusError({ ...status, metadata: { continue: tokens.encode({ ...point, revision: -1 }, prefix) } });
    },
  };
  return tokens;
}

/** The parts of a token, in the real server's form. @throws StatusError 400 */
function readToken(token: string): { readonly revision: number; readonly start: string; readonly mac: unknown } {
  const fail = (why: string): never => {
    throw badRequest(`invalid continue token: continue key is not valid: ${why}`);
  };
  const bytes = fromBase64Url(token);
  if (bytes === undefined) return fail("illegal base64 data at input byte 0");
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes));
  } catch {
    return fail(`invalid character ${goCharacter(bytes[0] ?? 0)} looking for beginning of value`);
  }
  const { v, rv, start, mac } = (value ?? {}) as {
    readonly v?: unknown;
    readonly rv?: unknown;
    readonly start?: unknown;
    readonly mac?: unknown;
  };
  if (v !== "meta.k8s.io/v1")
    return fail(`server does not recognize this encoded version ${typeof v === "string" ? v : ""}`);
  if (typeof rv !== "number" || rv === 0)
    return fail("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (typeof start !== "string" || start === "") return fail("encoded start key missing (version meta.k8s.io/v1)");
  if (start.split("/").includes("..")) return fail(start);
  return { revision: rv, start, mac };
}

/** A byte as Go's JSON decoder quotes it. */
function goCharacter(byte: number): string {
  if (byte === 0x27) return "'\\''";
  return byte >= 0x20 && byte < 0x7f ? `'${String.fromCharCode(byte)}'` : `'\\u${byte.toString(16).padStart(4, "0")}'`;
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

function fromBase64Url(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined;
  try {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  } catch {
    return undefined;
  }
}

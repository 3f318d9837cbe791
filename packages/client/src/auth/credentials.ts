import type { Credentials } from "../transport/node-transport.js";
import { parseTime, type Clock, type Files } from "@fairlead/base";

const bearer = (token: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${token}` });

/** A token that does not change. */
export function staticToken(token: string): Credentials {
  const headers = Object.freeze(bearer(token));
  return { headers: () => Promise.resolve(headers) };
}

/** A user name and a password. */
export function basicAuth(username: string, password: string): Credentials {
  const headers = { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
  return { headers: () => Promise.resolve(headers) };
}

/** How long a token read from a file is used before the file is read again: it is replaced well before it expires. */
const REREAD_MS = 60_000;

/** A token in a file that somebody renews, as in a pod. */
export function fileToken(path: string, o: { readonly files: Files; readonly clock: Clock }): Credentials {
  let held: { readonly headers: Readonly<Record<string, string>>; readonly readAtMs: number } | undefined;
  const read = async (): Promise<NonNullable<typeof held>> => {
    const token = new TextDecoder().decode(await o.files.read(path)).trim();
    held = { headers: bearer(token), readAtMs: o.clock.monotonic() };
    return held;
  };
  return {
    headers: async () => {
      const fresh = held !== undefined && o.clock.monotonic() - held.readAtMs < REREAD_MS;
      return (fresh && held !== undefined ? held : await read()).headers;
    },
    renew: async () => {
      const before = held?.headers.authorization;
      return (await read()).headers.authorization !== before;
    },
  };
}

/** What an exec plugin prints (client.authentication.k8s.io ExecCredential). */
export interface ExecCredential {
  readonly status?: {
    readonly token?: string;
    readonly expirationTimestamp?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
  };
}

/** The token of an exec plugin, asked for again shortly before it expires and when it is refused. */
export function execToken(run: (signal: AbortSignal) => Promise<ExecCredential>, clock: Clock): Credentials {
  let held: Promise<ExecCredential> | undefined;
  let expiresAtMs = Number.POSITIVE_INFINITY;
  const ask = async (signal: AbortSignal): Promise<ExecCredential> => {
    const asked = run(signal);
    held = asked;
    try {
      const answer = await asked;
      expiresAtMs = parseTime(answer.status?.expirationTimestamp) ?? Number.POSITIVE_INFINITY;
      return answer;
    } catch (error) {
      if (held === asked) held = undefined;
      throw error;
    }
  };
  return {
    headers: async (signal) => {
      const answer = held === undefined || clock.now() > expiresAtMs - 10_000 ? await ask(signal) : await held;
      const token = answer.status?.token;
      return token === undefined ? {} : bearer(token);
    },
    renew: async (signal) => (await ask(signal)).status?.token !== undefined,
  };
}

/** Adds impersonation to whatever else a request says. */
export function impersonating(
  as: { readonly user: string; readonly groups?: readonly string[]; readonly uid?: string },
  inner?: Credentials,
): Credentials {
  const extra: Record<string, string> = { "impersonate-user": as.user };
  if (as.uid !== undefined) extra["impersonate-uid"] = as.uid;
  const groups = as.groups ?? [];
  return {
    headers: async (signal) => ({
      ...(await inner?.headers(signal)),
      ...extra,
      ...(groups.length === 0 ? {} : { "impersonate-group": groups as unknown as string }),
    }),
    ...(inner?.renew === undefined
      ? {}
      : { renew: (signal: AbortSignal) => inner.renew?.(signal) ?? Promise.resolve(false) }),
  };
}

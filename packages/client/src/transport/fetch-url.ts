import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";

import { FairleadError, type HttpHeaders, type HttpResponse } from "@fairlead/base";
import { Agent, request } from "undici";

/** An address that a program must not be talked into calling: a private network's, or this machine's own. */
export class PrivateAddressError extends FairleadError {
  constructor(host: string, address: string) {
    super("PrivateAddress", `${host} is ${address}, an address of a private network; it is not called`);
  }
}

export interface UrlFetcherOptions {
  /** Whether private, loopback and link-local addresses may be called; false by default. */
  readonly allowPrivate?: boolean;
  /** 60 s by default. */
  readonly timeoutMs?: number;
}

/** GETs any HTTPS URL; redirects are answers. Holds connections until it is closed. */
export interface UrlFetcher {
  readonly fetch: (url: URL, headers: HttpHeaders, signal: AbortSignal) => Promise<HttpResponse>;
  close(): Promise<void>;
}

/** A way to the web for what is no API server: charts, registries. The address is checked when it is dialled. */
export function urlFetcher(options: UrlFetcherOptions = {}): UrlFetcher {
  const { allowPrivate = false, timeoutMs = 60_000 } = options;
  const agent = new Agent({
    connect: { lookup: guardedLookup(allowPrivate), timeout: 10_000 },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  return {
    fetch: async (url, headers, signal) => {
      if (!allowPrivate && isIP(url.hostname) !== 0 && isPrivate(url.hostname))
        throw new PrivateAddressError(url.hostname, url.hostname);
      const sent: Record<string, string> = {};
      for (const [name, value] of Object.entries(headers)) if (typeof value === "string") sent[name] = value;
      const answer = await request(url, { method: "GET", headers: sent, dispatcher: agent, signal });
      return { status: answer.statusCode, headers: answer.headers, body: answer.body };
    },
    close: () => agent.close(),
  };
}

function guardedLookup(allowPrivate: boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, "", 0);
      const bad = allowPrivate ? undefined : addresses.find((a) => isPrivate(a.address));
      if (bad !== undefined) return callback(new PrivateAddressError(hostname, bad.address), "", 0);
      if (options.all === true)
        return (callback as unknown as (error: null, all: typeof addresses) => void)(null, addresses);
      const [first] = addresses;
      callback(null, first?.address ?? "", first?.family ?? 4);
    });
  };
}

/** Loopback, private, shared, link-local, unspecified and multicast addresses. */
export function isPrivate(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return isPrivate(mapped);
  if (isIP(address) === 6) return /^(?:::1?$|f[cd]|fe[89ab]|ff)/i.test(address);
  const [a = 0, b = 0] = address.split(".").map(Number);
  return (
    a === 0 ||
    a === 10 ||
    a === 127 ||
    a >= 224 ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && b === 168)
  );
}

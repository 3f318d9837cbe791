import type { HttpResponse } from "@fairlead/base";

import type { UserInfo } from "../registry/request.js";
import type { RequestInfo } from "./request-info.js";
import { textResponse } from "./response.js";

/** How many requests may be under way at once; 0 is no limit. */
export interface InFlightLimits {
  /** As kube-apiserver's `--max-requests-inflight`: of those that change nothing; 400 by default. */
  readonly reads?: number;
  /** As kube-apiserver's `--max-mutating-requests-inflight`; 200 by default. */
  readonly writes?: number;
}

const READS = 400;
const WRITES = 200;
const RETRY_AFTER_SECONDS = "1";
const HEALTH = /^\/(?:healthz|livez|readyz)(?:\/|$)/;
const LONG_RUNNING = new Set(["attach", "exec", "log", "portforward", "proxy"]);

/**
 * Counts requests under way and turns away what is too much (apiserver: pkg/server/filters/maxinflight.go): so what waits
 * for a slow disk or webhook is bounded. Watches and other streams do not count; nor does health, which must be told of
 * when nothing else is. `system:masters` is always let in.
 */
export class InFlight {
  readonly #free: { reads: number; writes: number };

  constructor({ reads = READS, writes = WRITES }: InFlightLimits = {}) {
    this.#free = { reads: reads === 0 ? Infinity : reads, writes: writes === 0 ? Infinity : writes };
  }

  /** Takes a place for a request. @returns how to give it back; undefined when there is none */
  enter(info: RequestInfo, method: string, user: UserInfo): (() => void) | undefined {
    if (info.kind === "path" ? HEALTH.test(info.path) : isLongRunning(info)) return nothing;
    const pool = isRead(info, method) ? "reads" : "writes";
    if (this.#free[pool] === 0) return user.groups?.includes("system:masters") === true ? nothing : undefined;
    this.#free[pool]--;
    return () => void this.#free[pool]++;
  }
}

/** Text, as the real server's: clients make a Status of it. */
export function tooManyInFlight(): HttpResponse {
  const { headers, ...rest } = textResponse(429, "Too many requests, please try again later.\n");
  return { ...rest, headers: { ...headers, "retry-after": RETRY_AFTER_SECONDS, "x-content-type-options": "nosniff" } };
}

function nothing(): void {
  // It holds no place.
}

function isLongRunning({ verb, subresource }: RequestInfo & { readonly kind: "resource" }): boolean {
  return verb === "watch" || LONG_RUNNING.has(subresource);
}

function isRead(info: RequestInfo, method: string): boolean {
  if (info.kind === "path") return method === "GET";
  return info.verb === "get" || info.verb === "list";
}

import { header, type Clock, type HttpRequest, type HttpResponse, type Random, type Transport } from "@fairlead/base";

/** When and how often a request is sent again. */
export interface RetryPolicy {
  /** Sendings in all; 5 by default. */
  readonly attempts: number;
  /** The first pause, doubled each time; 100 ms by default. Jittered down by up to half. */
  readonly baseMs: number;
  /** The longest pause, whatever the server asks for; 30 s by default. */
  readonly maxMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = Object.freeze({ attempts: 5, baseMs: 100, maxMs: 30_000 });

/**
 * Sends again what is safe to send again: any request that the server turned away unread (429 with `Retry-After`), and
 * reads that met 429, 502, 503, 504 or no answer at all. A write without an answer is never repeated here: it may have
 * happened, and only the next reconcile can tell. The `Retry-After` header wins over the pause of the policy.
 */
export function retrying(
  transport: Transport,
  options: { readonly clock: Clock; readonly random: Random; readonly policy: RetryPolicy },
): Transport {
  const { clock, random, policy } = options;
  return async (request, signal) => {
    for (let attempt = 1; ; attempt++) {
      const last = attempt >= policy.attempts;
      let response: HttpResponse | undefined;
      try {
        response = await transport(request, signal);
        if (last || !isRetriable(request, response)) return response;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (last || !isSafe(request) || isWatch(request)) throw error;
      }
      await drain(response);
      await clock.sleep(pauseMs(response, attempt, random.next(), policy), signal);
    }
  };
}

function isRetriable(request: HttpRequest, response: HttpResponse): boolean {
  switch (response.status) {
    case 429:
      return header(response.headers, "retry-after") !== undefined || isSafe(request);
    case 502:
    case 503:
    case 504:
      return isSafe(request);
    default:
      return false;
  }
}

function isSafe(request: HttpRequest): boolean {
  return request.method === "GET" || request.method === "HEAD";
}

/** A watch that cannot connect is paced by its watcher, which also knows when to give up its version. */
function isWatch(request: HttpRequest): boolean {
  return /[?&]watch=(true|1)\b/.test(request.path);
}

function pauseMs(response: HttpResponse | undefined, attempt: number, chance: number, policy: RetryPolicy): number {
  const seconds = Number(response === undefined ? undefined : header(response.headers, "retry-after"));
  if (Number.isFinite(seconds) && seconds >= 0) return Math.min(seconds * 1000, policy.maxMs);
  return Math.min(policy.baseMs * 2 ** (attempt - 1), policy.maxMs) * (1 - chance / 2);
}

/** A body left unread would hold its connection. */
async function drain(response: HttpResponse | undefined): Promise<void> {
  if (response === undefined || typeof response.body === "string" || response.body instanceof Uint8Array) return;
  try {
    for await (const chunk of response.body) void chunk;
  } catch {
    // What the body of a refused request says, or fails to say, changes nothing.
  }
}

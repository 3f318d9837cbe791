import { FairleadError, type HttpHeaders, type HttpRequest, type HttpResponse, type Transport } from "@fairlead/base";
import { Pool } from "undici";

/** What a request says about who sends it. */
export interface Credentials {
  /** Headers to add, lower case. */
  headers(signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /**
   * Called when the server answered 401. Absent where nothing better can be had.
   *
   * @returns whether there is something new to try with.
   */
  renew?(signal: AbortSignal): Promise<boolean>;
}

export interface NodeTransportOptions {
  /** `https://host:6443`, with a path when the server is behind one. */
  readonly server: string;
  /** PEM of the authorities to trust instead of the system's. */
  readonly ca?: string | undefined;
  /** PEM of a client certificate and its key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The name in the server's certificate, when it is not the host of `server`. */
  readonly tlsServerName?: string | undefined;
  /** Believes any certificate. For tests. */
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** What each request is authenticated with, beside a client certificate. */
  readonly credentials?: Credentials | undefined;
  readonly userAgent?: string | undefined;
  /** Connections for everything but watches, at most; 32 by default. Each watch has its own. */
  readonly connections?: number | undefined;
  /** How long the server may take to begin an answer; 60 s by default. */
  readonly headersTimeoutMs?: number | undefined;
  /** How long an answer may pause, watches excepted; 60 s by default. */
  readonly bodyTimeoutMs?: number | undefined;
}

/** A transport over sockets, which stay open for the next request until they are closed here. */
export interface NodeTransport {
  readonly transport: Transport;
  /** Ends everything under way, watches included, and closes all connections. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** There was no answer: the server could not be reached, or the connection broke. `cause` has the details. */
export class ConnectionError extends FairleadError {
  constructor(request: HttpRequest, server: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super("Connection", `${request.method} ${request.path.split("?")[0] ?? ""}: no answer from ${server}: ${why}`, {
      cause,
    });
  }
}

/**
 * Connects to an API server over HTTP/1.1 with connections that are kept. One pool carries the watches, which hold a
 * connection each for as long as they run, the other everything else.
 */
export function nodeTransport(options: NodeTransportOptions): NodeTransport {
  const url = new URL(options.server);
  const prefix = url.pathname === "/" ? "" : url.pathname.replace(/\/$/, "");
  const connect = tlsOptions(options);
  const common: Pool.Options = {
    connect,
    pipelining: 1,
    headersTimeout: options.headersTimeoutMs ?? 60_000,
    bodyTimeout: options.bodyTimeoutMs ?? 60_000,
  };
  const calls = new Pool(url.origin, { ...common, connections: options.connections ?? 32 });
  const watches = new Pool(url.origin, { ...common, bodyTimeout: 0 });
  const fixed = { "user-agent": options.userAgent ?? "fairlead" };

  const once = async (request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> => {
    const streams = isWatch(request);
    const extra = (await options.credentials?.headers(signal)) ?? {};
    try {
      const answer = await (streams ? watches : calls).request({
        method: request.method,
        path: prefix + request.path,
        headers: { ...fixed, ...request.headers, ...extra } as Record<string, string | string[]>,
        body: request.body ?? null,
        signal,
      });
      const head = { status: answer.statusCode, headers: answer.headers as HttpHeaders };
      if (streams && answer.statusCode < 300)
        return { ...head, body: stream(answer.body, request, options.server, signal) };
      return { ...head, body: await answer.body.text() };
    } catch (cause) {
      if (signal.aborted) throw signal.reason;
      throw new ConnectionError(request, options.server, cause);
    }
  };

  const close = async (): Promise<void> => {
    await Promise.all([calls.destroy(), watches.destroy()]);
  };
  return {
    transport: async (request, signal) => {
      if (signal.aborted) throw signal.reason;
      const response = await once(request, signal);
      // A token may have expired since it was made: get another, and try once more.
      if (response.status !== 401 || options.credentials?.renew === undefined) return response;
      return (await options.credentials.renew(signal)) ? once(request, signal) : response;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function* stream(
  body: AsyncIterable<Uint8Array>,
  request: HttpRequest,
  server: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw new ConnectionError(request, server, cause);
  }
}

function isWatch(request: HttpRequest): boolean {
  return request.method === "GET" && /[?&](watch|follow)=(true|1)\b/.test(request.path);
}

function tlsOptions(options: NodeTransportOptions): Record<string, unknown> {
  return {
    ...(options.ca === undefined ? {} : { ca: options.ca }),
    ...(options.cert === undefined ? {} : { cert: options.cert }),
    ...(options.key === undefined ? {} : { key: options.key }),
    ...(options.tlsServerName === undefined ? {} : { servername: options.tlsServerName }),
    ...(options.insecureSkipTlsVerify === true ? { rejectUnauthorized: false } : {}),
  };
}

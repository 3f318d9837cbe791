import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import { ServerResponse, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { gzip } from "node:zlib";

import { FairleadError, messageOf, type HttpRequest, type HttpResponse, type Logger } from "@fairlead/base";

import type { KeyPair } from "../auth/certificates/certificates.js";
import { BODY_LIMIT } from "./body.js";
import type { Handler } from "./handler.js";

export interface ListenOptions {
  readonly handler: Handler;
  readonly logger: Logger;
  readonly certificate: KeyPair;
  /** PEM of the certificate's authority; sent along so that clients can build the chain. */
  readonly authority: string;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

/** A listening server: the only socket of this package. */
export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;

const GZIP_FROM = 128 * 1024;
/** For a whole request to arrive. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Of a connection on which nothing runs. */
const IDLE_TIMEOUT_MS = 65_000;
/** As a kube-apiserver: who runs more at once opens another connection. */
const STREAMS_PER_CONNECTION = 100;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\]|kubernetes(?:\.default(?:\.svc)?)?)(?::\d+)?$/i;

/**
 * Listens with TLS and speaks HTTP/2 and HTTP/1.1, as the client chooses (ALPN): the clients in Go choose HTTP/2.
 *
 * @throws FairleadError `PortInUse`, `PortForbidden` or `Listen`, naming the port and what to do
 */
export async function listen(options: ListenOptions): Promise<Listening> {
  const server = createSecureServer({
    allowHTTP1: true,
    settings: { maxConcurrentStreams: STREAMS_PER_CONNECTION },
    cert: options.certificate.certificate + options.authority,
    key: options.certificate.privateKey,
    minVersion: "TLSv1.2",
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("session", closeWhenIdle);
  // The types of Node know these of its HTTP/1.1 servers only, of which this is one too.
  Object.assign(server, { keepAliveTimeout: IDLE_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS });
  server.on("request", (request: Request, response: Response) => {
    void serve(options, request, response);
  });
  server.on("upgrade", (request: IncomingMessage, socket: Socket) => {
    void refuseUpgrade(options, request, socket);
  });
  await bound(server, options);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function closeWhenIdle(session: ServerHttp2Session): void {
  let running = 0;
  session.on("stream", (stream) => {
    running++;
    stream.on("close", () => running--);
  });
  session.setTimeout(IDLE_TIMEOUT_MS, () => {
    if (running === 0) session.close();
  });
}

function bound(server: Http2SecureServer, { host, port }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const where = `${host}:${port}`;
      if (cause.code === "EADDRINUSE")
        reject(
          new FairleadError(
            "PortInUse",
            `port ${port} is in use on ${host}: stop what listens there, or choose another with --port (0 takes any free one)`,
            { cause },
          ),
        );
      else if (cause.code === "EACCES")
        reject(
          new FairleadError(
            "PortForbidden",
            `not allowed to listen on ${where}: choose a port from 1024 on with --port`,
            { cause },
          ),
        );
      else reject(new FairleadError("Listen", `cannot listen on ${where}: ${messageOf(cause)}`, { cause }));
    });
    server.listen(port, host, resolve);
  });
}

async function serve({ handler, logger }: ListenOptions, request: Request, response: Response): Promise<void> {
  const gone = goneOf(request, response);
  response.on("error", () => undefined); // what is wrong with a connection closes it
  try {
    if (isForeign(request)) return refuse(response, 403, "this server answers to loopback names only");
    const body = await readBody(request);
    if (body === "too large") return refuse(response, 413, `Request entity too large: limit is ${BODY_LIMIT}`);
    const answer = await handler(httpRequest(request, body), gone.signal);
    await send(request, response, answer, gone.signal);
  } catch (error) {
    if (!gone.signal.aborted) logger.error("connection failed", { error });
    response.destroy();
  }
}

const connections = new WeakMap<Socket, AbortController>();

/** Aborted when the client goes away: with its connection, of which HTTP/1.1 has one for each running request, or its stream. */
function goneOf(request: Request, response: Response): AbortController {
  const known = isHttp2(request) ? undefined : connections.get(request.socket);
  if (known !== undefined) return known;
  const gone = new AbortController();
  const abort = (): void => gone.abort(new Error("the client went away"));
  if (isHttp2(request)) response.on("close", () => response.writableEnded || abort());
  else {
    connections.set(request.socket, gone);
    request.socket.on("close", abort);
  }
  return gone;
}

/** Nothing here speaks another protocol: who wants to change it gets the answer to the request as it stands. */
async function refuseUpgrade(
  { handler, logger }: ListenOptions,
  request: IncomingMessage,
  socket: Socket,
): Promise<void> {
  const gone = new AbortController();
  socket.on("error", () => socket.destroy());
  socket.on("close", () => gone.abort(new Error("the client went away")));
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  try {
    if (isForeign(request)) refuse(response, 403, "this server answers to loopback names only");
    else await send(request, response, await handler(httpRequest(request, undefined), gone.signal), gone.signal);
    response.once("finish", () => socket.end());
  } catch (error) {
    if (!gone.signal.aborted) logger.error("connection failed", { error });
    socket.destroy();
  }
}

/** A browser that was told that a name of its page's is this machine. */
function isForeign({ headers }: Request): boolean {
  return !LOOPBACK.test(headers[":authority"]?.toString() ?? headers.host ?? "") || headers.origin !== undefined;
}

function refuse(response: Response, code: number, message: string): void {
  const reason = code === 413 ? "RequestEntityTooLarge" : "Forbidden";
  const close = isHttp2(response) ? undefined : { connection: "close" };
  writeHead(response, code, { "content-type": "application/json", ...close });
  response.end(
    `${JSON.stringify({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code })}\n`,
  );
}

function isHttp2(side: Response): side is Http2ServerResponse;
function isHttp2(side: Request): side is Http2ServerRequest;
function isHttp2(side: Request | Response): boolean {
  return "stream" in side;
}

function writeHead(response: Response, status: number, headers: Record<string, string | string[]>): void {
  if (isHttp2(response)) response.writeHead(status, headers);
  else response.writeHead(status, headers);
}

function httpRequest(request: Request, body: Uint8Array | undefined): HttpRequest {
  const headers: Record<string, string | readonly string[] | undefined> = {};
  for (const name of Object.keys(request.headers)) if (!name.startsWith(":")) headers[name] = request.headers[name];
  const groups = request.rawHeaders.filter(
    (_, i, all) => i % 2 === 1 && all[i - 1]?.toLowerCase() === "impersonate-group",
  );
  if (groups.length > 0) headers["impersonate-group"] = groups;
  const base = { method: request.method ?? "GET", path: request.url ?? "/", headers };
  return body === undefined ? base : { ...base, body };
}

async function readBody(request: Request): Promise<Uint8Array | undefined | "too large"> {
  if (!hasBody(request)) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  // Node watches over this in HTTP/1.1 only.
  const stream = isHttp2(request) ? request.stream : undefined;
  const late = stream && setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), REQUEST_TIMEOUT_MS);
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > BODY_LIMIT) return "too large";
      chunks.push(chunk);
    }
  } finally {
    clearTimeout(late);
  }
  if (chunks.length === 0) return undefined;
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
}

/** HTTP/1.1 says so ahead. */
function hasBody(request: Request): boolean {
  const { headers } = request;
  return isHttp2(request) || headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

async function send(request: Request, response: Response, answer: HttpResponse, gone: AbortSignal): Promise<void> {
  const headers: Record<string, string | string[]> = {};
  for (const name of Object.keys(answer.headers)) {
    const value = answer.headers[name];
    if (value !== undefined) headers[name] = typeof value === "string" ? value : [...value];
  }
  const { body } = answer;
  if (typeof body === "string" || body instanceof Uint8Array) {
    const length = Buffer.byteLength(body);
    const packed =
      length >= GZIP_FROM && /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""))
        ? await zipped(body)
        : undefined;
    if (packed !== undefined) headers["content-encoding"] = "gzip";
    headers["content-length"] = String(packed?.length ?? length);
    writeHead(response, answer.status, headers);
    // A text goes out in one piece with the headers.
    response.end(request.method === "HEAD" ? "" : (packed ?? body));
    return;
  }
  writeHead(response, answer.status, headers);
  if (!isHttp2(response)) response.flushHeaders();
  for await (const chunk of body) {
    if (gone.aborted) return;
    if (!write(response, chunk)) await drained(response);
  }
  response.end();
}

function zipped(bytes: string | Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    gzip(bytes, { level: 1 }, (error, out) => {
      if (error === null) resolve(out);
      else reject(error);
    });
  });
}

/** Whether more may follow at once. */
function write(response: Response, chunk: string | Uint8Array): boolean {
  return isHttp2(response) ? response.write(chunk) : response.write(chunk);
}

function drained(response: Response): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.once("drain", done);
    response.once("close", done);
  });
}

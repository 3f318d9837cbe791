import { createServer, type Server } from "node:https";
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

const GZIP_FROM = 128 * 1024;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\]|kubernetes(?:\.default(?:\.svc)?)?)(?::\d+)?$/i;

/** Listens with TLS. @throws FairleadError `PortInUse`, `PortForbidden` or `Listen`, naming the port and what to do */
export async function listen(options: ListenOptions): Promise<Listening> {
  const server = createServer({
    cert: options.certificate.certificate + options.authority,
    key: options.certificate.privateKey,
    minVersion: "TLSv1.2",
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.keepAliveTimeout = 65_000;
  server.requestTimeout = 60_000;
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
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

function bound(server: Server, { host, port }: ListenOptions): Promise<void> {
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

async function serve(
  { handler, logger }: ListenOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => {
    if (!response.writableFinished) gone.abort(new Error("the client went away"));
  });
  try {
    if (!LOOPBACK.test(request.headers.host ?? "") || request.headers.origin !== undefined)
      return refuse(response, 403, "this server answers to loopback names only");
    const body = await readBody(request);
    if (body === "too large") return refuse(response, 413, `Request entity too large: limit is ${BODY_LIMIT}`);
    const answer = await handler(httpRequest(request, body), gone.signal);
    await send(request, response, answer);
  } catch (error) {
    if (!gone.signal.aborted) logger.error("connection failed", { error });
    response.destroy();
  }
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
    if (!LOOPBACK.test(request.headers.host ?? "") || request.headers.origin !== undefined)
      refuse(response, 403, "this server answers to loopback names only");
    else await send(request, response, await handler(httpRequest(request, undefined), gone.signal));
    response.once("finish", () => socket.end());
  } catch (error) {
    if (!gone.signal.aborted) logger.error("connection failed", { error });
    socket.destroy();
  }
}

function refuse(response: ServerResponse, code: number, message: string): void {
  const reason = code === 413 ? "RequestEntityTooLarge" : "Forbidden";
  response.writeHead(code, { "content-type": "application/json", connection: "close" });
  response.end(
    `${JSON.stringify({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code })}\n`,
  );
}

function httpRequest(request: IncomingMessage, body: Uint8Array | undefined): HttpRequest {
  const headers: Record<string, string | readonly string[] | undefined> = { ...request.headers };
  const groups = request.headersDistinct["impersonate-group"];
  if (groups !== undefined) headers["impersonate-group"] = groups;
  const base = { method: request.method ?? "GET", path: request.url ?? "/", headers };
  return body === undefined ? base : { ...base, body };
}

async function readBody(request: IncomingMessage): Promise<Uint8Array | undefined | "too large"> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_LIMIT) return "too large";
    chunks.push(chunk);
  }
  if (chunks.length === 0) return undefined;
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
}

async function send(request: IncomingMessage, response: ServerResponse, answer: HttpResponse): Promise<void> {
  const headers: Record<string, string | string[]> = {};
  for (const name of Object.keys(answer.headers)) {
    const value = answer.headers[name];
    if (value !== undefined) headers[name] = typeof value === "string" ? value : [...value];
  }
  const { body } = answer;
  if (typeof body === "string" || body instanceof Uint8Array) {
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    const packed =
      bytes.length >= GZIP_FROM && /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""))
        ? await zipped(bytes)
        : undefined;
    const out = packed ?? bytes;
    if (packed !== undefined) headers["content-encoding"] = "gzip";
    headers["content-length"] = String(out.length);
    response.writeHead(answer.status, headers);
    response.end(request.method === "HEAD" ? undefined : out);
    return;
  }
  response.writeHead(answer.status, headers);
  response.flushHeaders();
  for await (const chunk of body) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await drained(response);
  }
  response.end();
}

function zipped(bytes: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    gzip(bytes, { level: 1 }, (error, out) => {
      if (error === null) resolve(out);
      else reject(error);
    });
  });
}

function drained(response: ServerResponse): Promise<void> {
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

import { request as send } from "node:https";

import { messageOf, onAbort, type HttpRequest, type HttpResponse } from "@fairlead/base";

import type { WebhookTransport } from "../registry/webhooks.js";

/** Bytes of an answer, beyond which it is given up. */
const ANSWER_LIMIT = 64 * 1024 * 1024;

/** Calls webhooks over TLS, each call on a connection of its own. */
export const httpsWebhooks: WebhookTransport =
  ({ origin, serverName, authorities }) =>
  (request, signal) =>
    new Promise<HttpResponse>((resolve, reject) => {
      const { hostname, port } = new URL(origin);
      const outgoing = send({
        host: hostname.replace(/^\[|\]$/g, ""),
        port: port === "" ? 443 : Number(port),
        method: request.method,
        path: request.path,
        headers: { ...request.headers, "content-length": lengthOf(request) },
        agent: false,
        ...(serverName === undefined ? {} : { servername: serverName }),
        ...(authorities === undefined ? {} : { ca: authorities }),
      });
      const stop = onAbort(signal, () => outgoing.destroy(signal.reason as Error));
      outgoing.on("close", stop);
      outgoing.on("error", (error) => {
        reject(signal.aborted ? (signal.reason as Error) : new Error(goMessage(error, origin), { cause: error }));
      });
      outgoing.on("response", (incoming) => {
        const chunks: Uint8Array[] = [];
        let length = 0;
        incoming.on("data", (chunk: Uint8Array) => {
          chunks.push(chunk);
          length += chunk.length;
          if (length > ANSWER_LIMIT) outgoing.destroy(new Error(`the answer is longer than ${ANSWER_LIMIT} bytes`));
        });
        incoming.on("error", reject);
        incoming.on("end", () => {
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(chunks) });
        });
      });
      outgoing.end(request.body);
    });

function lengthOf({ body = "" }: HttpRequest): number {
  return typeof body === "string" ? Buffer.byteLength(body) : body.length;
}

/** The failures that people meet, as Go words them. */
function goMessage(error: NodeJS.ErrnoException, origin: string): string {
  const { host, hostname } = new URL(origin);
  const at = host === hostname ? `${host}:443` : host;
  switch (error.code) {
    case "ECONNREFUSED":
      return `dial tcp ${at}: connect: connection refused`;
    case "ENOTFOUND":
      return `dial tcp: lookup ${hostname}: no such host`;
    case "ECONNRESET":
      return "EOF";
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
      return "tls: failed to verify certificate: x509: certificate signed by unknown authority";
    case "CERT_HAS_EXPIRED":
      return "tls: failed to verify certificate: x509: certificate has expired or is not yet valid";
    default:
      return messageOf(error);
  }
}

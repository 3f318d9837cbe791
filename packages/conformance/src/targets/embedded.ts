import { Agent, request as httpsRequest } from "node:https";
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";

import { startListeningServer } from "@fairlead/apiserver/node";
import { systemClock } from "@fairlead/base/node";

import type { Answer } from "../suite/digest.js";
import type { Target } from "../suite/target.js";

const TIMEOUT_MS = 30_000;

/**
 * A fresh embedded server on loopback, on which nothing acts on objects but the server itself, spoken to over TLS by
 * Node's own HTTP client rather than ours.
 */
export async function embeddedTarget(): Promise<Target> {
  const server = await startListeningServer({ disableAdmissionPlugins: ["ServiceAccount"] });
  const agent = new Agent({ keepAlive: true, ca: server.authority });
  const { hostname, port } = new URL(server.url);
  return {
    clock: systemClock,
    send: ({ method, path, contentType, accept, body, as }, signal) =>
      new Promise<Answer>((resolve, reject) => {
        const headers: OutgoingHttpHeaders = {
          accept: accept ?? "application/json",
          authorization: `Bearer ${server.token}`,
          ...(as === undefined ? {} : { "impersonate-user": as.user }),
          ...(as?.groups === undefined || as.groups.length === 0 ? {} : { "impersonate-group": [...as.groups] }),
          ...(body === undefined
            ? {}
            : { "content-type": contentType ?? "application/json", "content-length": Buffer.byteLength(body) }),
        };
        const sent = httpsRequest({ hostname, port, agent, method, path, headers, signal }, (response) => {
          read(response).then(resolve, reject);
        });
        sent.on("error", reject);
        sent.setTimeout(TIMEOUT_MS, () => sent.destroy(new Error(`no answer in ${String(TIMEOUT_MS)} ms`)));
        sent.end(body);
      }),
    async close() {
      agent.destroy();
      await server.close();
    },
  };
}

async function read(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const { warning } = response.headers as { readonly warning?: string | readonly string[] };
  return {
    status: response.statusCode ?? 0,
    contentType: response.headers["content-type"] ?? "",
    warnings: warning === undefined ? [] : typeof warning === "string" ? [warning] : warning,
    text: Buffer.concat(chunks).toString("utf8"),
  };
}

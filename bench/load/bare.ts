import { appendFileSync, closeSync, fsync, openSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

import { certificateAuthority, serverCertificate } from "@fairlead/apiserver/node";
import { systemClock, systemRandom } from "@fairlead/base/node";

import { announce } from "./child.js";

/*
 * What the figures are compared with: node bare.js [FILE]
 *
 * A TLS server that parses a body, prints it again and keeps the text under its path; a GET answers with it. With a file
 * it appends the text and answers when it is fsynced, as many at a time as came while the last fsync ran.
 */
const [file] = process.argv.slice(2);
const nowMs = systemClock.now();
const authority = certificateAuthority({ commonName: "bare-ca", nowMs, random: systemRandom });
const { certificate, privateKey } = serverCertificate(authority, {
  commonName: "bare",
  names: ["127.0.0.1"],
  nowMs,
  random: systemRandom,
});

const kept = new Map<string, string>();
const append = file === undefined ? undefined : grouped(openSync(file, "a", 0o600));
const server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
  const path = (request.url ?? "").split("?")[0] ?? "";
  const answer = (text: string): void => {
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
    response.end(text);
  };
  if (request.method === "GET") return answer(kept.get(path) ?? "{}");
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const text = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString()));
    kept.set(path, text);
    if (append === undefined) answer(text);
    else append(text, () => answer(text));
  });
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as AddressInfo;
await announce({ url: `https://127.0.0.1:${port}`, authority: authority.certificate, token: "" });
server.closeAllConnections();
server.close();

function grouped(descriptor: number): (text: string, done: () => void) => void {
  let waiting: { readonly text: string; readonly done: () => void }[] = [];
  let running = false;
  const flush = (): void => {
    const group = waiting;
    waiting = [];
    running = group.length > 0;
    if (!running) return;
    appendFileSync(descriptor, group.map(({ text }) => `${text}\n`).join(""));
    fsync(descriptor, (error) => {
      if (error !== null) throw error;
      for (const { done } of group) done();
      flush();
    });
  };
  process.on("exit", () => {
    closeSync(descriptor);
  });
  return (text, done) => {
    waiting.push({ text, done });
    if (!running) {
      running = true;
      setImmediate(flush);
    }
  };
}

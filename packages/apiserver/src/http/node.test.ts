import { once } from "node:events";
import { connect, type ClientHttp2Session, type ClientHttp2Stream, type OutgoingHttpHeaders } from "node:http2";
import { request as https } from "node:https";

import { header, silentLogger, type HttpRequest, type HttpResponse } from "@fairlead/base";
import { systemClock, systemRandom } from "@fairlead/base/node";
import { afterEach, describe, expect, it } from "vitest";

import { certificateAuthority, serverCertificate } from "../auth/certificates/certificates.js";
import { listen, type Listening } from "./node.js";

const nowMs = systemClock.now();
const authority = certificateAuthority({ commonName: "test-ca", nowMs, random: systemRandom });
const certificate = serverCertificate(authority, {
  commonName: "test",
  names: ["127.0.0.1"],
  nowMs,
  random: systemRandom,
});

const opened: Listening[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

async function serving(handler: (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>): Promise<number> {
  const options = { handler, logger: silentLogger, certificate, authority: authority.certificate };
  const listening = await listen({ ...options, host: "127.0.0.1", port: 0 });
  opened.push(listening);
  return listening.port;
}

async function session(port: number): Promise<ClientHttp2Session> {
  const client = connect(`https://127.0.0.1:${port}`, { ca: authority.certificate });
  client.on("error", () => undefined);
  await once(client, "connect");
  return client;
}

async function exchange(
  client: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body?: string,
): Promise<{ readonly status: unknown; readonly text: string; readonly headers: Record<string, unknown> }> {
  const stream = client.request(headers, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const [answered] = (await once(stream, "response")) as [Record<string, unknown>];
  return { status: answered[":status"], text: await textOf(stream), headers: answered };
}

async function textOf(stream: ClientHttp2Stream): Promise<string> {
  let text = "";
  for await (const chunk of stream as AsyncIterable<Buffer>) text += chunk.toString();
  return text;
}

const echo = (request: HttpRequest): Promise<HttpResponse> =>
  Promise.resolve({
    status: 201,
    headers: { "content-type": "text/plain", warning: ["one", "two"] },
    body: JSON.stringify({
      method: request.method,
      path: request.path,
      groups: request.headers["impersonate-group"],
      accept: header(request.headers, "accept"),
      names: Object.keys(request.headers).filter((name) => name.startsWith(":")),
      body: request.body === undefined ? null : new TextDecoder().decode(request.body as Uint8Array),
    }),
  });

describe("the listening socket", () => {
  it("speaks HTTP/2 to who asks for it", async () => {
    const client = await session(await serving(echo));
    const answer = await exchange(
      client,
      { ":method": "POST", ":path": "/api/v1?x=%20", accept: "a/b", "impersonate-group": ["g, 1", "g2"] },
      "hello",
    );
    expect(client.alpnProtocol).toBe("h2");
    expect(answer.status).toBe(201);
    expect(answer.headers["warning"]).toBe("one, two");
    expect(JSON.parse(answer.text)).toEqual({
      method: "POST",
      path: "/api/v1?x=%20",
      groups: ["g, 1", "g2"],
      accept: "a/b",
      names: [],
      body: "hello",
    });
    client.destroy();
  });

  it("speaks HTTP/1.1 to everybody else, with the same answers", async () => {
    const port = await serving(echo);
    const text = await new Promise<string>((resolve, reject) => {
      const headers = { "impersonate-group": ["g, 1", "g2"] };
      const sent = https({ host: "127.0.0.1", port, path: "/x", ca: authority.certificate, headers }, (response) => {
        let all = "";
        response.on("data", (chunk: Buffer) => (all += chunk.toString()));
        response.on("end", () => {
          resolve(`${response.httpVersion} ${all}`);
        });
      });
      sent.on("error", reject);
      sent.end();
    });
    expect(text).toBe('1.1 {"method":"GET","path":"/x","groups":["g, 1","g2"],"names":[],"body":null}');
  });

  it("tells the handler of a stream that it was reset, and goes on with the others", async () => {
    let ended: (reason: unknown) => void = () => undefined;
    const seen = new Promise((resolve) => (ended = resolve));
    const port = await serving((request, signal) => {
      if (request.path !== "/watch") return echo(request);
      async function* lines(): AsyncGenerator<string> {
        yield "first\n";
        await new Promise((resolve) => {
          signal.addEventListener("abort", resolve, { once: true });
        });
        ended(signal.aborted);
      }
      return Promise.resolve({ status: 200, headers: {}, body: lines() });
    });
    const client = await session(port);
    const stream = client.request({ ":path": "/watch" });
    const [chunk] = (await once(stream, "data")) as [Buffer];
    expect(chunk.toString()).toBe("first\n");
    stream.close();
    expect(await seen).toBe(true);
    expect((await exchange(client, { ":path": "/other" })).status).toBe(201);
    client.destroy();
  });

  it("refuses other names than the machine's own, and bodies that are too large", async () => {
    const client = await session(await serving(echo));
    expect((await exchange(client, { ":path": "/", ":authority": "evil.example" })).status).toBe(403);
    expect((await exchange(client, { ":path": "/", origin: "https://evil.example" })).status).toBe(403);
    const large = await exchange(client, { ":method": "POST", ":path": "/" }, "x".repeat(3 * 1024 * 1024 + 1));
    expect(large.status).toBe(413);
    client.destroy();
  });

  it("closes at once while streams are open", async () => {
    const port = await serving((_, signal) => {
      async function* never(): AsyncGenerator<string> {
        yield "x";
        await new Promise((resolve) => {
          signal.addEventListener("abort", resolve, { once: true });
        });
      }
      return Promise.resolve({ status: 200, headers: {}, body: never() });
    });
    const client = await session(port);
    const stream = client.request({ ":path": "/watch" });
    stream.on("error", () => undefined);
    await once(stream, "data");
    const closed = once(client, "close");
    await opened.splice(0)[0]?.close();
    await closed;
  });
});

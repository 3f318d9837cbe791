import { never, type HttpRequest } from "@fairlead/base";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { impersonating, nodeTransport, staticToken, type NodeTransport, type NodeTransportOptions } from "../node.js";
import { watchEvents } from "../index.js";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  options: Partial<NodeTransportOptions> = {},
): Promise<NodeTransport & { readonly server: Server; readonly sockets: () => number }> {
  let sockets = 0;
  const server = createServer(answer).on("connection", () => sockets++);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  const transport = nodeTransport({
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`,
    ...options,
  });
  closing.push(() => transport.close());
  return { ...transport, server, sockets: () => sockets };
}

const get = (path: string): HttpRequest => ({ method: "GET", path, headers: { accept: "application/json" } });

describe("nodeTransport", () => {
  it("sends requests over kept connections, below the server's path", async () => {
    const seen: (string | undefined)[] = [];
    const { transport, sockets } = await serve(
      (request, response) => {
        seen.push(request.url, request.headers.authorization, request.headers["user-agent"]);
        response.setHeader("x-a", ["1", "2"]).end("{}");
      },
      { credentials: staticToken("t") },
    );
    for (let i = 0; i < 20; i++) expect(await transport(get("/api"), never)).toMatchObject({ status: 200, body: "{}" });
    expect(seen.slice(0, 3)).toEqual(["/base/api", "Bearer t", "fairlead"]);
    expect(sockets()).toBeLessThan(3);
  });

  it("sends a body and repeated headers", async () => {
    let groups: readonly string[] | undefined;
    const { transport } = await serve(
      (request, response) => {
        groups = request.headersDistinct["impersonate-group"];
        request.pipe(response);
      },
      { credentials: impersonating({ user: "a", groups: ["x", "y"] }) },
    );
    expect(await transport({ method: "POST", path: "/", headers: {}, body: '{"ä":1}' }, never)).toMatchObject({
      body: '{"ä":1}',
    });
    expect(groups).toEqual(["x", "y"]);
  });

  it("streams a watch, and closes its connection when the reader leaves", async () => {
    let left = false;
    const { transport } = await serve((request, response) => {
      response.write('{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n');
      response.on("close", () => (left = true));
    });
    for await (const event of watchEvents(transport, get("/pods?watch=true"), never)) {
      expect(event).toMatchObject({ type: "ADDED" });
      break;
    }
    await expect.poll(() => left).toBe(true);
  });

  it("ends with the signal's reason, before the answer and within a stream", async () => {
    const { transport } = await serve((request, response) => {
      if (request.url?.includes("watch") === true) response.write('{"type":"ADDED","object":{}}\n');
    });
    for (const path of ["/slow", "/pods?watch=true"]) {
      const stop = new AbortController();
      const reading = (async () => {
        for await (const event of watchEvents(transport, get(path), stop.signal))
          stop.abort(new Error(`enough of ${event.type}`));
      })();
      if (path === "/slow") stop.abort(new Error("enough"));
      await expect(reading).rejects.toThrow("enough");
    }
  });

  it("tells that there was no answer", async () => {
    const { transport, server } = await serve((_request, response) => response.destroy());
    await expect(transport(get("/x?y"), never)).rejects.toMatchObject({
      code: "Connection",
      message: expect.stringContaining("GET /x: no answer from http://127.0.0.1") as string,
    });
    expect(server.listening).toBe(true);
  });

  it("gets another token when one is refused, and tries once more", async () => {
    let token = "old";
    const { transport } = await serve(
      (request, response) => {
        response.writeHead(request.headers.authorization === "Bearer new" ? 200 : 401).end();
      },
      {
        credentials: {
          headers: () => Promise.resolve({ authorization: `Bearer ${token}` }),
          renew: () => Promise.resolve((token = "new") === "new"),
        },
      },
    );
    expect(await transport(get("/"), never)).toMatchObject({ status: 200 });
  });

  it("closes watches that are still open", async () => {
    const { transport, close } = await serve(
      (_request, response) => void response.write('{"type":"ADDED","object":{}}\n'),
    );
    const events = watchEvents(transport, get("/pods?watch=true"), never);
    await events.next();
    const next = events.next();
    await Promise.all([close(), expect(next).rejects.toMatchObject({ code: "Connection" })]);
  });
});

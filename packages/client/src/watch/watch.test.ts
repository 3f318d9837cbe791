import { never } from "@fairlead/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lines, watchEvents, type WatchEvent } from "../index.js";
import { jsonResponse, scriptedTransport, statusResponse, watchResponse } from "../testing.js";
import { watchRequest } from "../request/request.js";

const request = watchRequest("/api/v1/pods", {});
const pod = (name: string): unknown => ({ metadata: { name, resourceVersion: "1" } });

async function all<T>(stream: AsyncIterable<T>): Promise<readonly T[]> {
  const out: T[] = [];
  for await (const one of stream) out.push(one);
  return out;
}

async function* chunked(chunks: readonly (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  for (const chunk of chunks) yield await Promise.resolve(chunk);
}

describe("lines", () => {
  it("do not depend on where the bytes are cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: "binary" }).map((s) => s.replaceAll("\n", ""))),
        fc.array(fc.nat(200)),
        async (texts, cuts) => {
          const bytes = new TextEncoder().encode(texts.map((text) => `${text}\n`).join(""));
          const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].sort((a, b) => a - b);
          const pieces = at.slice(1).map((end, i) => bytes.subarray(at[i], end));
          const want = texts.map((text) => text.toWellFormed().replace(/^\ufeff/, "")).filter((text) => text !== "");
          const got = await all(lines(chunked(pieces)));
          // A decoder drops one byte order mark at the very beginning.
          expect(got.slice(1)).toEqual(want.slice(want.length - got.length + 1));
        },
      ),
    );
  });

  it("drop an unfinished line", async () => {
    expect(await all(lines(chunked(["a\nb", "c\n\nd"])))).toEqual(["a", "bc"]);
  });

  it("are bounded", async () => {
    await expect(all(lines(chunked(["aaaa", "aaaa"]), 6))).rejects.toThrow(RangeError);
  });
});

describe("watchEvents", () => {
  it.each([1, 7, 1000])("decodes events cut into chunks of %i", async (chunk) => {
    const { transport } = scriptedTransport(
      watchResponse(
        [
          { type: "ADDED", object: pod("a") },
          {
            type: "BOOKMARK",
            object: { metadata: { resourceVersion: "9", annotations: { "k8s.io/initial-events-end": "true" } } },
          },
          { type: "DELETED", object: pod("ä") },
        ],
        chunk,
      ),
    );
    expect(await all(watchEvents(transport, request, never))).toEqual([
      { type: "ADDED", object: pod("a") },
      { type: "BOOKMARK", resourceVersion: "9", initialEventsEnd: true },
      { type: "DELETED", object: pod("ä") },
    ]);
  });

  it("throws what the server says within the stream", async () => {
    const error = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      reason: "Expired",
      message: "too old",
      code: 410,
    };
    const { transport } = scriptedTransport(
      watchResponse([
        { type: "ADDED", object: pod("a") },
        { type: "ERROR", object: error },
      ]),
    );
    const seen: WatchEvent<never>[] = [];
    await expect(
      (async () => {
        for await (const event of watchEvents<never>(transport, request, never)) seen.push(event);
      })(),
    ).rejects.toMatchObject({ reason: "Expired" });
    expect(seen).toHaveLength(1);
  });

  it("throws what the server answers instead of a stream, and what is no event", async () => {
    const { transport } = scriptedTransport(
      statusResponse(403, "Forbidden", "no"),
      { status: 200, headers: {}, body: "<html>\n" },
      jsonResponse({ type: "NEW" }),
    );
    await expect(all(watchEvents(transport, request, never))).rejects.toMatchObject({ reason: "Forbidden" });
    await expect(all(watchEvents(transport, request, never))).rejects.toMatchObject({ code: "WatchDecode" });
  });

  it("closes the connection when its reader leaves, and ends with the reason when it is aborted", async () => {
    let seen: AbortSignal | undefined;
    const { transport } = scriptedTransport(
      (_request, signal) => {
        seen = signal;
        return watchResponse([
          { type: "ADDED", object: pod("a") },
          { type: "ADDED", object: pod("b") },
        ]);
      },
      (_request, signal) => Promise.reject(signal.reason as Error),
    );
    for await (const event of watchEvents(transport, request, never)) {
      expect(event.type).toBe("ADDED");
      break;
    }
    expect(seen?.aborted).toBe(true);
    await expect(all(watchEvents(transport, request, AbortSignal.abort(new Error("enough"))))).rejects.toThrow(
      "enough",
    );
  });
});

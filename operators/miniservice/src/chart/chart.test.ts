import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";

import type { HttpResponse } from "@fairlead/base";
import { pack } from "tar-stream";
import { describe, expect, it } from "vitest";

import { checkArchive } from "./archive.js";
import { fetchChart, type Fetch } from "./fetch.js";
import { chartSource } from "./source.js";

const signal = new AbortController().signal;
const local = { allowLocal: true };

describe("a chart's URL", () => {
  it.each<[url: string, source: object]>([
    ["https://h/x-1.tgz", { kind: "https" }],
    ["file:///a%20b/c", { kind: "local", path: "/a b/c" }],
    [
      "oci://reg.example/charts/foo:1.0.0",
      { kind: "oci", host: "reg.example", repository: "charts/foo", reference: "1.0.0" },
    ],
    ["oci://reg.example:5000/foo:1.0.0+a", { host: "reg.example:5000", reference: "1.0.0_a" }],
    [`oci://reg.example/foo@sha256:${"a".repeat(64)}`, { reference: `sha256:${"a".repeat(64)}` }],
  ])("%s is read", (url, source) => {
    expect(chartSource(url, local)).toMatchObject(source);
  });

  it.each<[url: string, message: RegExp]>([
    ["", /is empty/],
    ["http://h/x.tgz", /http:\/\/ is not supported; use https/],
    ["oci://h/x", /names no version/],
    ["not a url", /not a URL/],
    ["https://user:secret@h/x?token=1", /^$/],
  ])("%s is refused, or hides its secrets", (url, message) => {
    const read = (): unknown => chartSource(url, { allowLocal: false });
    if (message.source === "^$") expect(read()).toMatchObject({ kind: "https" });
    else expect(read).toThrow(message);
  });

  it("of this machine is refused where that is not allowed", () => {
    expect(() => chartSource("file:///etc", { allowLocal: false })).toThrow(/local charts are not allowed/);
  });
});

async function archive(
  entries: readonly (readonly [name: string, content: string, type?: "symlink"])[],
): Promise<Buffer> {
  const tar = pack();
  for (const [name, content, type] of entries) {
    if (type === undefined) tar.entry({ name }, content);
    else tar.entry({ name, type, linkname: content });
  }
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar as AsyncIterable<Buffer>) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
}

describe("a chart's archive", () => {
  it("of plain files is let through", async () => {
    await expect(checkArchive(await archive([["c/Chart.yaml", "name: c"]]), "c.tgz")).resolves.toBeUndefined();
  });

  it.each<[sentence: string, make: () => Promise<Buffer>, message: RegExp]>([
    ["that is no archive", () => Promise.resolve(Buffer.from("hello")), /c\.tgz is not a gzipped tar archive/],
    [
      "that is cut off",
      async () => (await archive([["c/Chart.yaml", "x".repeat(5000)]])).subarray(0, 60),
      /not a gzipped tar archive/,
    ],
    ["with a link", () => archive([["c/x", "/etc/passwd", "symlink"]]), /holds c\/x, a symlink/],
    ["that leaves its folder", () => archive([["../x", ""]]), /leaves the chart's folder/],
    ["with a huge file", () => archive([["c/x", "0".repeat(6 << 20)]]), /at most \d+ are allowed/],
    ["with nothing in it", () => archive([]), /is empty/],
  ])("%s is refused", async (_sentence, make, message) => {
    await expect(checkArchive(await make(), "c.tgz")).rejects.toThrow(message);
  });

  it("that unpacks to too much is refused", async () => {
    const big = await archive(Array.from({ length: 20 }, (_, i) => [`c/${i}`, "0".repeat(1000)] as const));
    await expect(checkArchive(big, "c.tgz", { maxBytes: 10_000, maxFileBytes: 5000, maxEntries: 100 })).rejects.toThrow(
      /unpacks to more than 10000 bytes/,
    );
  });
});

/** A web of fixed answers. */
function web(
  pages: Readonly<
    Record<string, Partial<HttpResponse> | ((headers: Readonly<Record<string, unknown>>) => Partial<HttpResponse>)>
  >,
): { readonly fetch: Fetch; readonly seen: string[] } {
  const seen: string[] = [];
  return {
    seen,
    fetch: (url, headers) => {
      seen.push(`${url.href} ${String(headers["authorization"] ?? "-")}`);
      const page = pages[url.href];
      const answer = typeof page === "function" ? page(headers) : (page ?? { status: 404 });
      return Promise.resolve({ status: 200, headers: {}, body: "", ...answer });
    },
  };
}

describe("fetching a chart", () => {
  const chart = Buffer.from("chart bytes");
  const digest = `sha256:${createHash("sha256").update(chart).digest("hex")}`;
  const manifest = JSON.stringify({
    layers: [{ mediaType: "application/vnd.cncf.helm.chart.content.v1.tar+gzip", digest }],
  });
  const oci = { kind: "oci", host: "reg.example", repository: "charts/foo", reference: "1.0.0" } as const;
  const https = (url: string) => ({ kind: "https", url: new URL(url) }) as const;

  it("follows redirects over HTTPS and leaves the credentials behind", async () => {
    const { fetch, seen } = web({
      "https://a/x.tgz": { status: 302, headers: { location: "https://b/y" } },
      "https://b/y": { body: chart },
    });
    expect(
      Buffer.from(
        await fetchChart(https("https://a/x.tgz"), {
          fetch,
          auth: [{ auths: { "https://a": { auth: "abc" } } }],
          signal,
        }),
      ),
    ).toEqual(chart);
    expect(seen).toEqual(["https://a/x.tgz Basic abc", "https://b/y -"]);
  });

  it("does not follow a redirect away from HTTPS", async () => {
    const { fetch } = web({ "https://a/x.tgz": { status: 302, headers: { location: "http://a/y" } } });
    await expect(fetchChart(https("https://a/x.tgz"), { fetch, auth: [], signal })).rejects.toMatchObject({
      retriable: false,
      message: expect.stringContaining("redirects away from HTTPS") as string,
    });
  });

  it.each<[status: number, retriable: boolean]>([
    [404, false],
    [401, false],
    [429, true],
    [503, true],
  ])("an answer of %i is worth another try: %s", async (status, retriable) => {
    const { fetch } = web({ "https://a/x.tgz?token=secret": { status } });
    const failed = fetchChart(https("https://a/x.tgz?token=secret"), { fetch, auth: [], signal });
    await expect(failed).rejects.toMatchObject({ retriable });
    await expect(failed).rejects.toThrow(/^(?!.*secret)/);
  });

  it("takes a token from where a registry sends it, and checks the layer's digest", async () => {
    const auth = (headers: Readonly<Record<string, unknown>>): boolean => headers["authorization"] === "Bearer tok";
    const { fetch } = web({
      "https://reg.example/v2/charts/foo/manifests/1.0.0": (headers) =>
        auth(headers)
          ? { body: manifest }
          : {
              status: 401,
              headers: { "www-authenticate": 'Bearer realm="https://auth.example/t",service="reg",scope="pull"' },
            },
      "https://auth.example/t?service=reg&scope=pull": { body: '{"token":"tok"}' },
      [`https://reg.example/v2/charts/foo/blobs/${digest}`]: (headers) =>
        auth(headers) ? { body: chart } : { status: 401 },
    });
    expect(Buffer.from(await fetchChart(oci, { fetch, auth: [], signal }))).toEqual(chart);
  });

  it("refuses a layer that arrives damaged", async () => {
    const { fetch } = web({
      "https://reg.example/v2/charts/foo/manifests/1.0.0": { body: manifest },
      [`https://reg.example/v2/charts/foo/blobs/${digest}`]: { body: "other" },
    });
    await expect(fetchChart(oci, { fetch, auth: [], signal })).rejects.toThrow(/arrived damaged/);
  });
});

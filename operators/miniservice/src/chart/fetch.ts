import { createHash } from "node:crypto";

import { bodyChunks, header, messageOf, type HttpHeaders, type HttpResponse } from "@fairlead/base";

import type { RegistryAuth } from "../api.js";
import { RenderError, redactedUrl } from "../render/renderer.js";
import type { ChartSource } from "./source.js";

/** One HTTP GET anywhere; redirects are answers. The only way to the network that fetching a chart is given. */
export type Fetch = (url: URL, headers: HttpHeaders, signal: AbortSignal) => Promise<HttpResponse>;

export interface FetchChartOptions {
  readonly fetch: Fetch;
  readonly auth: readonly RegistryAuth[];
  readonly signal: AbortSignal;
}

export const MAX_ARCHIVE_BYTES: number = 50 * 1024 * 1024;
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;
const MAX_REDIRECTS = 10;
const CHART_LAYER = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";
const MANIFEST = "application/vnd.oci.image.manifest.v1+json";

/**
 * The bytes of a chart's archive.
 *
 * @throws RenderError; retriable for what the network did, not for what the server said about this chart.
 */
export async function fetchChart(
  source: ChartSource & { readonly kind: "https" | "oci" },
  options: FetchChartOptions,
): Promise<Uint8Array> {
  if (source.kind === "https") {
    const response = await get(source.url, basicAuth(options.auth, source.url.host), options);
    return read(response, source.url, MAX_ARCHIVE_BYTES);
  }
  return fetchOci(source, options);
}

async function fetchOci(
  { host, repository, reference }: ChartSource & { readonly kind: "oci" },
  options: FetchChartOptions,
): Promise<Uint8Array> {
  const base = new URL(`https://${host}/v2/${repository}/`);
  const manifestUrl = new URL(`manifests/${reference}`, base);
  const credentials = basicAuth(options.auth, host);
  const authorization = await ociAuthorization(manifestUrl, credentials, options);
  const headers = authorization === undefined ? {} : { authorization };
  const response = await get(manifestUrl, { ...headers, accept: MANIFEST }, options);
  const manifest = parseManifest(await read(response, manifestUrl, MAX_MANIFEST_BYTES), manifestUrl);
  const layer = manifest.layers?.find((l) => l.mediaType === CHART_LAYER);
  if (layer === undefined) throw refused(manifestUrl, "holds no Helm chart");
  const blobUrl = new URL(`blobs/${layer.digest}`, base);
  const bytes = await read(await get(blobUrl, headers, options), blobUrl, MAX_ARCHIVE_BYTES);
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  if (digest !== layer.digest)
    throw new RenderError(
      `chart ${redactedUrl(blobUrl.href)} arrived damaged: expected ${layer.digest}, got ${digest}`,
      { retriable: true },
    );
  return bytes;
}

interface Manifest {
  readonly layers?: readonly { readonly mediaType: string; readonly digest: string }[];
}

function parseManifest(bytes: Uint8Array, url: URL): Manifest {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as Manifest;
  } catch (cause) {
    throw new RenderError(`chart ${redactedUrl(url.href)}: the registry's manifest is not JSON`, {
      retriable: true,
      cause,
    });
  }
}

/** The header that the registry wants: none, basic, or a token that it sends us to fetch (distribution spec: token auth). */
async function ociAuthorization(
  url: URL,
  credentials: HttpHeaders,
  options: FetchChartOptions,
): Promise<string | undefined> {
  const probe = await send(url, { ...credentials, accept: MANIFEST }, options);
  await drain(probe);
  const basic = header(credentials, "authorization");
  if (probe.status !== 401) return basic;
  const challenge = header(probe.headers, "www-authenticate") ?? "";
  const realm = /realm="([^"]+)"/.exec(challenge)?.[1];
  if (!/^bearer /i.test(challenge) || realm === undefined) return basic;
  const tokenUrl = new URL(realm);
  if (tokenUrl.protocol !== "https:") throw refused(url, "the registry asks for a token over plain HTTP");
  for (const name of ["service", "scope"]) {
    const value = new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1];
    if (value !== undefined) tokenUrl.searchParams.set(name, value);
  }
  const response = await get(tokenUrl, credentials, options);
  const answer = JSON.parse(new TextDecoder().decode(await read(response, tokenUrl, MAX_MANIFEST_BYTES))) as {
    readonly token?: string;
    readonly access_token?: string;
  };
  const token = answer.token ?? answer.access_token;
  return token === undefined ? basic : `Bearer ${token}`;
}

/** A GET that follows redirects over HTTPS only; credentials stay with the host that they are for. */
async function get(url: URL, headers: HttpHeaders, options: FetchChartOptions): Promise<HttpResponse> {
  let at = url;
  let sent = headers;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await send(at, sent, options);
    const location = header(response.headers, "location");
    if (![301, 302, 303, 307, 308].includes(response.status) || location === undefined) return checked(response, at);
    await drain(response);
    const next = new URL(location, at);
    if (next.protocol !== "https:") throw refused(at, "redirects away from HTTPS");
    if (next.host !== at.host) sent = { ...sent, authorization: undefined };
    at = next;
  }
  throw refused(url, `redirects more than ${MAX_REDIRECTS} times`);
}

async function send(url: URL, headers: HttpHeaders, { fetch, signal }: FetchChartOptions): Promise<HttpResponse> {
  try {
    return await fetch(url, headers, signal);
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    if (cause instanceof RenderError) throw cause;
    throw new RenderError(`cannot reach ${redactedUrl(url.href)}: ${messageOf(cause)}`, { retriable: true, cause });
  }
}

async function checked(response: HttpResponse, url: URL): Promise<HttpResponse> {
  if (response.status === 200) return response;
  await drain(response);
  const hint = response.status === 401 || response.status === 403 ? "; check helmChartConfig.authConfig" : "";
  const retriable = response.status >= 500 || response.status === 429 || response.status === 408;
  throw new RenderError(`chart ${redactedUrl(url.href)}: the server answered ${response.status}${hint}`, { retriable });
}

async function read(response: HttpResponse, url: URL, limit: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bodyChunks(response)) {
    size += chunk.length;
    if (size > limit) throw refused(url, `is larger than ${limit} bytes`);
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks);
}

async function drain(response: HttpResponse): Promise<void> {
  let seen = 0;
  for await (const chunk of bodyChunks(response)) {
    seen += chunk.length;
    if (seen > MAX_MANIFEST_BYTES) return;
  }
}

/** Basic credentials for a host, from docker-config-like documents. */
function basicAuth(auth: readonly RegistryAuth[], host: string): HttpHeaders {
  for (const { auths } of auth) {
    for (const key of Object.keys(auths)) {
      const named = key.replace(/^https?:\/\//, "").split("/")[0];
      const value = auths[key]?.auth;
      if (named === host && value !== undefined) return { authorization: `Basic ${value}` };
    }
  }
  return {};
}

function refused(url: URL, why: string): RenderError {
  return new RenderError(`chart ${redactedUrl(url.href)} ${why}`, { retriable: false });
}

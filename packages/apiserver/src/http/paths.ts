import { createHash } from "node:crypto";

import { header, type HttpRequest, type HttpResponse } from "@fairlead/base";

import { apiGroup, apiGroupList, apiResourceList, apiVersions, groupDiscoveryList } from "../discovery/discovery.js";
import type { OpenApi } from "../discovery/openapi.js";
import type { Catalog } from "../registry/catalog.js";
import { methodNotAllowed, notAcceptable, notServed } from "../registry/failures.js";
import type { Registry } from "../registry/registry.js";
import { OBJECT_TYPES } from "./body.js";
import { clauses } from "./negotiate.js";
import type { RequestInfo } from "./request-info.js";
import { jsonResponse, textResponse } from "./response.js";

/** What the paths that are no resources need. */
export interface PathServer {
  readonly registry: Registry;
  readonly catalog: Catalog;
  readonly openApi: OpenApi;
  /** `host:port` as clients reach the server; for `/api`. */
  readonly address: () => string;
}

/** The release that the server stands for (see docs/differences.md). */
export const VERSION = {
  major: "1",
  minor: "36",
  emulationMajor: "1",
  emulationMinor: "35",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitVersion: "v1.36.2",
  gitCommit: "fairlead",
  gitTreeState: "clean",
  buildDate: "2026-11-30T00:00:00Z",
  goVersion: "none",
  compiler: "gc",
  platform: "linux/amd64",
} as const;

const HEALTH = new Set(["ping", "etcd", "log", "informer-sync"]);
const NOT_FOUND = "404 page not found\n";

/** Discovery, OpenAPI, version, health. @throws StatusError */
export function servePath(
  server: PathServer,
  request: HttpRequest,
  info: RequestInfo & { readonly kind: "path" },
): HttpResponse {
  const { catalog } = server;
  const path = info.path.length > 1 ? info.path.replace(/\/$/, "") : info.path;
  const parts = path.split("/").slice(1);
  if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed();
  switch (parts[0]) {
    case "":
      return jsonResponse(200, {
        paths: ["/api", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"],
      });
    case "version":
      return parts.length === 1 ? jsonResponse(200, VERSION) : textResponse(404, NOT_FOUND);
    case "healthz":
    case "livez":
    case "readyz":
      return health(server.registry, parts, info.query);
    case "openapi":
      return server.openApi.serve(parts.slice(1), request, info.query);
    case "api":
      if (parts.length === 1)
        return aggregatedOr(
          request,
          () => groupDiscoveryList(catalog, true),
          () => jsonResponse(200, apiVersions(server.address())),
        );
      return resourceList(server, request, "", parts.slice(1));
    case "apis":
      if (parts.length === 1)
        return aggregatedOr(
          request,
          () => groupDiscoveryList(catalog, false),
          () => jsonResponse(200, apiGroupList(catalog)),
        );
      if (parts.length === 2) return group(server, request, parts[1] ?? "");
      return resourceList(server, request, parts[1] ?? "", parts.slice(2));
    default:
      return textResponse(404, NOT_FOUND);
  }
}

/** `/livez` says whether the process works; the others also whether it can store what it is told. */
function health({ storage }: Registry, [name = "", check]: readonly string[], query: URLSearchParams): HttpResponse {
  const fails = (one: string): boolean => one === "etcd" && name !== "livez" && storage.unavailable !== undefined;
  if (check !== undefined) {
    if (!HEALTH.has(check)) return textResponse(404, NOT_FOUND);
    return fails(check) ? textResponse(500, "internal server error: reason withheld\n") : textResponse(200, "ok");
  }
  const failing = [...HEALTH].some(fails);
  if (!failing && !query.has("verbose")) return textResponse(200, "ok");
  const lines = [...HEALTH].map((one) => (fails(one) ? `[-]${one} failed: reason withheld` : `[+]${one} ok`));
  return textResponse(failing ? 500 : 200, `${lines.join("\n")}\n${name} check ${failing ? "failed" : "passed"}\n`);
}

/** The aggregated form when the client asks for it in its first version, else the plain one. */
function aggregatedOr(request: HttpRequest, aggregated: () => object, plain: () => HttpResponse): HttpResponse {
  const accept = header(request.headers, "accept") ?? "";
  for (const { type, parameters } of clauses(accept === "" ? "*/*" : accept)) {
    if (type !== "application/json" && type !== "*/*" && type !== "application/*") continue;
    if (parameters.get("as") === undefined) return plain();
    if (parameters.get("as") !== "APIGroupDiscoveryList" || parameters.get("v") !== "v2") continue;
    const text = `${JSON.stringify(aggregated())}\n`;
    const etag = `"${createHash("sha512").update(text).digest("hex").toUpperCase()}"`;
    const headers = {
      "content-type": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
      etag,
      vary: "Accept",
      "cache-control": "public",
    };
    if (header(request.headers, "if-none-match") === etag) return { status: 304, headers, body: "" };
    return { status: 200, headers, body: text };
  }
  throw notAcceptable(OBJECT_TYPES);
}

/** A document without an aggregated form. @throws StatusError 406 when the client takes nothing else */
function plainOnly(request: HttpRequest, plain: HttpResponse): HttpResponse {
  const accept = header(request.headers, "accept") ?? "";
  if (
    accept === "" ||
    clauses(accept).some(
      ({ type, parameters }) => parameters.get("as") === undefined && type !== "application/vnd.kubernetes.protobuf",
    )
  )
    return plain;
  throw notAcceptable(OBJECT_TYPES);
}

function group({ catalog }: PathServer, request: HttpRequest, name: string): HttpResponse {
  const found = apiGroup(catalog, name);
  if (found === undefined) return textResponse(404, NOT_FOUND);
  return plainOnly(request, jsonResponse(200, found));
}

function resourceList(
  { catalog }: PathServer,
  request: HttpRequest,
  name: string,
  [version = "", ...beyond]: readonly string[],
): HttpResponse {
  const found = beyond.length > 0 ? undefined : apiResourceList(catalog, name, version);
  if (found !== undefined) return plainOnly(request, jsonResponse(200, found));
  if (catalog.isBuiltinGroup(name)) throw notServed();
  return textResponse(404, NOT_FOUND);
}

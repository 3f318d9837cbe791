import { createHash } from "node:crypto";

import { encodeUtf8, header, type HttpRequest, type HttpResponse } from "@fairlead/base";

import type { Catalog } from "../registry/catalog.js";
import { jsonResponse, textResponse } from "../http/response.js";
import { openApiV3, openApiV3Hashes } from "../resources/builtin/openapi.js";
import { openApiPaths } from "./discovery.js";
import { customDocument, patternDocument, type Pattern } from "./openapi-custom.js";

/** `/openapi/v3` and its documents, made when first asked for and kept until the catalogue changes. */
export class OpenApi {
  readonly #catalog: Catalog;
  readonly #builtin = new Map<string, Document>();
  #custom = new Map<string, Document>();
  #generation = -1;
  #pattern: Pattern | undefined;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** @param parts - The path below `/openapi/`. */
  serve(parts: readonly string[], request: HttpRequest, query: URLSearchParams): HttpResponse {
    if (parts[0] === "v2" && parts.length === 1) return emptyV2(request);
    if (parts[0] !== "v3") return textResponse(404, "404 page not found\n");
    if (parts.length === 1) return this.#index();
    const path = parts.slice(1).join("/");
    const found = openApiPaths(this.#catalog).find((p) => p.path === path);
    const document = found === undefined ? undefined : this.#document(found);
    if (document === undefined) return textResponse(404, "404 page not found\n");
    const wanted = query.get("hash");
    if (wanted !== null && wanted !== document.hash) {
      return {
        status: 301,
        headers: { location: `/openapi/v3/${path}?hash=${document.hash}`, "content-type": "text/html; charset=utf-8" },
        body: "",
      };
    }
    const etag = `"${document.hash}"`;
    const headers = {
      etag,
      vary: "Accept",
      "cache-control": wanted === null ? "no-cache, private" : "public, immutable",
    };
    if (header(request.headers, "if-none-match") === etag) return { status: 304, headers, body: "" };
    return { ...jsonResponse(200, "", headers), body: document.text };
  }

  #index(): HttpResponse {
    const paths: Record<string, { serverRelativeURL: string }> = {};
    for (const found of openApiPaths(this.#catalog)) {
      const hash = openApiV3Hashes.get(found.path) ?? this.#document(found)?.hash;
      if (hash !== undefined) paths[found.path] = { serverRelativeURL: `/openapi/v3/${found.path}?hash=${hash}` };
    }
    return jsonResponse(200, { paths });
  }

  #document({
    path,
    group,
    version,
  }: {
    readonly path: string;
    readonly group: string;
    readonly version: string;
  }): Document | undefined {
    if (this.#catalog.isBuiltinGroup(group)) {
      return remembered(
        this.#builtin,
        path,
        () => openApiV3(group === "" ? version : `${group}/${version}`),
        openApiV3Hashes.get(path),
      );
    }
    if (this.#generation !== this.#catalog.generation) {
      this.#custom = new Map();
      this.#generation = this.#catalog.generation;
    }
    const endpoints = this.#catalog.inGroup(group).filter((e) => e.strategy.info.version === version);
    return remembered(this.#custom, path, () =>
      customDocument(endpoints, { group, version }, (this.#pattern ??= patternDocument())),
    );
  }
}

interface Document {
  readonly text: string;
  readonly hash: string;
}

function remembered(
  cache: Map<string, Document>,
  path: string,
  make: () => string | undefined,
  knownHash?: string,
): Document | undefined {
  const known = cache.get(path);
  if (known !== undefined) return known;
  const text = make();
  if (text === undefined) return undefined;
  const document = { text, hash: knownHash ?? createHash("sha512").update(text).digest("hex").toUpperCase() };
  cache.set(path, document);
  return document;
}

const V2_PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/**
 * `/openapi/v2` without definitions. Clients that ask for it (kubectl for Lists and for kinds that v3 does not name) take
 * that for nothing to check by, and leave it to the server.
 */
function emptyV2(request: HttpRequest): HttpResponse {
  const accept = header(request.headers, "accept") ?? "";
  if (!/proto-openapi\.spec\.v2[.@]v1\.0\+protobuf/.test(accept)) {
    return jsonResponse(200, { swagger: "2.0", info: { title: "Kubernetes", version: "v1.36.2" }, paths: {} });
  }
  // Field 1, `swagger`, is all that there is.
  const body = Uint8Array.from([0x0a, 3, ...encodeUtf8("2.0")]);
  return { status: 200, headers: { "content-type": V2_PROTOBUF, vary: "Accept" }, body };
}

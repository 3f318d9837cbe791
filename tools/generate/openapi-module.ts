import { createHash } from "node:crypto";
import { brotliCompressSync, constants } from "node:zlib";
import { allTypes, type OpenApiDocument } from "./documents.js";
import { HEADER } from "./types-module.js";

/**
 * The module with the OpenAPI v3 documents. A type stands once for all documents; what a document has of its own (its
 * paths, its variant of DeleteOptions) stands with it. Both parts are JSON, compressed with Brotli, in base64.
 */
export function openApiModule(documents: ReadonlyMap<string, OpenApiDocument>): string {
  const types = new Map([...allTypes(documents)].map(([name, schema]) => [name, JSON.stringify(schema)]));
  const own: Record<string, unknown> = {};
  const hashes: string[] = [];
  for (const [path, document] of documents) {
    const text = JSON.stringify(document);
    const { schemas, ...components } = document.components;
    const variants: Record<string, string> = {};
    for (const [name, schema] of Object.entries(schemas ?? {})) {
      const variant = JSON.stringify(schema);
      if (variant !== types.get(name)) variants[name] = variant;
    }
    own[path] = {
      head: JSON.stringify({ openapi: document.openapi, info: document.info, paths: document.paths }).slice(0, -1),
      tail: Object.entries(components)
        .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
        .join(","),
      types: schemas === undefined ? null : Object.keys(schemas),
      variants,
    };
    hashes.push(
      `  [${JSON.stringify(path)}, ${JSON.stringify(createHash("sha256").update(text).digest("hex").toUpperCase())}],`,
    );
  }
  return `${HEADER}
/** A hash of each document by its path below \`/openapi/v3/\`, for the \`hash\` of its URL and its ETag. */
export const OPENAPI_HASHES: ReadonlyMap<string, string> = new Map([
${hashes.join("\n")}
]);

/** JSON, Brotli, base64: the text of each type by its name. */
export const OPENAPI_TYPES: string = "${compressed(Object.fromEntries(types))}";

/** JSON, Brotli, base64: by path, the text before the components, the text after the types, the names of its types. */
export const OPENAPI_DOCUMENTS: string = "${compressed(own)}";
`;
}

function compressed(value: unknown): string {
  const bytes = Buffer.from(JSON.stringify(value));
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return brotliCompressSync(bytes, { params }).toString("base64");
}

import { OPENAPI_DOCUMENTS, OPENAPI_HASHES, OPENAPI_TYPES } from "@fairlead/apimachinery/generated";
import { brotliDecompressSync } from "node:zlib";

/** A hash of each OpenAPI v3 document by its path below `/openapi/v3/`, e.g. `api/v1`, `apis/apps/v1`, `version`. */
export const openApiV3Hashes: ReadonlyMap<string, string> = OPENAPI_HASHES;

/** The OpenAPI v3 document of a group version like `v1` or `apps/v1`, as compact JSON; undefined when there is none. */
export function openApiV3(groupVersion: string): string | undefined {
  return openApiV3Document(groupVersion.includes("/") ? `apis/${groupVersion}` : `api/${groupVersion}`);
}

interface StoredDocument {
  readonly head: string;
  readonly tail: string;
  readonly types: readonly string[] | null;
  readonly variants: Readonly<Record<string, string>>;
}

/**
 * The OpenAPI v3 document of a path below `/openapi/v3/`, as compact JSON; undefined when there is none. Each call
 * decompresses all documents (some 15 ms), so keep what you serve often.
 */
export function openApiV3Document(path: string): string | undefined {
  if (!OPENAPI_HASHES.has(path)) return undefined;
  const document = (unpacked(OPENAPI_DOCUMENTS) as Readonly<Record<string, StoredDocument>>)[path];
  if (document === undefined) return undefined;
  const types = document.types === null ? {} : (unpacked(OPENAPI_TYPES) as Readonly<Record<string, string>>);
  const texts = document.types?.map(
    (name) => `${JSON.stringify(name)}:${document.variants[name] ?? types[name] ?? "{}"}`,
  );
  const components = [
    ...(texts === undefined ? [] : [`"schemas":{${texts.join(",")}}`]),
    ...(document.tail === "" ? [] : [document.tail]),
  ];
  return `${document.head},"components":{${components.join(",")}}}`;
}

function unpacked(base64: string): unknown {
  return JSON.parse(brotliDecompressSync(Buffer.from(base64, "base64")).toString("utf8"));
}

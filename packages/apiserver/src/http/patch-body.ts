import { decodeNumbers, getOwn, isObject, type HttpRequest, type JsonObject } from "@fairlead/base";
import { jsonTypeName } from "@fairlead/apimachinery";

import { badRequest, unsupportedMediaType } from "../registry/failures.js";
import type { ParsedPatch, PatchType } from "../registry/patch.js";
import type { WriteOptions } from "../registry/request.js";
import { contentType, parseApplyBody, parsePatch, readText } from "./body.js";
import type { Call } from "./call.js";

const PATCH_TYPES: ReadonlyMap<string, PatchType> = new Map([
  ["application/json-patch+json", "json"],
  ["application/merge-patch+json", "merge"],
  ["application/strategic-merge-patch+json", "strategic"],
]);
const CUSTOM_PATCHES = "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
const APPLY_TYPE = "application/apply-patch+yaml";

/** The patch's kind; undefined for an apply. @throws StatusError 415 */
export function patchTypeOf({ request, endpoint }: Call): PatchType | undefined {
  const media = contentType(request);
  if (media === APPLY_TYPE) return undefined;
  const type = PATCH_TYPES.get(media);
  const { custom } = endpoint.strategy.info;
  if (type !== undefined && !(custom && type === "strategic")) return type;
  if (!custom) throw unsupportedMediaType("415: Unsupported Media Type", {});
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${CUSTOM_PATCHES}`,
  );
}

/**
 * The body of an apply: an object of a kind, its numbers decoded. The text is read now, and parsed when the verb asks
 * for it: whether there is anything to change is known first.
 */
export async function readConfiguration(
  { request, context }: Call,
  validation: WriteOptions["fieldValidation"],
  wanted: { readonly apiVersion: string; readonly kind: string },
): Promise<() => JsonObject> {
  const text = await readText(request);
  return () => {
    const body = parseApplyBody(request, text);
    if (body.duplicates.length > 0) {
      if (validation === "Strict") {
        throw badRequest(
          `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  ${body.duplicates.join("\n  ")}`,
        );
      }
      if (validation === "Warn") for (const duplicate of body.duplicates) context.warn(duplicate);
    }
    const value = body.value ?? {};
    if (!isObject(value)) {
      throw badRequest(
        `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonTypeName(value)} into Go value of type map[string]interface {}`,
      );
    }
    const sent = { apiVersion: getOwn(value, "apiVersion") ?? "", kind: getOwn(value, "kind") ?? "" };
    if (sent.apiVersion !== wanted.apiVersion || sent.kind !== wanted.kind) {
      const version = String(sent.apiVersion);
      throw badRequest(
        `invalid object type: ${version === "" ? "/" : version.includes("/") ? version : `/${version}`}, Kind=${String(sent.kind)}`,
      );
    }
    return decodeNumbers(value) as JsonObject;
  };
}

/** The body of a JSON, merge or strategic merge patch, read now and parsed when it is asked for. @throws StatusError 413 */
export async function readPatch(request: HttpRequest, type: PatchType): Promise<() => ParsedPatch> {
  const text = await readText(request);
  let parsed: ParsedPatch | undefined;
  return () => (parsed ??= parsePatch(text, type));
}

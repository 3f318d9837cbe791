import { cloneJson, decodeNumbers, getOwn, isObject, stringifyJson, type JsonObject, type JsonValue, type MutableJsonObject } from "@fairlead/base";
import { coerceMetadata, decodeGo, dropNonNullableNulls, fieldErrorBody, parseGroupVersion, prune, type FieldError } from "@fairlead/apimachinery";

import type { ResourceInfo } from "../resources/resource.js";
import { apiVersionOf, type Endpoint } from "./endpoint.js";
import { badRequest, invalid } from "./failures.js";
import type { RequestContext, WriteOptions } from "./request.js";

/** A parsed body and what its parser found twice. */
export interface ParsedBody {
  /** Owned by the callee, which may change it. */
  readonly value: JsonValue;
  /** What stood twice in its object, as the messages name it. */
  readonly duplicates: readonly string[];
  readonly format: "json" | "yaml" | "protobuf";
  /** The text as sent, for messages that quote it. */
  readonly text: string;
}

/**
 * A request body as an object of the endpoint's kind: numbers as Go reads them, unknown fields dropped, and said, by the
 * request's field validation. `apiVersion` and `kind` must fit; built-in kinds may leave them out.
 *
 * @throws StatusError 400 for a body of another kind, of wrong types, or (Strict) with unknown or repeated fields
 */
export function decodeObject(endpoint: Endpoint, body: ParsedBody, options: WriteOptions, context: RequestContext): JsonObject {
  const { info } = endpoint.strategy;
  const value = body.value === null && !info.custom ? {} : body.value;
  if (!isObject(value)) throw unrecognized(info, body.text, `couldn't get version/kind; json parse error: json: cannot unmarshal ${goTypeName(value)} into Go value of type ${VERSION_KIND}`);
  checkKind(info, value, body.text);
  const object: MutableJsonObject = { ...(info.custom ? (decodeNumbers(value) as JsonObject) : value), apiVersion: apiVersionOf(info), kind: info.kind };
  const unknown: string[] = [];
  const problem = coerce(endpoint, object, (path) => unknown.push(path));
  if (problem !== undefined) {
    if (typeof problem !== "string") throw invalid(info, String(nameOf(value)), [problem]);
    throw badRequest(`${info.kind} in version ${JSON.stringify(info.version)} cannot be handled as a ${info.kind}: ${problem}`);
  }
  const found = [...duplicateTexts(body, options), ...unknownTexts(info, unknown)];
  if (found.length > 0 && options.fieldValidation === "Strict") {
    throw badRequest(`${info.kind} in version ${JSON.stringify(info.version)} cannot be handled as a ${info.kind}: strict decoding error: ${found.join(", ")}`);
  }
  if (options.fieldValidation === "Warn") for (const text of found) context.warn(text);
  return object;
}

/** A patched object, decoded like a body; what is wrong with it is 422 and quotes the patched JSON. */
export function decodePatched(endpoint: Endpoint, patched: JsonObject, options: WriteOptions, context: RequestContext): JsonObject {
  const { info } = endpoint.strategy;
  const copy = cloneJson(patched);
  const object: MutableJsonObject = { ...(info.custom ? (decodeNumbers(copy) as JsonObject) : copy) };
  const unknown: string[] = [];
  const problem = coerce(endpoint, object, (path) => unknown.push(path));
  if (problem !== undefined) {
    if (typeof problem !== "string") throw invalidPatch(patched, `${problem.field}: ${fieldErrorBody(problem)}`);
    throw invalidPatch(patched, problem);
  }
  const found = unknownTexts(info, unknown);
  if (found.length > 0 && options.fieldValidation === "Strict") throw invalidPatch(patched, `strict decoding error: ${found.join(", ")}`);
  if (options.fieldValidation === "Warn") for (const text of found) context.warn(text);
  return object;
}

/** Drops, in place, what the kind does not know. Returns what makes the object undecodable. */
function coerce({ strategy }: Endpoint, object: MutableJsonObject, onUnknown: (path: string) => void): FieldError | string | undefined {
  if (!strategy.info.custom) {
    const problem = decodeGo(object, strategy.schema);
    if (problem !== undefined) return problem;
    prune(object, strategy.schema, { onUnknown });
    return undefined;
  }
  const problem = coerceMetadata(object, strategy.schema, { root: true, onUnknown });
  if (problem !== undefined) return problem;
  prune(object, strategy.schema, { root: true, onUnknown });
  dropNonNullableNulls(object, strategy.schema);
  return undefined;
}

function invalidPatch(value: JsonObject, why: string): Error {
  return invalid({ group: "", kind: "" }, "", [{ type: "FieldValueInvalid", field: "patch", badValue: stringifyJson(value), detail: why }]);
}

function duplicateTexts({ duplicates, format }: ParsedBody, { fieldValidation }: WriteOptions): readonly string[] {
  if (duplicates.length === 0 || format !== "yaml" || fieldValidation !== "Strict") return duplicates;
  return [`yaml: unmarshal errors:\n  ${duplicates.join("\n  ")}`];
}

/** Custom resources tell their unknown fields sorted, built-in kinds in the order of the body. */
function unknownTexts(info: ResourceInfo, unknown: readonly string[]): readonly string[] {
  const paths = info.custom ? [...unknown].sort() : unknown;
  return paths.map((path) => `unknown field ${JSON.stringify(path)}`);
}

const VERSION_KIND = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function checkKind(info: ResourceInfo, value: JsonObject, text: string): void {
  const apiVersion = getOwn(value, "apiVersion") ?? "";
  const kind = getOwn(value, "kind") ?? "";
  if (info.custom && kind === "") throw unrecognized(info, text, `Object 'Kind' is missing in '${text.trim()}'`);
  if (info.custom && apiVersion === "") throw unrecognized(info, text, `Object 'apiVersion' is missing in '${text.trim()}'`);
  const wanted = apiVersionOf(info);
  const given = typeof apiVersion === "string" ? parseGroupVersion(apiVersion) : undefined;
  if (kind !== "" && kind !== info.kind) {
    if (info.custom && apiVersion === wanted) {
      throw invalid({ group: info.group, kind: String(kind) }, String(nameOf(value)), [{ type: "FieldValueInvalid", field: "kind", badValue: kind, detail: `must be ${info.kind}` }]);
    }
    throw badRequest(`${String(kind)} in version ${JSON.stringify(given?.version ?? "")} cannot be handled as a ${info.kind}: no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion === "" ? wanted : apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`);
  }
  if (apiVersion !== "" && apiVersion !== wanted) {
    if (!info.custom && given?.group === info.group && info.group === "") {
      throw badRequest(`${info.kind} in version ${JSON.stringify(given.version)} cannot be handled as a ${info.kind}: no kind ${JSON.stringify(info.kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`);
    }
    throw badRequest(`the API version in the data (${String(apiVersion)}) does not match the expected API version (${wanted})`);
  }
}

function unrecognized(info: ResourceInfo, text: string, why: string): Error {
  return badRequest(`the object provided is unrecognized (must be of type ${info.kind}): ${why} (${quoteBody(text)})`);
}

/** The start of a body as messages quote it: JSON objects as text, anything else in hex. */
export function quoteBody(text: string): string {
  if (text === "") return "<empty>";
  if (!text.startsWith("{")) return Array.from(new TextEncoder().encode(text.slice(0, 30)), (b) => b.toString(16).padStart(2, "0")).join("");
  return text.length > 33 ? `${text.slice(0, 30)} ...` : text;
}

function nameOf(value: JsonObject): JsonValue {
  const metadata = getOwn(value, "metadata");
  return (isObject(metadata) ? getOwn(metadata, "name") : undefined) ?? "";
}

function goTypeName(value: JsonValue): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "string" ? "string" : value === null ? "null" : "number";
}

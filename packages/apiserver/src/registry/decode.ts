import {
  cloneJson,
  decodeNumbers,
  getPath,
  isObject,
  JsonNumber,
  setOwn,
  stringifyJson,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";
import { DecodeError, formatGoValue, fromUnstructuredError, pruneUnknown, type Schema } from "@fairlead/apimachinery";

import type { ResourceInfo, ScalePaths } from "../resources/resource.js";
import { builtinKindProblem, checkCustomKind, checkKind, checkPatchedKind, unrecognized } from "./check-kind.js";
import { apiVersionOf, type Endpoint } from "./endpoint.js";
import { badRequest, invalid } from "./failures.js";
import { patchedText } from "./patched-text.js";
import { metadataOf, withManagedFieldsAside } from "./metadata.js";
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
export function decodeObject(
  endpoint: Endpoint,
  body: ParsedBody,
  options: WriteOptions,
  context: RequestContext,
): JsonObject {
  const { info } = endpoint.strategy;
  const value = body.value === null && !info.custom ? {} : body.value;
  if (!isObject(value))
    throw unrecognized(
      info,
      body.text,
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${goTypeName(value)} into Go value of type ${VERSION_KIND}`,
    );
  checkKind(info, value, body.text);
  const object: MutableJsonObject = info.custom
    ? { ...decodedCustom(value, info.scale) }
    : { ...value, apiVersion: apiVersionOf(info), kind: info.kind };
  const refuse = (why: string): Error =>
    badRequest(`${info.kind} in version ${JSON.stringify(info.version)} cannot be handled as a ${info.kind}: ${why}`);
  const unknown = prunedFields(endpoint, object, refuse);
  sayStrict([...duplicateTexts(body, options), ...unknown], { options, context, refuse });
  if (info.custom) checkCustomKind(info, object);
  return object;
}

/** A patched object on its way to be decoded. */
export interface Patched {
  readonly object: JsonObject;
  /** What was patched. */
  readonly live: JsonObject;
  readonly type: "json" | "merge" | "strategic";
  readonly patch: JsonValue;
  /** Mistakes of form in the patch itself, as strict decoding names them. */
  readonly problems: readonly string[];
}

/** A patched object, decoded like a body; what is wrong with it is 422 and quotes the patched JSON or the patch. */
export function decodePatched(
  endpoint: Endpoint,
  patched: Patched,
  options: WriteOptions,
  context: RequestContext,
): JsonObject {
  const { info, schema } = endpoint.strategy;
  const refuse = (why: string): Error =>
    invalid({ group: "", kind: "" }, "", [
      { type: "FieldValueInvalid", field: "patch", badValue: quotedPatch(info, patched), detail: why },
    ]);
  const wrong = info.custom ? undefined : builtinKindProblem(info, patched.object);
  if (wrong !== undefined) throw refuse(wrong);
  const unknown: string[] = [];
  const decode = (copy: MutableJsonObject): JsonObject => {
    if (patched.type === "strategic") {
      const error = fromUnstructuredError(copy, schema);
      if (error !== undefined) throw refuse(error);
    }
    const object: MutableJsonObject = {
      ...(info.custom ? decodedCustom(copy, info.scale) : copy),
      ...(info.custom ? {} : { apiVersion: apiVersionOf(info), kind: info.kind }),
    };
    unknown.push(...prunedFields(endpoint, object, refuse));
    return object;
  };
  const isOwnershipKept = metadataOf(patched.object)["managedFields"] === metadataOf(patched.live)["managedFields"];
  const object = isOwnershipKept ? withManagedFieldsAside(patched.object, decode) : decode(cloneJson(patched.object));
  sayStrict([...patched.problems, ...unknown], { options, context, refuse });
  if (info.custom) checkPatchedKind(info, object);
  return object;
}

function quotedPatch(info: ResourceInfo, { type, patch, object, live }: Patched): string {
  if (type === "strategic") return formatGoValue(patch);
  return info.custom ? stringifyJson(object) : patchedText(object, live);
}

/**
 * A custom object with its numbers as Go's decoder reads them. The counts behind `/scale` keep their spelling, because
 * their validation tells a float (`2.0`, `1e2`) from an integer.
 */
function decodedCustom(object: JsonObject, scale: ScalePaths | undefined): JsonObject {
  const decoded = decodeNumbers(object) as JsonObject;
  for (const path of scale === undefined ? [] : [scale.specReplicas, scale.statusReplicas]) {
    const fields = path.split(".");
    const count = getPath(object, ...fields);
    const key = fields.pop();
    // What held a number with a spelling of its own is a copy.
    const holder = getPath(decoded, ...fields) as MutableJsonObject | undefined;
    if (count instanceof JsonNumber && !/^-?\d+$/.test(count.text) && holder !== undefined && key !== undefined)
      setOwn(holder, key, count);
  }
  return decoded;
}

/** What Go's strict decoder of built-in kinds tells of at most. */
const MOST_STRICT_ERRORS = 100;

/** Drops, in place, what the kind does not know, and tells what that was. */
function prunedFields(
  { strategy, versions }: Endpoint,
  object: MutableJsonObject,
  refuse: (why: string) => Error,
): readonly string[] {
  const unknown: string[] = [];
  const { custom, group } = strategy.info;
  const version = String(object["apiVersion"]);
  const schema =
    !custom || version === apiVersionOf(strategy.info)
      ? strategy.schema
      : (versions.get(version)?.schema ?? NOTHING_KNOWN);
  if (custom && !version.startsWith(`${group}/`)) return unknown;
  try {
    pruneUnknown(object, schema, {
      custom,
      onUnknown: (path) => {
        if (custom || unknown.length < MOST_STRICT_ERRORS) unknown.push(`unknown field ${JSON.stringify(path)}`);
      },
    });
  } catch (error) {
    if (error instanceof DecodeError) throw refuse(error.message);
    throw error;
  }
  return unknown;
}

interface Strictness {
  readonly options: WriteOptions;
  readonly context: RequestContext;
  readonly refuse: (why: string) => Error;
}

/** Of a version that is not served nothing is known. */
const NOTHING_KNOWN: Schema = { type: "object" };

/** What strict decoding finds is refused, warned about or passed over, as the request asks. */
function sayStrict(found: readonly string[], { options, context, refuse }: Strictness): void {
  if (found.length > 0 && options.fieldValidation === "Strict")
    throw refuse(`strict decoding error: ${found.join(", ")}`);
  if (options.fieldValidation === "Warn") for (const text of found) context.warn(text);
}

function duplicateTexts({ duplicates, format }: ParsedBody, { fieldValidation }: WriteOptions): readonly string[] {
  if (duplicates.length === 0 || format !== "yaml" || fieldValidation !== "Strict") return duplicates;
  return [`yaml: unmarshal errors:\n  ${duplicates.join("\n  ")}`];
}

const VERSION_KIND =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function goTypeName(value: JsonValue): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "string" ? "string" : value === null ? "null" : "number";
}

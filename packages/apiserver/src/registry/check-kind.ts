import { getOwn, isObject, type JsonObject, type JsonValue } from "@fairlead/base";
import {
  builtinSchema,
  builtinTypeName,
  decodeGo,
  jsonTypeName,
  parseGroupVersion,
  type FieldError,
} from "@fairlead/apimachinery";

import type { ResourceInfo } from "../resources/resource.js";
import { apiVersionOf } from "./endpoint.js";
import { badRequest, invalid } from "./failures.js";

/**
 * `apiVersion` and `kind` of a body must be those of the endpoint; built-in kinds may leave them out. Custom resources are
 * decoded before theirs are compared (checkCustomKind).
 *
 * @param text - The body as sent, for messages that quote it.
 * @throws StatusError 400
 */
export function checkKind(info: ResourceInfo, value: JsonObject, text: string): void {
  const apiVersion = getOwn(value, "apiVersion") ?? "";
  const kind = getOwn(value, "kind") ?? "";
  for (const [field, given] of [
    ["apiVersion", apiVersion],
    ["kind", kind],
  ] as const) {
    if (typeof given === "string") continue;
    throw unrecognized(
      info,
      text,
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeName(given)} into Go struct field .${field} of type string`,
    );
  }
  const wanted = apiVersionOf(info);
  if (!info.custom) {
    const problem = builtinKindProblem(info, value);
    const given = typeof apiVersion === "string" ? parseGroupVersion(apiVersion) : undefined;
    if (
      problem !== undefined &&
      ((kind !== "" && kind !== info.kind) || (given?.group === info.group && info.group === ""))
    ) {
      throw badRequest(
        `${String(kind === "" ? info.kind : kind)} in version ${JSON.stringify(given?.version ?? "")} cannot be handled as a ${info.kind}: ${problem}`,
      );
    }
  } else {
    if (kind === "") throw unrecognized(info, text, `Object 'Kind' is missing in '${text.trim()}'`);
    if (apiVersion === "") throw unrecognized(info, text, `Object 'apiVersion' is missing in '${text.trim()}'`);
    return;
  }
  if (apiVersion !== "" && apiVersion !== wanted) {
    throw badRequest(
      `the API version in the data (${String(apiVersion)}) does not match the expected API version (${wanted})`,
    );
  }
}

/** What Go's scheme says to an object of another kind or version in place of one of a built-in kind; undefined if it fits. */
export function builtinKindProblem(info: ResourceInfo, value: JsonObject): string | undefined {
  const wanted = apiVersionOf(info);
  const kind = textOr(getOwn(value, "kind"), info.kind);
  const apiVersion = textOr(getOwn(value, "apiVersion"), wanted);
  if (kind === info.kind && apiVersion === wanted) return undefined;
  const given = parseGroupVersion(apiVersion);
  const type = given === undefined ? undefined : builtinTypeName({ ...given, kind });
  if (type === undefined || given === undefined) {
    return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`;
  }
  const undecodable = decodeGo(value, builtinSchema(type));
  if (undecodable !== undefined) return undecodable;
  if (kind === info.kind) return undefined;
  return `converting (${given.version}.${kind}) to (${info.group === "" ? "core" : (info.group.split(".")[0] ?? "")}.${info.kind}): unknown conversion`;
}

/** @throws StatusError 400 for another version, 422 for another kind */
export function checkCustomKind(info: ResourceInfo, object: JsonObject): void {
  const wanted = apiVersionOf(info);
  if (object["apiVersion"] !== wanted)
    throw badRequest(
      `the API version in the data (${String(object["apiVersion"])}) does not match the expected API version (${wanted})`,
    );
  checkPatchedKind(info, object);
}

/** @throws StatusError 422 for another version or kind */
export function checkPatchedKind(info: ResourceInfo, object: JsonObject): void {
  const wanted = { kind: info.kind, apiVersion: apiVersionOf(info) };
  const errors = (["kind", "apiVersion"] as const).flatMap((field): FieldError[] => {
    const value = getOwn(object, field) ?? "";
    return value === wanted[field]
      ? []
      : [{ type: "FieldValueInvalid", field, badValue: value, detail: `must be ${wanted[field]}` }];
  });
  if (errors.length === 0) return;
  const metadata = getOwn(object, "metadata");
  const name = isObject(metadata) ? getOwn(metadata, "name") : undefined;
  throw invalid({ group: info.group, kind: String(getOwn(object, "kind") ?? "") }, String(name ?? ""), errors);
}

/** A body that cannot be told to be of a kind at all. */
export function unrecognized(info: ResourceInfo, text: string, why: string): Error {
  return badRequest(`the object provided is unrecognized (must be of type ${info.kind}): ${why} (${quoteBody(text)})`);
}

/** The start of a body as messages quote it: JSON objects as text, anything else in hex. */
export function quoteBody(text: string): string {
  if (text === "") return "<empty>";
  if (!text.startsWith("{"))
    return Array.from(new TextEncoder().encode(text.slice(0, 30)), (b) => b.toString(16).padStart(2, "0")).join("");
  return text.length > 33 ? `${text.slice(0, 30)} ...` : text;
}

function textOr(value: JsonValue | undefined, fallback: string): string {
  return typeof value === "string" && value !== "" ? value : fallback;
}

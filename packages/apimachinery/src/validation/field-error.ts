import { isArray, JsonNumber, stringifyJson, type JsonValue } from "@fairlead/base";
import { goQuote } from "./go-quote.js";

/** The kinds of field errors, spelled as in `details.causes[].reason` (apimachinery: util/validation/field/errors.go). */
export type FieldErrorType =
  | "FieldValueNotFound"
  | "FieldValueRequired"
  | "FieldValueDuplicate"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "InternalError"
  | "FieldValueTypeInvalid";

/** One thing wrong with one field. */
export interface FieldError {
  readonly type: FieldErrorType;
  /** `spec.containers[0].name`; `<nil>` where the error has no field. */
  readonly field: string;
  /** The value as the message shows it; undefined where the message shows none. */
  readonly badValue?: JsonValue | undefined;
  /** Everything after the value, without the separating `: `. */
  readonly detail: string;
}

const LABELS: Readonly<Record<FieldErrorType, string>> = {
  FieldValueNotFound: "Not found",
  FieldValueRequired: "Required value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueForbidden: "Forbidden",
  FieldValueTooLong: "Too long",
  FieldValueTooMany: "Too many",
  InternalError: "Internal error",
  FieldValueTypeInvalid: "Invalid value",
};

/** The part after the field: `Invalid value: "x": must be …`, as a StatusCause's message. */
export function fieldErrorBody(error: FieldError): string {
  const label = LABELS[error.type];
  const shows = !["FieldValueRequired", "FieldValueForbidden", "FieldValueTooLong", "InternalError"].includes(
    error.type,
  );
  const value = shows && error.badValue !== undefined ? `: ${goValue(error.badValue)}` : "";
  return `${label}${value}${error.detail === "" ? "" : `: ${error.detail}`}`;
}

/** `spec.name: Required value: must be set`. */
export function formatFieldError(error: FieldError): string {
  return `${error.field}: ${fieldErrorBody(error)}`;
}

/** A value as field errors print it: strings quoted, objects and lists as compact JSON. */
function goValue(value: JsonValue): string {
  if (value === null) return "null";
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "object") return goJson(value);
  return String(value);
}

/** JSON as Go's encoder prints it, with HTML's special characters escaped; keys stay in their order. */
function goJson(value: JsonValue): string {
  return printJson(value).replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

function printJson(value: JsonValue): string {
  if (typeof value !== "object" || value === null || value instanceof JsonNumber) return stringifyJson(value);
  if (isArray(value)) return `[${value.map(printJson).join(",")}]`;
  const members = Object.entries(value).flatMap(([key, item]) =>
    item === undefined ? [] : [`${stringifyJson(key)}:${printJson(item)}`],
  );
  return `{${members.join(",")}}`;
}

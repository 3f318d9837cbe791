import type { JsonValue } from "@fairlead/base";

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
  const shows = !["FieldValueRequired", "FieldValueForbidden", "FieldValueTooLong", "InternalError"].includes(error.type);
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
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
}

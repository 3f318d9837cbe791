// Makers of field errors, one for each kind, with the details that Kubernetes gives them
// (apimachinery: util/validation/field/errors.go).
import type { JsonValue } from "@fairlead/base";
import type { FieldError } from "./field-error.js";

/** What several rules say of immutable fields. */
export const FIELD_IS_IMMUTABLE = "field is immutable";

export function required(field: string, detail = ""): FieldError {
  return { type: "FieldValueRequired", field, detail };
}

export function invalid(field: string, badValue: JsonValue, detail: string): FieldError {
  return { type: "FieldValueInvalid", field, badValue, detail };
}

/** A value of the wrong type; prints as `invalid` does, with another reason. */
export function typeInvalid(field: string, badValue: JsonValue, detail: string): FieldError {
  return { type: "FieldValueTypeInvalid", field, badValue, detail };
}

export function duplicate(field: string, badValue: JsonValue): FieldError {
  return { type: "FieldValueDuplicate", field, badValue, detail: "" };
}

export function notFound(field: string, badValue: JsonValue): FieldError {
  return { type: "FieldValueNotFound", field, badValue, detail: "" };
}

export function forbidden(field: string, detail: string): FieldError {
  return { type: "FieldValueForbidden", field, detail };
}

/** @param supported - In the order in which they are listed. */
export function notSupported(field: string, badValue: JsonValue, supported: readonly string[]): FieldError {
  const detail =
    supported.length === 0 ? "" : `supported values: ${supported.map((value) => JSON.stringify(value)).join(", ")}`;
  return { type: "FieldValueNotSupported", field, badValue, detail };
}

export function tooLong(field: string, maxBytes: number): FieldError {
  return { type: "FieldValueTooLong", field, detail: `may not be more than ${maxBytes} bytes` };
}

export function tooMany(field: string, actual: number, max: number): FieldError {
  return {
    type: "FieldValueTooMany",
    field,
    badValue: actual,
    detail: `must have at most ${max} ${max === 1 ? "item" : "items"}`,
  };
}

/** Something that could not be found out. */
export function internalError(field: string, detail: string): FieldError {
  return { type: "InternalError", field, badValue: null, detail };
}

/** `parent.name`, or `name` at the root. */
export function childPath(parent: string, name: string): string {
  return parent === "" ? name : `${parent}.${name}`;
}

/** The errors of each message about the same value. */
export function invalidEach(field: string, badValue: JsonValue, messages: readonly string[]): readonly FieldError[] {
  return messages.map((message) => invalid(field, badValue, message));
}

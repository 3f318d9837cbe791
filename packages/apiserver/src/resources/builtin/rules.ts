// Rules that many kinds share (k/k: pkg/apis/core/validation/validation.go and apimachinery's own).
import {
  invalid,
  invalidEach,
  isDns1123Subdomain,
  isPercent,
  notSupported,
  regexMessage,
  required,
  type FieldError,
} from "@fairlead/apimachinery";
import { getOwn, type JsonObject, type JsonValue } from "@fairlead/base";
import { has, num } from "./access.js";

/** No errors; the same empty list each time. */
export const NO_ERRORS: readonly FieldError[] = [];

export const GREATEST_INT32 = 2147483647;

/** `must be greater than or equal to 0` */
export function nonNegative(value: number, path: string): readonly FieldError[] {
  return value < 0 ? [invalid(path, value, "must be greater than or equal to 0")] : NO_ERRORS;
}

/** The same for a member that may be absent. */
export function nonNegativeMember(object: JsonObject, key: string, path: string): readonly FieldError[] {
  return has(object, key) ? nonNegative(num(object, key), `${path}.${key}`) : NO_ERRORS;
}

/** `must be greater than 0` for a member that may be absent. */
export function positiveMember(object: JsonObject, key: string, path: string): readonly FieldError[] {
  return has(object, key) && num(object, key) <= 0
    ? [invalid(`${path}.${key}`, num(object, key), "must be greater than 0")]
    : NO_ERRORS;
}

/** A string that must be there, and follow a rule. */
export function requiredText(
  value: string,
  path: string,
  rule: (value: string) => readonly string[],
): readonly FieldError[] {
  return value === "" ? [required(path)] : invalidEach(path, value, rule(value));
}

/** A string that must be one of some. */
export function oneOf(value: string, path: string, supported: readonly string[]): readonly FieldError[] {
  return supported.includes(value) ? NO_ERRORS : [notSupported(path, value, supported)];
}

/** The same, where an empty one is missing. */
export function requiredOneOf(value: string, path: string, supported: readonly string[]): readonly FieldError[] {
  return value === "" ? [required(path)] : oneOf(value, path, supported);
}

/** An integer that is not negative, or a percentage. */
export function nonNegativeOrPercent(value: JsonValue | undefined, path: string): readonly FieldError[] {
  if (typeof value === "string") return invalidEach(path, value, isPercent(value));
  return typeof value === "number" ? nonNegative(value, path) : NO_ERRORS;
}

/** `must not be greater than 100%` */
export function notMoreThanAll(value: JsonValue | undefined, path: string): readonly FieldError[] {
  const percent = percentOf(value);
  return percent === undefined || percent <= 100
    ? NO_ERRORS
    : [invalid(path, value ?? null, "must not be greater than 100%")];
}

/** The number of a percentage; undefined for anything else. */
export function percentOf(value: JsonValue | undefined): number | undefined {
  if (typeof value !== "string" || isPercent(value).length > 0) return undefined;
  return Number(value.slice(0, -1));
}

/** An IntOrString as a number; percentages count by their number. */
export function intOrPercentValue(value: JsonValue | undefined): number {
  return typeof value === "number" ? value : (percentOf(value) ?? 0);
}

/** A member of a path of keys. */
export function member(object: JsonObject | undefined, key: string): JsonValue | undefined {
  return object === undefined ? undefined : getOwn(object, key);
}

/** An invalid value that the message does not show. */
export function invalidUnshown(path: string, detail: string): FieldError {
  return { type: "FieldValueInvalid", field: path, detail };
}

const PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

/** Something such as `acme.io/foo`. */
export function domainPathErrors(value: string, path: string): readonly FieldError[] {
  if (value === "") return [required(path)];
  const slash = value.indexOf("/");
  if (slash <= 0 || slash === value.length - 1)
    return [invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const domain = value.slice(0, slash);
  const rest = value.slice(slash + 1);
  const errors = invalidEach(path, domain, isDns1123Subdomain(domain));
  return new RegExp(`^${PATH}$`).test(rest)
    ? errors
    : [...errors, invalid(path, rest, regexMessage("Invalid path", PATH))];
}

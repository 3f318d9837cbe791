import { JsonNumber, type JsonObject, type JsonValue } from "./value.js";

/**
 * Prints JSON exactly: keys sorted by code unit, no spaces, `bigint` and JsonNumber by their digits, floats as Go prints
 * them. Equal values print equal text, whatever order their keys were set in. Undefined members are left out.
 */
export function stringifyJson(value: JsonValue): string {
  switch (typeof value) {
    case "string":
      return quoteJson(value);
    case "number":
      return formatNumber(value);
    case "bigint":
      return value.toString();
    case "boolean":
      return value ? "true" : "false";
    default:
  }
  if (value === null) return "null";
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) {
    let out = "[";
    for (let i = 0; i < value.length; i++) out += (i === 0 ? "" : ",") + stringifyJson(value[i] as JsonValue);
    return `${out}]`;
  }
  return stringifyObject(value as JsonObject);
}

function stringifyObject(object: JsonObject): string {
  const keys = Object.keys(object);
  if (!isSorted(keys)) keys.sort(byCodeUnit);
  let out = "{";
  let first = true;
  for (const key of keys) {
    const member = object[key];
    if (member === undefined) continue;
    out += first ? "" : ",";
    out += quoteJson(key);
    out += ":";
    out += stringifyJson(member);
    first = false;
  }
  return `${out}}`;
}

function isSorted(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) if ((keys[i - 1] as string) > (keys[i] as string)) return false;
  return true;
}

/** Orders strings by UTF-16 code unit, never by locale. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const SPECIAL = /["\\\u0000-\u001f\u2028\u2029\ud800-\udfff]/;
const SPECIAL_BEYOND_ASCII = /[\u2028\u2029\ud800-\udfff]/;

/** A JSON string as Go's encoder prints it without HTML escaping: U+2028 and U+2029 escaped, lone surrogates replaced. */
export function quoteJson(text: string): string {
  if (!SPECIAL.test(text)) return `"${text}"`;
  if (!SPECIAL_BEYOND_ASCII.test(text)) return JSON.stringify(text);
  return JSON.stringify(text.toWellFormed()).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** A float64 as Go's encoding/json prints it, which is how JavaScript does. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return "null";
  return Object.is(value, -0) ? "-0" : String(value);
}

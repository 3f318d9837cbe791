import { isArray, isObject, type JsonObject, type JsonValue } from "@fairlead/base";
import { formatGoNumber, goQuote } from "@fairlead/apimachinery";

/*
 * How Go's fmt prints decoded JSON. Kubernetes' messages quote values in these forms, and clients match on them, so they
 * are reproduced to the letter.
 */

/** `%#v`: `"x"`, `5`, `[]interface {}{"a"}`, `map[string]interface {}{"a":1}`, `interface {}(nil)`. */
export function goSyntax(value: JsonValue, nested = false): string {
  if (value === null) return nested ? "interface {}(nil)" : "<nil>";
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "number") return formatGoNumber(value);
  if (isArray(value)) return `[]interface {}{${value.map((item) => goSyntax(item, true)).join(", ")}}`;
  if (!isObject(value)) return String(value);
  return `map[string]interface {}{${sortedEntries(value)
    .map(([key, item]) => `${goQuote(key)}:${goSyntax(item, true)}`)
    .join(", ")}}`;
}

/** A value as path elements show it (structured-merge-diff: value/value.go, ToString). */
export function displayValue(value: JsonValue): string {
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "number") return formatGoNumber(value);
  if (isArray(value)) return `[${value.map(displayValue).join(",")}]`;
  if (isObject(value))
    return sortedEntries(value)
      .map(([key, item]) => `${key}=${displayValue(item)}`)
      .join("");
  return String(value);
}

function sortedEntries(object: JsonObject): [string, JsonValue][] {
  return Object.keys(object)
    .sort()
    .map((key) => [key, object[key] as JsonValue]);
}

/** JSON as Go's encoder prints it with HTML escaping, which is how values stand inside path elements. */
export function goJson(value: JsonValue): string {
  if (typeof value === "string") return goJsonString(value);
  if (typeof value === "number") return goJsonNumber(value);
  if (isArray(value)) return `[${value.map(goJson).join(",")}]`;
  if (!isObject(value)) return String(value);
  return `{${sortedEntries(value)
    .map(([key, item]) => `${goJsonString(key)}:${goJson(item)}`)
    .join(",")}}`;
}

/** A JSON string with `<`, `>`, `&`, U+2028 and U+2029 escaped. */
export function goJsonString(text: string): string {
  if (/^[\x20\x21\x23-\x25\x27-\x3b\x3d\x3f-\x5b\x5d-\x7e]*$/.test(text)) return `"${text}"`;
  return JSON.stringify(text.toWellFormed()).replace(/[<>&\u2028\u2029]|\\./g, (char) => ESCAPED.get(char) ?? char);
}

const ESCAPED: ReadonlyMap<string, string> = new Map([
  ["<", "\\u003c"],
  [">", "\\u003e"],
  ["&", "\\u0026"],
  ["\u2028", "\\u2028"],
  ["\u2029", "\\u2029"],
  ["\\b", "\\u0008"],
  ["\\f", "\\u000c"],
]);

/** JavaScript spells numbers as Go does, but for the sign of zero and for exponents, which have two digits in Go. */
function goJsonNumber(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value).replace(/e-(\d)$/, "e-0$1");
}

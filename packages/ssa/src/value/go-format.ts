import { isArray, isObject, JsonNumber, type JsonObject, type JsonValue } from "@fairlead/base";

/*
 * How Go's fmt prints decoded JSON. Kubernetes' messages quote values in these forms, and clients match on them, so they
 * are reproduced to the letter.
 */

/** `%v`: `x`, `5`, `[a b]`, `map[a:1]`, `<nil>`. */
export function goValue(value: JsonValue): string {
  if (value === null) return "<nil>";
  if (typeof value === "number") return goNumber(value);
  if (isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (isObject(value)) return `map[${sortedEntries(value).map(([key, item]) => `${key}:${goValue(item)}`).join(" ")}]`;
  return String(value);
}

/** `%#v`: `"x"`, `5`, `[]interface {}{"a"}`, `map[string]interface {}{"a":1}`, `interface {}(nil)`. */
export function goSyntax(value: JsonValue, nested = false): string {
  if (value === null) return nested ? "interface {}(nil)" : "<nil>";
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "number") return goNumber(value);
  if (isArray(value)) return `[]interface {}{${value.map((item) => goSyntax(item, true)).join(", ")}}`;
  if (!isObject(value)) return String(value);
  return `map[string]interface {}{${sortedEntries(value).map(([key, item]) => `${goQuote(key)}:${goSyntax(item, true)}`).join(", ")}}`;
}

/** `%T` of a decoded value. */
export function goType(value: JsonValue): string {
  if (value === null) return "<nil>";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "int64";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  if (isArray(value)) return "[]interface {}";
  return value instanceof JsonNumber ? "float64" : "map[string]interface {}";
}

/** A value as path elements show it (structured-merge-diff: value/value.go, ToString). */
export function displayValue(value: JsonValue): string {
  if (value === null) return "null";
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "number") return goNumber(value);
  if (isArray(value)) return `[${value.map(displayValue).join(",")}]`;
  if (isObject(value)) return sortedEntries(value).map(([key, item]) => `${key}=${displayValue(item)}`).join("");
  return String(value);
}

function sortedEntries(object: JsonObject): [string, JsonValue][] {
  return Object.keys(object)
    .sort()
    .map((key) => [key, object[key] as JsonValue]);
}

/** `%v` of an int64 or float64: floats beyond 1e21 and below 1e-4 with an exponent of at least two digits. */
function goNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return String(value);
  const size = Math.abs(value);
  const text = size < 1e-4 || size >= 1e21 ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\u0007", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\u000b", "\\v"],
  ["\\", "\\\\"],
  ['"', '\\"'],
]);

/** `%q`: a Go string literal. Printable characters of any script stay as they are. */
export function goQuote(text: string): string {
  if (/^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(text)) return `"${text}"`;
  let out = '"';
  for (const char of text) out += ESCAPES.get(char) ?? (isPrintable(char) ? char : goEscape(char.codePointAt(0) as number));
  return `${out}"`;
}

function isPrintable(char: string): boolean {
  return char === " " || /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(char);
}

function goEscape(point: number): string {
  if (point < 0x80) return `\\x${point.toString(16).padStart(2, "0")}`;
  if (point >= 0xd800 && point <= 0xdfff) return "\ufffd";
  return point > 0xffff ? `\\U${point.toString(16).padStart(8, "0")}` : `\\u${point.toString(16).padStart(4, "0")}`;
}

/** JSON as Go's encoder prints it with HTML escaping, which is how values stand inside path elements. */
export function goJson(value: JsonValue): string {
  if (typeof value === "string") return goJsonString(value);
  if (typeof value === "number") return goJsonNumber(value);
  if (isArray(value)) return `[${value.map(goJson).join(",")}]`;
  if (!isObject(value)) return String(value);
  return `{${sortedEntries(value).map(([key, item]) => `${goJsonString(key)}:${goJson(item)}`).join(",")}}`;
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

function goJsonNumber(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-6 || size >= 1e21)) return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  return Object.is(value, -0) ? "-0" : String(value);
}

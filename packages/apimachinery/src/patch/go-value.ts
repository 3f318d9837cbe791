import { isArray, isObject, JsonNumber, type JsonValue } from "@fairlead/base";

/*
 * How Go's fmt prints decoded JSON. Kubernetes' messages quote values in these forms, and clients match on them.
 */

/** `%v`: `x`, `5`, `[a b]`, `map[a:1 b:2]`, `<nil>`. Keys are sorted. */
export function formatGoValue(value: JsonValue): string {
  if (value === null) return "<nil>";
  if (typeof value === "number") return formatGoNumber(value);
  if (value instanceof JsonNumber) return formatGoNumber(Number(value.text));
  if (isArray(value)) return `[${value.map(formatGoValue).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const members = Object.keys(value).sort();
  return `map[${members.map((key) => `${key}:${formatGoValue(value[key] as JsonValue)}`).join(" ")}]`;
}

/** `%v` of an int64 or float64: floats beyond 1e21 (whole ones, where int64 ends) and below 1e-4 with an exponent of at least two digits. */
export function formatGoNumber(value: number): string {
  const size = Math.abs(value);
  const plain = value === 0 || (size >= 1e-4 && size < (Number.isInteger(value) ? 2 ** 63 : 1e21));
  return (plain ? String(value) : value.toExponential()).replace(/e([+-])(\d)$/, "e$10$2");
}

/** `%T`: `string`, `int64`, `float64`, `bool`, `[]interface {}`, `map[string]interface {}`, `<nil>`. */
export function goTypeName(value: JsonValue): string {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "bigint":
      return "int64";
    case "number":
      return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? "int64" : "float64";
    default:
  }
  if (value === null) return "<nil>";
  return isArray(value) ? "[]interface {}" : value instanceof JsonNumber ? "float64" : "map[string]interface {}";
}

/** `string`, `number`, `bool`, `array`, `object`: a value as Go's JSON decoder names it in type errors. */
export function jsonTypeName(value: JsonValue): string {
  if (isArray(value)) return "array";
  if (isObject(value)) return "object";
  if (typeof value === "boolean") return "bool";
  return typeof value === "string" ? "string" : "number";
}

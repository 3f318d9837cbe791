// The types of a built-in kind's JSON as Kubernetes' converter from unstructured data checks them, with its messages
// (apimachinery: pkg/runtime/converter.go). Apply results and strategic merge patches go through it instead of Go's JSON
// decoder, which phrases the same mistakes otherwise.
import { getOwn, isArray, isObject, type JsonObject, type JsonValue } from "@fairlead/base";
import { decodeGo } from "./decode.js";
import type { Schema } from "./schema.js";

/**
 * Checks that a value can be converted into a built-in type. Unknown fields are not looked at; null fits everywhere.
 *
 * @returns the message of the first thing that does not fit, e.g. `cannot convert float64 to int32`.
 */
export function fromUnstructuredError(value: JsonValue, schema: Schema): string | undefined {
  if (value === null || schema.preserveUnknownFields === true) return undefined;
  if (schema.format === "quantity" || schema.intOrString === true) return decodeGo(value, schema);
  switch (schema.type) {
    case "object":
      return objectError(value, schema);
    case "array":
      return listError(value, schema);
    case "string":
      return textError(value, schema);
    case "integer":
      return integerError(value, schema.format ?? "int32");
    case "number":
      return typeof value === "number" || typeof value === "bigint" ? undefined : unconvertible(value, "float64");
    case "boolean":
      return typeof value === "boolean" ? undefined : "unrecognized type: bool";
    default:
      return undefined;
  }
}

function objectError(value: JsonValue, schema: Schema): string | undefined {
  const { properties, additionalProperties: additional } = schema;
  if (!isObject(value))
    return properties === undefined
      ? `cannot restore map from ${kindOf(value)}`
      : `cannot restore struct from: ${kindOf(value)}`;
  if (properties !== undefined) return structError(value, properties);
  if (additional === undefined || additional === true) return undefined;
  for (const key of Object.keys(value)) {
    const error = fromUnstructuredError(getOwn(value, key) as JsonValue, additional);
    if (error !== undefined) return error;
  }
  return undefined;
}

function structError(object: JsonObject, properties: ReadonlyMap<string, Schema>): string | undefined {
  for (const [key, field] of properties) {
    const value = getOwn(object, key);
    const error = value === undefined ? undefined : fromUnstructuredError(value, field);
    if (error !== undefined) return error;
  }
  return undefined;
}

function listError(value: JsonValue, { items }: Schema): string | undefined {
  if (!isArray(value)) return `cannot restore slice from ${kindOf(value)}`;
  if (items === undefined) return undefined;
  for (const item of value) {
    const error = fromUnstructuredError(item, items);
    if (error !== undefined) return error;
  }
  return undefined;
}

function textError(value: JsonValue, schema: Schema): string | undefined {
  if (schema.format === "date-time" || schema.format === "micro-time") return decodeGo(value, schema);
  if (schema.format === "byte") {
    if (typeof value !== "string") return `cannot restore slice from ${kindOf(value)}`;
    const error = decodeGo(value, schema);
    return error === undefined ? undefined : `error decoding from json: ${error}`;
  }
  return typeof value === "string" ? undefined : unconvertible(value, "string");
}

function integerError(value: JsonValue, type: string): string | undefined {
  if (typeof value === "bigint") return undefined;
  if (typeof value === "number") return Number.isInteger(value) ? undefined : `cannot convert float64 to ${type}`;
  return `unrecognized type: ${type}`;
}

/** Go converts whole numbers to strings (as runes), so that mistake alone has words of its own. */
function unconvertible(value: JsonValue, type: string): string {
  return type === "string" && kindOf(value) === "int64"
    ? "cannot convert int64 to string"
    : `unrecognized type: ${type}`;
}

function kindOf(value: JsonValue): string {
  if (isArray(value)) return "slice";
  if (isObject(value)) return "map";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" || Number.isInteger(value) ? "int64" : "float64";
}

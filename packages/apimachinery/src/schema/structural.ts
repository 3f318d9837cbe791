import { decodeNumbers, getOwn, isArray, isObject, JsonNumber, type JsonObject, type JsonValue } from "@fairlead/base";
import type { Schema, ValidationRule } from "./schema.js";

/**
 * The Schema of a custom resource's `openAPIV3Schema` (JSONSchemaProps of apiextensions/v1). What Kubernetes ignores or
 * refuses in a definition (`$ref`, `definitions`, `dependencies`, …) is ignored here.
 */
export function structuralSchema(json: JsonValue | undefined): Schema {
  if (!isObject(json)) return {};
  return { ...scalarFacts(json), ...bounds(json), ...children(json), ...junctors(json), ...extensions(json) };
}

type Part = { -readonly [K in keyof Schema]?: Schema[K] };

const TYPES: ReadonlySet<string> = new Set(["object", "array", "string", "integer", "number", "boolean"]);

function scalarFacts(json: JsonObject): Part {
  const out: Part = {};
  const type = getOwn(json, "type");
  if (typeof type === "string" && TYPES.has(type)) out.type = type as NonNullable<Schema["type"]>;
  const format = text(json, "format");
  if (format !== undefined && format !== "") out.format = format;
  const description = text(json, "description");
  if (description !== undefined) out.description = description;
  if (getOwn(json, "nullable") === true) out.nullable = true;
  const value = getOwn(json, "default");
  if (value !== undefined && value !== null) out.default = decodeNumbers(value);
  const values = getOwn(json, "enum");
  if (isArray(values)) out.enum = values.map(decodeNumbers);
  const pattern = text(json, "pattern");
  if (pattern !== undefined && pattern !== "") out.pattern = pattern;
  return out;
}

function bounds(json: JsonObject): Part {
  const out: Part = {};
  for (const key of [
    "minProperties",
    "maxProperties",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "multipleOf",
  ] as const) {
    const value = getOwn(json, key);
    if (typeof value === "number" || typeof value === "bigint" || value instanceof JsonNumber) out[key] = Number(value);
  }
  for (const key of ["exclusiveMinimum", "exclusiveMaximum", "uniqueItems"] as const)
    if (getOwn(json, key) === true) out[key] = true;
  return out;
}

function children(json: JsonObject): Part {
  const out: Part = {};
  const properties = getOwn(json, "properties");
  if (isObject(properties)) {
    out.properties = new Map(Object.keys(properties).map((key) => [key, structuralSchema(getOwn(properties, key))]));
  }
  const required = strings(json, "required");
  if (required !== undefined && required.length > 0) out.required = required;
  const additional = getOwn(json, "additionalProperties");
  if (additional === true) out.additionalProperties = true;
  else if (isObject(additional)) out.additionalProperties = structuralSchema(additional);
  const items = getOwn(json, "items");
  if (isObject(items)) out.items = structuralSchema(items);
  return out;
}

function junctors(json: JsonObject): Part {
  const out: Part = {};
  for (const key of ["allOf", "anyOf", "oneOf"] as const) {
    const schemas = getOwn(json, key);
    if (isArray(schemas)) out[key] = schemas.map(structuralSchema);
  }
  const not = getOwn(json, "not");
  if (isObject(not)) out.not = structuralSchema(not);
  return out;
}

function extensions(json: JsonObject): Part {
  const out: Part = {};
  const listType = text(json, "x-kubernetes-list-type");
  if (listType === "atomic" || listType === "set" || listType === "map") out.listType = listType;
  const keys = strings(json, "x-kubernetes-list-map-keys");
  if (keys !== undefined) out.listMapKeys = keys;
  const mapType = text(json, "x-kubernetes-map-type");
  if (mapType === "atomic" || mapType === "granular") out.mapType = mapType;
  if (getOwn(json, "x-kubernetes-preserve-unknown-fields") === true) out.preserveUnknownFields = true;
  if (getOwn(json, "x-kubernetes-embedded-resource") === true) out.embeddedResource = true;
  if (getOwn(json, "x-kubernetes-int-or-string") === true) out.intOrString = true;
  const rules = getOwn(json, "x-kubernetes-validations");
  if (isArray(rules) && rules.length > 0)
    out.validations = rules.flatMap((rule) => (isObject(rule) ? [validationRule(rule)] : []));
  return out;
}

function validationRule(json: JsonObject): ValidationRule {
  const optionalOldSelf = getOwn(json, "optionalOldSelf");
  const out: { -readonly [K in keyof ValidationRule]: ValidationRule[K] } = { rule: text(json, "rule") ?? "" };
  for (const key of ["message", "messageExpression", "reason", "fieldPath"] as const) {
    const value = text(json, key);
    if (value !== undefined && value !== "") out[key] = value;
  }
  if (typeof optionalOldSelf === "boolean") out.optionalOldSelf = optionalOldSelf;
  return out;
}

function text(json: JsonObject, key: string): string | undefined {
  const value = getOwn(json, key);
  return typeof value === "string" ? value : undefined;
}

function strings(json: JsonObject, key: string): readonly string[] | undefined {
  const value = getOwn(json, key);
  return isArray(value) ? value.filter((item) => typeof item === "string") : undefined;
}

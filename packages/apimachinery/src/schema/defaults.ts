// Filling in a custom resource's defaults (apiextensions-apiserver: pkg/apiserver/schema/defaulting/algorithm.go).
import { cloneJson, getOwn, isArray, isObject, setOwn, type JsonValue, type MutableJsonObject } from "@fairlead/base";
import { fieldSchema } from "./prune.js";
import type { Schema } from "./schema.js";

/**
 * Fills in the defaults of missing properties, and of nulls that may not be null, in place; goes into what it filled in.
 * Objects that are absent and have no default of their own are not created. Idempotent.
 */
export function applySchemaDefaults(value: JsonValue, schema: Schema | undefined): void {
  if (schema === undefined) return;
  if (isArray(value)) {
    const { items } = schema;
    for (let i = 0; i < value.length; i++) {
      if (isRefusedNull(value[i], items) && items?.default !== undefined) (value as JsonValue[])[i] = cloneJson(items.default);
      applySchemaDefaults(value[i] as JsonValue, items);
    }
    return;
  }
  if (isObject(value)) defaultObject(value as MutableJsonObject, schema);
}

function defaultObject(object: MutableJsonObject, schema: Schema): void {
  for (const [key, property] of schema.properties ?? []) {
    if (property.default === undefined) continue;
    const member = getOwn(object, key);
    if (member === undefined || isRefusedNull(member, property)) setOwn(object, key, cloneJson(property.default));
  }
  for (const key of Object.keys(object)) {
    const field = fieldSchema(schema, key);
    if (field === undefined) continue;
    if (isRefusedNull(object[key], field) && field.default !== undefined) setOwn(object, key, cloneJson(field.default));
    applySchemaDefaults(object[key] as JsonValue, field);
  }
}

function isRefusedNull(value: JsonValue | undefined, schema: Schema | undefined): boolean {
  return value === null && schema !== undefined && schema.nullable !== true;
}

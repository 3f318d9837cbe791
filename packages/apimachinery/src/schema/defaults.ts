// Filling in a custom resource's defaults (apiextensions-apiserver: pkg/apiserver/schema/defaulting/algorithm.go).
import {
  cloneJson,
  getOwn,
  isArray,
  isObject,
  setOwn,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";
import { fieldSchema } from "./prune.js";
import type { Schema } from "./schema.js";

/**
 * Fills in the defaults of missing properties, and of nulls that may not be null; goes into what it filled in. Objects
 * that are absent and have no default of their own are not created. Idempotent. Sets members of the object itself, and
 * copies what it changes below it, so what the object holds may be shared.
 */
export function applySchemaDefaults(object: MutableJsonObject, schema: Schema): void {
  const defaulted = defaultedObject(object, schema);
  if (defaulted === object) return;
  for (const key of Object.keys(defaulted)) {
    const value = defaulted[key];
    if (value !== object[key] && value !== undefined) setOwn(object, key, value);
  }
}

/** The value with its defaults; the same one where nothing is missing. */
function defaulted(value: JsonValue, schema: Schema | undefined): JsonValue {
  if (schema === undefined) return value;
  if (isArray(value)) return defaultedList(value, schema);
  return isObject(value) ? defaultedObject(value, schema) : value;
}

function defaultedList(list: readonly JsonValue[], { items }: Schema): JsonValue {
  let copy: JsonValue[] | undefined;
  for (const [i, item] of list.entries()) {
    const filled = defaulted(
      isRefusedNull(item, items) && items?.default !== undefined ? cloneJson(items.default) : item,
      items,
    );
    if (filled !== item) (copy ??= [...list])[i] = filled;
  }
  return copy ?? list;
}

function defaultedObject(object: JsonObject, schema: Schema): JsonObject {
  let copy: MutableJsonObject | undefined;
  const set = (key: string, value: JsonValue): void => setOwn((copy ??= { ...object }), key, value);
  for (const [key, property] of schema.properties ?? []) {
    if (property.default === undefined) continue;
    const member = getOwn(object, key);
    if (member === undefined || isRefusedNull(member, property)) set(key, cloneJson(property.default));
  }
  for (const key of Object.keys(copy ?? object)) {
    const field = fieldSchema(schema, key);
    const member = (copy ?? object)[key];
    if (field === undefined || member === undefined) continue;
    const filled = defaulted(
      isRefusedNull(member, field) && field.default !== undefined ? cloneJson(field.default) : member,
      field,
    );
    if (filled !== member) set(key, filled);
  }
  return copy ?? object;
}

function isRefusedNull(value: JsonValue, schema: Schema | undefined): boolean {
  return value === null && schema !== undefined && schema.nullable !== true;
}

// Filling in a custom resource's defaults (apiextensions-apiserver: pkg/apiserver/schema/defaulting/algorithm.go).
import {
  cloneJson,
  FairleadError,
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
 *
 * @throws DefaultsError when a small object would become a very large one, as a list of empty objects can.
 */
export function applySchemaDefaults(object: MutableJsonObject, schema: Schema): void {
  const defaulted = defaultedObject(object, schema, { left: MOST_VALUES });
  if (defaulted === object) return;
  for (const key of Object.keys(defaulted)) {
    const value = defaulted[key];
    if (value !== object[key] && value !== undefined) setOwn(object, key, value);
  }
}

/** Defaults that would make an object larger than any that can be stored. */
export class DefaultsError extends FairleadError {
  constructor() {
    super("TooManyDefaults", `defaults would fill in more than ${MOST_VALUES} values`);
  }
}

/** Values that defaults fill in at most. */
const MOST_VALUES = 200_000;

interface Room {
  left: number;
}

/** A copy of a default. @throws DefaultsError */
function copied(value: JsonValue, room: Room): JsonValue {
  takeRoom(value, room);
  return cloneJson(value);
}

function takeRoom(value: JsonValue, room: Room): void {
  if (--room.left < 0) throw new DefaultsError();
  if (isArray(value)) for (const item of value) takeRoom(item, room);
  else if (isObject(value)) for (const key of Object.keys(value)) takeRoom(value[key] as JsonValue, room);
}

/** The value with its defaults; the same one where nothing is missing. */
function defaulted(value: JsonValue, schema: Schema | undefined, room: Room): JsonValue {
  if (schema === undefined) return value;
  if (isArray(value)) return defaultedList(value, schema, room);
  return isObject(value) ? defaultedObject(value, schema, room) : value;
}

function defaultedList(list: readonly JsonValue[], { items }: Schema, room: Room): JsonValue {
  let copy: JsonValue[] | undefined;
  for (const [i, item] of list.entries()) {
    const filled = defaulted(
      isRefusedNull(item, items) && items?.default !== undefined ? copied(items.default, room) : item,
      items,
      room,
    );
    if (filled !== item) (copy ??= [...list])[i] = filled;
  }
  return copy ?? list;
}

function defaultedObject(object: JsonObject, schema: Schema, room: Room): JsonObject {
  let copy: MutableJsonObject | undefined;
  const set = (key: string, value: JsonValue): void => setOwn((copy ??= { ...object }), key, value);
  for (const [key, property] of schema.properties ?? []) {
    if (property.default === undefined) continue;
    const member = getOwn(object, key);
    if (member === undefined || isRefusedNull(member, property)) set(key, copied(property.default, room));
  }
  for (const key of Object.keys(copy ?? object)) {
    const field = fieldSchema(schema, key);
    const member = (copy ?? object)[key];
    if (field === undefined || member === undefined) continue;
    const filled = defaulted(
      isRefusedNull(member, field) && field.default !== undefined ? copied(field.default, room) : member,
      field,
      room,
    );
    if (filled !== member) set(key, filled);
  }
  return copy ?? object;
}

function isRefusedNull(value: JsonValue, schema: Schema | undefined): boolean {
  return value === null && schema !== undefined && schema.nullable !== true;
}

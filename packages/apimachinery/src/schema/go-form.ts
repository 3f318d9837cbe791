// What a built-in object looks like after Go has decoded it into its type and encoded it again: null is absence; zero and
// empty values are left out or printed as each field's tags say; quantities and times are canonical. The stored form of
// a list or map has no difference between absent and empty (it was protobuf once), so neither has this.
import { isArray, isObject, JsonNumber, type JsonValue, type MutableJsonObject } from "@fairlead/base";
import { findQuantity, formatQuantity } from "../validation/quantity.js";
import type { Schema } from "./schema.js";

/**
 * Brings an object of a built-in type into Go's form, in place. Fields that the type does not have stay as they are.
 * Idempotent.
 */
export function goForm(object: MutableJsonObject, schema: Schema): void {
  const { properties } = schema;
  if (properties === undefined) return;
  for (const [key, field] of properties) {
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    if (value === undefined && (field.presence === "omitEmpty" || field.presence === "pointer")) continue;
    const form = fieldForm(value, field);
    if (form === undefined) delete object[key];
    else if (form !== value) object[key] = form;
  }
}

/** The form of a field's value; undefined where it is left out. */
function fieldForm(value: JsonValue | undefined, schema: Schema): JsonValue | undefined {
  if (value === undefined || value === null) return absentForm(schema);
  if (schema.presence !== "pointer" && schema.presence !== "nullablePointer" && isEmpty(value, schema))
    return absentForm(schema);
  return valueForm(value, schema);
}

function absentForm(schema: Schema): JsonValue | undefined {
  if (schema.presence === "nullablePointer") return null;
  if (schema.presence !== "always") return undefined;
  return zeroForm(schema);
}

/** Go's zero value of a type, encoded. */
function zeroForm(schema: Schema): JsonValue {
  if (schema.format === "quantity") return "0";
  if (schema.intOrString === true) return 0;
  switch (schema.type) {
    case "string":
      return schema.format === "date-time" || schema.format === "micro-time" || schema.format === "byte" ? null : "";
    case "integer":
    case "number":
      return 0;
    case "boolean":
      return false;
    case "object": {
      if (schema.properties === undefined) return null;
      const out: MutableJsonObject = {};
      goForm(out, schema);
      return out;
    }
    default:
      return null;
  }
}

/** Whether a value is what a non-pointer field leaves out: a struct never is. */
function isEmpty(value: JsonValue, schema: Schema): boolean {
  if (schema.intOrString === true || schema.untypedAtomic === true) return false;
  if (isArray(value)) return value.length === 0;
  if (isObject(value))
    return schema.properties === undefined && schema.type === "object" && Object.keys(value).length === 0;
  return value === "" || value === 0 || value === false;
}

function valueForm(value: JsonValue, schema: Schema): JsonValue {
  if (schema.format === "quantity") return quantityForm(value);
  if (isArray(value)) {
    const { items } = schema;
    if (items === undefined) return value;
    return isStable(value, items) ? value : value.map((item) => elementForm(item, items));
  }
  if (isObject(value)) {
    if (schema.properties !== undefined) {
      goForm(value, schema);
      return value;
    }
    const { additionalProperties } = schema;
    if (additionalProperties === undefined || additionalProperties === true) return value;
    const object: MutableJsonObject = value;
    for (const key of Object.keys(object)) {
      const item = object[key] as JsonValue;
      const form = elementForm(item, additionalProperties);
      if (form !== item) object[key] = form;
    }
    return value;
  }
  if (typeof value === "string") {
    if (schema.format === "date-time") return timeForm(value);
    if (schema.format === "micro-time") return microTimeForm(value);
  }
  return value;
}

function elementForm(item: JsonValue, schema: Schema): JsonValue {
  return item === null ? zeroForm(schema) : valueForm(item, schema);
}

/** Elements that need no new list: they are scalars, or objects that are changed in place. */
function isStable(list: readonly JsonValue[], items: Schema): boolean {
  for (const item of list) {
    if (isObject(item) && items.properties !== undefined) goForm(item, items);
    else if (elementForm(item, items) !== item) return false;
  }
  return true;
}

function quantityForm(value: JsonValue): JsonValue {
  if (
    typeof value !== "string" &&
    typeof value !== "number" &&
    typeof value !== "bigint" &&
    !(value instanceof JsonNumber)
  )
    return value;
  const quantity = findQuantity(String(value).trim());
  return quantity === undefined ? value : formatQuantity(quantity);
}

const TIME = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})$/;

/** A time in UTC, to the second; other texts stay as they are. */
function timeForm(text: string): string {
  const match = TIME.exec(text);
  if (match === null) return text;
  return `${utcSecond(match)}Z`;
}

/** A time in UTC, to the microsecond. */
function microTimeForm(text: string): string {
  const match = TIME.exec(text);
  if (match === null) return text;
  return `${utcSecond(match)}.${(match[3] ?? "").slice(0, 6).padEnd(6, "0")}Z`;
}

function utcSecond([, date = "", time = "", , zone = "Z"]: readonly string[]): string {
  if (zone === "Z") return `${date}T${time}`;
  const sign = zone.startsWith("-") ? -1 : 1;
  const offsetMs = sign * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6))) * 60_000;
  return new Date(Date.parse(`${date}T${time}Z`) - offsetMs).toISOString().slice(0, 19);
}

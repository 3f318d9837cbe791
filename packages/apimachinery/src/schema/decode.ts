// The types of a built-in kind's JSON as Go's decoder checks them, with its messages (sigs.k8s.io/json, encoding/json).
import {
  decodedNumber,
  getOwn,
  isArray,
  isObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";
import { findQuantity, parseQuantity, QuantityError } from "../validation/quantity.js";
import type { Schema } from "./schema.js";

export interface DecodeOptions {
  /** Drops the members of the top object that have the wrong type, and reports the first all the same. */
  readonly dropInvalid?: boolean;
}

/**
 * Checks that a value can be decoded into a built-in type, and turns numbers with a spelling of their own into plain
 * ones, in place. Unknown fields are not looked at; null fits everywhere.
 *
 * @returns the message of the first thing that does not fit, e.g.
 *   `json: cannot unmarshal number into Go struct field ObjectMeta.name of type string`.
 */
export function decodeGo(value: JsonValue, schema: Schema, options: DecodeOptions = {}): string | undefined {
  if (options.dropInvalid === true && isObject(value)) return dropInvalid(value, schema);
  return check(value, schema, TOP);
}

/** The struct that holds the value, and the names of the fields that lead to it. */
interface Place {
  readonly struct: string;
  readonly fields: string;
}

const TOP: Place = { struct: "", fields: "" };

function dropInvalid(object: MutableJsonObject, schema: Schema): string | undefined {
  let first: string | undefined;
  for (const [key, field] of schema.properties ?? []) {
    const member = getOwn(object, key);
    const error = member === undefined ? undefined : check(member, field, fieldPlace(TOP, schema, key));
    if (error === undefined) continue;
    first ??= error;
    delete object[key];
  }
  return first;
}

function fieldPlace(place: Place, schema: Schema, key: string): Place {
  return { struct: structName(schema), fields: place.fields === "" ? key : `${place.fields}.${key}` };
}

function check(value: JsonValue, schema: Schema, place: Place): string | undefined {
  if (value === null || schema.preserveUnknownFields === true) return undefined;
  if (schema.format === "quantity") return checkQuantity(value);
  if (schema.intOrString === true) return typeof value === "string" ? undefined : checkInteger(value, "int32", TOP);
  switch (schema.type) {
    case "object":
      return isObject(value) ? checkMembers(value, schema, place) : mismatch(value, schema, place);
    case "array":
      return isArray(value) ? checkItems(value, schema, place) : mismatch(value, schema, place);
    case "string":
      return typeof value === "string" ? checkText(value, schema) : mismatch(value, schema, place);
    case "integer":
      return checkInteger(value, schema.format ?? "int32", place);
    case "number":
      return typeof value === "number" || typeof value === "bigint" || value instanceof JsonNumber
        ? undefined
        : mismatch(value, schema, place);
    case "boolean":
      return typeof value === "boolean" ? undefined : mismatch(value, schema, place);
    default:
      return undefined;
  }
}

function checkMembers(object: JsonObject, schema: Schema, place: Place): string | undefined {
  const { properties, additionalProperties: additional } = schema;
  for (const key of Object.keys(object)) {
    const value = getOwn(object, key) as JsonValue;
    const field = properties?.get(key);
    if (field === undefined && (properties !== undefined || additional === undefined || additional === true)) continue;
    if (value instanceof JsonNumber && (field ?? additional) !== undefined)
      plain(object, key, field ?? (additional as Schema));
    const error =
      field === undefined
        ? check(value, additional as Schema, place)
        : check(value, field, fieldPlace(place, schema, key));
    if (error !== undefined) return error;
  }
  return undefined;
}

/** Makes a floating-point number plain; integers spelled otherwise do not fit and stay for the message. */
function plain(object: MutableJsonObject, key: string, schema: Schema): void {
  const value = object[key];
  if (schema.type === "number" && value instanceof JsonNumber) object[key] = decodedNumber(value);
}

function checkItems(list: readonly JsonValue[], schema: Schema, place: Place): string | undefined {
  if (schema.items === undefined) return undefined;
  for (const item of list) {
    const error = check(item, schema.items, place);
    if (error !== undefined) return error;
  }
  return undefined;
}

function checkInteger(value: JsonValue, format: string, place: Place): string | undefined {
  if (typeof value !== "number" && typeof value !== "bigint" && !(value instanceof JsonNumber))
    return mismatchOf(value, format, place);
  const limit = format === "int64" ? 2n ** 63n : 2n ** 31n;
  const whole = typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
  if (whole && BigInt(value) >= -limit && BigInt(value) < limit) return undefined;
  return unmarshalMessage(`number ${String(value)}`, format, place);
}

function checkQuantity(value: JsonValue): string | undefined {
  if (typeof value === "boolean" || isObject(value) || isArray(value)) return quantityMessage(JSON.stringify(value));
  const text = String(value).trim();
  return findQuantity(text) === undefined ? quantityMessage(text) : undefined;
}

function quantityMessage(text: string): string {
  try {
    parseQuantity(text);
  } catch (error) {
    if (error instanceof QuantityError) return error.message;
    throw error;
  }
  return "";
}

function checkText(value: string, schema: Schema): string | undefined {
  if (schema.format === "date-time") return checkTime(value, "2006-01-02T15:04:05Z07:00");
  if (schema.format === "micro-time") return checkTime(value, "2006-01-02T15:04:05.000000Z07:00");
  return schema.format === "byte" ? checkBase64(value) : undefined;
}

const TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

function checkTime(value: string, layout: string): string | undefined {
  const match = TIME.exec(value);
  const subject = `parsing time ${JSON.stringify(value)}`;
  if (match === null) return `${subject} as ${JSON.stringify(layout)}: ${cannotParse(value, layout)}`;
  if (layout.includes(".") && match[7]?.length !== 7)
    return `${subject} as ${JSON.stringify(layout)}: ${wrongFraction(value, match[7] ?? "")}`;
  const ranges: readonly (readonly [group: number, max: number, name: string])[] = [
    [2, 12, "month"],
    [3, 31, "day"],
    [4, 23, "hour"],
    [5, 59, "minute"],
    [6, 59, "second"],
  ];
  for (const [group, max, name] of ranges) {
    const part = Number(match[group]);
    if (part > max || (part === 0 && max < 32 && (name === "month" || name === "day")))
      return `${subject}: ${name} out of range`;
  }
  return undefined;
}

/** A layout with a fraction takes exactly its digits. */
function wrongFraction(value: string, fraction: string): string {
  if (fraction.length > 7) return `cannot parse ${JSON.stringify(value.slice(26))} as "Z07:00"`;
  return `cannot parse ${JSON.stringify(value.slice(19))} as ".000000"`;
}

/** The part of a layout at which a text leaves it. */
function cannotParse(value: string, layout: string): string {
  let rest = value;
  const elements: readonly (readonly [element: string, pattern: RegExp])[] = [
    ["2006", /^\d{4}/],
    ["-", /^-/],
    ["01", /^\d{2}/],
    ["-", /^-/],
    ["02", /^\d{2}/],
    ["T", /^T/],
    ["15", /^\d{2}/],
    [":", /^:/],
    ["04", /^\d{2}/],
    [":", /^:/],
    ["05", layout.includes(".") ? /^\d{2}/ : /^\d{2}(?:\.\d+)?/],
    ...(layout.includes(".") ? [[".000000", /^\.\d{6}/] as const] : []),
    ["Z07:00", /^(?:Z|[+-]\d{2}:\d{2})/],
  ];
  for (const [element, pattern] of elements) {
    const match = pattern.exec(rest);
    if (match === null) return `cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(element)}`;
    rest = rest.slice(match[0].length);
  }
  return `extra text: ${JSON.stringify(rest)}`;
}

/** Go's position of the first byte that standard base64 does not have. */
function checkBase64(value: string): string | undefined {
  const text = value.replace(/[\r\n]/g, "");
  if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return undefined;
  const bad = text.search(/[^A-Za-z0-9+/]/);
  const at = bad < 0 ? text.length : text[bad] === "=" && text.length % 4 !== 0 && bad % 4 >= 2 ? text.length : bad;
  return `illegal base64 data at input byte ${at === text.length ? at - (at % 4) : at}`;
}

function mismatch(value: JsonValue, schema: Schema, place: Place): string {
  return mismatchOf(value, goType(schema), place);
}

function mismatchOf(value: JsonValue, type: string, place: Place): string {
  return unmarshalMessage(jsonKind(value), type, place);
}

function unmarshalMessage(what: string, type: string, { struct, fields }: Place): string {
  const target = fields === "" ? "value" : `struct field ${struct}.${fields}`;
  return `json: cannot unmarshal ${what} into Go ${target} of type ${type}`;
}

function jsonKind(value: JsonValue): string {
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  return isArray(value) ? "array" : isObject(value) ? "object" : "number";
}

/** A type as Go's reflection prints it: `[]v1.Container`, `map[string]string`. */
function goType(schema: Schema): string {
  switch (schema.type) {
    case "array":
      return schema.items === undefined ? "[]interface {}" : `[]${goType(schema.items)}`;
    case "object": {
      if (schema.typeName !== undefined) return schema.typeName.split(".").slice(-2).join(".");
      const additional = schema.additionalProperties;
      return `map[string]${additional === undefined || additional === true ? "interface {}" : goType(additional)}`;
    }
    case "string":
      return schema.format === "byte" ? "[]uint8" : "string";
    case "integer":
      return schema.format ?? "int32";
    case "number":
      return "float64";
    case "boolean":
      return "bool";
    default:
      return schema.format === "quantity" ? "resource.Quantity" : "interface {}";
  }
}

function structName(schema: Schema): string {
  return schema.typeName?.split(".").at(-1) ?? "";
}

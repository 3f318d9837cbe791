// JSON as expressions see it, by its schema (apiserver: pkg/cel/common/values.go). Nothing is converted before it is asked.
import {
  decodeBase64,
  decodedNumber,
  deepEqual,
  getOwn,
  isArray,
  isObject,
  JsonNumber,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from "@fairlead/base";
import type { Schema } from "../../schema/schema.js";
import { equal } from "../value/compare.js";
import { parseDate, parseLongDuration, parseTimestamp } from "../value/time.js";
import {
  CelError,
  NO_SUCH_OVERLOAD,
  weightOf,
  type CelList,
  type CelMap,
  type Opaque,
  type Result,
  type Value,
} from "../value/value.js";
import { withObjectMeta } from "./declared.js";
import { escapeName, unescapeName } from "./escape.js";
import { KeyedList, SetList } from "./schema-lists.js";

/** A value as expressions see it; an error where it is not what its schema says. */
export function schemaValue(json: JsonValue, schema: Schema): Result {
  if (json === null)
    return schema.nullable === true ? null : new CelError("invalid data, got null for schema with nullable=false");
  const value = json instanceof JsonNumber ? decodedNumber(json) : json;
  if (schema.intOrString === true) {
    if (typeof value === "string") return value;
    const whole = integerOf(value);
    return whole ?? new CelError("invalid data, expected XIntOrString value to be either a string or integer");
  }
  switch (schema.type) {
    case "object":
      return isObject(value)
        ? new SchemaMap(value, schema)
        : new CelError("invalid data, expected a map for the provided schema with type=object");
    case "array":
      return listValue(value, schema);
    case "string":
      return typeof value === "string" ? textValue(value, schema) : wrongData("string");
    case "number":
      return typeof value === "number" || typeof value === "bigint" ? Number(value) : wrongData("float");
    case "integer":
      return integerOf(value) ?? wrongData("int");
    case "boolean":
      return typeof value === "boolean" ? value : wrongData("bool");
    default:
      return schema.preserveUnknownFields === true
        ? new UnknownValue(value)
        : new CelError(
            "invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ",
          );
  }
}

function wrongData(wanted: string): CelError {
  return new CelError(`invalid data, expected ${wanted}`);
}

function integerOf(value: JsonValue): bigint | undefined {
  if (typeof value === "bigint") return value;
  return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : undefined;
}

function textValue(text: string, { format }: Schema): Result {
  switch (format) {
    case "duration":
      return parseLongDuration(text) ?? new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`);
    case "date":
      return parseDate(text) ?? new CelError(`Invalid date formatted string ${text}`);
    case "date-time":
      return parseTimestamp(text) ?? new CelError(`Invalid date-time formatted string ${text}`);
    case "byte":
      return decodeBase64(text) ?? new CelError(`Invalid byte formatted string ${text}`);
    default:
      return text;
  }
}

/** What no schema describes: it can only be compared. */
class UnknownValue implements Opaque {
  readonly celType = "unknown";
  readonly json: JsonValue;

  constructor(json: JsonValue) {
    this.json = json;
  }

  equals(other: Opaque): boolean {
    return other instanceof UnknownValue && deepEqual(this.json, other.json);
  }
}

function listValue(value: JsonValue, schema: Schema): Result {
  if (!isArray(value)) return new CelError("invalid data, expected an array for the provided schema with type=array");
  const { items, listType } = schema;
  if (items === undefined) return new CelError("invalid array type, expected Items with a non-empty Schema");
  const list = new SchemaList(value, items);
  if (listType === "set") return new SetList(list);
  return listType === "map" ? new KeyedList(list, schema.listMapKeys ?? []) : list;
}

/** An atomic list. */
class SchemaList implements CelList {
  readonly kind = "list";
  readonly #json: JsonArray;
  readonly #items: Schema;
  /** Elements that have been asked for, where they are more than a scalar. */
  readonly #known: Result[] = [];
  #weight: number | undefined;

  constructor(json: JsonArray, items: Schema) {
    this.#json = json;
    this.#items = items;
  }

  get length(): number {
    return this.#json.length;
  }

  get weight(): number {
    return (this.#weight ??= countValues(this.#json));
  }

  at(index: number): Result {
    const known = this.#known[index];
    if (known !== undefined) return known;
    const value = schemaValue(this.#json[index] as JsonValue, this.#items);
    return typeof value === "object" && value !== null ? (this.#known[index] = value) : value;
  }
}

/** How many values a JSON value consists of, as weightOf counts them. */
function countValues(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return weightOf(value);
  let count = 1;
  if (isArray(value)) for (const item of value) count += countValues(item);
  else if (isObject(value)) for (const key of Object.keys(value)) count += 1 + countValues(value[key] as JsonValue);
  return count;
}

/** An object, whose fields are known and whose nulls are absent, or a map. */
class SchemaMap implements CelMap {
  readonly kind = "map";
  readonly #json: JsonObject;
  readonly #schema: Schema;
  /** Fields that have been asked for, where they are more than a scalar. */
  readonly #known = new Map<string, Result>();
  #names: readonly string[] | undefined;
  #keys: readonly Value[] | undefined;
  #weight: number | undefined;

  constructor(json: JsonObject, schema: Schema) {
    this.#json = json;
    this.#schema = schema.embeddedResource === true ? withObjectMeta(schema) : schema;
  }

  get #isObject(): boolean {
    return this.#schema.properties !== undefined;
  }

  get size(): number {
    return this.#allNames().length;
  }

  get weight(): number {
    return (this.#weight ??= countValues(this.#json));
  }

  #allNames(): readonly string[] {
    return (this.#names ??= Object.keys(this.#json));
  }

  #schemaOf(key: string): Schema | undefined {
    if (this.#isObject) return this.#schema.properties?.get(key);
    const values = this.#schema.additionalProperties;
    return typeof values === "object" ? values : undefined;
  }

  get(key: Value): Result | undefined {
    return typeof key === "string" ? this.field(key) : NO_SUCH_OVERLOAD;
  }

  field(name: string): Result | undefined {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const value = this.#field(name);
    if (typeof value === "object" && value !== null) this.#known.set(name, value);
    return value;
  }

  #field(name: string): Result | undefined {
    const key = this.#isObject ? unescapeName(name) : name;
    if (key === undefined) return undefined;
    const json = getOwn(this.#json, key);
    const schema = this.#schemaOf(key);
    if (json === undefined || schema === undefined || (this.#isObject && json === null)) return undefined;
    return schemaValue(json, schema);
  }

  keys(): readonly Value[] {
    return (this.#keys ??= this.#knownKeys());
  }

  #knownKeys(): readonly Value[] {
    const known = this.#allNames().filter((key) => this.#schemaOf(key) !== undefined);
    return this.#isObject ? known.map((key) => escapeName(key) ?? key) : known;
  }

  equals(other: CelMap): boolean | CelError {
    if (this.size !== other.size) return false;
    for (const key of this.#allNames()) {
      const same = this.#schemaOf(key) === undefined ? this.#sameUnknown(key, other) : this.#sameField(key, other);
      if (same !== true) return same;
    }
    return true;
  }

  #sameField(key: string, other: CelMap): boolean | CelError {
    const name = this.#isObject ? (escapeName(key) ?? key) : key;
    const [own, others] = [this.field(name), other.field(name)];
    if (own === undefined || others === undefined) return own === others;
    if (own instanceof CelError) return own;
    return others instanceof CelError ? others : equal(own, others);
  }

  /** Fields that no schema describes are compared as they are. */
  #sameUnknown(key: string, other: CelMap): boolean | CelError {
    if (!(other instanceof SchemaMap)) return NO_SUCH_OVERLOAD;
    const value = getOwn(other.#json, key);
    return value === undefined || deepEqual(getOwn(this.#json, key), value);
  }
}

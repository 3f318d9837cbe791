// What a schema says about the types and sizes of values (apiserver: pkg/cel/common/schemas.go, pkg/cel/types.go).
import type { Schema } from "../../schema/schema.js";
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  structType,
  TIMESTAMP,
  type CelType,
} from "../check/types.js";
import type { SizeEstimator } from "../cost/node.js";
import { escapeName } from "./escape.js";

/** The largest request, in bytes, that a value may have come with. */
export const MAX_REQUEST_BYTES: number = 3 * 1024 * 1024;

/** The type of a value that a schema describes. */
export interface DeclaredType {
  readonly celType: CelType;
  /** The most elements, keys or bytes that it may have. */
  readonly maxElements: number;
  /** The fewest bytes that it takes as JSON. */
  readonly minBytes: number;
  /** Objects: the types of the fields, by their escaped names. */
  readonly fields?: ReadonlyMap<string, DeclaredType>;
  /** Maps: the type of the keys. */
  readonly key?: DeclaredType;
  /** Lists and maps: the type of what they hold. */
  readonly element?: DeclaredType;
}

const simple = (celType: CelType, minBytes: number, maxElements = 0): DeclaredType => ({
  celType,
  minBytes,
  maxElements,
});

const LONGEST_STRING = MAX_REQUEST_BYTES - 2;
const LONGEST_TIME = 32;
const DATE_LENGTH = 12;
/** A character may take four bytes. */
const BYTES_PER_CHARACTER = 4;

/**
 * The type of what a schema describes; undefined where expressions cannot see it.
 *
 * @param name - What object types are called, each with the way to it behind.
 * @param isRoot - Whether it is a whole object, of which apiVersion, kind and the name are always known.
 */
export function declaredType(schema: Schema, name: string, isRoot = false): DeclaredType | undefined {
  if (schema.intOrString === true) return simple(DYN, 1, longest(schema, LONGEST_STRING));
  const whole = isRoot ? withObjectMeta(schema) : schema;
  switch (whole.type) {
    case "array":
      return declaredList(whole, name);
    case "object":
      return typeof whole.additionalProperties === "object" ? declaredMap(whole, name) : declaredObject(whole, name);
    case "string":
      return declaredString(whole);
    case "boolean":
      return simple(BOOL, 4);
    case "number":
      return simple(DOUBLE, 1);
    case "integer":
      return simple(INT, 1);
    default:
      return undefined;
  }
}

function declaredList(schema: Schema, name: string): DeclaredType | undefined {
  const { items } = schema;
  const element =
    items === undefined ? undefined : declaredType(items, `${name}.@idx`, items.embeddedResource === true);
  if (element === undefined) return undefined;
  const most = Math.trunc((MAX_REQUEST_BYTES - 2) / (element.minBytes + 1));
  return { celType: listOf(element.celType), maxElements: bound(schema.maxItems, most), minBytes: 2, element };
}

function declaredMap(schema: Schema, name: string): DeclaredType | undefined {
  const values = schema.additionalProperties;
  if (typeof values !== "object") return undefined;
  const element = declaredType(values, `${name}.@elem`, values.embeddedResource === true);
  if (element === undefined) return undefined;
  const most = Math.trunc((MAX_REQUEST_BYTES - 2) / (element.minBytes + 6));
  return {
    celType: mapOf(STRING, element.celType),
    maxElements: bound(schema.maxProperties, most),
    minBytes: 2,
    key: simple(STRING, 2, 0),
    element,
  };
}

function declaredObject(schema: Schema, name: string): DeclaredType {
  const fields = new Map<string, DeclaredType>();
  const required = new Set(schema.required);
  let minBytes = 2;
  for (const [property, part] of schema.properties ?? []) {
    const escaped = escapeName(property);
    const type = declaredType(part, `${name}.${escaped ?? ""}`, part.embeddedResource === true);
    if (type === undefined) continue;
    if (escaped !== undefined) fields.set(escaped, type);
    if (required.has(property) && part.default === undefined) minBytes += property.length + type.minBytes + 4;
  }
  return { celType: structType(name), maxElements: 0, minBytes, fields };
}

function declaredString(schema: Schema): DeclaredType {
  switch (schema.format) {
    case "byte":
      return simple(BYTES, 2, bound(schema.maxLength, LONGEST_STRING));
    case "duration":
      return simple(DURATION, 3, LONGEST_TIME);
    case "date":
      return simple(TIMESTAMP, DATE_LENGTH, DATE_LENGTH);
    case "date-time":
      return simple(TIMESTAMP, 21, LONGEST_TIME);
    default: {
      const values = schema.enum ?? [];
      const longestValue = values.reduce<number>(
        (most, value) => (typeof value === "string" ? Math.max(most, utf8Length(value)) : most),
        0,
      );
      return simple(STRING, 2, longest(schema, values.length > 0 ? longestValue : LONGEST_STRING));
    }
  }
}

function bound(declared: number | undefined, otherwise: number): number {
  return declared === undefined ? otherwise : Math.max(0, declared);
}

function longest({ maxLength }: Schema, otherwise: number): number {
  return maxLength === undefined ? otherwise : Math.max(0, maxLength) * BYTES_PER_CHARACTER;
}

function utf8Length(text: string): number {
  return [...text].reduce((sum, character) => {
    const point = character.codePointAt(0) ?? 0;
    return sum + (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4);
  }, 0);
}

const TEXT: Schema = { type: "string" };

/** The schema of a whole object: what is always there stands in it, and of the metadata nothing else. */
export function withObjectMeta(schema: Schema): Schema {
  const metadata: Schema = {
    type: "object",
    properties: new Map([
      ["name", TEXT],
      ["generateName", TEXT],
    ]),
  };
  const properties = new Map(schema.properties ?? []);
  properties.set("kind", TEXT).set("apiVersion", TEXT).set("metadata", metadata);
  return { ...schema, properties };
}

/** The fields of all object types in a declared type, by the types' names. */
export function fieldTables(type: DeclaredType): ReadonlyMap<string, ReadonlyMap<string, CelType>> {
  const tables = new Map<string, ReadonlyMap<string, CelType>>();
  const visit = (each: DeclaredType): void => {
    if (each.element !== undefined) visit(each.element);
    if (each.fields === undefined) return;
    tables.set(each.celType.name, new Map([...each.fields].map(([name, field]) => [name, field.celType])));
    for (const field of each.fields.values()) visit(field);
  };
  visit(type);
  return tables;
}

/** How large the parts of a variable of a declared type may be. */
export function declaredSizes(root: DeclaredType): SizeEstimator {
  return (path) => {
    if (path.length === 0) return undefined;
    let at: DeclaredType | undefined = root;
    for (const step of path.slice(1)) {
      if (step === "@items" || step === "@values") at = at.element;
      else if (step === "@keys") at = at.key;
      else at = at.fields?.get(step);
      if (at === undefined) return undefined;
    }
    return { min: 0, max: at.maxElements };
  };
}

/** How often a value of a type may occur in one object, where nothing bounds it. */
export function maxCardinality(type: DeclaredType): number {
  return Math.trunc(MAX_REQUEST_BYTES / (type.minBytes + 1));
}

// What a schema says of a value by itself, whatever is inside of it (kube-openapi: pkg/validation/validate).
import { deepEqual, isArray, type JsonValue, type Sliced } from "@fairlead/base";
import { invalid, notSupported, tooLong, typeInvalid } from "../validation/errors.js";
import type { FieldError } from "../validation/field-error.js";
import { isStringFormat, matchesFormat } from "./formats.js";
import { goRegExp, type GoRegExp } from "./go-regexp.js";
import type { SchemaError } from "./schema-error.js";
import type { Schema } from "./schema.js";

/** The JSON types that a schema allows; any when it names none. */
export function typesOf(schema: Schema): readonly string[] {
  if (schema.intOrString === true) return ["integer", "string"];
  return schema.type === undefined ? [] : [schema.type];
}

/** JSON type and Go's format of a value: whole numbers beyond int64 are floats. */
function kindOf(value: JsonValue): readonly [type: string, format: string] {
  if (typeof value === "boolean") return ["boolean", ""];
  if (typeof value === "string") return ["string", ""];
  if (typeof value === "bigint")
    return BigInt.asIntN(64, value) === value ? ["integer", "int64"] : ["number", "float64"];
  if (typeof value === "number") return Number.isSafeInteger(value) ? ["integer", "int64"] : ["number", "float64"];
  return isArray(value) ? ["array", ""] : ["object", ""];
}

export function typeErrors(value: JsonValue, schema: Schema, path: string): readonly SchemaError[] {
  const types = typesOf(schema);
  const [type, valueFormat] = kindOf(value);
  const numeric = types.includes("number") || types.includes("integer");
  const fits = types.includes(type) || (type === "integer" && types.includes("number"));
  const { format } = schema;
  if (
    format !== undefined &&
    type !== "string" &&
    type !== "array" &&
    !fits &&
    valueFormat !== format &&
    isEnforced(schema, format)
  ) {
    return [wrongType(path, format, valueFormat)];
  }
  if (!numeric && format !== undefined && isEnforced(schema, format) && (type === "string" || type === "array"))
    return [];
  return fits ? [] : [wrongType(path, types.join(","), type)];
}

const NUMBER_FORMATS: ReadonlySet<string> = new Set(["int32", "int64", "float", "double"]);

/** Formats that nobody knows are stripped from a schema before it is used. */
function isEnforced(schema: Schema, format: string): boolean {
  return isStringFormat(format) || (schema.type !== "string" && NUMBER_FORMATS.has(format));
}

export function wrongType(path: string, type: string, value: string): SchemaError {
  const message = `${path} in body must be of type ${type}: ${JSON.stringify(value)}`;
  return { message, error: typeInvalid(path, value, message) };
}

/** Length and pattern of a text. */
export function* stringErrors(value: string, schema: Schema, path: string): Sliced<readonly SchemaError[]> {
  const { maxLength, minLength, pattern } = schema;
  const length = maxLength === undefined && minLength === undefined ? 0 : characters(value);
  if (maxLength !== undefined && length > maxLength)
    return [{ message: `${path} long`, error: tooLong(path, maxLength) }];
  if (minLength !== undefined && length < minLength)
    return [bad(path, value, `should be at least ${minLength} chars long`)];
  if (pattern === undefined) return [];
  const regExp = patternOf(schema, pattern);
  if (regExp === undefined || !(yield* regExp.testing(value))) return [bad(path, value, `should match '${pattern}'`)];
  return [];
}

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/;

/** How many characters a text has. */
export function characters(text: string): number {
  if (!PAIR.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** What is made of a schema when it is first used; a schema never changes. */
interface Compiled {
  readonly regExp: GoRegExp | undefined;
  readonly allowed: Allowed;
}

const compiled = new WeakMap<Schema, Compiled>();

function compiledOf(schema: Schema): Compiled {
  let known = compiled.get(schema);
  if (known === undefined) {
    const { pattern } = schema;
    known = { regExp: pattern === undefined ? undefined : goRegExp(pattern), allowed: new Allowed(schema.enum ?? []) };
    compiled.set(schema, known);
  }
  return known;
}

/** The expression of a schema's pattern; undefined when it cannot be compiled, and then matches nothing. */
export function patternOf(schema: Schema, pattern: string): GoRegExp | undefined {
  return pattern === schema.pattern ? compiledOf(schema).regExp : goRegExp(pattern);
}

/** The values of an `enum`. */
export class Allowed {
  /** What an error lists, which may be long and is made once. */
  readonly #detail: string;
  readonly #texts = new Set<string>();
  readonly #integers = new Set<number>();
  readonly #others: JsonValue[] = [];

  constructor(values: readonly JsonValue[]) {
    const shown = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
    this.#detail = notSupported("", null, shown).detail;
    for (const value of values) {
      if (typeof value === "string") this.#texts.add(value);
      else if (typeof value === "number" && Number.isInteger(value)) this.#integers.add(value);
      else if (value !== null) this.#others.push(value);
    }
  }

  /** Whether a value is among them. Fractions are cut off where the allowed value is whole. */
  has(value: JsonValue): boolean {
    if (typeof value === "string") return this.#texts.has(value);
    if (typeof value === "number" && this.#integers.has(Math.trunc(value))) return true;
    if (typeof value === "bigint" && this.#integers.has(Number(value)) && BigInt(Number(value)) === value) return true;
    return this.#others.some((allowed) => deepEqual(value, allowed));
  }

  refusal(field: string, badValue: JsonValue): FieldError {
    return { type: "FieldValueNotSupported", field, badValue, detail: this.#detail };
  }

  /** What it takes to look for one, as Sliced counts it. */
  get work(): number {
    return this.#others.length * 5;
  }
}

/** The values that a schema allows; undefined when it allows all. */
export function allowedOf(schema: Schema): Allowed | undefined {
  return schema.enum === undefined || schema.enum.length === 0 ? undefined : compiledOf(schema).allowed;
}

export function formatErrors(value: string, format: string, path: string): readonly SchemaError[] {
  return matchesFormat(format, value) === false ? [wrongType(path, format, value)] : [];
}

/** `path in body <what>`, with the value. */
export function bad(path: string, value: JsonValue, what: string): SchemaError {
  const message = `${path} in body ${what}`;
  return { message, error: invalid(path, value, message) };
}

export function enumErrors(value: JsonValue, schema: Schema, path: string): readonly SchemaError[] {
  const allowed = allowedOf(schema);
  if (allowed === undefined || allowed.has(value)) return [];
  return [{ message: `${path} in body should be one of`, error: allowed.refusal(path, value) }];
}

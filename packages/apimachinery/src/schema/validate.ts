// Values of custom resources against their schema, with the messages of Kubernetes (kube-openapi: pkg/validation/validate,
// and how apiextensions-apiserver turns its results into field errors). CEL rules are not looked at here.
//
// Each node is asked by a fixed row of validators; every one that applies counts as a match, because of several branches
// of an anyOf or oneOf the one with most matches gives the errors. On an update an error of a node that has not changed
// is dropped (ratcheting): nodes correlate by key, items of map lists by their keys, other items not at all.
import {
  byCodeUnit,
  deepEqual,
  getOwn,
  isArray,
  isObject,
  stringifyJson,
  unsliced,
  type JsonObject,
  type JsonValue,
  type Sliced,
} from "@fairlead/base";
import { childPath, invalid, required, tooMany } from "../validation/errors.js";
import type { FieldError } from "../validation/field-error.js";
import { isStringFormat } from "./formats.js";
import { isKnownValid } from "./recognize.js";
import type { SchemaError } from "./schema-error.js";
import type { Schema } from "./schema.js";
import { validateNumber } from "./validate-number.js";
import {
  allowedOf,
  bad,
  enumErrors,
  formatErrors,
  stringErrors,
  typeErrors,
  typesOf,
  wrongType,
} from "./validate-value.js";

export interface ValidateOptions {
  /** The stored value, on an update: what has not changed is not reported. */
  readonly old?: JsonValue | undefined;
  /** Where the value stands in the object (`status`); messages name fields from the value on, errors from the object on. */
  readonly path?: string;
}

/** What is wrong with a value, in Kubernetes' order; objects are walked in the order of their schema. */
export function validateValue(value: JsonValue, schema: Schema, options: ValidateOptions = {}): readonly FieldError[] {
  return unsliced(validatingValue(value, schema, options));
}

/** validateValue in slices. What is valid is mostly found out by a quicker way, which cannot tell what is wrong. */
export function* validatingValue(
  value: JsonValue,
  schema: Schema,
  { old, path = "" }: ValidateOptions = {},
): Sliced<readonly FieldError[]> {
  return isKnownValid(value, schema, { ratchets: old !== undefined })
    ? []
    : yield* explainingValue(value, schema, { old, path });
}

/** The long way: looks at everything, and knows the words for it. */
export function* explainingValue(
  value: JsonValue,
  schema: Schema,
  { old, path = "" }: ValidateOptions = {},
): Sliced<readonly FieldError[]> {
  const result = yield* node(value, schema, { path: "", old, correlated: old !== undefined });
  const seen = new Set<string>();
  return result.errors
    .filter(({ message }) => !seen.has(message) && seen.add(message) !== undefined)
    .map(({ error }) => moved(error, path));
}

/** Errors at most of one list or map; nobody reads so many. */
const MOST_ERRORS = 10_000;
/** What they say together at most, in characters: each may list a long enum. */
const MOST_TEXT = 2_000_000;
/** What it takes to look at one value. */
const VALUE_WORK = 20;

interface Result {
  readonly errors: readonly SchemaError[];
  /** How many validators had a say. */
  readonly matches: number;
}

interface Place {
  readonly path: string;
  readonly old: JsonValue | undefined;
  /** Whether there is an old value that this one comes from. */
  readonly correlated: boolean;
}

const NONE: Result = { errors: [], matches: 0 };

function moved(error: FieldError, prefix: string): FieldError {
  if (error.field === "<nil>") return prefix === "" ? error : { ...error, field: prefix };
  const field = error.field.replace(/^\./, "");
  return { ...error, field: field === "" ? (prefix === "" ? "<nil>" : prefix) : childPath(prefix, field) };
}

function* node(value: JsonValue, schema: Schema, place: Place): Sliced<Result> {
  yield VALUE_WORK + (allowedOf(schema)?.work ?? 0);
  const result = value === null ? nullNode(schema, place) : yield* valueNode(value, schema, place);
  if (result.errors.length === 0 || !place.correlated || !deepEqual(value, place.old)) return result;
  return { errors: [], matches: result.matches };
}

function nullNode(schema: Schema, { path }: Place): Result {
  const types = typesOf(schema);
  const bad = types.length > 0 && schema.nullable !== true;
  return merged(1, bad ? [wrongType(path, types.join(","), "null")] : [], enumErrors(null, schema, path));
}

function* valueNode(value: JsonValue, schema: Schema, place: Place): Sliced<Result> {
  const results: Result[] = [];
  const apply = (result: Result): void => void results.push({ ...result, matches: result.matches + 1 });
  if (typesOf(schema).length > 0 || schema.format !== undefined)
    apply({ errors: typeErrors(value, schema, place.path), matches: 1 });
  apply(yield* junctors(value, schema, place));
  if (typeof value === "string") {
    apply({ errors: yield* stringErrors(value, schema, place.path), matches: 0 });
    if (schema.format !== undefined && isStringFormat(schema.format))
      apply({ errors: formatErrors(value, schema.format, place.path), matches: 0 });
  }
  if (typeof value === "number" || typeof value === "bigint")
    apply({ errors: validateNumber(value, schema, place.path), matches: 1 });
  if (isArray(value)) apply(yield* list(value, schema, place));
  apply({ errors: enumErrors(value, schema, place.path), matches: 0 });
  if (isObject(value)) apply(yield* object(value, schema, place));
  return results.reduce(join, { errors: [], matches: 1 });
}

function join(a: Result, b: Result): Result {
  if (b.errors.length === 0) return { errors: a.errors, matches: a.matches + b.matches };
  return { errors: a.errors.length === 0 ? b.errors : [...a.errors, ...b.errors], matches: a.matches + b.matches };
}

function merged(matches: number, ...errors: readonly (readonly SchemaError[])[]): Result {
  return { errors: errors.flat(), matches };
}

function* list(value: readonly JsonValue[], schema: Schema, place: Place): Sliced<Result> {
  const { items, minItems, maxItems } = schema;
  const { path } = place;
  const errors: SchemaError[] = [];
  let matches = 1;
  if (items !== undefined) {
    const old = correlatedItems(value, schema, place);
    let length = 0;
    for (const [i, item] of value.entries()) {
      const before = old?.[i];
      if (errors.length >= MOST_ERRORS || length > MOST_TEXT) break;
      const result = yield* node(item, items, { path: `${path}[${i}]`, old: before, correlated: before !== undefined });
      for (const error of result.errors) {
        errors.push(error);
        length += error.error.detail.length;
      }
      matches += result.matches;
    }
  }
  if (minItems !== undefined && value.length < minItems)
    errors.push(bad(path, value.length, `should have at least ${minItems} items`));
  if (maxItems !== undefined && value.length > maxItems)
    errors.push({ message: `${path} many items`, error: tooMany(path, value.length, maxItems) });
  if (schema.uniqueItems === true && new Set(value.map(stringifyJson)).size < value.length) {
    errors.push({
      message: `${path} in body shouldn't contain duplicates`,
      error: invalid(path, "", `${path} in body shouldn't contain duplicates`),
    });
  }
  return { errors, matches };
}

/** For each item of a map list, the old item with the same keys. */
function correlatedItems(
  value: readonly JsonValue[],
  schema: Schema,
  place: Place,
): readonly (JsonValue | undefined)[] | undefined {
  const { old } = place;
  const keys = schema.listMapKeys;
  if (!place.correlated || schema.listType !== "map" || keys === undefined || !isArray(old)) return undefined;
  const identity = (item: JsonObject): string =>
    keys.map((key) => stringifyJson(keyValue(item, key, schema) ?? null)).join();
  const known = new Map<string, JsonValue>();
  for (const before of old) {
    const id = isObject(before) ? identity(before) : undefined;
    if (id !== undefined && !known.has(id)) known.set(id, before);
  }
  return value.map((item) => (isObject(item) ? known.get(identity(item)) : undefined));
}

function keyValue(item: JsonObject, key: string, schema: Schema): JsonValue | undefined {
  return getOwn(item, key) ?? schema.items?.properties?.get(key)?.default;
}

function* object(value: JsonObject, schema: Schema, place: Place): Sliced<Result> {
  const { path } = place;
  const { properties, additionalProperties: additional, minProperties, maxProperties } = schema;
  const keys = Object.keys(value);
  const errors: SchemaError[] = [];
  if (minProperties !== undefined && keys.length < minProperties)
    errors.push(bad(path, keys.length, `should have at least ${minProperties} properties`));
  if (maxProperties !== undefined && keys.length > maxProperties)
    errors.push({ message: `${path} many properties`, error: tooMany(path, keys.length, maxProperties) });
  let matches = 0;
  const add = (result: Result): void => {
    for (const error of result.errors) errors.push(error);
    matches += result.matches;
  };
  if (additional !== undefined && additional !== true) {
    for (const key of keys.sort(byCodeUnit)) {
      if (properties?.has(key) === true || errors.length >= MOST_ERRORS) continue;
      add(yield* node(getOwn(value, key) as JsonValue, additional, childPlace(place, key, `${path}.${key}`)));
    }
  }
  for (const [key, property] of properties ?? []) {
    const member = getOwn(value, key);
    if (member !== undefined) add(yield* node(member, property, childPlace(place, key, childPath(path, key))));
  }
  const missing = (schema.required ?? []).filter((key) => getOwn(value, key) === undefined);
  for (const key of missing) errors.push(missingError(`${path}.${key}`));
  return { errors, matches };
}

function missingError(path: string): SchemaError {
  return { message: `${path} in body is required`, error: required(path) };
}

function childPlace(place: Place, key: string, path: string): Place {
  const old = place.correlated && isObject(place.old) ? getOwn(place.old, key) : undefined;
  const isType = place.path === "" && (key === "kind" || key === "apiVersion");
  return { path, old, correlated: old !== undefined && !isType };
}

function* junctors(value: JsonValue, schema: Schema, place: Place): Sliced<Result> {
  let result: Result = { errors: [], matches: 1 };
  if (schema.anyOf !== undefined && schema.anyOf.length > 0)
    result = join(result, yield* anyOf(value, schema.anyOf, place));
  if (schema.oneOf !== undefined && schema.oneOf.length > 0)
    result = join(result, yield* oneOf(value, schema.oneOf, place));
  if (schema.allOf !== undefined && schema.allOf.length > 0)
    result = join(result, yield* allOf(value, schema.allOf, place));
  if (schema.not !== undefined && (yield* node(value, schema.not, place)).errors.length === 0) {
    result = join(result, unlocated(`${JSON.stringify(place.path)} must not validate the schema (not)`));
  }
  return result;
}

/** An error that names no field. */
function unlocated(message: string): Result {
  return { errors: [{ message, error: invalid("<nil>", "", message) }], matches: 0 };
}

function* anyOf(value: JsonValue, schemas: readonly Schema[], place: Place): Sliced<Result> {
  let best: Result | undefined;
  for (const schema of schemas) {
    const result = yield* node(value, schema, place);
    if (result.errors.length === 0) return result;
    if (best === undefined || result.matches > best.matches) best = result;
  }
  return join(unlocated(`${JSON.stringify(place.path)} must validate at least one schema (anyOf)`), best ?? NONE);
}

function* oneOf(value: JsonValue, schemas: readonly Schema[], place: Place): Sliced<Result> {
  let best: Result | undefined;
  const valid: Result[] = [];
  for (const schema of schemas) {
    const result = yield* node(value, schema, place);
    if (result.errors.length === 0) valid.push(result);
    else if (valid.length === 0 && (best === undefined || result.matches > best.matches)) best = result;
  }
  if (valid.length === 1) return valid[0] ?? NONE;
  const found = valid.length === 0 ? "Found none valid" : `Found ${valid.length} valid alternatives`;
  const error = unlocated(`${JSON.stringify(place.path)} must validate one and only one schema (oneOf). ${found}`);
  return valid.length === 0 ? join(error, best ?? NONE) : error;
}

function* allOf(value: JsonValue, schemas: readonly Schema[], place: Place): Sliced<Result> {
  const results: Result[] = [];
  for (const schema of schemas) results.push(yield* node(value, schema, place));
  const valid = results.filter((result) => result.errors.length === 0).length;
  const all = results.reduce(join, NONE);
  if (valid === schemas.length) return all;
  return join(
    all,
    unlocated(
      `${JSON.stringify(place.path)} must validate all the schemas (allOf)${valid === 0 ? ". None validated" : ""}`,
    ),
  );
}

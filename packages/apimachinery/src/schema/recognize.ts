// The quick way to find that nothing is wrong with a value: one walk that stops at the first thing that is, and says no
// more. Schemas are turned into functions once. What they cannot decide in a short time is left to the long way
// (validate.ts), which knows the words for everything.
import { isArray, isObject, stringifyJson, type JsonArray, type JsonObject, type JsonValue } from "@fairlead/base";
import { isStringFormat } from "./formats.js";
import type { Schema } from "./schema.js";
import { validateNumber } from "./validate-number.js";
import { allowedOf, characters, formatErrors, patternOf, typeErrors, typesOf } from "./validate-value.js";

/** Whether a value is valid; null is among them. */
type Test = (value: JsonValue, effort: Effort) => boolean;

/** What is left of the work that one answer may take, as Sliced counts it. Below zero no answer counts. */
interface Effort {
  left: number;
}

interface Recognizer {
  readonly test: Test;
  /** Whether some part must not be valid, or not two of them: then what has not changed cannot be judged by itself. */
  readonly excludes: boolean;
}

const MOST_WORK = 200_000;

/**
 * Whether a value is known to have no errors; false says nothing.
 *
 * @param options.ratchets - Whether errors of what has not changed would be passed over.
 */
export function isKnownValid(value: JsonValue, schema: Schema, options: { readonly ratchets: boolean }): boolean {
  const { test, excludes } = recognizerOf(schema);
  if (options.ratchets && excludes) return false;
  const effort: Effort = { left: MOST_WORK };
  return test(value, effort) && effort.left >= 0;
}

const recognizers = new WeakMap<Schema, Recognizer>();

function recognizerOf(schema: Schema): Recognizer {
  let known = recognizers.get(schema);
  if (known === undefined) recognizers.set(schema, (known = { test: testOf(schema), excludes: excludes(schema) }));
  return known;
}

function excludes(schema: Schema): boolean {
  if (schema.not !== undefined || (schema.oneOf?.length ?? 0) > 0) return true;
  const { items, additionalProperties: additional, properties, allOf = [], anyOf = [] } = schema;
  if (items !== undefined && excludes(items)) return true;
  if (additional !== undefined && additional !== true && excludes(additional)) return true;
  for (const property of properties?.values() ?? []) if (excludes(property)) return true;
  return [...allOf, ...anyOf].some(excludes);
}

/** Everything that the schema asks of a value that is not null. */
function testOf(schema: Schema): Test {
  const tests = [typeTest(schema), scalarTest(schema), junctorTest(schema), listTest(schema), objectTest(schema)];
  const some = tests.filter((test) => test !== undefined);
  const acceptsNull = (typesOf(schema).length === 0 || schema.nullable === true) && allowedOf(schema) === undefined;
  const [first = always, second = always, third = always, fourth, fifth] = some;
  const whole: Test =
    fourth === undefined
      ? (value, effort) => first(value, effort) && second(value, effort) && third(value, effort)
      : (value, effort) =>
          first(value, effort) &&
          second(value, effort) &&
          third(value, effort) &&
          fourth(value, effort) &&
          (fifth === undefined || fifth(value, effort));
  return (value, effort) => {
    if (value === null) return acceptsNull;
    if (--effort.left < 0) return false;
    return whole(value, effort);
  };
}

const always: Test = () => true;

function typeTest(schema: Schema): Test | undefined {
  const { type, format } = schema;
  if (type === undefined && schema.intOrString !== true && format === undefined) return undefined;
  const full: Test = (value) => typeErrors(value, schema, "").length === 0;
  if (format !== undefined || schema.intOrString === true) return full;
  switch (type) {
    case "string":
      return (value) => typeof value === "string";
    case "boolean":
      return (value) => typeof value === "boolean";
    case "object":
      return isObject;
    case "array":
      return isArray;
    case "integer":
    case "number":
      return (value, effort) => (typeof value === "number" && Number.isSafeInteger(value)) || full(value, effort);
    case undefined:
      return undefined;
  }
}

function scalarTest(schema: Schema): Test | undefined {
  const tests = [textTest(schema), formatTest(schema), numberTest(schema), enumTest(schema)];
  const some = tests.filter((test) => test !== undefined);
  const [first, second] = some;
  if (first === undefined || second === undefined) return first;
  return (value, effort) => some.every((test) => test(value, effort));
}

function textTest(schema: Schema): Test | undefined {
  const { minLength, maxLength, pattern } = schema;
  if (minLength === undefined && maxLength === undefined && pattern === undefined) return undefined;
  const [least, most] = [minLength ?? 0, maxLength ?? Infinity];
  return (value, effort) => {
    if (typeof value !== "string") return true;
    // No text has more characters than units, nor fewer than half as many.
    if (value.length > most || value.length < least * 2) {
      const length = characters(value);
      if (length > most || length < least) return false;
    }
    if (pattern === undefined) return true;
    const regExp = patternOf(schema, pattern);
    if (regExp === undefined) return false;
    const testing = regExp.testing(value);
    while (true) {
      const step = testing.next();
      if (step.done === true) return step.value;
      if ((effort.left -= step.value) < 0) return false;
    }
  };
}

function formatTest({ format }: Schema): Test | undefined {
  if (format === undefined || !isStringFormat(format)) return undefined;
  return (value) => typeof value !== "string" || formatErrors(value, format, "").length === 0;
}

function numberTest(schema: Schema): Test | undefined {
  const { type, format, minimum, maximum, multipleOf } = schema;
  const bounded = minimum !== undefined || maximum !== undefined || multipleOf !== undefined;
  if (!bounded && type !== "integer" && format === undefined) return undefined;
  const plain = !bounded && format === undefined;
  return (value) => {
    if (typeof value !== "number" && typeof value !== "bigint") return true;
    return (plain && Number.isSafeInteger(value)) || validateNumber(value, schema, "").length === 0;
  };
}

function enumTest(schema: Schema): Test | undefined {
  const allowed = allowedOf(schema);
  if (allowed === undefined) return undefined;
  return (value, effort) => {
    effort.left -= allowed.work;
    return effort.left >= 0 && allowed.has(value);
  };
}

function listTest(schema: Schema): Test | undefined {
  const { items, minItems = 0, maxItems = Infinity, uniqueItems } = schema;
  if (items === undefined && minItems === 0 && maxItems === Infinity && uniqueItems !== true) return undefined;
  const each = items === undefined ? undefined : lazily(items);
  return (value, effort) => {
    if (!isArray(value)) return true;
    if (value.length < minItems || value.length > maxItems) return false;
    if (uniqueItems === true && new Set((value as JsonArray).map(stringifyJson)).size < value.length) return false;
    if (each !== undefined) for (const item of value) if (!each(item, effort)) return false;
    return true;
  };
}

function objectTest(schema: Schema): Test | undefined {
  const { properties, additionalProperties: additional, required = [], minProperties = 0 } = schema;
  const { maxProperties = Infinity } = schema;
  const tests = new Map([...(properties ?? [])].map(([key, property]) => [key, lazily(property)]));
  const others = additional === undefined || additional === true ? undefined : lazily(additional);
  if (tests.size === 0 && others === undefined && required.length === 0 && minProperties === 0)
    if (maxProperties === Infinity) return undefined;
  return (value, effort) => {
    if (!isObject(value)) return true;
    return membersAreValid(value, effort) && required.every((key) => Object.hasOwn(value, key));
  };

  function membersAreValid(value: JsonObject, effort: Effort): boolean {
    const keys = Object.keys(value);
    if (keys.length < minProperties || keys.length > maxProperties) return false;
    for (const key of keys) {
      const test = tests.get(key) ?? others;
      const member = value[key];
      if (member === undefined) return false;
      if (test !== undefined && !test(member, effort)) return false;
    }
    return true;
  }
}

function junctorTest(schema: Schema): Test | undefined {
  const [anyOf, oneOf, allOf] = [schema.anyOf, schema.oneOf, schema.allOf].map((parts) => (parts ?? []).map(lazily));
  const not = schema.not === undefined ? undefined : lazily(schema.not);
  const [any = [], one = [], all = []] = [anyOf, oneOf, allOf];
  if (any.length + one.length + all.length === 0 && not === undefined) return undefined;
  return (value, effort) =>
    all.every((test) => test(value, effort)) &&
    (any.length === 0 || any.some((test) => test(value, effort))) &&
    (one.length === 0 || one.reduce((sum, test) => sum + (test(value, effort) ? 1 : 0), 0) === 1) &&
    (not === undefined || !not(value, effort));
}

/** The test of a schema, made when it is first needed: parts that no object has take no memory. */
function lazily(schema: Schema): Test {
  let test: Test | undefined;
  return (value, effort) => (test ??= testOf(schema))(value, effort);
}

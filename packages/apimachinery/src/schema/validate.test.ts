import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "@fairlead/base";
import { formatFieldError } from "../validation/field-error.js";
import { structuralSchema } from "./structural.js";
import { validateValue, type ValidateOptions } from "./validate.js";

const found = (value: JsonValue, schema: JsonValue, options?: ValidateOptions): readonly string[] =>
  validateValue(value, structuralSchema(schema), options).map(formatFieldError);

const under = (key: string, schema: JsonValue): JsonValue => ({ type: "object", properties: { [key]: schema } });

describe("one value", () => {
  it.each<[sentence: string, schema: JsonObject, value: JsonValue, ...errors: readonly string[]]>([
    ["has its type", { type: "string" }, 5, 'a: Invalid value: "integer": a in body must be of type string: "integer"'],
    ["may be a whole number where any number may", { type: "number" }, 5],
    [
      "may not be a fraction of an integer",
      { type: "integer" },
      1.5,
      'a: Invalid value: "number": a in body must be of type integer: "number"',
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in a',
    ],
    ["may not be null", { type: "string" }, null, 'a: Invalid value: "null": a in body must be of type string: "null"'],
    ["may be null where the schema says so", { type: "string", nullable: true }, null],
    ["is one of an enum", { enum: ["x", "y"] }, "z", 'a: Unsupported value: "z": supported values: "x", "y"'],
    ["is an integer or a string", { "x-kubernetes-int-or-string": true }, "5%"],
    [
      "is neither a float nor a list",
      { "x-kubernetes-int-or-string": true },
      [],
      'a: Invalid value: "array": a in body must be of type integer,string: "array"',
    ],
    [
      "is long enough",
      { type: "string", minLength: 3 },
      "ab",
      'a: Invalid value: "ab": a in body should be at least 3 chars long',
    ],
    ["is short enough", { type: "string", maxLength: 1 }, "ab", "a: Too long: may not be more than 1 bytes"],
    ["counts characters, not bytes", { type: "string", maxLength: 1 }, "😀"],
    [
      "matches a pattern",
      { type: "string", pattern: "^b" },
      "ab",
      "a: Invalid value: \"ab\": a in body should match '^b'",
    ],
    [
      "has a format",
      { type: "string", format: "date" },
      "x",
      'a: Invalid value: "x": a in body must be of type date: "x"',
    ],
    ["has any format that nobody knows", { type: "string", format: "semver" }, "x"],
    [
      "is great enough",
      { type: "integer", minimum: 2 },
      1,
      "a: Invalid value: 1: a in body should be greater than or equal to 2",
    ],
    [
      "is small enough",
      { type: "number", maximum: 2, exclusiveMaximum: true },
      2,
      "a: Invalid value: 2: a in body should be less than 2",
    ],
    [
      "is a multiple",
      { type: "integer", multipleOf: 2 },
      3,
      "a: Invalid value: 3: a in body should be a multiple of 2",
    ],
    [
      "fits into 32 bits",
      { type: "integer", format: "int32" },
      2 ** 31,
      '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in a',
    ],
  ])("%s", (_sentence, schema, value, ...errors) => {
    expect(found({ a: value }, under("a", schema))).toEqual(errors);
  });
});

describe("lists and objects", () => {
  it.each<[sentence: string, schema: JsonObject, value: JsonValue, ...errors: readonly string[]]>([
    [
      "have items of a type",
      { type: "array", items: { type: "integer" } },
      [1, "x"],
      'a[1]: Invalid value: "string": a[1] in body must be of type integer: "string"',
    ],
    [
      "have enough items",
      { type: "array", minItems: 2 },
      [1],
      "a: Invalid value: 1: a in body should have at least 2 items",
    ],
    ["have few items", { type: "array", maxItems: 1 }, [1, 2], "a: Too many: 2: must have at most 1 item"],
    [
      "have what is required, in its order",
      { type: "object", required: ["y", "x"] },
      {},
      "a.y: Required value",
      "a.x: Required value",
    ],
    [
      "have few properties",
      { type: "object", maxProperties: 1 },
      { x: 1, y: 2 },
      "a: Too many: 2: must have at most 1 item",
    ],
    [
      "have other properties of a type",
      { type: "object", additionalProperties: { type: "string" } },
      { x: 1 },
      'a.x: Invalid value: "integer": a.x in body must be of type string: "integer"',
    ],
  ])("%s", (_sentence, schema, value, ...errors) => {
    expect(found({ a: value }, under("a", schema))).toEqual(errors);
  });
});

describe("alternatives", () => {
  const text = { type: "string" };
  const long = { type: "string", minLength: 3 };
  it.each<[sentence: string, schema: JsonObject, value: JsonValue, ...errors: readonly string[]]>([
    ["one of any is enough", { anyOf: [{ type: "integer" }, text] }, "x"],
    [
      "none of any is not",
      { anyOf: [long] },
      "x",
      '<nil>: Invalid value: "": "a" must validate at least one schema (anyOf)',
      'a: Invalid value: "x": a in body should be at least 3 chars long',
    ],
    [
      "exactly one",
      { oneOf: [text, long] },
      "xyz",
      '<nil>: Invalid value: "": "a" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
    [
      "all",
      { allOf: [text, long] },
      "x",
      'a: Invalid value: "x": a in body should be at least 3 chars long',
      '<nil>: Invalid value: "": "a" must validate all the schemas (allOf)',
    ],
    ["not one", { not: { enum: ["x"] } }, "x", '<nil>: Invalid value: "": "a" must not validate the schema (not)'],
  ])("%s", (_sentence, schema, value, ...errors) => {
    expect(found({ a: value }, under("a", schema))).toEqual(errors);
  });
});

describe("on an update", () => {
  const short = { type: "string", maxLength: 1 };
  const named = {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    items: { type: "object", properties: { name: { type: "string" }, v: short } },
  };
  it.each<[sentence: string, schema: JsonObject, value: JsonValue, old: JsonValue, errors: number]>([
    ["what has not changed is not reported", short, "ab", "ab", 0],
    ["what has changed is", short, "abc", "ab", 1],
    [
      "items of maps are found by their keys",
      named,
      [{ name: "y" }, { name: "x", v: "ab" }],
      [{ name: "x", v: "ab" }],
      0,
    ],
    ["other items have no past", { type: "array", items: short }, ["c", "ab"], ["ab"], 1],
    ["a whole list that is the same is not reported", { type: "array", items: short }, ["ab"], ["ab"], 0],
  ])("%s", (_sentence, schema, value, old, errors) => {
    expect(found({ a: value }, under("a", schema), { old: { a: old } })).toHaveLength(errors);
  });
});

it("names fields from the object on, and messages from the value on", () => {
  expect(found({ a: 1 }, under("a", { type: "string" }), { path: "status" })).toEqual([
    'status.a: Invalid value: "integer": a in body must be of type string: "integer"',
  ]);
});

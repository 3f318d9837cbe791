import { expect, it } from "vitest";
import type { JsonValue } from "@fairlead/base";
import { formatFieldError } from "../validation/field-error.js";
import { validateListTypes } from "./list-types.js";
import type { Schema } from "./schema.js";

const set: Schema = { type: "array", listType: "set" };
const map: Schema = { type: "array", listType: "map", listMapKeys: ["p", "n"], items: { type: "object" } };

it.each<[sentence: string, schema: Schema, value: JsonValue, ...errors: readonly string[]]>([
  ["sets may hold different items", set, ["a", "b", 1]],
  ["sets hold each item once", set, ["a", "b", "a"], 'a[2]: Duplicate value: "a"'],
  ["a third of the same is not reported", set, [1, 1, 1], "a[1]: Duplicate value: 1"],
  [
    "maps may share one of two keys",
    map,
    [
      { n: "x", p: 1 },
      { n: "x", p: 2 },
    ],
  ],
  [
    "maps have each key once",
    map,
    [
      { n: "x", p: 1 },
      { p: 1, n: "x", v: 2 },
    ],
    'a[1]: Duplicate value: {"n":"x","p":1}',
  ],
  ["maps hold objects", map, ["x"], 'a[0]: Invalid value: "x": must be an object for an array of list-type map'],
  ["other lists may hold anything", { type: "array" }, ["a", "a"]],
  ["lists in lists are looked at", { type: "array", items: set }, [["a"], ["b", "b"]], 'a[1][1]: Duplicate value: "b"'],
])("%s", (_sentence, schema, value, ...errors) => {
  const root: Schema = { type: "object", properties: new Map([["a", schema]]) };
  expect(validateListTypes({ a: value }, root).map(formatFieldError)).toEqual(errors);
});

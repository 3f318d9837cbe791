import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "@fairlead/base";

import { applyMergePatch } from "./merge-patch.js";

describe("a merge patch", () => {
  it.each<[sentence: string, document: JsonObject, patch: JsonObject, result: JsonObject]>([
    ["merges objects", { a: { b: 1, c: 2 } }, { a: { c: 3, d: 4 } }, { a: { b: 1, c: 3, d: 4 } }],
    ["removes by null, also what is not there", { a: 1, b: 2 }, { a: null, c: null }, { b: 2 }],
    ["replaces lists", { a: [1, 2] }, { a: [3] }, { a: [3] }],
    [
      "replaces scalars by objects and the other way",
      { a: 1, b: { c: 1 } },
      { a: { x: 1 }, b: 2 },
      { a: { x: 1 }, b: 2 },
    ],
    ["drops nulls in what is new", {}, { a: { b: null, c: { d: null, e: 1 } } }, { a: { c: { e: 1 } } }],
    [
      "drops nulls in what replaces a scalar, objects of lists included",
      { a: 1, l: [0] },
      { a: { b: null }, l: [null, { x: null }] },
      { a: {}, l: [null, {}] },
    ],
    ["keeps nulls in a list that replaces an object", { l: { a: 1 } }, { l: [{ x: null }] }, { l: [{ x: null }] }],
    ["writes over a stored null", { a: null }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
    [
      "takes `__proto__` for an ordinary key",
      { a: 1 },
      JSON.parse('{"__proto__":{"x":1}}') as JsonObject,
      JSON.parse('{"a":1,"__proto__":{"x":1}}') as JsonObject,
    ],
  ])("%s", (_sentence, document, patch, result) => {
    const before = JSON.stringify(document);
    expect(applyMergePatch(document, patch)).toEqual(result);
    expect(JSON.stringify(document)).toBe(before);
  });

  it.each<[patch: JsonValue, message: string]>([
    [null, "Invalid JSON Patch"],
    [[1], "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"],
    ["x", "error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}"],
    [5, "error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}"],
  ])("%j is none", (patch, message) => {
    expect(() => applyMergePatch({}, patch)).toThrow(message);
  });

  it("is told apart by less without field validation", () => {
    expect(() => applyMergePatch({}, "x", { checkTypes: false })).toThrow("Invalid JSON Patch");
    expect(applyMergePatch({}, [{ a: null }], { checkTypes: false })).toEqual([{}]);
  });
});

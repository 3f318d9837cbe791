import { describe, expect, it } from "vitest";
import { JsonNumber, type JsonValue } from "@fairlead/base";

import { compareValues, equalValues } from "./compare.js";

describe("equality of values", () => {
  it.each<[sentence: string, a: JsonValue, b: JsonValue, equal: boolean]>([
    ["compares numbers by value, whatever their kind", 80, 80n, true],
    ["does not take a number for its text", 1, "1", false],
    ["does not take a fraction for an integer", 80.5, 80n, false],
    ["tells integers beyond 2^53 apart, whatever their kind", 9007199254740992, 9007199254740993n, false],
    ["tells large integers apart", 9007199254740992n, 9007199254740993n, false],
    ["does not take a large integer for its text", 9007199254740993n, "9007199254740993", false],
    ["compares numbers that keep their spelling by it", new JsonNumber("1.0"), new JsonNumber("1.0"), true],
    ["tells two spellings apart", new JsonNumber("1.0"), new JsonNumber("1.00"), false],
    ["does not take a spelled number for its text", new JsonNumber("1.0"), "1.0", false],
    ["does not take a spelled number for a list of it", new JsonNumber("1.0"), ["1.0"], false],
    ["tells a spelled number from an object", new JsonNumber("1.0"), {}, false],
    ["tells a spelled number from null", new JsonNumber("1.0"), null, false],
    ["ignores the order of keys", { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ["does not ignore the order of lists", [1, 2], [2, 1], false],
    ["tells null from an empty object", null, {}, false],
    ["tells an absent key from null", {}, { a: null }, false],
    ["tells a list from an object", [], {}, false],
    [
      "takes `__proto__` and `constructor` for ordinary keys",
      JSON.parse('{"__proto__":1}') as JsonValue,
      { constructor: 1 },
      false,
    ],
    [
      "does not take what objects inherit for a member",
      JSON.parse('{"__proto__":{}}') as JsonValue,
      { constructor: {} },
      false,
    ],
  ])("%s", (_sentence, a, b, equal) => {
    expect(equalValues(a, b)).toBe(equal);
    expect(equalValues(b, a)).toBe(equal);
  });
});

it("orders numbers, strings, booleans, lists, maps and null", () => {
  const ordered: readonly JsonValue[] = [
    -1,
    0.5,
    2,
    10n,
    "10",
    "9",
    "a",
    false,
    true,
    [],
    [1],
    [1, 0],
    [2],
    [10],
    {},
    { a: 1 },
    { b: 1, a: 1 },
    { a: 1, b: 2 },
    { b: 0, a: 2 },
    { a: 3 },
    { b: 0 },
    null,
  ];
  for (const [i, a] of ordered.entries()) {
    for (const [j, b] of ordered.entries()) expect(Math.sign(compareValues(a, b))).toBe(Math.sign(i - j));
  }
});

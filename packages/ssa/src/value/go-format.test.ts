import { expect, it } from "vitest";
import type { JsonValue } from "@fairlead/base";

import { displayValue, goJson, goSyntax } from "./go-format.js";

it.each<[value: JsonValue, json: string, display: string, syntax: string]>([
  ["x", '"x"', '"x"', '"x"'],
  ["a<b>&c", '"a\\u003cb\\u003e\\u0026c"', '"a<b>&c"', '"a<b>&c"'],
  ['say "hi"\n', '"say \\"hi\\"\\n"', '"say \\"hi\\"\\n"', '"say \\"hi\\"\\n"'],
  ["\\b", '"\\\\b"', '"\\\\b"', '"\\\\b"'],
  ["\b\u2028", '"\\u0008\\u2028"', '"\\b\\u2028"', '"\\b\\u2028"'],
  ["\f\u2029", '"\\u000c\\u2029"', '"\\f\\u2029"', '"\\f\\u2029"'],
  [0, "0", "0", "0"],
  [0.000001, "0.000001", "1e-06", "1e-06"],
  [80, "80", "80", "80"],
  [9007199254740993n, "9007199254740993", "9007199254740993", "9007199254740993"],
  [1.5, "1.5", "1.5", "1.5"],
  [1e-7, "1e-07", "1e-07", "1e-07"],
  [1e21, "1e+21", "1e+21", "1e+21"],
  [-1.5e-10, "-1.5e-10", "-1.5e-10", "-1.5e-10"],
  [true, "true", "true", "true"],
  [null, "null", "null", "<nil>"],
  [[null], "[null]", "[null]", "[]interface {}{interface {}(nil)}"],
  [{ a: null }, '{"a":null}', "a=null", 'map[string]interface {}{"a":interface {}(nil)}'],
  [["a", 1], '["a",1]', '["a",1]', '[]interface {}{"a", 1}'],
  [{ b: 1, a: "x" }, '{"a":"x","b":1}', 'a="x"b=1', 'map[string]interface {}{"a":"x", "b":1}'],
])("prints a value as Go does (%#)", (value, json, display, syntax) => {
  expect(goJson(value)).toBe(json);
  expect(displayValue(value)).toBe(display);
  expect(goSyntax(value)).toBe(syntax);
});

it("keeps the sign of zero and replaces lone surrogates in JSON", () => {
  expect(goJson(-0)).toBe("-0");
  expect(goJson("\ud800")).toBe('"\ufffd"');
});

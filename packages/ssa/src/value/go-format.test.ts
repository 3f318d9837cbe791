import { expect, it } from "vitest";
import type { JsonValue } from "@fairlead/base";

import { displayValue, goJson, goSyntax } from "./go-format.js";

it.each<[value: JsonValue, json: string, display: string, syntax: string]>([
  ["x", '"x"', '"x"', '"x"'],
  ["a<b>&c", '"a\\u003cb\\u003e\\u0026c"', '"a<b>&c"', '"a<b>&c"'],
  ['say "hi"\n', '"say \\"hi\\"\\n"', '"say \\"hi\\"\\n"', '"say \\"hi\\"\\n"'],
  ["\\b", '"\\\\b"', '"\\\\b"', '"\\\\b"'],
  ["\b\u2028", '"\\u0008\\u2028"', '"\\b\\u2028"', '"\\b\\u2028"'],
  [80, "80", "80", "80"],
  [9007199254740993n, "9007199254740993", "9007199254740993", "9007199254740993"],
  [1.5, "1.5", "1.5", "1.5"],
  [1e-7, "1e-07", "1e-07", "1e-07"],
  [1e21, "1e+21", "1e+21", "1e+21"],
  [true, "true", "true", "true"],
  [null, "null", "null", "<nil>"],
  [["a", 1], '["a",1]', '["a",1]', '[]interface {}{"a", 1}'],
  [{ b: 1, a: "x" }, '{"a":"x","b":1}', 'a="x"b=1', 'map[string]interface {}{"a":"x", "b":1}'],
])("prints a value as Go does (%#)", (value, json, display, syntax) => {
  expect(goJson(value)).toBe(json);
  expect(displayValue(value)).toBe(display);
  expect(goSyntax(value)).toBe(syntax);
});

import { expect, it } from "vitest";
import { textDiff } from "./text-diff.js";

it("shows the lines that differ, with three around them", () => {
  const before = { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8 };
  expect(textDiff(before, { ...before, d: "x" })).toBe(
    [
      "@@ -2,7 +2,7 @@",
      '  "a": 1,',
      '  "b": 2,',
      '  "c": 3,',
      '- "d": 4,',
      '+ "d": "x",',
      '  "e": 5,',
      '  "f": 6,',
      '  "g": 7,',
      "",
    ].join("\n"),
  );
});

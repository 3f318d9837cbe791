import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { printsAlike } from "./alike.js";
import { stringifyJson } from "./stringify.js";
import { JsonNumber, type JsonValue } from "./value.js";

const scalar = fc.oneof(
  fc.constantFrom<JsonValue>(null, true, false, 0, -0, 1, 1n, new JsonNumber("1.0"), new JsonNumber("1"), Number.NaN),
  fc.constantFrom<JsonValue>("", "a", "\ud800", "\ud801", "\ufffd", "\ud83d\ude00", "1", "null"),
);
const key = fc.constantFrom("a", "b", "1", "__proto__", "constructor", "toString");
const value = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc
      .array(
        fc.tuple(
          key,
          fc.oneof({ weight: 4, arbitrary: tie("value") }, { weight: 1, arbitrary: fc.constant(undefined) }),
        ),
        {
          maxLength: 3,
        },
      )
      .map((entries) => Object.fromEntries(entries) as JsonValue),
  ),
})).value;

describe("printsAlike", () => {
  it("says what a comparison of the printed texts says", () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(printsAlike(a, b)).toBe(stringifyJson(a) === stringifyJson(b));
      }),
      { numRuns: 3000 },
    );
  });

  it("finds a value alike to a copy of it with its keys in another order", () => {
    fc.assert(
      fc.property(value, (a) => {
        expect(printsAlike(a, reversed(a))).toBe(true);
      }),
    );
  });
});

function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item) => reversed(item as JsonValue));
  if (typeof value !== "object" || value === null || value instanceof JsonNumber) return value;
  const entries = Object.entries(value as Record<string, JsonValue | undefined>).reverse();
  return Object.fromEntries(entries.map(([key, member]) => [key, member && reversed(member)])) as JsonValue;
}

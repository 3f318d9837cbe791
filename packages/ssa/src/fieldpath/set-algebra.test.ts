import { expect, it } from "vitest";

import { EMPTY_SET, fieldSetOf, isSubset, LEAF, pathsOf, type FieldSet } from "./field-set.js";
import { parseFieldsV1 } from "./fields-v1.js";
import { difference, intersection, leaves, recursiveDifference, union } from "./set-algebra.js";

const SETS: readonly FieldSet[] = [
  "{}",
  '{"f:a":{}}',
  '{"f:b":{}}',
  '{"f:c":{"f:x":{}}}',
  '{"f:a":{},"f:b":{}}',
  '{"f:a":{".":{},"f:x":{}},"f:b":{}}',
  '{"f:a":{".":{},"f:x":{},"f:y":{".":{},"f:z":{}}},"f:b":{},"f:c":{"f:x":{}}}',
].map(parseFieldsV1);

/** The same set, and nothing of it the same object. */
const copyOf = (set: FieldSet): FieldSet => fieldSetOf(pathsOf(set));

it("an operand is the result itself where the other changes nothing of it", () => {
  for (const a of SETS) {
    for (const other of SETS) {
      const b = copyOf(other);
      if (isSubset(b, a)) {
        expect(union(a, b)).toBe(a);
        expect(intersection(a, union(b, a))).toBe(a);
        if (b.elements.length > 0) expect(intersection(b, a)).toBe(b);
      }
      if (intersection(a, b).elements.length === 0) expect(difference(a, b)).toBe(a);
      expect(difference(a, copyOf(a)).elements).toEqual([]);
    }
    const once = leaves(a);
    expect(leaves(once)).toBe(once);
    expect(recursiveDifference(a, EMPTY_SET)).toBe(a);
  }
});

it("a node is a member of the result by the same rule as what is below it", () => {
  expect(union(EMPTY_SET, LEAF)).toBe(LEAF);
  expect(union(LEAF, EMPTY_SET)).toBe(LEAF);
  expect(union(EMPTY_SET, EMPTY_SET)).toBe(EMPTY_SET);
  expect(intersection(LEAF, LEAF)).toBe(LEAF);
  expect(intersection(LEAF, EMPTY_SET)).toBe(EMPTY_SET);
  expect(intersection(EMPTY_SET, LEAF)).toBe(EMPTY_SET);
  expect(difference(LEAF, EMPTY_SET)).toBe(LEAF);
  expect(difference(LEAF, LEAF)).toBe(EMPTY_SET);
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "@fairlead/base";

import {
  compareElements,
  fieldElement,
  indexElement,
  keyElement,
  parseElement,
  valueElement,
  type PathElement,
} from "./element.js";
import { EMPTY_SET, equalSets, fieldSetOf, hasPath, isSubset, pathsOf, sizeOf, type FieldSet } from "./field-set.js";
import { decodeFieldsV1, encodeFieldsV1, formatFieldsV1, parseFieldsV1 } from "./fields-v1.js";
import {
  difference,
  intersection,
  leaves,
  matching,
  prefixMatcher,
  recursiveDifference,
  union,
  withPrefix,
} from "./set-algebra.js";

const names = fc.constantFrom("a", "b", "c", "a.b", "__proto__", "ä", "");
const scalars: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>("x", "y", "<", '"', "\\", "1", 1, 10, 2, 1.5, true, null),
  fc.string(),
  fc.integer(),
);
const elements: fc.Arbitrary<PathElement> = fc.oneof(
  { weight: 4, arbitrary: names.map(fieldElement) },
  fc.uniqueArray(fc.tuple(names, scalars), { minLength: 1, maxLength: 2, selector: ([name]) => name }).map(keyElement),
  scalars.map(valueElement),
  fc.nat(12).map(indexElement),
);
const paths = fc.array(elements, { minLength: 1, maxLength: 4 });
const sets: fc.Arbitrary<FieldSet> = fc.array(paths, { maxLength: 12 }).map(fieldSetOf);

/** The obvious model: a set of paths as text. */
const model = (set: FieldSet): Set<string> => new Set(pathsOf(set).map((path) => JSON.stringify(path)));
const same = (set: FieldSet, expected: Iterable<string>): void => {
  expect([...model(set)].sort()).toEqual([...new Set(expected)].sort());
};

describe("sets of field paths", () => {
  it("combine as sets of paths do", () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const [ma, mb] = [model(a), model(b)];
        same(union(a, b), [...ma, ...mb]);
        same(
          intersection(a, b),
          [...ma].filter((path) => mb.has(path)),
        );
        same(
          difference(a, b),
          [...ma].filter((path) => !mb.has(path)),
        );
        expect(isSubset(a, b)).toBe([...ma].every((path) => mb.has(path)));
        expect(sizeOf(a)).toBe(ma.size);
      }),
    );
  });

  it("lose what is at or below a path in a recursive difference", () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const gone = pathsOf(b);
        const kept = pathsOf(a).filter(
          (path) => !gone.some((prefix) => prefix.every((element, i) => path[i] === element)),
        );
        same(
          recursiveDifference(a, b),
          kept.map((path) => JSON.stringify(path)),
        );
      }),
    );
  });

  it("are split by another set into what is shared and what is alone", () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        expect(union(difference(a, b), intersection(a, b))).toEqual(a);
      }),
    );
  });

  it("are canonical: the same paths give the same trie, in whatever order they came", () => {
    fc.assert(
      fc.property(fc.array(paths, { maxLength: 12 }), fc.array(paths, { maxLength: 12 }), (left, right) => {
        const set = fieldSetOf([...left, ...right]);
        expect(fieldSetOf([...right, ...left].reverse())).toEqual(set);
        expect(union(fieldSetOf(right), fieldSetOf(left))).toEqual(set);
        expect(equalSets(set, union(fieldSetOf(left), fieldSetOf(right)))).toBe(true);
      }),
    );
  });

  it("return an operand itself where nothing changes", () => {
    fc.assert(
      fc.property(sets, (a) => {
        expect(union(a, a)).toBe(a);
        expect(union(a, EMPTY_SET)).toBe(a);
        expect(difference(a, EMPTY_SET)).toBe(a);
        expect(difference(a, a)).toBe(EMPTY_SET);
        expect(intersection(a, fieldSetOf(pathsOf(a)))).toBe(a);
      }),
    );
  });

  it("survive FieldsV1, as text and as JSON", () => {
    fc.assert(
      fc.property(sets, (a) => {
        expect(parseFieldsV1(formatFieldsV1(a))).toEqual(a);
        expect(decodeFieldsV1(encodeFieldsV1(a))).toEqual(a);
        expect(formatFieldsV1(parseFieldsV1(formatFieldsV1(a)))).toBe(formatFieldsV1(a));
      }),
    );
  });

  it("have the members that were put in", () => {
    fc.assert(
      fc.property(fc.array(paths, { maxLength: 8 }), paths, (members, other) => {
        const set = fieldSetOf(members);
        for (const path of members) expect(hasPath(set, path)).toBe(true);
        expect(hasPath(set, other)).toBe(model(set).has(JSON.stringify(other)));
      }),
    );
  });

  it("have leaves that lead nowhere, and subsets below a prefix", () => {
    fc.assert(
      fc.property(sets, paths, (a, prefix) => {
        const all = pathsOf(a);
        const isAbove = (path: readonly PathElement[]): boolean =>
          all.some((other) => other.length > path.length && path.every((element, i) => other[i] === element));
        same(
          leaves(a),
          all.filter((path) => !isAbove(path)).map((path) => JSON.stringify(path)),
        );
        const below = all.filter(
          (path) => path.length > prefix.length && prefix.every((element, i) => path[i] === element),
        );
        same(
          withPrefix(a, prefix),
          below.map((path) => JSON.stringify(path.slice(prefix.length))),
        );
        const matched = all.filter((path) =>
          prefix.every((element, i) => path[i] === undefined || path[i] === element),
        );
        same(
          matching(a, prefixMatcher(prefix)),
          matched.map((path) => JSON.stringify(path)),
        );
      }),
    );
  });
});

describe("path elements", () => {
  it("are totally ordered", () => {
    fc.assert(
      fc.property(elements, elements, elements, (a, b, c) => {
        expect(Math.sign(compareElements(a, b))).toBe(-Math.sign(compareElements(b, a)) + 0);
        expect(compareElements(a, b) === 0).toBe(a === b);
        if (compareElements(a, b) < 0 && compareElements(b, c) < 0) expect(compareElements(a, c)).toBeLessThan(0);
      }),
      { numRuns: 5 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });

  it("are read as they are spelled", () => {
    fc.assert(
      fc.property(elements, (element) => {
        expect(parseElement(element)).toBe(element);
      }),
    );
  });
});

import { describe, expect, it } from "vitest";

import { fieldElement, indexElement } from "./element.js";
import {
  childOf,
  EMPTY_SET,
  equalSets,
  fieldSetNode,
  fieldSetOf,
  hasPath,
  isEmptySet,
  isSubset,
  LEAF,
  pathsOf,
  sizeOf,
  sortedElements,
  withSelf,
} from "./field-set.js";
import { parseFieldsV1 } from "./fields-v1.js";
import { fieldPath, formatPath, pathOf } from "./path.js";

const set = parseFieldsV1;

describe("a large set", () => {
  const names = Array.from({ length: 25 }, (_, i) => `n${String(i).padStart(2, "0")}`);
  const large = fieldSetOf(names.map((name) => fieldPath(name, "x")));

  it("finds each of its children, and nothing between them", () => {
    for (const name of names) {
      expect(hasPath(large, fieldPath(name, "x"))).toBe(true);
      expect(childOf(large, fieldElement(`${name}!`))).toBeUndefined();
    }
    expect(childOf(large, fieldElement(""))).toBeUndefined();
    expect(childOf(large, fieldElement("z"))).toBeUndefined();
    expect(sizeOf(large)).toBe(25);
  });

  it("has its children in order, whatever order they came in", () => {
    const paths = [...names].reverse().map((name) => fieldPath(name, "x"));
    expect(fieldSetOf(paths)).toEqual(large);
    expect(pathsOf(large).map(formatPath)).toEqual(names.map((name) => `.${name}.x`));
  });
});

describe("a root", () => {
  it("is no member, whatever it says of itself", () => {
    expect(hasPath(withSelf(set('{"f:a":{}}'), true), pathOf([]))).toBe(false);
    expect(hasPath(LEAF, pathOf([]))).toBe(false);
    expect(isEmptySet(LEAF)).toBe(true);
    expect(fieldSetOf([[]])).toBe(EMPTY_SET);
    expect(equalSets(LEAF, EMPTY_SET)).toBe(true);
  });

  it("without members is one of two constants", () => {
    expect(fieldSetNode(true, [], [])).toBe(LEAF);
    expect(fieldSetNode(false, [], [])).toBe(EMPTY_SET);
    expect(fieldSetOf([])).toBe(EMPTY_SET);
    expect(fieldSetOf([fieldPath("a")]).children[0]).toBe(LEAF);
  });
});

const SETS = [
  "{}",
  '{"f:a":{}}',
  '{"f:b":{}}',
  '{"f:a":{},"f:b":{}}',
  '{"f:a":{"f:x":{}}}',
  '{"f:a":{".":{},"f:x":{}}}',
  '{"f:a":{"f:y":{}}}',
  '{"f:a":{".":{},"f:x":{},"f:y":{}},"f:b":{}}',
];

it.each(SETS)("%s equals itself and no other", (text) => {
  for (const other of SETS) {
    expect(equalSets(set(text), set(other))).toBe(text === other);
    const both = [set(text), set(other)] as const;
    const names = pathsOf(both[1]).map(formatPath);
    expect(isSubset(...both)).toBe(pathsOf(both[0]).every((path) => names.includes(formatPath(path))));
  }
  const itself = set(text);
  expect(equalSets(itself, itself)).toBe(true);
  expect(isSubset(itself, itself)).toBe(true);
});

it("sorts elements only where they are out of order", () => {
  const ordered = [fieldElement("a"), fieldElement("b"), indexElement(2), indexElement(10)];
  expect(sortedElements(ordered)).toBe(ordered);
  const twice = [fieldElement("a"), fieldElement("a")];
  expect(sortedElements(twice)).toBe(twice);
  expect(sortedElements([...ordered].reverse())).toEqual(ordered);
});

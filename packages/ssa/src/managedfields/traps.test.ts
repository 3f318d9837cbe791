import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeNumbers, getPath, parseJson, stringifyJson, type JsonObject, type JsonValue } from "@fairlead/base";

import { formatFieldsV1, parseFieldsV1 } from "../fieldpath/fields-v1.js";
import { formatPath } from "../fieldpath/path.js";
import { pathsOf } from "../fieldpath/field-set.js";
import { entriesOf, Lab } from "./endpoint.fixtures.js";
import { fieldsOwnedBy } from "./owned.js";

/*
 * What trips JavaScript and not Go: names that objects inherit, names that objects reorder, numbers that a double does
 * not hold.
 */

const NAMES = [
  ...["__proto__", "constructor", "prototype", "toString", "valueOf", "hasOwnProperty", "__defineGetter__"],
  ...["0", "1", "2", "10", "-1", "01", "1.5", "4294967294", "4294967295", "9007199254740993"],
  ...["length", "undefined", "null", "", "."],
];
const names = fc.constantFrom(...NAMES);
const some = fc.uniqueArray(names, { maxLength: 6 });
const sorted = (list: readonly string[]): readonly string[] => [...list].sort();
const both = (a: readonly string[], b: readonly string[]): readonly string[] => sorted([...new Set([...a, ...b])]);

/** A map of these keys, each with a value of its own, as a body brings it. */
const mapOf = (keys: readonly string[], value: (key: string) => JsonValue = (key) => `of ${key}`): JsonObject =>
  Object.fromEntries(keys.map((key) => [key, value(key)]));
const keysOf = (lab: Lab, field: string): readonly string[] => {
  const map = (getPath(lab.object, "spec", field) ?? {}) as JsonObject;
  expect(Object.getPrototypeOf(map)).toBe(Object.prototype);
  for (const key of Object.keys(map)) expect(map[key]).toEqual(field === "labels" ? `of ${key}` : { x: `of ${key}` });
  return sorted(Object.keys(map));
};
const owned = (lab: Lab, manager: string): readonly string[] =>
  pathsOf(fieldsOwnedBy(lab.object ?? {}, { manager })).map(formatPath);

describe("keys that objects inherit or reorder are keys like any other", () => {
  it("of maps: applied by two, taken back by one, updated by a third", () => {
    fc.assert(
      fc.property(some, some, some, (mine, theirs, last) => {
        const lab = new Lab();
        lab.apply("a", { labels: mapOf(mine) });
        lab.apply("b", { labels: mapOf(theirs) });
        expect(keysOf(lab, "labels")).toEqual(both(mine, theirs));
        if (mine.length > 0) expect(owned(lab, "a")).toEqual(sorted(mine).map((key) => `.spec.labels.${key}`));
        lab.apply("a", { flag: true });
        expect(keysOf(lab, "labels")).toEqual(sorted(theirs));
        lab.put("u", { labels: mapOf(last) });
        expect(keysOf(lab, "labels")).toEqual(sorted(last));
        const kept = sorted(theirs).filter((key) => last.includes(key));
        if (theirs.length > 0) expect(owned(lab, "b")).toEqual(kept.map((key) => `.spec.labels.${key}`));
      }),
    );
  });

  it("of maps without schema, and of maps of maps", () => {
    fc.assert(
      fc.property(fc.constantFrom("free", "deep"), some, some, (field, mine, theirs) => {
        const inner = (key: string): JsonValue => ({ x: `of ${key}` });
        const lab = new Lab();
        lab.apply("a", { [field]: mapOf(mine, inner) });
        lab.apply("b", { [field]: mapOf(theirs, inner) });
        expect(keysOf(lab, field)).toEqual(both(mine, theirs));
        lab.apply("a", { flag: true });
        expect(keysOf(lab, field)).toEqual(sorted(theirs));
      }),
    );
  });

  it("as items of sets and as keys of items", () => {
    fc.assert(
      fc.property(some, some, (mine, theirs) => {
        const spec = (list: readonly string[]): JsonObject => ({
          tags: list,
          containers: list.map((name) => ({ name, image: `of ${name}` })),
        });
        const lab = new Lab();
        lab.apply("a", spec(mine));
        lab.apply("b", spec(theirs));
        const { tags = [], containers = [] } = lab.spec as { tags?: string[]; containers?: { name: string }[] };
        expect(sorted(tags)).toEqual(both(mine, theirs));
        expect(sorted(containers.map(({ name }) => name))).toEqual(both(mine, theirs));
        lab.apply("a", { flag: true });
        const left = lab.spec as { tags?: string[]; containers?: JsonValue };
        expect(sorted(left.tags ?? [])).toEqual(sorted(theirs));
        expect(left.containers ?? []).toEqual(spec(theirs)["containers"]);
      }),
    );
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("%s is no field of a struct", (name) => {
    for (const spec of [mapOf([name]), { config: mapOf([name]) }, { containers: [{ name: "c", ...mapOf([name]) }] }])
      expect(() => new Lab().apply("a", JSON.parse(stringifyJson(spec)) as JsonObject)).toThrow(
        `.${name}: field not declared in schema`,
      );
  });

  it.each(NAMES)("%j conflicts by its value alone", (name) => {
    const lab = new Lab();
    lab.apply("a", { labels: mapOf([name]) });
    lab.apply("b", { labels: mapOf([name]) });
    expect(() => lab.apply("c", { labels: mapOf([name], () => "other") })).toThrow(
      `conflicts with "a":\n- .spec.labels.${name}\nconflicts with "b":\n- .spec.labels.${name}`,
    );
  });

  it("stand in FieldsV1 in the order of their text", () => {
    const lab = new Lab();
    lab.apply("a", { labels: mapOf(["b", "2", "10", "1", "__proto__", "a"]) });
    const text = formatFieldsV1(fieldsOwnedBy(lab.object ?? {}, { manager: "a" }));
    expect(text).toBe('{"f:spec":{"f:labels":{"f:1":{},"f:10":{},"f:2":{},"f:__proto__":{},"f:a":{},"f:b":{}}}}');
    expect(formatFieldsV1(parseFieldsV1(text))).toBe(text);
  });
});

describe("numbers", () => {
  const apply = (lab: Lab, manager: string, text: string): unknown =>
    lab.apply(manager, decodeNumbers(parseJson(text)) as JsonObject);
  const BIG = ["9007199254740991", "9007199254740993", "-9007199254740993", "9223372036854775807"];

  it.each(BIG)("%s is stored to the digit, and its neighbour is a conflict", (digits) => {
    const neighbour = String(BigInt(digits) - 1n);
    const lab = new Lab();
    apply(lab, "a", `{"replicas":${digits},"free":{"l":[${digits}],"m":{"x":${digits}}}}`);
    expect(stringifyJson(lab.spec ?? null)).toBe(`{"free":{"l":[${digits}],"m":{"x":${digits}}},"replicas":${digits}}`);
    apply(lab, "b", `{"replicas":${digits}}`);
    expect(() => apply(lab, "c", `{"replicas":${neighbour}}`)).toThrow('conflicts with "a"');
    expect(() => apply(lab, "c", `{"free":{"l":[${neighbour}]}}`)).toThrow('conflict with "a": .spec.free.l');
  });

  it("of any size come through an apply and an update as they were read", () => {
    const numbers = fc.oneof(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => String(value)),
      fc.constantFrom("0", "1", "-1", "1.5", ...BIG),
    );
    fc.assert(
      fc.property(numbers, numbers, (first, second) => {
        const text = (x: string, y: string): string => `{"free":{"l":[${x}],"x":${y}},"replicas":${x}}`;
        const read = (x: string, y: string): JsonObject => decodeNumbers(parseJson(text(x, y))) as JsonObject;
        const lab = new Lab();
        apply(lab, "a", text(first, second));
        expect(stringifyJson(lab.spec ?? null)).toBe(stringifyJson(read(first, second)));
        const stored = entriesOf(lab.object);
        lab.put("u", read(first, second));
        expect(entriesOf(lab.object)).toEqual(stored);
        lab.put("u", read(second, first));
        expect(stringifyJson(lab.spec ?? null)).toBe(stringifyJson(read(second, first)));
      }),
    );
  });

  it("identify items of sets by their digits", () => {
    const lab = new Lab();
    apply(lab, "a", '{"numbers":[9007199254740993,9007199254740995,1]}');
    expect(owned(lab, "a")).toHaveLength(3);
    apply(lab, "a", '{"numbers":[9007199254740995]}');
    expect(stringifyJson(lab.spec ?? null)).toContain("9007199254740995");
  });
});

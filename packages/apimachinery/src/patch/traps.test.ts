import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson, setOwn, stringifyJson, type JsonObject, type MutableJsonObject } from "@fairlead/base";

import { builtinSchema } from "../schema/builtin.js";
import { applyJsonPatch } from "./json-patch.js";
import { applyMergePatch } from "./merge-patch.js";
import { applyStrategicMergePatch } from "./strategic-merge-patch.js";

/*
 * What trips JavaScript and not Go: names that objects inherit, names that objects reorder, numbers that a double does
 * not hold or that JavaScript would spell another way.
 */

const NAMES = [
  ...["__proto__", "constructor", "prototype", "toString", "valueOf", "hasOwnProperty", "__defineGetter__", "length"],
  ...["0", "1", "2", "10", "-1", "01", "4294967294", "4294967295", "9007199254740993", "", "~", "/"],
];
const NUMBERS = [
  ...["9007199254740993", "-9007199254740993", "9223372036854775807", "12345678901234567890", "0.1", "1.0", "1e3"],
  ...["1E+2", "-0", "-0.0", "1e-7", "1e400", "0.10", "123456789012345678901234567890", "1.7976931348623157e308"],
];

const read = (text: string): JsonObject => parseJson(text) as JsonObject;
const merged = (document: string, patch: string): string => stringifyJson(applyMergePatch(read(document), read(patch)));
const patched = (document: string, ...operations: readonly string[]): string =>
  stringifyJson(applyJsonPatch(read(document), parseJson(`[${operations.join()}]`)));
const configMap = builtinSchema("core.v1.ConfigMap");
const strategic = (live: string, patch: string): string =>
  stringifyJson(applyStrategicMergePatch(read(live), read(patch), configMap));
const pointer = (name: string): string => JSON.stringify(`/data/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);

describe.each(NAMES)("the key %j", (name) => {
  const key = JSON.stringify(name);

  it.each([
    ["a merge patch", merged],
    ["a strategic merge patch", strategic],
  ])("is set, changed and removed by %s", (_what, apply) => {
    expect(apply('{"data":{}}', `{"data":{${key}:"x"}}`)).toBe(`{"data":{${key}:"x"}}`);
    expect(apply(`{"data":{${key}:"x"}}`, `{"data":{${key}:"y"}}`)).toBe(`{"data":{${key}:"y"}}`);
    expect(apply(`{"data":{${key}:"x","k":"v"}}`, `{"data":{${key}:null}}`)).toBe('{"data":{"k":"v"}}');
    expect(apply('{"data":{"k":"v"}}', `{"data":{${key}:null}}`)).toBe('{"data":{"k":"v"}}');
    expect(apply("{}", `{"data":{${key}:"x"}}`)).toBe(`{"data":{${key}:"x"}}`);
  });

  it("is set, moved and removed by a JSON patch, and is not there before", () => {
    const path = pointer(name);
    const document = '{"data":{}}';
    expect(patched(document, `{"op":"add","path":${path},"value":{"x":1}}`)).toBe(`{"data":{${key}:{"x":1}}}`);
    expect(
      patched(
        `{"data":{${key}:{"x":1}}}`,
        `{"op":"test","path":${path},"value":{"x":1}}`,
        `{"op":"copy","from":${path},"path":"/copied"}`,
        `{"op":"move","from":${path},"path":"/moved"}`,
      ),
    ).toBe('{"copied":{"x":1},"data":{},"moved":{"x":1}}');
    expect(() => patched(document, `{"op":"remove","path":${path}}`)).toThrow();
    expect(patched(document, `{"op":"copy","from":${path},"path":"/x"}`)).toBe('{"data":{},"x":null}');
    expect(() => patched(document, `{"op":"add","path":${path.slice(0, -1)}/x","value":1}`)).toThrow();
    expect(() => patched(document, `{"op":"test","path":${path},"value":{}}`)).toThrow();
  });

  it("never reaches what objects share", () => {
    const before = Object.getOwnPropertyNames(Object.prototype).sort();
    merged('{"a":{}}', `{"a":{${key}:{"polluted":1}},${key}:{"polluted":1}}`);
    patched(`{"data":{${key}:{}}}`, `{"op":"add","path":${pointer(name).slice(0, -1)}/polluted","value":1}`);
    expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(before);
    expect(Object.hasOwn({}, "polluted") || "polluted" in {}).toBe(false);
  });
});

describe.each(NUMBERS)("the number %s", (number) => {
  it("keeps its spelling where a patch does not touch it, and where one brings it", () => {
    const kept = `{"a":{"n":[${number}]},"n":${number}}`;
    expect(merged(kept, "{}")).toBe(kept);
    expect(merged('{"a":{"n":[0]},"n":0}', kept)).toBe(kept);
    expect(patched(kept, '{"op":"add","path":"/x","value":1}', '{"op":"remove","path":"/x"}')).toBe(kept);
    expect(
      patched(
        '{"a":{}}',
        `{"op":"add","path":"/a/n","value":[${number}]}`,
        '{"op":"copy","from":"/a/n/0","path":"/n"}',
      ),
    ).toBe(kept);
    expect(patched(kept, `{"op":"test","path":"/n","value":${number}}`)).toBe(kept);
  });
});

it("is another number for a test when only its last digit differs", () => {
  const test = (value: string): string =>
    patched('{"n":9007199254740993}', `{"op":"test","path":"/n","value":${value}}`);
  expect(test("9007199254740993")).toBe('{"n":9007199254740993}');
  expect(() => test("9007199254740992")).toThrow();
  expect(() => test("9007199254740994")).toThrow();
});

it("merge patches of maps with any keys do what a Map does", () => {
  const names = fc.constantFrom(...NAMES);
  const maps = fc.uniqueArray(fc.tuple(names, fc.constantFrom("x", "y", null)), { selector: ([name]) => name });
  const bodyOf = (entries: Iterable<readonly [string, string | null]>): JsonObject => {
    const body: MutableJsonObject = {};
    for (const [name, value] of entries) setOwn(body, name, value);
    return body;
  };
  fc.assert(
    fc.property(maps, maps, (live, patch) => {
      const model = new Map(live.filter(([, value]) => value !== null));
      const before = { data: bodyOf(model) };
      for (const [name, value] of patch) {
        if (value === null) model.delete(name);
        else model.set(name, value);
      }
      const expected = stringifyJson({ data: bodyOf(model) });
      expect(stringifyJson(applyMergePatch(before, { data: bodyOf(patch) }))).toBe(expected);
      expect(stringifyJson(applyStrategicMergePatch(before, { data: bodyOf(patch) }, configMap))).toBe(expected);
    }),
  );
});

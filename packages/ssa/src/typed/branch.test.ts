import { describe, expect, it } from "vitest";
import { JsonNumber, type JsonObject, type JsonValue } from "@fairlead/base";
import type { Schema } from "@fairlead/apimachinery";

import { decodeFieldsV1 } from "../fieldpath/fields-v1.js";
import { asList, asMap, branchOf, isEmptyMap, memberOf } from "./branch.js";
import { extractItems, removeItems } from "./remove.js";
import { keyed, listOf, mapOf, string, struct } from "./schema.fixtures.js";
import { fieldSetOfValue } from "./to-field-set.js";
import { TypeCache, type Type } from "./type.js";

const typeOf = (schema: Schema): Type =>
  new TypeCache().objectType(struct({ x: schema }), { builtin: true }).map?.typeOf("x") as Type;

it.each<[value: JsonValue | undefined, any: string]>([
  [undefined, "map"],
  [null, "map"],
  [{}, "map"],
  [[], "list"],
  ["x", "scalar"],
  [1n, "scalar"],
  [new JsonNumber("1.0"), "scalar"],
])("%# goes the way of its form where it may, else the first way there is", (value, any) => {
  expect(branchOf(typeOf({}), value)).toBe(any);
  expect(branchOf(typeOf(mapOf(string)), value)).toBe("map");
  expect(branchOf(typeOf(listOf(string)), value)).toBe("list");
  expect(branchOf(typeOf(string), value)).toBe("scalar");
  expect(asMap(value)).toBe(any === "map" && value !== null ? value : undefined);
  expect(asList(value)).toBe(any === "list" ? value : undefined);
});

describe("members of a map", () => {
  const inherited = Object.create({ a: 1 }) as JsonObject;

  it.each(["constructor", "toString", "__proto__", "a"])("%s is none that is inherited", (key) => {
    expect(memberOf(key === "a" ? {} : inherited, key)).toBeUndefined();
    const own = JSON.parse(`{"${key}":{"x":1}}`) as JsonObject;
    expect(memberOf(own, key)).toEqual({ x: 1 });
  });

  it("are those that it has itself", () => {
    expect(isEmptyMap({})).toBe(true);
    expect(isEmptyMap(inherited)).toBe(true);
    expect(isEmptyMap({ a: 1 })).toBe(false);
    expect(isEmptyMap(JSON.parse('{"__proto__":1}') as JsonObject)).toBe(false);
  });
});

describe("a value by itself", () => {
  const set = decodeFieldsV1({ "f:a": {}, 'k:{"name":"a"}': {}, 'v:"a"': {} });
  const none = decodeFieldsV1({ "f:z": {}, 'v:"z"': {} });
  const map = typeOf(mapOf(string));
  const list = typeOf(listOf(string, { listType: "set" }));
  const items = typeOf(keyed(["name"], struct({ name: string, v: string })));

  it.each<[what: string, type: Type, value: JsonValue, removed: JsonValue, extracted: JsonValue]>([
    ["a scalar", typeOf(string), "x", "x", "x"],
    ["a map", map, { a: "1", b: "2" }, { b: "2" }, { a: "1" }],
    ["a map of nothing else", map, { a: "1" }, null, { a: "1" }],
    ["an empty map", map, {}, null, {}],
    ["no map", map, null, null, null],
    ["an atomic map", typeOf(mapOf(string, { mapType: "atomic" })), { b: "1" }, null, { b: "1" }],
    ["a map of which nothing is named", map, { b: "2" }, { b: "2" }, null],
    ["a set", list, ["a", "b"], ["b"], ["a"]],
    ["a set of nothing else", list, ["a"], null, ["a"]],
    ["an empty set", list, [], null, []],
    ["no set", list, null, null, null],
    ["an atomic list", typeOf(listOf(string)), ["b"], null, ["b"]],
    ["a set of which nothing is named", list, ["b"], ["b"], null],
    ["items", items, [{ name: "a", v: "1" }, { name: "b" }], [{ name: "b" }], [{ name: "a", v: "1" }]],
  ])("%s is split into what goes and what is left", (_what, type, value, removed, extracted) => {
    for (const emptied of ["empty", "null"] as const) expect(removeItems(value, set, type, emptied)).toEqual(removed);
    expect(extractItems(value, set, type)).toEqual(extracted);
    if (removed !== null) expect(removeItems(value, none, type, "empty")).toBe(value);
  });

  it("keeps order in large maps, whatever order they came in", () => {
    for (const size of [39, 40, 41, 60]) {
      const keys = Array.from({ length: size }, (_, i) => `k${(i * 37) % size}`);
      const value = Object.fromEntries(keys.map((key) => [key, "1"]));
      const { elements } = fieldSetOfValue(value, map);
      expect(elements).toEqual([...new Set(keys)].sort().map((key) => `f:${key}`));
    }
  });
});

import { describe, expect, it } from "vitest";
import type { JsonArray, JsonValue } from "@fairlead/base";

import { hasRepeats, itemElement, itemKey, itemKeys, itemTexts, ListItemError } from "./list-items.js";
import { integer, keyed, listOf, string, struct } from "./schema.fixtures.js";
import { TypeCache, type ListType } from "./type.js";
import type { Schema } from "@fairlead/apimachinery";

const listType = (schema: Schema): ListType =>
  new TypeCache().objectType(struct({ x: schema }), { builtin: true }).map?.typeOf("x")?.list as ListType;

const set = listType(listOf(string, { listType: "set" }));
const byName = listType(keyed(["name"], struct({ name: string, port: integer })));
const byDefault = listType(keyed(["uid"], struct({ uid: { type: "string", default: "" } })));
const byPort = listType(
  keyed(["port", "protocol"], struct({ port: integer, protocol: { type: "string", default: "TCP" } })),
);
const ofScalars = listType(keyed(["name"], string));

describe("an item", () => {
  it.each<[list: ListType, item: JsonValue, element: string]>([
    [set, "a", 'v:"a"'],
    [set, "a<", 'v:"a\\u003c"'],
    [set, 1.5, "v:1.5"],
    [set, 9007199254740993n, "v:9007199254740993"],
    [set, true, "v:true"],
    [set, "", 'v:""'],
    [byName, { name: "a" }, 'k:{"name":"a"}'],
    [byName, { name: 'a"' }, 'k:{"name":"a\\""}'],
    [byName, { name: 5 }, 'k:{"name":5}'],
    [byName, { name: null }, 'k:{"name":null}'],
    [byDefault, {}, 'k:{"uid":""}'],
    [byDefault, { uid: "u" }, 'k:{"uid":"u"}'],
    [byPort, { port: 80 }, 'k:{"port":80,"protocol":"TCP"}'],
    [byPort, { protocol: "UDP", port: 80 }, 'k:{"port":80,"protocol":"UDP"}'],
    [byPort, { protocol: null }, 'k:{"protocol":null}'],
    [byPort, {}, 'k:{"protocol":"TCP"}'],
  ])("%# is identified", (list, item, element) => {
    expect(itemElement(list, item)).toBe(element);
  });

  it.each<[list: ListType, item: JsonValue, message: string]>([
    [set, null, "associative list without keys has an element that's an explicit null"],
    [set, {}, "associative list without keys has an element that's a map type"],
    [set, [], "not supported: associative list with lists as elements"],
    [byName, null, "associative list with keys may not have a null element"],
    [byName, "a", "associative list with keys may not have non-map elements"],
    [byName, ["a"], "associative list with keys may not have non-map elements"],
    [
      byName,
      { port: 1 },
      'associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ],
    [byName, JSON.parse('{"__proto__":{"name":"a"}}') as JsonValue, "omits all key fields"],
    [ofScalars, {}, "couldn't find default value for name: associative list may not have non-map types"],
  ])("%# is refused", (list, item, message) => {
    expect(() => itemElement(list, item)).toThrow(ListItemError);
    expect(() => itemElement(list, item)).toThrow(message);
    expect(() => itemKey(list, item)).toThrow(message);
  });
});

it.each<[list: ListType, items: JsonArray]>([
  [set, ["a", "b", "", 1, 10, true, "1", "true", "\u0000", '\u0000v:"a"', "\u0000v:1", 'v:"a"']],
  [byName, [{ name: "a" }, { name: "" }, { name: 1 }, { name: "1" }, { name: null }, { name: '\u0000k:{"name":1}' }]],
  [byPort, [{ port: 80 }, { port: 80, protocol: "UDP" }, { port: 8 }, { protocol: "UDP" }]],
])("keys of items are equal exactly where their elements are (%#)", (list, items) => {
  for (const a of items) {
    for (const b of items)
      expect(itemKey(list, a) === itemKey(list, b)).toBe(itemElement(list, a) === itemElement(list, b));
  }
  expect(itemKeys(list, items)).toEqual(items.map((item) => itemKey(list, item)));
  expect(hasRepeats(itemKeys(list, items))).toBe(false);
  expect(hasRepeats(itemKeys(list, [...items, items[0] as JsonValue]))).toBe(true);
});

it("finds repeats wherever they are, in short lists and long ones", () => {
  for (let length = 2; length < 14; length++) {
    const keys = Array.from({ length }, (_, i) => `k${i}`);
    expect(hasRepeats(keys)).toBe(false);
    for (let i = 0; i < length; i++) {
      for (let j = i + 1; j < length; j++) expect(hasRepeats(keys.with(j, `k${i}`))).toBe(true);
    }
  }
  expect(hasRepeats([])).toBe(false);
  expect(hasRepeats(["a"])).toBe(false);
});

it.each<[list: ListType, items: JsonArray, texts: readonly string[] | undefined]>([
  [set, ["b", "a"], ["b", "a"]],
  [set, [], []],
  [set, ["a", 1], undefined],
  [byName, [{ name: "b" }, { name: "a" }], ["b", "a"]],
  [byName, [{ name: "b" }, {}], undefined],
  [byName, ["a"], undefined],
  [byName, [{ name: 1 }], undefined],
  [byPort, [{ port: 80 }], undefined],
  [byPort, [{ port: "80", protocol: "TCP" }], undefined],
])("texts identify the items of a list where they alone do (%#)", (list, items, texts) => {
  expect(itemTexts(list, items)).toEqual(texts);
});

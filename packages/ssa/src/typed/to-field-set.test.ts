import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "@fairlead/base";

import { encodeFieldsV1 } from "../fieldpath/fields-v1.js";
import { childOf, EMPTY_SET, type FieldSet } from "../fieldpath/field-set.js";
import { fieldElement } from "../fieldpath/element.js";
import { widget, widgetType } from "./schema.fixtures.js";
import { fieldSetOfValue } from "./to-field-set.js";
import { nullableSpecs } from "./value.fixtures.js";

it.each<[sentence: string, spec: JsonValue, fields: JsonValue]>([
  [
    "owns the leaves of structs, not the structs",
    { config: { cpu: 1 }, image: "x" },
    { "f:config": { "f:cpu": {} }, "f:image": {} },
  ],
  ["owns the keys of maps", { labels: { a: "1", "b.c/d": "2" } }, { "f:labels": { "f:a": {}, "f:b.c/d": {} } }],
  [
    "owns keys whose values are maps besides what is in them",
    { deep: { a: { b: "1" } } },
    { "f:deep": { "f:a": { ".": {}, "f:b": {} } } },
  ],
  [
    "owns empty maps and nulls as such",
    { labels: {}, config: null, tags: null, image: null },
    { "f:config": {}, "f:image": {}, "f:labels": {}, "f:tags": {} },
  ],
  ["owns nothing of an empty set or keyed list", { tags: [], ports: [] }, {}],
  [
    "owns atomic lists and maps as a whole, even when they are empty",
    { args: [], selector: { kind: "K" }, atomicLabels: { a: "1" } },
    { "f:args": {}, "f:atomicLabels": {}, "f:selector": {} },
  ],
  [
    "owns items of sets by value",
    { tags: ["b", "a"], numbers: [10, 2] },
    { "f:numbers": { "v:2": {}, "v:10": {} }, "f:tags": { 'v:"a"': {}, 'v:"b"': {} } },
  ],
  [
    "owns items of keyed lists and what is in them, keys filled with defaults",
    { ports: [{ port: 80 }] },
    { "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {} } } },
  ],
  [
    "owns repeated items as one leaf",
    { ports: [{ port: 80 }, { port: 80, name: "x" }] },
    { "f:ports": { 'k:{"port":80,"protocol":"TCP"}': {} } },
  ],
  [
    "divides maps without schema by key, but not lists",
    { free: { m: { x: 1 }, l: [1] } },
    { "f:free": { "f:l": {}, "f:m": { ".": {}, "f:x": {} } } },
  ],
  [
    "divides a value without type by what it is",
    { any: { x: { y: 1 } } },
    { "f:any": { "f:x": { ".": {}, "f:y": {} } } },
  ],
  ["owns a raw value as a whole", { raw: { a: { b: 1 } } }, { "f:raw": {} }],
  [
    "knows the metadata of embedded resources",
    { tmpl: { kind: "Pod", metadata: { labels: { z: "1" }, name: "p" }, spec: { x: 1 } } },
    {
      "f:tmpl": {
        "f:kind": {},
        "f:metadata": { "f:labels": { "f:z": {} }, "f:name": {} },
        "f:spec": { ".": {}, "f:x": {} },
      },
    },
  ],
  [
    "takes `__proto__` for an ordinary key",
    { labels: JSON.parse('{"__proto__":"1","constructor":"2"}') as JsonValue },
    { "f:labels": { "f:__proto__": {}, "f:constructor": {} } },
  ],
])("%s", (_sentence, spec, fields) => {
  const set = fieldSetOfValue(widget(spec), widgetType);
  expect(encodeFieldsV1(childOf(set, fieldElement("spec")) ?? EMPTY_SET)).toEqual(fields);
});

describe("a set made like another", () => {
  it("is the same set", () => {
    fc.assert(
      fc.property(nullableSpecs, nullableSpecs, (spec, other) => {
        const set = fieldSetOfValue(widget(spec), widgetType);
        expect(fieldSetOfValue(widget(spec), widgetType, fieldSetOfValue(widget(other), widgetType))).toEqual(set);
      }),
    );
  });

  it("is that other set itself where the two are equal, and shares what is equal below the top", () => {
    fc.assert(
      fc.property(nullableSpecs, (spec) => {
        const set = fieldSetOfValue(widget(spec), widgetType);
        expect(fieldSetOfValue(widget(spec), widgetType, set)).toBe(set);
      }),
    );
    const spec = { ports: [{ port: 2 }, { port: 1 }], labels: { a: "1", b: "2" } };
    const like = fieldSetOfValue(widget({ ...spec, image: "x" }), widgetType);
    const below = (set: FieldSet): FieldSet | undefined =>
      childOf(childOf(set, fieldElement("spec")) as FieldSet, fieldElement("ports"));
    expect(below(fieldSetOfValue(widget(spec), widgetType, like))).toBe(below(like));
  });
});

import { describe, expect, it } from "vitest";
import { cloneJson, type JsonValue } from "@fairlead/base";
import { dropNonNullableNulls, prune } from "./prune.js";
import { structuralSchema } from "./structural.js";

const schema = structuralSchema({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        a: { type: "string" },
        list: { type: "array", items: { type: "object", properties: { x: { type: "integer" } } } },
        map: { type: "object", additionalProperties: { type: "object", properties: { x: {} } } },
        free: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { known: { type: "object", properties: { x: {} } } },
        },
        inner: { type: "object", "x-kubernetes-embedded-resource": true, properties: { spec: { type: "object" } } },
        any: { type: "object", additionalProperties: true },
      },
    },
  },
});

describe("pruning", () => {
  it.each<[sentence: string, spec: JsonValue, left: JsonValue, ...unknown: readonly string[]]>([
    ["drops what is not declared", { a: "x", b: 1 }, { a: "x" }, "spec.b"],
    ["goes into lists", { list: [{ x: 1, y: 2 }, {}] }, { list: [{ x: 1 }, {}] }, "spec.list[0].y"],
    ["goes into maps", { map: { k: { x: 1, y: 2 } } }, { map: { k: { x: 1 } } }, "spec.map.k.y"],
    [
      "stops where anything may be",
      { free: { b: { c: 1 } }, any: { b: {} } },
      { free: { b: { c: 1 } }, any: { b: {} } },
    ],
    ["takes up again below", { free: { known: { x: 1, y: 2 } } }, { free: { known: { x: 1 } } }, "spec.free.known.y"],
    [
      "knows the metadata of objects inside",
      { inner: { kind: "X", metadata: { any: 1 }, other: 1 } },
      { inner: { kind: "X", metadata: { any: 1 } } },
      "spec.inner.other",
    ],
    ["leaves values of wrong types alone", { a: { b: 1 }, list: "x" }, { a: {}, list: "x" }, "spec.a.b"],
  ])("%s", (_sentence, spec, left, ...unknown) => {
    const value = { kind: "K", metadata: { labels: {} }, spec: cloneJson(spec) };
    const found: string[] = [];
    prune(value, schema, { root: true, onUnknown: (path) => found.push(path) });
    expect(value).toEqual({ kind: "K", metadata: { labels: {} }, spec: left });
    expect(found).toEqual(unknown);
  });
});

it("drops nulls that may not be, unless there is a default for them", () => {
  const value = { a: null, b: null, c: null, d: [{ a: null }], unknown: null };
  const nulls = structuralSchema({
    properties: {
      a: { type: "string" },
      b: { type: "string", nullable: true },
      c: { type: "string", default: "x" },
      d: { items: { properties: { a: {} } } },
    },
  });
  dropNonNullableNulls(value, nulls);
  expect(value).toEqual({ b: null, c: null, d: [{}], unknown: null });
});

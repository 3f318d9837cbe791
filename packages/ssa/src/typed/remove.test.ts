import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "@fairlead/base";

import { decodeFieldsV1 } from "../fieldpath/fields-v1.js";
import { extractItems, removeItems, type EmptiedContainer } from "./remove.js";
import { widget, widgetType } from "./schema.fixtures.js";

const specOf = (object: JsonValue): JsonValue | undefined => (object as JsonObject)["spec"];
const remove = (spec: JsonValue, fields: JsonValue, emptied: EmptiedContainer): JsonValue | undefined =>
  specOf(removeItems(widget(spec), decodeFieldsV1({ "f:spec": fields }), widgetType, emptied));

describe("removal", () => {
  it.each<[sentence: string, spec: JsonValue, fields: JsonValue, empty: JsonValue, nulled: JsonValue]>([
    ["takes leaves", { image: "x", replicas: 1 }, { "f:image": {} }, { replicas: 1 }, { replicas: 1 }],
    [
      "takes a member with all that is in it",
      { config: { cpu: 1, mem: "m" }, image: "x" },
      { "f:config": {} },
      { image: "x" },
      { image: "x" },
    ],
    [
      "leaves an emptied map behind, one way or the other",
      { config: { cpu: 1 } },
      { "f:config": { "f:cpu": {} } },
      { config: {} },
      { config: null },
    ],
    [
      "leaves an emptied list behind, one way or the other",
      { tags: ["a"] },
      { "f:tags": { 'v:"a"': {} } },
      { tags: [] },
      { tags: null },
    ],
    [
      "leaves an emptied item behind, one way or the other",
      { containers: [{ name: "c" }] },
      { "f:containers": { 'k:{"name":"c"}': { "f:name": {} } } },
      { containers: [{}] },
      { containers: [null] },
    ],
    [
      "takes items by identity",
      { ports: [{ port: 80 }, { port: 443 }] },
      { "f:ports": { 'k:{"port":80,"protocol":"TCP"}': {} } },
      { ports: [{ port: 443 }] },
      { ports: [{ port: 443 }] },
    ],
    [
      "reaches into items",
      { containers: [{ name: "c", image: "i" }] },
      { "f:containers": { 'k:{"name":"c"}': { "f:image": {} } } },
      { containers: [{ name: "c" }] },
      { containers: [{ name: "c" }] },
    ],
    [
      "takes the whole of an atomic value when asked for what is in it",
      { selector: { kind: "K" }, image: "x" },
      { "f:selector": { "f:kind": {} } },
      { selector: {}, image: "x" },
      { selector: null, image: "x" },
    ],
    [
      "does not touch what is not there",
      { image: "x" },
      { "f:config": { "f:cpu": {} }, "f:labels": {} },
      { image: "x" },
      { image: "x" },
    ],
  ])("%s", (_sentence, spec, fields, empty, nulled) => {
    expect(remove(spec, fields, "empty")).toEqual(empty);
    expect(remove(spec, fields, "null")).toEqual(nulled);
  });

  it("returns the value itself when there is nothing to take", () => {
    const object = widget({ image: "x", ports: [{ port: 80 }] });
    expect(removeItems(object, decodeFieldsV1({ "f:spec": { "f:replicas": {} } }), widgetType, "empty")).toBe(object);
  });
});

describe("extraction", () => {
  it.each<[sentence: string, spec: JsonValue, fields: JsonValue, extracted: JsonValue | undefined]>([
    ["keeps only the leaves that are named", { image: "x", replicas: 1 }, { "f:image": {} }, { image: "x" }],
    [
      "keeps what is named inside containers",
      { config: { cpu: 1, mem: "m" } },
      { "f:config": { "f:mem": {} } },
      { config: { mem: "m" } },
    ],
    ["leaves a map empty that is named without content", { config: { cpu: 1 } }, { "f:config": {} }, { config: {} }],
    [
      "leaves out a list that is named without items",
      { tags: ["a"], image: "x" },
      { "f:tags": {}, "f:image": {} },
      { image: "x" },
    ],
    [
      "keeps atomic values whole",
      { args: ["a"], selector: { kind: "K", name: "n" } },
      { "f:args": {}, "f:selector": {} },
      { args: ["a"], selector: { kind: "K", name: "n" } },
    ],
    [
      "keeps items by identity",
      { ports: [{ port: 80, name: "a" }, { port: 443 }] },
      { "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {} } } },
      { ports: [{ port: 80 }] },
    ],
    [
      "keeps map keys with content",
      { deep: { a: { b: "1", c: "2" } } },
      { "f:deep": { "f:a": { ".": {}, "f:b": {} } } },
      { deep: { a: { b: "1" } } },
    ],
    ["keeps nothing of what is not there", {}, { "f:image": {} }, {}],
  ])("%s", (_sentence, spec, fields, extracted) => {
    expect(specOf(extractItems(widget(spec), decodeFieldsV1({ "f:spec": fields }), widgetType))).toEqual(extracted);
  });
});

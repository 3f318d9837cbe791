import { describe, expect, it } from "vitest";
import type { JsonValue } from "@fairlead/base";

import { mergeTyped } from "./merge.js";
import { widget, widgetType } from "./schema.fixtures.js";

const merge = (live: JsonValue, config: JsonValue): JsonValue =>
  (mergeTyped(widget(live), widget(config), widgetType) as { spec: JsonValue }).spec;
const named = (...names: readonly string[]): JsonValue => names.map((name) => ({ name }));

describe("a configuration laid over a live value", () => {
  it.each<[sentence: string, live: JsonValue, config: JsonValue, merged: JsonValue]>([
    ["wins on leaves", { image: "x", replicas: 1 }, { image: "y" }, { image: "y", replicas: 1 }],
    ["adds what is missing", { image: "x" }, { config: { cpu: 1 } }, { image: "x", config: { cpu: 1 } }],
    [
      "replaces atomic lists and maps",
      { args: ["a", "b"], selector: { kind: "K", name: "n" } },
      { args: ["c"], selector: { kind: "L" } },
      { args: ["c"], selector: { kind: "L" } },
    ],
    [
      "merges maps key by key",
      { labels: { a: "1", b: "2" } },
      { labels: { b: "3", c: "4" } },
      { labels: { a: "1", b: "3", c: "4" } },
    ],
    [
      "has no opinion on what is in a map it sets to null",
      { labels: { a: "1" } },
      { labels: null },
      { labels: { a: "1" } },
    ],
    [
      "has no opinion on what is in a map it sets to {}",
      { config: { cpu: 1 } },
      { config: {} },
      { config: { cpu: 1 } },
    ],
    ["tells null from {} where there is nothing inside", { config: {} }, { config: null }, { config: null }],
    ["tells [] from null where there is nothing inside", { tags: null }, { tags: [] }, { tags: [] }],
    [
      "has no opinion on the items of a set it sets to null or []",
      { tags: ["a"], ports: [{ port: 80 }] },
      { tags: null, ports: [] },
      { tags: ["a"], ports: [{ port: 80 }] },
    ],
    [
      "sets scalars and atomic values to null",
      { image: "x", args: ["a"] },
      { image: null, args: null },
      { image: null, args: null },
    ],
    [
      "merges items of keyed lists, a missing key being its default",
      { ports: [{ port: 80, protocol: "TCP", name: "a" }] },
      { ports: [{ port: 80, target: 1 }] },
      { ports: [{ port: 80, protocol: "TCP", name: "a", target: 1 }] },
    ],
    ["replaces what is of another form where there is no schema", { any: { a: 1 } }, { any: "x" }, { any: "x" }],
    ["turns a scalar without schema into a map", { any: "x" }, { any: { a: 1 } }, { any: { a: 1 } }],
    ["keeps a map without schema over null", { any: { a: 1 } }, { any: null }, { any: { a: 1 } }],
    ["replaces a list without schema by null", { any: [1] }, { any: null }, { any: null }],
  ])("%s", (_sentence, live, config, merged) => {
    expect(merge(live, config)).toEqual(merged);
  });

  it.each<[live: readonly string[], applied: readonly string[], merged: readonly string[]]>([
    [
      ["a", "b", "c", "d", "e"],
      ["d", "b", "f"],
      ["a", "c", "d", "e", "b", "f"],
    ],
    [
      ["x", "y"],
      ["b", "x", "a"],
      ["b", "x", "y", "a"],
    ],
    [
      ["a", "b", "c"],
      ["c", "a", "b"],
      ["c", "a", "b"],
    ],
    [["a", "b"], ["c"], ["a", "b", "c"]],
    [
      ["a", "b"],
      ["c", "a"],
      ["c", "a", "b"],
    ],
    [[], ["a", "b"], ["a", "b"]],
    [["a", "b", "c"], ["b"], ["a", "b", "c"]],
    [
      ["a", "b", "c", "d"],
      ["c", "x", "b"],
      ["a", "c", "d", "x", "b"],
    ],
    [["a", "b", "a"], ["a"], ["a", "b"]],
    [["a", "a", "b"], ["b"], ["a", "a", "b"]],
    [
      ["a", "b", "a", "c"],
      ["a", "n"],
      ["a", "b", "n", "c"],
    ],
    [
      ["a", "a", "a", "c"],
      ["a", "n"],
      ["a", "n", "c"],
    ],
    [
      ["a", "b", "a", "c", "d"],
      ["a", "n", "d"],
      ["a", "b", "c", "n", "d"],
    ],
    [
      ["b", "x", "a", "y", "c"],
      ["n", "a", "m", "b", "c", "o"],
      ["x", "n", "a", "y", "m", "b", "c", "o"],
    ],
  ])("orders %j and applied %j as %j, in sets and keyed lists alike", (live, applied, merged) => {
    expect(merge({ tags: live }, { tags: applied })).toEqual({ tags: merged });
    expect(merge({ containers: named(...live) }, { containers: named(...applied) })).toEqual({
      containers: named(...merged),
    });
  });

  it("replaces live items that repeat each other by the applied one", () => {
    const live = {
      containers: [
        { name: "a", image: "1" },
        { name: "a", command: ["x"] },
      ],
    };
    expect(merge(live, { containers: [{ name: "a", image: "2" }] })).toEqual({
      containers: [{ name: "a", image: "2" }],
    });
  });
});

it("returns the live value itself when the configuration says nothing new", () => {
  const live = widget({
    image: "x",
    labels: { a: "1" },
    ports: [{ port: 80, protocol: "TCP" }],
    args: ["a"],
    tags: ["x", "y"],
  });
  const config = widget({ image: "x", labels: { a: "1" }, ports: [{ port: 80 }], args: ["a"], tags: ["x"] });
  expect(mergeTyped(live, config, widgetType)).toBe(live);
});

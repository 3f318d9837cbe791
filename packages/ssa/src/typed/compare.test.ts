import { expect, it } from "vitest";
import type { JsonValue } from "@fairlead/base";

import { pathsOf, type FieldSet } from "../fieldpath/field-set.js";
import { parseFieldsV1 } from "../fieldpath/fields-v1.js";
import { formatPath } from "../fieldpath/path.js";
import { compareTyped, excludeFromComparison, SAME } from "./compare.js";
import { widget, widgetType } from "./schema.fixtures.js";

const paths = (set: FieldSet): readonly string[] => pathsOf(set).map((path) => formatPath(path).replace(/^\.spec/, ""));

interface Changes {
  readonly added?: readonly string[];
  readonly modified?: readonly string[];
  readonly removed?: readonly string[];
}

it.each<[sentence: string, before: JsonValue, after: JsonValue, changes: Changes]>([
  ["finds nothing between equals", { image: "x", ports: [{ port: 80 }] }, { ports: [{ port: 80 }], image: "x" }, {}],
  ["names changed leaves", { image: "x" }, { image: "y" }, { modified: [".image"] }],
  [
    "names a container that appears besides what is in it",
    {},
    { config: { cpu: 1 } },
    { added: [".config", ".config.cpu"] },
  ],
  [
    "names a container that goes besides what is in it",
    { labels: { a: "1" } },
    {},
    { removed: [".labels", ".labels.a"] },
  ],
  [
    "names an item that appears, and its fields",
    { ports: [] },
    { ports: [{ port: 80 }] },
    { added: ['.ports[port=80,protocol="TCP"]', '.ports[port=80,protocol="TCP"].port'] },
  ],
  ["does not mind the order of items", { tags: ["a", "b"] }, { tags: ["b", "a"] }, {}],
  ["minds the order of atomic lists", { args: ["a", "b"] }, { args: ["b", "a"] }, { modified: [".args"] }],
  [
    "names atomic maps as a whole",
    { selector: { kind: "a" } },
    { selector: { kind: "b" } },
    { modified: [".selector"] },
  ],
  ["takes a change between null and {} for a leaf's", { config: null }, { config: {} }, { modified: [".config"] }],
  [
    "takes content that replaces null for additions",
    { config: null },
    { config: { cpu: 1 } },
    { added: [".config.cpu"] },
  ],
  ["does not mind a number's kind", { replicas: 1 }, { replicas: 1n }, {}],
  ["sees a map turn into a scalar", { any: { x: 1 } }, { any: "s" }, { modified: [".any"], removed: [".any.x"] }],
  ["sees a scalar turn into a map", { any: "s" }, { any: { x: 1 } }, { modified: [".any"], added: [".any.x"] }],
  ["takes repeated items for one leaf", { tags: ["a", "a"] }, { tags: ["a", "a", "a"] }, { modified: ['.tags[="a"]'] }],
  [
    "sees items begin to repeat",
    { ports: [{ port: 80, name: "x" }] },
    { ports: [{ port: 80 }, { port: 80 }] },
    {
      added: ['.ports[port=80,protocol="TCP"]'],
      removed: [
        '.ports[port=80,protocol="TCP"]',
        '.ports[port=80,protocol="TCP"].name',
        '.ports[port=80,protocol="TCP"].port',
      ],
    },
  ],
  [
    "sees items end to repeat",
    { ports: [{ port: 80 }, { port: 80 }] },
    { ports: [{ port: 80 }] },
    {
      added: ['.ports[port=80,protocol="TCP"]', '.ports[port=80,protocol="TCP"].port'],
      removed: ['.ports[port=80,protocol="TCP"]'],
    },
  ],
])("%s", (_sentence, before, after, { added = [], modified = [], removed = [] }) => {
  const changes = compareTyped(widget(before), widget(after), widgetType);
  expect({ added: paths(changes.added), modified: paths(changes.modified), removed: paths(changes.removed) }).toEqual({
    added,
    modified,
    removed,
  });
});

it("leaves out what is at or below an excluded path, be it added, modified or removed", () => {
  const before = widget({ image: "x", config: { cpu: 1, mem: "m" }, labels: { a: "1" }, flag: true });
  const after = widget({ image: "y", config: { cpu: 2, extra: { e: "1" } }, tags: ["t"], replicas: 1 });
  const changes = compareTyped(before, after, widgetType);
  const rest = (excluded: string): Changes => {
    const { added, modified, removed } = excludeFromComparison(changes, parseFieldsV1(`{"f:spec":${excluded}}`));
    return { added: paths(added), modified: paths(modified), removed: paths(removed) };
  };
  const all = {
    added: [".replicas", ".tags", ".config.extra", ".config.extra.e", '.tags[="t"]'],
    modified: [".image", ".config.cpu"],
    removed: [".flag", ".labels", ".config.mem", ".labels.a"],
  };
  expect(rest('{"f:when":{}}')).toEqual(all);
  expect(rest('{"f:config":{},"f:labels":{}}')).toEqual({
    added: [".replicas", ".tags", '.tags[="t"]'],
    modified: [".image"],
    removed: [".flag"],
  });
  expect(rest('{"f:tags":{},"f:image":{},"f:config":{"f:cpu":{}},"f:flag":{}}')).toEqual({
    added: [".replicas", ".config.extra", ".config.extra.e"],
    modified: [],
    removed: [".labels", ".config.mem", ".labels.a"],
  });
});

it("is the same nothing for one and the same value", () => {
  const object = widget({ image: "x" });
  expect(compareTyped(object, object, widgetType)).toBe(SAME);
});

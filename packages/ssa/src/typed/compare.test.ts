import { expect, it } from "vitest";
import type { JsonValue } from "@fairlead/base";

import { pathsOf, type FieldSet } from "../fieldpath/field-set.js";
import { formatPath } from "../fieldpath/path.js";
import { compareTyped } from "./compare.js";
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

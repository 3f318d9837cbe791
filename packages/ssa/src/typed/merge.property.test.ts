import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue } from "@fairlead/base";

import { EMPTY_SET } from "../fieldpath/field-set.js";
import { difference, intersection, union } from "../fieldpath/set-algebra.js";
import { equalValues } from "../value/compare.js";
import { compareTyped } from "./compare.js";
import { itemElement } from "./list-items.js";
import { mergeTyped } from "./merge.js";
import { extractItems, removeItems } from "./remove.js";
import { widget, widgetType } from "./schema.fixtures.js";
import { fieldSetOfValue } from "./to-field-set.js";
import type { Type } from "./type.js";
import { nullableSpecs, RUNS, specs, unordered } from "./value.fixtures.js";

/** Merging as it is told: recursive, by identity, in quadratic time, without sharing and without order. */
function slowMerge(live: JsonValue | undefined, config: JsonValue | undefined, type: Type): JsonValue | undefined {
  if (live === undefined || config === undefined)
    return config ?? live ?? (config === null || live === null ? null : undefined);
  const isContainer = (value: JsonValue): boolean =>
    (isObject(value) && type.map?.atomic === false) || (isArray(value) && type.list?.atomic === false);
  const isNothing = (value: JsonValue): boolean =>
    value === null || (isContainer(value) && Object.keys(value as object).length === 0);
  if (isContainer(live) && isNothing(config))
    return isNothing(live)
      ? config
      : isContainer(config) || type.scalar === undefined || isObject(live)
        ? live
        : config;
  if (isObject(live) && isObject(config) && type.map?.atomic === false) {
    const keys = [...new Set([...Object.keys(live), ...Object.keys(config)])];
    return Object.fromEntries<JsonValue | undefined>(
      keys.map((key) => [key, slowMerge(live[key], config[key], type.map?.typeOf(key) as Type)]),
    );
  }
  const list = type.list;
  if (!isArray(live) || !isArray(config) || list === undefined || list.atomic) return config;
  const find = (items: JsonArray, id: string): JsonValue | undefined =>
    items.find((item) => itemElement(list, item) === id);
  const ids = [...new Set([...live, ...config].map((item) => itemElement(list, item)))];
  return ids.map((id) => slowMerge(find(live, id), find(config, id), list.items.type) as JsonValue);
}

const pairs = fc.tuple(
  nullableSpecs.map((spec) => widget(spec)),
  nullableSpecs.map((spec) => widget(spec)),
);
const plainPairs = fc.tuple(
  specs.map((spec) => widget(spec)),
  specs.map((spec) => widget(spec)),
);
const sorted = (value: JsonValue): JsonValue => unordered(value, widgetType);
const set = (value: JsonValue): ReturnType<typeof fieldSetOfValue> => fieldSetOfValue(value, widgetType);

describe("merging", () => {
  it("does what the slow and obvious way does", () => {
    fc.assert(
      fc.property(pairs, ([live, config]) => {
        expect(sorted(mergeTyped(live, config, widgetType))).toEqual(
          sorted(slowMerge(live, config, widgetType) as JsonValue),
        );
      }),
      { numRuns: 3 * RUNS },
    );
  });

  it("is idempotent, and shares the live value when there is nothing to do", () => {
    fc.assert(
      fc.property(pairs, ([live, config]) => {
        const merged = mergeTyped(live, config, widgetType);
        expect(mergeTyped(merged, config, widgetType)).toBe(merged);
        expect(mergeTyped(live, live, widgetType)).toBe(live);
        if (equalValues(merged, live)) expect(merged).toBe(live);
      }),
    );
  });

  it("keeps the applied order, and the live order of the rest", () => {
    const names = fc.uniqueArray(fc.constantFrom<string>("a", "b", "c", "d", "e", "f", "g"), { maxLength: 7 });
    fc.assert(
      fc.property(names, names, (live, applied) => {
        const merged = (
          (mergeTyped(widget({ tags: live }), widget({ tags: applied }), widgetType) as JsonObject)[
            "spec"
          ] as JsonObject
        )["tags"] as readonly string[];
        expect(merged.filter((name) => applied.includes(name))).toEqual(applied);
        expect(merged.filter((name) => !applied.includes(name))).toEqual(
          live.filter((name) => !applied.includes(name)),
        );
      }),
    );
  });

  it("loses nothing: whatever either side sets is set afterwards", () => {
    fc.assert(
      fc.property(plainPairs, ([live, config]) => {
        const merged = set(mergeTyped(live, config, widgetType));
        const containers = difference(set(config), merged);
        expect(difference(containers, set(widget(emptied(config))))).toEqual(EMPTY_SET);
      }),
    );
  });
});

/** The specification's empty containers alone: those that set a path only while they are empty. */
function emptied(object: JsonValue): JsonObject {
  const spec = (object as JsonObject)["spec"] as JsonObject;
  return Object.fromEntries<JsonValue | undefined>(
    Object.entries(spec).filter(([, value]) => JSON.stringify(value).includes("{}")),
  );
}

describe("comparison", () => {
  it("is empty exactly between equals, whatever the order of items", () => {
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        const { added, modified, removed } = compareTyped(a, b, widgetType);
        expect(
          [added, modified, removed].every((changes) => changes === EMPTY_SET || changes.elements.length === 0),
        ).toBe(equalValues(sorted(a), sorted(b)));
      }),
    );
  });

  it("turns additions into removals when it is turned round", () => {
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        const [there, back] = [compareTyped(a, b, widgetType), compareTyped(b, a, widgetType)];
        expect(there.added).toEqual(back.removed);
        expect(there.modified).toEqual(back.modified);
        expect(intersection(there.added, there.removed)).toEqual(EMPTY_SET);
      }),
    );
  });

  it("finds that a merge only adds and modifies what the configuration sets", () => {
    fc.assert(
      fc.property(plainPairs, ([live, config]) => {
        const { added, modified } = compareTyped(live, mergeTyped(live, config, widgetType), widgetType);
        const isOwned = (changes: typeof added): boolean =>
          difference(changes, union(set(config), containersOf(config))).elements.length === 0;
        expect([isOwned(added), isOwned(modified)]).toEqual([true, true]);
      }),
    );
  });
});

/** Every container of an object as a path, whether the object sets it or not: what appears may bring its containers. */
function containersOf(object: JsonValue): ReturnType<typeof set> {
  return compareTyped({}, object, widgetType).added;
}

describe("removal and extraction", () => {
  it("split a value: what is taken and what is left set different paths", () => {
    fc.assert(
      fc.property(plainPairs, ([value, other]) => {
        const shared = intersection(set(value), set(other));
        const left = removeItems(value, shared, widgetType, "empty");
        expect(intersection(set(left), leavesAlone(shared, left)).elements.length).toBe(0);
      }),
    );
  });

  it("extract a whole value by its own set, but for empty lists", () => {
    fc.assert(
      fc.property(specs, (spec) => {
        const value = widget(spec);
        const extracted = extractItems(value, set(value), widgetType);
        expect(set(extracted)).toEqual(set(value));
        expect(extractItems(extracted, set(value), widgetType)).toEqual(extracted);
      }),
    );
  });

  it("give back the value itself when nothing of it is named", () => {
    fc.assert(
      fc.property(specs, (spec) => {
        const value = widget(spec);
        expect(removeItems(value, EMPTY_SET, widgetType, "null")).toBe(value);
      }),
    );
  });
});

/** Members of a set that are no container left empty. */
function leavesAlone(members: ReturnType<typeof set>, left: JsonValue): ReturnType<typeof set> {
  return difference(members, containersOf(left));
}

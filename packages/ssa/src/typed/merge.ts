import { getOwn, setOwn, type JsonArray, type JsonObject, type JsonValue, type MutableJsonObject } from "@fairlead/base";

import type { PathElement } from "../fieldpath/element.js";
import { equalValues } from "../value/compare.js";
import { asList, asMap, branchOf, isEmptyMap } from "./branch.js";
import { itemElement } from "./list-items.js";
import type { ListType, MapType, Type } from "./type.js";

/**
 * The live value with a configuration laid over it: nothing is removed, and where both say something the configuration
 * wins. Null or an empty container in the configuration has no opinion on what is inside the live one. Both values must
 * have the type. The result shares with `live` whatever stays the same, down to being `live` itself.
 */
export function mergeTyped(live: JsonValue, config: JsonValue, type: Type): JsonValue {
  if (live === config) return live;
  switch (branchOf(type, config)) {
    case "scalar":
      return leaf(live, config);
    case "map":
      return mergeMaps(live, config, type.map as MapType);
    case "list":
      return mergeLists(live, config, type.list as ListType);
  }
}

function leaf(live: JsonValue, config: JsonValue): JsonValue {
  return equalValues(live, config) ? live : config;
}

function mergeMaps(live: JsonValue, config: JsonValue, type: MapType): JsonValue {
  const left = asMap(live);
  const right = asMap(config);
  const nothingApplied = right === undefined || isEmptyMap(right);
  if (type.atomic || (nothingApplied && (left === undefined || isEmptyMap(left)))) return leaf(live, config);
  if (nothingApplied) return live;
  return left === undefined ? config : mergeFields(left, right, type);
}

function mergeFields(left: JsonObject, right: JsonObject, type: MapType): JsonObject {
  let out: MutableJsonObject | undefined;
  for (const key of Object.keys(right)) {
    const applied = right[key];
    if (applied === undefined) continue;
    const current = getOwn(left, key);
    const merged = current === undefined ? applied : mergeTyped(current, applied, type.typeOf(key) as Type);
    if (merged !== current) setOwn((out ??= { ...left }), key, merged);
  }
  return out ?? left;
}

function mergeLists(live: JsonValue, config: JsonValue, type: ListType): JsonValue {
  const left = asList(live);
  const right = asList(config);
  const nothingApplied = right === undefined || right.length === 0;
  if (type.atomic || (nothingApplied && (left === undefined || left.length === 0))) return leaf(live, config);
  if (nothingApplied) return live;
  return left === undefined || left.length === 0 ? config : mergeItems(left, right, type);
}

/** The items of one side by identity. A live item that stands twice is not merged with: it counts as null. */
interface Side {
  readonly elements: readonly PathElement[];
  readonly values: ReadonlyMap<PathElement, JsonValue>;
}

function sideOf(list: JsonArray, type: ListType): Side {
  const elements: PathElement[] = [];
  const values = new Map<PathElement, JsonValue>();
  for (const item of list) {
    const element = itemElement(type, item);
    elements.push(element);
    values.set(element, values.has(element) ? null : item);
  }
  return { elements, values };
}

/**
 * Shared items follow the applied order, live ones keep their place among them, and new ones stand where they stand in
 * the configuration (structured-merge-diff: typed/merge.go).
 */
function mergeItems(left: JsonArray, right: JsonArray, type: ListType): JsonArray {
  const live = sideOf(left, type);
  const applied = sideOf(right, type);
  const shared = applied.elements.filter((element) => live.values.has(element));
  const out: JsonValue[] = [];
  const done = new Set<PathElement>();
  let nextShared = 0;
  let l = 0;
  let r = 0;

  const emitApplied = (): void => {
    const element = applied.elements[r++] as PathElement;
    done.add(element);
    const value = applied.values.get(element) as JsonValue;
    const current = live.values.get(element);
    out.push(current === undefined ? value : mergeTyped(current, value, type.items.type));
    if (shared[nextShared] === element) nextShared++;
  };

  while (l < left.length || r < right.length) {
    const element = live.elements[l];
    if (element !== undefined && r < right.length) {
      if (element === applied.elements[r]) {
        l++;
        emitApplied();
        continue;
      }
      if (applied.values.has(element) && nextShared < shared.length && shared[nextShared] !== element) {
        l++;
        continue;
      }
    }
    if (element !== undefined) {
      if (!applied.values.has(element)) {
        out.push(left[l++] as JsonValue);
        continue;
      }
      if (done.has(element)) l++;
    }
    if (r < right.length) emitApplied();
  }
  return sameItems(out, left) ? left : out;
}

function sameItems(out: readonly JsonValue[], left: JsonArray): boolean {
  return out.length === left.length && out.every((item, i) => item === left[i]);
}

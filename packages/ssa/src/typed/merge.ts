import { setOwn, type JsonArray, type JsonObject, type JsonValue, type MutableJsonObject } from "@fairlead/base";

import { equalValues } from "../value/compare.js";
import { asList, asMap, branchOf, isEmptyMap, memberOf } from "./branch.js";
import { hasRepeats, itemKeys } from "./list-items.js";
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
  for (const key in right) {
    const applied = right[key];
    const current = memberOf(left, key);
    if (applied === undefined || applied === current) continue;
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

/**
 * Shared items follow the applied order, live ones keep their place among them, and new ones stand where they stand in
 * the configuration (structured-merge-diff: typed/merge.go).
 */
function mergeItems(left: JsonArray, right: JsonArray, type: ListType): JsonArray {
  const live = itemKeys(type, left);
  const applied = itemKeys(type, right);
  let same = 0;
  while (same < applied.length && live[same] === applied[same]) same++;
  const aligned = same === applied.length && !hasRepeats(live);
  return aligned
    ? mergeAligned(left, right, type)
    : interleaved({ items: left, keys: live }, { items: right, keys: applied }, type);
}

/** The usual case: the live list begins with the applied items, in their order. */
function mergeAligned(left: JsonArray, right: JsonArray, type: ListType): JsonArray {
  let out: JsonValue[] | undefined;
  for (let i = 0; i < right.length; i++) {
    const merged = mergeTyped(left[i] as JsonValue, right[i] as JsonValue, type.items.type);
    if (merged !== left[i]) (out ??= [...left])[i] = merged;
  }
  return out ?? left;
}

interface Side {
  readonly items: JsonArray;
  readonly keys: readonly string[];
}

/** The items of a side by identity. One that stands twice is not merged with: it counts as null. */
function valuesOf({ items, keys }: Side): ReadonlyMap<string, JsonValue> {
  const values = new Map<string, JsonValue>();
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    values.set(key, values.has(key) ? null : (items[i] as JsonValue));
  }
  return values;
}

/**
 * Goes along the live items: one that is not applied stays where it is met; at the next shared one, all that is applied
 * up to there follows; a shared one that is not its turn yet comes later. A live repeat of what has been merged is
 * dropped, and lets one new item in where no shared one is left.
 */
function interleaved(live: Side, applied: Side, type: ListType): JsonArray {
  const liveValues = valuesOf(live);
  const appliedKeys = new Set(applied.keys);
  const shared = applied.keys.filter((key) => liveValues.has(key)).values();
  const out: JsonValue[] = [];
  let next = shared.next().value;
  let r = 0;

  const emitApplied = (): void => {
    const key = applied.keys[r] as string;
    const value = applied.items[r++] as JsonValue;
    const current = liveValues.get(key);
    out.push(current === undefined ? value : mergeTyped(current, value, type.items.type));
    if (key === next) next = shared.next().value;
  };

  for (const [l, key] of live.keys.entries()) {
    if (!appliedKeys.has(key)) out.push(live.items[l] as JsonValue);
    else if (next === undefined && r < applied.keys.length) emitApplied();
    else while (key === next) emitApplied();
  }
  while (r < applied.keys.length) emitApplied();
  return sameItems(out, live.items) ? live.items : out;
}

function sameItems(out: readonly JsonValue[], left: JsonArray): boolean {
  return out.length === left.length && out.every((item, i) => item === left[i]);
}

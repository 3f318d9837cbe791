import { isObject, setOwn, type JsonValue, type MutableJsonObject } from "@fairlead/base";

import { fieldElement } from "../fieldpath/element.js";
import { childOf, type FieldSet } from "../fieldpath/field-set.js";
import { asList, asMap, branchOf, isEmptyMap } from "./branch.js";
import { itemElement } from "./list-items.js";
import type { FieldType, ListType, MapType, Type } from "./type.js";

/**
 * What a container is left as when the last thing in it is removed, but not the container itself: `empty` as in
 * Kubernetes 1.36.0 to 1.36.2, `null` as before and after (structured-merge-diff #306, reverted by #334).
 */
export type EmptiedContainer = "empty" | "null";

/**
 * The value without the fields and items of a set; a member goes with everything below it. The value must have its type.
 * Shares with `value` whatever stays the same.
 */
export function removeItems(value: JsonValue, items: FieldSet, type: Type, emptied: EmptiedContainer): JsonValue {
  switch (branchOf(type, value)) {
    case "scalar":
      return value;
    case "map":
      return removeFields(value, items, type.map as MapType, emptied);
    case "list":
      return removeListItems(value, items, type.list as ListType, emptied);
  }
}

function removeFields(value: JsonValue, items: FieldSet, type: MapType, emptied: EmptiedContainer): JsonValue {
  const map = asMap(value);
  if (map === undefined || type.atomic || isEmptyMap(map)) return null;
  const out: MutableJsonObject = {};
  let changed = false;
  let size = 0;
  for (const key of Object.keys(map)) {
    const item = map[key];
    if (item === undefined) continue;
    const declared = type.fields.get(key);
    const below = childOf(items, declared === undefined ? fieldElement(key) : declared.element);
    if (below?.self === true) {
      changed = true;
      continue;
    }
    let kept = item;
    if (below !== undefined) {
      kept = removeInside(item, below, (declared ?? (type.others as FieldType)).type, emptied);
      if (kept !== item) changed = true;
    }
    setOwn(out, key, kept);
    size++;
  }
  if (!changed) return map;
  return size > 0 ? out : null;
}

function removeInside(item: JsonValue, below: FieldSet, type: Type, emptied: EmptiedContainer): JsonValue {
  const kept = removeItems(item, below, type, emptied);
  if (kept !== null || emptied === "null") return kept;
  return isObject(item) ? {} : Array.isArray(item) ? [] : null;
}

function removeListItems(value: JsonValue, items: FieldSet, type: ListType, emptied: EmptiedContainer): JsonValue {
  const list = asList(value);
  if (list === undefined || type.atomic || list.length === 0) return null;
  const out: JsonValue[] = [];
  let changed = false;
  for (const item of list) {
    const below = childOf(items, itemElement(type, item));
    if (below?.self === true) {
      changed = true;
      continue;
    }
    const kept = below === undefined ? item : removeInside(item, below, type.items.type, emptied);
    if (kept !== item) changed = true;
    out.push(kept);
  }
  return !changed ? list : out.length > 0 ? out : null;
}

/**
 * Only the fields and items of a set: a member of a leaf type with its whole value, a container with what the set names
 * inside it. Where the set names a divided container and nothing inside it, a map is left empty and a list is left out,
 * so that applying the result owns what the set owns and no more. Null when nothing is left.
 */
export function extractItems(value: JsonValue, items: FieldSet, type: Type): JsonValue {
  switch (branchOf(type, value)) {
    case "scalar":
      return value;
    case "map":
      return extractFields(value, items, type.map as MapType);
    case "list":
      return extractListItems(value, items, type.list as ListType);
  }
}

function extractFields(value: JsonValue, items: FieldSet, type: MapType): JsonValue {
  const map = asMap(value);
  if (map === undefined) return null;
  if (type.atomic || isEmptyMap(map)) return map;
  const out: MutableJsonObject = {};
  let size = 0;
  for (const key of Object.keys(map)) {
    const item = map[key];
    const declared = type.fields.get(key);
    const below = childOf(items, declared === undefined ? fieldElement(key) : declared.element);
    if (item === undefined || below === undefined) continue;
    const kept = extractItems(item, below, (declared ?? (type.others as FieldType)).type);
    if (kept === null && item !== null) continue;
    setOwn(out, key, kept);
    size++;
  }
  return size > 0 || items.self ? out : null;
}

function extractListItems(value: JsonValue, items: FieldSet, type: ListType): JsonValue {
  const list = asList(value);
  if (list === undefined) return null;
  if (type.atomic || list.length === 0) return list;
  const out: JsonValue[] = [];
  for (const item of list) {
    const below = childOf(items, itemElement(type, item));
    if (below !== undefined) out.push(below.elements.length > 0 ? extractItems(item, below, type.items.type) : item);
  }
  return out.length > 0 ? out : null;
}

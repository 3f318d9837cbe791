import { isObject, type JsonArray, type JsonObject, type JsonValue } from "@fairlead/base";

import { fieldElement, type PathElement } from "../fieldpath/element.js";
import { EMPTY_SET, fieldSetNode, LEAF, sortedElements, withSelf, type FieldSet } from "../fieldpath/field-set.js";
import { asList, asMap, branchOf, isEmptyMap } from "./branch.js";
import { itemElement } from "./list-items.js";
import type { FieldType, ListType, MapType, Type } from "./type.js";

/**
 * The paths that a value sets: its leaves, the items of its sets and keyed lists, the keys of its maps that no schema
 * declares, and what is null or an empty map. An empty set or keyed list sets nothing. The value must have its type.
 */
export function fieldSetOfValue(value: JsonValue, type: Type): FieldSet {
  return withSelf(nodeOf(value, type), false);
}

function nodeOf(value: JsonValue, type: Type): FieldSet {
  switch (branchOf(type, value)) {
    case "scalar":
      return LEAF;
    case "map": {
      const mapType = type.map as MapType;
      const map = asMap(value);
      return mapType.atomic ? LEAF : map === undefined ? EMPTY_SET : mapNode(map, mapType);
    }
    case "list": {
      const listType = type.list as ListType;
      const list = asList(value);
      return listType.atomic ? LEAF : list === undefined ? EMPTY_SET : listNode(list, listType);
    }
  }
}

function mapNode(map: JsonObject, type: MapType): FieldSet {
  const keys = orderedKeys(map);
  const elements: PathElement[] = [];
  const children: FieldSet[] = [];
  for (const key of keys) {
    const value = map[key];
    if (value === undefined) continue;
    const declared = type.fields.get(key);
    const field = declared ?? (type.others as FieldType);
    const child = nodeOf(value, field.type);
    const self = child.self || declared === undefined || value === null || (isObject(value) && isEmptyMap(value));
    if (!self && child.elements.length === 0) continue;
    elements.push(declared === undefined ? fieldElement(key) : declared.element);
    children.push(withSelf(child, self));
  }
  return fieldSetNode(false, elements, children);
}

/** The keys by code unit: an insertion sort, since maps are small and often sorted already. */
function orderedKeys(map: JsonObject): readonly string[] {
  const keys = Object.keys(map);
  if (keys.length > 40) return keys.sort();
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as string;
    let at = i;
    for (; at > 0 && (keys[at - 1] as string) > key; at--) keys[at] = keys[at - 1] as string;
    keys[at] = key;
  }
  return keys;
}

function listNode(list: JsonArray, type: ListType): FieldSet {
  if (list.length === 0) return EMPTY_SET;
  const elements = list.map((item) => itemElement(type, item));
  const sorted = sortedElements(elements);
  let children: readonly FieldSet[] | undefined;
  if (sorted === elements && !hasNeighbours(sorted))
    children = list.map((item) => withSelf(nodeOf(item, type.items.type), true));
  if (children !== undefined) return { self: false, elements, children };
  const byElement = new Map<PathElement, FieldSet>();
  for (const [i, element] of elements.entries()) {
    byElement.set(
      element,
      byElement.has(element) ? LEAF : withSelf(nodeOf(list[i] as JsonValue, type.items.type), true),
    );
  }
  const unique = hasNeighbours(sorted) ? sorted.filter((element, i) => element !== sorted[i - 1]) : sorted;
  return { self: false, elements: unique, children: unique.map((element) => byElement.get(element) as FieldSet) };
}

function hasNeighbours(sorted: readonly PathElement[]): boolean {
  for (let i = 1; i < sorted.length; i++) if (sorted[i - 1] === sorted[i]) return true;
  return false;
}

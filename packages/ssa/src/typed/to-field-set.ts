import { isObject, type JsonArray, type JsonObject, type JsonValue } from "@fairlead/base";

import { compareElements, fieldElement, type PathElement } from "../fieldpath/element.js";
import { childOf, EMPTY_SET, fieldSetNode, LEAF, withSelf, type FieldSet } from "../fieldpath/field-set.js";
import { asList, asMap, branchOf, isEmptyMap } from "./branch.js";
import { itemElement, itemTexts } from "./list-items.js";
import type { FieldType, ListType, MapType, Type } from "./type.js";

/**
 * The paths that a value sets: its leaves, the items of its sets and keyed lists, the keys of its maps that no schema
 * declares, and what is null or an empty map. An empty set or keyed list sets nothing. The value must have its type.
 *
 * @param like - A set that the result may resemble; what is equal of it is shared, which makes comparing the two cheap.
 */
export function fieldSetOfValue(value: JsonValue, type: Type, like: FieldSet = EMPTY_SET): FieldSet {
  return withSelf(nodeOf(value, type, false, like), false);
}

/** The node of a value, a member itself where it is a leaf or `self` says so. */
function nodeOf(value: JsonValue, type: Type, self: boolean, like: FieldSet | undefined): FieldSet {
  switch (branchOf(type, value)) {
    case "scalar":
      return LEAF;
    case "map": {
      const mapType = type.map as MapType;
      const map = asMap(value);
      if (mapType.atomic) return LEAF;
      return map === undefined ? emptyNode(self) : mapNode(map, mapType, self, like);
    }
    case "list": {
      const listType = type.list as ListType;
      const list = asList(value);
      if (listType.atomic) return LEAF;
      return list === undefined || list.length === 0 ? emptyNode(self) : listNode(list, listType, self, like);
    }
  }
}

const emptyNode = (self: boolean): FieldSet => (self ? LEAF : EMPTY_SET);

function mapNode(map: JsonObject, type: MapType, self: boolean, like: FieldSet | undefined): FieldSet {
  const elements: PathElement[] = [];
  const children: FieldSet[] = [];
  for (const key of orderedKeys(map)) {
    const value = map[key];
    if (value === undefined) continue;
    const declared = type.fields.get(key);
    const element = declared === undefined ? fieldElement(key) : declared.element;
    const isMember = declared === undefined || value === null || (isObject(value) && isEmptyMap(value));
    const at = elements.length;
    const child = nodeOf(
      value,
      (declared ?? (type.others as FieldType)).type,
      isMember,
      like === undefined ? undefined : childNear(like, element, at),
    );
    if (!child.self && child.elements.length === 0) continue;
    elements.push(element);
    children.push(child);
  }
  return nodeLike(like, self, elements, children);
}

/** The subset below one element, which is likely at a place. */
function childNear(node: FieldSet, element: PathElement, at: number): FieldSet | undefined {
  return node.elements[at] === element ? node.children[at] : childOf(node, element);
}

/** A node of these parts: `like` itself where it is equal. */
function nodeLike(
  like: FieldSet | undefined,
  self: boolean,
  elements: readonly PathElement[],
  children: readonly FieldSet[],
): FieldSet {
  if (like?.self !== self || like.elements.length !== elements.length) return fieldSetNode(self, elements, children);
  for (let i = 0; i < elements.length; i++) {
    if (like.elements[i] !== elements[i] || like.children[i] !== children[i])
      return fieldSetNode(self, elements, children);
  }
  return like;
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

function listNode(list: JsonArray, type: ListType, self: boolean, like: FieldSet | undefined): FieldSet {
  const order = itemOrder(list, type);
  const elements: PathElement[] = [];
  const children: FieldSet[] = [];
  for (const index of order) {
    const item = list[index] as JsonValue;
    const element = itemElement(type, item);
    const at = elements.length;
    if (elements[at - 1] === element) {
      children[at - 1] = LEAF;
      continue;
    }
    elements.push(element);
    children.push(nodeOf(item, type.items.type, true, like === undefined ? undefined : childNear(like, element, at)));
  }
  return nodeLike(like, self, elements, children);
}

/** The places of the items of a set or keyed list, in the order of their elements. */
function itemOrder(list: JsonArray, type: ListType): readonly number[] {
  const order = list.map((_item, i) => i);
  const texts = itemTexts(type, list);
  if (texts !== undefined) return order.sort((a, b) => byText(texts[a] as string, texts[b] as string));
  const elements = list.map((item) => itemElement(type, item));
  return order.sort((a, b) => compareElements(elements[a] as PathElement, elements[b] as PathElement));
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

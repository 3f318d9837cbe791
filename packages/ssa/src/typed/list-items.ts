import { FairleadError, isObject, type JsonArray, type JsonValue } from "@fairlead/base";
import { goQuote } from "@fairlead/apimachinery";

import { keyElement, valueElement, type PathElement } from "../fieldpath/element.js";
import { goJsonString } from "../value/go-format.js";
import { memberOf } from "./branch.js";
import type { ListType } from "./type.js";

/** An item that cannot be identified inside its set or keyed list. The message is structured-merge-diff's. */
export class ListItemError extends FairleadError {
  constructor(message: string) {
    super("ListItem", message);
  }
}

/**
 * What identifies an item of a set or keyed list. A key field that is left out counts as its default; without one it is
 * no part of the identity.
 *
 * @throws ListItemError
 */
export function itemElement(list: ListType, item: JsonValue): PathElement {
  if (list.keys.length === 0) return setElement(item);
  if (list.singleKeyPrefix !== undefined && isObject(item)) {
    const value = memberOf(item, list.keys[0] as string);
    if (typeof value === "string") return `${list.singleKeyPrefix}${goJsonString(value)}}` as PathElement;
  }
  return keyElement(keyValues(list, item));
}

/**
 * The identity of an item as text that is cheap to make: equal exactly where the elements are equal, for items of the
 * same list.
 *
 * @throws ListItemError
 */
export function itemKey(list: ListType, item: JsonValue): string {
  const { keys } = list;
  if (keys.length === 0) {
    if (typeof item === "string" && item.charCodeAt(0) !== 0) return item;
  } else if (keys.length === 1 && isObject(item)) {
    const value = memberOf(item, keys[0] as string);
    if (typeof value === "string" && value.charCodeAt(0) !== 0) return value;
  }
  return `\u0000${itemElement(list, item)}`;
}

/**
 * The texts that alone identify the items: of a set of texts, or of a list with one key that is always text. They have
 * the order of the elements. Undefined for other lists.
 */
export function itemTexts(list: ListType, items: JsonArray): readonly string[] | undefined {
  const [key] = list.keys;
  if (list.keys.length > 1) return undefined;
  const texts: string[] = [];
  for (const item of items) {
    const text = key === undefined ? item : isObject(item) ? memberOf(item, key) : undefined;
    if (typeof text !== "string") return undefined;
    texts.push(text);
  }
  return texts;
}

/** The identities of all items. */
export function itemKeys(list: ListType, items: JsonArray): readonly string[] {
  const keys: string[] = [];
  for (let i = 0; i < items.length; i++) keys.push(itemKey(list, items[i] as JsonValue));
  return keys;
}

/** Whether two items have the same identity. */
export function hasRepeats(keys: readonly string[]): boolean {
  if (keys.length > 8) return new Set(keys).size < keys.length;
  for (let i = 1; i < keys.length; i++) for (let j = 0; j < i; j++) if (keys[i] === keys[j]) return true;
  return false;
}

function setElement(item: JsonValue): PathElement {
  if (item === null) throw new ListItemError("associative list without keys has an element that's an explicit null");
  if (isObject(item)) throw new ListItemError("associative list without keys has an element that's a map type");
  if (Array.isArray(item)) throw new ListItemError("not supported: associative list with lists as elements");
  return valueElement(item);
}

function keyValues(list: ListType, item: JsonValue): readonly (readonly [string, JsonValue])[] {
  if (item === null) throw new ListItemError("associative list with keys may not have a null element");
  if (!isObject(item)) throw new ListItemError("associative list with keys may not have non-map elements");
  const fields: [string, JsonValue][] = [];
  for (const name of list.keys) {
    const value = memberOf(item, name);
    const known = value === undefined ? keyDefault(list, name) : value;
    if (known !== undefined) fields.push([name, known]);
  }
  if (fields.length > 0) return fields;
  const names = list.keys.map(goQuote).join(" ");
  throw new ListItemError(
    `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  );
}

function keyDefault(list: ListType, name: string): JsonValue | undefined {
  if (list.items.type.map === undefined) {
    throw new ListItemError(`couldn't find default value for ${name}: associative list may not have non-map types`);
  }
  return list.keyDefault(name) ?? undefined;
}

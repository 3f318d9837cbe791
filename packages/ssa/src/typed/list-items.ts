import { FairleadError, getOwn, isObject, type JsonValue } from "@fairlead/base";
import { goQuote } from "@fairlead/apimachinery";

import { keyElement, valueElement, type PathElement } from "../fieldpath/element.js";
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
  return list.keys.length === 0 ? setElement(item) : keyedElement(list, item);
}

function setElement(item: JsonValue): PathElement {
  if (item === null) throw new ListItemError("associative list without keys has an element that's an explicit null");
  if (isObject(item)) throw new ListItemError("associative list without keys has an element that's a map type");
  if (Array.isArray(item)) throw new ListItemError("not supported: associative list with lists as elements");
  return valueElement(item);
}

function keyedElement(list: ListType, item: JsonValue): PathElement {
  if (item === null) throw new ListItemError("associative list with keys may not have a null element");
  if (!isObject(item)) throw new ListItemError("associative list with keys may not have non-map elements");
  const fields: [string, JsonValue][] = [];
  for (const name of list.keys) {
    const value = getOwn(item, name) ?? (Object.hasOwn(item, name) ? null : keyDefault(list, name));
    if (value !== undefined) fields.push([name, value]);
  }
  if (fields.length === 0) {
    const names = list.keys.map(goQuote).join(" ");
    throw new ListItemError(
      `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    );
  }
  return keyElement(fields);
}

function keyDefault(list: ListType, name: string): JsonValue | undefined {
  if (list.items.type.map === undefined) {
    throw new ListItemError(`couldn't find default value for ${name}: associative list may not have non-map types`);
  }
  return list.keyDefault(name) ?? undefined;
}

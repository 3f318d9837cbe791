import { getOwn, isObject, JsonNumber, type JsonArray, type JsonValue } from "@fairlead/base";

import { patchFailed } from "./failures.js";
import { formatGoValue, goTypeName } from "./go-value.js";

/*
 * The order of merged lists (design: preserve-order-in-strategic-merge-patch). What the given order names follows it;
 * the rest keeps its live order, and each such item goes before the first named item that comes after it in the live
 * list.
 */

/**
 * A scalar as text, equal where Go finds two scalars equal: an int64 never equals a float64. Undefined for objects and
 * lists, which equal nothing.
 */
export function scalarKey(value: JsonValue): string | undefined {
  if (value !== null && typeof value === "object" && !(value instanceof JsonNumber)) return undefined;
  return `${goTypeName(value)}:${formatGoValue(value)}`;
}

interface Ordering {
  /** The order that was asked for: elements of the list, or objects that hold their merge key. */
  readonly order: JsonArray;
  readonly live: JsonArray;
  /** Undefined for lists of scalars. */
  readonly mergeKey: string | undefined;
}

/** A merged list in its order. */
export function orderList(merged: JsonArray, { order, live, mergeKey }: Ordering): JsonArray {
  const wanted = ranks(order, mergeKey);
  const known = ranks(live, mergeKey);
  const named: JsonValue[] = [];
  const others: JsonValue[] = [];
  for (const item of merged) (wanted.has(itemKey(item, mergeKey)) ? named : others).push(item);
  return interleaved(sortedBy(others, known, mergeKey), sortedBy(named, wanted, mergeKey), { known, mergeKey });
}

function ranks(list: JsonArray, mergeKey: string | undefined): ReadonlyMap<string, number> {
  const out = new Map<string, number>();
  for (const [i, item] of list.entries()) {
    const key = itemKey(item, mergeKey);
    if (!out.has(key)) out.set(key, i);
  }
  return out;
}

function itemKey(item: JsonValue, mergeKey: string | undefined): string {
  if (mergeKey === undefined) return scalarKey(item) ?? "";
  if (!isObject(item)) throw patchFailed(`expected a map[string]interface {}, but received a ${goTypeName(item)}`);
  const key = getOwn(item, mergeKey);
  if (key === undefined)
    throw patchFailed(`map: ${formatGoValue(item)} does not contain declared merge key: ${mergeKey}`);
  return scalarKey(key) ?? "";
}

/** By rank; where some have none, by insertion: what has no rank goes to the front, the later the further. */
function sortedBy(
  items: readonly JsonValue[],
  rank: ReadonlyMap<string, number>,
  mergeKey: string | undefined,
): readonly JsonValue[] {
  const entries = items.map((item) => ({ item, rank: rank.get(itemKey(item, mergeKey)) }));
  if (entries.every((entry) => entry.rank !== undefined))
    return entries.sort((a, b) => (a.rank as number) - (b.rank as number)).map(({ item }) => item);
  const out: typeof entries = [];
  for (const entry of entries) {
    let at = out.length;
    for (; at > 0; at--) {
      const before = out[at - 1]?.rank;
      if (entry.rank !== undefined && before !== undefined && entry.rank >= before) break;
    }
    out.splice(at, 0, entry);
  }
  return out.map(({ item }) => item);
}

function interleaved(
  others: readonly JsonValue[],
  named: readonly JsonValue[],
  { known, mergeKey }: { readonly known: ReadonlyMap<string, number>; readonly mergeKey: string | undefined },
): JsonArray {
  const out: JsonValue[] = [];
  let next = 0;
  for (const item of named) {
    const place = known.get(itemKey(item, mergeKey));
    while (next < others.length) {
      const rank = known.get(itemKey(others[next] as JsonValue, mergeKey));
      if (rank === undefined || place === undefined || rank >= place) break;
      out.push(others[next++] as JsonValue);
    }
    out.push(item);
  }
  return [...out, ...others.slice(next)];
}

/**
 * Checks that the elements of a patch stand in the order that it asks for, deleted ones aside.
 *
 * @throws StatusError 500.
 */
export function checkOrder(elements: JsonArray, order: JsonArray, mergeKey: string | undefined): void {
  if (order.length === 0 || elements.length === 0) return;
  const pending = elements.filter((item) => !isObject(item) || getOwn(item, "$patch") !== "delete");
  let at = 0;
  for (let place = 0; at < pending.length && place < order.length;) {
    const item = pending[at] as JsonValue;
    if (isObject(item) && Object.hasOwn(item, "$patch")) at++;
    else if (itemKey(item, mergeKey) === itemKey(order[place++] as JsonValue, mergeKey)) at++;
  }
  if (at === pending.length) return;
  throw patchFailed(
    `The order in patch list:\n${formatGoValue(elements)}\n doesn't match $setElementOrder list:\n${formatGoValue(order)}\n`,
  );
}

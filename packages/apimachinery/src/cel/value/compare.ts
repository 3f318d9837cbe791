// Equality and order (cel-go: Equal and Compare of common/types).
import { elementsOf } from "./list.js";
import {
  CelError,
  Duration,
  isList,
  isMap,
  isOpaque,
  NO_SUCH_OVERLOAD,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type CelList,
  type CelMap,
  type Value,
} from "./value.js";

/** Whether two values are the same; values of different types are not, but numbers of different kinds may be. */
export function equal(a: Value, b: Value): boolean | CelError {
  if (isNumber(a)) return isNumber(b) && compareNumbers(a, b) === 0;
  if (a === null || typeof a === "string" || typeof a === "boolean") return a === b;
  if (isList(a)) return isList(b) && equalLists(a, b);
  if (isMap(a)) return isMap(b) && equalMaps(a, b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareBytes(a, b) === 0;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.ns === b.ns;
  if (a instanceof Duration) return b instanceof Duration && a.ns === b.ns;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Optional) return b instanceof Optional && equalOptionals(a, b);
  return isOpaque(a) && isOpaque(b) && a.celType === b.celType && a.equals(b);
}

function equalOptionals(a: Optional, b: Optional): boolean | CelError {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equal(a.value, b.value);
}

function equalLists(a: CelList, b: CelList): boolean | CelError {
  if (a.equals !== undefined) return a.equals(b);
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    const [left, right] = [a.at(i), b.at(i)];
    if (left instanceof CelError) return left;
    if (right instanceof CelError) return right;
    const same = equal(left, right);
    if (same !== true) return same;
  }
  return true;
}

function equalMaps(a: CelMap, b: CelMap): boolean | CelError {
  if (a.equals !== undefined) return a.equals(b);
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    const [left, right] = [a.get(key), b.get(key)];
    if (left === undefined || right === undefined) return false;
    if (left instanceof CelError) return left;
    if (right instanceof CelError) return right;
    const same = equal(left, right);
    if (same !== true) return same;
  }
  return true;
}

/** Whether a list has an element. */
export function contains(list: CelList, value: Value): boolean | CelError {
  const elements = elementsOf(list);
  if (elements instanceof CelError) return elements;
  let error: CelError | undefined;
  for (const element of elements) {
    const same = equal(element, value);
    if (same === true) return true;
    if (same instanceof CelError) error ??= same;
  }
  return error ?? false;
}

export function isNumber(value: Value): value is bigint | number | Uint {
  return typeof value === "bigint" || typeof value === "number" || value instanceof Uint;
}

/** Negative, zero or positive; undefined where there is no order: NaN, or values that have none in common. */
export function compare(a: Value, b: Value): number | CelError {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b) ?? new CelError("NaN values cannot be ordered");
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (a instanceof Timestamp && b instanceof Timestamp) return compareBigints(a.ns, b.ns);
  if (a instanceof Duration && b instanceof Duration) return compareBigints(a.ns, b.ns);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  return NO_SUCH_OVERLOAD;
}

function compareBigints(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Undefined for NaN. An integer beside a double is taken for the nearest double, as cel-go does. */
function compareNumbers(a: bigint | number | Uint, b: bigint | number | Uint): number | undefined {
  const isDouble = typeof a === "number" || typeof b === "number";
  const [left, right] = [a, b].map((each) => {
    const value = each instanceof Uint ? each.value : each;
    return isDouble ? Number(value) : value;
  }) as [bigint | number, bigint | number];
  if (left < right) return -1;
  if (left > right) return 1;
  return Number.isNaN(left) || Number.isNaN(right) ? undefined : 0;
}

/** By code point, which is the order of UTF-8. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [left, right] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Halves of characters beyond 0xffff come after all others. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue } from "@fairlead/base";

/**
 * Whether two values are the same to a merge: numbers compare by value whatever their kind, maps ignore the order of
 * keys, lists do not, and null is only equal to null.
 */
export function equalValues(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object") return equalNumbers(a, b);
  if (isArray(a)) {
    if (!isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!equalValues(a[i] as JsonValue, b[i] as JsonValue)) return false;
    return true;
  }
  if (!isObject(a) || !isObject(b)) return !isObject(a) && !isObject(b) && !isArray(b) && String(a) === String(b);
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(b, key)) return false;
    if (!equalValues(a[key] as JsonValue, b[key] as JsonValue)) return false;
  }
  return true;
}

/** Beyond 2^53 too: Go compares integers to the digit. */
function equalNumbers(a: JsonValue, b: JsonValue): boolean {
  if (typeof a === "bigint") return typeof b === "number" && equalInteger(b, a);
  return typeof b === "bigint" && typeof a === "number" && equalInteger(a, b);
}

function equalInteger(value: number, integer: bigint): boolean {
  return Number.isInteger(value) && BigInt(value) === integer;
}

/**
 * The total order of values of structured-merge-diff (value/value.go): numbers, strings, booleans, lists, maps, null.
 * Strings are ordered by UTF-16 code unit.
 */
export function compareValues(a: JsonValue, b: JsonValue): number {
  const [rankA, rankB] = [rank(a), rank(b)];
  if (rankA !== rankB) return rankA - rankB;
  if (isArray(a)) return compareLists(a, b as JsonArray);
  if (isObject(a)) return compareMaps(a, b as JsonObject);
  if (equalValues(a, b)) return 0;
  return (a as string | number) < (b as string | number) ? -1 : 1;
}

function rank(value: JsonValue): number {
  if (value === null) return 5;
  switch (typeof value) {
    case "string":
      return 1;
    case "boolean":
      return 2;
    default:
      return isArray(value) ? 3 : isObject(value) ? 4 : 0;
  }
}

function compareLists(a: JsonArray, b: JsonArray): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareValues(a[i] as JsonValue, b[i] as JsonValue);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareMaps(a: JsonObject, b: JsonObject): number {
  const [keysA, keysB] = [Object.keys(a).sort(), Object.keys(b).sort()];
  for (let i = 0; i < keysA.length && i < keysB.length; i++) {
    const [keyA, keyB] = [keysA[i] as string, keysB[i] as string];
    if (keyA !== keyB) return keyA < keyB ? -1 : 1;
    const order = compareValues(a[keyA] as JsonValue, b[keyB] as JsonValue);
    if (order !== 0) return order;
  }
  return keysA.length - keysB.length;
}

/**
 * JSON as Fairlead holds it. Objects are ordinary records whose keys come from users: read them with `getOwn`, write
 * them with `setOwn`, since `__proto__` and `constructor` are legal label keys.
 *
 * Numbers. A `number` prints as it was written. An integer beyond 2^53 is a `bigint`. Any other number whose spelling
 * JavaScript would change (`1.0`, `1e3`) is a JsonNumber until a decoder that does not care turns it into a `number`.
 */
export type JsonValue = null | boolean | number | bigint | string | JsonNumber | JsonArray | JsonObject;
export type JsonArray = readonly JsonValue[];
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** The same while it is being built: the builder owns it until it hands it out. */
export interface MutableJsonObject {
  [key: string]: JsonValue | undefined;
}

/** A number kept with its spelling. */
export class JsonNumber {
  /** A valid JSON number. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }

  /** What `JSON.stringify` prints; canonical printing keeps the spelling instead. */
  toJSON(): number {
    return Number(this.text);
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);
}

export function isArray(value: unknown): value is JsonArray {
  return Array.isArray(value);
}

/** The value of an own key; undefined when the object does not have it (`constructor` is not inherited). */
export function getOwn(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets an own key; `__proto__` becomes an ordinary key. */
export function setOwn(object: MutableJsonObject, key: string, value: JsonValue): void {
  if (key === "__proto__")
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}

/** The value at a path of keys and indices, or undefined where the path leaves the value. */
export function getPath(value: JsonValue | undefined, ...path: readonly (string | number)[]): JsonValue | undefined {
  let at: JsonValue | undefined = value;
  for (const step of path) {
    if (typeof step === "number") at = isArray(at) ? at[step] : undefined;
    else at = isObject(at) ? getOwn(at, step) : undefined;
  }
  return at;
}

/** An independent copy that may be changed. */
export function cloneJson<T extends JsonValue>(value: T): T {
  return (typeof value === "object" && value !== null ? cloneContainer(value) : value) as T;
}

function cloneContainer(value: JsonNumber | JsonArray | JsonObject): JsonValue {
  if (isArray(value)) {
    const copy: JsonValue[] = [];
    for (let i = 0; i < value.length; i++) copy.push(cloneJson(value[i] as JsonValue));
    return copy;
  }
  if (!isObject(value)) return value;
  const copy: MutableJsonObject = { ...value };
  for (const key of Object.keys(value)) {
    const item = value[key];
    if (typeof item === "object" && item !== null) setOwn(copy, key, cloneContainer(item));
  }
  return copy;
}

/** Equality of content: key order is ignored, `1` equals `1n`, a JsonNumber equals the same spelling only. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
    return (typeof a === "bigint" || typeof b === "bigint") && isNumeric(a) && isNumeric(b) && BigInt(a) === BigInt(b);
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!deepEqual(a[i], b[i])) return false;
    return true;
  }
  if (a instanceof JsonNumber || b instanceof JsonNumber)
    return a instanceof JsonNumber && b instanceof JsonNumber && a.text === b.text;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(b, key)) return false;
    if (!deepEqual((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key])) return false;
  }
  return true;
}

function isNumeric(value: unknown): value is bigint | number {
  return typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
}

/** Freezes a value and everything in it, and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const key of Object.keys(value)) deepFreeze((value as Record<string, unknown>)[key]);
  return value;
}

const LEAST_INT64 = -(2n ** 63n);
const GREATEST_INT64 = 2n ** 63n - 1n;

/**
 * A number as Go's decoder for untyped JSON sees it: an int64 when it is spelled as one, else a float64.
 * Anything but a JsonNumber is returned as it is.
 */
export function decodedNumber(value: JsonNumber): number | bigint {
  if (value.text.length <= 20 && /^-?\d+$/.test(value.text)) {
    const integer = BigInt(value.text);
    if (integer >= LEAST_INT64 && integer <= GREATEST_INT64)
      return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
  }
  return Number(value.text);
}

/** The value with every JsonNumber decoded; shares what needs no change. */
export function decodeNumbers(value: JsonValue): JsonValue {
  if (value instanceof JsonNumber) return decodedNumber(value);
  if (isArray(value)) {
    let copy: JsonValue[] | undefined;
    for (const [i, item] of value.entries()) {
      const decoded = decodeNumbers(item);
      if (decoded !== item) (copy ??= [...value])[i] = decoded;
    }
    return copy ?? value;
  }
  if (!isObject(value)) return value;
  let copy: MutableJsonObject | undefined;
  for (const key of Object.keys(value)) {
    const item = value[key] as JsonValue;
    const decoded = decodeNumbers(item);
    if (decoded !== item) setOwn((copy ??= { ...value }), key, decoded);
  }
  return copy ?? value;
}

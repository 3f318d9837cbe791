import { isArray, isObject, stringifyJson, type JsonValue } from "@fairlead/base";

/** At most so many differences of one answer are told. */
const LIMIT = 8;
/** A value that differs is shown up to this many characters. */
const SHOWN = 240;

/** Paths at which two normalized answers differ, each as `path: expected … got …`; empty when they are equal. */
export function differences(expected: JsonValue, actual: JsonValue): readonly string[] {
  return [...differing(expected, actual, "")].slice(0, LIMIT);
}

function* differing(expected: JsonValue | undefined, actual: JsonValue | undefined, path: string): Generator<string> {
  if (canonical(expected) === canonical(actual)) return;
  if (isObject(expected) && isObject(actual)) {
    const keys = [...new Set([...Object.keys(expected), ...Object.keys(actual)])].sort();
    for (const key of keys) yield* differing(expected[key], actual[key], `${path}.${key}`);
  } else if (isArray(expected) && isArray(actual) && expected.length === actual.length) {
    for (const [i, item] of expected.entries()) yield* differing(item, actual[i], `${path}[${String(i)}]`);
  } else {
    yield `${path === "" ? "." : path}: expected ${shown(expected)}, got ${shown(actual)}`;
  }
}

function canonical(value: JsonValue | undefined): string {
  if (value === undefined) return "nothing";
  return stringifyJson(value === 0 ? 0 : value); // The recorder wrote -0 as 0.
}

function shown(value: JsonValue | undefined): string {
  return canonical(value).slice(0, SHOWN);
}

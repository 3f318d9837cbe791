import fc from "fast-check";
import { isArray, isObject, type JsonObject, type JsonValue } from "@fairlead/base";

import { itemElement } from "./list-items.js";
import type { Type } from "./type.js";

/*
 * Random specifications of the widget. Values are drawn from small pools, so that two of them often meet.
 */

/** How often a property runs unless it says otherwise; one that needs more asks for a multiple. */
export const RUNS: number = fc.readConfigureGlobal().numRuns ?? 100;

const word = fc.constantFrom("a", "b", "c");
const small = fc.constantFrom(0, 1, 2);
const map = fc.dictionary(word, word, { maxKeys: 3 });

function struct(fields: Readonly<Record<string, fc.Arbitrary<JsonValue>>>): fc.Arbitrary<JsonObject> {
  return fc.record(fields, { requiredKeys: [] });
}

function keyedBy(
  key: string,
  item: Readonly<Record<string, fc.Arbitrary<JsonValue>>>,
  keys: fc.Arbitrary<JsonValue>,
): fc.Arbitrary<JsonValue> {
  const items = fc.tuple(keys, struct(item)).map(([value, rest]) => ({ [key]: value, ...rest }));
  return fc.uniqueArray(items, { maxLength: 4, selector: (entry) => entry[key] });
}

const env = keyedBy("name", { value: word }, word);

const fields: Readonly<Record<string, fc.Arbitrary<JsonValue>>> = {
  replicas: small,
  image: word,
  flag: fc.boolean(),
  labels: map,
  deep: fc.dictionary(word, map, { maxKeys: 2 }),
  atomicLabels: map,
  selector: struct({ kind: word, name: word }),
  config: struct({ cpu: small, mem: word, extra: map }),
  args: fc.array(word, { maxLength: 3 }),
  tags: fc.uniqueArray(word, { maxLength: 3 }),
  numbers: fc.uniqueArray(small, { maxLength: 3 }),
  ports: keyedBy("port", { name: word }, small),
  containers: keyedBy("name", { image: word, command: fc.array(word, { maxLength: 2 }), env }, word),
  free: struct({ m: map, l: fc.array(small, { maxLength: 2 }), x: word }),
  any: fc.oneof(word, small, map, fc.array(word, { maxLength: 2 })),
  raw: fc.oneof(word, map),
};

/** Specifications without nulls. */
export const specs: fc.Arbitrary<JsonObject> = struct(fields);

const nullable = (value: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> =>
  fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) });

/** Specifications whose fields may be null. */
export const nullableSpecs: fc.Arbitrary<JsonObject> = struct(
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, nullable(value)])),
);

/** The value with its sets and keyed lists sorted, so that only what is in them counts. */
export function unordered(value: JsonValue, type: Type | undefined): JsonValue {
  if (isObject(value)) {
    return Object.fromEntries(
      Object.keys(value).map((key) => [key, unordered(value[key] as JsonValue, type?.map?.typeOf(key))]),
    );
  }
  const list = type?.list;
  if (!isArray(value) || list === undefined || list.atomic) return value;
  const items = value.map((item) => [itemElement(list, item), unordered(item, list.items.type)] as const);
  return items.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, item]) => item);
}

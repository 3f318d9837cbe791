// Uniqueness in lists that are sets or maps (apiextensions-apiserver: pkg/apiserver/schema/listtype/validation.go).
import { getOwn, isArray, isObject, stringifyJson, type JsonObject, type JsonValue } from "@fairlead/base";
import type { FieldError } from "../validation/field-error.js";
import { childPath, duplicate, invalid } from "../validation/errors.js";
import type { Schema } from "./schema.js";

/**
 * What stands twice in lists that are sets or maps. On an update ask it for the old object first: what was wrong before
 * is not reported.
 *
 * @param path - Where the value stands, empty for a whole object.
 */
export function validateListTypes(value: JsonValue, schema: Schema, path = ""): readonly FieldError[] {
  if (isArray(value)) {
    const own =
      schema.listType === "set"
        ? duplicates(value, path)
        : schema.listType === "map"
          ? duplicateKeys(value, schema, path)
          : [];
    const { items } = schema;
    return items === undefined
      ? own
      : [...own, ...value.flatMap((item, i) => validateListTypes(item, items, `${path}[${i}]`))];
  }
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((key) => {
    const member = getOwn(value, key) as JsonValue;
    const property = schema.properties?.get(key);
    if (property !== undefined) return validateListTypes(member, property, childPath(path, key));
    const additional = schema.additionalProperties;
    return additional === undefined || additional === true
      ? []
      : validateListTypes(member, additional, `${path}[${key}]`);
  });
}

/** The second of equal items each; a third is not reported. */
function duplicates(list: readonly JsonValue[], path: string): readonly FieldError[] {
  return secondOnes(list).map((i) => duplicate(`${path}[${i}]`, list[i] as JsonValue));
}

function duplicateKeys(list: readonly JsonValue[], schema: Schema, path: string): readonly FieldError[] {
  for (const [i, item] of list.entries()) {
    if (item !== null && !isObject(item))
      return [invalid(`${path}[${i}]`, item, "must be an object for an array of list-type map")];
  }
  const keys = list.map((item) => keyOf(item, schema.listMapKeys ?? []));
  return secondOnes(keys).map((i) => duplicate(`${path}[${i}]`, keys[i] as JsonValue));
}

function keyOf(item: JsonValue, names: readonly string[]): JsonObject {
  if (!isObject(item)) return {};
  return Object.fromEntries(
    [...names].sort().flatMap((name) => {
      const value = getOwn(item, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function secondOnes(list: readonly JsonValue[]): readonly number[] {
  const seen = new Map<string, number>();
  return list.flatMap((item, i) => {
    const text = stringifyJson(item);
    const times = seen.get(text) ?? 0;
    seen.set(text, times + 1);
    return times === 1 ? [i] : [];
  });
}

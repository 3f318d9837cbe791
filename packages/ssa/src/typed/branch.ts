import { isObject, JsonNumber, type JsonArray, type JsonObject, type JsonValue } from "@fairlead/base";

import type { Type } from "./type.js";

/** Which handler deals with a value of a type. */
export type Branch = "map" | "scalar" | "list";

/**
 * The branch a value selects. A value of a form that the type does not allow, and null, falls back to the first branch
 * there is of map, scalar, list, where it is found wrong or counts as empty.
 */
export function branchOf(type: Type, value: JsonValue | undefined): Branch {
  if (value !== undefined) {
    if (typeof value !== "object" || value instanceof JsonNumber) {
      if (type.scalar !== undefined) return "scalar";
    } else if (Array.isArray(value)) {
      if (type.list !== undefined) return "list";
    } else if (type.map !== undefined) return "map";
  }
  return type.map !== undefined ? "map" : type.scalar !== undefined ? "scalar" : "list";
}

/** The value as a map; undefined for anything else, null included. */
export function asMap(value: JsonValue | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** The value as a list; undefined for anything else, null included. */
export function asList(value: JsonValue | undefined): JsonArray | undefined {
  return Array.isArray(value) ? (value as JsonArray) : undefined;
}

/** Whether a map has no keys. */
export function isEmptyMap(map: JsonObject): boolean {
  for (const key in map) if (Object.hasOwn(map, key)) return false;
  return true;
}

/**
 * The own member of a map, as `getOwn` reads it but with one look-up: what objects inherit are functions, which JSON is
 * never, and `__proto__`.
 */
export function memberOf(map: JsonObject, key: string): JsonValue | undefined {
  const value = map[key];
  if (value === undefined || (typeof value !== "function" && key !== "__proto__")) return value;
  return Object.hasOwn(map, key) ? value : undefined;
}

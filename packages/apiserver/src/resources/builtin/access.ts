// Reading decoded objects whose shape the schema has already checked: what is absent reads as Go's zero value.
import { getOwn, isArray, isObject, type JsonObject, type JsonValue, type MutableJsonObject } from "@fairlead/base";

/** An object that stands for an absent one. */
export const NOTHING: JsonObject = {};

/** A string member; `""` when absent. */
export function str(object: JsonObject | undefined, key: string): string {
  const value = object === undefined ? undefined : getOwn(object, key);
  return typeof value === "string" ? value : "";
}

/** A number member; 0 when absent. */
export function num(object: JsonObject | undefined, key: string): number {
  const value = object === undefined ? undefined : getOwn(object, key);
  return typeof value === "number" ? value : typeof value === "bigint" ? Number(value) : 0;
}

/** A boolean member; false when absent. */
export function bool(object: JsonObject | undefined, key: string): boolean {
  return object !== undefined && getOwn(object, key) === true;
}

/** An object member; undefined when absent. */
export function obj(object: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = object === undefined ? undefined : getOwn(object, key);
  return isObject(value) ? value : undefined;
}

/** An object member as a list of one, or of none. */
export function someObj(object: JsonObject | undefined, key: string): readonly JsonObject[] {
  const value = obj(object, key);
  return value === undefined ? [] : [value];
}

/** An object member, or an empty object. */
export function at(object: JsonObject | undefined, ...path: readonly string[]): JsonObject {
  let value = object;
  for (const key of path) value = obj(value, key);
  return value ?? NOTHING;
}

/** The objects of a list member. */
export function objs(object: JsonObject | undefined, key: string): readonly JsonObject[] {
  const value = object === undefined ? undefined : getOwn(object, key);
  return isArray(value) ? (value as readonly JsonObject[]) : [];
}

/** The strings of a list member. */
export function strs(object: JsonObject | undefined, key: string): readonly string[] {
  const value = object === undefined ? undefined : getOwn(object, key);
  return isArray(value) ? (value as readonly string[]) : [];
}

/** The entries of a map member, in the order of its keys' code units. */
export function entries(object: JsonObject | undefined, key: string): readonly (readonly [string, JsonValue])[] {
  const map = obj(object, key);
  return map === undefined
    ? []
    : Object.keys(map)
        .sort()
        .map((name) => [name, getOwn(map, name) as JsonValue]);
}

/** Whether a member is set, to whatever it may be. */
export function has(object: JsonObject | undefined, key: string): boolean {
  const value = object === undefined ? undefined : getOwn(object, key);
  return value !== undefined && value !== null;
}

/** Sets a member that is absent or null. */
export function fill(object: MutableJsonObject, key: string, value: JsonValue): void {
  if (!has(object, key)) object[key] = value;
}

/** Sets a member that is absent or zero: fields that are no pointers cannot tell the two apart. */
export function fillZero(object: MutableJsonObject, key: string, value: JsonValue): void {
  const present = object[key];
  if (present === undefined || present === null || present === "" || present === 0 || present === false)
    object[key] = value;
}

/** An object member that may be changed, made where it is absent. */
export function child(object: MutableJsonObject, key: string): MutableJsonObject {
  const value = object[key];
  if (isObject(value)) return value;
  const made: MutableJsonObject = {};
  object[key] = made;
  return made;
}

/** An object member that may be changed; undefined when absent. */
export function childIf(object: MutableJsonObject, key: string): MutableJsonObject | undefined {
  const value = object[key];
  return isObject(value) ? value : undefined;
}

/** The objects of a list member, which may be changed. */
export function children(object: MutableJsonObject | undefined, key: string): readonly MutableJsonObject[] {
  const value = object === undefined ? undefined : object[key];
  return isArray(value) ? (value as readonly MutableJsonObject[]) : [];
}

/** A map as messages show it, its keys sorted; null when it is absent. */
export function shownMap(object: JsonObject | undefined, key: string): JsonValue {
  return has(object, key) ? Object.fromEntries(entries(object, key)) : null;
}

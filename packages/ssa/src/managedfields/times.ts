import { deepEqual, getOwn, isArray, isObject, type JsonArray, type JsonObject, type JsonValue } from "@fairlead/base";

import { managedFieldsOf, metadataOf, withManagedFields } from "./metadata.js";

/**
 * The next object with the stored times of its managedFields when nothing else tells it from the stored one, so that a
 * write without effect stays one (apiserver: pkg/endpoints/handlers/fieldmanager/equality.go). Else the next object.
 */
export function keepTimesOfNoOp(next: JsonObject, live: JsonObject): JsonObject {
  if (next === live) return next;
  const [now, before] = [managedFieldsOf(next), managedFieldsOf(live)];
  if (now === before || !isArray(now) || !isArray(before) || now.length !== before.length || now.length === 0)
    return next;
  if (!isSameButTimes(now, before) || !isSameButManagedFields(next, live)) return next;
  return withManagedFields(next, before);
}

function isSameButTimes(a: JsonArray, b: JsonArray): boolean {
  return a.every((entry, i) => entry === b[i] || deepEqual(withoutTime(entry), withoutTime(b[i] as JsonValue)));
}

function withoutTime(entry: JsonValue): JsonValue {
  if (!isObject(entry)) return entry;
  const { time: _time, ...rest } = entry;
  return rest;
}

function isSameButManagedFields(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) {
    if (key !== "metadata" && (!Object.hasOwn(b, key) || !deepEqual(a[key], getOwn(b, key)))) return false;
  }
  return deepEqual({ ...metadataOf(a), managedFields: null }, { ...metadataOf(b), managedFields: null });
}

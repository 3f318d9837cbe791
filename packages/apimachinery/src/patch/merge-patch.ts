import {
  getOwn,
  isArray,
  isObject,
  setOwn,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";

import { badPatch } from "./failures.js";
import { jsonTypeName } from "./go-value.js";

export interface MergePatchOptions {
  /** Whether a patch that is no object is told apart by its type; true by default, false without field validation. */
  readonly checkTypes?: boolean;
}

/**
 * Applies an RFC 7386 merge patch: null removes, objects are merged, everything else replaces. Nulls inside a new object
 * are dropped, and inside the objects of a list that replaces something that is no object too (evanphx/json-patch v4).
 *
 * @param document - Not changed; the result shares with it what the patch does not touch.
 * @throws StatusError 400 for a patch that is no object.
 */
export function applyMergePatch(document: JsonObject, patch: JsonValue, options: MergePatchOptions = {}): JsonValue {
  if (isObject(patch)) return mergeObjects(document, patch);
  if (patch === null) throw badPatch("Invalid JSON Patch");
  if (options.checkTypes ?? true) {
    throw badPatch(
      `error decoding patch: json: cannot unmarshal ${jsonTypeName(patch)} into Go value of type map[string]interface {}`,
    );
  }
  if (!isArray(patch)) throw badPatch("Invalid JSON Patch");
  return withoutNulls(patch);
}

function mergeObjects(current: JsonObject, patch: JsonObject): JsonObject {
  const out: MutableJsonObject = { ...current };
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === undefined) continue;
    const known = getOwn(current, key);
    if (value === null) delete out[key];
    else if (known === undefined || known === null) setOwn(out, key, withoutNulls(value));
    else setOwn(out, key, mergeValues(known, value));
  }
  return out;
}

function mergeValues(current: JsonValue, patch: JsonValue): JsonValue {
  if (!isObject(current)) return withoutNulls(patch);
  return isObject(patch) ? mergeObjects(current, patch) : patch;
}

/** The value without the null members of its objects, also of those in lists; null elements of lists stay. */
function withoutNulls(value: JsonValue): JsonValue {
  if (isArray(value)) return value.map((item) => (item === null ? null : withoutNulls(item)));
  if (!isObject(value)) return value;
  const out: MutableJsonObject = {};
  for (const key of Object.keys(value)) {
    const item = value[key];
    if (item !== undefined && item !== null) setOwn(out, key, withoutNulls(item));
  }
  return out;
}

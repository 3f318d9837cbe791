import {
  getOwn,
  isArray,
  isObject,
  JsonNumber,
  setOwn,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";

import type { Schema } from "../schema/schema.js";
import { badPatch, patchFailed, unprocessablePatch } from "./failures.js";
import { formatGoValue, goTypeName, jsonTypeName } from "./go-value.js";
import { checkOrder, orderList, scalarKey } from "./strategic-order.js";

const PATCH = "$patch";
const RETAIN_KEYS = "$retainKeys";
const DELETE_FROM_LIST = "$deleteFromPrimitiveList";
const SET_ELEMENT_ORDER = "$setElementOrder";

/**
 * Applies a strategic merge patch to an object of a built-in kind (apimachinery: pkg/util/strategicpatch/patch.go).
 * Objects are merged and null removes, as in a merge patch. Lists whose schema says `merge` are merged: of objects by
 * their merge key, of scalars as a set; what the patch brings comes first unless `$setElementOrder/<field>` says more.
 * Directives: `$patch: replace|delete` in an object or an element, `$retainKeys`, `$deleteFromPrimitiveList/<field>`.
 *
 * @param document - Not changed; the result shares with it what the patch does not touch.
 * @param patch - Null does nothing.
 * @throws StatusError 400 for a malformed directive or patch, 500 without a reason for a patch that does not fit.
 */
export function applyStrategicMergePatch(document: JsonObject, patch: JsonValue, schema: Schema): JsonObject {
  if (patch === null) return document;
  if (!isObject(patch))
    throw badPatch(`json: cannot unmarshal ${jsonTypeName(patch)} into Go value of type map[string]interface {}`);
  return mergeObjects(document, patch, schema);
}

function mergeObjects(original: JsonObject, patch: JsonObject, schema: Schema | undefined): JsonObject {
  const directive = getOwn(patch, PATCH);
  if (directive === "replace") return without(patch, PATCH);
  if (directive === "delete") return {};
  if (directive !== undefined)
    throw patchFailed(`unknown patch type: ${formatGoValue(directive)} in map: ${formatGoValue(patch)}`);
  const out: MutableJsonObject = { ...original };
  const rest: MutableJsonObject = { ...patch };
  retainKeys(out, rest);
  for (const key of Object.keys(rest)) if (key.startsWith(SET_ELEMENT_ORDER)) mergeOrdered(out, rest, { key, schema });
  for (const key of Object.keys(rest)) mergeMember(out, key, rest[key] as JsonValue, schema);
  return out;
}

function without(object: JsonObject, key: string): JsonObject {
  const copy: MutableJsonObject = { ...object };
  delete copy[key];
  return copy;
}

/** `$retainKeys: [a, b]` removes every other key; the patch itself may set no other. */
function retainKeys(out: MutableJsonObject, patch: MutableJsonObject): void {
  const listed = getOwn(patch, RETAIN_KEYS);
  if (listed === undefined) return;
  delete patch[RETAIN_KEYS];
  if (!isArray(listed)) throw badPatch("invalid patch format of retainKeys");
  const kept = new Set(listed);
  for (const key of Object.keys(patch)) {
    if (patch[key] === null || key.startsWith(DELETE_FROM_LIST) || key.startsWith(SET_ELEMENT_ORDER)) continue;
    if (!kept.has(key)) throw badPatch("invalid patch format of retainKeys");
  }
  for (const key of Object.keys(out)) if (!kept.has(key)) delete out[key];
}

function mergeMember(out: MutableJsonObject, patchKey: string, value: JsonValue, schema: Schema | undefined): void {
  const isDeletion = patchKey.startsWith(DELETE_FROM_LIST);
  const key = isDeletion ? fieldAfter(patchKey, "invalid patch format of primitive list") : patchKey;
  if (value === null) {
    delete out[key];
    return;
  }
  const current = getOwn(out, key);
  if (current === undefined || goTypeName(current) !== goTypeName(value)) {
    if (!isDeletion) setMember(out, key, withoutDirectives(withoutNulls(value)));
  } else if (isObject(value)) {
    const field = fieldOf(schema, key);
    const replaces = field?.patchStrategy?.includes("replace") === true;
    setOwn(out, key, replaces ? value : mergeObjects(current as JsonObject, value, field));
  } else if (isArray(value)) {
    const field = listFieldOf(schema, key);
    const merges = isDeletion || field?.patchStrategy?.includes("merge") === true;
    setOwn(out, key, merges ? mergeLists(current as JsonArray, value, { field, isDeletion }) : value);
  } else setMember(out, key, withoutDirectives(value));
}

function setMember(out: MutableJsonObject, key: string, value: JsonValue | undefined): void {
  if (value === undefined) delete out[key];
  else setOwn(out, key, value);
}

function fieldAfter(key: string, mistake: string): string {
  const slash = key.indexOf("/");
  const prefix = key.slice(0, Math.max(slash, 0));
  if (prefix !== DELETE_FROM_LIST && prefix !== SET_ELEMENT_ORDER) throw badPatch(mistake);
  return key.slice(slash + 1);
}

/** The schema of a member that is merged; only structs have members whose merging is known. */
function fieldOf(schema: Schema | undefined, key: string): Schema | undefined {
  const field = schema?.properties?.get(key);
  if (field !== undefined) return field;
  if (schema?.properties === undefined)
    throw patchFailed("merging an object in json but data type is not struct, instead is: map");
  throw patchFailed(`unable to find api field in struct for the json field ${JSON.stringify(key)}`);
}

function listFieldOf(schema: Schema | undefined, key: string): Schema | undefined {
  const field = fieldOf(schema, key);
  if (field?.type !== undefined && field.type !== "array")
    throw patchFailed("expected slice or array type, but got: struct");
  return field;
}

interface ListMerge {
  readonly field: Schema | undefined;
  readonly isDeletion: boolean;
}

function mergeLists(original: JsonArray, patch: JsonArray, { field, isDeletion }: ListMerge): JsonArray {
  if (original.length === 0 && patch.length === 0) return original;
  if (elementKind(original, patch) !== "object") {
    if (isDeletion) {
      const gone = new Set(patch.map(scalarKey));
      return original.filter((item) => !gone.has(scalarKey(item)));
    }
    const merged = distinct([...original, ...patch]);
    return orderList(merged, { order: patch, live: original, mergeKey: undefined });
  }
  const mergeKey = field?.patchMergeKey;
  if (mergeKey === undefined || mergeKey === "") throw patchFailed("cannot merge lists without merge key for struct");
  const { base, elements } = withoutSpecialElements(
    original as readonly JsonObject[],
    patch as readonly JsonObject[],
    mergeKey,
  );
  return orderList(mergeElements(base, elements, { mergeKey, schema: field?.items }), {
    order: elements,
    live: base,
    mergeKey,
  });
}

/** The scalars of a list, each once. */
function distinct(list: JsonArray): JsonArray {
  const seen = new Set<string>();
  return list.filter((item) => {
    const key = scalarKey(item);
    if (key === undefined || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** `object`, or the Go type of scalars; all elements of both lists must have the same. */
function elementKind(...lists: readonly JsonArray[]): string {
  let kind: string | undefined;
  for (const list of lists) {
    for (const item of list) {
      if (isArray(item) && kind === undefined) throw unprocessablePatch("lists of lists are not supported");
      const type = isObject(item) ? "object" : goTypeName(item);
      kind ??= type;
      if (kind !== type)
        throw patchFailed(`list element types are not identical: [${lists.map(formatGoValue).join(" ")}]`);
    }
  }
  if (kind === undefined) throw patchFailed("no elements in any of the given slices");
  return kind;
}

/** Carries out the directives among the elements of a patch: elements deleted, or the whole list replaced. */
function withoutSpecialElements(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
): { readonly base: readonly JsonObject[]; readonly elements: readonly JsonObject[] } {
  const gone = new Set<string | undefined>();
  let replaces = false;
  const elements: JsonObject[] = [];
  for (const element of patch) {
    const directive = getOwn(element, PATCH);
    if (directive === undefined) elements.push(element);
    else if (directive === "replace") replaces = true;
    else if (directive === "delete") gone.add(scalarKey(keyOf(element, mergeKey)));
    else if (directive === "merge") throw patchFailed("merging lists cannot yet be specified in the patch");
    else throw patchFailed(`unknown patch type: ${formatGoValue(directive)} in map: ${formatGoValue(element)}`);
  }
  if (replaces) return { base: elements, elements: [] };
  gone.delete(undefined);
  return { base: original.filter((item) => !gone.has(memberKey(item, mergeKey))), elements };
}

/** The merge key of an element as text; undefined where it has none, or none that is a scalar. */
function memberKey(element: JsonObject, mergeKey: string): string | undefined {
  const key = getOwn(element, mergeKey);
  return key === undefined ? undefined : scalarKey(key);
}

function keyOf(element: JsonObject, mergeKey: string): JsonValue {
  const key = getOwn(element, mergeKey);
  if (key === undefined)
    throw patchFailed(`map: ${formatGoValue(element)} does not contain declared merge key: ${mergeKey}`);
  return key;
}

function mergeElements(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  { mergeKey, schema }: { readonly mergeKey: string; readonly schema: Schema | undefined },
): readonly JsonObject[] {
  const out = [...original];
  const places = new Map<string, number>();
  const place = (key: string | undefined, at: number): void => {
    if (key !== undefined && !places.has(key)) places.set(key, at);
  };
  for (const [at, item] of out.entries()) place(memberKey(item, mergeKey), at);
  for (const element of patch) {
    const key = scalarKey(keyOf(element, mergeKey));
    const at = key === undefined ? undefined : places.get(key);
    if (at === undefined) {
      place(key, out.length);
      out.push(element);
    } else out[at] = mergeObjects(out[at] as JsonObject, element, schema);
  }
  return out;
}

/** Merges a list that comes with `$setElementOrder`, and takes both from the patch. */
function mergeOrdered(
  out: MutableJsonObject,
  patch: MutableJsonObject,
  { key, schema }: { readonly key: string; readonly schema: Schema | undefined },
): void {
  const order = listOrFail(patch[key] as JsonValue);
  delete patch[key];
  const name = fieldAfter(key, "invalid patch format of setElementOrder list");
  const [current, patched] = [getOwn(out, name), getOwn(patch, name)];
  const live = current === undefined ? [] : listOrFail(current);
  const elements = patched === undefined ? [] : listOrFail(patched);
  const field = listFieldOf(schema, name);
  const mergeKey = field?.patchMergeKey;
  checkOrder(elements, order, mergeKey);
  if (current === undefined && patched === undefined) return;
  const merged = orderedMerge(live, elements, {
    field,
    hasLive: current !== undefined,
    hasPatch: patched !== undefined,
  });
  elementKind(live, elements);
  setOwn(out, name, orderList(merged, { order, live: liveAfterDeletions(live, elements, mergeKey), mergeKey }));
  delete patch[name];
}

/**
 * The live list as the real server sees it once it has merged: it deletes elements in place, and what it then appends
 * takes their room, so that an element that is new counts as live as long as there is room.
 */
function liveAfterDeletions(live: JsonArray, elements: JsonArray, mergeKey: string | undefined): JsonArray {
  if (mergeKey === undefined || mergeKey === "") return live;
  const keysOf = (list: readonly JsonValue[]): Set<string | undefined> =>
    new Set(list.filter(isObject).map((item) => memberKey(item, mergeKey)));
  const isDeletion = (item: JsonValue): boolean => isObject(item) && getOwn(item, PATCH) === "delete";
  const gone = keysOf(elements.filter(isDeletion));
  if (gone.size === 0) return live;
  const left = live.filter((item) => !isObject(item) || !gone.has(memberKey(item, mergeKey)));
  const there = keysOf(left);
  const added = elements.filter(
    (item) => isObject(item) && !Object.hasOwn(item, PATCH) && !there.has(memberKey(item, mergeKey)),
  );
  return [...left, ...added].slice(0, live.length);
}

function orderedMerge(
  live: JsonArray,
  elements: JsonArray,
  {
    field,
    hasLive,
    hasPatch,
  }: { readonly field: Schema | undefined; readonly hasLive: boolean; readonly hasPatch: boolean },
): JsonArray {
  if (!hasPatch) return live;
  if (!hasLive) return withoutDirectives(elements) as JsonArray;
  return field?.patchStrategy?.includes("merge") === true
    ? mergeLists(live, elements, { field, isDeletion: false })
    : elements;
}

function listOrFail(value: JsonValue): JsonArray {
  if (isArray(value)) return value;
  const received = value === null ? "%!s(<nil>)" : goTypeName(value);
  throw patchFailed(`expected a []interface {}, but received a ${received}`);
}

/** The value without the null members of its objects, wherever they are; null elements of lists stay. */
function withoutNulls(value: JsonValue): JsonValue {
  if (isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const out: MutableJsonObject = {};
  for (const key of Object.keys(value)) {
    const item = value[key];
    if (item !== undefined && item !== null) setOwn(out, key, withoutNulls(item));
  }
  return out;
}

/** The value without the objects that hold `$patch`; undefined when it is one. */
function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value) || value instanceof JsonNumber) return value;
  if (Object.hasOwn(value, PATCH)) return undefined;
  const out: MutableJsonObject = {};
  for (const key of Object.keys(value)) setMember(out, key, withoutDirectives(value[key] as JsonValue));
  return out;
}

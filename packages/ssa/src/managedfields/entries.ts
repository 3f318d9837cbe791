import {
  FairleadError,
  getOwn,
  isArray,
  isObject,
  parseTime,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from "@fairlead/base";

import { PathElementError } from "../fieldpath/element.js";
import { EMPTY_SET, type FieldSet } from "../fieldpath/field-set.js";
import { decodeFieldsV1, encodeFieldsV1 } from "../fieldpath/fields-v1.js";
import type { Managers, VersionedSet } from "../merge/managers.js";
import { formatIdentity, parseIdentity, type ManagerIdentity } from "./identity.js";

/** The decoded `metadata.managedFields`: who owns what, since when, and the entries it came from. */
export interface Managed {
  readonly managers: Managers;
  /** RFC 3339, by manager; a manager whose last apply changed nothing has none. */
  readonly times: ReadonlyMap<string, string>;
  /** Entries as they were read, to be written again where nothing about them changed. */
  readonly read: ReadonlyMap<string, ReadEntry>;
}

interface ReadEntry {
  readonly entry: JsonObject;
  readonly owned: VersionedSet;
  readonly time: string | undefined;
}

export const NOTHING_MANAGED: Managed = { managers: new Map(), times: new Map(), read: new Map() };

/** managedFields that do not say who owns what. */
export class ManagedFieldsError extends FairleadError {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super("ManagedFields", message, options);
  }
}

/** Where field sets are remembered by their `fieldsV1` object. */
export type SetMemo = WeakMap<object, FieldSet>;

/**
 * Decodes managedFields; absent and null are nobody. Of several entries with one identity the last counts. An entry
 * without fields is a manager that owns nothing.
 *
 * @throws ManagedFieldsError when an entry has no valid operation, apiVersion, fieldsType or fieldsV1.
 */
export function decodeManagedFields(managedFields: JsonValue | undefined, memo?: SetMemo): Managed {
  if (managedFields === undefined || managedFields === null) return NOTHING_MANAGED;
  if (!isArray(managedFields)) throw new ManagedFieldsError("managedFields must be a list");
  const managers = new Map<string, VersionedSet>();
  const times = new Map<string, string>();
  const read = new Map<string, ReadEntry>();
  for (let i = 0; i < managedFields.length; i++) {
    const entry = managedFields[i] as JsonValue;
    if (!isObject(entry)) throw new ManagedFieldsError(`managed fields entry ${i} must be an object`);
    const identity = identityOf(entry, i);
    const key = formatIdentity(identity);
    const owned = {
      set: decodeSet(entry, memo),
      apiVersion: identity.apiVersion,
      applied: identity.operation === "Apply",
    };
    const time = textOf(entry, "time");
    managers.set(key, owned);
    read.set(key, { entry, owned, time: time === "" ? undefined : time });
    if (time === "") times.delete(key);
    else times.set(key, time);
  }
  return { managers, times, read };
}

function identityOf(entry: JsonObject, index: number): ManagerIdentity {
  const operation = textOf(entry, "operation");
  if (operation !== "Apply" && operation !== "Update")
    throw new ManagedFieldsError("operation must be `Apply` or `Update`");
  const apiVersion = textOf(entry, "apiVersion");
  if (apiVersion === "") throw new ManagedFieldsError("apiVersion must not be empty");
  const fieldsType = textOf(entry, "fieldsType");
  if (fieldsType === "") throw new ManagedFieldsError(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== "FieldsV1")
    throw new ManagedFieldsError(`invalid fieldsType "${fieldsType}" in managed fields entry ${index}`);
  return { manager: textOf(entry, "manager"), operation, apiVersion, subresource: textOf(entry, "subresource") };
}

function decodeSet(entry: JsonObject, memo: SetMemo | undefined): FieldSet {
  const fields = getOwn(entry, "fieldsV1") ?? null;
  if (fields === null) return EMPTY_SET;
  const known = isObject(fields) ? memo?.get(fields) : undefined;
  if (known !== undefined) return known;
  try {
    const set = decodeFieldsV1(fields);
    if (isObject(fields)) memo?.set(fields, set);
    return set;
  } catch (cause) {
    if (!(cause instanceof PathElementError)) throw cause;
    throw new ManagedFieldsError(`error decoding set: ${cause.message}`, { cause });
  }
}

function textOf(entry: JsonObject, name: string): string {
  const value = getOwn(entry, name);
  return typeof value === "string" ? value : "";
}

/**
 * Encodes managedFields, sorted by operation, time in seconds (absent first), manager, apiVersion and subresource.
 * Undefined when nobody owns anything. Entries that did not change are those that were read.
 */
export function encodeManagedFields(managed: Managed, memo?: SetMemo): JsonArray | undefined {
  if (managed.managers.size === 0) return undefined;
  const entries: JsonObject[] = [];
  for (const [key, owned] of managed.managers) {
    const time = managed.times.get(key);
    const read = managed.read.get(key);
    if (read?.owned !== owned || !isCanonical(read.entry)) entries.push(encodeEntry(key, owned, { time, memo }));
    else if (read.time === time) entries.push(read.entry);
    else entries.push(withTime(read.entry, time));
  }
  return entries.sort(compareEntries);
}

function withTime(entry: JsonObject, time: string | undefined): JsonObject {
  const { time: _time, ...rest } = entry;
  return time === undefined ? rest : { ...rest, time };
}

/** Whether an entry is written as it was read: what it leaves out is not there as null or empty text. */
function isCanonical(entry: JsonObject): boolean {
  for (const key of Object.keys(entry)) {
    if (!MEMBERS.has(key) || entry[key] === "" || entry[key] === null) return false;
  }
  return isObject(entry["fieldsV1"]);
}

const MEMBERS: ReadonlySet<string> = new Set([
  "manager",
  "operation",
  "apiVersion",
  "time",
  "fieldsType",
  "fieldsV1",
  "subresource",
]);

function encodeEntry(
  key: string,
  owned: VersionedSet,
  { time, memo }: { readonly time: string | undefined; readonly memo: SetMemo | undefined },
): JsonObject {
  const { manager, subresource } = parseIdentity(key);
  const fieldsV1 = encodeFieldsV1(owned.set);
  memo?.set(fieldsV1, owned.set);
  return {
    ...(manager === "" ? {} : { manager }),
    operation: owned.applied ? "Apply" : "Update",
    apiVersion: owned.apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1,
    ...(subresource === "" ? {} : { subresource }),
  };
}

function compareEntries(a: JsonObject, b: JsonObject): number {
  return (
    byText(textOf(a, "operation"), textOf(b, "operation")) ||
    secondsOf(textOf(a, "time")) - secondsOf(textOf(b, "time")) ||
    byText(textOf(a, "manager"), textOf(b, "manager")) ||
    byText(textOf(a, "apiVersion"), textOf(b, "apiVersion")) ||
    byText(textOf(a, "subresource"), textOf(b, "subresource"))
  );
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Seconds since the epoch; 0 for no time, and for text that is none. */
export function secondsOf(time: string | undefined): number {
  return Math.floor((parseTime(time) ?? 0) / 1000);
}

/** Whether two lists hold the very same entries in the same order. */
export function isSameList(a: JsonValue | undefined, b: JsonArray | undefined): boolean {
  if (!isArray(a) || b === undefined) return (a ?? undefined) === b;
  return a.length === b.length && a.every((entry, i) => entry === b[i]);
}

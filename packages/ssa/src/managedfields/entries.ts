import { deepEqual, FairleadError, getOwn, isArray, isObject, type JsonArray, type JsonObject, type JsonValue } from "@fairlead/base";

import { PathElementError } from "../fieldpath/element.js";
import { EMPTY_SET, equalSets } from "../fieldpath/field-set.js";
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
}

export const NOTHING_MANAGED: Managed = { managers: new Map(), times: new Map(), read: new Map() };

/** managedFields that do not say who owns what. */
export class ManagedFieldsError extends FairleadError {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super("ManagedFields", message, options);
  }
}

/**
 * Decodes managedFields; absent and null are nobody. Of several entries with one identity the last counts. An entry
 * without fields is a manager that owns nothing.
 *
 * @throws ManagedFieldsError when an entry has no valid operation, apiVersion, fieldsType or fieldsV1.
 */
export function decodeManagedFields(managedFields: JsonValue | undefined): Managed {
  if (managedFields === undefined || managedFields === null) return NOTHING_MANAGED;
  if (!isArray(managedFields)) throw new ManagedFieldsError("managedFields must be a list");
  const managers = new Map<string, VersionedSet>();
  const times = new Map<string, string>();
  const read = new Map<string, ReadEntry>();
  for (const [i, entry] of managedFields.entries()) {
    if (!isObject(entry)) throw new ManagedFieldsError(`managed fields entry ${i} must be an object`);
    const key = formatIdentity(identityOf(entry, i));
    const owned = decodeEntry(entry);
    managers.set(key, owned);
    read.set(key, { entry, owned });
    const time = textOf(entry, "time");
    if (time === "") times.delete(key);
    else times.set(key, time);
  }
  return { managers, times, read };
}

function identityOf(entry: JsonObject, index: number): ManagerIdentity {
  const operation = textOf(entry, "operation");
  if (operation !== "Apply" && operation !== "Update") throw new ManagedFieldsError("operation must be `Apply` or `Update`");
  const apiVersion = textOf(entry, "apiVersion");
  if (apiVersion === "") throw new ManagedFieldsError("apiVersion must not be empty");
  const fieldsType = textOf(entry, "fieldsType");
  if (fieldsType === "") throw new ManagedFieldsError(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== "FieldsV1") throw new ManagedFieldsError(`invalid fieldsType "${fieldsType}" in managed fields entry ${index}`);
  return { manager: textOf(entry, "manager"), operation, apiVersion, subresource: textOf(entry, "subresource") };
}

function decodeEntry(entry: JsonObject): VersionedSet {
  const fields = getOwn(entry, "fieldsV1") ?? null;
  try {
    const set = fields === null ? EMPTY_SET : decodeFieldsV1(fields);
    return { set, apiVersion: textOf(entry, "apiVersion"), applied: textOf(entry, "operation") === "Apply" };
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
export function encodeManagedFields(managed: Managed): JsonArray | undefined {
  if (managed.managers.size === 0) return undefined;
  const entries: { readonly identity: ManagerIdentity; readonly seconds: number; readonly entry: JsonObject }[] = [];
  for (const [key, owned] of managed.managers) {
    const time = managed.times.get(key);
    const identity = { ...parseIdentity(key), apiVersion: owned.apiVersion };
    entries.push({ identity, seconds: secondsOf(time), entry: encodeEntry(identity, owned, time, managed.read.get(key)) });
  }
  entries.sort(
    (a, b) =>
      byText(a.identity.operation, b.identity.operation) ||
      a.seconds - b.seconds ||
      byText(a.identity.manager, b.identity.manager) ||
      byText(a.identity.apiVersion, b.identity.apiVersion) ||
      byText(a.identity.subresource, b.identity.subresource),
  );
  return entries.map(({ entry }) => entry);
}

function encodeEntry(identity: ManagerIdentity, owned: VersionedSet, time: string | undefined, read: ReadEntry | undefined): JsonObject {
  const isSameSet = read !== undefined && (read.owned === owned || equalSets(read.owned.set, owned.set));
  const entry: JsonObject = {
    ...(identity.manager === "" ? {} : { manager: identity.manager }),
    operation: owned.applied ? "Apply" : "Update",
    apiVersion: owned.apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1: encodeFieldsV1(owned.set),
    ...(identity.subresource === "" ? {} : { subresource: identity.subresource }),
  };
  return isSameSet && deepEqual(entry, read.entry) ? read.entry : entry;
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Seconds since the epoch; 0 for no time, and for text that is none. */
export function secondsOf(time: string | undefined): number {
  const ms = time === undefined ? 0 : Date.parse(time);
  return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000);
}

/** Whether two lists hold the very same entries in the same order. */
export function isSameList(a: JsonValue | undefined, b: JsonArray | undefined): boolean {
  if (!isArray(a) || b === undefined) return (a ?? undefined) === b;
  return a.length === b.length && a.every((entry, i) => entry === b[i]);
}

import {
  getPath,
  isArray,
  isObject,
  setOwn,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";

import type { Symbols } from "./symbols.js";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const ADDRESS = /^[0-9a-f]+[.:][0-9a-f.:]+$/;
const JWT = /^ey[\w-]+\.[\w-]+\.[\w-]+$/;
/** A table cell that says an age or a time of the server's. */
const AGE = /^(\d+[ydhms]){1,2}$/;
/** Times in the quoted JSON that some messages carry. */
const TIMES_IN_JSON = /((?:creationTimestamp|deletionTimestamp|time)\\?":\\?")\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;

const TIME_KEYS: ReadonlySet<string> = new Set([
  "creationTimestamp",
  "deletionTimestamp",
  "time",
  "lastTransitionTime",
  "lastUpdateTime",
  "lastProbeTime",
  "startTime",
  "completionTime",
  "lastScheduleTime",
  "firstTimestamp",
  "lastTimestamp",
  "eventTime",
  "renewTime",
  "acquireTime",
  "startedAt",
  "finishedAt",
  "expirationTimestamp",
  "lastPhaseTransitionTime",
]);

/** Marks the metadata of a bookmark while it is normalized: its resourceVersion is a list's. */
const BOOKMARK = "\u0000bookmark";

/**
 * An answer with everything that varies replaced by symbols, and with lists that have no order of their own sorted.
 *
 * @param symbols - This run's table; it learns from what it meets, in document order.
 */
export function normalize(value: JsonValue, symbols: Symbols, key = ""): JsonValue {
  if (isArray(value)) return normalizeList(value, symbols, key);
  return isObject(value) ? normalizeObject(value, symbols) : value;
}

function normalizeList(list: JsonArray, symbols: Symbols, key: string): JsonValue {
  switch (key) {
    case "managedFields":
      return sortedBy(list, managerId).map((item) => normalize(item, symbols, key));
    case "causes":
      return (list.every(isConflict) ? sortedBy(list, causeId) : list).map((item) => normalize(item, symbols, key));
    case "cells":
      return list.map((item) => (typeof item === "string" ? normalizeCell(item, symbols) : item));
    case "clusterIPs":
      return list.map((item) => (isAddress(item) ? "<ip>" : item));
    default:
      return list.map((item) => normalize(item, symbols, key));
  }
}

function normalizeCell(text: string, symbols: Symbols): string {
  if (AGE.test(text)) return "<age>";
  return TIME.test(text) ? "<time>" : symbols.fold(text);
}

function normalizeObject(object: JsonObject, symbols: Symbols): JsonObject {
  const out: MutableJsonObject = {};
  const listed =
    isArray(object["items"]) || object["items"] === null || object["kind"] === "Table" || object["kind"] === BOOKMARK;
  const generated = generatedName(object);
  const [uid, address] = [getPath(object, "metadata", "uid"), getPath(object, "spec", "clusterIP")];
  if (typeof uid === "string" && isAddress(address)) symbols.learnAddress(uid, address);
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue;
    if (typeof value === "string") setOwn(out, key, normalizeText({ key, value, generated }, symbols));
    else if (key === "metadata" && listed && isObject(value) && isVersion(value["resourceVersion"])) {
      const metadata = normalizeObject({ ...value, resourceVersion: "" }, symbols);
      setOwn(out, key, { ...metadata, resourceVersion: symbols.list(value["resourceVersion"]) });
    } else if (key === "object" && object["type"] === "BOOKMARK" && isObject(value)) {
      setOwn(out, key, { ...normalizeObject({ ...value, kind: BOOKMARK }, symbols), kind: value["kind"] });
    } else setOwn(out, key, normalize(value, symbols, key));
  }
  return out;
}

interface Text {
  readonly key: string;
  readonly value: string;
  /** The generated name of the object around it. */
  readonly generated: string | undefined;
}

function normalizeText({ key, value, generated }: Text, symbols: Symbols): string {
  if (key === "uid" && value !== "") return symbols.of("uid", value);
  if (key === "resourceVersion" && value !== "") return symbols.of("rv", value);
  if (key === "continue" && value !== "") return symbols.token(value);
  if (key === "name" && generated !== undefined) return symbols.of("name", value);
  if (TIME_KEYS.has(key) && TIME.test(value)) return "<time>";
  if (key === "clusterIP" && isAddress(value)) return "<ip>";
  if (key === "token" && JWT.test(value)) return "<jwt>";
  const folded = symbols.fold(value);
  return withoutRevisions(key === "message" ? folded.replace(TIMES_IN_JSON, "$1<time>") : folded);
}

/** Whether a value is the address of a Service rather than none (`None`). */
export function isAddress(value: JsonValue | undefined): value is string {
  return typeof value === "string" && ADDRESS.test(value);
}

function isVersion(value: JsonValue | undefined): value is string {
  return typeof value === "string" && value !== "";
}

/** The name of an object that the server named; undefined for all others. */
function generatedName({ generateName, name }: JsonObject): string | undefined {
  if (typeof generateName !== "string" || generateName === "" || typeof name !== "string") return undefined;
  return name.startsWith(generateName) ? name : undefined;
}

/** Messages quote the server's current revision, or a diff of its own internal structures; neither can be compared. */
function withoutRevisions(text: string): string {
  return text
    .replace(/\n@@ -\d+(,\d+)? \+\d+(,\d+)? @@[\s\S]*$/, "\n<diff>")
    .replace(/(Too large resource version: \d+, current: )\d+/, "$1<n>")
    .replace(/(match the ResourceVersion in record \()\d+(?=\))/, "$1<n>")
    .replace(/(too old resource version: \d+ \()\d+(?=\))/, "$1<n>");
}

/** The server sorts managers by operation, time and manager; times are unknown here, so sort without them. */
function managerId(entry: JsonValue): string {
  const { operation, manager, subresource, apiVersion } = isObject(entry) ? entry : {};
  return [operation, manager, subresource ?? "", apiVersion].map(String).join("|");
}

function isConflict(cause: JsonValue): boolean {
  return isObject(cause) && cause["reason"] === "FieldManagerConflict";
}

/** The server lists a conflict's causes in no fixed order; its message is sorted, and is compared as it is. */
function causeId(cause: JsonValue): string {
  return isObject(cause) ? `${String(cause["message"])}|${String(cause["field"])}` : "";
}

function sortedBy(list: JsonArray, id: (item: JsonValue) => string): JsonArray {
  return [...list].sort((a, b) => (id(a) < id(b) ? -1 : id(a) > id(b) ? 1 : 0));
}

import { isArray, isObject, setOwn, type JsonObject, type JsonValue, type MutableJsonObject } from "@fairlead/base";

import { normalize } from "./normalize.js";
import type { Symbols } from "./symbols.js";

/** An answer as it came. A watch is whatever arrived until the server ended it. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly warnings: readonly string[];
  readonly text: string;
}

/** What of a digest is compared; without any of it, everything is. */
export interface Trimming {
  /** Paths to keep besides the status; everything else goes. */
  readonly pick?: readonly (readonly string[])[];
  /** Paths to leave out; `*` stands for every member. */
  readonly drop?: readonly (readonly string[])[];
  /** Of the list at a path, only the items of these names, sorted. */
  readonly named?: { readonly at: readonly string[]; readonly names: readonly string[] };
}

/** The parts of an answer that a recording keeps. The lines of a watch become a list of events. */
export function digest(answer: Answer, symbols: Symbols, options: { readonly watch: boolean }): JsonObject {
  const contentType = answer.contentType.split(";")[0] ?? "";
  const out: MutableJsonObject = { status: answer.status };
  if (answer.warnings.length > 0) out["warnings"] = answer.warnings.map((warning) => symbols.fold(warning));
  if (contentType !== "application/json") out["contentType"] = contentType;
  if (options.watch && answer.status === 200) out["events"] = eventsOf(answer.text, symbols);
  else if (contentType === "application/json") Object.assign(out, bodyOf(answer.text, symbols));
  else if (answer.text !== "") out["text"] = symbols.fold(answer.text);
  return out;
}

function eventsOf(text: string, symbols: Symbols): JsonValue {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => normalize(JSON.parse(line) as JsonValue, symbols));
}

function bodyOf(text: string, symbols: Symbols): JsonObject {
  let body: JsonValue;
  try {
    body = JSON.parse(text) as JsonValue;
  } catch {
    return { text };
  }
  return { body: normalize(body, symbols) };
}

/** Leaves out the parts of a digest that cannot be compared. */
export function trimmed(digested: JsonObject, { pick, drop = [], named }: Trimming): JsonObject {
  let out: JsonValue = digested;
  if (named !== undefined) out = replacedAt(out, named.at, (list) => onlyNamed(list, named.names));
  if (pick !== undefined) out = picked(out, pick);
  for (const path of drop) out = without(out, path);
  return out as JsonObject;
}

function onlyNamed(list: JsonValue, names: readonly string[]): JsonValue {
  if (!isArray(list)) return list;
  const kept = list.filter((item) => names.includes(nameOf(item)));
  return kept.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

function nameOf(item: JsonValue): string {
  if (!isObject(item)) return "";
  const { metadata, name } = item;
  return String((isObject(metadata) ? metadata["name"] : undefined) ?? name);
}

function replacedAt(value: JsonValue, path: readonly string[], replace: (at: JsonValue) => JsonValue): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return replace(value);
  if (!isObject(value)) return value;
  const member = value[key];
  return member === undefined ? value : { ...value, [key]: replacedAt(member, rest, replace) };
}

function picked(value: JsonValue, paths: readonly (readonly string[])[]): JsonObject {
  const whole = isObject(value) ? value : {};
  const kept: MutableJsonObject = { status: whole["status"] };
  for (const path of paths) {
    const found = path.reduce<JsonValue | undefined>((at, key) => memberOf(at, key), whole);
    if (found !== undefined) put(kept, path, found);
  }
  return kept;
}

function memberOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (isArray(value)) return value[Number(key)];
  return isObject(value) ? value[key] : undefined;
}

function put(root: MutableJsonObject, path: readonly string[], value: JsonValue): void {
  let at = root;
  for (const key of path.slice(0, -1)) {
    const next: MutableJsonObject = { ...(isObject(at[key]) ? at[key] : {}) };
    setOwn(at, key, next);
    at = next;
  }
  setOwn(at, path.at(-1) ?? "", value);
}

function without(value: JsonValue, path: readonly string[]): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const hit = (name: string): boolean => key === "*" || key === name;
  if (isArray(value)) {
    const dropped = (item: JsonValue): JsonValue => (rest.length === 0 ? null : without(item, rest));
    return value.map((item, i) => (hit(String(i)) ? dropped(item) : item));
  }
  if (!isObject(value)) return value;
  const out: MutableJsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    if (!hit(name)) setOwn(out, name, member as JsonValue);
    else if (rest.length > 0) setOwn(out, name, without(member as JsonValue, rest));
  }
  return out;
}

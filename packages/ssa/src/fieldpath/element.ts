import { FairleadError, isObject, parseJson, type JsonValue } from "@fairlead/base";
import type { Brand } from "@fairlead/apimachinery";

import { compareValues } from "../value/compare.js";
import { displayValue, goJson, goJsonString } from "../value/go-format.js";

/**
 * One step of a field path, in the spelling of FieldsV1: `f:<name>` a field or map key, `k:<JSON of the key fields>` an
 * item of a keyed list, `v:<JSON>` an item of a set, `i:<index>` an item of another list.
 *
 * The spelling is canonical (key fields sorted by name, values as Kubernetes prints them), so equal elements are equal
 * strings and an element can be a map key. Only this file makes elements from untrusted text.
 */
export type PathElement = Brand<string, "PathElement">;

/** Text in managedFields that is no path element, e.g. `x` or `k:{`. */
export class PathElementError extends FairleadError {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super("PathElement", message, options);
  }
}

const FIELD = 102;
const KEY = 107;
const VALUE = 118;
const INDEX = 105;
const COLON = 58;

/** The element of a struct field or map key. */
export function fieldElement(name: string): PathElement {
  return `f:${name}` as PathElement;
}

/** The element of an item of a keyed list. `fields` need not be sorted; each name stands once. */
export function keyElement(fields: readonly (readonly [name: string, value: JsonValue])[]): PathElement {
  const sorted = fields.length < 2 ? fields : [...fields].sort(([a], [b]) => (a < b ? -1 : 1));
  let out = "";
  for (const [name, value] of sorted)
    out += `${out === "" ? "k:{" : ","}${JSON.stringify(name.toWellFormed())}:${goJson(value)}`;
  return `${out === "" ? "k:{" : out}}` as PathElement;
}

/** The element of an item of a set. */
export function valueElement(value: JsonValue): PathElement {
  return `v:${typeof value === "string" ? goJsonString(value) : goJson(value)}` as PathElement;
}

/** The element of an item of a list without identities. */
export function indexElement(index: number): PathElement {
  return `i:${index}` as PathElement;
}

/** The name of a field element; undefined for the other kinds. */
export function fieldName(element: PathElement): string | undefined {
  return element.charCodeAt(0) === FIELD ? element.slice(2) : undefined;
}

/** Whether the element stands for a struct field or map key. */
export function isFieldElement(element: PathElement): boolean {
  return element.charCodeAt(0) === FIELD;
}

/** Whether the element stands for an item of a keyed list. */
export function isKeyElement(element: PathElement): boolean {
  return element.charCodeAt(0) === KEY;
}

/** The key fields of an item of a keyed list, sorted by name; undefined for the other kinds. */
export function keyFields(element: PathElement): readonly (readonly [name: string, value: JsonValue])[] | undefined {
  if (!isKeyElement(element)) return undefined;
  const fields = parseElementJson(element);
  return isObject(fields) ? Object.entries(fields).map(([name, value]) => [name, value as JsonValue]) : [];
}

/** The value of an item of a set; undefined for the other kinds. */
export function elementValue(element: PathElement): JsonValue | undefined {
  return element.charCodeAt(0) === VALUE ? parseElementJson(element) : undefined;
}

/** A key or value element that needs no parsing to be known canonical: plain strings and integers, names in order. */
const PLAIN_KEY = /^k:\{"([\w.-]+)":(?:"[\w.\-/: ]*"|\d{1,15})(?:,"([\w.-]+)":(?:"[\w.\-/: ]*"|\d{1,15}))?\}$/;
const PLAIN_VALUE = /^v:(?:"[\w.\-/: ]*"|0|[1-9]\d{0,14})$/;
const LEADING_ZERO = /:0\d/;

/**
 * Reads an element from FieldsV1.
 *
 * @returns undefined for a kind this version does not know, which is to be dropped.
 * @throws PathElementError for text that is too short, has no colon, or does not parse as its kind.
 */
export function parseElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new PathElementError("key must be 2 characters long:");
  if (text.charCodeAt(1) !== COLON) throw new PathElementError(`missing colon: ${text}`);
  switch (text.charCodeAt(0)) {
    case FIELD:
      return text as PathElement;
    case KEY: {
      const plain = PLAIN_KEY.exec(text);
      if (plain !== null && (plain[2] === undefined || (plain[1] as string) < plain[2]) && !LEADING_ZERO.test(text))
        return text as PathElement;
      const fields = parseElementJson(text);
      if (fields !== null && !isObject(fields)) throw new PathElementError(`not an object: ${text}`);
      return keyElement(Object.entries(fields ?? {}).map(([name, value]) => [name, value as JsonValue]));
    }
    case VALUE:
      return PLAIN_VALUE.test(text) ? (text as PathElement) : valueElement(parseElementJson(text));
    case INDEX:
      if (!/^[+-]?\d+$/.test(text.slice(2))) throw new PathElementError(`invalid index: ${text}`);
      return indexElement(Number(text.slice(2)));
    default:
      return undefined;
  }
}

function parseElementJson(text: string): JsonValue {
  try {
    const value = parseJson(text.slice(2));
    if (!isObject(value)) return numbersDecoded(value);
    for (const name of Object.keys(value)) if (typeof value[name] !== "string") return numbersDecoded(value);
    return value;
  } catch (cause) {
    throw new PathElementError(`invalid path element: ${text}`, { cause });
  }
}

/** Kubernetes reads numbers in path elements as float64. */
function numbersDecoded(value: JsonValue): JsonValue {
  return JSON.parse(
    JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? Number(item) : item)),
  ) as JsonValue;
}

/** `.name`, `[name="c"]`, `[port=80,protocol="TCP"]`, `[="x"]`, `[0]`: an element as messages show it. */
export function formatElement(element: PathElement): string {
  switch (element.charCodeAt(0)) {
    case FIELD:
      return `.${element.slice(2)}`;
    case KEY:
      return `[${(keyFields(element) ?? []).map(([name, value]) => `${name}=${displayValue(value)}`).join(",")}]`;
    case VALUE:
      return `[=${displayValue(parseElementJson(element))}]`;
    default:
      return `[${element.slice(2)}]`;
  }
}

/** The order of elements inside a node: fields by name, then keys, then values, then indices. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0;
  const kind = a.charCodeAt(0);
  const other = b.charCodeAt(0);
  if (kind !== other) return rank(kind) - rank(other);
  switch (kind) {
    case FIELD:
      return a < b ? -1 : 1;
    case INDEX:
      return Number(a.slice(2)) - Number(b.slice(2));
    default:
      return compareTexts(a, b);
  }
}

function rank(kind: number): number {
  return kind === FIELD ? 0 : kind === KEY ? 1 : kind === VALUE ? 2 : 3;
}

const QUOTE = 34;
const BACKSLASH = 92;

/**
 * Key and value elements are ordered by content. Where the two texts first differ inside a string, or inside a number,
 * that can be told without parsing them.
 */
function compareTexts(a: PathElement, b: PathElement): number {
  let at = 2;
  let inString = false;
  let left = a.charCodeAt(at);
  let right = b.charCodeAt(at);
  while (left === right && left !== BACKSLASH) {
    if (left === QUOTE) inString = !inString;
    left = a.charCodeAt(++at);
    right = b.charCodeAt(at);
  }
  if (left === BACKSLASH || right === BACKSLASH) return compareParsed(a, b);
  if (inString) return left === QUOTE ? -1 : right === QUOTE ? 1 : left - right;
  const start = a.lastIndexOf(":", at - 1) + 1;
  const order = Number.parseFloat(a.slice(start)) - Number.parseFloat(b.slice(start));
  return order < 0 || order > 0 ? order : compareParsed(a, b);
}

function compareParsed(a: PathElement, b: PathElement): number {
  return compareValues(parseElementJson(a), parseElementJson(b));
}

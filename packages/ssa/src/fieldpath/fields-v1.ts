import {
  isObject,
  parseJson,
  quoteJson,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";

import { compareElements, parseElement, PathElementError, type PathElement } from "./element.js";
import { EMPTY_SET, fieldSetNode, FieldSetBuilder, LEAF, type FieldSet } from "./field-set.js";
import { union } from "./set-algebra.js";

/**
 * Decodes FieldsV1, the JSON trie of a managedFields entry. Elements of unknown kinds are dropped; elements that are out
 * of order or not in canonical spelling are put right.
 *
 * @throws PathElementError for a malformed element, or a node that is neither an object nor null.
 */
export function decodeFieldsV1(fields: JsonValue): FieldSet {
  const root = decodeNode(fields);
  return root === LEAF ? EMPTY_SET : root;
}

function decodeNode(value: JsonValue): FieldSet {
  if (value === null) return LEAF;
  if (!isObject(value)) throw new PathElementError("expected an object in fieldsV1");
  const names = Object.keys(value);
  if (names.length === 0) return LEAF;
  const elements: PathElement[] = [];
  const children: FieldSet[] = [];
  let self = false;
  let ordered = true;
  for (const name of names) {
    if (name === ".") {
      self = true;
      continue;
    }
    const element = parseElement(name);
    if (element === undefined) continue;
    const child = decodeNode(value[name] as JsonValue);
    const last = elements.at(-1);
    if (last !== undefined && compareElements(last, element) >= 0) ordered = false;
    elements.push(element);
    children.push(child);
  }
  if (elements.length === 0) return LEAF;
  return ordered ? { self, elements, children } : reordered(self, elements, children);
}

function reordered(self: boolean, elements: readonly PathElement[], children: readonly FieldSet[]): FieldSet {
  const byElement = new Map<PathElement, FieldSet>();
  for (const [i, element] of elements.entries()) {
    const child = children[i] as FieldSet;
    const known = byElement.get(element);
    byElement.set(element, known === undefined ? child : union(known, child));
  }
  const sorted = [...byElement.keys()].sort(compareElements);
  return fieldSetNode(
    self,
    sorted,
    sorted.map((element) => byElement.get(element) as FieldSet),
  );
}

/** FieldsV1 of a set, its keys in Kubernetes' order (which a printer that sorts keys by code unit does not keep). */
export function encodeFieldsV1(set: FieldSet): JsonObject {
  const out: MutableJsonObject = {};
  for (let i = 0; i < set.elements.length; i++) {
    const child = set.children[i] as FieldSet;
    out[set.elements[i] as PathElement] = child.elements.length === 0 ? {} : encodeBelow(child);
  }
  return out;
}

function encodeBelow(node: FieldSet): JsonObject {
  if (!node.self) return encodeFieldsV1(node);
  const out: MutableJsonObject = { ".": {} };
  for (let i = 0; i < node.elements.length; i++) {
    const child = node.children[i] as FieldSet;
    out[node.elements[i] as PathElement] = child.elements.length === 0 ? {} : encodeBelow(child);
  }
  return out;
}

/** FieldsV1 as text, byte for byte as Kubernetes writes it. */
export function formatFieldsV1(set: FieldSet): string {
  const parts = set.elements.map((element, i) => {
    const child = set.children[i] as FieldSet;
    const below = formatFieldsV1(child);
    return `${quoteJson(element)}:${child.self && child.elements.length > 0 ? `{".":{},${below.slice(1)}` : below}`;
  });
  return `{${parts.join(",")}}`;
}

/** The inverse of `formatFieldsV1`. */
export function parseFieldsV1(text: string): FieldSet {
  return decodeFieldsV1(parseJson(text));
}

/** The set of paths of plain nested field names, e.g. reset fields: `[["status"], ["metadata", "labels"]]`. */
export function fieldSetOfNames(paths: readonly (readonly string[])[]): FieldSet {
  const builder = new FieldSetBuilder();
  for (const path of paths) builder.insert(path.map((name) => `f:${name}` as PathElement));
  return builder.build();
}

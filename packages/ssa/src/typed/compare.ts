import type { JsonArray, JsonValue } from "@fairlead/base";

import { fieldElement, type PathElement } from "../fieldpath/element.js";
import { EMPTY_SET, FieldSetBuilder, type FieldSet } from "../fieldpath/field-set.js";
import { recursiveDifference } from "../fieldpath/set-algebra.js";
import { equalValues } from "../value/compare.js";
import { asList, asMap, branchOf, isEmptyMap, memberOf, type Branch } from "./branch.js";
import { itemElement, itemKey } from "./list-items.js";
import type { FieldType, ListType, MapType, Type } from "./type.js";

/** How one value differs from another. A container that appears or goes is named besides what is in it. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

export const SAME: Comparison = { removed: EMPTY_SET, modified: EMPTY_SET, added: EMPTY_SET };

/** The differences from `before` to `after`, both of the type. Order matters in lists that are leaves only. */
export function compareTyped(before: JsonValue, after: JsonValue, type: Type): Comparison {
  if (before === after) return SAME;
  const walker = new Comparer();
  walker.compare(before, after, type);
  return { removed: walker.removed.build(), modified: walker.modified.build(), added: walker.added.build() };
}

/** The differences without those at or below these paths. */
export function excludeFromComparison(comparison: Comparison, excluded: FieldSet): Comparison {
  return {
    removed: recursiveDifference(comparison.removed, excluded),
    modified: recursiveDifference(comparison.modified, excluded),
    added: recursiveDifference(comparison.added, excluded),
  };
}

type Maybe = JsonValue | undefined;

class Comparer {
  readonly removed = new FieldSetBuilder();
  readonly modified = new FieldSetBuilder();
  readonly added = new FieldSetBuilder();
  readonly #path: PathElement[] = [];

  compare(left: Maybe, right: Maybe, type: Type): void {
    if (left === right) return;
    const leftBranch = branchOf(type, left);
    const rightBranch = branchOf(type, right);
    if (left !== undefined && right !== undefined && leftBranch !== rightBranch)
      this.#as(leftBranch, left, right, type);
    const isLeaf = this.#as(right === undefined ? leftBranch : rightBranch, left, right, type);
    if (isLeaf) return;
    if (left === undefined) this.added.insert(this.#path);
    else if (right === undefined) this.removed.insert(this.#path);
  }

  /** Compares by one branch; returns whether that made the value a leaf. */
  #as(branch: Branch, left: Maybe, right: Maybe, type: Type): boolean {
    switch (branch) {
      case "scalar":
        return this.#leaf(left, right);
      case "map":
        return this.#maps(left, right, type.map as MapType);
      case "list":
        return this.#lists(left, right, type.list as ListType);
    }
  }

  #leaf(left: Maybe, right: Maybe): true {
    if (left === undefined) this.added.insert(this.#path);
    else if (right === undefined) this.removed.insert(this.#path);
    else if (!equalValues(left, right)) this.modified.insert(this.#path);
    return true;
  }

  #maps(left: Maybe, right: Maybe, type: MapType): boolean {
    const [before, after] = [asMap(left), asMap(right)];
    const isEmpty = (before === undefined || isEmptyMap(before)) && (after === undefined || isEmptyMap(after));
    if (type.atomic || isEmpty) return this.#leaf(left, right);
    for (const key in before) {
      const old = before[key];
      if (old !== undefined) this.#field(key, old, after === undefined ? undefined : memberOf(after, key), type);
    }
    for (const key in after) {
      if (before === undefined || memberOf(before, key) === undefined) this.#field(key, undefined, after[key], type);
    }
    return false;
  }

  #field(key: string, left: Maybe, right: Maybe, type: MapType): void {
    if (left === right) return;
    const declared = type.fields.get(key);
    this.#path.push(declared === undefined ? fieldElement(key) : declared.element);
    this.compare(left, right, (declared ?? (type.others as FieldType)).type);
    this.#path.pop();
  }

  #lists(left: Maybe, right: Maybe, type: ListType): boolean {
    const [before, after] = [asList(left), asList(right)];
    const isEmpty = (before?.length ?? 0) === 0 && (after?.length ?? 0) === 0;
    if (type.atomic || isEmpty) return this.#leaf(left, right);
    const [old, now] = [itemsByKey(before ?? [], type), itemsByKey(after ?? [], type)];
    for (const [key, items] of old) this.#items(items, now.get(key) ?? [], type);
    for (const [key, items] of now) if (!old.has(key)) this.#items([], items, type);
    return false;
  }

  /** Items of one identity. Where there are several on a side, they count as one leaf of the list. */
  #items(left: JsonArray, right: JsonArray, type: ListType): void {
    if (left.length === 1 && right.length === 1 && left[0] === right[0]) return;
    this.#path.push(itemElement(type, (left[0] ?? right[0]) as JsonValue));
    if (left.length > 1 && right.length > 1) {
      if (!equalValues(left, right)) this.modified.insert(this.#path);
    } else if (left.length > 1) {
      if (right.length > 0) this.compare(undefined, right[0], type.items.type);
      this.removed.insert(this.#path);
    } else if (right.length > 1) {
      if (left.length > 0) this.compare(left[0], undefined, type.items.type);
      this.added.insert(this.#path);
    } else this.compare(left[0], right[0], type.items.type);
    this.#path.pop();
  }
}

function itemsByKey(list: JsonArray, type: ListType): ReadonlyMap<string, JsonArray> {
  const items = new Map<string, JsonValue[]>();
  for (const item of list) {
    const key = itemKey(type, item);
    const known = items.get(key);
    if (known === undefined) items.set(key, [item]);
    else known.push(item);
  }
  return items;
}

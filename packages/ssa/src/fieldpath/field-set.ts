import { compareElements, type PathElement } from "./element.js";
import { pathOf, type FieldPath } from "./path.js";

/**
 * A set of field paths as an immutable trie, with the shape of FieldsV1: each node lists its child elements in their
 * order, and says of itself whether the path that leads to it is a member (the `.` of FieldsV1).
 *
 * Canonical: no child without members below it, so sets are equal exactly when their nodes are. Operations share the
 * subtrees they do not change, and return an operand itself when the result equals it. Nobody owns "the whole object":
 * `self` of a root means nothing.
 */
export interface FieldSet {
  readonly self: boolean;
  /** In the order of `compareElements`. */
  readonly elements: readonly PathElement[];
  /** Parallel to `elements`. */
  readonly children: readonly FieldSet[];
}

const NONE: readonly never[] = [];

/** The set without members. */
export const EMPTY_SET: FieldSet = { self: false, elements: NONE, children: NONE };

/** A member without members below it. */
export const LEAF: FieldSet = { self: true, elements: NONE, children: NONE };

/** A node of these parts. The arrays are kept, not copied. */
export function fieldSetNode(self: boolean, elements: readonly PathElement[], children: readonly FieldSet[]): FieldSet {
  if (elements.length === 0) return self ? LEAF : EMPTY_SET;
  return { self, elements, children };
}

/** The same node with or without itself as a member. */
export function withSelf(node: FieldSet, self: boolean): FieldSet {
  return node.self === self ? node : fieldSetNode(self, node.elements, node.children);
}

/** Whether a root has no members. */
export function isEmptySet(set: FieldSet): boolean {
  return set.elements.length === 0;
}

/** The subset below one element, without its first step; undefined when nothing is there. */
export function childOf(node: FieldSet, element: PathElement): FieldSet | undefined {
  const at = indexOfElement(node, element);
  return at < 0 ? undefined : node.children[at];
}

function indexOfElement(node: FieldSet, element: PathElement): number {
  const { elements } = node;
  if (elements.length <= 8) return elements.indexOf(element);
  let low = 0;
  let high = elements.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const order = compareElements(elements[middle] as PathElement, element);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** Whether a path is a member. */
export function hasPath(set: FieldSet, path: readonly PathElement[]): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) {
    node = childOf(node, element);
    if (node === undefined) return false;
  }
  return path.length > 0 && node.self;
}

/** The number of members. */
export function sizeOf(set: FieldSet): number {
  let size = 0;
  for (const child of set.children) size += (child.self ? 1 : 0) + sizeOf(child);
  return size;
}

/** Whether two sets have the same members. */
export function equalSets(a: FieldSet, b: FieldSet): boolean {
  return a === b || equalBelow(a, b);
}

function equalBelow(a: FieldSet, b: FieldSet): boolean {
  if (a.elements.length !== b.elements.length) return false;
  for (let i = 0; i < a.elements.length; i++) {
    const [left, right] = [a.children[i] as FieldSet, b.children[i] as FieldSet];
    if (a.elements[i] !== b.elements[i] || left.self !== right.self) return false;
    if (left !== right && !equalBelow(left, right)) return false;
  }
  return true;
}

/** Whether every member of `a` is one of `b`. */
export function isSubset(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  let at = 0;
  for (let i = 0; i < a.elements.length; i++) {
    const element = a.elements[i] as PathElement;
    while (at < b.elements.length && b.elements[at] !== element) at++;
    if (at === b.elements.length) return false;
    const [left, right] = [a.children[i] as FieldSet, b.children[at] as FieldSet];
    if ((left.self && !right.self) || !isSubset(left, right)) return false;
    at++;
  }
  return true;
}

/**
 * Calls `visit` for each member: the members of a node in order, then those below its children. This is the order of
 * the paths of a conflict.
 */
export function forEachPath(
  set: FieldSet,
  visit: (path: FieldPath) => void,
  prefix: readonly PathElement[] = NONE,
): void {
  for (let i = 0; i < set.elements.length; i++) {
    if ((set.children[i] as FieldSet).self) visit(pathOf([...prefix, set.elements[i] as PathElement]));
  }
  for (let i = 0; i < set.elements.length; i++) {
    const child = set.children[i] as FieldSet;
    if (child.elements.length > 0) forEachPath(child, visit, [...prefix, set.elements[i] as PathElement]);
  }
}

/** The members in the order of `forEachPath`. */
export function pathsOf(set: FieldSet): readonly FieldPath[] {
  const paths: FieldPath[] = [];
  forEachPath(set, (path) => paths.push(path));
  return paths;
}

/** The set of these paths. Parents are not members unless they are listed. */
export function fieldSetOf(paths: Iterable<readonly PathElement[]>): FieldSet {
  const builder = new FieldSetBuilder();
  for (const path of paths) builder.insert(path);
  return builder.build();
}

interface Draft {
  self: boolean;
  readonly children: Map<PathElement, Draft>;
}

/** Collects paths in any order; `build` may be called once. */
export class FieldSetBuilder {
  readonly #root: Draft = { self: false, children: new Map() };

  /** Adds one path; the empty path is ignored. */
  insert(path: readonly PathElement[]): void {
    if (path.length === 0) return;
    let node = this.#root;
    for (const element of path) {
      let child = node.children.get(element);
      if (child === undefined) node.children.set(element, (child = { self: false, children: new Map() }));
      node = child;
    }
    node.self = true;
  }

  build(): FieldSet {
    return buildNode(this.#root);
  }
}

function buildNode(draft: Draft): FieldSet {
  if (draft.children.size === 0) return draft.self ? LEAF : EMPTY_SET;
  const elements = sortedElements([...draft.children.keys()]);
  return {
    self: draft.self,
    elements,
    children: elements.map((element) => buildNode(draft.children.get(element) as Draft)),
  };
}

/** The elements in order: the array itself when it is in order already. */
export function sortedElements(elements: readonly PathElement[]): readonly PathElement[] {
  for (let i = 1; i < elements.length; i++) {
    if (compareElements(elements[i - 1] as PathElement, elements[i] as PathElement) > 0)
      return [...elements].sort(compareElements);
  }
  return elements;
}

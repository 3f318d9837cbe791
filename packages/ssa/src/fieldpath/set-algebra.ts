import { compareElements, type PathElement } from "./element.js";
import { childOf, EMPTY_SET, fieldSetNode, LEAF, withSelf, type FieldSet } from "./field-set.js";

/** The paths that are members of either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || b.elements.length === 0) return withSelf(a, a.self || b.self);
  if (a.elements.length === 0) return withSelf(b, a.self || b.self);
  const elements: PathElement[] = [];
  const children: FieldSet[] = [];
  let same = true;
  let j = 0;
  for (let i = 0; i < a.elements.length; i++) {
    const element = a.elements[i] as PathElement;
    while (
      j < b.elements.length &&
      b.elements[j] !== element &&
      compareElements(b.elements[j] as PathElement, element) < 0
    ) {
      same = false;
      elements.push(b.elements[j] as PathElement);
      children.push(b.children[j++] as FieldSet);
    }
    const child = a.children[i] as FieldSet;
    const joined = b.elements[j] === element ? union(child, b.children[j++] as FieldSet) : child;
    if (joined !== child) same = false;
    elements.push(element);
    children.push(joined);
  }
  for (; j < b.elements.length; j++) {
    same = false;
    elements.push(b.elements[j] as PathElement);
    children.push(b.children[j] as FieldSet);
  }
  const self = a.self || b.self;
  return same ? withSelf(a, self) : { self, elements, children };
}

/** The paths that are members of both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  const self = a.self && b.self;
  if (a.elements.length === 0 || b.elements.length === 0) return self ? LEAF : EMPTY_SET;
  return filtered(a, b, self, (left, right) => (right === undefined ? EMPTY_SET : intersection(left, right)));
}

/**
 * The members of `a` that are no members of `b`. Members of `b` say nothing about paths above or below them: a parent
 * without its child is still the parent.
 */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return EMPTY_SET;
  const self = a.self && !b.self;
  if (a.elements.length === 0 || b.elements.length === 0) return withSelf(a, self);
  return filtered(a, b, self, (left, right) => (right === undefined ? left : difference(left, right)));
}

/** The members of `a` that are neither members of `b` nor anywhere below one. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  if (a.elements.length === 0 || b.elements.length === 0) return a;
  return filtered(a, b, a.self, (left, right) => {
    if (right === undefined) return left;
    return right.self ? EMPTY_SET : recursiveDifference(left, right);
  });
}

/** Walks the children of `a` beside their namesakes in `b`, and keeps what the rule leaves of each. */
function filtered(
  a: FieldSet,
  b: FieldSet,
  self: boolean,
  rule: (left: FieldSet, right: FieldSet | undefined) => FieldSet,
): FieldSet {
  let elements: PathElement[] | undefined;
  let children: FieldSet[] | undefined;
  let j = 0;
  for (let i = 0; i < a.elements.length; i++) {
    const element = a.elements[i] as PathElement;
    while (
      j < b.elements.length &&
      b.elements[j] !== element &&
      compareElements(b.elements[j] as PathElement, element) < 0
    )
      j++;
    const child = a.children[i] as FieldSet;
    const kept = rule(child, b.elements[j] === element ? b.children[j] : undefined);
    if (kept !== child && elements === undefined) {
      elements = a.elements.slice(0, i);
      children = a.children.slice(0, i);
    }
    if (elements === undefined || (!kept.self && kept.elements.length === 0)) continue;
    elements.push(element);
    (children as FieldSet[]).push(kept);
  }
  return elements === undefined ? withSelf(a, self) : fieldSetNode(self, elements, children as FieldSet[]);
}

/** The members that have no members below them. */
export function leaves(set: FieldSet): FieldSet {
  let changed = false;
  const children = set.children.map((child) => {
    const leaf = child.elements.length === 0 ? child : withSelf(leaves(child), false);
    if (leaf !== child) changed = true;
    return leaf;
  });
  return changed ? fieldSetNode(set.self, set.elements, children) : set;
}

/** The members below a prefix, without it. */
export function withPrefix(set: FieldSet, prefix: readonly PathElement[]): FieldSet {
  let node: FieldSet | undefined = set;
  for (const element of prefix) {
    node = childOf(node, element);
    if (node === undefined) return EMPTY_SET;
  }
  return withSelf(node, false);
}

/** A pattern of paths: everything below, or what the steps name; a step without element matches any. */
export type SetMatcher = "any" | readonly MatcherStep[];

export interface MatcherStep {
  /** `*` matches every element. */
  readonly element: PathElement | "*";
  readonly below: SetMatcher;
}

/** The members that match: a matched path and everything a step leads to. The first step that fits an element counts. */
export function matching(set: FieldSet, matcher: SetMatcher): FieldSet {
  if (matcher === "any") return set;
  const elements: PathElement[] = [];
  const children: FieldSet[] = [];
  for (let i = 0; i < set.elements.length; i++) {
    const element = set.elements[i] as PathElement;
    const step = matcher.find((candidate) => candidate.element === "*" || candidate.element === element);
    if (step === undefined) continue;
    const child = set.children[i] as FieldSet;
    const kept = withSelf(matching(child, step.below), child.self);
    if (!kept.self && kept.elements.length === 0) continue;
    elements.push(element);
    children.push(kept);
  }
  return fieldSetNode(set.self, elements, children);
}

/** A matcher of every path that starts with this one. */
export function prefixMatcher(prefix: readonly (PathElement | "*")[]): SetMatcher {
  return prefix.reduceRight<SetMatcher>((below, element) => [{ element, below }], "any");
}

import { fieldName, isKeyElement, type PathElement } from "../fieldpath/element.js";
import { LEAF, withSelf, type FieldSet } from "../fieldpath/field-set.js";
import type { Type } from "./type.js";

/**
 * The set with every struct field that has members below it as a member too. Only fields that the schema declares: keys
 * of maps and items of lists own themselves only where they were set.
 */
export function ensureNamedFieldsAreMembers(set: FieldSet, type: Type | undefined): FieldSet {
  let changed = false;
  const children = set.children.map((child, i) => {
    if (child.elements.length === 0) return child;
    const element = set.elements[i] as PathElement;
    const name = fieldName(element);
    const declared = name === undefined ? undefined : type?.map?.fields.get(name);
    const below = declared?.type ?? (name !== undefined ? type?.map?.others?.type : isKeyElement(element) ? type?.list?.items.type : undefined);
    const ensured = withSelf(ensureNamedFieldsAreMembers(child, below), child.self || declared !== undefined);
    if (ensured !== child) changed = true;
    return ensured;
  });
  return changed ? { self: set.self, elements: set.elements, children } : set;
}

/**
 * The set after its schema changed: members below a list or map that is a leaf by now become that leaf. What used to be
 * a leaf and is divided by now stays as it is (structured-merge-diff: typed/reconcile_schema.go).
 */
export function reconcileWithSchema(set: FieldSet, type: Type): FieldSet {
  return reconciledBelow(set, type);
}

function reconciledBelow(node: FieldSet, type: Type): FieldSet {
  const { map, list } = type;
  if (map !== undefined ? map.deduced : list === undefined) return node;
  let changed = false;
  const children = node.children.map((child, i) => {
    if (child.elements.length === 0) return child;
    const name = fieldName(node.elements[i] as PathElement);
    const below = map === undefined ? list?.items.type : name === undefined ? map.others?.type : map.typeOf(name);
    const reconciled = below === undefined ? child : isLeafType(below) ? LEAF : reconciledBelow(child, below);
    if (reconciled !== child) changed = true;
    return reconciled;
  });
  return changed ? { self: node.self, elements: node.elements, children } : node;
}

function isLeafType(type: Type): boolean {
  if (type.map !== undefined) return !type.map.deduced && type.map.atomic;
  return type.scalar === undefined && type.list?.atomic === true;
}

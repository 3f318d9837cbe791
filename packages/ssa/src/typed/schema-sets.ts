import { isFieldElement, isKeyElement, type PathElement } from "../fieldpath/element.js";
import { LEAF, withSelf, type FieldSet } from "../fieldpath/field-set.js";
import type { Type } from "./type.js";

/**
 * The set with every struct field that has members below it as a member too. Only fields that the schema declares: keys
 * of maps and items of lists own themselves only where they were set.
 */
export function ensureNamedFieldsAreMembers(set: FieldSet, type: Type | undefined): FieldSet {
  return withChildren(set, (child, element) => {
    const declared = type?.map?.byElement.get(element);
    const below =
      declared?.type ??
      (isFieldElement(element) ? type?.map?.others?.type : isKeyElement(element) ? type?.list?.items.type : undefined);
    return withSelf(ensureNamedFieldsAreMembers(child, below), child.self || declared !== undefined);
  });
}

/** The node with each child that has members below it replaced; none of them may vanish. */
function withChildren(node: FieldSet, replace: (child: FieldSet, element: PathElement) => FieldSet): FieldSet {
  let children: FieldSet[] | undefined;
  for (let i = 0; i < node.children.length; i++) {
    const child = node.children[i] as FieldSet;
    if (child.elements.length === 0) continue;
    const replaced = replace(child, node.elements[i] as PathElement);
    if (replaced !== child) (children ??= [...node.children])[i] = replaced;
  }
  return children === undefined ? node : { self: node.self, elements: node.elements, children };
}

/**
 * The set after its schema changed: members below a list or map that is a leaf by now become that leaf. What used to be
 * a leaf and is divided by now stays as it is (structured-merge-diff: typed/reconcile_schema.go).
 */
export function reconcileWithSchema(set: FieldSet, type: Type): FieldSet {
  const { map, list } = type;
  if (map !== undefined ? map.deduced : list === undefined) return set;
  return withChildren(set, (child, element) => {
    const below = map === undefined ? list?.items.type : (map.byElement.get(element) ?? map.others)?.type;
    if (below === undefined) return child;
    return isLeafType(below) ? LEAF : reconcileWithSchema(child, below);
  });
}

function isLeafType(type: Type): boolean {
  if (type.map !== undefined) return !type.map.deduced && type.map.atomic;
  return type.scalar === undefined && type.list?.atomic === true;
}

import type { Brand } from "@fairlead/apimachinery";

import { fieldElement, formatElement, type PathElement } from "./element.js";

/** Elements from the root of an object down to one field or item. */
export type FieldPath = Brand<readonly PathElement[], "FieldPath">;

/** The path of nested struct fields: `fieldPath("spec", "replicas")`. */
export function fieldPath(...names: readonly string[]): FieldPath {
  return pathOf(names.map(fieldElement));
}

/** The path of these elements. */
export function pathOf(elements: readonly PathElement[]): FieldPath {
  return elements as FieldPath;
}

/** `.spec.ports[port=80,protocol="TCP"].name`. */
export function formatPath(path: readonly PathElement[]): string {
  let out = "";
  for (const element of path) out += formatElement(element);
  return out;
}

import { FairleadError, type JsonArray, type JsonObject, type JsonValue } from "@fairlead/base";
import { formatGoValue, goTypeName } from "@fairlead/apimachinery";

import { fieldElement, formatElement, indexElement, type PathElement } from "../fieldpath/element.js";
import { goSyntax } from "../value/go-format.js";
import { asList, asMap, branchOf } from "./branch.js";
import { hasRepeats, itemElement, itemKeys, ListItemError } from "./list-items.js";
import type { ListType, MapType, ScalarType, Type } from "./type.js";

/** A value that does not have its type; the message lists every violation with its path. */
export class TypedError extends FairleadError {
  constructor(errors: readonly string[]) {
    super(
      "Typed",
      errors.length === 1 ? (errors[0] as string) : ["errors:", ...errors.map((error) => `  ${error}`)].join("\n"),
    );
  }
}

/** What was seen of a value on the way. */
export interface Validated {
  /** Whether a member of a map is null. */
  readonly hasNull: boolean;
}

/**
 * Checks that a value has its type: the forms of values, unknown fields of structs, and (unless allowed) sets and keyed
 * lists that hold an item twice. Null passes everywhere.
 *
 * @throws TypedError with structured-merge-diff's messages (typed/validate.go).
 */
export function validateTyped(value: JsonValue, type: Type, options: { readonly allowDuplicates: boolean }): Validated {
  const walk = { allowDuplicates: options.allowDuplicates, hasNull: false };
  if (conforms(value, type, walk)) return walk;
  const walker = new Validator(options.allowDuplicates);
  walker.check(value, type);
  throw new TypedError(walker.errors);
}

interface Walk {
  readonly allowDuplicates: boolean;
  hasNull: boolean;
}

/** The same as Validator, but for a yes or no: it keeps no path. */
function conforms(value: JsonValue, type: Type, walk: Walk): boolean {
  switch (branchOf(type, value)) {
    case "scalar":
      return scalarError(value, type.scalar as ScalarType) === undefined;
    case "map": {
      const map = asMap(value);
      return map === undefined ? value === null : fieldsConform(map, type.map as MapType, walk);
    }
    case "list": {
      const list = asList(value);
      return list === undefined ? value === null : itemsConform(list, type.list as ListType, walk);
    }
  }
}

function fieldsConform(map: JsonObject, type: MapType, walk: Walk): boolean {
  for (const key in map) {
    const item = map[key];
    const field = type.fields.get(key) ?? type.others;
    if (field === undefined) return false;
    if (item === null) walk.hasNull = true;
    else if (item !== undefined && !conforms(item, field.type, walk)) return false;
  }
  return true;
}

function itemsConform(list: JsonArray, type: ListType, walk: Walk): boolean {
  if (!type.atomic && !areIdentified(list, type, walk)) return false;
  const items = type.items.type;
  for (let i = 0; i < list.length; i++) if (!conforms(list[i] as JsonValue, items, walk)) return false;
  return true;
}

function areIdentified(list: JsonArray, type: ListType, walk: Walk): boolean {
  try {
    const keys = itemKeys(type, list);
    return walk.allowDuplicates || !hasRepeats(keys);
  } catch (error) {
    if (error instanceof ListItemError) return false;
    throw error;
  }
}

/** Collects what is wrong. */
class Validator {
  readonly errors: string[] = [];
  readonly #path: PathElement[] = [];
  readonly #allowDuplicates: boolean;

  constructor(allowDuplicates: boolean) {
    this.#allowDuplicates = allowDuplicates;
  }

  check(value: JsonValue, type: Type): void {
    switch (branchOf(type, value)) {
      case "map":
        if (value !== null) this.#map(value, type.map as MapType);
        return;
      case "scalar": {
        const error = scalarError(value, type.scalar as ScalarType);
        if (error !== undefined) this.#report(error);
        return;
      }
      case "list":
        if (value !== null) this.#list(value, type.list as ListType);
    }
  }

  #map(value: JsonValue, type: MapType): void {
    const map = asMap(value);
    if (map === undefined) this.#report(`expected map, got &{${formatGoValue(value)}}`);
    else this.#fields(map, type);
  }

  #fields(map: JsonObject, type: MapType): void {
    for (const key of Object.keys(map)) {
      const field = type.fields.get(key) ?? type.others;
      if (field === undefined) {
        this.#path.push(fieldElement(key));
        this.#report("field not declared in schema");
        this.#path.pop();
        return;
      }
      const item = map[key];
      if (item === undefined || item === null) continue;
      this.#path.push(field === type.others ? fieldElement(key) : field.element);
      this.check(item, field.type);
      this.#path.pop();
    }
  }

  #list(value: JsonValue, type: ListType): void {
    const list = asList(value);
    if (list === undefined) this.#report(`expected list, got &{${formatGoValue(value)}}`);
    else if (type.atomic) this.#atomicItems(list, type);
    else this.#items(list, type);
  }

  #atomicItems(list: JsonArray, type: ListType): void {
    for (let i = 0; i < list.length; i++) {
      this.#path.push(indexElement(i));
      this.check(list[i] as JsonValue, type.items.type);
      this.#path.pop();
    }
  }

  #items(list: JsonArray, type: ListType): void {
    const seen = this.#allowDuplicates ? undefined : new Set<PathElement>();
    for (let i = 0; i < list.length; i++) {
      let element: PathElement;
      try {
        element = itemElement(type, list[i] as JsonValue);
      } catch (error) {
        if (!(error instanceof ListItemError)) throw error;
        this.#report(`element ${i}: ${error.message}`);
        return;
      }
      if (seen?.has(element) === true) this.#report(`duplicate entries for key ${formatElement(element)}`);
      seen?.add(element);
      this.#path.push(element);
      this.check(list[i] as JsonValue, type.items.type);
      this.#path.pop();
    }
  }

  #report(message: string): void {
    const path = this.#path.map(formatElement).join("");
    this.errors.push(path === "" ? message : `${path}: ${message}`);
  }
}

function scalarError(value: JsonValue, type: ScalarType): string | undefined {
  if (value === null) return undefined;
  switch (type) {
    case "numeric":
      return typeof value === "number" || typeof value === "bigint"
        ? undefined
        : `expected numeric (int or float), got ${goTypeName(value)}`;
    case "string":
      return typeof value === "string"
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goSyntax(value, true)}}`;
    case "boolean":
      return typeof value === "boolean" ? undefined : `expected boolean, got &{${formatGoValue(value)}}`;
    case "untyped":
      return typeof value !== "object" ? undefined : `expected any scalar, got &{${formatGoValue(value)}}`;
  }
}

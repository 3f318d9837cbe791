import type { JsonValue } from "@fairlead/base";
import type { Schema } from "@fairlead/apimachinery";

import { fieldElement, type PathElement } from "../fieldpath/element.js";
import type { FieldSet } from "../fieldpath/field-set.js";
import { IMPLICIT_FIELDS } from "./object-meta-schema.js";

/**
 * A schema as merging sees it: which of scalar, list and map a value may be, and how the ownership of lists and maps is
 * divided (kube-openapi: pkg/schemaconv/openapi.go). A value's own form selects the branch; null selects the first that
 * there is of map, scalar, list.
 *
 * Types are compiled from schemas on first use, one node at a time, and live as long as their schema.
 */
export interface Type {
  readonly scalar: ScalarType | undefined;
  readonly list: ListType | undefined;
  readonly map: MapType | undefined;
}

export type ScalarType = "string" | "numeric" | "boolean" | "untyped";

/** A field that a map declares, or the common type of its other keys. */
export class FieldType {
  readonly element: PathElement;
  /** The schema's default, which counts only where the field is a list key. */
  readonly default: JsonValue | undefined;
  readonly #compile: () => Type;
  #type: Type | undefined;

  constructor(element: PathElement, defaultValue: JsonValue | undefined, compile: () => Type) {
    this.element = element;
    this.default = defaultValue;
    this.#compile = compile;
  }

  get type(): Type {
    return (this.#type ??= this.#compile());
  }
}

export class MapType {
  readonly fields: ReadonlyMap<string, FieldType>;
  /** The declared fields by their path elements. */
  readonly byElement: ReadonlyMap<PathElement, FieldType>;
  /** The type of the keys that are not declared; undefined where such keys are errors. */
  readonly others: FieldType | undefined;
  readonly atomic: boolean;
  /** Every key has a type that is guessed from its value: such maps are not reconciled with schema changes. */
  readonly deduced: boolean;

  constructor(
    fields: ReadonlyMap<string, FieldType>,
    others: FieldType | undefined,
    options: { readonly atomic: boolean; readonly deduced: boolean },
  ) {
    this.fields = fields;
    this.byElement = new Map([...fields.values()].map((field) => [field.element, field]));
    this.others = others;
    this.atomic = options.atomic;
    this.deduced = options.deduced && fields.size === 0;
  }

  /** The type of a key; undefined where the key is not allowed. */
  typeOf(key: string): Type | undefined {
    return (this.fields.get(key) ?? this.others)?.type;
  }
}

export class ListType {
  readonly items: FieldType;
  readonly atomic: boolean;
  /** Names of the key fields of a keyed list, in declared order; empty for sets. */
  readonly keys: readonly string[];
  /** How the elements of a list with one key begin: `k:{"name":`. */
  readonly singleKeyPrefix: string | undefined;

  constructor(items: FieldType, relation: { readonly atomic: boolean; readonly keys: readonly string[] }) {
    this.items = items;
    this.atomic = relation.atomic;
    this.keys = relation.keys;
    const [key] = relation.keys;
    this.singleKeyPrefix = key === undefined || relation.keys.length > 1 ? undefined : `k:{${JSON.stringify(key)}:`;
  }

  /** What a key field is when an item leaves it out. */
  keyDefault(name: string): JsonValue | undefined {
    return this.items.type.map?.fields.get(name)?.default;
  }
}

const UNNAMED = "f:" as PathElement;
const NO_FIELDS: ReadonlyMap<string, FieldType> = new Map();

/** A value without schema that is one leaf, whatever it holds. */
const UNTYPED_ATOMIC: Type = untyped({ atomic: true }, () => UNTYPED_ATOMIC);

/** A value without schema: maps are divided by key, lists are leaves. */
const DEDUCED: Type = untyped({ atomic: false }, () => DEDUCED);

function untyped({ atomic }: { readonly atomic: boolean }, element: () => Type): Type {
  return {
    scalar: "untyped",
    list: new ListType(new FieldType(UNNAMED, undefined, () => UNTYPED_ATOMIC), { atomic: true, keys: [] }),
    map: new MapType(NO_FIELDS, new FieldType(UNNAMED, undefined, element), { atomic, deduced: !atomic }),
  };
}

/**
 * Compiled types, by schema, and what was found out about objects that do not change any more. Hold one per process or
 * per server: it is what makes requests cheap. Everything in it goes with its key.
 */
export class TypeCache {
  /** Field sets by the `fieldsV1` object that they were decoded from or encoded to. */
  readonly sets: WeakMap<object, FieldSet> = new WeakMap();
  /** The type that a stored object has been found to have. */
  readonly checked: WeakMap<object, Type> = new WeakMap();
  /** The type whose schema a set has been found to agree with. */
  readonly reconciled: WeakMap<FieldSet, Type> = new WeakMap();
  readonly #plain = new WeakMap<Schema, Type>();
  readonly #preserving = new WeakMap<Schema, Type>();
  readonly #customRoots = new WeakMap<Schema, Type>();

  /** The type of whole objects: built-in kinds bring all their fields, custom kinds get the implicit ones. */
  objectType(schema: Schema, options: { readonly builtin: boolean }): Type {
    if (options.builtin) return this.#type(schema, false);
    let type = this.#customRoots.get(schema);
    if (type === undefined)
      this.#customRoots.set(schema, (type = this.#compile(schema, { preserve: false, implicitFields: true })));
    return type;
  }

  #type(schema: Schema, preserve: boolean): Type {
    if (schema.untypedAtomic === true) return UNTYPED_ATOMIC;
    const cache = preserve ? this.#preserving : this.#plain;
    let type = cache.get(schema);
    if (type === undefined)
      cache.set(schema, (type = this.#compile(schema, { preserve, implicitFields: schema.embeddedResource === true })));
    return type;
  }

  #compile(schema: Schema, options: { readonly preserve: boolean; readonly implicitFields: boolean }): Type {
    const { implicitFields } = options;
    const preserve = options.preserve || schema.preserveUnknownFields === true;
    switch (schema.type) {
      case undefined:
        if (schema.format === "quantity") return { scalar: "untyped", list: undefined, map: undefined };
        return {
          scalar: "untyped",
          list: this.#list(schema, preserve),
          map: this.#map(schema, { preserve, implicitFields }),
        };
      case "object":
        return { scalar: undefined, list: undefined, map: this.#map(schema, { preserve, implicitFields }) };
      case "array":
        return { scalar: undefined, list: this.#list(schema, preserve), map: undefined };
      default:
        return { scalar: scalarType(schema), list: undefined, map: undefined };
    }
  }

  #map(schema: Schema, options: { readonly preserve: boolean; readonly implicitFields: boolean }): MapType {
    const { preserve } = options;
    const fields = new Map<string, FieldType>();
    const declare = (name: string, field: Schema, inherits: boolean): void => {
      fields.set(name, new FieldType(interned(fieldElement(name)), field.default, () => this.#type(field, inherits)));
    };
    for (const [name, field] of schema.properties ?? []) declare(name, field, preserve);
    if (options.implicitFields) for (const [name, field] of IMPLICIT_FIELDS) declare(name, field, false);
    const { additionalProperties } = schema;
    const atomic = schema.mapType === "atomic";
    const others = (deduced: boolean, compile: () => Type): MapType =>
      new MapType(fields, new FieldType(UNNAMED, undefined, compile), { atomic, deduced });
    if (additionalProperties === undefined) {
      return preserve || fields.size === 0
        ? others(true, () => DEDUCED)
        : new MapType(fields, undefined, { atomic, deduced: false });
    }
    if (additionalProperties === true) return others(true, () => DEDUCED);
    return others(additionalProperties.type === undefined, () => this.#type(additionalProperties, preserve));
  }

  #list(schema: Schema, preserve: boolean): ListType {
    const { items } = schema;
    return new ListType(
      new FieldType(UNNAMED, undefined, () => (items === undefined ? UNTYPED_ATOMIC : this.#type(items, preserve))),
      relationOf(schema),
    );
  }
}

/** Strings with a format accept any scalar, except bytes. */
function scalarType(schema: Schema): ScalarType {
  switch (schema.type) {
    case "integer":
    case "number":
      return "numeric";
    case "boolean":
      return "boolean";
    default:
      return schema.type === "string" &&
        (schema.format === undefined || schema.format === "" || schema.format === "byte")
        ? "string"
        : "untyped";
  }
}

function relationOf(schema: Schema): { readonly atomic: boolean; readonly keys: readonly string[] } {
  if (schema.listType === "map") return { atomic: false, keys: schema.listMapKeys ?? [] };
  if (schema.listType === "set") return { atomic: false, keys: [] };
  if (schema.listType === undefined && schema.patchStrategy?.includes("merge") === true) {
    return { atomic: false, keys: schema.patchMergeKey === undefined ? [] : [schema.patchMergeKey] };
  }
  return { atomic: true, keys: [] };
}

/** The engine's own copy of a string that serves as a property name elsewhere, so that comparing them is one step. */
function interned(element: PathElement): PathElement {
  return Object.keys({ [element]: 0 })[0] as PathElement;
}

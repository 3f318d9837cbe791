import { builtinSchema, builtinTypeName, goForm, invalid, type FieldError, type Schema } from "@fairlead/apimachinery";
import {
  cloneJson,
  getOwn,
  isArray,
  isObject,
  isSliced,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  type Sliced,
} from "@fairlead/base";
import type { FieldErrors, ResourceInfo, ResourceStrategy, TableColumn } from "../resource.js";
import { at, strs } from "./access.js";
import { CORE_DEFAULTS } from "./core-defaults.js";
import { GROUP_DEFAULTS } from "./group-defaults.js";
import { defaultCells, KIND_CELLS } from "./kind-cells.js";
import { builtinKind } from "./kinds.js";
import { NO_ERRORS } from "./rules.js";
import { tableColumns } from "./table-columns.js";
import { typeDefaults, type TypeDefaults } from "./type-defaults.js";

/** What a kind does beyond what all built-in kinds do. */
export interface KindRules extends Partial<
  Omit<ResourceStrategy, "info" | "schema" | "applyDefaults" | "columns" | "cells">
> {
  /** What comes after the defaults of the types. */
  readonly defaults?: (object: MutableJsonObject) => void;
  /**
   * Paths of lists that stay empty while it is decided who owns them, though what is stored is null: such a list is
   * owned by whoever writes it.
   */
  readonly keepsEmpty?: readonly (readonly string[])[];
  /** Paths of lists that stay empty, so that they can be refused as what they are. */
  readonly refusesEmpty?: readonly (readonly string[])[];
  /** Whether finalizers may have names without a domain, as with the kinds that do not use the core group's rules. */
  readonly anyFinalizer?: boolean;
}

const DEFAULTS: TypeDefaults = typeDefaults(new Map([...CORE_DEFAULTS, ...GROUP_DEFAULTS]));

/**
 * The strategy of a built-in kind. Its schema is resolved when it is first asked for.
 *
 * @param name - `group/version/Kind`, as in kinds.ts.
 */
export function builtinStrategy(
  name: string,
  { defaults, keepsEmpty = [], refusesEmpty = [], anyFinalizer = false, ...rules }: KindRules = {},
): ResourceStrategy {
  const info = builtinKind(name);
  const {
    validateCreate = () => NO_ERRORS,
    validateUpdate = validateCreate,
    validateStatusUpdate = () => NO_ERRORS,
  } = rules;
  const kept = [...keepsEmpty, ...refusesEmpty];
  const withFinalizers = anyFinalizer ? () => NO_ERRORS : finalizerErrors;
  let columns: readonly TableColumn[] | undefined;
  return {
    info,
    get schema(): Schema {
      return kindSchema(info);
    },
    applyDefaults(object) {
      const schema = kindSchema(info);
      // What the object holds may be shared with a stored one, and all of it is changed in place.
      for (const key of Object.keys(object)) object[key] = cloneJson(object[key] as JsonValue);
      const empty = kept.filter((path) => isEmpty(object, path)).map((path) => [path, valueAt(object, path)] as const);
      goForm(object, schema);
      DEFAULTS.apply(object, schema);
      defaults?.(object);
      for (const [path, value] of empty) replaceList(object, path, value ?? null);
    },
    get columns(): readonly TableColumn[] {
      return (columns ??= tableColumns(info.kind));
    },
    cells: KIND_CELLS.get(info.kind) ?? defaultCells,
    selectableFields: NO_FIELDS,
    ...rules,
    ...(keepsEmpty.length === 0 ? {} : storingNull(keepsEmpty, rules)),
    validateCreate: (object) => joined(withFinalizers(object), validateCreate(object)),
    validateUpdate: (object, live) => joined(withFinalizers(object), validateUpdate(object, live)),
    validateStatusUpdate: (object, live) => joined(withFinalizers(object), validateStatusUpdate(object, live)),
  };
}

/** Preparations after which empty lists are null. */
function storingNull(
  paths: readonly (readonly string[])[],
  { prepareForCreate, prepareForUpdate }: KindRules,
): Pick<ResourceStrategy, "prepareForCreate" | "prepareForUpdate"> {
  const store = (object: MutableJsonObject): void => {
    for (const path of paths) if (isEmpty(object, path)) replaceList(object, path, null);
  };
  return {
    prepareForCreate: (object, context) => {
      prepareForCreate?.(object, context);
      store(object);
    },
    prepareForUpdate: (object, live, context) => {
      prepareForUpdate?.(object, live, context);
      store(object);
    },
  };
}

function isEmpty(object: JsonObject, path: readonly string[]): boolean {
  const value = valueAt(object, path);
  return isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

function valueAt(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  return getOwn(at(object, ...path.slice(0, -1)), path.at(-1) ?? "");
}

/** Replaces what is at a path; the objects on the way to it are copied, for they may be shared. */
function replaceList(object: MutableJsonObject, [key = "", ...rest]: readonly string[], list: JsonValue): void {
  if (rest.length === 0) object[key] = list;
  else {
    const member: MutableJsonObject = { ...at(object, key) };
    replaceList(member, rest, list);
    object[key] = member;
  }
}

function joined(some: readonly FieldError[], others: FieldErrors): FieldErrors {
  if (some.length === 0) return others;
  return isSliced(others) ? joining(some, others) : [...some, ...others];
}

function* joining(some: readonly FieldError[], others: Sliced<readonly FieldError[]>): Sliced<readonly FieldError[]> {
  return [...some, ...(yield* others)];
}

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** Finalizers of most kinds have a domain, or are the server's own. */
function finalizerErrors(object: JsonObject): readonly FieldError[] {
  const names = strs(at(object, "metadata"), "finalizers");
  if (names.every((name) => name.includes("/") || STANDARD_FINALIZERS.has(name))) return NO_ERRORS;
  return names.flatMap((name, i) => {
    const known = name.split("/").length !== 1 || STANDARD_FINALIZERS.has(name);
    return known
      ? []
      : [
          invalid(
            `metadata.finalizers[${i}]`,
            name,
            "name is neither a standard finalizer name nor is it fully qualified",
          ),
        ];
  });
}

const NO_FIELDS: ReadonlyMap<string, (object: JsonObject) => string> = new Map();

function kindSchema(info: ResourceInfo): Schema {
  return builtinSchema(builtinTypeName(info) ?? info.kind);
}

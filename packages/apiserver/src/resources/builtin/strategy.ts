import { builtinSchema, builtinTypeName, goForm, invalid, type FieldError, type Schema } from "@fairlead/apimachinery";
import { cloneJson, isArray, type JsonObject, type JsonValue, type MutableJsonObject } from "@fairlead/base";
import type { ResourceInfo, ResourceStrategy, TableColumn } from "../resource.js";
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
  /** Members at the top that stay empty lists while it is decided who owns them. */
  readonly keepsEmpty?: readonly string[];
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
  { defaults, keepsEmpty = [], anyFinalizer = false, ...rules }: KindRules = {},
): ResourceStrategy {
  const info = builtinKind(name);
  const {
    validateCreate = () => NO_ERRORS,
    validateUpdate = validateCreate,
    validateStatusUpdate = () => NO_ERRORS,
  } = rules;
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
      const empty = keepsEmpty.filter((key) => isArray(object[key]) && object[key].length === 0);
      goForm(object, schema);
      DEFAULTS.apply(object, schema);
      defaults?.(object);
      for (const key of empty) object[key] = [];
    },
    get columns(): readonly TableColumn[] {
      return (columns ??= tableColumns(info.kind));
    },
    cells: KIND_CELLS.get(info.kind) ?? defaultCells,
    selectableFields: NO_FIELDS,
    ...rules,
    validateCreate: (object) => joined(withFinalizers(object), validateCreate(object)),
    validateUpdate: (object, live) => joined(withFinalizers(object), validateUpdate(object, live)),
    validateStatusUpdate: (object, live) => joined(withFinalizers(object), validateStatusUpdate(object, live)),
  };
}

function joined(some: readonly FieldError[], others: readonly FieldError[]): readonly FieldError[] {
  return some.length === 0 ? others : [...some, ...others];
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

import { builtinSchema, builtinTypeName, goForm, type FieldError, type Schema } from "@fairlead/apimachinery";
import { cloneJson, getPath, type JsonObject, type JsonValue } from "@fairlead/base";
import type { ResourceInfo, ResourceStrategy, StrategyContext, TableColumn } from "../resource.js";
import { CORE_DEFAULTS } from "./core-defaults.js";
import { GROUP_DEFAULTS } from "./group-defaults.js";
import { AGE_COLUMN, NAME_COLUMN, ageCell, nameCell } from "./cells.js";
import { builtinKind } from "./kinds.js";
import { typeDefaults, type TypeDefaults } from "./type-defaults.js";

/** What a kind does beyond what all built-in kinds do. */
export interface KindRules extends Partial<Omit<ResourceStrategy, "info" | "schema" | "applyDefaults" | "columns" | "cells">> {
  readonly table?: KindTable;
}

/** Columns and cells of a kind, all but none left out. */
export interface KindTable {
  readonly columns: readonly TableColumn[];
  cells(object: JsonObject, context: StrategyContext): readonly JsonValue[];
}

/** Name and Age: the table of kinds that have no other. */
const DEFAULT_TABLE: KindTable = {
  columns: [NAME_COLUMN, AGE_COLUMN],
  cells: (object, context) => [nameCell(object), ageCell(getPath(object, "metadata", "creationTimestamp"), context)],
};

const DEFAULTS: TypeDefaults = typeDefaults(new Map([...CORE_DEFAULTS, ...GROUP_DEFAULTS]));

const NO_ERRORS: readonly FieldError[] = [];

/**
 * The strategy of a built-in kind. Its schema is resolved when it is first asked for.
 *
 * @param name - `group/version/Kind`, as in kinds.ts.
 */
export function builtinStrategy(name: string, rules: KindRules = {}): ResourceStrategy {
  const info = builtinKind(name);
  const { table = DEFAULT_TABLE, ...rest } = rules;
  const strategy: ResourceStrategy = {
    info,
    get schema(): Schema {
      return kindSchema(info);
    },
    applyDefaults(object) {
      const schema = kindSchema(info);
      // What the object holds may be shared with a stored one, and all of it is changed in place.
      for (const key of Object.keys(object)) object[key] = cloneJson(object[key] as JsonValue);
      goForm(object, schema);
      DEFAULTS.apply(object, schema);
    },
    validateCreate: () => NO_ERRORS,
    validateUpdate: (object) => rest.validateCreate?.(object) ?? NO_ERRORS,
    columns: table.columns,
    cells: table.cells,
    selectableFields: NO_FIELDS,
    ...rest,
  };
  return strategy;
}

const NO_FIELDS: ReadonlyMap<string, (object: JsonObject) => string> = new Map();

function kindSchema(info: ResourceInfo): Schema {
  return builtinSchema(builtinTypeName(info) ?? info.kind);
}

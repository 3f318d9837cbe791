import { builtinSchema, builtinTypeName, goForm, type Schema } from "@fairlead/apimachinery";
import { cloneJson, type JsonObject, type JsonValue } from "@fairlead/base";
import type { ResourceInfo, ResourceStrategy, TableColumn } from "../resource.js";
import { CORE_DEFAULTS } from "./core-defaults.js";
import { GROUP_DEFAULTS } from "./group-defaults.js";
import { defaultCells, KIND_CELLS } from "./kind-cells.js";
import { builtinKind } from "./kinds.js";
import { NO_ERRORS } from "./rules.js";
import { tableColumns } from "./table-columns.js";
import { typeDefaults, type TypeDefaults } from "./type-defaults.js";

/** What a kind does beyond what all built-in kinds do. */
export type KindRules = Partial<Omit<ResourceStrategy, "info" | "schema" | "applyDefaults" | "columns" | "cells">>;

const DEFAULTS: TypeDefaults = typeDefaults(new Map([...CORE_DEFAULTS, ...GROUP_DEFAULTS]));

/**
 * The strategy of a built-in kind. Its schema is resolved when it is first asked for.
 *
 * @param name - `group/version/Kind`, as in kinds.ts.
 */
export function builtinStrategy(name: string, rules: KindRules = {}): ResourceStrategy {
  const info = builtinKind(name);
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
      goForm(object, schema);
      DEFAULTS.apply(object, schema);
    },
    validateCreate: () => NO_ERRORS,
    validateUpdate: (object) => rules.validateCreate?.(object) ?? NO_ERRORS,
    get columns(): readonly TableColumn[] {
      return (columns ??= tableColumns(info.kind));
    },
    cells: KIND_CELLS.get(info.kind) ?? defaultCells,
    selectableFields: NO_FIELDS,
    ...rules,
  };
}

const NO_FIELDS: ReadonlyMap<string, (object: JsonObject) => string> = new Map();

function kindSchema(info: ResourceInfo): Schema {
  return builtinSchema(builtinTypeName(info) ?? info.kind);
}

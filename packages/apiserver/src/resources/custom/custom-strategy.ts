import {
  decodeNumbers,
  getOwn,
  getPath,
  isObject,
  parseTime,
  stringifyJson,
  type JsonObject,
  type JsonValue,
  type Sliced,
} from "@fairlead/base";
import {
  applySchemaDefaults,
  DefaultsError,
  compileFirst,
  compileJsonPath,
  compileRules,
  formatFieldError,
  JsonPathError,
  skipsRules,
  structuralSchema,
  validatingCustomObject,
  validatingRules,
  type CustomValidation,
  type FieldError,
  type RuleNode,
  type Schema,
} from "@fairlead/apimachinery";

import { tooLarge } from "../../registry/failures.js";
import { finalizerWarnings } from "./finalizer-warnings.js";
import { scaleErrors, scaleStatusErrors } from "./scale-errors.js";
import { AGE_COLUMN, ageCell, NAME_COLUMN, nameCell } from "../builtin/cells.js";
import type { ResourceInfo, ResourceStrategy, ScalePaths, TableColumn } from "../resource.js";

/** One version of a CustomResourceDefinition, as its JSON says it. */
export interface CustomVersion {
  readonly name: string;
  readonly schema: JsonObject | undefined;
  readonly subresources: JsonObject | undefined;
  readonly columns: readonly JsonObject[];
  readonly selectableFields: readonly string[];
  readonly deprecated: boolean;
  /** What requests for the version are answered with when it is deprecated. */
  readonly deprecationWarning: string;
}

/** Names and scope of a CustomResourceDefinition, defaults filled. */
export interface CustomNames {
  readonly group: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
}

const VERBS = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const UNSTRUCTURED: Schema = { type: "object", preserveUnknownFields: true };

/**
 * What a custom kind does on a write: all of it comes from its definition. The schema is compiled once per version, when
 * it is first needed.
 */
export function customStrategy(names: CustomNames, version: CustomVersion): ResourceStrategy {
  const info = customInfo(names, version);
  let made: Parts | undefined;
  const parts = (): Parts => (made ??= partsOf(version, info));
  /** What rules say of objects whose faults are older than the write. */
  const ratcheted = new WeakMap<JsonObject, readonly string[]>();
  const errorsOf = function* (object: JsonObject, options: CustomValidation): Sliced<readonly FieldError[]> {
    const found = yield* customErrors(parts(), object, options);
    ratcheted.set(object, found.ratcheted);
    return found.errors;
  };
  const columns = customColumns(version.columns);
  const selectable = version.selectableFields.map((path) => [path.replace(/^\./, ""), compileJsonPath(path)] as const);
  return {
    info,
    get schema(): Schema {
      return parts().schema;
    },
    applyDefaults: (object) => {
      try {
        applySchemaDefaults(object, parts().schema);
      } catch (error) {
        throw error instanceof DefaultsError ? tooLarge(`Request entity too large: ${error.message}`) : error;
      }
    },
    validateCreate: (object) => errorsOf(object, { status: false }),
    validateUpdate: (object, live) => errorsOf(object, { status: false, old: live }),
    validateStatusUpdate: (object, live) => errorsOf(object, { status: true, old: live }),
    warnings: (object, live) => [...finalizerWarnings(object, live), ...(ratcheted.get(object) ?? [])],
    ...(version.schema === undefined ? {} : { openApiSchema: version.schema }),
    ...(version.deprecated ? { deprecation: version.deprecationWarning } : {}),
    columns: columns.map((c) => c.column),
    cells: (object, context) => columns.map((c) => c.cell(object, context.nowMs)),
    selectableFields: new Map(
      selectable.map(([name, path]) => [name, (object: JsonObject) => textOf(path(object)[0])]),
    ),
  };
}

interface Parts {
  readonly schema: Schema;
  readonly rules: RuleNode | undefined;
  readonly scale: ScalePaths | undefined;
}

function partsOf(version: CustomVersion, { scale }: ResourceInfo): Parts {
  const schema = version.schema === undefined ? UNSTRUCTURED : structuralSchema(version.schema);
  return { schema, rules: compileRules(schema), scale };
}

interface Found {
  readonly errors: readonly FieldError[];
  /** What rules say of faults that are older than the write. */
  readonly ratcheted: readonly string[];
}

/** What is wrong with an object by its schema, by its rules where it is right enough for them, and behind `/scale`. */
function* customErrors({ schema, rules, scale }: Parts, object: JsonObject, options: CustomValidation): Sliced<Found> {
  const plain = decodeNumbers(object) as JsonObject;
  const errors = yield* validatingCustomObject(plain, schema, options);
  const scaled = options.status ? scaleStatusErrors(object, scale) : scaleErrors(object, scale);
  if (rules === undefined || skipsRules(errors)) return { errors: [...errors, ...scaled], ratcheted: [] };
  const found = yield* validatingRules(rules, plain, { old: options.old });
  return { errors: [...errors, ...found.errors, ...scaled], ratcheted: found.ratcheted.map(formatFieldError) };
}

function customInfo(names: CustomNames, version: CustomVersion): ResourceInfo {
  const { subresources } = version;
  const scale = subresources === undefined ? undefined : getOwn(subresources, "scale");
  return {
    group: names.group,
    version: version.name,
    kind: names.kind,
    resource: names.plural,
    singular: names.singular,
    listKind: names.listKind,
    shortNames: names.shortNames,
    categories: names.categories,
    namespaced: names.namespaced,
    verbs: VERBS,
    hasStatus: subresources !== undefined && isObject(getOwn(subresources, "status")),
    ...(isObject(scale) ? { scale: scalePaths(scale) } : {}),
    otherSubresources: [],
    tracksGeneration: true,
    allowsUnconditionalUpdate: false,
    allowsCreateOnUpdate: false,
    returnsDeletedObject: false,
    defaultPropagation: "Background",
    custom: true,
  };
}

function scalePaths(scale: JsonObject): ScalePaths {
  const path = (key: string): string => String(scale[key] ?? "").replace(/^\./, "");
  const selector = path("labelSelectorPath");
  return {
    specReplicas: path("specReplicasPath"),
    statusReplicas: path("statusReplicasPath"),
    ...(selector === "" ? {} : { labelSelector: selector }),
  };
}

interface Column {
  readonly column: TableColumn;
  readonly cell: (object: JsonObject, nowMs: number) => JsonValue;
}

const NAME: Column = { column: NAME_COLUMN, cell: (object) => nameCell(object) };
const AGE: Column = {
  column: { ...AGE_COLUMN, type: "date" },
  cell: (object, nowMs) => ageCell(getPath(object, "metadata", "creationTimestamp"), { nowMs }),
};

/**
 * The name, then the declared columns up to the first whose path cannot be read, or the age where none is declared
 * (apiextensions-apiserver: registry/customresource/tableconvertor).
 */
function customColumns(declared: readonly JsonObject[]): readonly Column[] {
  if (declared.length === 0) return [NAME, AGE];
  const columns = [NAME];
  try {
    for (const column of declared) columns.push(customColumn(column));
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
  }
  return columns;
}

function customColumn(declared: JsonObject): Column {
  const jsonPath = String(declared["jsonPath"] ?? "");
  const type = String(declared["type"] ?? "string") as TableColumn["type"];
  const description = String(declared["description"] ?? "");
  const path = compileFirst(jsonPath);
  const column: TableColumn = {
    name: String(declared["name"] ?? ""),
    type,
    format: String(declared["format"] ?? ""),
    description:
      description === "" ? `Custom resource definition column (in JSONPath format): ${jsonPath}` : description,
    priority: Number(declared["priority"] ?? 0),
  };
  return { column, cell: (object, nowMs) => customCell(path, type, { object, nowMs }) };
}

/** A value that does not fit its column's type, and none at all, is null. */
function customCell(
  path: (object: JsonObject) => JsonValue | undefined,
  type: TableColumn["type"],
  { object, nowMs }: { object: JsonObject; nowMs: number },
): JsonValue {
  const first = path(object);
  if (first === undefined || first === null) return null;
  switch (type) {
    case "integer":
      return typeof first === "number" ? Math.trunc(first) : typeof first === "bigint" ? first : null;
    case "number":
      return typeof first === "number" || typeof first === "bigint" ? first : null;
    case "boolean":
      return typeof first === "boolean" ? first : null;
    case "date":
      return typeof first === "string" && parseTime(first) !== undefined ? ageCell(first, { nowMs }) : "<invalid>";
    case "string":
      return textOf(first);
  }
}

/** A value as Go's JSONPath prints it: text as it is, everything else as JSON. */
function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : typeof value === "bigint" ? String(value) : stringifyJson(value);
}

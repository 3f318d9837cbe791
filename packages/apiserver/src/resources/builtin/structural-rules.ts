// What makes a schema structural (apiextensions-apiserver: pkg/apiserver/schema/validation.go).
import {
  compileGoRegExp,
  formatFieldError,
  forbidden,
  GoRegExpError,
  invalid,
  required,
  type FieldError,
} from "@fairlead/apimachinery";
import { byCodeUnit, deepEqual, getOwn, isObject, type JsonObject } from "@fairlead/base";
import { bool, entries, has, obj, objs, someObj, str, strs } from "./access.js";

type Level = "root" | "item" | "field";

/** What is wrong with a schema, sorted by the errors' texts, as Kubernetes sorts them. */
export function structuralErrors(schema: JsonObject, path: string): readonly FieldError[] {
  const errors = [...invariantErrors(schema, "root", path)];
  return errors.sort((a, b) => byCodeUnit(formatFieldError(a), formatFieldError(b)));
}

/** Why a schema cannot be read at all; undefined when it can. */
export function unreadable(schema: JsonObject): string | undefined {
  const unsupported = UNSUPPORTED.find(
    ([key]) => has(schema, key) && (key !== "id" && key !== "$schema" ? true : str(schema, key) !== ""),
  );
  if (unsupported !== undefined) return `OpenAPIV3Schema '${unsupported[1]}' is not supported`;
  if (getOwn(schema, "x-kubernetes-preserve-unknown-fields") === false)
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  const items = getOwn(schema, "items");
  if (Array.isArray(items)) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  for (const part of partsOf(schema)) {
    const problem = unreadable(part);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const UNSUPPORTED: readonly (readonly [key: string, shown: string])[] = [
  ["id", "id"],
  ["$schema", "schema"],
  ["$ref", "$ref"],
  ["patternProperties", "patternProperties"],
  ["dependencies", "dependencies"],
  ["additionalItems", "additionalItems"],
  ["definitions", "definitions"],
];

/** The schemas directly inside a schema. */
export function partsOf(schema: JsonObject): readonly JsonObject[] {
  const single = ["items", "not", "additionalProperties"].flatMap((key) => someObj(schema, key));
  const lists = ["allOf", "anyOf", "oneOf"].flatMap((key) => objs(schema, key));
  const properties = entries(schema, "properties").flatMap(([, value]) => (isObject(value) ? [value] : []));
  return [...single, ...lists, ...properties];
}

function properties(schema: JsonObject): readonly (readonly [name: string, schema: JsonObject])[] {
  return entries(schema, "properties").flatMap(([name, value]) => (isObject(value) ? [[name, value] as const] : []));
}

function property(schema: JsonObject, name: string): JsonObject | undefined {
  return obj(obj(schema, "properties"), name);
}

function invariantErrors(schema: JsonObject, level: Level, path: string): readonly FieldError[] {
  const type = str(schema, "type");
  const items = obj(schema, "items");
  const additional = getOwn(schema, "additionalProperties");
  const embedded = bool(schema, "x-kubernetes-embedded-resource");
  const errors: FieldError[] = [];
  if (type === "array" && items === undefined) errors.push(required(`${path}.items`, "must be specified"));
  if (items !== undefined) errors.push(...invariantErrors(items, "item", `${path}.items`));
  for (const [name, each] of properties(schema))
    errors.push(...invariantErrors(each, "field", `${path}.properties[${name}]`));
  if (additional !== undefined && level === "root")
    errors.push(forbidden(`${path}.additionalProperties`, "must not be used at the root"));
  if (isObject(additional)) errors.push(...invariantErrors(additional, "field", `${path}.additionalProperties`));
  errors.push(
    ...extensionErrors(schema, path),
    ...valueErrors(schema, path, {
      anyOf: isIntOrString(objs(schema, "anyOf")),
      firstAllOf: isIntOrString(objs(objs(schema, "allOf")[0], "anyOf")),
    }),
  );
  errors.push(...typeErrors(schema, level, path));
  if (embedded && additional !== undefined)
    errors.push(forbidden(`${path}.additionalProperties`, "must not be used if x-kubernetes-embedded-resource is set"));
  if (level === "root" && type !== "" && type !== "object")
    errors.push(invalid(`${path}.type`, type, "must be object at the root"));
  errors.push(...metaErrors(schema, level, path));
  if (embedded && !bool(schema, "x-kubernetes-preserve-unknown-fields") && properties(schema).length === 0) {
    errors.push(
      required(
        `${path}.properties`,
        "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      ),
    );
  }
  return errors;
}

function typeErrors(schema: JsonObject, level: Level, path: string): readonly FieldError[] {
  const type = str(schema, "type");
  if (bool(schema, "x-kubernetes-embedded-resource") && type !== "object") {
    const text = "must be object if x-kubernetes-embedded-resource is true";
    return [type === "" ? required(`${path}.type`, text) : invalid(`${path}.type`, type, text)];
  }
  if (type !== "" || bool(schema, "x-kubernetes-int-or-string") || bool(schema, "x-kubernetes-preserve-unknown-fields"))
    return [];
  const where = { root: "at the root", item: "for specified array items", field: "for specified object fields" }[level];
  return [required(`${path}.type`, `must not be empty ${where}`)];
}

function metaErrors(schema: JsonObject, level: Level, path: string): readonly FieldError[] {
  const checked = level === "root" || bool(schema, "x-kubernetes-embedded-resource");
  const errors: FieldError[] = [];
  for (const name of ["kind", "apiVersion"]) {
    const found = property(schema, name);
    if (checked && found !== undefined && str(found, "type") !== "string")
      errors.push(invalid(`${path}.properties[${name}].type`, str(found, "type"), "must be string"));
  }
  const metadata = property(schema, "metadata");
  if (metadata === undefined) return errors;
  const where = `${path}.properties[metadata]`;
  if (checked && str(metadata, "type") !== "object")
    errors.push(invalid(`${where}.type`, str(metadata, "type"), "must be object"));
  if (level !== "root") return errors;
  const names = properties(metadata).map(([name]) => name);
  const others = Object.keys(metadata).filter((key) => key !== "type" && key !== "default" && key !== "properties");
  const only = names.every((name) => name === "name" || name === "generateName");
  return only && others.length === 0
    ? errors
    : [
        ...errors,
        forbidden(
          where,
          "must not specify anything other than name and generateName, but metadata is implicitly specified",
        ),
      ];
}

function extensionErrors(schema: JsonObject, path: string): readonly FieldError[] {
  if (!bool(schema, "x-kubernetes-int-or-string")) return [];
  return ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"]
    .filter((key) => bool(schema, key))
    .map((key) => invalid(`${path}.${key}`, true, "must be false if x-kubernetes-int-or-string is true"));
}

function isIntOrString(anyOf: readonly JsonObject[]): boolean {
  return deepEqual([...anyOf], [{ type: "integer" }, { type: "string" }]);
}

interface Skipped {
  readonly anyOf: boolean;
  readonly firstAllOf: boolean;
}

/** Validations of values: those inside logical combinations say nothing but what values must fulfil. */
function valueErrors(schema: JsonObject, path: string, skipped: Skipped): readonly FieldError[] {
  const not = obj(schema, "not");
  const pattern = str(schema, "pattern");
  const problem = pattern === "" ? undefined : patternProblem(pattern);
  return [
    ...(skipped.anyOf
      ? []
      : objs(schema, "anyOf").flatMap((each, i) => nestedErrors(each, `${path}.anyOf[${i}]`, false))),
    ...objs(schema, "allOf").flatMap((each, i) =>
      nestedErrors(each, `${path}.allOf[${i}]`, skipped.firstAllOf && i === 0),
    ),
    ...objs(schema, "oneOf").flatMap((each, i) => nestedErrors(each, `${path}.oneOf[${i}]`, false)),
    ...(not === undefined ? [] : nestedErrors(not, `${path}.not`, false)),
    ...(problem === undefined
      ? []
      : [invalid(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${problem}`)]),
  ];
}

/** What Go says of an expression that it cannot compile. */
function patternProblem(pattern: string): string | undefined {
  try {
    compileGoRegExp(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof GoRegExpError) return error.message;
    throw error;
  }
}

/** Members that a schema inside a logical combination may not have, and what is said of them. */
const NOT_NESTED: readonly (readonly [key: string, message: string])[] = [
  ["type", "must be empty to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
];

function nestedErrors(schema: JsonObject, path: string, skipAnyOf: boolean): readonly FieldError[] {
  const items = obj(schema, "items");
  const additional = getOwn(schema, "additionalProperties");
  return [
    ...valueErrors(schema, path, { anyOf: skipAnyOf, firstAllOf: false }),
    ...(items === undefined ? [] : nestedErrors(items, `${path}.items`, false)),
    ...properties(schema).flatMap(([name, each]) => nestedErrors(each, `${path}.properties[${name}]`, false)),
    ...NOT_NESTED.filter(([key]) => isSet(schema, key)).map(([key, message]) => forbidden(`${path}.${key}`, message)),
    ...(additional === true || isObject(additional)
      ? [forbidden(`${path}.additionalProperties`, "must be undefined to be structural")]
      : []),
    ...(property(schema, "metadata") === undefined
      ? []
      : [forbidden(`${path}.properties[metadata]`, "must not be specified in a nested context")]),
  ];
}

function isSet(schema: JsonObject, key: string): boolean {
  const value = getOwn(schema, key);
  if (value === undefined || value === null || value === "" || value === false) return false;
  return !Array.isArray(value) || value.length > 0 || strs(schema, key).length > 0;
}

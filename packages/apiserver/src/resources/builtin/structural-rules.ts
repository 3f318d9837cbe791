// What makes a schema structural (apiextensions-apiserver: pkg/apiserver/schema/validation.go).
import {
  compilingGoRegExp,
  formatFieldError,
  forbidden,
  GoRegExpError,
  invalid,
  required,
  type FieldError,
} from "@fairlead/apimachinery";
import { byCodeUnit, deepEqual, getOwn, isObject, type JsonObject, type Sliced } from "@fairlead/base";
import { bool, entries, has, obj, objs, someObj, str, strs } from "./access.js";

type Level = "root" | "item" | "field";

/** What is wrong with a schema, sorted by the errors' texts, as Kubernetes sorts them. */
export function* structuralErrors(schema: JsonObject, path: string): Sliced<readonly FieldError[]> {
  const problems = yield* patternProblems(schema);
  yield PAUSE;
  const errors = invariantErrors(schema, { level: "root", path, problems });
  yield PAUSE;
  const texts = new Map(errors.map((error) => [error, formatFieldError(error)]));
  return [...errors].sort((a, b) => byCodeUnit(texts.get(a) ?? "", texts.get(b) ?? ""));
}

/** What one walk through a schema may take. */
const PAUSE = 10_000;

/** What Go says of the patterns that it cannot compile, by pattern. */
type Problems = ReadonlyMap<string, string>;

function* patternProblems(schema: JsonObject): Sliced<Problems> {
  const problems = new Map<string, string>();
  const seen = new Set<string>();
  const open = [schema];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    for (const inner of partsOf(part)) open.push(inner);
    const pattern = str(part, "pattern");
    if (pattern === "" || seen.has(pattern)) continue;
    seen.add(pattern);
    yield 500 + pattern.length;
    try {
      yield* compilingGoRegExp(pattern);
    } catch (error) {
      if (!(error instanceof GoRegExpError)) throw error;
      problems.set(pattern, error.message);
    }
  }
  return problems;
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

interface Place {
  readonly level: Level;
  readonly path: string;
  readonly problems: Problems;
}

function invariantErrors(schema: JsonObject, { level, path, problems }: Place): readonly FieldError[] {
  const type = str(schema, "type");
  const items = obj(schema, "items");
  const additional = getOwn(schema, "additionalProperties");
  const embedded = bool(schema, "x-kubernetes-embedded-resource");
  const errors: FieldError[] = [];
  if (type === "array" && items === undefined) errors.push(required(`${path}.items`, "must be specified"));
  if (items !== undefined) errors.push(...invariantErrors(items, { level: "item", path: `${path}.items`, problems }));
  for (const [name, each] of properties(schema))
    errors.push(...invariantErrors(each, { level: "field", path: `${path}.properties[${name}]`, problems }));
  if (additional !== undefined && level === "root")
    errors.push(forbidden(`${path}.additionalProperties`, "must not be used at the root"));
  if (isObject(additional))
    errors.push(...invariantErrors(additional, { level: "field", path: `${path}.additionalProperties`, problems }));
  errors.push(
    ...extensionErrors(schema, path),
    ...valueErrors(schema, path, {
      problems,
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

/** What is not looked at, since it is the form of something else. */
interface Skipped {
  readonly problems: Problems;
  readonly anyOf: boolean;
  readonly firstAllOf: boolean;
}

/** Validations of values: those inside logical combinations say nothing but what values must fulfil. */
function valueErrors(schema: JsonObject, path: string, skipped: Skipped): readonly FieldError[] {
  const not = obj(schema, "not");
  const pattern = str(schema, "pattern");
  const problem = skipped.problems.get(pattern);
  const nested = (each: JsonObject, where: string, anyOf = false): readonly FieldError[] =>
    nestedErrors(each, where, { anyOf, firstAllOf: false, problems: skipped.problems });
  return [
    ...(skipped.anyOf ? [] : objs(schema, "anyOf").flatMap((each, i) => nested(each, `${path}.anyOf[${i}]`))),
    ...objs(schema, "allOf").flatMap((each, i) => nested(each, `${path}.allOf[${i}]`, skipped.firstAllOf && i === 0)),
    ...objs(schema, "oneOf").flatMap((each, i) => nested(each, `${path}.oneOf[${i}]`)),
    ...(not === undefined ? [] : nested(not, `${path}.not`)),
    ...(problem === undefined
      ? []
      : [invalid(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${problem}`)]),
  ];
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

function nestedErrors(schema: JsonObject, path: string, skipped: Skipped): readonly FieldError[] {
  const inner = { ...skipped, anyOf: false };
  const items = obj(schema, "items");
  const additional = getOwn(schema, "additionalProperties");
  return [
    ...valueErrors(schema, path, skipped),
    ...(items === undefined ? [] : nestedErrors(items, `${path}.items`, inner)),
    ...properties(schema).flatMap(([name, each]) => nestedErrors(each, `${path}.properties[${name}]`, inner)),
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

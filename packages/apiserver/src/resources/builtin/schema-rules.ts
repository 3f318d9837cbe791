// The OpenAPI schemas of CustomResourceDefinitions (apiextensions-apiserver: ValidateCustomResourceDefinitionOpenAPISchema).
// Rules in CEL are only checked for their form here.
import { forbidden, invalid, notSupported, required, type FieldError } from "@fairlead/apimachinery";
import { getOwn, isArray, isObject, type JsonObject } from "@fairlead/base";
import { bool, entries, has, obj, objs, str, strs } from "./access.js";

/** What an update does not ask for, since the stored definition lacks it already. */
export interface SchemaRules {
  readonly validTypes: boolean;
  readonly atomicSets: boolean;
  readonly keyedLists: boolean;
}

interface Place {
  readonly path: string;
  readonly root: boolean;
  /** Whether the schema is part of an object's metadata. */
  readonly inMetadata: boolean;
  /** Why defaults are not allowed, if they are not. */
  readonly noDefaults?: string;
}

/** What is wrong with a schema and all schemas inside. */
export function openApiErrors(schema: JsonObject, path: string, rules: SchemaRules): readonly FieldError[] {
  return schemaErrors(schema, { path, root: true, inMetadata: false }, rules);
}

const META: ReadonlySet<string> = new Set(["metadata", "kind", "apiVersion"]);

function schemaErrors(schema: JsonObject, place: Place, rules: SchemaRules): readonly FieldError[] {
  const { path } = place;
  const inner = (part: JsonObject, at: string, change: Partial<Place> = {}): readonly FieldError[] =>
    schemaErrors(part, { ...place, root: false, ...change, path: `${path}.${at}` }, rules);
  const single = (key: string): readonly FieldError[] => {
    const part = obj(schema, key);
    return part === undefined ? [] : inner(part, key);
  };
  const items = getOwn(schema, "items");
  return [
    ...standardErrors(schema, place, rules),
    ...(bool(schema, "uniqueItems")
      ? [
          forbidden(
            `${path}.uniqueItems`,
            "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
          ),
        ]
      : []),
    ...additionalErrors(schema, place, inner),
    ...entries(schema, "properties").flatMap(([name, part]) =>
      isObject(part) ? inner(part, `properties[${name}]`, propertyPlace(schema, name, place)) : [],
    ),
    ...single("not"),
    ...["allOf", "oneOf", "anyOf"].flatMap((key) =>
      objs(schema, key).flatMap((part, i) => inner(part, `${key}[${i}]`)),
    ),
    ...["definitions", "dependencies"].flatMap((key) =>
      entries(schema, key).flatMap(([name, part]) => (isObject(part) ? inner(part, `${key}[${name}]`) : [])),
    ),
    ...(isArray(items) ? objs(schema, "items").flatMap((part, i) => inner(part, `items[${i}]`)) : single("items")),
    ...kindErrors(schema, path),
    ...listErrors(schema, path, rules),
    ...objs(schema, "x-kubernetes-validations").flatMap((rule, i) =>
      ruleErrors(schema, rule, `${path}.x-kubernetes-validations[${i}]`),
    ),
  ];
}

function propertyPlace(schema: JsonObject, name: string, { root }: Place): Partial<Place> {
  if (!META.has(name) || (!root && !bool(schema, "x-kubernetes-embedded-resource"))) return {};
  return { inMetadata: true, ...(root ? { noDefaults: `in top-level ${name}` } : {}) };
}

type Inner = (part: JsonObject, at: string, change?: Partial<Place>) => readonly FieldError[];

function additionalErrors(schema: JsonObject, { path, inMetadata }: Place, inner: Inner): readonly FieldError[] {
  const additional = getOwn(schema, "additionalProperties");
  if (additional === undefined) return [];
  const both = entries(schema, "properties").length > 0 && additional !== true;
  return [
    ...(both
      ? [forbidden(`${path}.additionalProperties`, "additionalProperties and properties are mutual exclusive")]
      : []),
    ...(isObject(additional)
      ? inner(
          additional,
          "additionalProperties",
          inMetadata ? { noDefaults: "inside additionalProperties applying to object metadata" } : {},
        )
      : []),
  ];
}

const TYPES: readonly string[] = ["array", "boolean", "integer", "number", "object", "string"];

function standardErrors(
  schema: JsonObject,
  { path, inMetadata, noDefaults }: Place,
  rules: SchemaRules,
): readonly FieldError[] {
  const type = str(schema, "type");
  const unsupported = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"].filter(
    (key) => has(schema, key),
  );
  return [
    ...(rules.validTypes && type !== "" && !TYPES.includes(type) ? [notSupported(`${path}.type`, type, TYPES)] : []),
    ...(has(schema, "default") && noDefaults !== undefined
      ? [forbidden(`${path}.default`, `must not be set ${noDefaults}`)]
      : []),
    ...unsupported.map((key) => forbidden(`${path}.${key}`, `${key} is not supported`)),
    ...(type === "null"
      ? [forbidden(`${path}.type`, "type cannot be set to null, use nullable as an alternative")]
      : []),
    ...(isArray(getOwn(schema, "items"))
      ? [forbidden(`${path}.items`, "items must be a schema object and not an array")]
      : []),
    ...(inMetadata && bool(schema, "x-kubernetes-embedded-resource")
      ? [forbidden(`${path}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta")]
      : []),
  ];
}

function kindErrors(schema: JsonObject, path: string): readonly FieldError[] {
  const mapType = str(schema, "x-kubernetes-map-type");
  const type = str(schema, "type");
  const errors: FieldError[] = [];
  if (getOwn(schema, "x-kubernetes-preserve-unknown-fields") === false)
    errors.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  if (!has(schema, "x-kubernetes-map-type")) return errors;
  const text = "must be object if x-kubernetes-map-type is specified";
  if (type !== "object")
    errors.push(type === "" ? required(`${path}.type`, text) : invalid(`${path}.type`, type, text));
  return mapType === "atomic" || mapType === "granular"
    ? errors
    : [...errors, notSupported(`${path}.x-kubernetes-map-type`, mapType, ["atomic", "granular"])];
}

const LIST_TYPES: readonly string[] = ["atomic", "set", "map"];

function listErrors(schema: JsonObject, path: string, rules: SchemaRules): readonly FieldError[] {
  const listType = str(schema, "x-kubernetes-list-type");
  const given = has(schema, "x-kubernetes-list-type");
  const keys = strs(schema, "x-kubernetes-list-map-keys");
  const where = `${path}.x-kubernetes-list-type`;
  const errors: FieldError[] = [...listKindErrors(schema, path, rules)];
  if (given && !LIST_TYPES.includes(listType)) errors.push(notSupported(where, listType, LIST_TYPES));
  const text = "must be map if x-kubernetes-list-map-keys is non-empty";
  if (keys.length > 0 && listType !== "map")
    errors.push(given ? invalid(where, listType, text) : required(where, text));
  if (listType === "map") errors.push(...mapErrors(schema, path));
  return rules.keyedLists ? [...errors, ...keyErrors(schema, path)] : errors;
}

function listKindErrors(schema: JsonObject, path: string, rules: SchemaRules): readonly FieldError[] {
  const type = str(schema, "type");
  if (!has(schema, "x-kubernetes-list-type")) return [];
  const text = "must be array if x-kubernetes-list-type is specified";
  if (type !== "array") return [type === "" ? required(`${path}.type`, text) : invalid(`${path}.type`, type, text)];
  return rules.atomicSets && str(schema, "x-kubernetes-list-type") === "set"
    ? setErrors(obj(schema, "items"), `${path}.items`)
    : [];
}

function setErrors(items: JsonObject | undefined, path: string): readonly FieldError[] {
  const text = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = items === undefined ? undefined : getOwn(items, "x-kubernetes-list-type");
  if (str(items, "type") === "array" && listType !== undefined && listType !== "atomic")
    return [invalid(`${path}.x-kubernetes-list-type`, listType, text)];
  if (str(items, "type") === "object" && str(items, "x-kubernetes-map-type") !== "atomic")
    return [invalid(`${path}.x-kubernetes-map-type`, listType ?? null, text)];
  return [];
}

/** Whether a schema has a set whose items are not taken as a whole. */
export function hasGranularSet(schema: JsonObject): boolean {
  return str(schema, "x-kubernetes-list-type") === "set" && setErrors(obj(schema, "items"), "").length > 0;
}

function mapErrors(schema: JsonObject, path: string): readonly FieldError[] {
  const keys = strs(schema, "x-kubernetes-list-map-keys");
  const items = obj(schema, "items");
  const where = `${path}.x-kubernetes-list-map-keys`;
  const errors: FieldError[] =
    keys.length === 0 ? [required(where, "must not be empty if x-kubernetes-list-type is map")] : [];
  if (items === undefined) {
    const list = getOwn(schema, "items");
    return [
      ...errors,
      list === undefined
        ? required(`${path}.items`, "must have a schema if x-kubernetes-list-type is map")
        : invalid(`${path}.items`, list, "must only have a single schema if x-kubernetes-list-type is map"),
    ];
  }
  const type = str(items, "type");
  if (type !== "object")
    return [
      ...errors,
      invalid(`${path}.items.type`, type, "must be object if parent array's x-kubernetes-list-type is map"),
    ];
  for (const [i, key] of keys.entries()) {
    const found = obj(obj(items, "properties"), key);
    const inner = str(found, "type");
    if (found === undefined) errors.push(invalid(where, [...keys], "entries must all be names of item properties"));
    else if (inner === "array" || inner === "object")
      errors.push(
        invalid(
          `${path}.items.properties[${key}].type`,
          type,
          "must be a scalar type if parent array's x-kubernetes-list-type is map",
        ),
      );
    if (keys.indexOf(key) < i) errors.push(invalid(where, [...keys], "must not contain duplicate entries"));
  }
  return errors;
}

/** Items of sets and maps are there, and keys have a value. */
export function keyErrors(schema: JsonObject, path: string): readonly FieldError[] {
  const items = obj(schema, "items");
  const listType = str(schema, "x-kubernetes-list-type");
  if (items === undefined || (listType !== "set" && listType !== "map")) return [];
  const errors = bool(items, "nullable")
    ? [forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`)]
    : [];
  if (listType === "set") return errors;
  const needed = strs(items, "required");
  return [
    ...errors,
    ...strs(schema, "x-kubernetes-list-map-keys").flatMap((key) => {
      const found = obj(obj(items, "properties"), key);
      if (found === undefined) return [];
      const where = `${path}.items.properties[${key}]`;
      const valued = needed.includes(key) || has(found, "default");
      return [
        ...(valued
          ? []
          : [
              required(
                `${where}.default`,
                "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
              ),
            ]),
        ...(bool(found, "nullable")
          ? [forbidden(`${where}.nullable`, "this property is in x-kubernetes-list-map-keys, so it cannot be nullable")]
          : []),
      ];
    }),
  ];
}

const REASONS: readonly string[] = [
  "FieldValueDuplicate",
  "FieldValueForbidden",
  "FieldValueInvalid",
  "FieldValueRequired",
];

function ruleErrors(schema: JsonObject, rule: JsonObject, path: string): readonly FieldError[] {
  const [text, message, expression, field] = ["rule", "message", "messageExpression", "fieldPath"].map((key) =>
    str(rule, key),
  ) as [string, string, string, string];
  const broken = (value: string): boolean => /[\n\r]/.test(value);
  const errors: FieldError[] = [];
  if (text.trim() === "") errors.push(required(`${path}.rule`, "rule is not specified"));
  else if (message !== "" && message.trim() === "")
    errors.push(invalid(`${path}.message`, message, "must be non-empty if specified"));
  else if (broken(message.trim())) errors.push(invalid(`${path}.message`, message, "must not contain line breaks"));
  else if (broken(text.trim()) && message.trim() === "")
    errors.push(required(`${path}.message`, "message must be specified if rule contains line breaks"));
  if (expression !== "" && expression.trim() === "")
    errors.push(required(`${path}.messageExpression`, "messageExpression must be non-empty if specified"));
  if (has(rule, "reason") && !REASONS.includes(str(rule, "reason")))
    errors.push(notSupported(`${path}.reason`, str(rule, "reason"), REASONS));
  if (field !== "" && field.trim() === "")
    errors.push(invalid(`${path}.fieldPath`, field, "must be non-empty if specified"));
  if (broken(field)) errors.push(invalid(`${path}.fieldPath`, field, "must not contain line breaks"));
  return field !== "" && typeof schemaAt(schema, field, true) === "string"
    ? [...errors, invalid(`${path}.fieldPath`, field, "must be a valid path")]
    : errors;
}

/** The schema that a path such as `.spec.replicas` or `.spec['a b']` leads to, or what is wrong with the path. */
export function schemaAt(schema: JsonObject, path: string, brackets: boolean): JsonObject | string {
  const tokens = path.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]']+|'/g) ?? [];
  let at: JsonObject = schema;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (token === "[" && !brackets) return "array notation is not allowed";
    if (token !== "." && token !== "[") return `expected [ or . but got: ${token ?? ""}`;
    const name = tokens[++i];
    if (name === undefined) return "unexpected end of JSON path";
    if (token === "[" && (name.length < 2 || !name.startsWith("'") || !name.endsWith("'")))
      return `expected single quoted string but got ${name}`;
    const next = memberSchema(at, token === "[" ? name.slice(1, -1) : name);
    if (next === undefined) return "does not refer to a valid field";
    at = next;
    if (token === "[" && tokens[++i] !== "]")
      return tokens[i] === undefined ? "unexpected end of JSON path" : `expected ] but got ${tokens[i] ?? ""}`;
  }
  return at;
}

function memberSchema(schema: JsonObject, name: string): JsonObject | undefined {
  const properties = obj(schema, "properties");
  return properties === undefined ? obj(schema, "additionalProperties") : obj(properties, name);
}

// How messages show versions of a CustomResourceDefinition: in the form of the server's internal type.
import { getOwn, isArray, isObject, type JsonObject, type JsonValue, type MutableJsonObject } from "@fairlead/base";
import { at, bool, objs, str } from "./access.js";

/** Versions without what they have in common, which the internal type holds elsewhere. */
export function shownVersions(
  versions: readonly JsonObject[],
  common: ReadonlyMap<string, JsonValue | undefined>,
): JsonValue {
  const own = (version: JsonObject, key: string): JsonValue | undefined =>
    common.has(key) ? undefined : getOwn(version, key);
  return versions.map((version) => {
    const schema = own(version, "schema");
    const subresources = own(version, "subresources");
    return {
      Name: str(version, "name"),
      Served: bool(version, "served"),
      Storage: bool(version, "storage"),
      Deprecated: bool(version, "deprecated"),
      DeprecationWarning: getOwn(version, "deprecationWarning") ?? null,
      Schema: isObject(schema) ? { OpenAPIV3Schema: shownSchema(getOwn(schema, "openAPIV3Schema")) } : null,
      Subresources: isObject(subresources) ? shownSubresources(subresources) : null,
      AdditionalPrinterColumns: isArray(own(version, "additionalPrinterColumns"))
        ? objs(version, "additionalPrinterColumns").map(shownColumn)
        : null,
      SelectableFields: isArray(own(version, "selectableFields"))
        ? objs(version, "selectableFields").map((field) => ({ JSONPath: str(field, "jsonPath") }))
        : null,
    };
  });
}

function shownSubresources(subresources: JsonObject): JsonValue {
  const scale = at(subresources, "scale");
  return {
    Status: isObject(getOwn(subresources, "status")) ? {} : null,
    Scale: isObject(getOwn(subresources, "scale"))
      ? {
          SpecReplicasPath: str(scale, "specReplicasPath"),
          StatusReplicasPath: str(scale, "statusReplicasPath"),
          LabelSelectorPath: getOwn(scale, "labelSelectorPath") ?? null,
        }
      : null,
  };
}

function shownColumn(column: JsonObject): JsonValue {
  return {
    Name: str(column, "name"),
    Type: str(column, "type"),
    Format: str(column, "format"),
    Description: str(column, "description"),
    Priority: getOwn(column, "priority") ?? 0,
    JSONPath: str(column, "jsonPath"),
  };
}

/** Members of a schema in Go's order: the name in JSON, Go's name, and what is shown where it is absent. */
const MEMBERS: readonly (readonly [key: string, name: string, absent: JsonValue])[] = [
  ["id", "ID", ""],
  ["$schema", "Schema", ""],
  ["$ref", "Ref", null],
  ["description", "Description", ""],
  ["type", "Type", ""],
  ["nullable", "Nullable", false],
  ["format", "Format", ""],
  ["title", "Title", ""],
  ["default", "Default", null],
  ["maximum", "Maximum", null],
  ["exclusiveMaximum", "ExclusiveMaximum", false],
  ["minimum", "Minimum", null],
  ["exclusiveMinimum", "ExclusiveMinimum", false],
  ["maxLength", "MaxLength", null],
  ["minLength", "MinLength", null],
  ["pattern", "Pattern", ""],
  ["maxItems", "MaxItems", null],
  ["minItems", "MinItems", null],
  ["uniqueItems", "UniqueItems", false],
  ["multipleOf", "MultipleOf", null],
  ["enum", "Enum", null],
  ["maxProperties", "MaxProperties", null],
  ["minProperties", "MinProperties", null],
  ["required", "Required", null],
  ["items", "Items", null],
  ["allOf", "AllOf", null],
  ["oneOf", "OneOf", null],
  ["anyOf", "AnyOf", null],
  ["not", "Not", null],
  ["properties", "Properties", null],
  ["additionalProperties", "AdditionalProperties", null],
  ["patternProperties", "PatternProperties", null],
  ["dependencies", "Dependencies", null],
  ["additionalItems", "AdditionalItems", null],
  ["definitions", "Definitions", null],
  ["externalDocs", "ExternalDocs", null],
  ["example", "Example", null],
  ["x-kubernetes-preserve-unknown-fields", "XPreserveUnknownFields", null],
  ["x-kubernetes-embedded-resource", "XEmbeddedResource", false],
  ["x-kubernetes-int-or-string", "XIntOrString", false],
  ["x-kubernetes-list-map-keys", "XListMapKeys", null],
  ["x-kubernetes-list-type", "XListType", null],
  ["x-kubernetes-map-type", "XMapType", null],
  ["x-kubernetes-validations", "XValidations", null],
];

/** A schema in the form of the internal type. */
export function shownSchema(schema: JsonValue | undefined): JsonValue {
  if (!isObject(schema)) return null;
  const out: MutableJsonObject = {};
  for (const [key, name, absent] of MEMBERS) {
    const value = getOwn(schema, key);
    out[name] = value === undefined || value === null ? absent : shownMember(key, value);
  }
  return out;
}

function shownMember(key: string, value: JsonValue): JsonValue {
  switch (key) {
    case "items":
      return isArray(value)
        ? { Schema: null, JSONSchemas: value.map(shownSchema) }
        : { Schema: shownSchema(value), JSONSchemas: null };
    case "allOf":
    case "oneOf":
    case "anyOf":
      return isArray(value) ? value.map(shownSchema) : null;
    case "not":
      return shownSchema(value);
    case "properties":
    case "patternProperties":
    case "definitions":
      return isObject(value)
        ? Object.fromEntries(
            Object.keys(value)
              .sort()
              .map((name) => [name, shownSchema(getOwn(value, name))]),
          )
        : null;
    case "additionalProperties":
    case "additionalItems":
      return isObject(value) ? { Allows: true, Schema: shownSchema(value) } : { Allows: value === true, Schema: null };
    case "externalDocs":
      return isObject(value) ? { Description: str(value, "description"), URL: str(value, "url") } : null;
    case "x-kubernetes-validations":
      return isArray(value) ? value.map((rule) => (isObject(rule) ? shownRule(rule) : null)) : null;
    default:
      return value;
  }
}

/** A CEL rule in the form of the internal type. */
export function shownRule(rule: JsonObject): JsonValue {
  return {
    Rule: str(rule, "rule"),
    Message: str(rule, "message"),
    MessageExpression: str(rule, "messageExpression"),
    Reason: getOwn(rule, "reason") ?? null,
    FieldPath: str(rule, "fieldPath"),
    OptionalOldSelf: getOwn(rule, "optionalOldSelf") ?? null,
  };
}

// One version of a CustomResourceDefinition, or what all have in common (apiextensions-apiserver:
// pkg/apis/apiextensions/validation).
import { duplicate, forbidden, invalid, required, tooMany, type FieldError } from "@fairlead/apimachinery";
import type { JsonObject, JsonValue, Sliced } from "@fairlead/base";
import { at, bool, has, obj, objs, str } from "./access.js";
import { celRuleErrors } from "./cel-rules.js";
import { defaultErrors } from "./schema-default-rules.js";
import { openApiErrors, schemaAt, type SchemaRules } from "./schema-rules.js";
import { structuralErrors, unreadable } from "./structural-rules.js";

/** The most fields that a version's objects may be selected by. */
export const MOST_FIELDS = 8;

/** What an update does not ask for, since the stored definition lacks it already. */
export interface VersionRules extends SchemaRules {
  readonly prunedDefaults: boolean;
  readonly manyFields: (version: string) => boolean;
  /** Whether the schemas of all these versions are as they were, so that their rules may cost what they did. */
  readonly sameSchemas: (versions: readonly JsonObject[]) => boolean;
}

/** What is to be checked, and where it stands. */
export interface Shared {
  /** The parts to be checked here; absent keys are checked elsewhere. */
  readonly common: ReadonlyMap<string, JsonValue | undefined>;
  readonly versions: readonly JsonObject[];
  readonly rules: VersionRules;
  readonly path: string;
  readonly schemaKey: string;
  readonly version: string;
}

/** Schema, subresources, columns and selectable fields, of one version or of all. */
export function* sharedErrors(shared: Shared): Sliced<readonly FieldError[]> {
  const { common, versions, rules, path, schemaKey, version } = shared;
  const [owner = {}] = versions;
  const part = (key: string): JsonObject => (common.has(key) ? owner : {});
  const schema = obj(at(part("schema"), "schema"), "openAPIV3Schema");
  const status = versions.some((each) => has(at(each, "subresources"), "status"));
  const fields = objs(part("selectableFields"), "selectableFields");
  const known = obj(at(owner, "schema"), "openAPIV3Schema");
  return [
    ...(schema === undefined
      ? []
      : yield* schemaErrors(schema, `${path}.${schemaKey}`, {
          rules,
          status,
          anyRuleCost: rules.sameSchemas(versions),
        })),
    ...scaleErrors(obj(at(part("subresources"), "subresources"), "scale"), `${path}.subresources.scale`),
    ...objs(part("additionalPrinterColumns"), "additionalPrinterColumns").flatMap((column, i) =>
      columnErrors(column, `${path}.additionalPrinterColumns[${i}]`),
    ),
    ...(fields.length === 0 || known === undefined
      ? []
      : fieldErrors(fields, known, `${path}.selectableFields`, rules.manyFields(version))),
  ];
}

/** What one walk through a schema may take. */
const PAUSE = 10_000;

const AT_ROOT: ReadonlySet<string> = new Set(
  (
    "description type format title maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems multipleOf " +
    "required items properties externalDocs example x-kubernetes-preserve-unknown-fields x-kubernetes-validations"
  ).split(" "),
);

const AT_ROOT_SHOWN =
  "[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations]";

function* schemaErrors(
  schema: JsonObject,
  path: string,
  options: { readonly rules: VersionRules; readonly status: boolean; readonly anyRuleCost: boolean },
): Sliced<readonly FieldError[]> {
  const { rules, status, anyRuleCost } = options;
  const where = `${path}.openAPIV3Schema`;
  const errors: FieldError[] = status ? [...rootErrors(schema, where)] : [];
  if (bool(schema, "nullable")) errors.push(forbidden(`${where}.nullable`, "nullable cannot be true at the root"));
  const problem = unreadable(schema);
  const structural = problem === undefined ? yield* structuralErrors(schema, where) : [];
  const defaults =
    problem === undefined && structural.length === 0
      ? yield* defaultErrors(schema, where, { pruned: rules.prunedDefaults })
      : [];
  yield PAUSE;
  const own = openApiErrors(schema, where, rules);
  yield PAUSE;
  for (const part of [structural, defaults, own]) errors.push(...part);
  if (problem === undefined && structural.length === 0 && defaults.length === 0)
    errors.push(...(yield* celRuleErrors(schema, where, { schemaErrors: own, anyRuleCost })));
  return errors.length === 0 && problem !== undefined ? [invalid(where, "", problem)] : errors;
}

/** With a status of its own, a kind's schema says little at the root. */
function rootErrors(schema: JsonObject, where: string): readonly FieldError[] {
  const type = str(schema, "type");
  if (type !== "" && type !== "object")
    return [
      invalid(
        `${where}.type`,
        type,
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
      ),
    ];
  const others = Object.keys(schema).filter((key) => !AT_ROOT.has(key));
  return others.length === 0
    ? []
    : [
        invalid(
          where,
          schema,
          `only ${AT_ROOT_SHOWN} fields are allowed at the root of the schema if the status subresource is enabled`,
        ),
      ];
}

function scaleErrors(scale: JsonObject | undefined, path: string): readonly FieldError[] {
  if (scale === undefined) return [];
  const selector = str(scale, "labelSelectorPath");
  return [
    ...pathErrors(
      str(scale, "specReplicasPath"),
      `${path}.specReplicasPath`,
      [".spec."],
      "should be a json path under .spec",
    ),
    ...pathErrors(
      str(scale, "statusReplicasPath"),
      `${path}.statusReplicasPath`,
      [".status."],
      "should be a json path under .status",
    ),
    ...(selector === ""
      ? []
      : pathErrors(
          selector,
          `${path}.labelSelectorPath`,
          [".spec.", ".status."],
          "should be a json path under either .spec or .status",
        )),
  ];
}

function pathErrors(text: string, path: string, prefixes: readonly string[], message: string): readonly FieldError[] {
  if (text === "") return [required(path)];
  if (!text.startsWith(".")) return [invalid(path, text, "must be a simple json path starting with .")];
  return prefixes.some((prefix) => text.startsWith(prefix)) ? [] : [invalid(path, text, message)];
}

const COLUMN_TYPES: readonly string[] = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS: readonly string[] = [
  "byte",
  "date",
  "date-time",
  "double",
  "float",
  "int32",
  "int64",
  "password",
];

function columnErrors(column: JsonObject, path: string): readonly FieldError[] {
  const [type, format, jsonPath] = [str(column, "type"), str(column, "format"), str(column, "jsonPath")];
  const types = `must be one of ${COLUMN_TYPES.join(",")}`;
  return [
    ...(str(column, "name") === "" ? [required(`${path}.name`)] : []),
    ...(type === ""
      ? [required(`${path}.type`, types)]
      : COLUMN_TYPES.includes(type)
        ? []
        : [invalid(`${path}.type`, type, types)]),
    ...(format === "" || COLUMN_FORMATS.includes(format)
      ? []
      : [invalid(`${path}.format`, format, `must be one of ${COLUMN_FORMATS.join(",")}`)]),
    ...(jsonPath === ""
      ? [required(`${path}.JSONPath`)]
      : jsonPath.startsWith(".")
        ? []
        : [invalid(`${path}.JSONPath`, jsonPath, "must be a simple json path starting with .")]),
  ];
}

function fieldErrors(
  fields: readonly JsonObject[],
  schema: JsonObject,
  path: string,
  many: boolean,
): readonly FieldError[] {
  const seen = new Set<string>();
  const errors = fields.flatMap((field, i) => {
    const where = `${path}[${i}].jsonPath`;
    const text = str(field, "jsonPath");
    if (text === "") return [required(where)];
    const found = schemaAt(schema, text, false);
    if (typeof found === "string") return [invalid(where, text, `is an invalid path: ${found}`)];
    const own: FieldError[] = text.startsWith(".metadata.")
      ? [invalid(where, text, "must not point to fields in metadata")]
      : [];
    if (!["string", "boolean", "integer"].includes(str(found, "type"))) {
      own.push(
        invalid(
          where,
          text,
          "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
        ),
      );
    }
    if (seen.has(text)) own.push(duplicate(where, text));
    seen.add(text);
    return own;
  });
  return seen.size > MOST_FIELDS && !many ? [...errors, tooMany(path, seen.size, MOST_FIELDS)] : errors;
}

// CustomResourceDefinitions (apiextensions-apiserver: pkg/apis/apiextensions/validation). Errors name the fields of the
// server's internal type, which holds at the top what all versions have in common.
import {
  FIELD_IS_IMMUTABLE,
  forbidden,
  goQuote,
  invalid,
  invalidEach,
  isDns1035Label,
  isDns1123Subdomain,
  isPrintable,
  notSupported,
  required,
  type FieldError,
} from "@fairlead/apimachinery";
import { deepEqual, getOwn, isArray, type JsonObject, type JsonValue, type Sliced } from "@fairlead/base";
import { at, bool, has, obj, objs, someObj, str, strs } from "./access.js";
import { shownVersions } from "./definition-form.js";
import { hasUnprunedDefault } from "./schema-default-rules.js";
import { hasGranularSet, keyErrors } from "./schema-rules.js";
import { partsOf, structuralErrors } from "./structural-rules.js";
import { MOST_FIELDS, sharedErrors, type VersionRules } from "./version-rules.js";
import { clientConfigErrors } from "./webhook-rules.js";

/** What an update does not ask for, since the stored definition lacks it already. */
interface Rules extends VersionRules {
  readonly fixedNames: boolean;
  readonly schemas: boolean;
  readonly knownReviewVersion: boolean;
}

const STRICT: Rules = {
  validTypes: true,
  atomicSets: true,
  keyedLists: true,
  fixedNames: false,
  schemas: true,
  prunedDefaults: true,
  knownReviewVersion: true,
  manyFields: () => false,
  sameSchemas: () => false,
};

/** What is wrong with a new definition. */
export function* definitionErrors(definition: JsonObject): Sliced<readonly FieldError[]> {
  return [
    ...(yield* specErrors(at(definition, "spec"), STRICT)),
    ...statusErrors(definition),
    ...storedErrors(definition),
    ...approvalErrors(definition, undefined),
    ...preserveErrors(definition, undefined),
  ];
}

/** What is wrong with a change of a definition. */
export function* definitionChangeErrors(definition: JsonObject, live: JsonObject): Sliced<readonly FieldError[]> {
  const [spec, before] = [at(definition, "spec"), at(live, "spec")];
  const rules = yield* rulesFor(before, live);
  const fixed = (path: string, after: JsonValue, old: JsonValue): readonly FieldError[] =>
    deepEqual(after, old) ? [] : [invalid(`spec.${path}`, after, FIELD_IS_IMMUTABLE)];
  const [names, oldNames] = [at(spec, "names"), at(before, "names")];
  return [
    ...(yield* specErrors(spec, rules)),
    ...(rules.fixedNames
      ? [
          ...fixed("scope", str(spec, "scope"), str(before, "scope")),
          ...fixed("names.kind", str(names, "kind"), str(oldNames, "kind")),
        ]
      : []),
    ...fixed("group", str(spec, "group"), str(before, "group")),
    ...fixed("names.plural", str(names, "plural"), str(oldNames, "plural")),
    ...statusErrors(definition),
    ...storedErrors(definition),
    ...approvalErrors(definition, live),
    ...preserveErrors(definition, live),
  ];
}

function* rulesFor(before: JsonObject, live: JsonObject): Sliced<Rules> {
  const schemas = objs(before, "versions").map((version) => someObj(at(version, "schema"), "openAPIV3Schema"));
  const all = schemas.flat();
  const anywhere = (test: (schema: JsonObject) => boolean): boolean => all.some((schema) => somewhere(schema, test));
  const reviews = strs(at(before, "conversion", "webhook"), "conversionReviewVersions");
  const byName = new Map(objs(before, "versions").map((version) => [str(version, "name"), version]));
  const established = objs(at(live, "status"), "conditions").some(
    (condition) => str(condition, "type") === "Established" && str(condition, "status") === "True",
  );
  return {
    validTypes: !anywhere((schema) => str(schema, "type") !== "" && !TYPES.includes(str(schema, "type"))),
    atomicSets: !anywhere(hasGranularSet),
    keyedLists: !anywhere((schema) => keyErrors(schema, "").length > 0),
    fixedNames: established,
    schemas: schemas.every((schema) => schema.length > 0),
    prunedDefaults: !(yield* someUnpruned(all)),
    knownReviewVersion: reviews.length === 0 || reviews.some((version) => REVIEW_VERSIONS.includes(version)),
    manyFields: (name) => objs(byName.get(name) ?? {}, "selectableFields").length > MOST_FIELDS,
    sameSchemas: (versions) =>
      versions.every((version) => {
        const old = byName.get(str(version, "name"));
        return old !== undefined && deepEqual(at(old, "schema"), at(version, "schema"));
      }),
  };
}

function* someUnpruned(schemas: readonly JsonObject[]): Sliced<boolean> {
  for (const schema of schemas)
    if ((yield* structuralErrors(schema, "")).length === 0 && (yield* hasUnprunedDefault(schema))) return true;
  return false;
}

const TYPES: readonly string[] = ["array", "boolean", "integer", "number", "object", "string"];
const REVIEW_VERSIONS: readonly string[] = ["v1", "v1beta1"];

/** Whether a test holds for a schema or one inside it. */
export function somewhere(schema: JsonObject, test: (schema: JsonObject) => boolean): boolean {
  return test(schema) || partsOf(schema).some((part) => somewhere(part, test));
}

const SHARED: readonly string[] = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"];

/** What all versions have in common, by key; undefined where they differ. */
function commonOf(versions: readonly JsonObject[]): ReadonlyMap<string, JsonValue | undefined> {
  const [first] = versions;
  const same = SHARED.filter(
    (key) =>
      first !== undefined &&
      versions.every((version) => deepEqual(getOwn(version, key) ?? null, getOwn(first, key) ?? null)),
  );
  return new Map(same.map((key) => [key, first === undefined ? undefined : getOwn(first, key)]));
}

function* specErrors(spec: JsonObject, rules: Rules): Sliced<readonly FieldError[]> {
  const versions = objs(spec, "versions");
  const common = commonOf(versions);
  const shown = (): JsonValue => (has(spec, "versions") ? shownVersions(versions, common) : null);
  const names = versions.map((version) => str(version, "name"));
  const stored = versions.filter((version) => bool(version, "storage")).length;
  const [first = ""] = names;
  const label = isDns1035Label(first);
  return [
    ...groupErrors(str(spec, "group")),
    ...scopeErrors(str(spec, "scope")),
    ...(rules.schemas
      ? versions.flatMap((version, i) =>
          has(at(version, "schema"), "openAPIV3Schema") ? [] : [required(`spec.versions[${i}].schema.openAPIV3Schema`)],
        )
      : []),
    ...(yield* versionsErrors(versions, { common, rules })),
    ...(new Set(names).size === names.length
      ? []
      : [invalid("spec.versions", shown(), "must contain unique version names")]),
    ...(stored === 1
      ? []
      : [invalid("spec.versions", shown(), "must have exactly one version marked as storage version")]),
    ...(first !== "" && label.length > 0 ? [invalid("spec.version", first, label.join(","))] : []),
    ...["plural", "singular", "kind", "listKind"].flatMap((key) =>
      str(at(spec, "names"), key) === "" ? [required(`spec.names.${key}`)] : [],
    ),
    ...nameErrors(at(spec, "names"), "spec.names"),
    ...(yield* sharedErrors({ common, versions, rules, path: "spec", schemaKey: "validation", version: "" })),
    ...conversionErrors(obj(spec, "conversion"), rules, bool(spec, "preserveUnknownFields")),
  ];
}

function groupErrors(group: string): readonly FieldError[] {
  if (group === "") return [required("spec.group")];
  const wrong = isDns1123Subdomain(group);
  if (wrong.length > 0) return [invalid("spec.group", group, wrong.join(","))];
  return group.includes(".") ? [] : [invalid("spec.group", group, "should be a domain with at least one dot")];
}

function scopeErrors(scope: string): readonly FieldError[] {
  const scopes = ["Cluster", "Namespaced"];
  if (scope === "") return [required("spec.scope")];
  return scopes.includes(scope) ? [] : [notSupported("spec.scope", scope, scopes)];
}

interface VersionFacts {
  readonly common: ReadonlyMap<string, JsonValue | undefined>;
  readonly rules: Rules;
}

function* versionsErrors(versions: readonly JsonObject[], facts: VersionFacts): Sliced<readonly FieldError[]> {
  const errors: FieldError[] = [];
  for (const [i, version] of versions.entries()) {
    yield VERSION_WORK;
    errors.push(...(yield* versionErrors(version, `spec.versions[${i}]`, facts)));
  }
  return errors;
}

const VERSION_WORK = 500;

function* versionErrors(
  version: JsonObject,
  path: string,
  { common, rules }: VersionFacts,
): Sliced<readonly FieldError[]> {
  const name = str(version, "name");
  const label = isDns1035Label(name);
  const own = new Map(SHARED.filter((key) => !common.has(key)).map((key) => [key, getOwn(version, key)]));
  return [
    ...(label.length > 0 ? [invalid(`${path}.name`, name, label.join(","))] : []),
    ...deprecationErrors(version, `${path}.deprecationWarning`),
    ...(yield* sharedErrors({ common: own, versions: [version], rules, path, schemaKey: "schema", version: name })),
  ];
}

function deprecationErrors(version: JsonObject, path: string): readonly FieldError[] {
  if (!has(version, "deprecationWarning")) return [];
  const warning = str(version, "deprecationWarning");
  if (!bool(version, "deprecated")) return [invalid(path, warning, "can only be set for deprecated versions")];
  const odd = [...warning].findIndex((character) => !isPrintable(character));
  return invalidEach(path, warning, [
    ...(Buffer.byteLength(warning) > 256 ? ["must be <= 256 characters long"] : []),
    ...(warning === "" ? ["must not be an empty string"] : []),
    ...(odd < 0
      ? []
      : [
          `must only contain printable UTF-8 characters; non-printable character found at index ${Buffer.byteLength([...warning].slice(0, odd).join(""))}`,
        ]),
  ]);
}

function conversionErrors(conversion: JsonObject | undefined, rules: Rules, preserves: boolean): readonly FieldError[] {
  if (conversion === undefined) return [];
  const path = "spec.conversion";
  const strategy = str(conversion, "strategy");
  const errors: FieldError[] =
    preserves && strategy !== "None"
      ? [invalid(`${path}.strategy`, strategy, "must be None if spec.preserveUnknownFields is true")]
      : [];
  if (strategy === "") errors.push(required(`${path}.strategy`));
  else if (strategy !== "None" && strategy !== "Webhook")
    errors.push(notSupported(`${path}.strategy`, strategy, ["None", "Webhook"]));
  const webhook = at(conversion, "webhook");
  const client = obj(webhook, "clientConfig");
  const reviews = strs(webhook, "conversionReviewVersions");
  if (strategy !== "Webhook") {
    const why = "should not be set when strategy is not set to Webhook";
    return [
      ...errors,
      ...(client === undefined ? [] : [forbidden(`${path}.webhookClientConfig`, why)]),
      ...(reviews.length === 0 ? [] : [forbidden(`${path}.conversionReviewVersions`, why)]),
    ];
  }
  return [
    ...errors,
    ...(client === undefined
      ? [required(`${path}.webhookClientConfig`, "required when strategy is set to Webhook")]
      : clientConfigErrors(client, `${path}.webhookClientConfig`, "exactly one of url or service is required")),
    ...reviewErrors(reviews, `${path}.conversionReviewVersions`, rules.knownReviewVersion),
  ];
}

function reviewErrors(versions: readonly string[], path: string, known: boolean): readonly FieldError[] {
  if (versions.length === 0) return [required(path)];
  const seen = new Set<string>();
  const errors = versions.flatMap((version, i) => {
    if (seen.has(version)) return [invalid(`${path}[${i}]`, version, "duplicate version")];
    seen.add(version);
    return invalidEach(`${path}[${i}]`, version, isDns1035Label(version));
  });
  return known && !versions.some((version) => REVIEW_VERSIONS.includes(version))
    ? [...errors, invalid(path, [...versions], `must include at least one of ${REVIEW_VERSIONS.join(", ")}`)]
    : errors;
}

function nameErrors(names: JsonObject, path: string): readonly FieldError[] {
  const plain = (name: string, where: string): readonly FieldError[] => {
    const wrong = isDns1035Label(name);
    return name === "" || wrong.length === 0 ? [] : [invalid(where, name, wrong.join(","))];
  };
  const mixed = (key: string): readonly FieldError[] => {
    const name = str(names, key);
    const wrong = isDns1035Label(name.toLowerCase());
    return name === "" || wrong.length === 0
      ? []
      : [invalid(`${path}.${key}`, name, `may have mixed case, but should otherwise match: ${wrong.join(",")}`)];
  };
  const listed = (key: string): readonly FieldError[] =>
    strs(names, key).flatMap((name, i) => invalidJoined(name, `${path}.${key}[${i}]`));
  const same = str(names, "kind") !== "" && str(names, "kind") === str(names, "listKind");
  return [
    ...plain(str(names, "plural"), `${path}.plural`),
    ...plain(str(names, "singular"), `${path}.singular`),
    ...mixed("kind"),
    ...mixed("listKind"),
    ...listed("shortNames"),
    ...(same ? [invalid(`${path}.listKind`, str(names, "listKind"), "kind and listKind may not be the same")] : []),
    ...listed("categories"),
  ];
}

function invalidJoined(name: string, path: string): readonly FieldError[] {
  const wrong = isDns1035Label(name);
  return wrong.length === 0 ? [] : [invalid(path, name, wrong.join(","))];
}

/** What is wrong with a definition's status. */
export function statusErrors(definition: JsonObject): readonly FieldError[] {
  return nameErrors(at(definition, "status", "acceptedNames"), "status.acceptedNames");
}

function storedErrors(definition: JsonObject): readonly FieldError[] {
  const path = "status.storedVersions";
  const list = getOwn(at(definition, "status"), "storedVersions");
  const stored = strs(at(definition, "status"), "storedVersions");
  if (stored.length === 0) return [invalid(path, isArray(list) ? list : null, "must have at least one stored version")];
  const versions = objs(at(definition, "spec"), "versions");
  const names = versions.map((version) => str(version, "name"));
  const missing = versions.filter((version) => bool(version, "storage") && !stored.includes(str(version, "name")));
  return [
    ...missing.map((version) => invalid(path, [...stored], `must have the storage version ${str(version, "name")}`)),
    ...stored.flatMap((name, i) => (names.includes(name) ? [] : [invalid(`${path}[${i}]`, name, stillStored(name))])),
  ];
}

function stillStored(name: string): string {
  return `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
}

const APPROVED = "api-approved.kubernetes.io";

/** Groups of the project itself need its approval. */
function approvalErrors(definition: JsonObject, live: JsonObject | undefined): readonly FieldError[] {
  const group = str(at(definition, "spec"), "group");
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return [];
  const given = str(at(definition, "metadata", "annotations"), APPROVED);
  const state = approvalState(given);
  if (live !== undefined && approvalState(str(at(live, "metadata", "annotations"), APPROVED)) === state) return [];
  const path = `metadata.annotations[${APPROVED}]`;
  const see = "see https://github.com/kubernetes/enhancements/pull/1111";
  if (state === "missing")
    return [required(path, `protected groups must have approval annotation ${goQuote(APPROVED)}, ${see}`)];
  return state === "invalid"
    ? [
        invalid(
          path,
          given,
          `protected groups must have approval annotation ${goQuote(APPROVED)} with either a URL or a reason starting with "unapproved", ${see}`,
        ),
      ]
    : [];
}

function approvalState(annotation: string): "missing" | "bypassed" | "approved" | "invalid" {
  if (annotation === "") return "missing";
  if (annotation.startsWith("unapproved")) return "bypassed";
  return /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/\s]+/.test(annotation) ? "approved" : "invalid";
}

function preserveErrors(definition: JsonObject, live: JsonObject | undefined): readonly FieldError[] {
  if (live !== undefined && bool(at(live, "spec"), "preserveUnknownFields")) return [];
  if (!bool(at(definition, "spec"), "preserveUnknownFields")) return [];
  return [
    invalid(
      "spec.preserveUnknownFields",
      true,
      "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    ),
  ];
}

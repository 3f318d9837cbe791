// The rules of `metadata` that hold for every kind (apimachinery: api/validation/objectmeta.go, apis/meta/v1/validation).
import { byCodeUnit, deepEqual, getOwn, isArray, isObject, type JsonObject, type JsonValue } from "@fairlead/base";
import type { FieldError } from "./field-error.js";
import { FIELD_IS_IMMUTABLE, forbidden, invalid, invalidEach, required, tooLong } from "./errors.js";
import { goQuote, isPrintable } from "./go-quote.js";
import {
  byteLength,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
  namePrefixRule,
} from "./names.js";

/** Tells what is wrong with a name; `prefix` when it is a generateName. */
export type NameRule = (name: string, prefix: boolean) => readonly string[];

/** Names of most kinds. */
export const nameIsDnsSubdomain: NameRule = namePrefixRule(isDns1123Subdomain);

/** Names of namespaces, and of kinds whose names become host names. */
export const nameIsDnsLabel: NameRule = namePrefixRule(isDns1123Label);

/** What annotations may weigh together, keys included. */
export const ANNOTATIONS_LIMIT_BYTES: number = 256 * 1024;

export interface ObjectMetaRules {
  readonly namespaced: boolean;
  /** How names are checked; DNS subdomains by default. */
  readonly validateName?: NameRule;
  /** Where the metadata stands; `metadata` by default. */
  readonly path?: string;
}

/** What is wrong with the metadata of a new object, whose name has been generated. */
export function validateObjectMeta(meta: JsonObject, rules: ObjectMetaRules): readonly FieldError[] {
  const { path = "metadata", validateName: rule = nameIsDnsSubdomain } = rules;
  const errors: FieldError[] = [];
  const generateName = text(meta, "generateName");
  const name = text(meta, "name");
  const namespace = text(meta, "namespace");
  if (generateName !== "") errors.push(...invalidEach(`${path}.generateName`, generateName, rule(generateName, true)));
  if (name === "") errors.push(required(`${path}.name`, "name or generateName is required"));
  else errors.push(...invalidEach(`${path}.name`, name, rule(name, false)));
  if (!rules.namespaced) {
    if (namespace !== "") errors.push(forbidden(`${path}.namespace`, "not allowed on this type"));
  } else if (namespace === "") errors.push(required(`${path}.namespace`));
  else errors.push(...invalidEach(`${path}.namespace`, namespace, nameIsDnsLabel(namespace, false)));
  const generation = getOwn(meta, "generation");
  if (typeof generation === "number" && generation < 0)
    errors.push(invalid(`${path}.generation`, generation, "must be greater than or equal to 0"));
  errors.push(...validateCommon(meta, path), ...validateFinalizers(strings(meta, "finalizers"), `${path}.finalizers`));
  errors.push(...validateManagedFields(meta, path));
  return errors;
}

/** What is wrong with a change of metadata. Whether a resourceVersion must be there is the registry's to know. */
export function validateObjectMetaUpdate(
  meta: JsonObject,
  old: JsonObject,
  rules: Partial<ObjectMetaRules> = {},
): readonly FieldError[] {
  const { path = "metadata" } = rules;
  const common = validateCommon(meta, path);
  const managers = validateManagedFields(meta, path);
  // The whole metadata is looked at, as if it were new, and then its change.
  const errors: FieldError[] = [
    ...common,
    ...validateFinalizers(strings(meta, "finalizers"), `${path}.finalizers`),
    ...managers,
  ];
  if (present(old, "deletionTimestamp")) {
    errors.push(
      ...validateNoNewFinalizers(strings(meta, "finalizers"), strings(old, "finalizers"), `${path}.finalizers`),
    );
  }
  const generation = Number(getOwn(meta, "generation") ?? 0);
  if (generation < Number(getOwn(old, "generation") ?? 0))
    errors.push(invalid(`${path}.generation`, generation, "must not be decremented"));
  for (const key of [
    "name",
    "namespace",
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
  ]) {
    errors.push(...validateImmutable(getOwn(meta, key), getOwn(old, key), `${path}.${key}`));
  }
  return [...errors, ...common, ...managers];
}

/** `field is immutable` where two values differ; null, absent and empty are the same. */
export function validateImmutable(
  value: JsonValue | undefined,
  old: JsonValue | undefined,
  path: string,
): readonly FieldError[] {
  return sameValue(value, old) ? [] : [invalid(path, value ?? null, FIELD_IS_IMMUTABLE)];
}

/** Go's semantic equality: absent, null and empty lists, maps and strings are the same at the top of the value. */
export function sameValue(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return deepEqual(a ?? null, b ?? null) || (isNothing(a) && isNothing(b));
}

function isNothing(value: JsonValue | undefined): boolean {
  return (
    value === undefined ||
    value === null ||
    value === "" ||
    (isArray(value) && value.length === 0) ||
    (isObject(value) && Object.keys(value).length === 0)
  );
}

/** What is wrong with labels; also for the labels of templates. */
export function validateLabels(labels: JsonValue | undefined, path: string): readonly FieldError[] {
  if (!isObject(labels)) return [];
  return Object.keys(labels)
    .sort(byCodeUnit)
    .flatMap((key) => {
      const value = getOwn(labels, key);
      return [
        ...validateLabelName(key, path),
        ...(typeof value === "string" ? invalidEach(path, value, isLabelValue(value)) : []),
      ];
    });
}

export function validateLabelName(name: string, path: string): readonly FieldError[] {
  return invalidEach(path, name, isQualifiedName(name));
}

/** What is wrong with annotations; also for those of templates. */
export function validateAnnotations(annotations: JsonValue | undefined, path: string): readonly FieldError[] {
  if (!isObject(annotations)) return [];
  let bytes = 0;
  const errors = Object.keys(annotations)
    .sort(byCodeUnit)
    .flatMap((key) => {
      const value = getOwn(annotations, key);
      bytes += byteLength(key) + (typeof value === "string" ? byteLength(value) : 0);
      return invalidEach(path, key, isQualifiedName(key.toLowerCase()));
    });
  return bytes > ANNOTATIONS_LIMIT_BYTES ? [...errors, tooLong(path, ANNOTATIONS_LIMIT_BYTES)] : errors;
}

function validateCommon(meta: JsonObject, path: string): readonly FieldError[] {
  return [
    ...validateLabels(getOwn(meta, "labels"), `${path}.labels`),
    ...validateAnnotations(getOwn(meta, "annotations"), `${path}.annotations`),
    ...validateOwnerReferences(getOwn(meta, "ownerReferences"), `${path}.ownerReferences`),
  ];
}

/** Each of them may quote the whole list. */
const MOST_OWNER_ERRORS = 100;

/** What is wrong with owner references; errors name the list, not its items, as Kubernetes' do. */
export function validateOwnerReferences(references: JsonValue | undefined, path: string): readonly FieldError[] {
  if (!isArray(references)) return [];
  const errors: FieldError[] = [];
  let controller = "";
  let all: JsonValue | undefined;
  for (const reference of references) {
    if (!isObject(reference)) continue;
    errors.push(...validateOwnerReference(reference, path));
    if (getOwn(reference, "controller") !== true) continue;
    const name = `${text(reference, "kind")}/${text(reference, "name")}`;
    if (controller === "") controller = name;
    else {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
      errors.push(invalid(path, (all ??= references.map(ownerReferenceForm)), detail));
      if (errors.length > MOST_OWNER_ERRORS) return errors;
    }
  }
  return errors;
}

function validateOwnerReference(reference: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const apiVersion = text(reference, "apiVersion");
  const slashes = apiVersion.split("/").length - 1;
  const version = slashes > 1 ? "" : (apiVersion.split("/").at(-1) ?? "");
  if (version === "") errors.push(invalid(`${path}.apiVersion`, apiVersion, "version must not be empty"));
  for (const key of ["kind", "name", "uid"]) {
    if (text(reference, key) === "") errors.push(invalid(`${path}.${key}`, "", "must not be empty"));
  }
  if (apiVersion === "v1" && text(reference, "kind") === "Event") {
    errors.push(invalid(path, ownerReferenceForm(reference), "/v1, Kind=Event is disallowed from being an owner"));
  }
  return errors;
}

/** An owner reference in the order of its Go struct, as messages quote it. */
function ownerReferenceForm(reference: JsonValue): JsonValue {
  if (!isObject(reference)) return reference;
  const keys = ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"].filter(
    (key) => getOwn(reference, key) !== undefined,
  );
  return Object.fromEntries(keys.map((key) => [key, getOwn(reference, key)]));
}

/** What is wrong with finalizers. */
export function validateFinalizers(finalizers: readonly string[], path: string): readonly FieldError[] {
  const errors: FieldError[] = finalizers.flatMap((finalizer) => [
    ...invalidEach(path, finalizer, isQualifiedName(finalizer)),
  ]);
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    errors.push(invalid(path, [...finalizers], "finalizer orphan and foregroundDeletion cannot be both set"));
  }
  return errors;
}

function validateNoNewFinalizers(
  finalizers: readonly string[],
  old: readonly string[],
  path: string,
): readonly FieldError[] {
  const added = [...new Set(finalizers)].filter((finalizer) => !old.includes(finalizer)).sort(byCodeUnit);
  if (added.length === 0) return [];
  const list = `[]string{${added.map(goQuote).join(", ")}}`;
  return [
    forbidden(path, `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`),
  ];
}

function validateManagedFields(meta: JsonObject, path: string): readonly FieldError[] {
  const entries = getOwn(meta, "managedFields");
  if (!isArray(entries)) return [];
  return entries.flatMap((entry, i) =>
    isObject(entry) ? validateManagedFieldsEntry(entry, `${path}.managedFields[${i}]`) : [],
  );
}

function validateManagedFieldsEntry(entry: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const operation = text(entry, "operation");
  const fieldsType = text(entry, "fieldsType");
  if (operation !== "Apply" && operation !== "Update")
    errors.push(invalid(`${path}.operation`, operation, "must be `Apply` or `Update`"));
  if (fieldsType !== "" && fieldsType !== "FieldsV1")
    errors.push(invalid(`${path}.fieldsType`, fieldsType, "must be `FieldsV1`"));
  errors.push(...validateFieldManager(text(entry, "manager"), `${path}.manager`));
  if (byteLength(text(entry, "subresource")) > 256) errors.push(tooLong(`${path}.subresource`, 256));
  return errors;
}

/** What is wrong with the name of a field manager: at most 128 bytes, printable. */
export function validateFieldManager(manager: string, path: string): readonly FieldError[] {
  const errors: FieldError[] = byteLength(manager) > 128 ? [tooLong(path, 128)] : [];
  let position = 0;
  for (const character of manager) {
    if (!isPrintable(character)) {
      const point = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      errors.push(invalid(path, manager, `invalid character U+${point} (at position ${position})`));
    }
    position += byteLength(character);
  }
  return errors;
}

/** What is wrong with a LabelSelector object. */
export function validateLabelSelector(selector: JsonValue | undefined, path: string): readonly FieldError[] {
  if (!isObject(selector)) return [];
  const expressions = getOwn(selector, "matchExpressions");
  return [
    ...validateLabels(getOwn(selector, "matchLabels"), `${path}.matchLabels`),
    ...(isArray(expressions)
      ? expressions.flatMap((item, i) =>
          isObject(item) ? validateRequirement(item, `${path}.matchExpressions[${i}]`) : [],
        )
      : []),
  ];
}

function validateRequirement(requirement: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const operator = text(requirement, "operator");
  const values = strings(requirement, "values");
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0)
      errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0)
      errors.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  } else errors.push(invalid(`${path}.operator`, operator, "not a valid selector operator"));
  errors.push(...validateLabelName(text(requirement, "key"), `${path}.key`));
  return [...errors, ...values.flatMap((value, i) => invalidEach(`${path}.values[${i}]`, value, isLabelValue(value)))];
}

function text(object: JsonObject, key: string): string {
  const value = getOwn(object, key);
  return typeof value === "string" ? value : "";
}

function strings(object: JsonObject, key: string): readonly string[] {
  const value = getOwn(object, key);
  return isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function present(object: JsonObject, key: string): boolean {
  const value = getOwn(object, key);
  return value !== undefined && value !== null && value !== "";
}

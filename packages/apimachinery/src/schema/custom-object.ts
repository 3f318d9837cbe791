// The two steps that every object from outside goes through: decoding by its kind's schema, and, for custom resources,
// validation (apiextensions-apiserver: pkg/apiserver/customresource_handler.go, pkg/registry/customresource/strategy.go).
import {
  byCodeUnit,
  FairleadError,
  getOwn,
  unsliced,
  type JsonObject,
  type JsonValue,
  type Sliced,
} from "@fairlead/base";
import { formatFieldError, type FieldError } from "../validation/field-error.js";
import { decodeGo } from "./decode.js";
import { coerceMetadata, validateEmbedded } from "./embedded.js";
import { validateListTypes } from "./list-types.js";
import { dropNonNullableNulls, prune } from "./prune.js";
import type { Schema } from "./schema.js";
import { validatingValue } from "./validate.js";

/** A value whose types do not fit its kind. The message is Go's decoder's. */
export class DecodeError extends FairleadError {
  constructor(message: string) {
    super("Undecodable", message);
  }
}

export interface PruneUnknownOptions {
  /** Whether the kind is a custom one, whose metadata and embedded objects are checked and whose nulls may be dropped. */
  readonly custom: boolean;
  /** Called with the path of each field that is dropped, in the order in which Kubernetes names them. */
  readonly onUnknown?: (path: string) => void;
}

/**
 * Makes of an object, in place, what its kind decodes: unknown fields are dropped, and in custom resources nulls that may
 * not be.
 *
 * @throws DecodeError when something has a type that its kind cannot hold.
 */
export function pruneUnknown(value: JsonValue, schema: Schema, options: PruneUnknownOptions): void {
  const { onUnknown = () => undefined } = options;
  if (!options.custom) {
    const error = decodeGo(value, schema);
    if (error !== undefined) throw new DecodeError(error);
    prune(value, schema, { onUnknown });
    return;
  }
  const error = coerceMetadata(value, schema, { root: true, onUnknown });
  if (error !== undefined) throw new DecodeError(rootMessage(error));
  const pruned: string[] = [];
  prune(value, schema, { root: true, onUnknown: (path) => pruned.push(path) });
  for (const path of pruned.sort(byCodeUnit)) onUnknown(path);
  dropNonNullableNulls(value, schema);
}

/** What is wrong with the object's own metadata is said by its decoder, without a field. */
function rootMessage(error: FieldError): string {
  return error.field === "metadata" ? error.detail : formatFieldError(error);
}

export interface CustomValidation {
  /** Whether only the status is written, and so only that is looked at. */
  readonly status: boolean;
  /** The stored object, on an update. */
  readonly old?: JsonObject;
}

/**
 * What is wrong with a custom resource beyond its own metadata and its rules in CEL. Where these are skipped, since the
 * object is too wrong for them, the error that says so is added.
 */
export function validateCustomObject(
  object: JsonObject,
  schema: Schema,
  options: CustomValidation,
): readonly FieldError[] {
  return unsliced(validatingCustomObject(object, schema, options));
}

/** validateCustomObject in slices. */
export function* validatingCustomObject(
  object: JsonObject,
  schema: Schema,
  options: CustomValidation,
): Sliced<readonly FieldError[]> {
  const own = yield* schemaErrors(object, schema, options);
  const errors = [...own, ...validateEmbedded(object, schema), ...listErrors(object, schema, options.old)];
  return hasRules(schema) && skipsRules(errors) ? [...errors, RULES_SKIPPED] : errors;
}

/** Whether errors are such that rules in CEL are not evaluated. */
export function skipsRules(errors: readonly FieldError[]): boolean {
  return errors.some(isBlocking);
}

const RULES_SKIPPED: FieldError = {
  type: "FieldValueInvalid",
  field: "<nil>",
  badValue: null,
  detail:
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
};

function isBlocking({ type }: FieldError): boolean {
  return [
    "FieldValueNotSupported",
    "FieldValueRequired",
    "FieldValueTooLong",
    "FieldValueTooMany",
    "FieldValueTypeInvalid",
  ].includes(type);
}

function* schemaErrors(
  object: JsonObject,
  schema: Schema,
  { status, old }: CustomValidation,
): Sliced<readonly FieldError[]> {
  if (!status) return yield* validatingValue(object, schema, { old });
  const value = getOwn(object, "status");
  const field = schema.properties?.get("status");
  if (value === undefined || field === undefined) return [];
  return yield* validatingValue(value, field, {
    path: "status",
    old: old === undefined ? undefined : getOwn(old, "status"),
  });
}

/** Items that stand twice; not where they did so before. */
function listErrors(object: JsonObject, schema: Schema, old: JsonObject | undefined): readonly FieldError[] {
  const errors = validateListTypes(object, schema);
  return old !== undefined && errors.length > 0 && validateListTypes(old, schema).length > 0 ? [] : errors;
}

/** Whether a schema has a CEL rule anywhere. */
export function hasRules(schema: Schema): boolean {
  if (schema.validations !== undefined) return true;
  const { items, additionalProperties: additional, properties } = schema;
  if (items !== undefined && hasRules(items)) return true;
  if (additional !== undefined && additional !== true && hasRules(additional)) return true;
  for (const property of properties?.values() ?? []) if (hasRules(property)) return true;
  return false;
}

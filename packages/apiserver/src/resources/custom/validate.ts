import { getOwn, type JsonObject } from "@fairlead/base";
import { validateEmbedded, validateListTypes, validateValue, type FieldError, type Schema } from "@fairlead/apimachinery";

export interface CustomValidation {
  /** Whether the write came through `/status`, which looks at nothing else. */
  readonly status: boolean;
  /** The stored object, on an update: what has not changed is not reported again. */
  readonly old?: JsonObject;
}

/** What is wrong with a custom resource, beyond its metadata (apiextensions-apiserver: registry/customresource/validator.go). */
export function validateCustomObject(object: JsonObject, schema: Schema, { status, old }: CustomValidation): readonly FieldError[] {
  if (status) return validateStatus(object, schema, old);
  return [
    ...validateValue(object, schema, old === undefined ? {} : { old }),
    ...validateEmbedded(object, schema),
    ...newListErrors(object, schema, { old, path: "" }),
  ];
}

function validateStatus(object: JsonObject, schema: Schema, old: JsonObject | undefined): readonly FieldError[] {
  const statusSchema = schema.properties?.get("status");
  const value = getOwn(object, "status");
  if (statusSchema === undefined || value === undefined) return [];
  const before = old === undefined ? undefined : getOwn(old, "status");
  return [
    ...validateValue(value, statusSchema, { path: "status", ...(before === undefined ? {} : { old: before }) }),
    ...validateEmbedded(value, statusSchema, "status"),
    ...newListErrors(object, schema, { old, path: "" }),
  ];
}

/** What stands twice in a set or map; an object that had such an error before may keep it. */
function newListErrors(object: JsonObject, schema: Schema, { old, path }: { readonly old: JsonObject | undefined; readonly path: string }): readonly FieldError[] {
  const errors = validateListTypes(object, schema, path);
  if (errors.length === 0 || old === undefined) return errors;
  return validateListTypes(old, schema, path).length > 0 ? [] : errors;
}

import { getOwn, isObject, type JsonObject, type JsonValue } from "@fairlead/base";
import { formatGoValue, goTypeName, type FieldError } from "@fairlead/apimachinery";

import type { ScalePaths } from "../resource.js";

const MAX_REPLICAS = 2 ** 31 - 1;

/** What is wrong with the fields behind `/scale` (apiextensions-apiserver: registry/customresource/validator.go). */
export function scaleErrors(object: JsonObject, scale: ScalePaths | undefined): readonly FieldError[] {
  if (scale === undefined) return [];
  return [...replicasErrors(object, scale.specReplicas), ...scaleStatusErrors(object, scale)];
}

/** The same for those of the status. */
export function scaleStatusErrors(object: JsonObject, scale: ScalePaths | undefined): readonly FieldError[] {
  if (scale === undefined) return [];
  const errors = replicasErrors(object, scale.statusReplicas);
  const { labelSelector } = scale;
  if (labelSelector === undefined) return errors;
  const found = read(object, labelSelector, { accepts: (value) => typeof value === "string", type: "string" });
  return found.problem === undefined ? errors : [...errors, invalid(labelSelector, "", found.problem)];
}

function replicasErrors(object: JsonObject, path: string): readonly FieldError[] {
  const { value, problem } = read(object, path, { accepts: isWhole, type: "int64" });
  if (problem !== undefined) return [invalid(path, 0, problem)];
  if (value === undefined) return [];
  if (Number(value) < 0) return [invalid(path, value, "should be a non-negative integer")];
  return Number(value) > MAX_REPLICAS ? [invalid(path, value, `should be less than or equal to ${MAX_REPLICAS}`)] : [];
}

function invalid(path: string, badValue: JsonValue, detail: string): FieldError {
  return { type: "FieldValueInvalid", field: `.${path}`, badValue, detail };
}

function isWhole(value: JsonValue): boolean {
  return goTypeName(value) === "int64";
}

interface Found {
  readonly value?: JsonValue;
  /** Why there is no such value, as Go's unstructured accessors say it. */
  readonly problem?: string;
}

function read(
  object: JsonObject,
  path: string,
  wanted: { readonly accepts: (value: JsonValue) => boolean; readonly type: string },
): Found {
  const fields = path.split(".");
  let value: JsonValue = object;
  for (const [i, field] of fields.entries()) {
    if (value === null) return {};
    if (!isObject(value)) return { problem: accessorError(fields.slice(0, i + 1), value, "map[string]interface{}") };
    const member = getOwn(value, field);
    if (member === undefined) return {};
    value = member;
  }
  return wanted.accepts(value) ? { value } : { problem: accessorError(fields, value, wanted.type) };
}

function accessorError(fields: readonly string[], value: JsonValue, type: string): string {
  return `.${fields.join(".")} accessor error: ${formatGoValue(value)} is of the type ${goTypeName(value)}, expected ${type}`;
}

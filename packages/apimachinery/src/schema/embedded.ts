// Objects inside custom resources (`x-kubernetes-embedded-resource`): their apiVersion, kind and metadata are those of
// Kubernetes whether the schema says so or not (apiextensions-apiserver: pkg/apiserver/schema/objectmeta).
import {
  cloneJson,
  getOwn,
  isArray,
  isObject,
  stringifyJson,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";
import type { FieldError } from "../validation/field-error.js";
import { childPath, invalid, required } from "../validation/errors.js";
import { isDns1035Label, isPathSegmentName } from "../validation/names.js";
import { validateObjectMeta } from "../validation/object-meta.js";
import { builtinSchema } from "./builtin.js";
import { decodeGo } from "./decode.js";
import { goForm } from "./go-form.js";
import { fieldSchema, prune } from "./prune.js";
import type { Schema } from "./schema.js";

export interface CoerceOptions {
  /** Whether the value is itself a custom resource. */
  readonly root?: boolean;
  /** Drops what has the wrong type, as reads from storage do, rather than report it. */
  readonly dropInvalid?: boolean;
  readonly onUnknown?: (path: string) => void;
  /** Where the value stands, for the error. */
  readonly path?: string;
}

/**
 * Brings the metadata of a custom resource and of the objects inside it into ObjectMeta's form, in place: unknown fields
 * and nulls are dropped.
 *
 * @returns the first thing that has the wrong type.
 */
export function coerceMetadata(value: JsonValue, schema: Schema, options: CoerceOptions = {}): FieldError | undefined {
  return coerce(value, options.root === true ? { ...schema, embeddedResource: true } : schema, {
    path: options.path ?? "",
    options,
  });
}

interface Place {
  readonly path: string;
  readonly options: CoerceOptions;
}

function coerce(value: JsonValue, schema: Schema, place: Place): FieldError | undefined {
  if (isArray(value)) {
    const { items } = schema;
    if (items === undefined) return undefined;
    for (const [i, item] of value.entries()) {
      const error = coerce(item, items, { ...place, path: `${place.path}[${i}]` });
      if (error !== undefined) return error;
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  for (const key of Object.keys(value)) {
    const own = schema.embeddedResource === true ? coerceMember(value, key, place) : undefined;
    if (own !== undefined) return own;
    const field = fieldSchema(schema, key);
    const member = getOwn(value, key);
    if (field === undefined || member === undefined) continue;
    const error = coerce(member, field, { ...place, path: childPath(place.path, key) });
    if (error !== undefined) return error;
  }
  return undefined;
}

function coerceMember(object: MutableJsonObject, key: string, { path, options }: Place): FieldError | undefined {
  const value = object[key] as JsonValue;
  if (key === "apiVersion" || key === "kind") {
    if (typeof value === "string") return undefined;
    if (options.dropInvalid !== true) return invalid(childPath(path, key), value, "must be a string");
    delete object[key];
    return undefined;
  }
  return key === "metadata" ? coerceObjectMeta(object, value, { path: childPath(path, key), options }) : undefined;
}

function coerceObjectMeta(
  object: MutableJsonObject,
  value: JsonValue,
  { path, options }: Place,
): FieldError | undefined {
  const schema = builtinSchema("meta.v1.ObjectMeta");
  const before = options.dropInvalid === true ? undefined : cloneJson(value);
  const error = decodeGo(value, schema, { dropInvalid: options.dropInvalid === true });
  if (error !== undefined) {
    if (before === undefined) return undefined;
    return invalid(path, JSON.parse(stringifyJson(before)) as JsonValue, error);
  }
  if (!isObject(value)) {
    delete object["metadata"];
    return undefined;
  }
  prune(value, schema, { onUnknown: (unknown) => options.onUnknown?.(`${path}.${unknown}`) });
  goForm(value, schema);
  return undefined;
}

/** What is wrong with the apiVersion, kind and metadata of objects inside a custom resource; its own are not looked at. */
export function validateEmbedded(value: JsonValue, schema: Schema, path = ""): readonly FieldError[] {
  if (isArray(value)) {
    const { items } = schema;
    return items === undefined ? [] : value.flatMap((item, i) => validateEmbedded(item, items, `${path}[${i}]`));
  }
  if (!isObject(value)) return [];
  const own = schema.embeddedResource === true ? validateTypeAndMeta(value, path) : [];
  const below = Object.keys(value).flatMap((key) => {
    const property = schema.properties?.get(key);
    const field = property ?? fieldSchema(schema, key);
    if (field === undefined) return [];
    return validateEmbedded(
      getOwn(value, key) as JsonValue,
      field,
      property === undefined ? `${path}[${key}]` : childPath(path, key),
    );
  });
  return [...own, ...below];
}

function validateTypeAndMeta(object: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const apiVersion = getOwn(object, "apiVersion");
  const kind = getOwn(object, "kind");
  const metadata = getOwn(object, "metadata");
  if (apiVersion === undefined) errors.push(required(childPath(path, "apiVersion")));
  if (kind === undefined) errors.push(required(childPath(path, "kind")));
  if (apiVersion !== undefined) errors.push(...validateApiVersion(apiVersion, childPath(path, "apiVersion")));
  if (kind !== undefined) errors.push(...validateKind(kind, childPath(path, "kind")));
  if (isObject(metadata)) {
    const named = getOwn(metadata, "name") === undefined ? { ...metadata, name: "fakename" } : metadata;
    const namespaced = (getOwn(metadata, "namespace") ?? "") !== "";
    errors.push(
      ...validateObjectMeta(named, { namespaced, validateName: isPathSegmentName, path: childPath(path, "metadata") }),
    );
  }
  return errors;
}

function validateApiVersion(value: JsonValue, path: string): readonly FieldError[] {
  if (typeof value !== "string") return [invalid(path, value, "must be a string")];
  if (value === "") return [invalid(path, value, "must not be empty")];
  return value.split("/").length > 2 ? [invalid(path, value, `unexpected GroupVersion string: ${value}`)] : [];
}

function validateKind(value: JsonValue, path: string): readonly FieldError[] {
  if (typeof value !== "string") return [invalid(path, value, "must be a string")];
  if (value === "") return [invalid(path, value, "must not be empty")];
  const messages = isDns1035Label(value.toLowerCase());
  return messages.length === 0
    ? []
    : [invalid(path, value, `may have mixed case, but should otherwise match: ${messages.join(",")}`)];
}

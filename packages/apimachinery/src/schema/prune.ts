// Dropping what a schema does not know (apiextensions-apiserver: pkg/apiserver/schema/pruning, defaulting/prunenulls.go).
import { getOwn, isArray, isObject, type JsonValue, type MutableJsonObject } from "@fairlead/base";
import type { Schema } from "./schema.js";

export interface PruneOptions {
  /** Whether the value is a whole custom resource, whose apiVersion, kind and metadata are known without being declared. */
  readonly root?: boolean;
  /** Called with the path (`spec.list[0].field`) of each field that is dropped. */
  readonly onUnknown?: (path: string) => void;
}

const META: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/**
 * Drops the fields that a schema does not declare, in place. Stops at `preserveUnknownFields` and takes up again at
 * properties that are declared below. Works for built-in kinds too, whose types are all declared.
 */
export function prune(value: JsonValue, schema: Schema, options: PruneOptions = {}): void {
  const at = options.root === true && schema.embeddedResource !== true ? { ...schema, embeddedResource: true } : schema;
  visit(value, at, { path: "", onUnknown: options.onUnknown });
}

interface Place {
  readonly path: string;
  readonly onUnknown: PruneOptions["onUnknown"];
}

function visit(value: JsonValue, schema: Schema | undefined, place: Place): void {
  if (isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const items = schema?.preserveUnknownFields === true && schema.items === undefined ? PRESERVE : schema?.items;
      visit(value[i] as JsonValue, items, at(place, `${place.path}[${i}]`));
    }
    return;
  }
  if (isObject(value)) visitObject(value, schema, place);
}

const PRESERVE: Schema = { preserveUnknownFields: true };

function visitObject(object: MutableJsonObject, schema: Schema | undefined, place: Place): void {
  for (const key of Object.keys(object)) {
    if (schema?.embeddedResource === true && META.has(key)) continue;
    const member = object[key] as JsonValue;
    const path = place.path === "" ? key : `${place.path}.${key}`;
    const property = schema?.properties?.get(key);
    const additional = schema?.additionalProperties;
    if (property !== undefined) visit(member, property, at(place, path));
    else if (additional !== undefined && additional !== true) visit(member, additional, at(place, path));
    else if (additional === true || schema?.preserveUnknownFields === true) {
      continue;
    } else {
      delete object[key];
      place.onUnknown?.(path);
    }
  }
}

function at(place: Place, path: string): Place {
  return place.onUnknown === undefined ? place : { path, onUnknown: place.onUnknown };
}

/**
 * Drops null where the schema neither allows it nor has a default for it, in place. This is done to the bodies of
 * requests only, never to the result of an apply.
 */
export function dropNonNullableNulls(value: JsonValue, schema: Schema | undefined): void {
  if (isArray(value)) {
    for (const item of value) dropNonNullableNulls(item, schema?.items);
    return;
  }
  if (!isObject(value)) return;
  const object: MutableJsonObject = value;
  for (const key of Object.keys(object)) {
    const member = getOwn(object, key) as JsonValue;
    const field = fieldSchema(schema, key);
    if (member === null && field !== undefined && field.nullable !== true && field.default === undefined)
      delete object[key];
    else dropNonNullableNulls(member, field);
  }
}

/** The schema of a key of an object; undefined where it has none. */
export function fieldSchema(schema: Schema | undefined, key: string): Schema | undefined {
  const property = schema?.properties?.get(key);
  if (property !== undefined) return property;
  const additional = schema?.additionalProperties;
  return additional === undefined || additional === true ? undefined : additional;
}

import type { JsonObject, JsonValue } from "@fairlead/base";
import type { Schema } from "@fairlead/apimachinery";

import { TypeCache, type Type } from "./type.js";

/** Builders of schemas, and one custom kind that has every merging behaviour. */
export const string: Schema = { type: "string" };
export const integer: Schema = { type: "integer" };
export const boolean: Schema = { type: "boolean" };

export function struct(properties: Readonly<Record<string, Schema>>, more: Partial<Schema> = {}): Schema {
  return { type: "object", properties: new Map(Object.entries(properties)), ...more };
}

export function mapOf(values: Schema, more: Partial<Schema> = {}): Schema {
  return { type: "object", additionalProperties: values, ...more };
}

export function listOf(items: Schema, more: Partial<Schema> = {}): Schema {
  return { type: "array", items, ...more };
}

export function keyed(keys: readonly string[], items: Schema): Schema {
  return listOf(items, { listType: "map", listMapKeys: keys });
}

const ports = keyed(
  ["port", "protocol"],
  struct({ port: integer, protocol: { type: "string", default: "TCP" }, name: string, target: { intOrString: true } }),
);

const containers = keyed(
  ["name"],
  struct({
    name: string,
    image: string,
    command: listOf(string),
    env: keyed(["name"], struct({ name: string, value: string })),
  }),
);

export const widgetSchema: Schema = struct({
  spec: struct({
    replicas: integer,
    image: string,
    flag: boolean,
    when: { type: "string", format: "date-time" },
    labels: mapOf(string),
    deep: mapOf(mapOf(string)),
    atomicLabels: mapOf(string, { mapType: "atomic" }),
    selector: struct({ kind: string, name: string }, { mapType: "atomic" }),
    config: struct({ cpu: integer, mem: string, extra: mapOf(string) }),
    args: listOf(string),
    tags: listOf(string, { listType: "set" }),
    numbers: listOf(integer, { listType: "set" }),
    ports,
    containers,
    free: { type: "object", preserveUnknownFields: true },
    any: { preserveUnknownFields: true },
    tmpl: { type: "object", embeddedResource: true, preserveUnknownFields: true },
    raw: { untypedAtomic: true },
  }),
  status: struct({ phase: string, ready: integer }),
});

export const types: TypeCache = new TypeCache();

/** The type of a whole widget. */
export const widgetType: Type = types.objectType(widgetSchema, { builtin: false });

/** A widget named `w` with this specification. */
export function widget(spec: JsonValue, more: JsonObject = {}): JsonObject {
  return { apiVersion: "lab.dev/v1", kind: "Widget", metadata: { name: "w" }, spec, ...more };
}

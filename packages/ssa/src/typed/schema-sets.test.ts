import { describe, expect, it } from "vitest";
import type { JsonObject } from "@fairlead/base";
import type { Schema } from "@fairlead/apimachinery";

import { decodeFieldsV1, encodeFieldsV1 } from "../fieldpath/fields-v1.js";
import { keyed, listOf, mapOf, string, struct, widgetType } from "./schema.fixtures.js";
import { ensureNamedFieldsAreMembers, reconcileWithSchema } from "./schema-sets.js";
import { TypeCache, type Type } from "./type.js";

const below = (fields: JsonObject): JsonObject => ({ "f:spec": fields });

it.each<[sentence: string, fields: JsonObject, named: JsonObject]>([
  ["fields of structs", { "f:config": { "f:cpu": {} } }, { "f:config": { ".": {}, "f:cpu": {} } }],
  ["maps that are fields", { "f:labels": { "f:a": {} } }, { "f:labels": { ".": {}, "f:a": {} } }],
  ["lists that are fields", { "f:tags": { 'v:"a"': {} } }, { "f:tags": { ".": {}, 'v:"a"': {} } }],
  ["not the keys of maps", { "f:deep": { "f:k": { "f:x": {} } } }, { "f:deep": { ".": {}, "f:k": { "f:x": {} } } }],
  [
    "fields inside items, not the items",
    { "f:containers": { 'k:{"name":"c"}': { "f:env": { 'k:{"name":"E"}': { "f:value": {} } } } } },
    {
      "f:containers": {
        ".": {},
        'k:{"name":"c"}': { "f:env": { ".": {}, 'k:{"name":"E"}': { "f:value": {} } } },
      },
    },
  ],
  ["nothing that the schema does not know", { "f:bogus": { "f:x": {} } }, { "f:bogus": { "f:x": {} } }],
  [
    "nothing inside values without schema",
    { "f:free": { "f:x": { "f:y": {} } } },
    { "f:free": { ".": {}, "f:x": { "f:y": {} } } },
  ],
])("%s become members where there are members below", (_sentence, fields, named) => {
  const set = decodeFieldsV1(below(fields));
  const result = ensureNamedFieldsAreMembers(set, widgetType);
  expect(encodeFieldsV1(result)).toEqual({ "f:spec": { ".": {}, ...named } });
  expect(ensureNamedFieldsAreMembers(result, widgetType)).toBe(result);
  expect(ensureNamedFieldsAreMembers(set, undefined)).toBe(set);
});

describe("after a change of schema", () => {
  const item = struct({ name: string, value: string });
  const atomicItem = { ...item, mapType: "atomic" as const };
  const typeOf = (schema: Schema): Type => new TypeCache().objectType(struct({ x: schema }), { builtin: true });
  const map = { "f:a": { ".": {}, "f:b": {} } };
  const list = { 'k:{"name":"a"}': { ".": {}, "f:name": {}, "f:value": {} } };

  it.each<[sentence: string, schema: Schema, fields: JsonObject, reconciled: JsonObject]>([
    ["a map that is a leaf by now is owned as a whole", mapOf(string, { mapType: "atomic" }), map, {}],
    ["a struct that is a leaf by now is owned as a whole", { ...item, mapType: "atomic" }, { "f:name": {} }, {}],
    ["a list that is a leaf by now is owned as a whole", listOf(item), list, {}],
    ["a map that is divided stays", mapOf(mapOf(string)), map, map],
    ["what is inside a divided map is looked at", mapOf(mapOf(string, { mapType: "atomic" })), map, { "f:a": {} }],
    ["a keyed list that is divided stays", keyed(["name"], item), list, list],
    ["items that are leaves by now are owned as a whole", keyed(["name"], atomicItem), list, { 'k:{"name":"a"}': {} }],
    ["a set stays", listOf(string, { listType: "set" }), { 'v:"a"': {} }, { 'v:"a"': {} }],
    ["what has no schema stays", { type: "object", preserveUnknownFields: true }, map, map],
    ["what has no schema and is a leaf stays", { untypedAtomic: true }, map, {}],
    ["what may be any value stays", {}, map, map],
    ["a scalar stays", string, map, map],
    ["a field that is gone stays", struct({ y: item }), map, map],
    [
      "a field that is a leaf without type stays",
      { preserveUnknownFields: true },
      { "f:a": { "f:b": {} } },
      { "f:a": { "f:b": {} } },
    ],
  ])("%s", (_sentence, schema, fields, reconciled) => {
    const set = decodeFieldsV1({ "f:x": fields });
    const result = reconcileWithSchema(set, typeOf(schema));
    expect(encodeFieldsV1(result)).toEqual({ "f:x": reconciled });
    expect(reconcileWithSchema(result, typeOf(schema))).toBe(result);
    if (fields === reconciled) expect(result).toBe(set);
  });

  it("shares what stays", () => {
    const type = new TypeCache().objectType(
      struct({ a: struct({ x: string, y: string }), m: mapOf(string, { mapType: "atomic" }) }),
      { builtin: true },
    );
    const set = decodeFieldsV1({ "f:a": { "f:x": {}, "f:y": {} }, "f:m": { "f:k": {} }, "f:z": {} });
    const result = reconcileWithSchema(set, type);
    expect(encodeFieldsV1(result)).toEqual({ "f:a": { "f:x": {}, "f:y": {} }, "f:m": {}, "f:z": {} });
    expect(result.children[0]).toBe(set.children[0]);
  });
});

import { describe, expect, it } from "vitest";
import type { JsonValue } from "@fairlead/base";
import type { Schema } from "@fairlead/apimachinery";

import { encodeFieldsV1 } from "../fieldpath/fields-v1.js";
import { boolean, integer, keyed, listOf, mapOf, string, struct } from "./schema.fixtures.js";
import { fieldSetOfValue } from "./to-field-set.js";
import { TypeCache, type Type } from "./type.js";
import { TypedError, validateTyped } from "./validate.js";

/** The type of a field `x` of this schema. */
function typeOf(schema: Schema, cache = new TypeCache()): Type {
  return cache.objectType(struct({ x: schema }), { builtin: true }).map?.typeOf("x") as Type;
}

function mistake(value: JsonValue, schema: Schema): string | undefined {
  try {
    validateTyped({ x: value }, new TypeCache().objectType(struct({ x: schema }), { builtin: true }), {
      allowDuplicates: false,
    });
    return undefined;
  } catch (error) {
    if (error instanceof TypedError) return error.message;
    throw error;
  }
}

/** The fields that `{x: value}` sets, below `x`; `{}` for a leaf. */
const fields = (value: JsonValue, schema: Schema): JsonValue | undefined =>
  encodeFieldsV1(fieldSetOfValue({ x: value }, new TypeCache().objectType(struct({ x: schema }), { builtin: true })))[
    "f:x"
  ];

describe("a schema of scalars", () => {
  const VALUES: readonly JsonValue[] = ["t", 1, 1.5, 9007199254740993n, true, { a: 1 }, [1]];
  it.each<[what: string, schema: Schema, accepted: readonly JsonValue[]]>([
    ["a string", string, ["t"]],
    ["a string with an empty format", { type: "string", format: "" }, ["t"]],
    ["bytes", { type: "string", format: "byte" }, ["t"]],
    ["a string of a format", { type: "string", format: "date-time" }, ["t", 1, 1.5, 9007199254740993n, true]],
    ["an integer", integer, [1, 1.5, 9007199254740993n]],
    ["a number", { type: "number" }, [1, 1.5, 9007199254740993n]],
    ["a boolean", boolean, [true]],
    ["a quantity", { format: "quantity" }, ["t", 1, 1.5, 9007199254740993n, true]],
    ["an integer or a string", { intOrString: true }, VALUES],
    ["no type", {}, VALUES],
    ["what is not described at all", { untypedAtomic: true }, VALUES],
  ])("%s accepts some values and no others", (_what, schema, accepted) => {
    expect(VALUES.filter((value) => mistake(value, schema) === undefined)).toEqual(accepted);
    expect(mistake(null, schema)).toBeUndefined();
  });
});

describe("a schema of lists", () => {
  const item = struct({ name: string, port: integer });
  const list = [{ name: "b", port: 1 }, { name: "a" }];
  const byName = {
    'k:{"name":"a"}': { ".": {}, "f:name": {} },
    'k:{"name":"b"}': { ".": {}, "f:name": {}, "f:port": {} },
  };

  it.each<[what: string, schema: Schema, value: JsonValue, owned: JsonValue]>([
    ["without a relation is a leaf", listOf(item), list, {}],
    ["is a leaf when it says so", listOf(item, { listType: "atomic", patchStrategy: ["merge"] }), list, {}],
    ["is divided by its keys", keyed(["name"], item), list, byName],
    [
      "is divided by the merge key of built-in kinds",
      listOf(item, { patchStrategy: ["merge"], patchMergeKey: "name" }),
      list,
      byName,
    ],
    [
      "is divided where merging is one strategy of several",
      listOf(item, { patchStrategy: ["merge", "retainKeys"], patchMergeKey: "name" }),
      list,
      byName,
    ],
    ["is a leaf under another strategy", listOf(item, { patchStrategy: ["replace"], patchMergeKey: "name" }), list, {}],
    ["is a set of what merges without a key", listOf(string, { patchStrategy: ["merge"] }), ["a"], { 'v:"a"': {} }],
    ["is a set when it says so", listOf(string, { listType: "set" }), ["a"], { 'v:"a"': {} }],
    ["with a relation of keys but no keys is a set", listOf(string, { listType: "map" }), ["a"], { 'v:"a"': {} }],
    ["without items holds anything", { type: "array", listType: "set" }, [1, "a"], { 'v:"a"': {}, "v:1": {} }],
    ["without items is a leaf of anything", { type: "array" }, [1, { a: [{}] }], {}],
  ])("%s", (_what, schema, value, owned) => {
    expect(mistake(value, schema)).toBeUndefined();
    expect(fields(value, schema)).toEqual(owned);
  });

  it("knows the keys, and the text that elements of one key begin with", () => {
    expect(typeOf(keyed(["a"], item)).list).toMatchObject({ keys: ["a"], singleKeyPrefix: 'k:{"a":', atomic: false });
    expect(typeOf(keyed(["a", "b"], item)).list).toMatchObject({ keys: ["a", "b"], singleKeyPrefix: undefined });
    expect(typeOf(listOf(string, { listType: "set" })).list).toMatchObject({ keys: [], singleKeyPrefix: undefined });
  });
});

describe("a schema of maps", () => {
  const value = { a: { b: 1 }, c: "d" };
  const divided = { "f:a": { ".": {}, "f:b": {} }, "f:c": {} };
  const inStruct = { "f:a": { "f:b": {} }, "f:c": {} };
  const known = struct({ a: struct({ b: integer }), c: string });

  it.each<[what: string, schema: Schema, owned: JsonValue | string]>([
    ["owns what is in its structs", known, inStruct],
    ["is a leaf when it says so", { ...known, mapType: "atomic" }, {}],
    ["is divided when it says so", { ...known, mapType: "granular" }, inStruct],
    ["refuses what it does not declare", struct({ c: string }), ".x.a: field not declared in schema"],
    ["without fields takes anything", { type: "object" }, divided],
    ["takes anything besides its fields", { ...struct({ c: string }), preserveUnknownFields: true }, divided],
    ["with additional properties of any kind takes anything", { type: "object", additionalProperties: true }, divided],
    ["with additional properties without type takes anything", mapOf({}), divided],
    ["with additional properties of a kind wants it", mapOf(struct({ b: integer })), ".x.c: expected map, got &{d}"],
    [
      "passes on to its fields that unknown ones are kept",
      { ...struct({ a: struct({ z: string }), c: string }), preserveUnknownFields: true },
      inStruct,
    ],
    [
      "passes on to the fields of its items that unknown ones are kept",
      { preserveUnknownFields: true, ...mapOf({ properties: new Map([["z", string]]) }), type: "object" },
      divided,
    ],
  ])("%s", (_what, schema, owned) => {
    if (typeof owned === "string") expect(mistake(value, schema)).toBe(owned);
    else {
      expect(mistake(value, schema)).toBeUndefined();
      expect(fields(value, schema)).toEqual(owned);
    }
  });

  it("passes on to the items of its lists that unknown fields are kept", () => {
    const items = listOf(struct({ z: string }));
    expect(mistake([{ y: 1 }], items)).toBe(".x[0].y: field not declared in schema");
    expect(mistake({ l: [{ y: 1 }] }, { ...struct({ l: items }), preserveUnknownFields: true })).toBeUndefined();
    expect(mistake([{ y: 1 }], { ...items, preserveUnknownFields: true })).toBeUndefined();
  });
});

describe("implicit fields", () => {
  const schema = struct({
    spec: struct({ embedded: struct({}, { embeddedResource: true, preserveUnknownFields: true }) }),
  });
  const object = {
    apiVersion: "v1",
    kind: "K",
    metadata: {
      name: "n",
      labels: { a: "b" },
      annotations: { c: "d" },
      finalizers: ["f"],
      generation: 1,
      creationTimestamp: "2026-01-01T00:00:00Z",
      ownerReferences: [
        { uid: "u", name: "o", apiVersion: "v1", kind: "P", controller: true, blockOwnerDeletion: false },
      ],
      managedFields: [
        {
          ...{ manager: "m", operation: "Apply", apiVersion: "v1", time: "2026-01-01T00:00:00Z" },
          ...{ fieldsType: "FieldsV1", fieldsV1: { "f:a": {} }, subresource: "s" },
        },
      ],
      ...{ namespace: "ns", uid: "u", resourceVersion: "1", selfLink: "/", generateName: "n-" },
      ...{ deletionTimestamp: "2026-01-01T00:00:00Z", deletionGracePeriodSeconds: 5 },
    },
  };
  const metadataFields = {
    "f:annotations": { "f:c": {} },
    "f:finalizers": { 'v:"f"': {} },
    "f:labels": { "f:a": {} },
    "f:managedFields": {},
    "f:ownerReferences": { 'k:{"uid":"u"}': {} },
    ...Object.fromEntries(
      ["creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generateName", "generation", "name"]
        .concat("namespace", "resourceVersion", "selfLink", "uid")
        .map((name) => [`f:${name}`, {}]),
    ),
  };
  const identity = { "f:apiVersion": {}, "f:kind": {}, "f:metadata": metadataFields };

  it("are those of a custom kind and of embedded resources", () => {
    const type = new TypeCache().objectType(schema, { builtin: false });
    const value = { ...object, spec: { embedded: object } };
    expect(validateTyped(value, type, { allowDuplicates: false }).hasNull).toBe(false);
    expect(encodeFieldsV1(fieldSetOfValue(value, type))).toEqual({ ...identity, "f:spec": { "f:embedded": identity } });
  });

  it("are not added to a built-in kind", () => {
    const type = new TypeCache().objectType(schema, { builtin: true });
    expect(() => validateTyped({ kind: "K" }, type, { allowDuplicates: false })).toThrow(
      ".kind: field not declared in schema",
    );
  });

  it.each<[member: JsonValue, message: string]>([
    [{ bogus: 1 }, ".metadata.bogus: field not declared in schema"],
    [{ name: 1 }, ".metadata.name: expected string"],
    [{ generation: "1" }, ".metadata.generation: expected numeric"],
    [{ labels: { a: 1 } }, ".metadata.labels.a: expected string"],
    [{ ownerReferences: [{ uid: "u", controller: "yes" }] }, ".controller: expected boolean"],
    [{ ownerReferences: [{ uid: "u", bogus: 1 }] }, ".bogus: field not declared in schema"],
    [{ ownerReferences: [{ name: "a" }, { name: "b" }] }, 'duplicate entries for key [uid=""]'],
    [{ managedFields: [{ bogus: 1 }] }, ".metadata.managedFields[0].bogus: field not declared in schema"],
  ])("have types of their own: %j", (metadata, message) => {
    const type = new TypeCache().objectType(schema, { builtin: false });
    expect(() => validateTyped({ metadata }, type, { allowDuplicates: false })).toThrow(message);
  });
});

it("compiles each schema once", () => {
  const cache = new TypeCache();
  const schema = struct({ a: integer });
  for (const builtin of [true, false])
    expect(cache.objectType(schema, { builtin })).toBe(cache.objectType(schema, { builtin }));
  expect(cache.objectType(schema, { builtin: true })).not.toBe(cache.objectType(schema, { builtin: false }));
  expect(typeOf(schema, cache)).toBe(typeOf(schema, cache));
  expect(typeOf(schema)).not.toBe(typeOf(schema));
});

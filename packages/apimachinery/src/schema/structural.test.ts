import { expect, it } from "vitest";
import { parseJson, type JsonValue } from "@fairlead/base";
import type { Schema } from "./schema.js";
import { structuralSchema } from "./structural.js";

it.each<[sentence: string, json: JsonValue | undefined, schema: Schema]>([
  ["knows nothing of what is not there", undefined, {}],
  ["keeps types that JSON has", { type: "string", format: "date" }, { type: "string", format: "date" }],
  ["has no other types", { type: "file" }, {}],
  [
    "keeps the order of properties",
    { type: "object", properties: { b: { type: "integer" }, a: {} }, required: ["b"] },
    {
      type: "object",
      properties: new Map<string, Schema>([
        ["b", { type: "integer" }],
        ["a", {}],
      ]),
      required: ["b"],
    },
  ],
  [
    "keeps bounds and enums",
    { minLength: 1, maximum: 5, exclusiveMaximum: true, enum: ["a", 1] },
    { minLength: 1, maximum: 5, exclusiveMaximum: true, enum: ["a", 1] },
  ],
  ["has no null as a default", { default: null }, {}],
  ["keeps empty defaults", { default: {} }, { default: {} }],
  [
    "goes into maps and lists",
    { additionalProperties: { items: { nullable: true } } },
    { additionalProperties: { items: { nullable: true } } },
  ],
  ["allows any key", { additionalProperties: true }, { additionalProperties: true }],
  ["allows no more keys than before", { additionalProperties: false }, {}],
  [
    "goes into alternatives",
    { anyOf: [{ type: "string" }], not: { minLength: 2 } },
    { anyOf: [{ type: "string" }], not: { minLength: 2 } },
  ],
  [
    "keeps Kubernetes' own",
    {
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      "x-kubernetes-preserve-unknown-fields": true,
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-int-or-string": true,
      "x-kubernetes-map-type": "atomic",
    },
    {
      listType: "map",
      listMapKeys: ["name"],
      preserveUnknownFields: true,
      embeddedResource: true,
      intOrString: true,
      mapType: "atomic",
    },
  ],
  [
    "keeps rules as they are",
    {
      "x-kubernetes-validations": [
        { rule: "self > 1", message: "", reason: "FieldValueInvalid", optionalOldSelf: false },
      ],
    },
    { validations: [{ rule: "self > 1", reason: "FieldValueInvalid", optionalOldSelf: false }] },
  ],
  ["takes what has the wrong shape for absent", { properties: [], required: "a", items: 5 }, {}],
])("%s", (_sentence, json, schema) => {
  expect(structuralSchema(json)).toEqual(schema);
});

it("makes plain numbers of spelled ones", () => {
  expect(structuralSchema(parseJson('{"default":1.0,"maximum":1e2}'))).toEqual({ default: 1, maximum: 100 });
});

it("is not led astray by the names of properties", () => {
  const schema = structuralSchema(parseJson('{"properties":{"__proto__":{"type":"string"}}}'));
  expect([...(schema.properties ?? [])]).toEqual([["__proto__", { type: "string" }]]);
});

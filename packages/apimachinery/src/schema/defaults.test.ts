import { expect, it } from "vitest";
import { deepFreeze, type JsonObject, type JsonValue, type MutableJsonObject } from "@fairlead/base";
import { applySchemaDefaults, DefaultsError } from "./defaults.js";
import { structuralSchema } from "./structural.js";

const properties = (fields: JsonObject): JsonValue => ({ type: "object", properties: fields });

it.each<[sentence: string, schema: JsonValue, value: JsonObject, filled: JsonValue]>([
  ["fills in what is missing", properties({ a: { default: 1 } }), {}, { a: 1 }],
  ["keeps what is there", properties({ a: { default: 1 } }), { a: 0 }, { a: 0 }],
  ["fills in for a null that may not be", properties({ a: { default: 1 } }), { a: null }, { a: 1 }],
  ["keeps a null that may be", properties({ a: { default: 1, nullable: true } }), { a: null }, { a: null }],
  ["does not create objects on the way", properties({ s: properties({ a: { default: 1 } }) }), {}, {}],
  [
    "goes into the default of an object",
    properties({ s: { ...(properties({ a: { default: 1 } }) as JsonObject), default: {} } }),
    {},
    { s: { a: 1 } },
  ],
  [
    "goes into lists",
    properties({ l: { items: properties({ a: { default: 1 } }) } }),
    { l: [{}, { a: 2 }] },
    { l: [{ a: 1 }, { a: 2 }] },
  ],
  [
    "goes into maps",
    properties({ m: { additionalProperties: properties({ a: { default: 1 } }) } }),
    { m: { k: {} } },
    { m: { k: { a: 1 } } },
  ],
])("%s", (_sentence, schema, value, filled) => {
  const object: MutableJsonObject = { ...deepFreeze(value) };
  applySchemaDefaults(object, structuralSchema(schema));
  expect(object).toEqual(filled);
});

it("does not fill in more than any object may have", () => {
  const fields = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`f${i}`, "x"]));
  const schema = structuralSchema({
    type: "object",
    properties: {
      l: { type: "array", items: { type: "object", properties: { a: { type: "object", default: fields } } } },
    },
  });
  const empty = (count: number): MutableJsonObject => ({ l: Array.from({ length: count }, () => ({})) });
  expect(() => applySchemaDefaults(empty(100), schema)).not.toThrow();
  expect(() => applySchemaDefaults(empty(40_000), schema)).toThrow(DefaultsError);
});

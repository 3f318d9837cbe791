import fc from "fast-check";
import { expect, it } from "vitest";
import {
  cloneJson,
  deepEqual,
  isObject,
  unsliced,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";
import { builtinSchema } from "./builtin.js";
import { decodeGo } from "./decode.js";
import { applySchemaDefaults } from "./defaults.js";
import { goForm } from "./go-form.js";
import { dropNonNullableNulls, prune } from "./prune.js";
import type { Schema } from "./schema.js";
import { structuralSchema } from "./structural.js";
import { isKnownValid } from "./recognize.js";
import { explainingValue, validateValue } from "./validate.js";

const name = fc.constantFrom("a", "b", "c", "metadata", "kind");
const scalar = fc.constantFrom<JsonValue>("x", "", 0, 1, 1.5, true, null);
const value = fc.letrec<{ any: JsonValue; object: JsonObject }>((tie) => ({
  any: fc.oneof({ maxDepth: 4 }, scalar, fc.array(tie("any"), { maxLength: 3 }), tie("object")),
  object: fc.dictionary(name, tie("any"), { maxKeys: 3, noNullPrototype: true }),
}));
const json = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.record(
      { type: fc.constantFrom("string", "integer"), nullable: fc.boolean(), default: scalar },
      { requiredKeys: ["type"] },
    ),
    fc.record(
      {
        type: fc.constant("object"),
        properties: fc.dictionary(name, tie("schema"), { maxKeys: 3, noNullPrototype: true }),
        default: fc.constant({}),
        "x-kubernetes-preserve-unknown-fields": fc.constant(true),
        "x-kubernetes-embedded-resource": fc.boolean(),
      },
      { requiredKeys: ["type", "properties"] },
    ),
    fc.record({ type: fc.constant("object"), additionalProperties: tie("schema") }),
    fc.record({ type: fc.constant("array"), items: tie("schema") }),
  ),
}));
const schema = json.schema.map(structuralSchema);

/** Twice is once, for a change that is made in place. */
function isIdempotent(change: (object: MutableJsonObject) => void, object: JsonObject): boolean {
  const once = cloneJson(object);
  change(once);
  const twice = cloneJson(once);
  change(twice);
  return deepEqual(twice, once);
}

it("prunes, drops nulls and fills in defaults once and for all", () => {
  fc.assert(
    fc.property(value.object, schema, (object, of) => {
      for (const change of [
        (each: MutableJsonObject) => prune(each, of, { root: true }),
        (each: MutableJsonObject) => dropNonNullableNulls(each, of),
        (each: MutableJsonObject) => applySchemaDefaults(each, of),
      ])
        expect(isIdempotent(change, object)).toBe(true);
    }),
  );
});

it("prunes nothing that its schema knows", () => {
  fc.assert(
    fc.property(value.object, schema, (object, of) => {
      const pruned = cloneJson(object);
      prune(pruned, of);
      const unknown: string[] = [];
      prune(pruned, of, { onUnknown: (path) => unknown.push(path) });
      expect(unknown).toEqual([]);
    }),
  );
});

it("does not touch what the object shares while it fills in defaults", () => {
  fc.assert(
    fc.property(value.object, schema, (object, of) => {
      const before = cloneJson(object);
      applySchemaDefaults({ ...object }, of);
      expect(object).toEqual(before);
    }),
  );
});

it("finds nothing wrong with what has not changed", () => {
  fc.assert(
    fc.property(value.any, schema, (any, of) => {
      expect(validateValue(any, of, { old: any })).toEqual([]);
    }),
  );
});

const constrained = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.record(
      {
        type: fc.constantFrom("string", "integer", "number", "boolean", "array", "object"),
        nullable: fc.boolean(),
        enum: fc.array(scalar, { maxLength: 3 }),
        format: fc.constantFrom("int32", "date", "double", "nothing"),
        minimum: fc.constantFrom(0, 1, 1.5),
        multipleOf: fc.constantFrom(1, 2),
        minLength: fc.constantFrom(0, 1),
        maxLength: fc.constantFrom(0, 1),
        pattern: fc.constantFrom("^x$", "("),
        maxItems: fc.constant(1),
        minProperties: fc.constant(1),
        required: fc.constant(["a"]),
        "x-kubernetes-int-or-string": fc.constant(true),
      },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        type: fc.constantFrom("object", "array"),
        properties: fc.dictionary(name, tie("schema"), { maxKeys: 3, noNullPrototype: true }),
        items: tie("schema"),
        additionalProperties: tie("schema"),
        anyOf: fc.array(tie("schema"), { maxLength: 2 }),
        oneOf: fc.array(tie("schema"), { maxLength: 2 }),
        allOf: fc.array(tie("schema"), { maxLength: 2 }),
        not: tie("schema"),
      },
      { requiredKeys: [] },
    ),
  ),
}));

it("finds nothing wrong the quick way just where the long way finds nothing", () => {
  let [valid, invalid] = [0, 0];
  fc.assert(
    fc.property(value.any, constrained.schema.map(structuralSchema), fc.option(value.any), (any, of, old) => {
      const errors = unsliced(explainingValue(any, of, old === null ? {} : { old }));
      const known = isKnownValid(any, of, { ratchets: old !== null });
      if (known) expect(errors).toEqual([]);
      if (old === null) expect(known).toBe(errors.length === 0);
      if (known) valid++;
      else invalid++;
    }),
    { numRuns: 4000 },
  );
  expect(Math.min(valid, invalid)).toBeGreaterThan(50);
});

/** Values that fit a built-in type, with nulls, empty values and odd spellings among them. */
function instance(of: Schema, depth: number): fc.Arbitrary<JsonValue> {
  if (depth === 0) return fc.constant(null);
  if (of.format === "quantity") return fc.constantFrom<JsonValue>("1.5Gi", "0.10", 2, "0", null);
  if (of.intOrString === true) return fc.constantFrom<JsonValue>(0, 5, "5%", null);
  switch (of.type) {
    case "array":
      return fc.option(fc.array(instance(of.items ?? {}, depth - 1), { maxLength: 2 }));
    case "object": {
      const { properties, additionalProperties } = of;
      if (properties !== undefined) {
        const keys = fc.subarray([...properties.keys()], { maxLength: Math.min(5, properties.size) });
        return fc.option(
          keys.chain((some) =>
            fc.record(Object.fromEntries(some.map((key) => [key, instance(properties.get(key) ?? {}, depth - 1)])), {
              noNullPrototype: true,
            }),
          ),
        ) as fc.Arbitrary<JsonValue>;
      }
      return isSchema(additionalProperties)
        ? fc.option(
            fc.dictionary(name, instance(additionalProperties, depth - 1), { maxKeys: 2, noNullPrototype: true }),
          )
        : fc.constant({ a: null });
    }
    case "string":
      return of.format === "date-time" || of.format === "micro-time"
        ? fc.constantFrom("2024-01-01T00:00:00Z", "2024-01-01T01:00:00.25+02:00", null)
        : fc.constantFrom("", "aGk=", null);
    case "integer":
    case "number":
      return fc.constantFrom(0, 7, null);
    case "boolean":
      return fc.constantFrom(true, false, null);
    default:
      return fc.constantFrom<JsonValue>({ any: [] }, null);
  }
}

function isSchema(additional: Schema | true | undefined): additional is Schema {
  return additional !== undefined && additional !== true;
}

it.each(["core.v1.Pod", "apps.v1.StatefulSet", "core.v1.Service", "autoscaling.v2.HorizontalPodAutoscaler"])(
  "%s: Go's form can be decoded again and stays",
  (type) => {
    const of = builtinSchema(type);
    fc.assert(
      fc.property(instance(of, 6), (object) => {
        fc.pre(isObject(object));
        const form = cloneJson(object);
        goForm(form, of);
        expect(decodeGo(cloneJson(form), of)).toBeUndefined();
        expect(isIdempotent((each) => goForm(each, of), object)).toBe(true);
      }),
    );
  },
);

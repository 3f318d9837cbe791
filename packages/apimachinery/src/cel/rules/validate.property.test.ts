// Random schemas with rules, and objects that need not fit them: an answer comes for any, and the same one twice.
import type { JsonObject, JsonValue } from "@fairlead/base";
import fc from "fast-check";
import { expect, it } from "vitest";

import { structuralSchema } from "../../schema/structural.js";
import { formatFieldError } from "../../validation/field-error.js";
import { compileRules } from "./compile.js";
import { validateRules } from "./validate.js";

const RULES: readonly string[] = [
  "self == oldSelf",
  "self == self",
  "size(self) < 3",
  "self.all(x, x == self[0])",
  "self.all(k, has(self.a))",
  "self.exists_one(x, x in self)",
  "self + self == self",
  "!has(self.a) || self.a == self.a",
  "self.map(x, [x, self]).size() == self.size()",
  "string(self) == self",
  "self.startsWith('a')",
  "self.getHours() == 0",
  "self >= self",
  "self.a.b.all(x, x.k == self.a.b[0].k)",
  "type(self) == int",
  "self.sum() == self.max()",
  "self.isSorted()",
  "oldSelf.orValue(self) == self",
  "dyn(self) == dyn(oldSelf)",
  "[self, self].map(x, {'k': x}) == []",
];

const rules = fc.array(
  fc.record({ rule: fc.constantFrom(...RULES), messageExpression: fc.constantFrom("'x'", "string(self)") }),
  { maxLength: 3 },
);

const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc
    .tuple(
      fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<JsonObject>(
          { type: "integer" },
          { type: "number" },
          { type: "boolean" },
          { type: "string", maxLength: 9 },
          { type: "string", format: "date-time" },
          { type: "string", format: "duration" },
          { type: "string", format: "byte" },
          { "x-kubernetes-int-or-string": true },
          { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
        ),
        fc.tuple(tie("schema"), tie("schema")).map(([a, b]) => ({ type: "object", properties: { a, b } })),
        tie("schema").map((values) => ({ type: "object", maxProperties: 4, additionalProperties: values })),
        fc
          .tuple(tie("schema"), fc.constantFrom("atomic", "set"))
          .map(([items, kind]) => ({ type: "array", maxItems: 4, "x-kubernetes-list-type": kind, items })),
        tie("schema").map((a) => ({
          type: "array",
          maxItems: 4,
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
          items: { type: "object", required: ["k"], properties: { k: { type: "string" }, a } },
        })),
      ),
      rules,
      fc.boolean(),
    )
    .map(([node, validations, nullable]) => ({ ...node, nullable, "x-kubernetes-validations": validations })),
}));

/** Something that mostly fits a schema. */
function fitting(node: JsonObject): fc.Arbitrary<JsonValue> {
  const { type, properties, additionalProperties, items, format } = node;
  const odd = fc.constantFrom<JsonValue>(null, 0, "", [], {}, [null], { a: null });
  const any = (arbitrary: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> =>
    fc.oneof({ weight: 12, arbitrary }, { weight: 1, arbitrary: odd });
  if (type === "integer") return any(fc.integer());
  if (type === "number") return any(fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })));
  if (type === "boolean") return any(fc.boolean());
  if (type === "array") return any(fc.array(fitting(items as JsonObject), { maxLength: 3 }));
  if (format !== undefined) return any(fc.constantFrom("2024-01-01T00:00:00Z", "1h", "YWJj", "no"));
  if (type === "string") return any(fc.constantFrom("a", "b", "é\u{1f600}", ""));
  if (properties !== undefined)
    return any(
      fc.record(
        Object.fromEntries(Object.entries(properties as JsonObject).map(([k, v]) => [k, fitting(v as JsonObject)])),
        { requiredKeys: [] },
      ) as fc.Arbitrary<JsonValue>,
    );
  if (additionalProperties !== undefined)
    return any(fc.dictionary(fc.constantFrom("a", "b", "__proto__"), fitting(additionalProperties as JsonObject)));
  return any(fc.constantFrom<JsonValue>(1, "a", { apiVersion: "v1", kind: "K", metadata: { name: "x" } }));
}

it("answers for any schema and object, and the same twice", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(
      schema.chain((spec) => fc.tuple(fc.constant(spec), fitting(spec), fitting(spec))),
      ([spec, now, before]) => {
        const node = compileRules(structuralSchema({ type: "object", properties: { spec } }));
        if (node === undefined) return;
        const texts = (): readonly string[] =>
          validateRules(node, { spec: now }, { old: { spec: before } }).errors.map(formatFieldError);
        expect(texts()).toEqual(texts());
        expect(validateRules(node, { spec: now }).errors).toBeInstanceOf(Array);
      },
    ),
    { numRuns: 300 },
  );
});

import type { JsonObject, JsonValue } from "@fairlead/base";
import { describe, expect, it } from "vitest";

import { structuralSchema } from "../../schema/structural.js";
import { formatFieldError } from "../../validation/field-error.js";
import { compileRules } from "./compile.js";
import { validateRules } from "./validate.js";

type Rule = Readonly<Record<string, JsonValue>>;

function kind(spec: JsonObject): JsonObject {
  return { type: "object", properties: { spec } };
}

function outcome(schema: JsonObject, spec: JsonValue, old?: JsonValue): readonly string[] {
  const rules = compileRules(structuralSchema(schema));
  if (rules === undefined) throw new Error("no rules");
  return validateRules(rules, { spec }, old === undefined ? {} : { old: { spec: old } }).errors.map(formatFieldError);
}

const text = (...rules: readonly Rule[]): JsonObject => ({
  type: "string",
  maxLength: 100,
  "x-kubernetes-validations": rules as JsonValue,
});

describe("messages", () => {
  it.each<[what: string, rule: Rule, message: string]>([
    ["the rule, without a message", { rule: " self == 'b' " }, `spec: Invalid value: "a": failed rule: self == 'b'`],
    ["the message, trimmed", { rule: "false", message: " no " }, `spec: Invalid value: "a": no`],
    ["what its expression gives", { rule: "false", messageExpression: "self + '!'" }, `spec: Invalid value: "a": a!`],
    [
      "the message where the expression fails",
      { rule: "false", message: "no", messageExpression: "string(1/0)" },
      `spec: Invalid value: "a": no`,
    ],
    [
      "the message where the expression has lines",
      { rule: "false", message: "no", messageExpression: "'a\\nb'" },
      `spec: Invalid value: "a": no`,
    ],
    [
      "no message with FieldValueDuplicate",
      { rule: "false", message: "no", reason: "FieldValueDuplicate" },
      `spec: Duplicate value: "a"`,
    ],
    [
      "no value with FieldValueForbidden",
      { rule: "false", message: "no", reason: "FieldValueForbidden" },
      `spec: Forbidden: no`,
    ],
    [
      "no value with FieldValueRequired",
      { rule: "false", message: "no", reason: "FieldValueRequired" },
      `spec: Required value: no`,
    ],
    [
      "a failure, with the type",
      { rule: "1 / (self.size() - 1) > 0" },
      `spec: Invalid value: "string": division by zero evaluating rule: 1 / (self.size() - 1) > 0`,
    ],
    [
      "what cannot be compiled",
      { rule: "self > 1" },
      `spec: Invalid value: "string": rule compile error: compilation failed: ERROR`,
    ],
  ])("tell %s", (_what, rule, message) => {
    const [error = "", ...others] = outcome(kind(text(rule)), "a");
    expect(error.slice(0, message.length)).toBe(message);
    expect(others).toEqual([]);
  });

  it("name the field that a rule is about", () => {
    const properties = { m: { type: "object", additionalProperties: { type: "string" } }, "a.b": { type: "string" } };
    const at = (fieldPath: string): readonly string[] =>
      outcome(
        kind({ type: "object", properties, "x-kubernetes-validations": [{ rule: "false", message: "no", fieldPath }] }),
        {},
      );
    expect([at(".m"), at("['a.b']"), at(".m.k"), at(".nonesuch")]).toEqual([
      ["spec.m: Invalid value: no"],
      ["spec.a.b: Invalid value: no"],
      ["spec.m[k]: Invalid value: no"],
      ["spec: Invalid value: no"],
    ]);
  });
});

describe("values", () => {
  it.each<[schema: JsonObject, value: JsonValue, rule: string]>([
    [{ type: "integer" }, 9007199254740993n, "self == 9007199254740993"],
    [{ type: "number" }, 2, "self == 2.0 && type(self) == double"],
    [{ type: "string", format: "date-time" }, "2024-01-01T00:00:00Z", "self.getFullYear() == 2024"],
    [{ type: "string", format: "date" }, "2024-02-29", "self.getDate() == 29"],
    [{ type: "string", format: "duration" }, "2 days", "self == duration('48h')"],
    [{ type: "string", format: "byte" }, "aGk=", "self == b'hi'"],
    [{ "x-kubernetes-int-or-string": true }, "5%", "type(self) == string && self.endsWith('%')"],
    [{ "x-kubernetes-int-or-string": true }, 5, "type(self) == int && self < 6"],
    [{ type: "array", items: { type: "string", nullable: true } }, [null], "type(self[0]) == null_type"],
    [
      { type: "object", additionalProperties: { type: "integer" } },
      { "a-b": 1 },
      "self['a-b'] == 1 && self.all(k, v, v > 0)",
    ],
    [
      { type: "object", properties: { a: { type: "integer", nullable: true } } },
      { a: null },
      "!has(self.a) && self.?a.orValue(3) == 3",
    ],
    [
      { type: "array", items: { type: "integer" }, "x-kubernetes-list-type": "set" },
      [1, 2],
      "self == [2, 1] && self + [2, 3] == [1, 2, 3]",
    ],
    [
      {
        type: "array",
        items: { type: "object", properties: { k: { type: "string" }, v: { type: "integer" } } },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
      },
      [
        { k: "a", v: 1 },
        { k: "b", v: 2 },
      ],
      "self == self.reverse() && (self + self).size() == 2",
    ],
    [
      { type: "object", "x-kubernetes-embedded-resource": true },
      { apiVersion: "v1", kind: "Pod", metadata: { name: "x", labels: {} } },
      "self.kind == 'Pod' && self.metadata.name == 'x'",
    ],
  ])("%j", (schema, value, rule) => {
    expect(outcome(kind({ ...schema, "x-kubernetes-validations": [{ rule }] }), value)).toEqual([]);
  });
});

describe("old values", () => {
  const immutable = text({ rule: "self == oldSelf", message: "immutable" });

  it("are needed by rules that name them", () => {
    expect(outcome(kind(immutable), "a")).toEqual([]);
    expect(outcome(kind(immutable), "a", "a")).toEqual([]);
    expect(outcome(kind(immutable), "b", "a")).toEqual(['spec: Invalid value: "b": immutable']);
  });

  it("may be absent where a rule says so", () => {
    const rule = { rule: "oldSelf.hasValue() || self == 'first'", message: "no", optionalOldSelf: true };
    expect(outcome(kind(text(rule)), "first")).toEqual([]);
    expect(outcome(kind(text(rule)), "other")).toEqual(['spec: Invalid value: "other": no']);
    expect(outcome(kind(text(rule)), "other", "first")).toEqual([]);
  });

  it("follow the keys of items, and stay away where items have none", () => {
    const list = (more: JsonObject): JsonObject => ({
      type: "array",
      items: { type: "object", properties: { k: { type: "string" }, v: immutable }, required: ["k"] },
      ...more,
    });
    const [a, b] = [
      { k: "a", v: "1" },
      { k: "b", v: "2" },
    ];
    const keyed = list({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] });
    expect(outcome(kind(keyed), [b, a], [a, b])).toEqual([]);
    expect(outcome(kind(keyed), [b, { ...a, v: "3" }], [a, b])).toEqual(['spec[1].v: Invalid value: "3": immutable']);
    expect(outcome(kind(list({})), [b, { ...a, v: "3" }], [a, b])).toEqual([]);
  });
});

describe("what has not changed", () => {
  const rules = compileRules(
    structuralSchema(
      kind({
        type: "object",
        properties: { a: text({ rule: "self == 'good'", message: "bad" }), b: { type: "string" } },
      }),
    ),
  );

  it("is only warned of", () => {
    if (rules === undefined) throw new Error("no rules");
    const [spec, metadata] = [{ a: "x", b: "1" }, { name: "m" }];
    const before = { metadata, spec };
    const same = validateRules(rules, { metadata, spec: { ...spec, b: "2" } }, { old: before });
    expect(same.errors).toEqual([]);
    expect(same.ratcheted.map(formatFieldError)).toEqual(['spec.a: Invalid value: "x": bad']);
    expect(validateRules(rules, { metadata, spec: { ...spec, a: "y" } }, { old: before }).errors).toHaveLength(1);
    expect(validateRules(rules, before).errors).toHaveLength(1);
  });
});

it("ends when the budget of an object is used up", () => {
  const rule = { rule: "self.all(a, self.all(b, a == b))", message: "differ" };
  const row = { type: "array", items: { type: "integer" }, "x-kubernetes-validations": [rule] };
  const errors = outcome(
    kind({ type: "array", items: row }),
    Array.from({ length: 40 }, () => Array.from({ length: 300 }, () => 1)),
  );
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatch(
    /^spec\[\d+\]: Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run$/,
  );
});

it("ends when one evaluation costs too much", () => {
  const rule = { rule: "self.all(a, self.all(b, a == b))", message: "differ" };
  const row = { type: "array", items: { type: "integer" }, "x-kubernetes-validations": [rule, { rule: "false" }] };
  expect(
    outcome(
      kind(row),
      Array.from({ length: 2000 }, () => 1),
    ),
  ).toEqual([
    `spec: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: differ`,
  ]);
});

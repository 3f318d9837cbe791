import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "@fairlead/base";
import { createErrors, prepared, updateErrors } from "./builtin.fixtures.js";

const NAME = "apiextensions.k8s.io/v1/CustomResourceDefinition";
const VERSION: JsonObject = {
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: "object" } },
};

function definition(spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "xs.a.dev" },
    spec: { group: "a.dev", scope: "Namespaced", names: { plural: "xs", kind: "X" }, versions: [VERSION], ...spec },
  };
}

const schema = (openAPIV3Schema: JsonValue): JsonObject =>
  definition({ versions: [{ ...VERSION, schema: { openAPIV3Schema } }] });
const field = (a: JsonObject): JsonObject => schema({ type: "object", properties: { a } });
const AT = "spec.validation.openAPIV3Schema.properties[a]";

describe("a new definition", () => {
  it.each<[sentence: string, object: JsonObject, ...errors: readonly (string | RegExp)[]]>([
    ["may be as small as this", definition()],
    [
      "has the name that its group and plural make",
      { ...definition(), metadata: { name: "ys.a.dev" } },
      'metadata.name: Invalid value: "ys.a.dev": must be spec.names.plural+"."+spec.group',
    ],
    [
      "has rules that compile",
      field({ type: "string", "x-kubernetes-validations": [{ rule: "self > 1" }] }),
      /^spec.validation.openAPIV3Schema.properties\[a\].x-kubernetes-validations\[0\].rule: Invalid value: \{"Rule":"self \\u003e 1",.*\}: compilation failed: ERROR: <input>:1:6: found no matching overload for '_>_' applied to '\(string, int\)'\n \| self > 1\n \| \.\.\.\.\.\^$/,
    ],
    [
      "has message expressions that give text",
      field({ type: "integer", "x-kubernetes-validations": [{ rule: "self > 1", messageExpression: "1" }] }),
      /messageExpression: Invalid value: .*: messageExpression must evaluate to a string$/,
    ],
    [
      "says oldSelf where it makes it optional",
      field({ type: "integer", "x-kubernetes-validations": [{ rule: "self > 1", optionalOldSelf: true }] }),
      `${AT}.x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
    ],
    [
      "has rules that cannot cost too much",
      field({
        type: "array",
        maxItems: 1000,
        items: { type: "string", maxLength: 1000, "x-kubernetes-validations": [{ rule: "self.contains(self)" }] },
      }),
      `${AT}.items.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 16.0x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`,
    ],
    [
      "has no rules beside what is wrong otherwise",
      field({
        type: "string",
        nullable: 5,
        minLength: 1,
        "x-kubernetes-validations": [{ rule: "self > 1", reason: "No" }],
      }),
      /reason: Unsupported value: "No"/,
    ],
    [
      "has defaults that its rules allow",
      field({ type: "integer", default: 1, "x-kubernetes-validations": [{ rule: "self > 1", message: "too small" }] }),
      `${AT}.default: Invalid value: 1: too small`,
    ],
    [
      "has a scope",
      definition({ scope: "World" }),
      'spec.scope: Unsupported value: "World": supported values: "Cluster", "Namespaced"',
    ],
    [
      "has one version that is stored",
      definition({ versions: [{ ...VERSION, storage: false }] }),
      /^spec.versions: Invalid value: .*: must have exactly one version marked as storage version$/,
      /^status.storedVersions: Invalid value: null/,
    ],
    [
      "has no versions at all",
      definition({ versions: [] }),
      /^spec.versions: Invalid value: \[\]: must have/,
      /^status.storedVersions/,
    ],
    [
      "has a schema",
      definition({ versions: [{ ...VERSION, schema: null }] }),
      "spec.versions[0].schema.openAPIV3Schema: Required value",
    ],
    [
      "knows the types of its fields",
      field({}),
      `${AT}.type: Required value: must not be empty for specified object fields`,
    ],
    ["has types that there are", field({ type: "text" }), /type: Unsupported value: "text"/],
    ["has items in lists", field({ type: "array" }), `${AT}.items: Required value: must be specified`],
    [
      "has items that are unique by other means",
      field({ type: "array", items: { type: "string" }, uniqueItems: true }),
      /uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic/,
    ],
    ["refers to nothing", field({ $ref: "x" }), /\$ref: Forbidden: \$ref is not supported/],
    [
      "has patterns that compile",
      field({ type: "string", pattern: "a(" }),
      /pattern: Invalid value: "a\(": must be a valid regular expression, but isn't: error parsing regexp: missing closing \): `a\(`/,
    ],
    [
      "has defaults that fit",
      field({ type: "string", default: 5 }),
      `${AT}.default: Invalid value: "integer":  in body must be of type string: "integer"`,
    ],
    [
      "has keys in lists that are maps",
      field({ type: "array", items: { type: "object" }, "x-kubernetes-list-type": "map" }),
      /x-kubernetes-list-map-keys: Required value/,
    ],
  ])("%s", (_sentence, object, ...errors) => {
    const found = createErrors(NAME, object);
    if (errors.length === 0) expect(found).toEqual([]);
    else expect(found.length).toBeGreaterThan(0);
    for (const [i, error] of errors.entries()) expect(found[i]).toMatch(error);
  });
});

it("begins with names that nobody has accepted yet, and with the version that is stored", () => {
  expect(prepared(NAME, definition())["status"]).toEqual({
    conditions: null,
    acceptedNames: { kind: "", plural: "" },
    storedVersions: ["v1"],
  });
});

it("may change its schema", () => {
  expect(updateErrors(NAME, definition(), field({ type: "string" }))).toEqual([]);
});

it("keeps a version as long as objects may be stored in it", () => {
  const other = definition({ versions: [{ ...VERSION, name: "v2" }] });
  expect(
    updateErrors(NAME, prepared(NAME, definition()), {
      ...other,
      status: prepared(NAME, definition())["status"] ?? null,
    }),
  ).toEqual([
    expect.stringMatching(
      /^status.storedVersions\[0\]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version/,
    ),
  ]);
});

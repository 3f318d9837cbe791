import { describe, expect, it } from "vitest";

import { compileFirst, compileJsonPath } from "./json-path.js";

const object = {
  spec: {
    replicas: 3,
    "a.b": "dotted",
    list: [
      { name: "x", n: 1 },
      { name: "y", n: 2 },
    ],
  },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Other", status: "False" },
    ],
  },
};

describe("JSONPath of printer columns", () => {
  it.each<[sentence: string, path: string, found: unknown[]]>([
    ["reads a field", ".spec.replicas", [3]],
    ["takes braces off", "{.spec.replicas}", [3]],
    ["finds nothing where a field is missing", ".spec.none.deeper", []],
    ["reads a quoted key with a dot", ".spec['a.b']", ["dotted"]],
    ["reads an escaped dot", ".spec.a\\.b", ["dotted"]],
    ["reads an index and the last one", ".spec.list[-1].name", ["y"]],
    ["reads every element", ".spec.list[*].n", [1, 2]],
    ["filters by equality", '.status.conditions[?(@.type=="Ready")].status', ["True"]],
    ["filters by comparison", ".spec.list[?(@.n>1)].name", ["y"]],
    ["takes a slice", ".spec.list[0:1].name", ["x"]],
    ["does not inherit from the prototype", ".spec.constructor", []],
  ])("%s", (_sentence, path, found) => {
    expect(compileJsonPath(path)(object)).toEqual(found);
    expect(compileFirst(path)(object)).toEqual(found[0]);
  });

  it("refuses what it cannot read", () => {
    expect(() => compileJsonPath("spec[")).toThrow(/cannot read JSONPath/);
  });
});

import { describe, expect, it } from "vitest";
import type { JsonValue } from "@fairlead/base";

import { widget, widgetType } from "./schema.fixtures.js";
import { TypedError, validateTyped } from "./validate.js";

function mistakes(object: JsonValue, allowDuplicates: boolean): string | undefined {
  try {
    validateTyped(object, widgetType, { allowDuplicates });
    return undefined;
  } catch (error) {
    if (error instanceof TypedError) return error.message;
    throw error;
  }
}

describe("a value that does not have its type", () => {
  it.each<[spec: JsonValue, message: string]>([
    [{ bogus: 1 }, ".spec.bogus: field not declared in schema"],
    [{ image: 5 }, ".spec.image: expected string, got &value.valueUnstructured{Value:5}"],
    [{ image: 1.5 }, ".spec.image: expected string, got &value.valueUnstructured{Value:1.5}"],
    [
      { image: { a: [1, "x", null] } },
      '.spec.image: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":[]interface {}{1, "x", interface {}(nil)}}}',
    ],
    [{ replicas: "x" }, ".spec.replicas: expected numeric (int or float), got string"],
    [{ replicas: [] }, ".spec.replicas: expected numeric (int or float), got []interface {}"],
    [{ flag: "true" }, ".spec.flag: expected boolean, got &{true}"],
    [{ when: { a: 1 } }, ".spec.when: expected any scalar, got &{map[a:1]}"],
    [{ labels: "x" }, ".spec.labels: expected map, got &{x}"],
    [{ labels: ["a"] }, ".spec.labels: expected map, got &{[a]}"],
    [{ labels: { a: 1 } }, ".spec.labels.a: expected string, got &value.valueUnstructured{Value:1}"],
    [{ tags: "x" }, ".spec.tags: expected list, got &{x}"],
    [{ tags: {} }, ".spec.tags: expected list, got &{map[]}"],
    [{ tags: ["x", "x"] }, '.spec.tags: duplicate entries for key [="x"]'],
    [
      { tags: ["x", null] },
      ".spec.tags: element 1: associative list without keys has an element that's an explicit null",
    ],
    [{ tags: [{ a: 1 }] }, ".spec.tags: element 0: associative list without keys has an element that's a map type"],
    [{ tags: [["a"]] }, ".spec.tags: element 0: not supported: associative list with lists as elements"],
    [{ numbers: [1, 1] }, ".spec.numbers: duplicate entries for key [=1]"],
    [
      { ports: [{ port: 80 }, { port: 80, protocol: "TCP" }] },
      '.spec.ports: duplicate entries for key [port=80,protocol="TCP"]',
    ],
    [{ ports: [null] }, ".spec.ports: element 0: associative list with keys may not have a null element"],
    [{ ports: ["x"] }, ".spec.ports: element 0: associative list with keys may not have non-map elements"],
    [
      { ports: [{ port: "80" }] },
      '.spec.ports[port="80",protocol="TCP"].port: expected numeric (int or float), got string',
    ],
    [
      { containers: [{ image: "i" }] },
      `.spec.containers: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn't have default values for any key fields)`,
    ],
    [{ args: ["a", 1] }, ".spec.args[1]: expected string, got &value.valueUnstructured{Value:1}"],
    [{ tmpl: { metadata: { bogus: 1 } } }, ".spec.tmpl.metadata.bogus: field not declared in schema"],
    [
      {
        containers: [
          { name: "c", env: [{ name: "E", value: 1 }] },
          { name: "d", image: 2 },
        ],
      },
      'errors:\n  .spec.containers[name="c"].env[name="E"].value: expected string, got &value.valueUnstructured{Value:1}\n  .spec.containers[name="d"].image: expected string, got &value.valueUnstructured{Value:2}',
    ],
  ])("%j", (spec, message) => {
    expect(mistakes(widget(spec), false)).toBe(message);
  });

  it("may be the metadata of a custom resource, which no schema declares", () => {
    expect(mistakes({ ...widget({}), metadata: { name: 5 } }, false)).toBe(
      ".metadata.name: expected string, got &value.valueUnstructured{Value:5}",
    );
    expect(mistakes({ ...widget({}), other: 1 }, false)).toBe(".other: field not declared in schema");
  });
});

describe("a value that has its type", () => {
  it.each<[sentence: string, spec: JsonValue]>([
    [
      "may be null anywhere but in lists with identities",
      { image: null, replicas: null, labels: null, tags: null, ports: null, selector: null, args: [null] },
    ],
    [
      "may hold anything where there is no schema",
      { free: { a: [1, { b: null }], c: "x" }, any: [1, { a: 2 }], raw: { x: [{}] } },
    ],
    ["may be any scalar where its text has a format", { when: 5 }],
    [
      "may bring metadata in an embedded resource",
      { tmpl: { apiVersion: "v1", kind: "Pod", metadata: { labels: { a: "b" } }, spec: { x: 1 } } },
    ],
    ["may be a number beyond 2^53", { replicas: 9007199254740993n }],
  ])("%s", (_sentence, spec) => {
    expect(mistakes(widget(spec), false)).toBeUndefined();
  });

  it("may repeat items where duplicates are allowed", () => {
    const spec = { tags: ["x", "x"], ports: [{ port: 80 }, { port: 80 }] };
    expect(mistakes(widget(spec), true)).toBeUndefined();
  });
});

it("notices explicit nulls on the way", () => {
  expect(validateTyped(widget({ image: "x" }), widgetType, { allowDuplicates: false }).hasNull).toBe(false);
  expect(
    validateTyped(widget({ containers: [{ name: "c", image: null }] }), widgetType, { allowDuplicates: false }).hasNull,
  ).toBe(true);
});

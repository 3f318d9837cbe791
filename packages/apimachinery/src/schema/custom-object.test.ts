import { describe, expect, it } from "vitest";
import { cloneJson, type JsonObject } from "@fairlead/base";
import { formatFieldError } from "../validation/field-error.js";
import { DecodeError, pruneUnknown, validateCustomObject } from "./custom-object.js";
import { structuralSchema } from "./structural.js";

const schema = structuralSchema({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        a: { type: "string", maxLength: 2 },
        b: { type: "string", nullable: true },
        set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        inner: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
      },
    },
    status: { type: "object", properties: { phase: { type: "string", enum: ["On"] } } },
  },
});
const custom = (parts: JsonObject): JsonObject => ({
  apiVersion: "x/v1",
  kind: "X",
  metadata: { name: "x" },
  ...parts,
});

describe("a custom resource from outside", () => {
  it("loses unknown fields, nulls, and what ObjectMeta does not know", () => {
    const object = cloneJson(
      custom({ metadata: { name: "x", labels: {}, extra: 1 }, spec: { a: null, b: null, z: 1, y: 2 } }),
    );
    const unknown: string[] = [];
    pruneUnknown(object, schema, { custom: true, onUnknown: (path) => unknown.push(path) });
    expect(object).toEqual(custom({ spec: { b: null } }));
    expect(unknown).toEqual(["metadata.extra", "spec.y", "spec.z"]);
  });

  it("is not decoded when its metadata cannot be", () => {
    expect(() => pruneUnknown(cloneJson(custom({ metadata: { name: 5 } })), schema, { custom: true })).toThrow(
      DecodeError,
    );
  });

  it.each<[sentence: string, parts: JsonObject, ...errors: readonly string[]]>([
    ["fits its schema", { spec: { a: "x", set: ["p", "q"] } }],
    ["breaks a bound", { spec: { a: "xyz" } }, "spec.a: Too long: may not be more than 2 bytes"],
    ["has an item twice", { spec: { set: ["p", "p"] } }, 'spec.set[1]: Duplicate value: "p"'],
    ["holds an object without a kind", { spec: { inner: { apiVersion: "v1" } } }, "spec.inner.kind: Required value"],
  ])("%s", (_sentence, parts, ...errors) => {
    expect(validateCustomObject(custom(parts), schema, { status: false }).map(formatFieldError)).toEqual(errors);
  });

  it("is checked in its status only where only that is written", () => {
    const object = custom({ spec: { a: "xyz" }, status: { phase: "Off" } });
    expect(validateCustomObject(object, schema, { status: true }).map(formatFieldError)).toEqual([
      'status.phase: Unsupported value: "Off": supported values: "On"',
    ]);
  });

  it("keeps its old mistakes, and makes no new ones", () => {
    const old = custom({ spec: { a: "xyz" } });
    expect(validateCustomObject(custom({ spec: { a: "xyz", b: "new" } }), schema, { status: false, old })).toEqual([]);
    expect(validateCustomObject(custom({ spec: { a: "wxyz" } }), schema, { status: false, old })).toHaveLength(1);
  });
});

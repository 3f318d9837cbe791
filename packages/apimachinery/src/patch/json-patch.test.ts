import { describe, expect, it } from "vitest";
import { parseJson, type JsonObject, type JsonValue } from "@fairlead/base";

import { StatusError } from "../status/status.js";
import { applyJsonPatch, unknownJsonPatchMembers } from "./json-patch.js";

const document = (): JsonObject => ({
  spec: { image: "x", labels: { a: "1", "b/c~d": "2" }, args: ["a", "b"], n: null },
});

function failureOf(call: () => unknown): { readonly code: number; readonly reason: string; readonly message: string } {
  try {
    call();
  } catch (error) {
    if (error instanceof StatusError) return { code: error.httpStatus, reason: error.reason, message: error.message };
    throw error;
  }
  throw new Error("the patch was applied");
}

describe("an operation", () => {
  it.each<[sentence: string, operations: JsonValue, spec: JsonObject]>([
    [
      "adds, replaces and removes members",
      [
        { op: "add", path: "/spec/note", value: "n" },
        { op: "replace", path: "/spec/image", value: "y" },
        { op: "remove", path: "/spec/labels" },
      ],
      { image: "y", note: "n", args: ["a", "b"], n: null },
    ],
    [
      "adds before an index, and at the end",
      [
        { op: "add", path: "/spec/args/1", value: "x" },
        { op: "add", path: "/spec/args/-", value: "y" },
        { op: "add", path: "/spec/args/4", value: "z" },
      ],
      { ...specOf(document()), args: ["a", "x", "b", "y", "z"] },
    ],
    [
      "counts negative indices from the end",
      [
        { op: "add", path: "/spec/args/-1", value: "x" },
        { op: "replace", path: "/spec/args/-3", value: "y" },
        { op: "remove", path: "/spec/args/-2" },
      ],
      { ...specOf(document()), args: ["y", "x"] },
    ],
    [
      "reads indices as numbers",
      [{ op: "add", path: "/spec/args/00", value: "x" }],
      { ...specOf(document()), args: ["x", "a", "b"] },
    ],
    [
      "replaces what is not there",
      [{ op: "replace", path: "/spec/note", value: "n" }],
      { ...specOf(document()), note: "n" },
    ],
    [
      "writes null without a value",
      [
        { op: "add", path: "/spec/note" },
        { op: "replace", path: "/spec/image" },
      ],
      { ...specOf(document()), note: null, image: null },
    ],
    [
      "copies, and writes null for what is not there",
      [
        { op: "copy", from: "/spec/image", path: "/spec/note" },
        { op: "copy", from: "/spec/none", path: "/spec/image" },
      ],
      { ...specOf(document()), note: "x", image: null },
    ],
    [
      "moves",
      [{ op: "move", from: "/spec/args/0", path: "/spec/note" }],
      { ...specOf(document()), note: "a", args: ["b"] },
    ],
    [
      "tests values",
      [
        { op: "test", path: "/spec/args", value: ["a", "b"] },
        { op: "test", path: "/spec/labels", value: { "b/c~d": "2", a: "1" } },
      ],
      specOf(document()),
    ],
    [
      "tests null on what is not there, and on null",
      [
        { op: "test", path: "/spec/none", value: null },
        { op: "test", path: "/spec/n", value: null },
      ],
      specOf(document()),
    ],
    [
      "reads ~1 and ~0, and takes ~2 as it is",
      [
        { op: "replace", path: "/spec/labels/b~1c~0d", value: "3" },
        { op: "add", path: "/spec/labels/~2", value: "4" },
      ],
      { ...specOf(document()), labels: { a: "1", "b/c~d": "3", "~2": "4" } },
    ],
    [
      "may have an empty key",
      [{ op: "add", path: "/spec/labels/", value: "y" }],
      { ...specOf(document()), labels: { a: "1", "b/c~d": "2", "": "y" } },
    ],
    [
      "may name `__proto__`",
      [
        { op: "add", path: "/spec/labels/__proto__", value: "y" },
        { op: "remove", path: "/spec/labels/a" },
      ],
      { ...specOf(document()), labels: JSON.parse('{"b/c~d":"2","__proto__":"y"}') as JsonObject },
    ],
    ["replaces the whole by a scalar to no effect", [{ op: "replace", path: "", value: 5 }], specOf(document())],
  ])("%s", (_sentence, operations, spec) => {
    const before = document();
    expect((applyJsonPatch(before, operations) as JsonObject)["spec"]).toEqual(spec);
    expect(before).toEqual(document());
  });

  it("loses the first step of a path that does not begin with a slash", () => {
    expect(applyJsonPatch(document(), [{ op: "add", path: "spec/image", value: "y" }])).toEqual({
      ...document(),
      image: "y",
    });
  });

  it("replaces the whole document", () => {
    expect(
      applyJsonPatch(document(), [
        { op: "replace", path: "", value: { a: 1 } },
        { op: "add", path: "/b", value: 2 },
      ]),
    ).toEqual({ a: 1, b: 2 });
    expect(applyJsonPatch(document(), [{ op: "replace", path: "", value: [1] }])).toEqual([1]);
  });

  it("does not see its value changed by later ones", () => {
    const value = { list: [1] };
    expect(
      applyJsonPatch({}, [
        { op: "add", path: "/a", value },
        { op: "copy", from: "/a", path: "/b" },
        { op: "add", path: "/a/list/-", value: 2 },
      ]),
    ).toEqual({ a: { list: [1, 2] }, b: { list: [1] } });
    expect(value).toEqual({ list: [1] });
  });

  it.each<[sentence: string, operation: JsonValue]>([
    ["of an unknown kind", { op: "insert", path: "/spec/image" }],
    ["without a kind", { path: "/spec/image", value: 1 }],
    ["with names in capitals", { OP: "replace", Path: "/spec/image", value: "s" }],
    ["without a path", { op: "remove" }],
    ["without a source", { op: "move", path: "/spec/x" }],
    ["that is null", null],
    ["that removes what is not there", { op: "remove", path: "/spec/none" }],
    ["that adds below what is not there", { op: "add", path: "/nowhere/at/all", value: 1 }],
    ["that adds below a scalar", { op: "add", path: "/spec/image/x", value: 1 }],
    ["that adds below null", { op: "add", path: "/spec/n/x", value: 1 }],
    ["that adds the whole document", { op: "add", path: "", value: {} }],
    ["that removes the whole document", { op: "remove", path: "" }],
    ["that adds beyond the end", { op: "add", path: "/spec/args/3", value: 1 }],
    ["that replaces at the end", { op: "replace", path: "/spec/args/-", value: 1 }],
    ["that removes beyond the end", { op: "remove", path: "/spec/args/2" }],
    ["that counts too far from the end", { op: "remove", path: "/spec/args/-3" }],
    ["whose index is no number", { op: "add", path: "/spec/args/x", value: 1 }],
    ["that moves what is not there", { op: "move", from: "/spec/none", path: "/spec/x" }],
    ["that moves something into itself", { op: "move", from: "/spec/labels", path: "/spec/labels/x" }],
    ["that copies from below what is not there", { op: "copy", from: "/none/x", path: "/spec/x" }],
    ["whose test fails", { op: "test", path: "/spec/image", value: "y" }],
    ["that tests a value against nothing", { op: "test", path: "/spec/none", value: 1 }],
    ["that tests null against a value", { op: "test", path: "/spec/image" }],
  ])("%s fails", (_sentence, operation) => {
    expect(failureOf(() => applyJsonPatch(document(), [operation]))).toEqual({
      code: 422,
      reason: "Invalid",
      message: "the server rejected our request due to an error in our request",
    });
  });

  it("tests numbers by their spelling", () => {
    const test = (literal: string): unknown =>
      applyJsonPatch({ n: 2 }, parseJson(`[{"op":"test","path":"/n","value":${literal}}]`));
    expect(test("2")).toEqual({ n: 2 });
    expect(() => test("2.0")).toThrow();
    expect(() => test("2e0")).toThrow();
  });
});

describe("a patch", () => {
  it("that is null or empty does nothing", () => {
    const before = document();
    expect(applyJsonPatch(before, null)).toBe(before);
    expect(applyJsonPatch(before, [])).toBe(before);
  });

  it.each<[patch: JsonValue, message: string]>([
    [{ a: 1 }, "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"],
    ["x", "error decoding patch: json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp"],
    [5, "error decoding patch: json: cannot unmarshal number into Go value of type []handlers.jsonPatchOp"],
    [true, "error decoding patch: json: cannot unmarshal bool into Go value of type []handlers.jsonPatchOp"],
    [[5], "error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp"],
    [
      [{ op: 5 }],
      "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string",
    ],
  ])("%j is malformed", (patch, message) => {
    expect(failureOf(() => applyJsonPatch(document(), patch))).toEqual({ code: 400, reason: "BadRequest", message });
  });

  it("has at most 10,000 operations", () => {
    const patch = Array.from({ length: 10_001 }, () => ({}));
    expect(failureOf(() => applyJsonPatch(document(), patch))).toEqual({
      code: 413,
      reason: "RequestEntityTooLarge",
      message: "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
    });
  });

  it("may not grow a document without bound by copying", () => {
    const copies = Array.from({ length: 9000 }, (_, i) => ({ op: "copy", from: "/big", path: `/c${i}` }));
    expect(failureOf(() => applyJsonPatch({ big: "x".repeat(1000) }, copies)).code).toBe(422);
  });

  it("shares with the document what it does not touch", () => {
    const before = document();
    const after = applyJsonPatch(before, [{ op: "replace", path: "/spec/image", value: "y" }]) as { spec: JsonObject };
    expect(after.spec["labels"]).toBe((before["spec"] as JsonObject)["labels"]);
  });

  it("names its unknown members", () => {
    expect(unknownJsonPatchMembers([{ op: "test", path: "/a", value: 1, extra: 1 }, { op: "x", OP: "y" }, 5])).toEqual([
      "[0].extra",
      "[1].OP",
    ]);
  });
});

function specOf(object: JsonObject): JsonObject {
  return object["spec"] as JsonObject;
}

import { describe, expect, it } from "vitest";
import type { JsonObject } from "@fairlead/base";
import { formatFieldError } from "./field-error.js";
import { validateLabelSelector, validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.js";

const created = (meta: JsonObject, namespaced = true): readonly string[] =>
  validateObjectMeta({ name: "a", ...(namespaced ? { namespace: "n" } : {}), ...meta }, { namespaced }).map(
    formatFieldError,
  );

const owner = (facts: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Pod",
  name: "p",
  uid: "u",
  ...facts,
});

describe("the metadata of a new object", () => {
  it.each<[sentence: string, meta: JsonObject, ...errors: readonly (string | RegExp)[]]>([
    ["may be a name alone", {}],
    ["needs a name", { name: "" }, "metadata.name: Required value: name or generateName is required"],
    ["has a generation that is not negative", { generation: -1 }, /generation: Invalid value: -1: must be greater/],
    ["has labels with proper keys", { labels: { "a/b/c": "x" } }, /^metadata.labels: Invalid value: "a\/b\/c"/],
    ["has labels with proper values", { labels: { a: "-" } }, /^metadata.labels: Invalid value: "-"/],
    ["may have upper case in the keys of annotations", { annotations: { "EXAMPLE.com/A": "\n" } }],
    [
      "has annotations of 256 KiB at most",
      { annotations: { a: "x".repeat(256 * 1024) } },
      "metadata.annotations: Too long: may not be more than 262144 bytes",
    ],
    ["may have owners", { ownerReferences: [owner()] }],
    [
      "has owners that are whole",
      { ownerReferences: [owner({ uid: "", apiVersion: "a/b/c" })] },
      /apiVersion: Invalid value: "a\/b\/c": version must not be empty/,
      /uid: Invalid value: "": must not be empty/,
    ],
    [
      "has one controller at most",
      { ownerReferences: [owner({ controller: true }), owner({ name: "q", controller: true })] },
      /Only one reference can have Controller set to true. Found "true" in references for Pod\/p and Pod\/q/,
    ],
    ["is not owned by an event", { ownerReferences: [owner({ kind: "Event" })] }, /Kind=Event is disallowed/],
    [
      "is deleted in one way",
      { finalizers: ["orphan", "foregroundDeletion"] },
      /finalizer orphan and foregroundDeletion cannot be both set/,
    ],
    [
      "has managed fields of a known kind",
      { managedFields: [{ operation: "X", fieldsType: "FieldsV2" }] },
      /operation: Invalid value: "X": must be `Apply` or `Update`/,
      /fieldsType: Invalid value: "FieldsV2": must be `FieldsV1`/,
    ],
    [
      "has printable managers",
      { managedFields: [{ operation: "Apply", manager: "a\n" }] },
      /invalid character U\+000A \(at position 1\)/,
    ],
  ])("%s", (_sentence, meta, ...errors) => {
    const found = created(meta);
    expect(found).toHaveLength(errors.length);
    for (const [i, error] of errors.entries()) expect(found[i]).toMatch(error);
  });

  it("has a namespace where its kind has, and only there", () => {
    expect(created({ namespace: "" })).toEqual(["metadata.namespace: Required value"]);
    expect(created({ namespace: "n" }, false)).toEqual(["metadata.namespace: Forbidden: not allowed on this type"]);
  });
});

describe("a change of metadata", () => {
  const old = { name: "a", uid: "1", generation: 2 };
  it.each<[sentence: string, meta: JsonObject, old: JsonObject, ...errors: readonly string[]]>([
    ["may set labels", { ...old, labels: { a: "b" } }, old],
    ["keeps the uid", { ...old, uid: "2" }, old, 'metadata.uid: Invalid value: "2": field is immutable'],
    [
      "does not count back",
      { ...old, generation: 1 },
      old,
      "metadata.generation: Invalid value: 1: must not be decremented",
    ],
    [
      "adds no finalizers while the object goes",
      { ...old, deletionTimestamp: "t", finalizers: ["a/b", "a/c"] },
      { ...old, deletionTimestamp: "t", finalizers: ["a/b"] },
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a/c"}',
    ],
  ])("%s", (_sentence, meta, before, ...errors) => {
    expect(validateObjectMetaUpdate(meta, before).map(formatFieldError)).toEqual(errors);
  });
});

describe("a label selector", () => {
  it.each<[sentence: string, expression: JsonObject, ...errors: readonly (string | RegExp)[]]>([
    ["with values for In", { key: "a", operator: "In", values: ["b"] }],
    [
      "without values for In",
      { key: "a", operator: "In" },
      /values: Required value: must be specified when `operator`/,
    ],
    [
      "with values for Exists",
      { key: "a", operator: "Exists", values: ["b"] },
      /values: Forbidden: may not be specified/,
    ],
    [
      "with an unknown operator",
      { key: "a", operator: "Near" },
      's.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator',
    ],
    [
      "without a key",
      { operator: "Exists" },
      /key: Invalid value: "": name part must be non-empty/,
      /name part must consist/,
    ],
  ])("%s", (_sentence, expression, ...errors) => {
    const found = validateLabelSelector({ matchExpressions: [expression] }, "s").map(formatFieldError);
    expect(found).toHaveLength(errors.length);
    for (const [i, error] of errors.entries()) expect(found[i]).toMatch(error);
  });
});

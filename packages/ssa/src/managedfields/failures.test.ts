import { describe, expect, it } from "vitest";
import { FairleadError, InvariantError } from "@fairlead/base";
import type { StatusError } from "@fairlead/apimachinery";

import { PathElementError } from "../fieldpath/element.js";
import { fieldPath, type FieldPath } from "../fieldpath/path.js";
import { ConflictError, conflictsOf } from "../merge/conflicts.js";
import { parseFieldsV1 } from "../fieldpath/fields-v1.js";
import { ListItemError } from "../typed/list-items.js";
import { TypedError } from "../typed/validate.js";
import { DecodeError } from "./context.js";
import { ManagedFieldsError } from "./entries.js";
import { badRequest, conflictFailure, describeObject, explained, goGvk } from "./failures.js";
import { formatIdentity } from "./identity.js";

class Mistake extends FairleadError {
  constructor() {
    super("Mistake", "it is wrong");
  }
}

const thrown = (error: unknown): unknown => {
  try {
    return explained("failed to try", () => {
      throw error;
    });
  } catch (caught) {
    return caught;
  }
};

describe("a failing step", () => {
  it("is explained where it failed with an error of ours", () => {
    const mistake = new Mistake();
    const failure = thrown(mistake) as StatusError;
    expect(failure.status).toEqual({
      apiVersion: "v1",
      kind: "Status",
      metadata: {},
      status: "Failure",
      code: 500,
      message: "failed to try: it is wrong",
    });
    expect(failure.cause).toBe(mistake);
  });

  it.each<[what: string, error: unknown]>([
    ["an answer", badRequest("no")],
    ["a conflict", new ConflictError([])],
    ["a defect of ours", new InvariantError("never")],
    ["a defect of JavaScript's", new TypeError("undefined is not a function")],
  ])("passes on %s as it is", (_what, error) => {
    expect(thrown(error)).toBe(error);
  });

  it("that does not fail gives its result", () => {
    expect(explained("failed to try", () => 5)).toBe(5);
  });
});

it("names kinds and objects as Go does", () => {
  expect(goGvk({ group: "", version: "v1", kind: "Pod" })).toBe("/v1, Kind=Pod");
  const gvk = { group: "apps", version: "v1", kind: "Deployment" };
  expect(describeObject({ metadata: { name: "d", namespace: "n" } }, gvk)).toBe("n/d; apps/v1, Kind=Deployment");
  expect(describeObject({}, gvk)).toBe("/; apps/v1, Kind=Deployment");
});

describe("conflicts", () => {
  const identity = (manager: string): string =>
    formatIdentity({ manager, operation: "Apply", apiVersion: "", subresource: "" });

  it("come by manager, and by path within one", () => {
    const sets = new Map([
      [identity("b"), parseFieldsV1('{"f:x":{}}')],
      [identity("a"), parseFieldsV1('{"f:y":{"f:z":{}},"f:z":{}}')],
    ]);
    const conflicts = conflictsOf(sets);
    expect(conflicts).toEqual([
      { manager: identity("a"), path: fieldPath("z") },
      { manager: identity("a"), path: fieldPath("y", "z") },
      { manager: identity("b"), path: fieldPath("x") },
    ]);
    const { status } = conflictFailure(conflicts);
    expect(status.message).toBe(
      'Apply failed with 3 conflicts: conflicts with "a":\n- .z\n- .y.z\nconflicts with "b":\n- .x',
    );
    expect(status.code).toBe(409);
    expect(status.details?.causes).toHaveLength(3);
    const error = new ConflictError(conflicts);
    expect([error.code, error.message]).toEqual([
      "FieldConflict",
      "3 fields are owned by other managers; force the apply to take them",
    ]);
  });
});

describe("many conflicts", () => {
  const path = (i: number): FieldPath => fieldPath(`f${i}`);
  const manager = formatIdentity({ manager: "a", operation: "Apply", apiVersion: "", subresource: "" });
  const failureOf = (count: number): StatusError["status"] =>
    conflictFailure(Array.from({ length: count }, (_, i) => ({ manager, path: path(i) }))).status;

  it("are told up to a thousand", () => {
    const { message, details } = failureOf(1000);
    expect(message).toMatch(/^Apply failed with 1000 conflicts: conflicts with "a":\n- \.f0\n/);
    expect(message).toMatch(/\n- \.f999$/);
    expect(details?.causes).toHaveLength(1000);
  });

  it("are told as a number beyond", () => {
    const { message, details } = failureOf(1002);
    expect(message).toMatch(/^Apply failed with 1002 conflicts: /);
    expect(message).toMatch(/\n- \.f999\nand 2 more$/);
    expect(details?.causes).toHaveLength(1000);
  });
});

it("errors have codes", () => {
  const errors = [
    new PathElementError("x"),
    new ListItemError("x"),
    new TypedError(["x"]),
    new DecodeError("x"),
    new ManagedFieldsError("x"),
    new ConflictError([]),
  ];
  expect(errors.map(({ code }) => code)).toEqual([
    "PathElement",
    "ListItem",
    "Typed",
    "Decode",
    "ManagedFields",
    "FieldConflict",
  ]);
});

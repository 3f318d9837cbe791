import { describe, expect, it } from "vitest";
import type { JsonArray, JsonObject } from "@fairlead/base";

import { fieldPath } from "../fieldpath/path.js";
import { ManagedFieldsError } from "./entries.js";
import { parentManagedFields, scaleManagedFields } from "./scale.js";

const paths = new Map([
  ["apps/v1", fieldPath("spec", "replicas")],
  ["lab.dev/v1", undefined],
]);
const entry = (manager: string, fieldsV1: JsonObject, more: JsonObject = {}): JsonObject => ({
  manager,
  operation: "Apply",
  apiVersion: "apps/v1",
  time: "2026-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1,
  ...more,
});
const replicas = { "f:spec": { "f:replicas": {} } };
const both = { "f:spec": { "f:paused": {}, "f:replicas": {} } };
const paused = { "f:spec": { "f:paused": {} } };

describe("ownership of replicas", () => {
  it("is all that a Scale shows, in its own version", () => {
    const parent: JsonArray = [entry("a", both), entry("b", paused), entry("c", replicas, { apiVersion: "other/v1" })];
    expect(scaleManagedFields(parent, paths)).toEqual([entry("a", replicas, { apiVersion: "autoscaling/v1" })]);
  });

  it("goes to who wrote the Scale, without a time; who lost it keeps the rest", () => {
    const parent: JsonArray = [
      entry("a", both),
      entry("b", replicas),
      entry("d", replicas, { apiVersion: "other/v1" }),
    ];
    const scale: JsonArray = [
      entry("hpa", replicas, { apiVersion: "autoscaling/v1", operation: "Update", subresource: "scale" }),
    ];
    expect(parentManagedFields(parent, scale, { paths, apiVersion: "apps/v1" })).toEqual([
      entry("a", paused),
      {
        manager: "hpa",
        operation: "Update",
        apiVersion: "apps/v1",
        fieldsType: "FieldsV1",
        fieldsV1: replicas,
        subresource: "scale",
      },
    ]);
  });

  it("stays with who still has it in the Scale", () => {
    const parent: JsonArray = [entry("a", both)];
    const scale = scaleManagedFields(parent, paths);
    expect(parentManagedFields(parent, scale, { paths, apiVersion: "apps/v1" })).toEqual(parent);
  });

  it("of a version without a Scale, or of an unknown one, is not shown; the first stays in the parent", () => {
    const unscaled = entry("a", both, { apiVersion: "lab.dev/v1" });
    const parent: JsonArray = [unscaled, entry("b", both, { apiVersion: "other/v1" })];
    expect(scaleManagedFields(parent, paths)).toBeUndefined();
    expect(parentManagedFields(parent, undefined, { paths, apiVersion: "apps/v1" })).toEqual([unscaled]);
  });

  it("has a time in the Scale only where it has one in the parent", () => {
    const { time: _time, ...untimed } = entry("a", replicas);
    expect(scaleManagedFields([untimed], paths)).toEqual([{ ...untimed, apiVersion: "autoscaling/v1" }]);
  });

  it("is lost with the entry of who owned nothing else", () => {
    const scale = [entry("h", replicas, { apiVersion: "autoscaling/v1" })];
    const { time: _time, ...gained } = entry("h", replicas);
    const parent = [entry("a", replicas)];
    expect(parentManagedFields(parent, scale, { paths, apiVersion: "apps/v1" })).toEqual([gained]);
    expect(parentManagedFields(parent, undefined, { paths, apiVersion: "apps/v1" })).toBeUndefined();
  });

  it("is nobody's who owns something else of the Scale, or writes through a version that has none", () => {
    const scale = [entry("h", paused, { apiVersion: "autoscaling/v1" })];
    expect(parentManagedFields([], scale, { paths, apiVersion: "apps/v1" })).toBeUndefined();
    const owner = [entry("h", replicas, { apiVersion: "autoscaling/v1" })];
    expect(parentManagedFields([], owner, { paths, apiVersion: "lab.dev/v1" })).toBeUndefined();
  });

  it("cannot be told from what cannot be decoded", () => {
    expect(() => scaleManagedFields([5], paths)).toThrow(ManagedFieldsError);
  });
});

import { expect, it } from "vitest";
import type { JsonObject, JsonValue } from "@fairlead/base";

import { EMPTY_SET, fieldSetOf } from "../fieldpath/field-set.js";
import { fieldPath, formatPath } from "../fieldpath/path.js";
import { pathsOf } from "../fieldpath/field-set.js";
import { fieldsOwnedBy } from "./owned.js";
import { managedFieldsOf, metadataOf, metadataText, withManagedFields } from "./metadata.js";
import { stripMetadata } from "./strip.js";

it.each<[object: JsonValue, metadata: JsonObject, name: string]>([
  [{}, {}, ""],
  [{ metadata: null }, {}, ""],
  [{ metadata: "x" }, {}, ""],
  [{ metadata: { name: 5 } }, { name: 5 }, ""],
  [{ metadata: { name: "w" } }, { name: "w" }, "w"],
])("%j has metadata of its own or none", (object, metadata, name) => {
  expect(metadataOf(object as JsonObject)).toEqual(metadata);
  expect(metadataText(object as JsonObject, "name")).toBe(name);
  expect(metadataText(object as JsonObject, "constructor")).toBe("");
});

it("puts managedFields into an object, or takes them out, and shares the rest", () => {
  const entries = [{ manager: "a" }];
  const bare = { metadata: { name: "w" }, spec: {} };
  const managed = withManagedFields(bare, entries);
  expect(managed).toEqual({ metadata: { name: "w", managedFields: entries }, spec: {} });
  expect(bare).toEqual({ metadata: { name: "w" }, spec: {} });
  expect(managed["spec"]).toBe(bare.spec);
  expect(managedFieldsOf(managed)).toBe(entries);
  expect(withManagedFields(managed, entries)).toBe(managed);
  expect(withManagedFields(managed, [...entries])).not.toBe(managed);
  const again = withManagedFields(managed, undefined);
  expect(again).toEqual(bare);
  expect(Object.keys(again["metadata"] as JsonObject)).toEqual(["name"]);
  expect(withManagedFields(bare, undefined)).toBe(bare);
  const absent: JsonObject = { metadata: { managedFields: undefined } };
  expect(Object.keys(withManagedFields(absent, undefined)["metadata"] as JsonObject)).toEqual([]);
});

it("strips from a manager what identifies an object or is set by the server, and nothing else", () => {
  const stripped = [
    ["apiVersion"],
    ["kind"],
    ["metadata"],
    ...["name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation"].map((name) => [
      "metadata",
      name,
    ]),
    ["metadata", "managedFields"],
    ["metadata", "resourceVersion"],
  ];
  const kept = [
    ["metadata", "labels"],
    ["metadata", "generateName"],
    ["metadata", "name", "x"],
    ["spec", "kind"],
  ];
  const owned = (paths: readonly (readonly string[])[]) =>
    ({ set: fieldSetOf(paths.map((path) => fieldPath(...path))), apiVersion: "v1", applied: true }) as const;
  const left = stripMetadata(new Map([["a", owned([...stripped, ...kept])]]), "a").get("a");
  expect(
    pathsOf(left?.set ?? EMPTY_SET)
      .map(formatPath)
      .sort(),
  ).toEqual(kept.map((path) => `.${path.join(".")}`).sort());
  expect(stripMetadata(new Map([["a", owned(stripped)]]), "a").size).toBe(0);
  expect(stripMetadata(new Map([["a", owned([])]]), "a").size).toBe(0);
  const others = new Map([
    ["a", owned(kept)],
    ["b", owned(stripped)],
  ]);
  expect(stripMetadata(others, "a")).toBe(others);
  expect(stripMetadata(others, "c")).toBe(others);
});

it("tells what a manager owns, by any part of who it is", () => {
  const entry = (
    manager: string,
    operation: string,
    apiVersion: string,
    field: string,
    subresource = "",
  ): JsonObject => ({
    ...{ manager, operation, apiVersion, fieldsType: "FieldsV1", fieldsV1: { [`f:${field}`]: {} } },
    ...(subresource === "" ? {} : { subresource }),
  });
  const object: JsonObject = {
    metadata: {
      managedFields: [
        entry("a", "Apply", "v1", "one"),
        entry("a", "Update", "v1", "two"),
        entry("a", "Update", "v2", "three", "status"),
        entry("b", "Apply", "v2", "four"),
      ],
    },
  };
  const owned = (who: Parameters<typeof fieldsOwnedBy>[1]): readonly string[] =>
    pathsOf(fieldsOwnedBy(object, who)).map(formatPath);
  expect(owned({})).toEqual([".four", ".one", ".three", ".two"]);
  expect(owned({ manager: "a" })).toEqual([".one", ".three", ".two"]);
  expect(owned({ manager: "a", operation: "Update" })).toEqual([".three", ".two"]);
  expect(owned({ apiVersion: "v2" })).toEqual([".four", ".three"]);
  expect(owned({ subresource: "" })).toEqual([".four", ".one", ".two"]);
  expect(owned({ manager: "c" })).toEqual([]);
  expect(fieldsOwnedBy({}, {})).toBe(EMPTY_SET);
});

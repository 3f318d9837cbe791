import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "@fairlead/base";
import type { Schema } from "@fairlead/apimachinery";

import { fieldSetOfNames } from "../fieldpath/fields-v1.js";
import { listOf, string, struct } from "../typed/schema.fixtures.js";
import { DecodeError } from "./context.js";
import { entriesOf, Lab, type ContextChange } from "./endpoint.fixtures.js";

/*
 * A kind with three versions that call one field `old`, `new` and `newest`; in the second, a list of tags is a set.
 */

const NAMES = new Map([
  ["lab.dev/v1", "old"],
  ["lab.dev/v2", "new"],
  ["lab.dev/v3", "newest"],
]);

function schemaIn(version: string): Schema | undefined {
  const name = NAMES.get(version);
  const tags = listOf(string, version === "lab.dev/v1" ? {} : { listType: "set" });
  return name === undefined ? undefined : struct({ spec: struct({ [name]: string, same: string, tags }) });
}

const schemas = new Map([...NAMES.keys()].map((version) => [version, schemaIn(version)]));

function convert(object: JsonObject, apiVersion: string): JsonObject {
  const [from, to] = [NAMES.get(String(object["apiVersion"])) as string, NAMES.get(apiVersion) as string];
  const { [from]: moved, ...rest } = (object["spec"] ?? {}) as JsonObject;
  return { ...object, apiVersion, spec: moved === undefined ? rest : { ...rest, [to]: moved } };
}

const versions = { schemaFor: (version: string) => schemas.get(version), convert };
const at = (version: string): ContextChange => ({ gvk: { group: "lab.dev", version, kind: "Widget" } });
const config = (version: string, spec: JsonObject): JsonObject => ({
  apiVersion: `lab.dev/${version}`,
  kind: "Widget",
  metadata: { name: "w" },
  spec,
});
const start = (change: ContextChange = {}): Lab => new Lab({ ...versions, ...change });
const apply = (lab: Lab, manager: string, version: string, spec: JsonObject, force = false): JsonObject =>
  lab.apply(manager, config(version, spec), { ...at(version), force });
const versionsOf = (lab: Lab): readonly JsonValue[] =>
  entriesOf(lab.object).map((entry) => (entry as JsonObject)["apiVersion"] as JsonValue);

describe("what one applier leaves out", () => {
  it("stays where another owns it in another version, under another name", () => {
    const lab = start();
    apply(lab, "a", "v1", { old: "1", same: "2" });
    apply(lab, "b", "v2", { new: "1" });
    apply(lab, "a", "v1", { same: "2" });
    expect(lab.spec).toEqual({ old: "1", same: "2" });
    apply(lab, "b", "v2", {});
    expect(lab.spec).toEqual({ same: "2" });
  });

  it("stays where several own it in several versions", () => {
    const lab = start();
    apply(lab, "a", "v1", { old: "1", same: "2" });
    apply(lab, "b", "v2", { new: "1" });
    apply(lab, "c", "v3", { same: "2" });
    apply(lab, "a", "v1", {});
    expect(lab.spec).toEqual({ old: "1", same: "2" });
    apply(lab, "b", "v2", {});
    expect(lab.spec).toEqual({ same: "2" });
    apply(lab, "c", "v3", {});
    expect(lab.spec).toEqual({});
  });

  it("goes, though it was applied in another version", () => {
    const lab = start();
    apply(lab, "a", "v1", { old: "1", same: "2" });
    apply(lab, "a", "v2", { same: "2" });
    expect(lab.object).toMatchObject({ apiVersion: "lab.dev/v2", spec: { same: "2" } });
    expect(versionsOf(lab)).toEqual(["lab.dev/v2"]);
    expect(lab.owners).toEqual({ "a/Apply": { "f:same": {} } });
  });

  it("stays in the object, when the version that it was applied in is gone", () => {
    const lab = start();
    apply(lab, "a", "v2", { new: "1", same: "2" });
    lab.update("u", (object) => convert(object, "lab.dev/v1"));
    const onlyFirst = { schemaFor: (version: string) => (version === "lab.dev/v1" ? schemas.get(version) : undefined) };
    lab.apply("a", config("v1", { same: "2" }), onlyFirst);
    expect(lab.spec).toEqual({ old: "1", same: "2" });
    expect(lab.owners["a/Apply"]).toEqual({ "f:same": {} });
  });
});

describe("a change in one version", () => {
  it("conflicts with its owner in another, under the owner's name of it", () => {
    const lab = start();
    apply(lab, "a", "v1", { old: "1", same: "2" });
    apply(lab, "b", "v3", { newest: "1" });
    expect(() => apply(lab, "c", "v2", { new: "2" })).toThrow(
      'conflicts with "a":\n- .spec.old\nconflicts with "b":\n- .spec.newest',
    );
    apply(lab, "c", "v2", { new: "2" }, true);
    expect(lab.owners).toEqual({ "a/Apply": { "f:same": {} }, "c/Apply": { "f:new": {} } });
  });

  it("by an update takes and removes from owners in others", () => {
    const lab = start();
    apply(lab, "a", "v1", { old: "1", same: "2" });
    lab.update(
      "u",
      () => ({ ...config("v2", { new: "3" }), metadata: lab.object?.["metadata"] as JsonObject }),
      at("v2"),
    );
    expect(lab.owners).toEqual({ "u/Update": { "f:new": {} } });
    lab.update(
      "v",
      () => ({ ...config("v3", { newest: "4" }), metadata: lab.object?.["metadata"] as JsonObject }),
      at("v3"),
    );
    expect(lab.owners).toEqual({ "v/Update": { "f:newest": {} } });
  });

  it("is none where only the version changes", () => {
    const lab = start();
    apply(lab, "a", "v1", { old: "1", tags: ["x", "y"] });
    const entries = entriesOf(lab.object);
    lab.update("u", (object) => convert(object, "lab.dev/v2"), at("v2"));
    expect(entriesOf(lab.object)).toEqual(entries);
  });

  it("is judged by the list as each version has it", () => {
    const lab = start();
    apply(lab, "a", "v1", { tags: ["x"] });
    apply(lab, "b", "v2", { tags: ["y"] }, true);
    expect(lab.spec).toEqual({ tags: ["x", "y"] });
    expect(lab.owners).toEqual({ "b/Apply": { "f:tags": { 'v:"y"': {} } } });
  });
});

describe("what an endpoint resets", () => {
  it("is nobody's in each version for itself", () => {
    const resetFields = new Map([
      ["lab.dev/v1", fieldSetOfNames([["spec", "old"]])],
      ["lab.dev/v2", fieldSetOfNames([["spec", "new"]])],
    ]);
    const lab = start({ resetFields });
    apply(lab, "a", "v1", { old: "1", same: "2" });
    expect(lab.owners).toEqual({ "a/Apply": { "f:same": {} } });
    apply(lab, "b", "v2", { new: "2" });
    expect(lab.owners).toEqual({ "a/Apply": { "f:same": {} } });
    apply(lab, "c", "v3", { newest: "3" });
    expect(lab.owners["c/Apply"]).toEqual({ "f:newest": {} });
    lab.update("u", (object) => ({ ...object, spec: { newest: "3", same: "5" } }), at("v3"));
    expect(lab.owners["u/Update"]).toEqual({ "f:same": {} });
  });

  it("is meant in the endpoint's own version, when it is one set", () => {
    const lab = start({ resetFields: fieldSetOfNames([["spec", "same"]]) });
    apply(lab, "a", "v1", { old: "1", same: "2" });
    expect(lab.owners).toEqual({ "a/Apply": { "f:old": {} } });
    lab.put("u", { old: "2", same: "3" });
    expect(lab.owners).toEqual({ "u/Update": { "f:old": {} } });
  });

  it("is kept by an owner that another endpoint knows", () => {
    const lab = start();
    apply(lab, "a", "v1", { old: "1", same: "2" });
    const resetFields = new Map([["lab.dev/v1", fieldSetOfNames([["spec", "old"]])]]);
    lab.update("u", (object) => ({ ...object, spec: { old: "9", same: "9" } }), { resetFields });
    expect(lab.owners).toEqual({ "a/Apply": { "f:old": {} }, "u/Update": { "f:same": {} } });
  });
});

describe("a conversion that fails", () => {
  const failing = (error: Error): ContextChange => ({
    convert: () => {
      throw error;
    },
  });

  it("is explained to who applies, and costs everybody's ownership where it is an update", () => {
    const lab = start();
    apply(lab, "a", "v1", { old: "1" });
    const change = failing(new DecodeError("no way"));
    expect(() => lab.apply("b", config("v2", { new: "2" }), { ...at("v2"), ...change })).toThrow("no way");
    lab.update("u", (object) => ({ ...object, spec: { new: "2" } }), { ...at("v2"), ...change });
    expect(entriesOf(lab.object)).toEqual([]);
  });

  it("for want of an owner's version is explained as such", () => {
    const lab = start();
    apply(lab, "a", "v2", { new: "1" });
    lab.update("u", (object) => convert(object, "lab.dev/v1"));
    expect(() => lab.apply("b", config("v1", { old: "2" }), failing(new DecodeError("no way")))).toThrow(
      "failed to apply: no way",
    );
  });

  it("for a defect of ours is not hidden", () => {
    const lab = start();
    apply(lab, "a", "v1", { old: "1" });
    const change = { ...at("v2"), ...failing(new TypeError("a defect")) };
    expect(() => lab.update("u", (object) => ({ ...object, spec: { new: "2" } }), change)).toThrow("a defect");
  });

  it("into what does not fit the version's schema is explained too", () => {
    const lab = start();
    apply(lab, "a", "v2", { new: "1", tags: ["x"] });
    lab.update("u", (object) => convert(object, "lab.dev/v1"));
    lab.object = { ...(lab.object as JsonObject), spec: { old: "1", tags: ["x", "x"] } };
    expect(() => apply(lab, "b", "v1", { same: "2" })).toThrow('.spec.tags: duplicate entries for key [="x"]');
  });
});

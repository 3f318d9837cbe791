import { describe, expect, it } from "vitest";
import { InvariantError, type JsonObject, type JsonValue } from "@fairlead/base";

import { string, struct, widget, widgetSchema } from "../typed/schema.fixtures.js";
import { TypeCache } from "../typed/type.js";
import { applyConfiguration } from "./apply.js";
import { context, entriesOf, Lab, ownersOf } from "./endpoint.fixtures.js";
import { trackUpdate } from "./update.js";

const stored = (spec: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...widget(spec),
  metadata: { name: "w", uid: "u-1", ...more },
});
const config = (spec: JsonObject): JsonObject => widget(spec);

describe("an apply", () => {
  it("by nobody is by `unknown`", () => {
    const lab = new Lab();
    lab.apply("", { image: "x" });
    expect(Object.keys(lab.owners)).toEqual(["unknown/Apply"]);
  });

  it("of nothing at all leaves a manager that owned something without an entry", () => {
    const lab = new Lab();
    lab.apply("a", { image: "x" });
    lab.apply("a", { apiVersion: "lab.dev/v1", kind: "Widget", metadata: { name: "w" } });
    expect(entriesOf(lab.object)).toEqual([]);
    expect(lab.spec).toBeUndefined();
  });

  it.each<[what: string, identity: JsonObject, named: string]>([
    ["no apiVersion", { kind: "Widget" }, "/, Kind="],
    ["an apiVersion that is no text", { apiVersion: 5, kind: "Widget" }, "/, Kind="],
    ["an apiVersion of three parts", { apiVersion: "a/b/c", kind: "Widget" }, "/, Kind="],
    ["a kind that is no text", { apiVersion: "lab.dev/v1", kind: 5 }, "lab.dev/v1, Kind="],
    ["an apiVersion of the core group", { apiVersion: "v1", kind: "Widget" }, "/v1, Kind=Widget"],
  ])("with %s is of another kind", (_what, identity, named) => {
    const call = (): JsonObject =>
      applyConfiguration(context(), { live: undefined, config: identity, manager: "a", force: false });
    expect(call).toThrow(`invalid object type: ${named}`);
  });

  it("may say that it has no managedFields", () => {
    const lab = new Lab();
    lab.apply("a", { ...config({ image: "x" }), metadata: { name: "w", managedFields: null } });
    expect(lab.owners).toEqual({ "a/Apply": { "f:image": {} } });
  });

  it("may not name an item twice, though the live object may", () => {
    const lab = new Lab();
    lab.object = stored({ tags: ["a", "a"] });
    expect(() => lab.apply("a", { tags: ["b", "b"] })).toThrow(
      'failed to create typed patch object (/w; lab.dev/v1, Kind=Widget): .spec.tags: duplicate entries for key [="b"]',
    );
    lab.apply("a", { image: "x" });
    expect(lab.spec).toEqual({ image: "x", tags: ["a", "a"] });
    lab.apply("a", { image: "y" });
    expect(lab.spec).toEqual({ image: "y", tags: ["a", "a"] });
  });

  it("fails where the live object does not have its type, and says of what it failed", () => {
    const managed = new Lab();
    managed.apply("a", { image: "x" });
    const schema = struct({ spec: struct({ replicas: string }) });
    expect(() => managed.apply("a", { replicas: "x" }, { schema })).toThrow(
      "failed to create typed live object (/w; lab.dev/v1, Kind=Widget): .spec.image: field not declared in schema",
    );
    const unmanaged = new Lab();
    unmanaged.object = stored({ bogus: 1 });
    expect(() => unmanaged.apply("a", { image: "x" })).toThrow(
      "failed to create manager for existing fields: failed to convert new object (/w; lab.dev/v1, Kind=Widget) to smd typed: .spec.bogus: field not declared in schema",
    );
  });

  it("fails where stored managedFields cannot be decoded", () => {
    const lab = new Lab();
    lab.object = stored({}, { managedFields: [5] });
    expect(() => lab.apply("a", { image: "x" })).toThrow(
      "failed to decode managed fields: managed fields entry 0 must be an object",
    );
  });

  it("fails in a version that has no schema", () => {
    expect(() => new Lab({ schemaFor: () => undefined }).apply("a", { image: "x" })).toThrow(
      "failed to create typed patch object (/w; lab.dev/v1, Kind=Widget): no corresponding type for lab.dev/v1, Kind=Widget",
    );
  });
});

describe("types", () => {
  it("are looked at anew when the schema of a known object changes", () => {
    const types = new TypeCache();
    const live = stored({ image: "x" });
    const apply = (schema = widgetSchema): JsonObject =>
      applyConfiguration(context({ types, schema }), {
        live,
        config: config({ flag: true }),
        manager: "a",
        force: true,
      });
    expect(apply()).toMatchObject({ spec: { image: "x", flag: true } });
    expect(apply()).toMatchObject({ spec: { image: "x", flag: true } });
    expect(() => apply(struct({ spec: struct({ flag: { type: "boolean" } }) }))).toThrow(
      ".spec.image: field not declared in schema",
    );
  });

  it("need no cache", () => {
    const { types: _types, ...bare } = context();
    const applied = applyConfiguration(bare, {
      live: undefined,
      config: config({ image: "x" }),
      manager: "a",
      force: false,
    });
    expect(ownersOf(applied)).toEqual({ "a/Apply": { "f:image": {} } });
  });

  it("of built-in kinds have the fields of their schema only", () => {
    const lab = new Lab({ builtin: true });
    expect(() => lab.apply("a", { image: "x" })).toThrow(".apiVersion: field not declared in schema");
  });
});

describe("a new object", () => {
  const identity = struct({}).properties;
  const builtin = struct({
    apiVersion: string,
    kind: string,
    metadata: struct({ name: string }),
    spec: struct({ image: string, mode: string }),
  });

  it("is compared with nothing, or with what the kind says an empty object is", () => {
    expect(identity?.size).toBe(0);
    const next = widget({ image: "x", mode: "m" });
    const owners = (emptyObject?: JsonObject): JsonValue =>
      ownersOf(
        trackUpdate(
          context({ builtin: true, schema: builtin, ...(emptyObject === undefined ? {} : { emptyObject }) }),
          {
            live: undefined,
            next,
            manager: "u",
          },
        ),
      );
    expect(owners({ spec: { mode: "m" } })).toEqual({ "u/Update": { "f:image": {} } });
    expect(owners({ spec: { mode: "other" } })).toEqual({ "u/Update": { "f:image": {}, "f:mode": {} } });
    expect(owners({})).toEqual({ "u/Update": { ".": {}, "f:image": {}, "f:mode": {} } });
  });
});

describe("an update", () => {
  it("may repeat items, before and after", () => {
    const lab = new Lab();
    lab.put("u", { tags: ["a", "a"] });
    expect(lab.owners).toEqual({ "u/Update": { ".": {}, "f:tags": { ".": {}, 'v:"a"': {} } } });
    lab.put("v", { tags: ["a", "a", "b"] });
    expect(lab.owners["v/Update"]).toEqual({ "f:tags": { 'v:"b"': {} } });
  });

  it("of an object that is not stored yet, nor managed, owns what it changes", () => {
    const live = widget({ image: "x" });
    const next = trackUpdate(context(), { live, next: widget({ image: "y" }), manager: "u" });
    expect(ownersOf(next)).toEqual({ "u/Update": { "f:image": {} } });
  });

  it("of what cannot be tracked keeps no managedFields of the client's", () => {
    const next = { ...widget({ bogus: 1 }), metadata: { name: "w", managedFields: [{ manager: "x" }] } };
    const created = trackUpdate(context(), { live: undefined, next, manager: "u" });
    expect(created).toEqual(widget({ bogus: 1 }));
    const live = { ...widget({}), metadata: { name: "w", uid: "u-1", managedFields: "x" } };
    expect(trackUpdate(context(), { live, next, manager: "u" })).toEqual(widget({ bogus: 1 }));
  });

  it("does not hide defects", () => {
    for (const defect of [new InvariantError("never"), new TypeError("a defect")]) {
      const schemaFor = (): never => {
        throw defect;
      };
      const call = (): JsonObject =>
        trackUpdate(context({ schemaFor }), { live: undefined, next: widget({}), manager: "u" });
      expect(call).toThrow(defect.message);
    }
  });

  it("resets with one empty entry, not with two or with something else", () => {
    const start = (): Lab => {
      const lab = new Lab();
      lab.apply("a", { image: "x" });
      return lab;
    };
    for (const sent of [[{}, {}], [5], [null], [{ manager: "a" }], "x", {}] as readonly JsonValue[]) {
      const lab = start();
      lab.update("u", (object) => ({ ...object, metadata: { name: "w", uid: "u-1", managedFields: sent } }));
      expect(Object.keys(lab.owners)).toEqual(["a/Apply"]);
    }
    const lab = start();
    lab.update("u", (object) => ({ ...object, metadata: { name: "w", uid: "u-1", managedFields: [{}] } }));
    expect(lab.owners).toEqual({});
  });

  it("without an apiVersion is taken to be in the endpoint's", () => {
    const lab = new Lab();
    lab.apply("a", { image: "x" });
    const { apiVersion: _version, ...rest } = lab.object as JsonObject;
    const next = { ...rest, spec: { image: "y" } };
    const convert = (): never => {
      throw new InvariantError("nothing is to be converted");
    };
    const tracked = trackUpdate(context({ convert }), { live: lab.object, next, manager: "u" });
    expect(ownersOf(tracked)).toEqual({ "u/Update": { "f:image": {} } });
  });
});

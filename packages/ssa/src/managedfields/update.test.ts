import { describe, expect, it } from "vitest";
import type { Schema } from "@fairlead/apimachinery";
import { cloneJson, FairleadError, type JsonArray, type JsonObject, type JsonValue } from "@fairlead/base";

import { parseFieldsV1 } from "../fieldpath/fields-v1.js";
import { string, struct, widget, widgetSchema } from "../typed/schema.fixtures.js";
import { TypeCache } from "../typed/type.js";
import { context, entriesOf, Lab, ownersOf } from "./endpoint.fixtures.js";
import { readAhead, trackUpdate } from "./update.js";

const withManaged = (object: JsonObject, managedFields: JsonValue | undefined): JsonObject => {
  const { managedFields: _old, ...metadata } = object["metadata"] as JsonObject;
  return { ...object, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
};

describe("an update", () => {
  it("owns what it changed, containers it created included", () => {
    const lab = new Lab();
    lab.put("u", { image: "x", config: { cpu: 1 } });
    expect(lab.owners).toEqual({ "u/Update": { ".": {}, "f:config": { ".": {}, "f:cpu": {} }, "f:image": {} } });
  });

  it("gains nothing from what it leaves as it is, and gets no new time", () => {
    const lab = new Lab();
    lab.apply("a", { image: "x" });
    const stored = lab.object;
    lab.put("u", { image: "x" });
    expect(lab.object).toEqual(stored);
    expect(entriesOf(lab.object)).toBe(entriesOf(stored));
  });

  it("takes what it changes or removes from everybody, whose times stay", () => {
    const lab = new Lab();
    lab.apply("a", { image: "x", replicas: 1, flag: true });
    lab.put("u", { image: "y", flag: true });
    expect(lab.owners).toEqual({ "a/Apply": { "f:flag": {} }, "u/Update": { "f:image": {} } });
    expect(lab.times).toEqual({ a: 1, u: 2 });
  });

  it("adds to the manager's own entry", () => {
    const lab = new Lab();
    lab.put("u", { image: "x" });
    lab.put("u", { image: "y", replicas: 1 });
    expect(lab.owners).toEqual({ "u/Update": { ".": {}, "f:image": {}, "f:replicas": {} } });
    expect(lab.times).toEqual({ u: 2 });
  });

  it("is another owner than an apply of the same manager", () => {
    const lab = new Lab();
    lab.apply("m", { image: "x" });
    lab.put("m", { image: "x", replicas: 1 });
    expect(lab.owners).toEqual({ "m/Apply": { "f:image": {} }, "m/Update": { "f:replicas": {} } });
  });

  it("without a name is by `unknown`", () => {
    const lab = new Lab();
    lab.put("", { image: "x" });
    expect(Object.keys(lab.owners)).toEqual(["unknown/Update"]);
  });

  it("drops ownership when the wanted or the stored object does not fit the schema", () => {
    const lab = new Lab();
    lab.apply("a", { image: "x" });
    lab.put("u", { image: { not: "a string" } });
    expect(entriesOf(lab.object)).toEqual([]);
    const other = new Lab();
    other.apply("a", { image: "x" });
    other.update("u", (object) => ({ ...object, spec: {} }), {
      schema: struct({ spec: struct({ replicas: string }) }),
    });
    expect(entriesOf(other.object)).toEqual([]);
  });

  it("drops ownership when others own fields in a version without what the object has", () => {
    const lab = new Lab();
    lab.apply("a", { image: "x" });
    const entries = entriesOf(lab.object).map((entry) => ({ ...(entry as JsonObject), apiVersion: "lab.dev/v0" }));
    const live = withManaged(lab.object as JsonObject, entries);
    const next = { ...live, spec: { image: "y" } };
    const without = struct({ spec: struct({ other: string }) });
    const inBoth = trackUpdate(context({ schemaFor: () => widgetSchema }), { live, next, manager: "u" });
    expect(ownersOf(inBoth)).toEqual({ "u/Update": { "f:image": {} } });
    const schemaFor = (version: string): Schema => (version === "lab.dev/v0" ? without : widgetSchema);
    expect(trackUpdate(context({ schemaFor }), { live, next, manager: "u" })).toEqual(withManaged(next, undefined));
  });
});

describe("managedFields that a client sends", () => {
  const entry: JsonObject = {
    manager: "z",
    operation: "Apply",
    apiVersion: "lab.dev/v1",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": { "f:image": {} } },
  };
  const start = (): Lab => {
    const lab = new Lab();
    lab.apply("a", { image: "x", replicas: 1 });
    return lab;
  };

  it.each<[sentence: string, sent: JsonValue | undefined, owners: readonly string[]]>([
    ["absent: the stored ones stay", undefined, ["a/Apply"]],
    ["null: the stored ones stay", null, ["a/Apply"]],
    ["[]: the stored ones stay, on a custom kind", [], ["a/Apply"]],
    ["[{}]: nobody owns anything any more", [{}], []],
    ["valid: they replace the stored ones", [entry], ["z/Apply"]],
    ["with a wrong operation: the stored ones stay", [{ ...entry, operation: "Bogus" }], ["a/Apply"]],
    ["without a version: the stored ones stay", [{ ...entry, apiVersion: "" }], ["a/Apply"]],
    ["without a type of fields: the stored ones stay", [{ ...entry, fieldsType: "" }], ["a/Apply"]],
    ["with malformed fields: the stored ones stay", [{ ...entry, fieldsV1: { "f:spec": { x: {} } } }], ["a/Apply"]],
    [
      "without fields: that manager owns nothing",
      [{ manager: "z", operation: "Apply", apiVersion: "lab.dev/v1", fieldsType: "FieldsV1" }],
      [],
    ],
    [
      "twice for one manager: the last one counts",
      [{ ...entry, fieldsV1: { "f:spec": { "f:replicas": {} } } }, entry],
      ["z/Apply"],
    ],
    [
      "of a version that is not served: dropped",
      [
        { ...entry, apiVersion: "lab.dev/v0" },
        { ...entry, manager: "y" },
      ],
      ["y/Apply"],
    ],
    [
      "without a manager: kept",
      [
        {
          operation: "Update",
          apiVersion: "lab.dev/v1",
          fieldsType: "FieldsV1",
          fieldsV1: { "f:spec": { "f:image": {} } },
        },
      ],
      ["/Update"],
    ],
  ])("%s", (_sentence, sent, owners) => {
    const lab = start();
    lab.update("u", (object) => withManaged(object, sent));
    expect(Object.keys(lab.owners)).toEqual(owners);
  });

  it("[] forgets everything on a built-in kind", () => {
    const lab = start();
    const object = trackUpdate(context({ builtin: true }), {
      live: lab.object,
      next: withManaged(lab.object as JsonObject, []),
      manager: "u",
    });
    expect(ownersOf(object)).toEqual({});
  });

  it("are ignored through a subresource", () => {
    const lab = start();
    lab.update("u", (object) => withManaged(object, [{}]), { subresource: "status" });
    expect(Object.keys(lab.owners)).toEqual(["a/Apply"]);
  });

  it("once reset, stay empty through updates until the next apply", () => {
    const lab = start();
    lab.update("u", (object) => withManaged(object, [{}]));
    lab.put("u", { image: "z", replicas: 1 });
    expect(lab.owners).toEqual({});
    lab.apply("b", { flag: true });
    expect(Object.keys(lab.owners)).toEqual(["b/Apply", "before-first-apply/Update"]);
  });

  it("are brought into canonical form", () => {
    const lab = start();
    const sent = [{ ...entry, fieldsV1: { "f:spec": { "f:image": { ".": {} }, "z:unknown": {} } } }];
    lab.update("u", (object) => withManaged(object, sent));
    expect((entriesOf(lab.object)[0] as JsonObject)["fieldsV1"]).toEqual({ "f:spec": { "f:image": {} } });
  });
});

it("folds the oldest updaters into one, beyond ten", () => {
  const lab = new Lab();
  for (let i = 0; i < 12; i++) {
    lab.put(`u${String(i).padStart(2, "0")}`, {
      ...((lab.spec ?? {}) as JsonObject),
      labels: Object.fromEntries(Array.from({ length: i + 1 }, (_, k) => [`k${k}`, "1"])),
    });
  }
  const owners = lab.owners;
  expect(Object.keys(owners)).toHaveLength(10);
  expect(owners["ancient-changes/Update"]).toEqual({
    ".": {},
    "f:labels": { ".": {}, "f:k0": {}, "f:k1": {}, "f:k2": {} },
  });
  expect(lab.times["ancient-changes"]).toBe(3);
  lab.apply("a", { image: "x" });
  expect(Object.keys(lab.owners)).toHaveLength(11);
});

it("sorts entries by operation, time, manager, version and subresource", () => {
  const entries: JsonArray = [
    {
      manager: "b",
      operation: "Update",
      apiVersion: "lab.dev/v1",
      time: "2026-01-01T00:00:00Z",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:spec": { "f:image": {} } },
    },
    {
      manager: "a",
      operation: "Update",
      apiVersion: "lab.dev/v1",
      time: "2026-01-01T00:00:00Z",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:spec": { "f:image": {} } },
      subresource: "scale",
    },
    {
      manager: "a",
      operation: "Update",
      apiVersion: "lab.dev/v1",
      time: "2026-01-01T00:00:00Z",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:spec": { "f:image": {} } },
    },
    {
      manager: "z",
      operation: "Apply",
      apiVersion: "lab.dev/v1",
      time: "2026-01-01T01:00:00+02:00",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:spec": { "f:image": {} } },
    },
    {
      manager: "y",
      operation: "Apply",
      apiVersion: "lab.dev/v1",
      time: "2026-01-01T00:00:00Z",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:spec": { "f:image": {} } },
    },
    {
      manager: "x",
      operation: "Apply",
      apiVersion: "lab.dev/v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:spec": { "f:image": {} } },
    },
  ];
  const live = { ...widget({ image: "x" }), metadata: { name: "w", uid: "u-1" } };
  const next = trackUpdate(context(), { live, next: withManaged(live, entries), manager: "u" });
  expect(
    entriesOf(next).map(
      (entry) => `${String((entry as JsonObject)["manager"])} ${String((entry as JsonObject)["subresource"] ?? "")}`,
    ),
  ).toEqual(["x ", "z ", "y ", "a ", "a scale", "b "]);
});

describe("reading ahead", () => {
  const widgetOf = (spec: JsonObject, managedFields: JsonValue = []): JsonObject => ({
    apiVersion: "lab.dev/v1",
    kind: "Widget",
    metadata: { name: "w", managedFields },
    spec,
  });

  it("remembers the type that a stored object was checked against, and its sets", () => {
    const lab = new Lab();
    lab.apply("a", { image: "x" });
    const stored = cloneJson(lab.object as JsonObject);
    const cache = new TypeCache();
    readAhead(context({ types: cache }), stored);
    expect(cache.checked.get(stored)).toBe(cache.objectType(widgetSchema, { builtin: false }));
    const { fieldsV1 } = entriesOf(stored)[0] as { readonly fieldsV1: JsonObject };
    expect(cache.sets.get(fieldsV1)).toEqual(parseFieldsV1('{"f:spec":{"f:image":{}}}'));
  });

  it("leaves what is wrong to the decision", () => {
    const cache = new TypeCache();
    const wrong = widgetOf({ image: { not: "a string" } });
    readAhead(context({ types: cache }), wrong);
    expect(cache.checked.has(wrong)).toBe(false);
    expect(() => readAhead(context({ types: cache }), widgetOf({}, [{ operation: "Eat" }]))).not.toThrow();
  });

  it("passes defects on", () => {
    const schemaFor = (): never => {
      throw new Error("defect");
    };
    expect(() => readAhead(context({ schemaFor }), widgetOf({}))).toThrow("defect");
    const broken = (): never => {
      throw new FairleadError("Invariant", "broken");
    };
    expect(() => readAhead(context({ schemaFor: broken }), widgetOf({}))).toThrow("broken");
  });
});

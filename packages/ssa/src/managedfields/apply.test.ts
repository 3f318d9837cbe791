import { describe, expect, it } from "vitest";
import type { JsonObject, MutableJsonObject } from "@fairlead/base";
import { StatusError } from "@fairlead/apimachinery";

import { fieldSetOfNames } from "../fieldpath/fields-v1.js";
import { integer, listOf, mapOf, string, struct, widget } from "../typed/schema.fixtures.js";
import { DecodeError } from "./context.js";
import { entriesOf, Lab } from "./endpoint.fixtures.js";

function failureOf(call: () => unknown): { readonly code: number; readonly reason: string; readonly message: string } {
  try {
    call();
  } catch (error) {
    if (error instanceof StatusError) return { code: error.httpStatus, reason: error.reason, message: error.message };
    throw error;
  }
  throw new Error("the call did not fail");
}

describe("an apply", () => {
  it("owns what it names, and a repeat changes nothing at all", () => {
    const lab = new Lab();
    lab.apply("a", { image: "x", ports: [{ port: 80 }] });
    expect(lab.owners).toEqual({
      "a/Apply": { "f:image": {}, "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {} } } },
    });
    const before = lab.object;
    expect(lab.apply("a", { image: "x", ports: [{ port: 80 }] })).toBe(before);
  });

  it("removes what the manager left out and nobody else owns", () => {
    const lab = new Lab();
    lab.apply("a", { image: "x", replicas: 1, config: { cpu: 1, mem: "m" } });
    lab.apply("b", { replicas: 1, config: { mem: "m" } });
    lab.apply("a", { image: "x" });
    expect(lab.spec).toEqual({ image: "x", replicas: 1, config: { mem: "m" } });
    expect(lab.owners).toEqual({
      "a/Apply": { "f:image": {} },
      "b/Apply": { "f:config": { "f:mem": {} }, "f:replicas": {} },
    });
  });

  it("removes an item with what an updater put into it, but leaves one that another applier owns", () => {
    const lab = new Lab();
    lab.apply("a", {
      containers: [
        { name: "c", image: "i" },
        { name: "d", image: "j" },
      ],
    });
    lab.apply("b", { containers: [{ name: "d", command: ["sh"] }] });
    lab.put("u", {
      containers: [
        { name: "c", image: "i", command: ["x"] },
        { name: "d", image: "j", command: ["sh"] },
      ],
    });
    lab.apply("a", {});
    expect(lab.spec).toEqual({ containers: [{ name: "d", command: ["sh"] }] });
  });

  it("conflicts with the owners of what it changes, by manager and in the order of paths", () => {
    const lab = new Lab();
    lab.apply("a", { image: "x", ports: [{ port: 80, name: "n" }], labels: { "a.b/c": "1" } });
    lab.put("u", { image: "x", ports: [{ port: 80, name: "n" }], labels: { "a.b/c": "1" }, replicas: 1 });
    const wanted: JsonObject = { image: "y", replicas: 2, ports: [{ port: 80, name: "m" }], labels: { "a.b/c": "2" } };
    expect(failureOf(() => lab.apply("b", wanted))).toEqual({
      code: 409,
      reason: "Conflict",
      message:
        'Apply failed with 4 conflicts: conflicts with "a":\n- .spec.image\n- .spec.labels.a.b/c\n- .spec.ports[port=80,protocol="TCP"].name\nconflicts with "u" using lab.dev/v1:\n- .spec.replicas',
    });
    lab.apply("b", wanted, { force: true });
    expect(lab.owners).toEqual({
      "a/Apply": { "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {} } } },
      "b/Apply": {
        "f:image": {},
        "f:labels": { "f:a.b/c": {} },
        "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:name": {}, "f:port": {} } },
        "f:replicas": {},
      },
    });
  });

  it("names each conflict as a cause", () => {
    const lab = new Lab();
    lab.apply("a", { image: "x" });
    try {
      lab.apply("b", { image: "y" });
    } catch (error) {
      expect((error as StatusError).status.details).toEqual({
        causes: [{ reason: "FieldManagerConflict", message: 'conflict with "a"', field: ".spec.image" }],
      });
      return;
    }
    throw new Error("no conflict");
  });

  it("shares a value that is already what it wants, and writes no time for that", () => {
    const lab = new Lab();
    lab.apply("a", { image: "x" });
    lab.apply("b", { image: "x" });
    expect(lab.owners).toEqual({ "a/Apply": { "f:image": {} }, "b/Apply": { "f:image": {} } });
    expect(lab.times).toEqual({ a: 1, b: undefined });
    expect(entriesOf(lab.object).map((entry) => (entry as JsonObject)["manager"])).toEqual(["b", "a"]);
  });

  it("owns nothing of identity and system metadata", () => {
    const lab = new Lab();
    lab.apply("a", {
      apiVersion: "lab.dev/v1",
      kind: "Widget",
      metadata: { name: "w", namespace: "n", uid: "u-1", resourceVersion: "5", generation: 3 },
    });
    expect(entriesOf(lab.object)).toEqual([]);
    lab.apply("a", {
      apiVersion: "lab.dev/v1",
      kind: "Widget",
      metadata: { name: "w", labels: { a: "1" }, finalizers: ["lab.dev/f"] },
    });
    expect(lab.owners).toEqual({
      "a/Apply": { "f:metadata": { "f:finalizers": { 'v:"lab.dev/f"': {} }, "f:labels": { "f:a": {} } } },
    });
  });

  it("does not own what its endpoint resets", () => {
    const lab = new Lab({ resetFields: fieldSetOfNames([["status"]]) });
    lab.apply("a", widget({ image: "x" }, { status: { phase: "P" } }));
    expect(lab.owners).toEqual({ "a/Apply": { "f:image": {} } });
  });

  it("has one entry per subresource", () => {
    const lab = new Lab();
    lab.apply("a", { image: "x" });
    lab.apply(
      "a",
      { apiVersion: "lab.dev/v1", kind: "Widget", metadata: { name: "w" }, status: { phase: "P" } },
      { subresource: "status" },
    );
    expect(lab.owners).toEqual({ "a/Apply": { "f:image": {} }, "a/Apply@status": { "f:status": { "f:phase": {} } } });
    expect(failureOf(() => lab.apply("b", widget({}, { status: { phase: "Q" } }))).message).toBe(
      'Apply failed with 1 conflict: conflict with "a" with subresource "status": .status.phase',
    );
  });

  it("finds everything owned by what was there before, where nobody's ownership is known", () => {
    const lab = new Lab();
    lab.object = { ...widget({ image: "x", replicas: 1 }), metadata: { name: "w", uid: "u-1" } };
    expect(failureOf(() => lab.apply("a", { image: "y" })).message).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using lab.dev/v1: .spec.image',
    );
    lab.apply("a", { image: "y" }, { force: true });
    expect(lab.owners).toEqual({
      "a/Apply": { "f:image": {} },
      "before-first-apply/Update": { ".": {}, "f:replicas": {} },
    });
  });
});

describe("a null in an apply", () => {
  it.each<[sentence: string, first: JsonObject, spec: JsonObject]>([
    ["empties a struct of one's own, then is stored", { config: { cpu: 1 } }, { config: {} }],
    ["removes a set of one's own", { tags: ["t"] }, {}],
  ])("%s", (_sentence, first, spec) => {
    const field = Object.keys(first)[0] as string;
    const lab = new Lab();
    lab.apply("a", { image: "x", ...first });
    lab.apply("a", { image: "x", [field]: null });
    expect(lab.spec).toEqual({ image: "x", ...spec });
    lab.apply("a", { image: "x", [field]: null });
    expect(lab.spec).toEqual({ image: "x", [field]: null });
    const stored = lab.object;
    expect(lab.apply("a", { image: "x", [field]: null })).toBe(stored);
  });

  it("leaves null rather than {} behind in the other mode, as before and after Kubernetes 1.36.0 to 1.36.2", () => {
    const lab = new Lab({ emptied: "null" });
    lab.apply("a", { config: { cpu: 1 }, tags: ["t"] });
    lab.apply("a", { config: {}, tags: null });
    expect(lab.spec).toEqual({ config: null, tags: null });
  });

  it("leaves alone what others own inside, and owns the field all the same", () => {
    const lab = new Lab();
    lab.apply("b", { config: { cpu: 1 }, tags: ["t"] });
    lab.apply("a", { config: null, tags: null });
    expect(lab.spec).toEqual({ config: { cpu: 1 }, tags: ["t"] });
    expect(lab.owners["a/Apply"]).toEqual({ "f:config": {}, "f:tags": {} });
  });

  it("conflicts over scalars and atomic values of others", () => {
    const lab = new Lab();
    lab.apply("b", { image: "x", args: ["1"], selector: { kind: "K" } });
    expect(failureOf(() => lab.apply("a", { image: null, args: null, selector: null })).message).toContain(
      "3 conflicts",
    );
  });
});

describe("a configuration that cannot be applied", () => {
  it.each<[sentence: string, config: JsonObject, code: number, message: string]>([
    [
      "is of another kind",
      { apiVersion: "lab.dev/v1", kind: "Gadget" },
      400,
      "invalid object type: lab.dev/v1, Kind=Gadget",
    ],
    [
      "is of another version",
      { apiVersion: "lab.dev/v9", kind: "Widget" },
      400,
      "invalid object type: lab.dev/v9, Kind=Widget",
    ],
    ["has no kind at all", { apiVersion: "", metadata: {} }, 400, "invalid object type: /, Kind="],
    [
      "brings managedFields",
      { ...widget({}), metadata: { name: "w", managedFields: [] } },
      400,
      "metadata.managedFields must be nil",
    ],
    [
      "does not fit the schema",
      { ...widget({ bogus: 1 }), metadata: { name: "w", namespace: "n" } },
      500,
      "failed to create typed patch object (n/w; lab.dev/v1, Kind=Widget): .spec.bogus: field not declared in schema",
    ],
  ])("%s", (_sentence, config, code, message) => {
    const failure = failureOf(() => new Lab().apply("a", config));
    expect(failure).toEqual({ code, reason: code === 400 ? "BadRequest" : "", message });
  });

  it("passes the schema but not the decoder", () => {
    const applyDefaults = (): void => {
      throw new DecodeError("cannot convert float64 to int32");
    };
    expect(failureOf(() => new Lab().apply("a", { image: "x" }, { applyDefaults }))).toEqual({
      code: 500,
      reason: "",
      message:
        "failed to convert new object (/w; lab.dev/v1, Kind=Widget) to proper version: cannot convert float64 to int32",
    });
  });
});

it("defaults what it merged, and nobody owns the defaults", () => {
  const applyDefaults = (object: MutableJsonObject): void => {
    const spec = object["spec"] as MutableJsonObject;
    spec["flag"] ??= true;
  };
  const lab = new Lab({ applyDefaults });
  lab.apply("a", { image: "x" });
  expect(lab.spec).toEqual({ image: "x", flag: true });
  lab.apply("b", { flag: false });
  expect(lab.owners).toEqual({ "a/Apply": { "f:image": {} }, "b/Apply": { "f:flag": {} } });
});

it("never changes the objects it is handed", () => {
  const lab = new Lab();
  lab.apply("a", { config: { cpu: 1 }, ports: [{ port: 80 }], free: { l: [{ x: 1 }] } });
  const live = JSON.stringify(lab.object);
  const before = lab.object as JsonObject;
  lab.apply(
    "a",
    { config: { cpu: 2 }, ports: [{ port: 80, name: "n" }, { port: 81 }], free: { l: [] } },
    {
      applyDefaults: (object) => {
        ((object["spec"] as MutableJsonObject)["config"] as MutableJsonObject)["mem"] = "m";
      },
    },
  );
  expect(JSON.stringify(before)).toBe(live);
});

describe("after a schema change", () => {
  const granular = struct({ spec: struct({ m: mapOf(string), l: listOf(string, { listType: "set" }) }) });
  const atomic = struct({ spec: struct({ m: mapOf(string, { mapType: "atomic" }), l: listOf(string) }) });

  it("what became atomic is owned as a whole", () => {
    const lab = new Lab({ schema: granular });
    lab.apply("a", { m: { x: "1" }, l: ["y"] });
    lab.apply("b", { m: { z: "1" } }, { schema: granular });
    expect(failureOf(() => lab.apply("c", { m: { x: "2" } }, { schema: atomic })).message).toContain(
      'conflicts with "a":\n- .spec.m\nconflicts with "b":\n- .spec.m',
    );
    lab.update("u", (object) => ({ ...object, spec: { ...(object["spec"] as JsonObject), l: ["y", "z"] } }), {
      schema: atomic,
    });
    expect(lab.owners).toEqual({ "a/Apply": { "f:m": {} }, "b/Apply": { "f:m": {} }, "u/Update": { "f:l": {} } });
  });

  it("what became granular stays owned by whoever owned the whole", () => {
    const lab = new Lab({ schema: atomic });
    lab.apply("a", { m: { x: "1" } });
    lab.apply("b", { m: { y: "2" } }, { schema: granular });
    expect(lab.owners).toEqual({ "a/Apply": { "f:m": {} }, "b/Apply": { "f:m": { "f:y": {} } } });
  });
});

describe("across versions", () => {
  const v1 = struct({ spec: struct({ a: string, b: string, old: integer }) });
  const v2 = struct({ spec: struct({ a: string, b: string }) });
  const versions = {
    schemaFor: (version: string) => (version === "lab.dev/v1" ? v1 : version === "lab.dev/v2" ? v2 : undefined),
    convert: (object: JsonObject, apiVersion: string) => {
      const { old, ...spec } = (object["spec"] ?? {}) as JsonObject;
      return {
        ...object,
        apiVersion,
        spec: apiVersion === "lab.dev/v2" || old === undefined ? spec : { ...spec, old },
      };
    },
  };
  const second = { gvk: { group: "lab.dev", version: "v2", kind: "Widget" } };
  const config = (spec: JsonObject): JsonObject => ({
    apiVersion: "lab.dev/v2",
    kind: "Widget",
    metadata: { name: "w" },
    spec,
  });

  it("an applier keeps one entry, in the version it used last", () => {
    const lab = new Lab(versions);
    lab.apply("a", { a: "1" });
    lab.apply("a", config({ a: "2" }), second);
    expect(entriesOf(lab.object)).toHaveLength(1);
    expect((entriesOf(lab.object)[0] as JsonObject)["apiVersion"]).toBe("lab.dev/v2");
  });

  it("conflicts are found in the owner's version", () => {
    const lab = new Lab(versions);
    lab.apply("a", { a: "1" });
    expect(failureOf(() => lab.apply("b", config({ a: "2" }), second)).message).toContain('conflict with "a": .spec.a');
  });

  it("a manager of a version that is gone is forgotten", () => {
    const lab = new Lab(versions);
    lab.apply("a", config({ a: "1" }), second);
    const onlyFirst = { schemaFor: (version: string) => (version === "lab.dev/v1" ? v1 : undefined) };
    lab.apply("b", { b: "1" }, onlyFirst);
    expect(lab.owners).toEqual({ "b/Apply": { "f:b": {} } });
  });
});

import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "@fairlead/base";

import { parseFieldsV1 } from "../fieldpath/fields-v1.js";
import { widget, widgetType } from "../typed/schema.fixtures.js";
import type { MergeContext, TypedObject } from "./context.js";
import type { VersionedSet } from "./managers.js";
import { applyObject } from "./updater.js";

/** Owned by apply in a version, below `f:spec`. */
const owned = (version: string, fields: string): VersionedSet => ({
  set: parseFieldsV1(`{"f:spec":${fields}}`),
  apiVersion: `lab.dev/${version}`,
  applied: true,
});
const typed = (spec: JsonValue, version = "v1"): TypedObject => ({
  value: { ...widget(spec), apiVersion: `lab.dev/${version}` },
  type: widgetType,
  apiVersion: `lab.dev/${version}`,
  hasNull: false,
});
const specOf = (object: TypedObject | undefined): JsonObject | undefined =>
  object?.value["spec"] as JsonObject | undefined;

/** All versions are alike; `isServed` says which object converts to which version. */
const context = (isServed: (spec: JsonObject, version: string) => boolean = () => true): MergeContext => ({
  convert: (object, apiVersion) =>
    object.apiVersion === apiVersion || isServed(specOf(object) as JsonObject, apiVersion.slice("lab.dev/".length))
      ? { ...object, value: { ...object.value, apiVersion }, apiVersion }
      : undefined,
  ignored: () => undefined,
  emptied: "empty",
});

const LIVE = { image: "x", flag: true, replicas: 1 };

interface Case {
  readonly last: VersionedSet;
  readonly other?: VersionedSet;
  readonly config: JsonObject;
  readonly isServed?: (spec: JsonObject, version: string) => boolean;
}

function applied({ last, other, config, isServed }: Case, version = "v1"): TypedObject | undefined {
  return applyObject(context(isServed), {
    live: typed(LIVE, version),
    config: typed(config, version),
    managers: new Map([["a", last], ...(other === undefined ? [] : [["b", other] as const])]),
    manager: "a",
    force: false,
  }).object;
}

const ALL = '{"f:flag":{},"f:image":{}}';

describe("what a manager owned and now leaves out", () => {
  it.each<[sentence: string, left: JsonObject | undefined, given: Case]>([
    ["goes where nobody else owns it", { flag: true, replicas: 1 }, { last: owned("v1", ALL), config: { flag: true } }],
    ["goes though it was owned in another version", { replicas: 1 }, { last: owned("v0", ALL), config: {} }],
    [
      "stays where another owns it",
      { image: "x", replicas: 1 },
      { last: owned("v1", ALL), other: owned("v1", '{"f:image":{}}'), config: {} },
    ],
    [
      "stays where another owns it in another version",
      { image: "x", replicas: 1 },
      { last: owned("v1", ALL), other: owned("v2", '{"f:image":{}}'), config: {} },
    ],
    [
      "stays where another owns it in the version that it was owned in",
      { image: "x", replicas: 1 },
      { last: owned("v0", ALL), other: owned("v0", '{"f:image":{}}'), config: {} },
    ],
    [
      "stays when the merged object is none in the version that it was owned in",
      { ...LIVE, args: ["n"] },
      { last: owned("v0", ALL), config: { args: ["n"] }, isServed: (spec) => spec["args"] === undefined },
    ],
    [
      "goes when the merged object is none in the other owner's version",
      { flag: true, replicas: 1, args: ["n"] },
      {
        last: owned("v1", ALL),
        other: owned("v2", '{"f:image":{}}'),
        config: { args: ["n"], flag: true },
        isServed: (spec) => spec["args"] === undefined,
      },
    ],
    [
      "goes when, without it, the object is none in the other owner's version",
      { flag: true, replicas: 1 },
      {
        last: owned("v1", ALL),
        other: owned("v2", '{"f:image":{}}'),
        config: { flag: true },
        isServed: (spec) => spec["image"] !== undefined,
      },
    ],
    [
      "stays when, without it, the object is none in the version that it was owned in",
      undefined,
      {
        last: owned("v0", ALL),
        config: { flag: true },
        isServed: (spec, version) => version !== "v0" || spec["image"] !== undefined,
      },
    ],
  ])("%s", (_sentence, left, given) => {
    expect(specOf(applied(given))).toEqual(left);
  });

  it("comes back in the version that is applied", () => {
    const object = applied({ last: owned("v1", ALL), other: owned("v0", '{"f:replicas":{}}'), config: {} }, "v2");
    expect(object).toMatchObject({ apiVersion: "lab.dev/v2", value: { apiVersion: "lab.dev/v2" } });
    expect(specOf(object)).toEqual({ replicas: 1 });
  });
});

it("what nobody ever owned stays in a list that another owns part of, and goes with a list or struct that none does", () => {
  const containers = [{ name: "c", image: "i", command: ["x"] }, { name: "d" }];
  const live = typed({ labels: { a: "1", b: "2" }, containers, config: { cpu: 1, mem: "m" }, tags: ["t"] });
  const item = 'k:{\\"name\\":\\"c\\"}';
  const last = owned(
    "v1",
    `{"f:labels":{"f:a":{}},"f:containers":{"${item}":{"f:image":{}}},"f:config":{"f:cpu":{}},"f:tags":{"v:\\"t\\"":{}}}`,
  );
  const other = owned("v1", `{"f:containers":{"${item}":{".":{},"f:name":{},"f:command":{}}}}`);
  const { object, managers } = applyObject(context(), {
    ...{ live, config: typed({ labels: { b: "2" } }), manager: "a", force: false },
    managers: new Map([
      ["a", last],
      ["b", other],
    ]),
  });
  expect(specOf(object)).toEqual({ labels: { b: "2" }, containers: [{ name: "c", command: ["x"] }, { name: "d" }] });
  expect(managers.get("b")).toEqual(other);
});

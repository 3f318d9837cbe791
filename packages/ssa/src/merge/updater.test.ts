import { describe, expect, it } from "vitest";
import type { JsonObject } from "@fairlead/base";

import { parseFieldsV1, formatFieldsV1 } from "../fieldpath/fields-v1.js";
import type { FieldSet } from "../fieldpath/field-set.js";
import { formatPath } from "../fieldpath/path.js";
import { widget, widgetType } from "../typed/schema.fixtures.js";
import type { Type } from "../typed/type.js";
import { ConflictError, type Conflict } from "./conflicts.js";
import type { MergeContext, TypedObject } from "./context.js";
import type { Managers } from "./managers.js";
import { applyObject, updateObject } from "./updater.js";

const V1 = "lab.dev/v1";
const context = (more: Partial<MergeContext> = {}): MergeContext => ({
  convert: (object, version) => (version === object.apiVersion ? object : undefined),
  ignored: () => undefined,
  emptied: "empty",
  ...more,
});
const typed = (spec: JsonObject, more: Partial<TypedObject> = {}): TypedObject => ({
  value: widget(spec),
  type: widgetType,
  apiVersion: V1,
  ...more,
});
const owning = (fields: string, apiVersion = V1, applied = true): Managers =>
  new Map([["b", { set: parseFieldsV1(`{"f:spec":${fields}}`), apiVersion, applied }]]);
const shown = (managers: Managers): JsonObject =>
  Object.fromEntries(
    [...managers].map(([name, { set, apiVersion }]) => [name, `${apiVersion} ${formatFieldsV1(set)}`]),
  );

describe("an apply that is not forced", () => {
  const apply = (config: JsonObject, managers: Managers): ReturnType<typeof applyObject> =>
    applyObject(context(), {
      ...{ live: typed({ image: "x" }), config: typed(config), managers },
      ...{ manager: "a", force: false },
    });

  it("fails for conflicts, and only for them", () => {
    expect(() => apply({ image: "y" }, owning('{"f:image":{}}'))).toThrow(ConflictError);
    expect(apply({ image: "x" }, owning('{"f:image":{}}')).object).toBeUndefined();
    expect(apply({ image: "y" }, owning('{"f:flag":{}}')).object?.value).toEqual(widget({ image: "y" }));
  });

  it("names what it would take, manager by manager", () => {
    const both: Managers = new Map([
      ...owning('{"f:flag":{}}'),
      ["a2", { set: parseFieldsV1('{"f:spec":{"f:image":{},"f:args":{}}}'), apiVersion: V1, applied: false }],
    ]);
    const refused = (): readonly Conflict[] => {
      try {
        apply({ image: "y", flag: true, args: ["n"] }, both);
        return [];
      } catch (error) {
        expect(error).toMatchObject({ code: "FieldConflict", message: expect.stringContaining("3 fields") as string });
        return (error as ConflictError).conflicts;
      }
    };
    expect(refused().map(({ manager, path }) => `${manager} ${formatPath(path)}`)).toEqual([
      ...["a2 .spec.args", "a2 .spec.image", "b .spec.flag"],
    ]);
  });

  it("leaves others what they own and it does not change, and owns all that it sets", () => {
    const { object, managers } = apply({ image: "x", flag: true }, owning('{"f:image":{}}'));
    expect(object?.value).toEqual(widget({ image: "x", flag: true }));
    expect(shown(managers)).toMatchObject({ b: `${V1} {"f:spec":{"f:image":{}}}` });
    expect(managers.get("a")).toMatchObject({ apiVersion: V1, applied: true });
  });

  it("forgets managers of versions that are gone", () => {
    const { managers } = apply({ image: "y" }, owning('{"f:image":{}}', "lab.dev/v0"));
    expect([...managers.keys()]).toEqual(["a"]);
  });
});

it("an update forgets managers of versions that cannot be compared any more", () => {
  const convertible = new Set<JsonObject>();
  const before = typed({ image: "x" });
  convertible.add(before.value);
  const convert: MergeContext["convert"] = (object, apiVersion) =>
    convertible.has(object.value) ? { ...object, apiVersion } : undefined;
  const change = { before, after: typed({ image: "y" }), manager: "u" };
  const managers = updateObject(context({ convert }), { ...change, managers: owning('{"f:flag":{}}', "lab.dev/v2") });
  expect(shown(managers)).toEqual({ u: `${V1} {"f:spec":{"f:image":{}}}` });
});

it("a set that the schema did not change is looked at once", () => {
  const reconciled = new WeakMap<FieldSet, Type>();
  const managers = owning('{"f:labels":{"f:a":{}},"f:selector":{"f:kind":{}}}');
  const input = { before: typed({ image: "x" }), after: typed({ image: "x" }), manager: "u" };
  const once = updateObject(context({ reconciled }), { ...input, managers });
  expect(shown(once)).toEqual({ b: `${V1} {"f:spec":{"f:labels":{"f:a":{}},"f:selector":{}}}` });
  const [given, kept] = [managers.get("b")?.set as FieldSet, once.get("b")?.set as FieldSet];
  expect(reconciled.get(given)).toBeUndefined();
  expect(updateObject(context({ reconciled }), { ...input, managers: once }).get("b")?.set).toBe(kept);
  expect(reconciled.get(kept)).toBe(widgetType);
  const trusted = new WeakMap([[given, widgetType]]);
  expect(updateObject(context({ reconciled: trusted }), { ...input, managers }).get("b")?.set).toBe(given);
});

it("nothing that an endpoint ignores is taken from others or given to who changes it", () => {
  const ignoring = context({ ignored: () => parseFieldsV1('{"f:spec":{"f:image":{}}}') });
  const input = { before: typed({ image: "x" }), after: typed({ image: "y", flag: true }), manager: "u" };
  const managers = updateObject(ignoring, { ...input, managers: owning('{"f:image":{}}') });
  expect(shown(managers)).toEqual({
    b: `${V1} {"f:spec":{"f:image":{}}}`,
    u: `${V1} {"f:spec":{"f:flag":{}}}`,
  });
});

describe("an update", () => {
  const update = (before: JsonObject, after: JsonObject, managers: Managers): JsonObject =>
    shown(updateObject(context(), { before: typed(before), after: typed(after), managers, manager: "u" }));
  const both = (fields: string): Managers =>
    new Map([...owning(fields), ["u", { set: parseFieldsV1(`{"f:spec":${fields}}`), apiVersion: V1, applied: false }]]);

  it.each<[sentence: string, before: JsonObject, after: JsonObject, managers: Managers, left: JsonObject]>([
    ["that changes nothing gives nothing", { image: "x" }, { image: "x" }, new Map(), {}],
    [
      "adds what it changes to what its manager owns",
      { image: "x", flag: true },
      { image: "x", flag: false, args: ["n"] },
      both('{"f:image":{}}'),
      { b: '{"f:image":{}}', u: '{"f:args":{},"f:flag":{},"f:image":{}}' },
    ],
    ["takes what it removes from everybody", { image: "x", flag: true }, { flag: true }, both('{"f:image":{}}'), {}],
    [
      "takes what it changes from others",
      { image: "x", flag: true },
      { image: "y", flag: true },
      owning('{"f:flag":{},"f:image":{}}'),
      { b: '{"f:flag":{}}', u: '{"f:image":{}}' },
    ],
    [
      "forgets others that are left without anything",
      { image: "x" },
      { image: "y" },
      owning('{"f:image":{}}'),
      { u: '{"f:image":{}}' },
    ],
  ])("%s", (_sentence, before, after, managers, left) => {
    const expected = Object.entries(left).map(([name, fields]) => [name, `${V1} {"f:spec":${String(fields)}}`]);
    expect(update(before, after, managers)).toEqual(Object.fromEntries(expected));
  });
});

it("an apply does not come to own what the endpoint ignores", () => {
  const { managers } = applyObject(context({ ignored: () => parseFieldsV1('{"f:spec":{"f:image":{}}}') }), {
    ...{ live: typed({ image: "x" }), config: typed({ image: "y", flag: true }) },
    ...{ managers: owning('{"f:image":{}}'), manager: "a", force: false },
  });
  expect(formatFieldsV1(managers.get("a")?.set as FieldSet)).not.toContain("image");
  expect(shown(managers)).toMatchObject({ b: `${V1} {"f:spec":{"f:image":{}}}` });
});

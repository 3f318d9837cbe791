import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonArray, JsonObject, JsonValue } from "@fairlead/base";

import type { EMPTY_SET } from "../fieldpath/field-set.js";
import { decodeManagedFields, encodeManagedFields, isSameList, ManagedFieldsError, secondsOf } from "./entries.js";

const entry = (more: JsonObject = {}): JsonObject => ({
  manager: "a",
  operation: "Apply",
  apiVersion: "lab.dev/v1",
  time: "2026-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:spec": { "f:image": {} } },
  ...more,
});
const without = (name: string): JsonObject =>
  Object.fromEntries(Object.entries(entry()).filter(([key]) => key !== name));
const roundTrip = (entries: JsonValue): JsonArray | undefined => encodeManagedFields(decodeManagedFields(entries));

describe("managedFields that cannot be decoded", () => {
  it.each<[managedFields: JsonValue, message: string]>([
    [{}, "managedFields must be a list"],
    ["x", "managedFields must be a list"],
    [[entry(), 5], "managed fields entry 1 must be an object"],
    [[null], "managed fields entry 0 must be an object"],
    [[entry({ operation: "apply" })], "operation must be `Apply` or `Update`"],
    [[entry({ operation: 5 })], "operation must be `Apply` or `Update`"],
    [[without("operation")], "operation must be `Apply` or `Update`"],
    [[without("apiVersion")], "apiVersion must not be empty"],
    [[entry(), without("fieldsType")], "missing fieldsType in managed fields entry 1"],
    [[entry({ fieldsType: "FieldsV2" })], 'invalid fieldsType "FieldsV2" in managed fields entry 0'],
    [[entry({ fieldsV1: { x: {} } })], "error decoding set: key must be 2 characters long:"],
    [[entry({ fieldsV1: [] })], "error decoding set: expected an object in fieldsV1"],
  ])("%j", (managedFields, message) => {
    expect(() => decodeManagedFields(managedFields)).toThrow(ManagedFieldsError);
    expect(() => decodeManagedFields(managedFields)).toThrow(message);
  });
});

describe("managedFields", () => {
  it.each<[what: string, entries: JsonArray]>([
    ["an apply", [entry()]],
    ["an update through a subresource", [entry({ operation: "Update", subresource: "status" })]],
    ["an entry without a time", [without("time")]],
    ["an entry without a manager", [without("manager")]],
    ["an entry that owns nothing", [entry({ fieldsV1: {} })]],
  ])("of %s are written as they were read, the very same", (_what, entries) => {
    const written = roundTrip(entries);
    expect(written).toEqual(entries);
    expect(isSameList(entries, written)).toBe(true);
  });

  it.each<[what: string, given: JsonObject, written: JsonObject]>([
    ["an empty manager", entry({ manager: "" }), without("manager")],
    ["a null time", entry({ time: null }), without("time")],
    ["an empty time", entry({ time: "" }), without("time")],
    ["an empty subresource", entry({ subresource: "" }), entry()],
    ["an unknown member", entry({ bogus: 1 }), entry()],
    ["no fields", without("fieldsV1"), entry({ fieldsV1: {} })],
    ["null fields", entry({ fieldsV1: null }), entry({ fieldsV1: {} })],
  ])("with %s are put right", (_what, given, written) => {
    expect(roundTrip([given])).toEqual([written]);
  });

  it("that are absent, null or empty are nobody's", () => {
    for (const nothing of [undefined, null, []]) {
      expect(decodeManagedFields(nothing).managers.size).toBe(0);
      expect(encodeManagedFields(decodeManagedFields(nothing))).toBeUndefined();
    }
  });

  it("name one manager once: the last entry counts, its time or lack of one too", () => {
    const last = { ...without("time"), fieldsV1: { "f:x": {} } };
    expect(roundTrip([entry(), last])).toEqual([last]);
    expect(roundTrip([last, entry()])).toEqual([entry()]);
  });

  it("tell an applier's versions apart only in what they own", () => {
    expect(roundTrip([entry(), entry({ apiVersion: "lab.dev/v2" })])).toEqual([entry({ apiVersion: "lab.dev/v2" })]);
    const updates = [entry({ operation: "Update" }), entry({ operation: "Update", apiVersion: "lab.dev/v2" })];
    expect(roundTrip(updates)).toEqual(updates);
  });

  it("share an entry but for its time", () => {
    const read = decodeManagedFields([entry()]);
    const later = encodeManagedFields({ ...read, times: new Map([...read.times].map(([key]) => [key, "2027"])) });
    expect(later).toEqual([entry({ time: "2027" })]);
    expect(encodeManagedFields({ ...read, times: new Map() })).toEqual([without("time")]);
  });

  it("are decoded once for each object of fields", () => {
    const memo = new WeakMap<object, typeof EMPTY_SET>();
    const given = [entry()];
    const set = (managed: ReturnType<typeof decodeManagedFields>): unknown => [...managed.managers.values()][0]?.set;
    const first = set(decodeManagedFields(given, memo));
    expect(set(decodeManagedFields(given, memo))).toBe(first);
    const encoded = encodeManagedFields({ ...decodeManagedFields(given, memo), read: new Map() }, memo) as JsonArray;
    expect(set(decodeManagedFields(encoded, memo))).toBe(first);
  });
});

it("sorts entries by operation, seconds, manager, version and subresource", () => {
  const time = (text: string): JsonObject => ({ time: `2026-01-01T${text}` });
  const update = { operation: "Update" };
  const ordered = [
    without("time"),
    entry({ ...time("01:00:00+02:00"), manager: "z" }),
    entry({ ...time("00:00:00Z"), manager: "b" }),
    entry({ ...time("00:00:00.9Z"), manager: "c" }),
    entry({ ...time("00:00:01Z"), manager: "aa" }),
    entry({ ...update, ...time("00:00:00Z"), manager: "a" }),
    entry({ ...update, ...time("00:00:00Z"), manager: "a", subresource: "scale" }),
    entry({ ...update, ...time("00:00:00Z"), manager: "a", subresource: "status" }),
    entry({ ...update, ...time("00:00:00Z"), manager: "a", apiVersion: "lab.dev/v2" }),
    entry({ ...update, ...time("00:00:00Z"), manager: "b" }),
  ];
  for (let turn = 0; turn < ordered.length; turn++) {
    const shuffled = [...ordered.slice(turn), ...ordered.slice(0, turn)];
    expect(roundTrip(shuffled)).toEqual(ordered);
    expect(roundTrip(shuffled.reverse())).toEqual(ordered);
  }
});

it.each<[time: string | undefined, seconds: number]>([
  [undefined, 0],
  ["", 0],
  ["yesterday", 0],
  ["1970-01-01T00:00:01.999Z", 1],
  ["2026-01-01T00:00:00Z", 1767225600],
])("%s is %i seconds", (time, seconds) => {
  expect(secondsOf(time)).toBe(seconds);
});

it("compares lists by the entries themselves", () => {
  const [a, b] = [entry(), entry()];
  expect(isSameList([a, b], [a, b])).toBe(true);
  expect(isSameList([a], [b])).toBe(false);
  expect(isSameList([a], [a, b])).toBe(false);
  expect(isSameList([], undefined)).toBe(false);
  expect(isSameList(undefined, undefined)).toBe(true);
  expect(isSameList(null, undefined)).toBe(true);
  expect(isSameList(undefined, [])).toBe(false);
});

it("survives being encoded and decoded, whatever it says", () => {
  const words = fc.constantFrom("", "a", "__proto__", "constructor", 'q"', "\u2028", "ä");
  const fields = fc.constantFrom<JsonObject>(
    {},
    { "f:a": {} },
    { "f:a": { ".": {}, "f:b": {} } },
    { "f:l": { 'k:{"n":"x"}': { ".": {}, "f:n": {} } }, "f:s": { "v:1": {} } },
  );
  const entries = fc.record({
    manager: words,
    operation: fc.constantFrom("Apply", "Update"),
    apiVersion: fc.constantFrom("v1", "lab.dev/v1", "lab.dev/v2"),
    time: fc.constantFrom("", "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"),
    subresource: fc.constantFrom("", "status", "scale"),
    fieldsV1: fields,
  });
  fc.assert(
    fc.property(fc.array(entries, { maxLength: 6 }), (list) => {
      const managed = decodeManagedFields(list.map((each) => ({ ...each, fieldsType: "FieldsV1" })));
      const encoded = encodeManagedFields(managed);
      const again = decodeManagedFields(encoded);
      expect(new Map(again.managers)).toEqual(managed.managers);
      expect(new Map(again.times)).toEqual(managed.times);
      expect(isSameList(encoded ?? [], encodeManagedFields(again) ?? [])).toBe(true);
    }),
  );
});

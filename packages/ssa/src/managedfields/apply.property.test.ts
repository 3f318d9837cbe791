import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isArray, isObject, type JsonObject, type JsonValue } from "@fairlead/base";
import { StatusError } from "@fairlead/apimachinery";

import { EMPTY_SET, isSubset, pathsOf, sizeOf, type FieldSet } from "../fieldpath/field-set.js";
import { fieldSetOfNames } from "../fieldpath/fields-v1.js";
import { formatPath } from "../fieldpath/path.js";
import { difference, intersection, union } from "../fieldpath/set-algebra.js";
import { compareTyped } from "../typed/compare.js";
import { widget, widgetType } from "../typed/schema.fixtures.js";
import { fieldSetOfValue } from "../typed/to-field-set.js";
import { nullableSpecs, RUNS, specs, unordered } from "../typed/value.fixtures.js";
import { Lab, ownersOf } from "./endpoint.fixtures.js";
import { fieldsOwnedBy } from "./owned.js";

/*
 * Compatible configurations: parts of one whole, so that two of them never want different values for one path. Atomic
 * values and scalars are taken or left; maps, structs and items are taken in part.
 */
const whole: JsonObject = {
  image: "x",
  replicas: 2,
  flag: true,
  labels: { a: "1", b: "2", "c.d/e": "3" },
  deep: { a: { x: "1", y: "2" }, b: { z: "3" } },
  atomicLabels: { a: "1" },
  selector: { kind: "K", name: "n" },
  config: { cpu: 1, mem: "m", extra: { e: "1", f: "2" } },
  args: ["a", "b"],
  tags: ["t1", "t2", "t3"],
  ports: [
    { port: 80, protocol: "TCP", name: "web", target: 1 },
    { port: 443, protocol: "TCP", name: "tls" },
  ],
  containers: [
    {
      name: "c",
      image: "i",
      command: ["sh"],
      env: [
        { name: "E", value: "1" },
        { name: "F", value: "2" },
      ],
    },
    { name: "d", image: "j" },
  ],
  free: { m: { x: 1, y: { z: 2 } }, l: [1, 2] },
};
const WHOLE_FIELDS = new Set(["atomicLabels", "selector", "args", "command", "l"]);
const KEYS = new Set(["name", "port", "protocol"]);

function partOf(value: JsonValue, key: string, isItem: boolean): fc.Arbitrary<JsonValue> {
  if (isObject(value) && !WHOLE_FIELDS.has(key)) {
    const required = isItem
      ? Object.keys(value).filter((name) => KEYS.has(name) && !(name === "name" && "port" in value))
      : [];
    const members = Object.keys(value).map((name) => [name, partOf(value[name] as JsonValue, name, false)] as const);
    const record = fc.record(Object.fromEntries(members), { requiredKeys: required }) as fc.Arbitrary<JsonObject>;
    return record.map((part) => (Object.keys(part).length === 0 ? value : part));
  }
  if (!isArray(value) || WHOLE_FIELDS.has(key)) return fc.constant(value);
  return fc
    .subarray([...value], { minLength: 1 })
    .chain((items) => fc.tuple(...items.map((item) => partOf(item, "", true))));
}

const parts: fc.Arbitrary<JsonObject> = fc
  .record(Object.fromEntries(Object.keys(whole).map((key) => [key, partOf(whole[key] as JsonValue, key, false)])), {
    requiredKeys: [],
  })
  .map((part) => part);

const sorted = (value: JsonValue | undefined): JsonValue => unordered(widget(value ?? {}), widgetType);
const IDENTITY = fieldSetOfNames([["apiVersion"], ["kind"], ["metadata"], ["metadata", "name"]]);
const ownable = (spec: JsonObject): FieldSet => difference(fieldSetOfValue(widget(spec), widgetType), IDENTITY);

describe("an apply", () => {
  it("is idempotent: the second changes neither object nor ownership", () => {
    fc.assert(
      fc.property(specs, specs, specs, (before, other, config) => {
        const lab = new Lab();
        lab.put("u", before);
        lab.apply("b", other, { force: true });
        lab.apply("a", config, { force: true });
        const once = lab.object;
        expect(lab.apply("a", config, { force: true })).toBe(once);
      }),
    );
  });

  it("gives the manager exactly what its configuration sets", () => {
    fc.assert(
      fc.property(nullableSpecs, nullableSpecs, (before, config) => {
        const lab = new Lab();
        lab.apply("b", before);
        lab.apply("a", config, { force: true });
        expect(fieldsOwnedBy(lab.object ?? {}, { manager: "a" })).toEqual(ownable(config));
      }),
    );
  });

  it("conflicts with nobody when it wants what is there, and is then in the object", () => {
    fc.assert(
      fc.property(parts, parts, (first, second) => {
        const lab = new Lab();
        lab.apply("a", first);
        lab.apply("b", second);
        const fields = fieldSetOfValue(widget(lab.spec ?? {}), widgetType);
        expect(isSubset(ownable(first), fields)).toBe(true);
        expect(isSubset(ownable(second), fields)).toBe(true);
      }),
    );
  });

  it("does not depend on the order of independent appliers", () => {
    fc.assert(
      fc.property(parts, parts, (first, second) => {
        const [one, two] = [new Lab(), new Lab()];
        one.apply("a", first);
        one.apply("b", second);
        two.apply("b", second);
        two.apply("a", first);
        expect(sorted(one.spec)).toEqual(sorted(two.spec));
        expect(ownersOf(one.object)).toEqual(ownersOf(two.object));
      }),
    );
  });

  it("taken back removes exactly what the manager alone owned", () => {
    fc.assert(
      fc.property(parts, parts, (mine, others) => {
        const [lab, without] = [new Lab(), new Lab()];
        lab.apply("b", others);
        lab.apply("a", mine);
        lab.apply("a", { apiVersion: "lab.dev/v1", kind: "Widget", metadata: { name: "w" } });
        without.apply("b", others);
        expect(sorted(lab.spec)).toEqual(sorted(without.spec));
        expect(ownersOf(lab.object)).toEqual(ownersOf(without.object));
      }),
      { numRuns: 2 * RUNS },
    );
  });

  it("changed, ends where applying the change alone would have ended", () => {
    fc.assert(
      fc.property(parts, parts, parts, (first, second, others) => {
        const [lab, direct] = [new Lab(), new Lab()];
        lab.apply("b", others);
        lab.apply("a", first);
        lab.apply("a", second);
        direct.apply("b", others);
        direct.apply("a", second);
        expect(sorted(lab.spec)).toEqual(sorted(direct.spec));
        expect(ownersOf(lab.object)).toEqual(ownersOf(direct.object));
      }),
      { numRuns: 2 * RUNS },
    );
  });

  it("that is refused would have taken what it names from its owners", () => {
    fc.assert(
      fc.property(specs, specs, (before, config) => {
        const lab = new Lab();
        lab.apply("b", before);
        const owned = fieldsOwnedBy(lab.object ?? {}, { manager: "b" });
        const conflicts = conflictsOf(() => lab.apply("a", config));
        lab.apply("a", config, { force: true });
        const lost = difference(owned, fieldsOwnedBy(lab.object ?? {}, { manager: "b" }));
        const names = pathsOf(lost).map(formatPath);
        expect(conflicts.filter((path) => !names.includes(path))).toEqual([]);
        if (conflicts.length === 0)
          expect(ownersOf(lab.object)["b/Apply"] === undefined).toBe(names.length === sizeOf(owned));
      }),
    );
  });
});

describe("an update", () => {
  it("leaves nobody the owner of what is not there", () => {
    fc.assert(
      fc.property(specs, specs, specs, (applied, first, second) => {
        const lab = new Lab();
        lab.apply("a", applied);
        lab.put("u", first);
        lab.put("v", second);
        const there = union(
          fieldSetOfValue(widget(second), widgetType),
          compareTyped({}, widget(second), widgetType).added,
        );
        expect(difference(fieldsOwnedBy(lab.object ?? {}, {}), there)).toEqual(EMPTY_SET);
      }),
    );
  });

  it("owns what it changed, whoever owned it before", () => {
    fc.assert(
      fc.property(specs, specs, (applied, spec) => {
        const lab = new Lab();
        lab.apply("a", applied);
        const before = lab.object ?? {};
        lab.put("u", spec);
        const { added, modified } = compareTyped({ spec: before["spec"] ?? null }, { spec }, widgetType);
        expect(fieldsOwnedBy(lab.object ?? {}, { manager: "u" })).toEqual(union(added, modified));
        expect(intersection(fieldsOwnedBy(lab.object ?? {}, { manager: "a" }), modified)).toEqual(EMPTY_SET);
      }),
    );
  });

  it("without effect has no effect on ownership", () => {
    fc.assert(
      fc.property(specs, specs, (applied, spec) => {
        const lab = new Lab();
        lab.apply("a", applied);
        lab.put("u", spec);
        const before = lab.object;
        lab.put("w", spec);
        expect(lab.object).toEqual(before);
      }),
    );
  });
});

/** The paths of the conflicts that a call fails with; none when it does not fail. */
function conflictsOf(call: () => unknown): readonly string[] {
  try {
    call();
    return [];
  } catch (error) {
    if (error instanceof StatusError) return (error.status.details?.causes ?? []).map(({ field }) => field ?? "");
    throw error;
  }
}

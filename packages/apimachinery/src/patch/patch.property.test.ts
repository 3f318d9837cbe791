import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deepEqual, isArray, isObject, type JsonObject, type JsonValue } from "@fairlead/base";

import { builtinSchema } from "../schema/builtin.js";
import { applyJsonPatch } from "./json-patch.js";
import { applyMergePatch } from "./merge-patch.js";
import { applyStrategicMergePatch } from "./strategic-merge-patch.js";

const keys = fc.constantFrom("a", "b", "c/d", "e~f", "__proto__");
const { value: values } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<JsonValue>(0, 1, "x", true),
    fc.dictionary(keys, tie("value"), { maxKeys: 3 }),
    fc.array(tie("value"), { maxLength: 3 }),
  ),
}));
const documents = fc.dictionary(keys, values, { maxKeys: 4 }) as fc.Arbitrary<JsonObject>;

/** The merge patch from one document to another, neither of which holds null. */
function mergeDiff(from: JsonObject, to: JsonObject): JsonObject {
  const patch: [string, JsonValue][] = [];
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [before, after] = [
      Object.hasOwn(from, key) ? from[key] : undefined,
      Object.hasOwn(to, key) ? to[key] : undefined,
    ];
    if (after === undefined) patch.push([key, null]);
    else if (before !== undefined && isObject(before) && isObject(after)) patch.push([key, mergeDiff(before, after)]);
    else if (!deepEqual(before, after)) patch.push([key, after]);
  }
  return Object.fromEntries(patch);
}

/** JSON pointers to every value of a document. */
function pointersOf(value: JsonValue, at = ""): readonly string[] {
  const step = (key: string): string => `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  if (isArray(value)) return value.flatMap((item, i) => [step(String(i)), ...pointersOf(item, step(String(i)))]);
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((key) => [step(key), ...pointersOf(value[key] as JsonValue, step(key))]);
}

describe("patches", () => {
  it("lead from any document to any other, as merge patches", () => {
    fc.assert(
      fc.property(documents, documents, (from, to) => {
        const before = JSON.stringify(from);
        expect(deepEqual(applyMergePatch(from, mergeDiff(from, to)), to)).toBe(true);
        expect(JSON.stringify(from)).toBe(before);
      }),
    );
  });

  it("are idempotent as merge patches", () => {
    fc.assert(
      fc.property(documents, documents, (document, patch) => {
        const once = applyMergePatch(document, patch) as JsonObject;
        expect(deepEqual(applyMergePatch(once, patch), once)).toBe(true);
      }),
    );
  });

  it("undo themselves as JSON patches: what is removed can be added again where it was", () => {
    fc.assert(
      fc.property(documents, fc.nat(), values, (document, pick, value) => {
        const pointers = pointersOf(document);
        if (pointers.length === 0) return;
        const path = pointers[pick % pointers.length] as string;
        const old = valueAt(document, path);
        const patch = [
          { op: "test", path, value: old },
          { op: "replace", path, value },
          { op: "test", path, value },
          { op: "remove", path },
          { op: "add", path, value: old },
        ];
        expect(deepEqual(applyJsonPatch(document, patch), document)).toBe(true);
      }),
    );
  });

  it("of JSON never change the document they are applied to", () => {
    const operations = fc.record({
      op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test"),
      path: fc.constantFrom("", "/a", "/b/a", "/a/0", "/a/-", "/c~1d", "/b/-1"),
      from: fc.constantFrom("/a", "/b", "/a/0"),
      value: values,
    });
    fc.assert(
      fc.property(documents, fc.array(operations, { maxLength: 6 }), (document, patch) => {
        const before = JSON.stringify(document);
        try {
          applyJsonPatch(document, patch);
        } catch {
          // A failing operation is as good as any here.
        }
        expect(JSON.stringify(document)).toBe(before);
      }),
    );
  });
});

function valueAt(document: JsonValue, pointer: string): JsonValue {
  let at: JsonValue = document;
  for (const step of pointer.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    at = (isArray(at) ? at[Number(key)] : (at as JsonObject)[key]) as JsonValue;
  }
  return at;
}

describe("strategic merge patches of containers", () => {
  const schema = builtinSchema("core.v1.PodSpec");
  const names = fc.constantFrom("a", "b", "c", "d");
  const containers = fc.uniqueArray(fc.record({ name: names, image: fc.constantFrom("1", "2") }), {
    maxLength: 4,
    selector: ({ name }) => name,
  });
  const patched = (live: readonly JsonObject[], patch: JsonObject): readonly JsonObject[] =>
    (applyStrategicMergePatch({ containers: live }, patch, schema)["containers"] ?? []) as readonly JsonObject[];

  it("merge by name, the patch's elements winning and in their own order", () => {
    fc.assert(
      fc.property(containers, containers, (live, patch) => {
        const result = patched(live, { containers: patch });
        const expected = new Map([...live, ...patch].map((container) => [container.name, container]));
        expect(Object.fromEntries(result.map((container) => [container["name"], container]))).toEqual(
          Object.fromEntries(expected),
        );
        expect(
          result.filter(({ name }) => patch.some((container) => container.name === name)).map(({ name }) => name),
        ).toEqual(patch.map(({ name }) => name));
      }),
    );
  });

  it("follow the order that is asked for, and keep the live order of the rest", () => {
    fc.assert(
      fc.property(containers, fc.shuffledSubarray(["a", "b", "c", "d"]), (live, order) => {
        fc.pre(live.length > 0); // ordering nothing is an error
        const result = patched(live, { "$setElementOrder/containers": order.map((name) => ({ name })) }).map(
          ({ name }) => name as string,
        );
        const rest = (names: readonly string[]): readonly string[] => names.filter((name) => !order.includes(name));
        expect(result.filter((name) => order.includes(name))).toEqual(
          order.filter((name) => live.some((container) => container.name === name)),
        );
        expect(rest(result)).toEqual(rest(live.map(({ name }) => name)));
      }),
    );
  });

  it("delete by directive what they name", () => {
    fc.assert(
      fc.property(containers, fc.subarray(["a", "b", "c", "d"]), (live, gone) => {
        const result = patched(live, { containers: gone.map((name) => ({ name, $patch: "delete" })) });
        expect(result).toEqual(live.filter(({ name }) => !gone.includes(name)));
      }),
    );
  });
});

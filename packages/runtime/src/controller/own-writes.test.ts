import type { KubernetesObject, Uid } from "@fairlead/apimachinery";
import { describe, expect, it } from "vitest";
import { differsOnlyWithin, OwnGenerations } from "./own-writes.js";

const object = (generation: number, spec: unknown, uid = "u"): KubernetesObject =>
  ({ metadata: { name: "a", uid: uid as Uid, generation }, spec }) as KubernetesObject;

describe("own generations", () => {
  it.each<[sentence: string, before: KubernetesObject, after: KubernetesObject, own: boolean]>([
    ["are those whose change is what was sent", object(1, { a: 1, b: 1 }), object(2, { a: 2, b: 1 }), true],
    ["are not those that a user changed too", object(1, { a: 1, b: 1 }), object(2, { a: 2, b: 2 }), false],
    ["are not those with another in between", object(1, { a: 1 }), object(3, { a: 2 }), false],
    ["are not made by a write that changed nothing", object(1, { a: 2 }), object(1, { a: 2 }), false],
    ["are not those of another life", object(1, { a: 1 }), object(2, { a: 2 }, "v"), false],
  ])("%s", (_sentence, before, after, own) => {
    const generations = new OwnGenerations();
    generations.applied(before, after, { apiVersion: "v1", kind: "X", metadata: { name: "a" }, spec: { a: 2 } });
    expect(generations.has("u" as Uid, after.metadata.generation ?? 0)).toBe(own);
  });
});

it.each<[before: unknown, after: unknown, within: unknown, answer: boolean]>([
  [{ a: 1 }, { a: 1 }, {}, true],
  [{ a: 1 }, { a: 2 }, { a: 2 }, true],
  [{ a: { b: 1, c: 1 } }, { a: { b: 2, c: 1 } }, { a: { b: 2 } }, true],
  [{ a: { b: 1, c: 1 } }, { a: { b: 2, c: 2 } }, { a: { b: 2 } }, false],
  [{ a: 1 }, {}, { a: null }, true],
  [{}, { a: 1 }, { b: 1 }, false],
  [{ l: [1] }, { l: [2] }, { l: [2] }, true],
])("a difference lies within what was sent (%#)", (before, after, within, answer) => {
  expect(differsOnlyWithin(before as never, after as never, within as never)).toBe(answer);
});

import type { Condition, Uid } from "@fairlead/apimachinery";
import { kinds } from "@fairlead/client";
import { describe, expect, it } from "vitest";
import { controllerReference, withCondition } from "./objects.js";

const web: kinds.Deployment = { metadata: { name: "web", namespace: "a", uid: "u" as Uid } };

describe("controllerReference", () => {
  it("names the owner as controller", () => {
    expect(controllerReference(kinds.Deployment, web)).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      name: "web",
      uid: "u",
      controller: true,
      blockOwnerDeletion: true,
    });
  });

  it("refuses what the garbage collector would delete", () => {
    expect(() => controllerReference(kinds.Deployment, web, { namespace: "b" })).toThrow("in namespace b");
    expect(() => controllerReference(kinds.Deployment, web, {})).toThrow("in no namespace");
    expect(() => controllerReference(kinds.Deployment, { metadata: { name: "x", namespace: "a" } })).toThrow("no uid");
    expect(controllerReference(kinds.Node, { metadata: { name: "n", uid: "u" as Uid } }, { namespace: "b" }).name).toBe(
      "n",
    );
  });
});

describe("withCondition", () => {
  const held: readonly Condition[] = [
    { type: "A", status: "True", lastTransitionTime: "2020-01-01T00:00:00Z" },
    { type: "B", status: "False", lastTransitionTime: "2020-01-01T00:00:00Z" },
  ];

  it.each<[sentence: string, set: Condition, want: readonly Condition[]]>([
    [
      "moves the time when the status does",
      { type: "B", status: "True", reason: "Up" },
      [held[0] as Condition, { type: "B", status: "True", reason: "Up", lastTransitionTime: "1970-01-01T00:00:05Z" }],
    ],
    [
      "keeps the time when only the reason does",
      { type: "B", status: "False", reason: "Still" },
      [
        held[0] as Condition,
        { type: "B", status: "False", reason: "Still", lastTransitionTime: "2020-01-01T00:00:00Z" },
      ],
    ],
    [
      "adds at the end",
      { type: "C", status: "Unknown" },
      [...held, { type: "C", status: "Unknown", lastTransitionTime: "1970-01-01T00:00:05Z" }],
    ],
  ])("%s", (_sentence, set, want) => {
    expect(withCondition(held, set, 5_000)).toEqual(want);
  });

  it("changes nothing when it is set already", () => {
    expect(withCondition(held, { type: "A", status: "True" }, 5_000)).toEqual(held);
  });
});

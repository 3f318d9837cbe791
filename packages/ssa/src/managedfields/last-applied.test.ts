import { describe, expect, it } from "vitest";
import { getPath, type JsonObject } from "@fairlead/base";

import { Lab } from "./endpoint.fixtures.js";
import { LAST_APPLIED_ANNOTATION } from "./last-applied.js";

const config = (spec: JsonObject): JsonObject => ({
  apiVersion: "lab.dev/v1",
  kind: "Widget",
  metadata: { name: "w" },
  spec,
});
const annotation = (lab: Lab): unknown =>
  getPath(lab.object ?? null, "metadata", "annotations", LAST_APPLIED_ANNOTATION);

function clientSideApplied(spec: JsonObject, recorded: JsonObject = config(spec)): Lab {
  const lab = new Lab();
  lab.update("kubectl-client-side-apply", (object) => ({
    ...object,
    metadata: { name: "w", annotations: { [LAST_APPLIED_ANNOTATION]: JSON.stringify(recorded) } },
    spec,
  }));
  return lab;
}

describe("kubectl moving from client-side to server-side apply", () => {
  it("takes what the annotation says is its own, and brings the annotation up to date", () => {
    const lab = clientSideApplied({ image: "x", replicas: 1 });
    lab.apply("kubectl", { image: "y<", replicas: 1 });
    expect(lab.spec).toEqual({ image: "y<", replicas: 1 });
    expect(annotation(lab)).toBe(
      '{"apiVersion":"lab.dev/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"image":"y\\u003c","replicas":1}}\n',
    );
  });

  it("conflicts over what the annotation does not explain, and names only that", () => {
    const lab = clientSideApplied({ image: "x", replicas: 1 });
    lab.put("u", { image: "x", replicas: 5 });
    expect(() => lab.apply("kubectl", { image: "y", replicas: 2 })).toThrow(
      'Apply failed with 1 conflict: conflict with "u" using lab.dev/v1: .spec.replicas',
    );
  });

  it.each<[sentence: string, recorded: JsonObject]>([
    ["of another version", { ...config({ image: "x" }), apiVersion: "lab.dev/v0" }],
    ["that does not fit the schema", config({ bogus: 1 })],
    ["without a kind", { apiVersion: "lab.dev/v1", spec: { image: "x" } }],
  ])("is not helped by an annotation %s", (_sentence, recorded) => {
    expect(() => clientSideApplied({ image: "x" }, recorded).apply("kubectl", { image: "y" })).toThrow(
      "Apply failed with 1 conflict",
    );
  });

  it("is a privilege of that name", () => {
    const lab = clientSideApplied({ image: "x" });
    expect(() => lab.apply("other", { image: "y" })).toThrow("Apply failed with 1 conflict");
    const before = annotation(lab);
    lab.apply("other", { image: "y" }, { force: true });
    expect(annotation(lab)).toBe(before);
  });

  it("does not add an annotation that was not there", () => {
    const lab = new Lab();
    lab.apply("kubectl", { image: "x" });
    expect(annotation(lab)).toBeUndefined();
  });
});

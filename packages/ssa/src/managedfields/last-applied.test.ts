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
    ["that sets the field to another value", config({ image: "z" })],
    ["that does not set the field", config({ replicas: 1 })],
    ["whose kind is no text", { ...config({ image: "x" }), kind: 5 }],
    ["without a kind", { apiVersion: "lab.dev/v1", spec: { image: "x" } }],
  ])("is not helped by an annotation %s", (_sentence, recorded) => {
    expect(() => clientSideApplied({ image: "x" }, recorded).apply("kubectl", { image: "y" })).toThrow(
      "Apply failed with 1 conflict",
    );
  });

  it.each(["", "{", "[]", "5", "null", '{"apiVersion":"lab.dev/v1","kind":"Widget","spec":{"tags":["a","a"]}}'])(
    "is not helped by an annotation that is %j, and replaces it when forced",
    (text) => {
      const lab = new Lab();
      lab.update("kubectl-client-side-apply", (object) => ({
        ...object,
        metadata: { name: "w", annotations: { [LAST_APPLIED_ANNOTATION]: text } },
        spec: { image: "x" },
      }));
      expect(() => lab.apply("kubectl", { image: "y" })).toThrow("Apply failed with 1 conflict");
      lab.apply("kubectl", { image: "y" }, { force: true });
      expect(annotation(lab)).toBe(text === "" ? "" : `${JSON.stringify(config({ image: "y" }))}\n`);
    },
  );

  it("is not helped where the live object is not as its type wants it", () => {
    const lab = clientSideApplied({ image: "x", tags: ["a", "a"] }, config({ image: "x" }));
    expect(() => lab.apply("kubectl", { image: "y" })).toThrow("Apply failed with 1 conflict");
  });

  it("takes lists and containers that the annotation has as they are", () => {
    const spec = { image: "x", ports: [{ port: 80, name: "n" }], config: { cpu: 1 }, args: ["a"] };
    const lab = clientSideApplied(spec);
    lab.apply("kubectl", { image: "y", ports: [{ port: 80, name: "m" }], config: { cpu: 2 }, args: ["b"] });
    expect(lab.spec).toEqual({ image: "y", ports: [{ port: 80, name: "m" }], config: { cpu: 2 }, args: ["b"] });
  });

  it("creates an object without an annotation, whatever the name", () => {
    const lab = new Lab();
    lab.apply("kubectl", { ...config({ image: "x" }), metadata: { name: "w", annotations: { a: "b" } } });
    expect(annotation(lab)).toBeUndefined();
  });

  it("records what was applied without the annotation itself, and other annotations with it", () => {
    const lab = clientSideApplied({ image: "x" });
    const annotations = { [LAST_APPLIED_ANNOTATION]: "old", "10": "ten", "9": "nine" };
    lab.apply("kubectl", { ...config({ image: "x" }), metadata: { name: "w", annotations } }, { force: true });
    expect(annotation(lab)).toBe(
      '{"apiVersion":"lab.dev/v1","kind":"Widget","metadata":{"annotations":{"10":"ten","9":"nine"},"name":"w"},"spec":{"image":"x"}}\n',
    );
  });

  describe("with annotations that are large", () => {
    const LIMIT = 256 * 1024;
    const filled = (text: string, padding: number): Lab => {
      const lab = clientSideApplied({ image: "x" });
      lab.update("u", (object) => {
        const metadata = object["metadata"] as { readonly annotations: JsonObject };
        const annotations = { ...metadata.annotations, [text]: "x".repeat(padding) };
        return { ...object, metadata: { ...metadata, annotations } };
      });
      return lab;
    };
    const record = `${JSON.stringify(config({ image: "y" }))}\n`;
    const room = LIMIT - LAST_APPLIED_ANNOTATION.length - record.length;

    it.each<[key: string, bytes: number]>([
      ["k", 1],
      ["\u007f", 1],
      ["\u0080", 2],
      ["\u07ff", 2],
      ["\u0800", 3],
      ["\ud7ff", 3],
      ["\ue000", 3],
      ["\uffff", 3],
      ["\u{10000}", 4],
      ["\u{10ffff}", 4],
    ])("it goes where it would not fit, counted in bytes: %j takes %i", (key, bytes) => {
      const fits = filled(key, room - bytes);
      fits.apply("kubectl", { image: "y" });
      expect(annotation(fits)).toBe(record);
      const tooLarge = filled(key, room - bytes + 1);
      tooLarge.apply("kubectl", { image: "y" });
      expect(annotation(tooLarge)).toBeUndefined();
      expect(tooLarge.spec).toEqual({ image: "y" });
    });
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

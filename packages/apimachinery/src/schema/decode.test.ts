import { expect, it } from "vitest";
import { cloneJson, parseJson, type JsonObject } from "@fairlead/base";
import { builtinSchema } from "./builtin.js";
import { decodeGo } from "./decode.js";

it.each<[sentence: string, object: JsonObject, message: string | undefined]>([
  ["takes what fits", { metadata: { name: "a" }, spec: { containers: [{ name: "c" }] } }, undefined],
  ["takes null everywhere", { metadata: null, spec: { containers: [null] } }, undefined],
  ["leaves unknown fields alone", { spec: { unknown: 5 } }, undefined],
  [
    "refuses a number for a text",
    { metadata: { name: 5 } },
    "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string",
  ],
  [
    "refuses an object for a list",
    { spec: { containers: {} } },
    "json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container",
  ],
  [
    "refuses a text for a boolean",
    { spec: { hostNetwork: "yes" } },
    "json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type bool",
  ],
])("%s", (_sentence, object, message) => {
  expect(decodeGo(cloneJson(object), builtinSchema("core.v1.Pod"))).toBe(message);
});

it("names the quantity's own mistake", () => {
  expect(
    decodeGo({ cpu: "1 x" }, { type: "object", additionalProperties: { format: "quantity", intOrString: true } }),
  ).toContain("quantities must match the regular expression");
});

it("refuses an integer with a fraction, however it is spelled", () => {
  const object = parseJson('{"spec":{"replicas":1.5}}');
  expect(decodeGo(object, builtinSchema("apps.v1.Deployment"))).toBe(
    "json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32",
  );
});

it("drops what is wrong at the top where it is asked to", () => {
  const object = { name: 5, uid: "u" };
  expect(decodeGo(object, builtinSchema("meta.v1.ObjectMeta"), { dropInvalid: true })).toContain("ObjectMeta.name");
  expect(object).toEqual({ uid: "u" });
});

import { describe, expect, it } from "vitest";
import { parseJson, type JsonObject, type JsonValue } from "@fairlead/base";

import { builtinSchema } from "../schema/builtin.js";
import { StatusError } from "../status/status.js";
import { applyStrategicMergePatch } from "./strategic-merge-patch.js";

const deployment = builtinSchema("apps.v1.Deployment");
const pod = builtinSchema("core.v1.PodSpec");
const configMap = builtinSchema("core.v1.ConfigMap");

const podPatch = (live: JsonObject, patch: JsonObject): JsonObject => applyStrategicMergePatch(live, patch, pod);

function failureOf(call: () => unknown): { readonly code: number; readonly reason: string; readonly message: string } {
  try {
    call();
  } catch (error) {
    if (error instanceof StatusError) return { code: error.httpStatus, reason: error.reason, message: error.message };
    throw error;
  }
  throw new Error("the patch was applied");
}

describe("objects", () => {
  it.each<[sentence: string, live: JsonObject, patch: JsonObject, result: JsonObject]>([
    [
      "are merged, and null removes",
      { data: { a: "1", b: "2" } },
      { data: { b: null, c: "3" } },
      { data: { a: "1", c: "3" } },
    ],
    ["are replaced by directive", { data: { a: "1" } }, { data: { $patch: "replace", b: "2" } }, { data: { b: "2" } }],
    [
      "are emptied by directive",
      { metadata: { labels: { a: "1" } } },
      { metadata: { labels: { $patch: "delete" } } },
      { metadata: { labels: {} } },
    ],
    [
      "that are new lose their nulls and what holds a directive",
      {},
      { data: { a: null, b: "1" }, metadata: { labels: { $patch: "replace", x: "1" } } },
      { data: { b: "1" }, metadata: {} },
    ],
    [
      "are taken as they are where the live value is of another form",
      { data: null },
      { data: { a: "1", b: null } },
      { data: { a: "1" } },
    ],
  ])("%s", (_sentence, live, patch, result) => {
    expect(applyStrategicMergePatch(live, patch, configMap)).toEqual(result);
  });

  it("keep only the keys that $retainKeys names", () => {
    const live = { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } } };
    const patch = { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } };
    expect(applyStrategicMergePatch(live, patch, deployment)).toEqual({ spec: { strategy: { type: "Recreate" } } });
  });

  it("that are new keep a $retainKeys, which is somebody else's mistake", () => {
    const patch = { volumes: [{ name: "w", $retainKeys: ["name", "emptyDir"], emptyDir: {} }] };
    expect(podPatch({ volumes: [{ name: "v" }] }, patch)).toEqual({
      volumes: [{ name: "w", $retainKeys: ["name", "emptyDir"], emptyDir: {} }, { name: "v" }],
    });
  });
});

describe("lists", () => {
  it.each<[sentence: string, live: JsonObject, patch: JsonObject, result: JsonObject]>([
    [
      "of objects are merged by key, what is new coming first",
      { containers: [{ name: "a", image: "1" }, { name: "b" }] },
      { containers: [{ name: "n" }, { name: "b", image: "2" }] },
      { containers: [{ name: "n" }, { name: "a", image: "1" }, { name: "b", image: "2" }] },
    ],
    [
      "put what is new first",
      { containers: [{ name: "a" }, { name: "b" }] },
      { containers: [{ name: "n" }] },
      { containers: [{ name: "n" }, { name: "a" }, { name: "b" }] },
    ],
    [
      "lose elements by directive",
      { containers: [{ name: "a" }, { name: "b" }] },
      {
        containers: [
          { name: "a", $patch: "delete" },
          { name: "none", $patch: "delete" },
        ],
      },
      { containers: [{ name: "b" }] },
    ],
    [
      "are replaced by directive",
      { containers: [{ name: "a" }] },
      { containers: [{ $patch: "replace" }, { name: "e" }] },
      { containers: [{ name: "e" }] },
    ],
    [
      "without a strategy are replaced",
      { tolerations: [{ key: "a" }] },
      { tolerations: [{ key: "b" }] },
      { tolerations: [{ key: "b" }] },
    ],
    [
      "are removed by null",
      { containers: [{ name: "a" }], tolerations: [] },
      { containers: null, tolerations: null },
      {},
    ],
    [
      "with several keys go by the first alone",
      { containers: [{ name: "a", ports: [{ containerPort: 80, protocol: "TCP" }] }] },
      { containers: [{ name: "a", ports: [{ containerPort: 80, protocol: "UDP" }] }] },
      { containers: [{ name: "a", ports: [{ containerPort: 80, protocol: "UDP" }] }] },
    ],
    [
      "follow an order that is asked for",
      { containers: [{ name: "a" }, { name: "b" }, { name: "c" }] },
      { "$setElementOrder/containers": [{ name: "c" }, { name: "n" }, { name: "a" }], containers: [{ name: "n" }] },
      { containers: [{ name: "b" }, { name: "c" }, { name: "n" }, { name: "a" }] },
    ],
    [
      "are put in order without being changed",
      { containers: [{ name: "a" }, { name: "b" }] },
      { "$setElementOrder/containers": [{ name: "b" }, { name: "a" }] },
      { containers: [{ name: "b" }, { name: "a" }] },
    ],
    [
      "that are new take the room of those that go, before what nobody ordered",
      { containers: [{ name: "a" }, { name: "b" }, { name: "x" }] },
      {
        "$setElementOrder/containers": [{ name: "c" }, { name: "a" }],
        containers: [{ name: "c" }, { name: "b", $patch: "delete" }],
      },
      { containers: [{ name: "x" }, { name: "c" }, { name: "a" }] },
    ],
    ["that are not there need no order", {}, { "$setElementOrder/containers": [{ name: "b" }] }, {}],
    [
      "that are new lose elements with directives",
      {},
      { "$setElementOrder/containers": [{ name: "b" }], containers: [{ name: "b" }, { name: "a", $patch: "delete" }] },
      { containers: [{ name: "b" }] },
    ],
    [
      "without a strategy lose scalars all the same",
      { containers: [{ name: "a", args: ["x", "y"] }] },
      { containers: [{ name: "a", "$deleteFromPrimitiveList/args": ["x"] }] },
      { containers: [{ name: "a", args: ["y"] }] },
    ],
    ["lose nothing that is not there", {}, { "$deleteFromPrimitiveList/finalizers": ["x"] }, {}],
  ])("%s", (_sentence, live, patch, result) => {
    const before = JSON.stringify([live, patch]);
    expect(podPatch(live, patch)).toEqual(result);
    expect(JSON.stringify([live, patch])).toBe(before);
  });

  it.each<[sentence: string, live: readonly string[], patch: JsonObject, result: readonly string[]]>([
    ["of scalars are united, the patch's first", ["a", "b"], { finalizers: ["c", "a"] }, ["c", "a", "b"]],
    ["of scalars lose what is deleted", ["a", "b"], { "$deleteFromPrimitiveList/finalizers": ["a", "none"] }, ["b"]],
    [
      "of scalars follow an order",
      ["b", "c"],
      { "$setElementOrder/finalizers": ["b", "d", "c"], finalizers: ["d"] },
      ["b", "d", "c"],
    ],
    ["of scalars lose repetitions", ["a", "a", "b"], { finalizers: ["b"] }, ["a", "b"]],
  ])("%s", (_sentence, live, patch, result) => {
    expect(applyStrategicMergePatch({ metadata: { finalizers: live } }, { metadata: patch }, configMap)).toEqual({
      metadata: { finalizers: result },
    });
  });

  it("tell an integer key from a fraction", () => {
    const live = parseJson('{"ports":[{"containerPort":80,"name":"a"}]}') as JsonObject;
    const merged = applyStrategicMergePatch(
      { containers: [{ name: "c", ...live }] },
      { containers: [{ name: "c", ...(parseJson('{"ports":[{"containerPort":80.0}]}') as JsonObject) }] },
      pod,
    );
    expect(((merged["containers"] as readonly JsonObject[])[0]?.["ports"] as readonly JsonValue[]).length).toBe(2);
  });
});

describe("a patch that does not fit", () => {
  const live: JsonObject = {
    metadata: { finalizers: ["f"] },
    spec: { template: { spec: { containers: [{ name: "c", image: "i", env: [{ name: "A" }] }] } } },
  };
  const inPod = (containers: JsonValue): JsonObject => ({ spec: { template: { spec: { containers } } } });

  it.each<[patch: JsonValue, code: number, message: string]>([
    [[1], 400, "json: cannot unmarshal array into Go value of type map[string]interface {}"],
    [
      { spec: { strategy: { $retainKeys: ["rollingUpdate"], type: "x" } }, metadata: {} },
      400,
      "invalid patch format of retainKeys",
    ],
    [{ spec: { $retainKeys: "type" } }, 400, "invalid patch format of retainKeys"],
    [{ metadata: { $setElementOrder: ["a"] } }, 400, "invalid patch format of setElementOrder list"],
    [{ metadata: { $deleteFromPrimitiveList: ["a"] } }, 400, "invalid patch format of primitive list"],
    [{ metadata: { "$setElementOrder/finalizers": "a" } }, 500, "expected a []interface {}, but received a string"],
    [
      { metadata: { "$setElementOrder/finalizers": ["f"], finalizers: null } },
      500,
      "expected a []interface {}, but received a %!s(<nil>)",
    ],
    [{ metadata: { $patch: "merge", name: "x" } }, 500, "unknown patch type: merge in map: map[$patch:merge name:x]"],
    [inPod([{ image: "q" }]), 500, "map: map[image:q] does not contain declared merge key: name"],
    [inPod([{ $patch: "delete" }]), 500, "map: map[$patch:delete] does not contain declared merge key: name"],
    [inPod([{ $patch: "bogus", name: "c" }]), 500, "unknown patch type: bogus in map: map[$patch:bogus name:c]"],
    [inPod([{ $patch: "merge", name: "c" }]), 500, "merging lists cannot yet be specified in the patch"],
    [inPod(["x"]), 500, "list element types are not identical: [[map[env:[map[name:A]] image:i name:c]] [x]]"],
    [
      inPod([{ name: "c", "$setElementOrder/env": [{ name: "A" }], env: [{ name: "B", value: "2" }] }]),
      500,
      "The order in patch list:\n[map[name:B value:2]]\n doesn't match $setElementOrder list:\n[map[name:A]]\n",
    ],
  ])("%j", (patch, code, message) => {
    const withStrategy = { ...live, spec: { ...(live["spec"] as JsonObject), strategy: {} } };
    const failure = failureOf(() => applyStrategicMergePatch(withStrategy, patch, deployment));
    expect(failure).toEqual({ code, reason: code === 400 ? "BadRequest" : "", message });
  });

  it("that is null does nothing at all", () => {
    expect(applyStrategicMergePatch(live, null, deployment)).toBe(live);
  });
});

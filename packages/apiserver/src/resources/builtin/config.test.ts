import { describe, expect, it } from "vitest";
import type { JsonObject } from "@fairlead/base";
import { createErrors, defaulted, updateErrors } from "./builtin.fixtures.js";

const named = (parts: JsonObject): JsonObject => ({ metadata: { name: "x", namespace: "n" }, ...parts });

it("folds the texts of a Secret into its data", () => {
  const secret = defaulted("/v1/Secret", named({ data: { a: "b2xk" }, stringData: { a: "new", b: "é" } }));
  expect(secret).toEqual(named({ data: { a: "bmV3", b: "w6k=" }, type: "Opaque" }));
});

describe("what is new", () => {
  it.each<[sentence: string, name: string, object: JsonObject, ...errors: readonly (string | RegExp)[]]>([
    [
      "a key that may not be",
      "/v1/ConfigMap",
      named({ data: { "a/b": "" } }),
      /^data\[a\/b\]: Invalid value: "a\/b": a valid config key must consist of/,
    ],
    [
      "a key in both maps",
      "/v1/ConfigMap",
      named({ data: { a: "" }, binaryData: { a: "" } }),
      'data[a]: Invalid value: "a": duplicate of key present in binaryData',
    ],
    [
      "more than a MiB",
      "/v1/ConfigMap",
      named({ data: { a: "x".repeat(1024 * 1024 + 1) } }),
      "[]: Too long: may not be more than 1048576 bytes",
    ],
    [
      "a Secret without what its type needs",
      "/v1/Secret",
      named({ type: "kubernetes.io/basic-auth" }),
      "data[username]: Required value",
      "data[password]: Required value",
    ],
    [
      "a Secret that is no configuration of Docker",
      "/v1/Secret",
      named({ type: "kubernetes.io/dockerconfigjson", stringData: { ".dockerconfigjson": "x" } }),
      /^data\[.dockerconfigjson\]: Invalid value: "<secret contents redacted>"/,
    ],
  ])("%s", (_sentence, name, object, ...errors) => {
    const found = createErrors(name, object);
    for (const [i, error] of errors.entries()) expect(found[i]).toMatch(error);
    expect(found).toHaveLength(errors.length);
  });
});

describe("what is fixed", () => {
  it.each<
    [sentence: string, name: string, before: JsonObject, after: JsonObject, ...errors: readonly (string | RegExp)[]]
  >([
    ["data may change", "/v1/ConfigMap", { data: { a: "1" } }, { data: { a: "2" } }],
    [
      "data may not once it is immutable",
      "/v1/ConfigMap",
      { immutable: true, data: { a: "1" } },
      { immutable: true, data: { a: "2" } },
      "data: Forbidden: field is immutable when `immutable` is set",
    ],
    [
      "and it stays so",
      "/v1/ConfigMap",
      { immutable: true },
      { immutable: false },
      "immutable: Forbidden: field is immutable when `immutable` is set",
    ],
    [
      "the type of a Secret",
      "/v1/Secret",
      { type: "a" },
      { type: "b" },
      'type: Invalid value: "b": field is immutable',
    ],
    [
      "the role of a binding",
      "rbac.authorization.k8s.io/v1/RoleBinding",
      { roleRef: { kind: "Role", name: "a" } },
      { roleRef: { kind: "Role", name: "b" } },
      /^roleRef: Invalid value: .*: cannot change roleRef$/,
    ],
    [
      "the provisioner of a StorageClass",
      "storage.k8s.io/v1/StorageClass",
      { provisioner: "a" },
      { provisioner: "b" },
      /^provisioner: Invalid value: "b": field is immutable$/,
    ],
    [
      "the value of a PriorityClass",
      "scheduling.k8s.io/v1/PriorityClass",
      { value: 1 },
      { value: 2 },
      /^value: Forbidden: may not be changed in an update\.$/,
    ],
  ])("%s", (_sentence, name, before, after, ...errors) => {
    const found = updateErrors(name, named(before), named(after));
    for (const [i, error] of errors.entries()) expect(found[i]).toMatch(error);
    expect(found).toHaveLength(errors.length);
  });
});

import { expect, it } from "vitest";
import type { JsonValue } from "@fairlead/base";
import { builtinSchema } from "./builtin.js";
import { fromUnstructuredError } from "./from-unstructured.js";

it.each<[sentence: string, type: string, value: JsonValue, message: string | undefined]>([
  ["takes what fits", "apps.v1.Deployment", { spec: { replicas: 2 } }, undefined],
  ["takes null everywhere", "apps.v1.Deployment", { spec: null }, undefined],
  ["refuses a fraction", "apps.v1.Deployment", { spec: { replicas: 1.5 } }, "cannot convert float64 to int32"],
  ["refuses text for a number", "apps.v1.Deployment", { spec: { replicas: "x" } }, "unrecognized type: int32"],
  ["refuses a number for text", "core.v1.ConfigMap", { data: { k: 5 } }, "cannot convert int64 to string"],
  ["refuses text for a struct", "apps.v1.Deployment", { spec: "x" }, "cannot restore struct from: string"],
  ["refuses a list for a map", "core.v1.ConfigMap", { data: [] }, "cannot restore map from slice"],
  ["refuses text for a list", "core.v1.Pod", { spec: { containers: "x" } }, "cannot restore slice from string"],
  [
    "refuses bytes that are not base64",
    "core.v1.Secret",
    { data: { k: "%%%" } },
    "error decoding from json: illegal base64 data at input byte 0",
  ],
])("%s", (_sentence, type, value, message) => {
  expect(fromUnstructuredError(value, builtinSchema(type))).toBe(message);
});

import { expect, it } from "vitest";
import { cloneJson, type JsonObject } from "@fairlead/base";
import { builtinSchema } from "./builtin.js";
import { goForm } from "./go-form.js";

it.each<[sentence: string, type: string, object: JsonObject, form: JsonObject]>([
  [
    "leaves out what is empty",
    "core.v1.ConfigMap",
    { data: {}, binaryData: null, immutable: false },
    { immutable: false, metadata: {} },
  ],
  ["prints structs that are no pointers", "core.v1.Namespace", {}, { metadata: {}, spec: {}, status: {} }],
  ["prints a zero without omitempty", "apps.v1.ReplicaSetStatus", {}, { replicas: 0 }],
  [
    "prints what a pointer points to",
    "apps.v1.DeploymentSpec",
    { replicas: 0, paused: false },
    { replicas: 0, selector: null, strategy: {}, template: { metadata: {}, spec: { containers: null } } },
  ],
  [
    "prints null for a list without omitempty",
    "rbac.v1.Role",
    { metadata: {}, rules: [] },
    { metadata: {}, rules: null },
  ],
  [
    "brings quantities into their canonical spelling",
    "core.v1.ResourceRequirements",
    { limits: { cpu: "0.5", memory: "1024Mi" } },
    { limits: { cpu: "500m", memory: "1Gi" } },
  ],
  [
    "brings times into UTC",
    "core.v1.PodCondition",
    { type: "A", status: "True", lastTransitionTime: "2024-01-01T01:00:00.5+02:00" },
    { type: "A", status: "True", lastProbeTime: null, lastTransitionTime: "2023-12-31T23:00:00Z" },
  ],
  [
    "keeps microseconds where they count",
    "coordination.v1.LeaseSpec",
    { renewTime: "2024-01-01T00:00:00.5Z" },
    { renewTime: "2024-01-01T00:00:00.500000Z" },
  ],
  [
    "makes zeros of the nulls in lists",
    "core.v1.Container",
    { name: "c", args: ["a", null], resources: {} },
    { name: "c", args: ["a", ""], resources: {} },
  ],
])("%s", (_sentence, type, object, form) => {
  const value = cloneJson(object);
  goForm(value, builtinSchema(type));
  expect(value).toEqual(form);
});

import { readFileSync } from "node:fs";

import type { JsonObject } from "@fairlead/base";
import { describe, expect, it } from "vitest";

import { defaultPolicy, defaultRefusal, trustedPolicy, unrestrictedPolicy } from "./policy.js";
import type { Recording } from "./recorded.js";

const [sample] = JSON.parse(readFileSync(new URL("../../../../packages/conformance/data/rendered/sample-inference.json", import.meta.url), "utf8")) as Recording[];
const where = { namespace: "sr-foo" };
const SAFE = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" }, capabilities: { drop: ["ALL"] } };
const pod = (spec: object): JsonObject => ({ apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i", securityContext: SAFE }], ...spec } }) as JsonObject;
const errors = (spec: object): readonly string[] => defaultPolicy.admit([pod(spec)], where).errors;

describe("policy default", () => {
  it("admits the sample chart", () => {
    expect(defaultPolicy.admit(sample?.objects ?? [], where).errors).toEqual([]);
  });

  it.each<[sentence: string, spec: object, error: RegExp]>([
    ["host networks", { hostNetwork: true }, /hostNetwork must not be true/],
    ["mounted account tokens", { automountServiceAccountToken: true }, /automountServiceAccountToken/],
    ["volumes of the host", { volumes: [{ name: "v", hostPath: { path: "/" } }] }, /volume v: source hostPath is not allowed/],
    ["privileged containers", { containers: [{ name: "c", image: "i", securityContext: { ...SAFE, privileged: true } }] }, /Pod p: container c: securityContext\.privileged/],
    ["ports of the host", { containers: [{ name: "c", image: "i", ports: [{ containerPort: 1, hostPort: 1 }], securityContext: SAFE }] }, /hostPort/],
    ["root", { containers: [{ name: "c", image: "i", securityContext: { ...SAFE, runAsUser: 0 } }] }, /runAsUser must not be 0/],
    ["containers without an image", { containers: [{ name: "c", securityContext: SAFE }] }, /image must be set/],
  ])("refuses %s", (_sentence, spec, error) => {
    expect(errors(spec).join("\n")).toMatch(error);
  });

  it("refuses kinds by name, all at once and sorted", () => {
    const refused = [{ apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name: "a" } }, { apiVersion: "v1", kind: "Namespace", metadata: { name: "b" } }];
    expect(defaultPolicy.admit(refused, where).errors).toEqual(['unsupported types: ["core/v1.Namespace" "policy/v1.PodDisruptionBudget"]']);
  });

  it("takes out what a chart may not choose", () => {
    const { objects } = defaultPolicy.admit([pod({ nodeName: "n", serviceAccountName: "a", priorityClassName: "x", affinity: { nodeAffinity: {} } })], where);
    expect(objects[0]).toMatchObject({ spec: { automountServiceAccountToken: false } });
    for (const key of ["nodeName", "serviceAccountName", "priorityClassName", "affinity"]) expect((objects[0] as { spec: object }).spec).not.toHaveProperty(key);
  });

  it("refuses Services that reach out", () => {
    const service = { apiVersion: "v1", kind: "Service", metadata: { name: "s" }, spec: { type: "LoadBalancer" } };
    expect(defaultPolicy.admit([service], where).errors).toEqual(["Service s: type LoadBalancer is not allowed; use ClusterIP"]);
  });
});

describe("the other policies", () => {
  it("unrestricted leaves objects as they are, but not every kind", () => {
    const privileged = pod({ hostNetwork: true });
    expect(unrestrictedPolicy.admit([privileged], where)).toEqual({ objects: [privileged], errors: [] });
    expect(unrestrictedPolicy.admit([{ apiVersion: "v1", kind: "Namespace", metadata: { name: "b" } }], where).errors).toHaveLength(1);
  });

  it("trusted takes every kind, and pins the namespace", () => {
    expect(trustedPolicy.admit([{ apiVersion: "v1", kind: "Namespace", metadata: { name: "b" } }], where).errors).toEqual([]);
    expect(trustedPolicy.admit([{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b", namespace: "kube-system" } }], where).errors[0]).toMatch(/ConfigMap b names namespace kube-system/);
  });

  it("tells in one line what default would refuse", () => {
    expect(defaultRefusal(sample?.objects ?? [], "sr-foo")).toBeUndefined();
    expect(defaultRefusal([pod({ hostNetwork: true, hostPID: true })], "sr-foo")).toBe("Pod p: hostNetwork must not be true (and 1 more)");
  });
});

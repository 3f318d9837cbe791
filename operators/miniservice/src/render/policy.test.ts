import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import type { JsonObject } from "@fairlead/base";
import { describe, expect, it } from "vitest";

import { defaultPolicy, defaultRefusal, trustedPolicy, unrestrictedPolicy } from "./policy.js";
import type { Recording } from "./recorded.js";

const [sample] = JSON.parse(
  readFileSync(
    new URL("../../../../packages/conformance/data/rendered/sample-inference.json", import.meta.url),
    "utf8",
  ),
) as Recording[];
const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
const where = { namespace: "sr-foo", digest };
const SAFE = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
  capabilities: { drop: ["ALL"] },
};
const pod = (spec: object): JsonObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p" },
  spec: { containers: [{ name: "c", image: "i", securityContext: SAFE }], ...spec },
});
const errors = (spec: object): readonly string[] => defaultPolicy.admit([pod(spec)], where).errors;

describe("policy default", () => {
  it("admits the sample chart", () => {
    expect(defaultPolicy.admit(sample?.objects ?? [], where).errors).toEqual([]);
  });

  it.each<[sentence: string, spec: object, error: RegExp]>([
    ["host networks", { hostNetwork: true }, /hostNetwork must not be true/],
    ["mounted account tokens", { automountServiceAccountToken: true }, /automountServiceAccountToken/],
    [
      "volumes of the host",
      { volumes: [{ name: "v", hostPath: { path: "/" } }] },
      /volume v: source hostPath is not allowed/,
    ],
    [
      "privileged containers",
      { containers: [{ name: "c", image: "i", securityContext: { ...SAFE, privileged: true } }] },
      /Pod p: container c: securityContext\.privileged/,
    ],
    [
      "ports of the host",
      { containers: [{ name: "c", image: "i", ports: [{ containerPort: 1, hostPort: 1 }], securityContext: SAFE }] },
      /hostPort/,
    ],
    [
      "root",
      { containers: [{ name: "c", image: "i", securityContext: { ...SAFE, runAsUser: 0 } }] },
      /runAsUser must not be 0/,
    ],
    ["containers without an image", { containers: [{ name: "c", securityContext: SAFE }] }, /image must be set/],
  ])("refuses %s", (_sentence, spec, error) => {
    expect(errors(spec).join("\n")).toMatch(error);
  });

  it("refuses kinds by name, all at once and sorted", () => {
    const refused = [
      { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name: "a" } },
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "b" } },
    ];
    expect(defaultPolicy.admit(refused, where).errors).toEqual([
      'unsupported types: ["core/v1.Namespace" "policy/v1.PodDisruptionBudget"]',
    ]);
  });

  it("takes out what a chart may not choose", () => {
    const { objects } = defaultPolicy.admit(
      [pod({ nodeName: "n", serviceAccountName: "a", priorityClassName: "x", affinity: { nodeAffinity: {} } })],
      where,
    );
    expect(objects[0]).toMatchObject({ spec: { automountServiceAccountToken: false } });
    for (const key of ["nodeName", "serviceAccountName", "priorityClassName", "affinity"])
      expect((objects[0] as { spec: object }).spec).not.toHaveProperty(key);
  });

  it("refuses Services that reach out", () => {
    const service = { apiVersion: "v1", kind: "Service", metadata: { name: "s" }, spec: { type: "LoadBalancer" } };
    expect(defaultPolicy.admit([service], where).errors).toEqual([
      "Service s: type LoadBalancer is not allowed; use ClusterIP",
    ]);
  });
});

describe("selectors of policy default", () => {
  const labels = { app: "web" };
  const template = {
    metadata: { labels },
    spec: {
      containers: [{ name: "c", image: "i", ports: [{ containerPort: 80, name: "http" }], securityContext: SAFE }],
    },
  };
  const deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: { selector: { matchLabels: labels }, template },
  } as unknown as JsonObject;
  const service = (spec: object = {}): JsonObject => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "entry" },
    spec: { selector: labels, ports: [{ port: 8000, targetPort: "http" }], ...spec },
  });
  const stranger = { ...pod({}), metadata: { name: "p", labels: { app: "other" } } } as JsonObject;

  it("reach only what the chart made, and are the same at every render", () => {
    const [one, two] = [1, 2].map(() => defaultPolicy.admit([deployment, service(), stranger], where));
    expect(one).toEqual(two);
    const controller = `x${digest("sr-foo/Deployment/web").slice(0, 10)}x`;
    const label = {
      [`autogen-label-service-${digest("entry").slice(0, 10)}`]: `x${digest("sr-foo/Service/entry").slice(0, 10)}x`,
    };
    expect(one?.errors).toEqual([]);
    expect(one?.objects[0]).toMatchObject({
      spec: {
        selector: { matchLabels: { "autogen-label-controller": controller } },
        template: { metadata: { labels: { app: "web", "autogen-label-controller": controller, ...label } } },
      },
    });
    expect((one?.objects[0] as unknown as { spec: { selector: object } }).spec.selector).toEqual({
      matchLabels: { "autogen-label-controller": controller },
    });
    expect(one?.objects[1]).toMatchObject({ spec: { selector: { app: "web", ...label } } });
    expect(one?.objects[2]).toMatchObject({ metadata: { name: "p", labels: { app: "other" } } });
    expect(JSON.stringify(one?.objects[2])).not.toContain("autogen");
  });

  it.each<
    [
      sentence: string,
      objects: readonly JsonObject[],
      target: { readonly name: string; readonly port: number | undefined },
      error: string | undefined,
    ]
  >([
    ["is found by name and port", [deployment, service()], { name: "entry", port: 8000 }, undefined],
    ["may be named without a port", [deployment, service()], { name: "entry", port: undefined }, undefined],
    [
      "may lead to a port by number",
      [deployment, service({ ports: [{ port: 80 }] })],
      { name: "entry", port: 80 },
      undefined,
    ],
    [
      "must be in the chart",
      [deployment],
      { name: "entry", port: 8000 },
      "Service entry: the chart has none of this name, and calls are to come in by it; set HELM_CHART_INFERENCE_SERVICE_NAME to a Service of the chart",
    ],
    [
      "must have the port",
      [deployment, service()],
      { name: "entry", port: 8001 },
      "Service entry: has no port 8001; set INFERENCE_PORT to one of its ports",
    ],
    [
      "must lead to a pod",
      [deployment, service({ selector: { app: "other" } }), stranger],
      { name: "entry", port: 8000 },
      "Service entry: port 8000 leads to port http of the pods that it selects, and none of them has it; add it to a container's ports",
    ],
  ])("the Service that calls come in by %s", (_sentence, objects, target, error) => {
    expect(defaultPolicy.admit(objects, { ...where, target }).errors).toEqual(error === undefined ? [] : [error]);
  });
});

describe("the other policies", () => {
  it("unrestricted leaves objects as they are, but not every kind", () => {
    const privileged = pod({ hostNetwork: true });
    expect(unrestrictedPolicy.admit([privileged], where)).toEqual({ objects: [privileged], errors: [] });
    expect(
      unrestrictedPolicy.admit([{ apiVersion: "v1", kind: "Namespace", metadata: { name: "b" } }], where).errors,
    ).toHaveLength(1);
  });

  it("trusted takes every kind, and pins the namespace", () => {
    expect(
      trustedPolicy.admit([{ apiVersion: "v1", kind: "Namespace", metadata: { name: "b" } }], where).errors,
    ).toEqual([]);
    expect(
      trustedPolicy.admit(
        [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b", namespace: "kube-system" } }],
        where,
      ).errors[0],
    ).toMatch(/ConfigMap b names namespace kube-system/);
  });

  it("tells in one line what default would refuse", () => {
    expect(defaultRefusal(sample?.objects ?? [], where)).toBeUndefined();
    expect(defaultRefusal([pod({ hostNetwork: true, hostPID: true })], where)).toBe(
      "Pod p: hostNetwork must not be true (and 1 more)",
    );
  });
});

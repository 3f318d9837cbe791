import { describe, expect, it } from "vitest";
import type { JsonObject } from "@fairlead/base";
import { createErrors, updateErrors, withPart } from "./builtin.fixtures.js";

const SERVICE: JsonObject = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "s", namespace: "n" },
  spec: {
    selector: { app: "a" },
    ports: [{ port: 80 }],
    clusterIP: "10.0.0.5",
    clusterIPs: ["10.0.0.5"],
    ipFamilies: ["IPv4"],
    ipFamilyPolicy: "SingleStack",
  },
};

const service = (spec: JsonObject): JsonObject => withPart(SERVICE, { spec });
const INGRESS: JsonObject = {
  metadata: { name: "i", namespace: "n" },
  spec: {
    rules: [
      {
        host: "a.b",
        http: { paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { number: 80 } } } }] },
      },
    ],
  },
};

const path = (part: JsonObject): JsonObject => ({
  metadata: { name: "i", namespace: "n" },
  spec: {
    rules: [
      {
        http: {
          paths: [
            { path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { number: 80 } } }, ...part },
          ],
        },
      },
    ],
  },
});

describe("what is new", () => {
  it.each<[sentence: string, name: string, object: JsonObject, ...errors: readonly (string | RegExp)[]]>([
    ["a Service", "/v1/Service", SERVICE],
    ["without ports", "/v1/Service", service({ ports: [] }), "spec.ports: Required value"],
    [
      "with a port that there is not",
      "/v1/Service",
      service({ ports: [{ port: 0 }] }),
      /^spec.ports\[0\].port: Invalid value: 0: must be between 1 and 65535, inclusive$/,
      /^spec.ports\[0\].targetPort: Invalid value: 0/,
    ],
    [
      "with several ports, one of them nameless",
      "/v1/Service",
      service({ ports: [{ port: 1, name: "a" }, { port: 2 }] }),
      "spec.ports[1].name: Required value",
    ],
    [
      "with a port twice",
      "/v1/Service",
      service({
        ports: [
          { port: 1, name: "a" },
          { port: 1, name: "b" },
        ],
      }),
      /^spec.ports\[1\]: Duplicate value/,
    ],
    [
      "of a type that there is not",
      "/v1/Service",
      service({ type: "Magic" }),
      /^spec.type: Unsupported value: "Magic": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"$/,
    ],
    ["an Ingress", "networking.k8s.io/v1/Ingress", INGRESS],
    [
      "with a path that is none",
      "networking.k8s.io/v1/Ingress",
      path({ path: "a" }),
      'spec.rules[0].http.paths[0].path: Invalid value: "a": must be an absolute path',
    ],
    [
      "with a path of no type",
      "networking.k8s.io/v1/Ingress",
      path({ pathType: null }),
      "spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified",
    ],
    [
      "without a port of its backend",
      "networking.k8s.io/v1/Ingress",
      path({ backend: { service: { name: "s" } } }),
      /^spec.rules\[0\].http.paths\[0\].backend: Required value: port name or number is required$/,
    ],
    [
      "with a host that is an address",
      "networking.k8s.io/v1/Ingress",
      { ...INGRESS, spec: { rules: [{ host: "1.2.3.4" }] } },
      'spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
    ],
    [
      "a NetworkPolicy with a range outside of its network",
      "networking.k8s.io/v1/NetworkPolicy",
      {
        metadata: { name: "p", namespace: "n" },
        spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["11.0.0.0/16"] } }] }] },
      },
      /except\[0\]: Invalid value: "11.0.0.0\/16": must be a strict subset of `cidr`/,
    ],
    [
      "a PodDisruptionBudget that wants both",
      "policy/v1/PodDisruptionBudget",
      { metadata: { name: "p", namespace: "n" }, spec: { minAvailable: 1, maxUnavailable: 1, selector: {} } },
      /minAvailable and maxUnavailable cannot be both set/,
    ],
  ])("%s", (_sentence, name, object, ...errors) => {
    const found = createErrors(name, object);
    for (const [i, error] of errors.entries()) expect(found[i]).toMatch(error);
    expect(found).toHaveLength(errors.length);
  });
});

describe("a change of a Service", () => {
  it.each<[sentence: string, spec: JsonObject, ...errors: readonly (string | RegExp)[]]>([
    ["may set ports", { ports: [{ port: 81 }] }],
    [
      "may not move its address",
      { clusterIP: "10.0.0.6", clusterIPs: ["10.0.0.6"] },
      /spec.clusterIPs\[0\]: Invalid value: \["10.0.0.6"\]: may not change once set/,
    ],
  ])("%s", (_sentence, spec, ...errors) => {
    const found = updateErrors("/v1/Service", SERVICE, service(spec));
    for (const [i, error] of errors.entries()) expect(found[i]).toMatch(error);
    expect(found).toHaveLength(errors.length);
  });
});

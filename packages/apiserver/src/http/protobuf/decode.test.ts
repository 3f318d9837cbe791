import { describe, expect, it } from "vitest";
import { decodeProtobuf, ProtobufError } from "./decode.js";

// Encoded by Kubernetes' own serializer from the JSON beside it.
const CASES: readonly (readonly [what: string, base64: string, json: unknown])[] = [
  [
    "a Deployment: maps, IntOrString, quantities, pointers to zero, embedded messages",
    "azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50EqwCCiMKA3dlYhIAGgAiACoAMgA4AEIICKXr3MoGEABaBgoBYRIBYhL2AQgAEggKBgoBYRIBYhrKAQoYCgASABoAIgAqADIAOABCAFoGCgFhEgFiEq0BChUKAXYSEJoBDQoDCgF4EgYKAWsSAXAScgoBYxIBaSoAOhMKAUUSABoMGgoKAwoBbRIBaxgAQiEKDgoDY3B1EgcKBTE1MDBtCg8KBm1lbW9yeRIFCgMxR2lSIAoUEhIKAS8SCQgBEAAaA3dlYhoAIgAQABgAIAAoADAAagByAIABAIgBAJABAKIBABoAMgBCAEoAUgBYAGAAaAByBCABIAKCAQCKAQCaAQDCAQAiFwoAEhMKBggAEAEaABIJCAEQABoDMjUlKAA4ABoMCAAQABgAIAAoADgAGgAiAA==",
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", labels: { a: "b" }, creationTimestamp: "2026-01-02T03:04:05Z" },
      spec: {
        replicas: 0,
        selector: { matchLabels: { a: "b" } },
        strategy: { rollingUpdate: { maxSurge: "25%", maxUnavailable: 1 } },
        template: {
          metadata: { labels: { a: "b" } },
          spec: {
            containers: [
              {
                name: "c",
                image: "i",
                env: [{ name: "E", valueFrom: { configMapKeyRef: { name: "m", key: "k", optional: false } } }],
                livenessProbe: { httpGet: { path: "/", port: "web" } },
                resources: { limits: { cpu: "1500m", memory: "1Gi" } },
              },
            ],
            volumes: [{ name: "v", configMap: { name: "x", items: [{ key: "k", path: "p" }] } }],
            securityContext: { supplementalGroups: [1, 2] },
          },
        },
      },
    },
  ],
  [
    "a Secret: bytes",
    "azhzAAoMCgJ2MRIGU2VjcmV0Ei0KEQoBcxIAGgAiACoAMgA4AEIAEgkKAWsSBAABAv8aBk9wYXF1ZSIFCgF0EgAaACIA",
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s" },
      data: { k: "AAEC/w==" },
      stringData: { t: "" },
      type: "Opaque",
    },
  ],
  [
    "a Lease: pointers to zero, micro time",
    "azhzAAofChZjb29yZGluYXRpb24uazhzLmlvL3YxEgVMZWFzZRIkChEKAWwSABoAIgAqADIAOABCABIPCgAiCQil69zKBhDwLigAGgAiAA==",
    {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "l" },
      spec: { holderIdentity: "", leaseTransitions: 0, renewTime: "2026-01-02T03:04:05.000006Z" },
    },
  ],
  [
    "a TokenReview: lists in a map",
    "azhzAAonChhhdXRoZW50aWNhdGlvbi5rOHMuaW8vdjESC1Rva2VuUmV2aWV3EjAKEAoAEgAaACIAKgAyADgAQgASAwoBdBoXCAASEQoAEgAiCwoBZRIGCgExCgEyGgAaACIA",
    {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      spec: { token: "t" },
      status: { user: { extra: { e: ["1", "2"] } } },
    },
  ],
  [
    "DeleteOptions",
    "azhzAAoTCgJ2MRINRGVsZXRlT3B0aW9ucxIYCAASAwoBdSIKRm9yZWdyb3VuZCoDQWxsGgAiAA==",
    {
      apiVersion: "v1",
      kind: "DeleteOptions",
      gracePeriodSeconds: 0,
      preconditions: { uid: "u" },
      propagationPolicy: "Foreground",
      dryRun: ["All"],
    },
  ],
  [
    "a CustomResourceDefinition: unions, JSON, an empty message",
    "azhzAAozChdhcGlleHRlbnNpb25zLms4cy5pby92MRIYQ3VzdG9tUmVzb3VyY2VEZWZpbml0aW9uEosDChoKCndzLmxhYi5kZXYSABoAIgAqADIAOABCABLeAgoHbGFiLmRldhoLCgJ3cxIAIgFXKgAiCk5hbWVzcGFjZWQ6twIKAnYxEAEYASKmAgqjAgoAEgAiACoGb2JqZWN0MgA6AFAAYAB6AJABAOoBMAoDYW55EikKABIAIgAqBm9iamVjdDIAOgBQAGAAegCQAQDyAQIIAKgCALgCAMACAOoBXQoEbGlzdBJVCgASACIAKgVhcnJheTIAOgBQAGAAegCQAQDCAS8KLQoAEgAiACoGbnVtYmVyMgA6AFAAWQAAAAAAAOA/YAB6AJABAKgCALgCAMACAKgCALgCAMACAOoBaQoEc3BlYxJhCgASACIAKgZvYmplY3QyADoAUABgAHoAkAEA8gE6CAESNgoAEgAiACoGc3RyaW5nMgA6AEIFCgMieCJQAGAAegCQAQCiAQUKAyJ4IqIBAKgCALgCAMACAKgCALgCAMACAKgCALgCAMACACoCCgA4AFAAGgwSCAoAEgAiACoAIAAaACIA",
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "ws.lab.dev" },
      spec: {
        group: "lab.dev",
        names: { plural: "ws", kind: "W" },
        scope: "Namespaced",
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: {
                  spec: { type: "object", additionalProperties: { type: "string", default: "x", enum: ["x", null] } },
                  list: { type: "array", items: { type: "number", minimum: 0.5 } },
                  any: { type: "object", additionalProperties: false },
                },
              },
            },
          },
        ],
      },
    },
  ],
];

describe("decodeProtobuf", () => {
  it.each(CASES)("decodes %s", (_what, base64, json) => {
    expect(decodeProtobuf(Buffer.from(base64, "base64"))).toEqual(json);
  });

  it("refuses bytes without the magic number, kinds it does not know, and truncated messages", () => {
    const bytes = Buffer.from(CASES[0]?.[1] ?? "", "base64");
    expect(() => decodeProtobuf(bytes.subarray(1))).toThrow(ProtobufError);
    expect(() => decodeProtobuf(bytes.subarray(0, bytes.length - 40))).toThrow(ProtobufError);
  });
});

import { expect, it } from "vitest";
import type { JsonObject } from "@fairlead/base";
import { createErrors } from "./builtin.fixtures.js";

const POLICY = "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy";

const policy = (spec: JsonObject): JsonObject => ({
  metadata: { name: "p.example.com" },
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["deployments"] }],
    },
    ...spec,
  },
});

it("takes a policy whose expressions follow from one another", () => {
  const spec = {
    paramKind: { apiVersion: "v1", kind: "ConfigMap" },
    variables: [
      { name: "most", expression: "int(params.data.most)" },
      { name: "twice", expression: "variables.most * 2" },
    ],
    matchConditions: [{ name: "people", expression: "!request.userInfo.username.startsWith('system:')" }],
    validations: [
      {
        expression: "object.spec.replicas < variables.twice",
        messageExpression: "'at most ' + string(variables.most)",
      },
    ],
    auditAnnotations: [{ key: "twice", valueExpression: "string(variables.twice)" }],
  };
  expect(createErrors(POLICY, policy(spec))).toEqual([]);
});

it.each<[what: string, spec: JsonObject, path: string, words: string]>([
  [
    "no decision",
    { validations: [{ expression: "1 + 1" }] },
    "spec.validations[0].expression",
    "must evaluate to bool",
  ],
  [
    "parameters there are none of",
    { validations: [{ expression: "params == null" }] },
    "spec.validations[0].expression",
    "undeclared reference to 'params'",
  ],
  [
    "a variable before it is made",
    {
      variables: [
        { name: "a", expression: "variables.b" },
        { name: "b", expression: "1" },
      ],
      validations: [{ expression: "true" }],
    },
    "spec.variables[0].expression",
    "undefined field 'b'",
  ],
  [
    "a condition that cannot be read",
    { matchConditions: [{ name: "c", expression: "object." }], validations: [{ expression: "true" }] },
    "spec.matchConditions[0].expression",
    "Syntax error",
  ],
])("refuses a policy with %s", (_, spec, path, words) => {
  const errors = createErrors(POLICY, policy(spec));
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain(path);
  expect(errors[0]).toContain(words);
});

it("compiles the conditions of webhooks", () => {
  const errors = createErrors("admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration", {
    metadata: { name: "w" },
    webhooks: [
      {
        name: "w.example.com",
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        clientConfig: { url: "https://example.com/" },
        matchConditions: [
          { name: "good", expression: "request.name != ''" },
          { name: "bad", expression: "variables.a" },
        ],
      },
    ],
  });
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain("webhooks[0].matchConditions[1].expression");
});

import { describe, expect, it } from "vitest";

import type { IcmsRequest } from "../api.js";
import { miniServiceName, wantedService } from "./creator.js";
import { deriveFunctionState, type FunctionInput } from "./function-state.js";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const request = (launch: object): IcmsRequest => ({
  metadata: { name: "sr-foo" },
  spec: { requestId: "r", ncaId: "n", creationMsgInfo: { functionLaunchSpecification: launch } },
});

describe("the service of a request", () => {
  it("is named after it, within a DNS label", () => {
    expect(miniServiceName("sr-foo")).toBe("sr-foo-miniservice");
    expect(miniServiceName(`sr-${"x".repeat(80)}`)).toHaveLength(63);
    expect(miniServiceName(`sr-${"x".repeat(47)}-y`)).toBe(`sr-${"x".repeat(47)}-miniservice`);
  });

  it("has its chart, entry and values from the launch specification", () => {
    const launch = {
      helmChart: "oci://r/c:1",
      environment: base64('HELM_CHART_INFERENCE_SERVICE_NAME=entry\n\nINFERENCE_PORT=8000\nQ="a b"'),
      configuration: base64("a: {b: 1}"),
    };
    expect(wantedService(request(launch)).spec).toEqual({
      namespace: "sr-foo",
      icmsRequestName: "sr-foo",
      helmChartConfig: {
        url: "oci://r/c:1",
        serviceName: "entry",
        servicePort: 8000,
        values: { a: { b: 1 } },
        authConfig: { k8sSecrets: null },
      },
    });
  });

  it.each<[sentence: string, launch: object, message: RegExp]>([
    ["without a chart", {}, /names no helmChart/],
    [
      "with a port that is no number",
      { helmChart: "oci://r/c:1", environment: base64("INFERENCE_PORT=http") },
      /invalid inference port: http/,
    ],
    ["with values that are a list", { helmChart: "oci://r/c:1", configuration: base64("- a") }, /not a map of values/],
    [
      "with an environment that is not base64",
      { helmChart: "oci://r/c:1", environment: "%%" },
      /environment is not base64/,
    ],
  ])("cannot be made of a request %s", (_sentence, launch, message) => {
    expect(() => wantedService(request(launch))).toThrow(message);
  });
});

describe("the function's state", () => {
  const input = (change: Partial<FunctionInput>): FunctionInput => ({
    instances: ["running"],
    minInstances: 1,
    wasActive: false,
    ...change,
  });
  it.each<[sentence: string, change: Partial<FunctionInput>, state: string]>([
    ["is ACTIVE while enough instances run", {}, "ACTIVE"],
    ["is DEPLOYING while the first comes up", { instances: ["starting"] }, "DEPLOYING"],
    [
      "is DEGRADING below the minimum",
      { instances: ["running", "terminated"], minInstances: 2, wasActive: true },
      "DEGRADING",
    ],
    ["is DEGRADED when all are lost", { instances: ["terminated"], wasActive: true }, "DEGRADED"],
    ["stays DEGRADED until the new one runs", { instances: ["starting"], wasActive: true }, "DEGRADED"],
    ["is ERROR when none ever came up", { instances: ["terminated"] }, "ERROR"],
    ["is INACTIVE when nobody wants it", { terminated: true }, "INACTIVE"],
  ])("%s", (_sentence, change, state) => {
    expect(deriveFunctionState(input(change))).toBe(state);
  });
});

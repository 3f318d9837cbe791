import { describe, expect, it } from "vitest";

import { decodeRequestName, decodeRequestNamespace, encodeSpec, isFlagSet, sameWorkloadConfig } from "./codec.js";

describe("the request's name", () => {
  it.each<[sentence: string, spec: Record<string, unknown>, result: unknown]>([
    ["is the canonical one", { icmsRequestName: "a" }, { kind: "value", value: "a" }],
    ["is the legacy one where there is no other", { spotRequestName: "b" }, { kind: "value", value: "b" }],
    [
      "may stand twice if it is the same",
      { icmsRequestName: "a", spotRequestName: "a" },
      { kind: "value", value: "a" },
    ],
    ["is empty when neither is there", {}, { kind: "value", value: "" }],
    [
      "conflicts when the two differ",
      { icmsRequestName: "a", spotRequestName: "b" },
      { kind: "invalid", message: "ICMS request name has conflicting values" },
    ],
    [
      "conflicts when one is empty and the other is not",
      { icmsRequestName: "", spotRequestName: "x" },
      { kind: "invalid", message: "ICMS request name has conflicting values" },
    ],
    ["takes null for the empty text", { icmsRequestName: null }, { kind: "value", value: "" }],
    [
      "conflicts when one is null and the other is not",
      { icmsRequestName: null, spotRequestName: "x" },
      { kind: "invalid", message: "ICMS request name has conflicting values" },
    ],
    [
      "must be text",
      { icmsRequestName: 5 },
      { kind: "invalid", message: "decode ICMS request name: icmsRequestName must be a string" },
    ],
    ["is not what nearly has its name", { spatRequestName: "x" }, { kind: "value", value: "" }],
    ["is not found by another case", { icmsrequestname: "x" }, { kind: "value", value: "" }],
  ])("%s", (_sentence, spec, result) => {
    expect(decodeRequestName(spec as never)).toEqual(result);
  });

  it("has a namespace with the same rules", () => {
    expect(decodeRequestNamespace({ spotRequestNamespace: "n" })).toEqual({ kind: "value", value: "n" });
    expect(decodeRequestNamespace({ icmsRequestNamespace: "m", spotRequestNamespace: "n" })).toEqual({
      kind: "invalid",
      message: "ICMS request namespace has conflicting values",
    });
  });
});

describe("a spec on the wire", () => {
  it("has its required fields even when they are empty, and no configuration when there is none", () => {
    expect(encodeSpec({})).toEqual({
      namespace: "",
      icmsRequestName: "",
      helmChartConfig: { url: "", authConfig: { k8sSecrets: null } },
    });
    expect(encodeSpec({ workloadConfig: null })).not.toHaveProperty("workloadConfig");
  });

  it("keeps what it does not know, and writes the canonical name only", () => {
    const spec = {
      namespace: "n",
      spotRequestName: "r",
      helmChartConfig: { url: "u", extra: 1 },
      workloadConfig: { featureFlags: { StatusByWorkerReadiness: false } },
      vendor: { a: [1] },
    };
    expect(encodeSpec(spec as never)).toEqual({
      namespace: "n",
      icmsRequestName: "r",
      helmChartConfig: { url: "u", extra: 1, authConfig: { k8sSecrets: null } },
      workloadConfig: { featureFlags: { StatusByWorkerReadiness: false } },
      vendor: { a: [1] },
    });
  });

  it("comes back as it went", () => {
    const spec = {
      namespace: "n",
      icmsRequestName: "r",
      helmChartConfig: { url: "u", serviceName: "s", servicePort: null, authConfig: { k8sSecrets: null } },
      workloadConfig: {},
    };
    expect(encodeSpec(encodeSpec(spec) as never)).toEqual(spec);
  });
});

describe("workload configurations", () => {
  it.each<[sentence: string, a: unknown, b: unknown, same: boolean]>([
    ["none equals none", null, undefined, true],
    ["none does not equal an empty one", null, {}, false],
    ["no flags equal an empty map of flags", {}, { featureFlags: {} }, true],
    ["a flag that is false is not a flag that is missing", { featureFlags: { A: false } }, {}, false],
    ["the same flags are equal", { featureFlags: { A: true } }, { featureFlags: { A: true } }, true],
  ])("%s", (_sentence, a, b, same) => {
    expect(sameWorkloadConfig(a as never, b as never)).toBe(same);
    expect(sameWorkloadConfig(b as never, a as never)).toBe(same);
  });

  it("have a flag only when it is true, and none from a prototype", () => {
    expect(isFlagSet({ featureFlags: { A: true } }, "A")).toBe(true);
    expect(isFlagSet({ featureFlags: {} }, "constructor")).toBe(false);
    expect(isFlagSet(null, "A")).toBe(false);
  });
});

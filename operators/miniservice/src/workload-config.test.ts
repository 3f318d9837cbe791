import { describe, expect, it } from "vitest";

import { controlConfig } from "./workload-config.js";

const map = (text: string | undefined) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "nvcf-workload-config" },
  data: text === undefined ? {} : { "config.yaml": text },
});

describe("the control ConfigMap", () => {
  it.each<[sentence: string, text: string | undefined, config: unknown, ignored: string[]]>([
    ["without its key says nothing", undefined, null, []],
    ["that is empty says nothing", "", null, []],
    ["that holds null is an empty configuration", "null", {}, []],
    [
      "sets the flag",
      "featureFlags:\n  StatusByWorkerReadiness: true\n",
      { featureFlags: { StatusByWorkerReadiness: true } },
      [],
    ],
    [
      "keeps a flag that is false",
      "featureFlags: {StatusByWorkerReadiness: false}",
      { featureFlags: { StatusByWorkerReadiness: false } },
      [],
    ],
    [
      "is YAML 1.1, in which yes is true",
      "featureFlags: {StatusByWorkerReadiness: yes}",
      { featureFlags: { StatusByWorkerReadiness: true } },
      [],
    ],
    [
      "drops flags that nobody knows, and says which",
      "featureFlags: {X: true, StatusByWorkerReadiness: true}",
      { featureFlags: { StatusByWorkerReadiness: true } },
      ["featureFlags.X"],
    ],
    ["drops keys that nobody knows, and says which", "other: 1", {}, ["other"]],
    ["matches keys exactly", "featureflags: {StatusByWorkerReadiness: true}", {}, ["featureflags"]],
  ])("%s", (_sentence, text, config, ignored) => {
    expect(controlConfig([map(text)])).toEqual({ kind: "decoded", config, ignored });
  });

  it("that is not there means no configuration", () => {
    expect(controlConfig([])).toEqual({ kind: "decoded", config: null, ignored: [] });
  });

  it.each<[sentence: string, maps: ReturnType<typeof map>[], message: RegExp]>([
    [
      "with malformed YAML is refused with the place",
      [map("featureFlags: [")],
      /^decode workload config: .* line 1, column \d+/,
    ],
    [
      "with a flag that is no boolean is refused with the flag",
      [map("featureFlags: {StatusByWorkerReadiness: maybe}")],
      /featureFlags\.StatusByWorkerReadiness must be true or false, not "maybe"/,
    ],
    ["that stands twice is refused", [map(""), map("")], /2 ConfigMaps named nvcf-workload-config/],
    ["that is a list is refused", [map("- a")], /must be a map/],
  ])("%s", (_sentence, maps, message) => {
    const result = controlConfig(maps);
    expect(result.kind).toBe("invalid");
    expect(result.kind === "invalid" ? result.message : "").toMatch(message);
  });
});

import type { JsonObject } from "@fairlead/base";
import { describe, expect, it } from "vitest";

import { claimRefusals, podRefusals, withDefaultResources } from "./limit-rules.js";

const pod = (containers: readonly JsonObject[], initContainers?: readonly JsonObject[]): JsonObject => ({
  kind: "Pod",
  metadata: { name: "p" },
  spec: { containers, ...(initContainers === undefined ? {} : { initContainers }) },
});
const container = (requests: JsonObject, limits: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  name: "c",
  resources: { requests, limits },
  ...more,
});

describe("default resources", () => {
  const limits = [
    { type: "Pod", max: { cpu: "1" } },
    { type: "Container", default: { cpu: "500m" }, defaultRequest: { cpu: "100m", memory: "1Mi" } },
  ];

  it("fill what a container leaves open, and are named in an annotation", () => {
    const filled = withDefaultResources(
      pod([{ name: "a" }, container({ cpu: "1" }, { cpu: "2" })], [{ name: "i" }]),
      limits,
    );
    const all = { limits: { cpu: "500m" }, requests: { cpu: "100m", memory: "1Mi" } };
    expect(filled).toMatchObject({
      metadata: {
        name: "p",
        annotations: {
          "kubernetes.io/limit-ranger":
            "LimitRanger plugin set: cpu, memory request for container a; cpu limit for container a; memory request for container c; cpu, memory request for init container i; cpu limit for init container i",
        },
      },
      spec: {
        containers: [
          { name: "a", resources: all },
          { name: "c", resources: { limits: { cpu: "2" }, requests: { cpu: "1", memory: "1Mi" } } },
        ],
        initContainers: [{ name: "i", resources: all }],
      },
    });
  });

  it("leave alone a pod that lacks none", () => {
    const complete = pod([container({ cpu: "1", memory: "1" }, { cpu: "1" })]);
    expect(withDefaultResources(complete, limits)).toBe(complete);
  });
});

it.each<[what: string, limit: JsonObject, pod: JsonObject, refusals: readonly string[]]>([
  [
    "a request below the minimum",
    { type: "Container", min: { memory: "1Mi" } },
    pod([container({ memory: "512Ki" })]),
    ["minimum memory usage per Container is 1Mi, but request is 512Ki"],
  ],
  [
    "no request where there is a minimum",
    { type: "Container", min: { memory: "1Mi" } },
    pod([container({})]),
    ["minimum memory usage per Container is 1Mi.  No request is specified"],
  ],
  [
    "a limit above the maximum, of an init container too",
    { type: "Container", max: { cpu: "1" } },
    pod([container({}, { cpu: "1" })], [container({ cpu: "1" }, { cpu: "1001m" })]),
    ["maximum cpu usage per Container is 1, but limit is 1001m"],
  ],
  [
    "a limit too far above the request",
    { type: "Container", maxLimitRequestRatio: { cpu: "1500m" } },
    pod([container({ cpu: "1" }, { cpu: "2" })]),
    ["cpu max limit to request ratio per Container is 1500m, but provided ratio is 2.000000"],
  ],
  [
    "containers that are too much together",
    { type: "Pod", max: { cpu: "1" } },
    pod([container({}, { cpu: "600m" }), container({}, { cpu: "600m" })]),
    ["maximum cpu usage per Pod is 1, but limit is 1200m"],
  ],
  [
    "an init container that takes more than the rest, beside a sidecar",
    { type: "Pod", max: { cpu: "1" } },
    pod(
      [container({}, { cpu: "100m" })],
      [container({}, { cpu: "200m" }, { restartPolicy: "Always" }), container({}, { cpu: "900m" })],
    ),
    ["maximum cpu usage per Pod is 1, but limit is 1100m"],
  ],
  [
    "nothing that fits",
    { type: "Pod", min: { cpu: "1" }, max: { cpu: "1" } },
    pod([container({ cpu: "1" }, { cpu: "1" })]),
    [],
  ],
  ["nothing of another type", { type: "PersistentVolumeClaim", min: { cpu: "1" } }, pod([container({})]), []],
])("a limit range refuses %s", (_what, limit, subject, refusals) => {
  expect(podRefusals(subject, [limit])).toEqual(refusals);
});

it("a limit range bounds the storage that a claim asks for", () => {
  const limits = [{ type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } }];
  const claim = (storage: string): JsonObject => ({ spec: { resources: { requests: { storage } } } });
  expect(claimRefusals(claim("1Gi"), limits)).toEqual([]);
  expect(claimRefusals(claim("3Gi"), limits)).toEqual([
    "maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi",
  ]);
  expect(claimRefusals(claim("500Mi"), limits)).toEqual([
    "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 500Mi",
  ]);
});

import { describe, expect, it } from "vitest";
import { cloneJson, deepEqual, type JsonObject } from "@fairlead/base";
import { builtinResources } from "./builtin.js";
import { defaulted, POD, strategyOf, workload } from "./builtin.fixtures.js";

it("knows each kind once", () => {
  const names = builtinResources().map(({ info }) => `${info.group}/${info.version}/${info.kind}`);
  expect(new Set(names).size).toBe(names.length);
  for (const name of [
    "/v1/Pod",
    "apps/v1/Deployment",
    "autoscaling/v1/HorizontalPodAutoscaler",
    "events.k8s.io/v1/Event",
  ])
    expect(names).toContain(name);
});

it("has a schema and as many cells as columns for each kind", () => {
  for (const strategy of builtinResources()) {
    expect(strategy.schema.properties?.size).toBeGreaterThan(0);
    const { group, version, kind } = strategy.info;
    const object = defaulted(`${group}/${version}/${kind}`, { metadata: { name: "x" } });
    expect([kind, strategy.cells(object, { nowMs: 0 }).length]).toEqual([kind, strategy.columns.length]);
  }
});

it("fills in defaults once and for all, whatever the kind", () => {
  for (const { info } of builtinResources()) {
    const name = `${info.group}/${info.version}/${info.kind}`;
    const once = defaulted(name, { metadata: { name: "x" }, spec: {} });
    expect([name, deepEqual(defaulted(name, once), once)]).toEqual([name, true]);
  }
});

describe("defaults", () => {
  it("of a pod are those of its containers too", () => {
    const pod = defaulted("/v1/Pod", {
      ...POD,
      spec: {
        containers: [
          { name: "c", image: "i:v1", ports: [{ containerPort: 80 }], livenessProbe: { httpGet: { port: 80 } } },
        ],
        volumes: [{ name: "v", configMap: { name: "m" } }],
      },
    });
    expect(pod["spec"]).toEqual({
      containers: [
        {
          name: "c",
          image: "i:v1",
          imagePullPolicy: "IfNotPresent",
          livenessProbe: {
            failureThreshold: 3,
            httpGet: { path: "/", port: 80, scheme: "HTTP" },
            periodSeconds: 10,
            successThreshold: 1,
            timeoutSeconds: 1,
          },
          ports: [{ containerPort: 80, protocol: "TCP" }],
          resources: {},
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
        },
      ],
      dnsPolicy: "ClusterFirst",
      enableServiceLinks: true,
      restartPolicy: "Always",
      schedulerName: "default-scheduler",
      securityContext: {},
      terminationGracePeriodSeconds: 30,
      volumes: [{ name: "v", configMap: { defaultMode: 420, name: "m" } }],
    });
  });

  it.each<[image: string, policy: string]>([
    ["nginx", "Always"],
    ["nginx:latest", "Always"],
    ["nginx:1.2", "IfNotPresent"],
    ["registry:5000/nginx", "Always"],
    [`nginx@sha256:${"a".repeat(64)}`, "IfNotPresent"],
  ])("pull %s: %s", (image, policy) => {
    const pod = defaulted("/v1/Pod", { spec: { containers: [{ name: "c", image }] } });
    expect(pod["spec"]).toMatchObject({ containers: [{ imagePullPolicy: policy }] });
  });

  it("take limits for requests that are missing", () => {
    const resources = { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "500m" } };
    const pod = defaulted("/v1/Pod", { spec: { containers: [{ name: "c", image: "i", resources }] } });
    expect(pod["spec"]).toMatchObject({
      containers: [{ resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "500m", memory: "1Gi" } } }],
    });
  });

  it.each<[name: string, object: JsonObject, spec: JsonObject]>([
    [
      "apps/v1/Deployment",
      workload("Deployment"),
      {
        replicas: 1,
        progressDeadlineSeconds: 600,
        revisionHistoryLimit: 10,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      },
    ],
    [
      "apps/v1/StatefulSet",
      workload("StatefulSet", { volumeClaimTemplates: [{ metadata: { name: "d" }, spec: {} }] }),
      {
        podManagementPolicy: "OrderedReady",
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
        volumeClaimTemplates: [
          {
            apiVersion: "v1",
            kind: "PersistentVolumeClaim",
            spec: { volumeMode: "Filesystem" },
            status: { phase: "Pending" },
          },
        ],
      },
    ],
    [
      "apps/v1/DaemonSet",
      workload("DaemonSet"),
      { updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } },
    ],
    [
      "batch/v1/Job",
      { spec: { template: { spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" } } } },
      { parallelism: 1, completions: 1, backoffLimit: 6, completionMode: "NonIndexed", suspend: false },
    ],
    [
      "/v1/Service",
      { spec: { ports: [{ port: 80 }] } },
      {
        ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
        sessionAffinity: "None",
        type: "ClusterIP",
        internalTrafficPolicy: "Cluster",
      },
    ],
    [
      "networking.k8s.io/v1/NetworkPolicy",
      { spec: { podSelector: {}, egress: [{}] } },
      { podSelector: {}, egress: [{}], policyTypes: ["Ingress", "Egress"] },
    ],
    [
      "autoscaling/v2/HorizontalPodAutoscaler",
      { spec: { maxReplicas: 3 } },
      { minReplicas: 1, metrics: [{ type: "Resource" }] },
    ],
  ])("%s", (name, object, spec) => {
    expect(defaulted(name, object)["spec"]).toMatchObject(spec);
  });
});

it("does not change what it shares with the stored object", () => {
  const stored = cloneJson(POD);
  defaulted("/v1/Pod", { ...stored });
  const shared = { ...stored };
  strategyOf("/v1/Pod").applyDefaults(shared);
  expect(stored).toEqual(POD);
});

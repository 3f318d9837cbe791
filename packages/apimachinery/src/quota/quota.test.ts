import type { JsonObject } from "@fairlead/base";
import { describe, expect, it } from "vitest";

import { resourceListOf } from "./amounts.js";
import { quotaCharges } from "./charge.js";
import type { QuotaEvaluator } from "./evaluator.js";
import { countedUsage, isInScopes, quotaEvaluator } from "./quota.js";

function evaluator(group: string, resource: string): QuotaEvaluator {
  const found = quotaEvaluator(group, resource);
  if (found === undefined) throw new Error(`${resource} is not counted`);
  return found;
}

const usageOf = (resource: string, object: JsonObject, nowMs = 0): JsonObject =>
  resourceListOf(evaluator("", resource).usage(object, nowMs));
const pods = evaluator("", "pods");
const container = (requests: JsonObject, more: JsonObject = {}): JsonObject => ({
  name: "app",
  resources: { requests },
  ...more,
});

describe("what a pod uses", () => {
  it("is the sum of its containers, under every name that quotas have for it", () => {
    const resources = {
      requests: { cpu: "300m", memory: "1Gi", "nvidia.com/gpu": "2", "hugepages-2Mi": "4Mi" },
      limits: { cpu: "1", "nvidia.com/gpu": "2", "hugepages-2Mi": "4Mi" },
    };
    const spec = { containers: [{ name: "a", resources }, container({ cpu: "200m", "ephemeral-storage": "1Gi" })] };
    expect(usageOf("pods", { spec })).toEqual({
      "count/pods": "1",
      pods: "1",
      cpu: "500m",
      "requests.cpu": "500m",
      "limits.cpu": "1",
      memory: "1Gi",
      "requests.memory": "1Gi",
      "ephemeral-storage": "1Gi",
      "requests.ephemeral-storage": "1Gi",
      "requests.nvidia.com/gpu": "2",
      "hugepages-2Mi": "4Mi",
      "requests.hugepages-2Mi": "4Mi",
    });
  });

  it("is what starting it takes where that is more; sidecars stay, and the overhead comes on top", () => {
    const spec = {
      containers: [container({ cpu: "100m" })],
      initContainers: [container({ cpu: "200m" }, { restartPolicy: "Always" }), container({ cpu: "500m" })],
      overhead: { cpu: "50m" },
    };
    expect(usageOf("pods", { spec })["cpu"]).toBe("750m");
    const light = { ...spec, initContainers: spec.initContainers.slice(0, 1) };
    expect(usageOf("pods", { spec: light })["cpu"]).toBe("350m");
  });

  it("is what the pod says as a whole, where it does", () => {
    const spec = { containers: [container({ cpu: "100m", memory: "1Mi" })], resources: { requests: { cpu: "2" } } };
    expect(usageOf("pods", { spec })).toMatchObject({ cpu: "2", memory: "1Mi" });
  });

  it("is the larger amount while a container is resized", () => {
    const status = { containerStatuses: [{ name: "app", resources: { requests: { cpu: "900m" } } }] };
    expect(usageOf("pods", { spec: { containers: [container({ cpu: "100m" })] }, status })["cpu"]).toBe("900m");
  });

  it("is one object alone when it has ended, or is long overdue for deletion", () => {
    const spec = { containers: [container({ cpu: "1" })] };
    const deleted = { deletionTimestamp: "1970-01-01T00:00:10Z", deletionGracePeriodSeconds: 5 };
    expect(usageOf("pods", { spec, status: { phase: "Succeeded" } })).toEqual({ "count/pods": "1" });
    expect(usageOf("pods", { spec, metadata: deleted }, 15_001)).toEqual({ "count/pods": "1" });
    expect(usageOf("pods", { spec, metadata: deleted }, 15_000)["pods"]).toBe("1");
  });
});

it("a Service uses node ports by its type, whether they are given yet or not", () => {
  const ports = [{ port: 80 }, { port: 81, nodePort: 30000 }];
  const used = (spec: JsonObject): unknown[] => {
    const usage = usageOf("services", { spec: { ports, ...spec } });
    return [usage["services"], usage["services.nodeports"], usage["services.loadbalancers"]];
  };
  expect(used({ type: "ClusterIP" })).toEqual(["1", "0", "0"]);
  expect(used({ type: "NodePort" })).toEqual(["1", "2", "0"]);
  expect(used({ type: "LoadBalancer" })).toEqual(["1", "2", "1"]);
  expect(used({ type: "LoadBalancer", allocateLoadBalancerNodePorts: false })).toEqual(["1", "1", "1"]);
});

it("a claim uses storage in whole bytes, of its class as well, and what was allocated where that is more", () => {
  const spec = { storageClassName: "gold", resources: { requests: { storage: "1500m" } } };
  expect(usageOf("persistentvolumeclaims", { spec })).toEqual({
    persistentvolumeclaims: "1",
    "requests.storage": "2",
    "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "1",
    "gold.storageclass.storage.k8s.io/requests.storage": "2",
    "count/persistentvolumeclaims": "1",
  });
  const status = { allocatedResources: { storage: "1Gi" } };
  expect(usageOf("persistentvolumeclaims", { spec, status })["requests.storage"]).toBe("1Gi");
});

it("other objects are counted by resource and group, a few by their bare name, and Events not at all", () => {
  expect(resourceListOf(evaluator("apps", "deployments").usage({}, 0))).toEqual({ "count/deployments.apps": "1" });
  expect(usageOf("secrets", {})).toEqual({ "count/secrets": "1", secrets: "1" });
  expect(quotaEvaluator("", "events")).toBeUndefined();
});

describe("scopes", () => {
  const inScope = (pod: JsonObject, spec: JsonObject): boolean => isInScopes(pods, { spec }, pod);
  const byClass = (operator: string, ...values: string[]): JsonObject => ({
    scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator, values }] },
  });

  it("tell pods apart by deadline and quality of service", () => {
    const job = { spec: { activeDeadlineSeconds: 0, containers: [container({ cpu: "1" })] } };
    const idle = { spec: { containers: [container({ "nvidia.com/gpu": "1" })] } };
    expect(inScope(job, { scopes: ["Terminating", "NotBestEffort"] })).toBe(true);
    expect(inScope(job, { scopes: ["Terminating", "BestEffort"] })).toBe(false);
    expect(inScope(idle, { scopes: ["NotTerminating", "BestEffort"] })).toBe(true);
  });

  it("select by priority class", () => {
    const high = { spec: { priorityClassName: "high" } };
    expect(inScope(high, byClass("In", "high", "higher"))).toBe(true);
    expect(inScope(high, byClass("NotIn", "high"))).toBe(false);
    expect(inScope({ spec: {} }, byClass("NotIn", "high"))).toBe(true);
    expect(inScope({ spec: {} }, byClass("Exists"))).toBe(false);
    expect(inScope({ spec: {} }, byClass("DoesNotExist"))).toBe(true);
  });

  it("find affinity to pods of other namespaces", () => {
    const term = { topologyKey: "zone", namespaceSelector: {} };
    const preferred = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }] };
    const scopes = ["CrossNamespacePodAffinity"];
    expect(inScope({ spec: { affinity: { podAntiAffinity: preferred } } }, { scopes })).toBe(true);
    expect(inScope({ spec: {} }, { scopes })).toBe(false);
  });

  it("keep everything but pods and claims out", () => {
    expect(isInScopes(evaluator("", "services"), { spec: { scopes: ["NotBestEffort"] } }, {})).toBe(false);
  });
});

describe("a charge", () => {
  const quota = (name: string, hard: JsonObject, used: JsonObject): JsonObject => ({
    metadata: { name },
    status: { hard, used },
  });
  const change = (object: JsonObject, oldObject?: JsonObject) => ({ object, oldObject, nowMs: 0, lenient: false });
  const why = (quotas: readonly JsonObject[], object: JsonObject): string | undefined => {
    const charges = quotaCharges(pods, quotas, change(object));
    return charges.kind === "refused" ? charges.why : undefined;
  };

  it("is refused to a pod with a container that does not say what it needs, before anything is counted", () => {
    const spec = {
      containers: [
        { name: "b", resources: {} },
        { name: "a", resources: {} },
      ],
      initContainers: [container({ memory: "1" })],
    };
    const full = quota("full", { pods: "0" }, { pods: "0" });
    const compute = quota("compute", { "requests.cpu": "1", memory: "1" }, { "requests.cpu": "0", memory: "0" });
    expect(why([full, compute], { spec })).toBe(
      "failed quota: compute: must specify memory for: a,b; requests.cpu for: a,app,b",
    );
  });

  it("is refused while the use of something is not known", () => {
    expect(why([quota("q", { pods: "1", "count/pods": "1" }, {})], { spec: {} })).toBe(
      "status unknown for quota: q, resources: count/pods,pods",
    );
  });

  it("is refused beyond what is left, told of what exceeds it alone", () => {
    const tight = quota("q", { pods: "5", cpu: "1", secrets: "0" }, { pods: "1", cpu: "600m", secrets: "0" });
    expect(why([tight], { spec: { containers: [container({ cpu: "500m" })] } })).toBe(
      "exceeded quota: q, requested: cpu=500m, used: cpu=600m, limited: cpu=1",
    );
  });

  it("of an update is what it adds, and nothing when it takes less", () => {
    const size = (cpu: string): JsonObject => ({ spec: { containers: [container({ cpu })] } });
    const charges = (next: JsonObject, old: JsonObject) =>
      quotaCharges(pods, [quota("q", { pods: "1", cpu: "1" }, { pods: "1", cpu: "600m" })], change(next, old));
    expect(charges(size("200m"), size("600m"))).toEqual({ kind: "charged", added: [new Map()] });
    expect(charges(size("1500m"), size("600m"))).toMatchObject({
      why: "exceeded quota: q, requested: cpu=900m, used: cpu=600m, limited: cpu=1",
    });
  });
});

it("usage is summed over the objects in a quota's scopes, from zero", () => {
  const quota = { spec: { scopes: ["Terminating"] } };
  const job = { spec: { activeDeadlineSeconds: 5, containers: [container({ cpu: "300m" })] } };
  const other = { spec: { containers: [container({ cpu: "1" })] } };
  const names = ["cpu", "limits.cpu", "secrets"];
  const used = countedUsage(pods, quota, { names, objects: [job, other, job], nowMs: 0 });
  expect(resourceListOf(used)).toEqual({ cpu: "600m", "limits.cpu": "0" });
});

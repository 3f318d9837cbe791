import { builtinSchema } from "@fairlead/apimachinery";
import { decodeNumbers, parseJson, type JsonObject } from "@fairlead/base";
import { systemClock } from "@fairlead/base/node";
import { applyConfiguration, trackUpdate, TypeCache, type ManagerContext } from "@fairlead/ssa";

import { median, rounded, type Bench, type Figure } from "./figure.js";

const ROUNDS = 200;
const BATCHES = 15;
const WARM_UP = 5;

/**
 * A 4 KB Deployment applied by a second manager onto a live object that three managers share, field management alone;
 * beside parsing and writing the live object. Every body is another text and another object, and every apply starts
 * from the object that the one before it stored.
 */
export const ssaApply: Bench = { name: "ssa-apply", measure: () => Promise.resolve(figure("ssa-apply", 1.5, true)) };

/** The same with a body that says what it said before. */
export const ssaApplyNoOp: Bench = {
  name: "ssa-apply-no-op",
  measure: () => Promise.resolve(figure("ssa-apply-no-op", 1.2, false)),
};

function figure(name: string, goal: number, changes: boolean): Figure {
  const [apply, json]: [number[], number[]] = [[], []];
  let live = shared();
  for (let batch = 0; batch < BATCHES + WARM_UP; batch++) {
    const bodies = Array.from({ length: ROUNDS }, (_, i) => bodyOf(changes ? batch * ROUNDS + i : 0));
    const began = systemClock.monotonic();
    for (const config of bodies) live = applied("second", live, config);
    const applyMs = (systemClock.monotonic() - began) / ROUNDS;
    const jsonMs = jsonTime(live);
    if (batch < WARM_UP) continue;
    apply.push(applyMs);
    json.push(jsonMs);
  }
  const [applyMs, jsonMs] = [median(apply), median(json)];
  return {
    name,
    value: applyMs / jsonMs,
    unit: "ratio",
    goal,
    better: "lower",
    detail: {
      applyMs: rounded(applyMs),
      jsonMs: rounded(jsonMs),
      bodyBytes: JSON.stringify(bodyOf(0)).length,
      liveBytes: JSON.stringify(live).length,
      managers: (live["metadata"] as { managedFields: readonly unknown[] }).managedFields.length,
      runs: BATCHES * ROUNDS,
    },
  };
}

/** Milliseconds to parse and write the live object once, on average. */
function jsonTime(live: JsonObject): number {
  const text = JSON.stringify(live);
  const began = systemClock.monotonic();
  let length = 0;
  for (let round = 0; round < ROUNDS; round++) length += JSON.stringify(JSON.parse(text)).length;
  const took = (systemClock.monotonic() - began) / ROUNDS;
  if (length !== text.length * ROUNDS) throw new Error("JSON came back different");
  return took;
}

const schema = builtinSchema("apps.v1.Deployment");
const types = new TypeCache();
let seconds = 0;

function context(subresource = ""): ManagerContext {
  seconds++;
  return {
    gvk: { group: "apps", version: "v1", kind: "Deployment" },
    schemaFor: (apiVersion) => (apiVersion === "apps/v1" ? schema : undefined),
    convert: (object) => object,
    subresource,
    builtin: true,
    types,
    applyDefaults: () => undefined,
    now: new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString().replace(".000", ""),
  };
}

const applied = (manager: string, live: JsonObject | undefined, config: JsonObject): JsonObject =>
  applyConfiguration(context(), { live, config, manager, force: false });

/** The Deployment as two appliers and a controller that writes its status leave it. */
function shared(): JsonObject {
  const [full, { metadata, ...rest }] = [bodyOf(0), bodyOf(0)];
  const { annotations: _annotations, ...own } = metadata as JsonObject;
  const first = applied("first", undefined, { ...rest, metadata: own });
  const second = applied("second", first, full);
  const uid = { ...(second["metadata"] as JsonObject), uid: "3f0c2a6e-0000-4000-8000-000000000001" };
  const status = { observedGeneration: 1, replicas: 3, readyReplicas: 3, updatedReplicas: 3, availableReplicas: 3 };
  const live = { ...second, metadata: uid };
  return trackUpdate(context("status"), { live, next: { ...live, status }, manager: "kube-controller-manager" });
}

/** A body of 4 KB; `variation` changes an annotation, which nobody else owns. */
function bodyOf(variation: number): JsonObject {
  const env = Array.from({ length: 24 }, (_, i) => ({
    name: `VARIABLE_NUMBER_${i}`,
    value: `the value of variable number ${i}, such as it is`,
  }));
  const labels = { app: "web", "app.kubernetes.io/name": "web", "app.kubernetes.io/part-of": "shop" };
  const probe = { httpGet: { path: "/healthz", port: 8080 }, periodSeconds: 10, timeoutSeconds: 1 };
  const resources = { requests: { cpu: "100m", memory: "128Mi" }, limits: { cpu: "1", memory: "512Mi" } };
  const mounts = ["config", "cache", "tmp"].map((name) => ({ name, mountPath: `/var/lib/web/${name}` }));
  const container = (name: string, port: number, own: JsonObject): JsonObject => ({
    name,
    image: `registry.example/shop/${name}:1.2.3`,
    ports: [{ name: "http", containerPort: port, protocol: "TCP" }],
    resources,
    readinessProbe: probe,
    livenessProbe: probe,
    volumeMounts: mounts,
    ...own,
  });
  const spec = {
    serviceAccountName: "web",
    securityContext: { runAsNonRoot: true, runAsUser: 1000 },
    containers: [container("web", 8080, { env, args: ["--verbose", "--listen=:8080"] }), container("proxy", 8081, {})],
    volumes: [
      { name: "config", configMap: { name: "web" } },
      { name: "cache", emptyDir: {} },
      { name: "tmp", emptyDir: { sizeLimit: "1Gi" } },
    ],
    tolerations: [{ key: "dedicated", operator: "Equal", value: "web", effect: "NoSchedule" }],
  };
  return decodeNumbers(
    parseJson(
      JSON.stringify({
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: {
          name: "web",
          namespace: "default",
          labels,
          annotations: { "shop.example/release": `r${variation}` },
        },
        spec: {
          replicas: 3,
          selector: { matchLabels: { app: "web" } },
          strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
          template: { metadata: { labels }, spec },
        },
      }),
    ),
  ) as JsonObject;
}

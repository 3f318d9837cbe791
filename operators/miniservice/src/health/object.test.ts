import type { JsonObject } from "@fairlead/base";
import { describe, expect, it } from "vitest";

import { DEFAULT_LIMITS } from "../limits.js";
import { objectHealth, type ObservedObject } from "./object.js";

const at = { nowMs: Date.UTC(2026, 10, 30), limits: DEFAULT_LIMITS };
const observed = (live: JsonObject | undefined, events: ObservedObject["events"] = []): ObservedObject => ({
  live,
  wanted: live ?? { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d" } },
  children: [],
  events,
});
const object = (apiVersion: string, kind: string, rest: object): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name: "d", generation: 1 },
  ...rest,
});

describe("an object's health", () => {
  it.each<[sentence: string, live: JsonObject, health: object]>([
    [
      "of a Deployment is good when all are available",
      object("apps/v1", "Deployment", {
        spec: { replicas: 2 },
        status: { observedGeneration: 1, replicas: 2, availableReplicas: 2 },
      }),
      { state: "good" },
    ],
    [
      "of a Deployment is pending while some are not",
      object("apps/v1", "Deployment", {
        spec: { replicas: 2 },
        status: { observedGeneration: 1, replicas: 2, availableReplicas: 1 },
      }),
      { state: "pending", reason: "1 of 2 available" },
    ],
    [
      "of a Deployment is scheduling while pods are missing",
      object("apps/v1", "Deployment", { spec: { replicas: 2 }, status: { observedGeneration: 1, replicas: 1 } }),
      { state: "scheduling" },
    ],
    [
      "of a Deployment that nobody has looked at is not good",
      object("apps/v1", "Deployment", { spec: { replicas: 0 }, status: {} }),
      { state: "pending" },
    ],
    [
      "of a Deployment is bad past its deadline",
      object("apps/v1", "Deployment", {
        spec: {},
        status: { conditions: [{ type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" }] },
      }),
      { state: "bad", reason: "ProgressDeadlineExceeded" },
    ],
    [
      "of a DaemonSet is good when each node has one",
      object("apps/v1", "DaemonSet", {
        status: { observedGeneration: 1, desiredNumberScheduled: 3, numberAvailable: 3 },
      }),
      { state: "good" },
    ],
    ["of a DaemonSet that nobody has looked at is pending", object("apps/v1", "DaemonSet", {}), { state: "pending" }],
    [
      "of a Job is good when it is complete",
      object("batch/v1", "Job", { status: { conditions: [{ type: "Complete", status: "True" }] } }),
      { state: "good" },
    ],
    [
      "of a Job is bad when it has failed",
      object("batch/v1", "Job", {
        status: { conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }] },
      }),
      { state: "bad", reason: "BackoffLimitExceeded" },
    ],
    ["of a Job is pending while it runs", object("batch/v1", "Job", { status: { active: 1 } }), { state: "pending" }],
    ["of an unknown kind is good when it exists", object("x.dev/v1", "Gadget", {}), { state: "good" }],
    [
      "of an unknown kind is bad when a condition says so",
      object("x.dev/v1", "Gadget", {
        status: { conditions: [{ type: "Degraded", status: "True", reason: "Broken" }] },
      }),
      { state: "bad", reason: "Broken" },
    ],
  ])("%s", (_sentence, live, health) => {
    expect(objectHealth(observed(live), at)).toMatchObject(health);
  });

  it("is bad when the object is not there", () => {
    expect(objectHealth(observed(undefined), at)).toMatchObject({
      state: "bad",
      id: "apps/v1.Deployment d",
      reason: 'Deployment "d" not found',
    });
  });

  it("is bad when a warning tells that its pods cannot be made", () => {
    const live = object("apps/v1", "ReplicaSet", { spec: { replicas: 1 }, status: { observedGeneration: 1 } });
    expect(objectHealth(observed(live, [{ reason: "FailedCreate", message: "quota" }]), at)).toMatchObject({
      state: "bad",
      reason: "terminal error event(s)",
    });
  });
});

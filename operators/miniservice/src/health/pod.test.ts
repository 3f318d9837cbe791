import { describe, expect, it } from "vitest";

import type { kinds } from "@fairlead/client";

import { DEFAULT_LIMITS } from "../limits.js";
import { podHealth } from "./pod.js";

const NOW = Date.UTC(2026, 10, 30, 12);
const ago = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString().replace(".000Z", "Z");
const condition = (type: string, status: string, minutes = 1, reason?: string) => ({
  type,
  status,
  lastTransitionTime: ago(minutes),
  ...(reason === undefined ? {} : { reason }),
});
const pod = (status: object, spec: object = {}): kinds.Pod => ({
  metadata: { name: "p", creationTimestamp: ago(600) },
  spec: { containers: [], ...spec },
  status,
});
const UNREADY = [
  condition("PodScheduled", "True"),
  condition("Initialized", "True"),
  condition("Ready", "False", 1),
  condition("ContainersReady", "False", 1, "ContainersNotReady"),
];
const unreadyFor = (minutes: number) => [
  condition("PodScheduled", "True"),
  condition("Initialized", "True"),
  condition("Ready", "False", minutes),
  condition("ContainersReady", "False", minutes, "ContainersNotReady"),
];

describe("a pod's health", () => {
  it.each<[sentence: string, status: object, health: object, spec?: object]>([
    [
      "is good when it is ready",
      { phase: "Running", startTime: ago(5), conditions: [condition("Ready", "True")] },
      { status: "running", state: "good" },
    ],
    [
      "is pending while it starts",
      { phase: "Running", startTime: ago(1), conditions: UNREADY },
      { status: "starting", state: "pending" },
    ],
    [
      "is scheduling while it has no node",
      { phase: "Pending", conditions: [condition("PodScheduled", "False", 5)] },
      { status: "scheduling", state: "scheduling" },
    ],
    [
      "is bad when it has had no node for ten minutes",
      { phase: "Pending", conditions: [condition("PodScheduled", "False", 10)] },
      { status: "container-stuck", reason: "PodStuckScheduling", state: "bad" },
    ],
    [
      "is pending while its containers are created",
      {
        phase: "Pending",
        startTime: ago(1),
        conditions: [condition("PodScheduled", "True"), condition("Initialized", "True")],
        containerStatuses: [{ name: "c", state: { waiting: { reason: "ContainerCreating" } } }],
      },
      { status: "starting", reason: "ContainerCreating", state: "pending" },
    ],
    [
      "is bad when an image cannot be pulled for a minute",
      {
        phase: "Pending",
        startTime: ago(2),
        conditions: [condition("PodScheduled", "True"), condition("Initialized", "True")],
        containerStatuses: [{ name: "c", state: { waiting: { reason: "imagepullbackoff" } } }],
      },
      { status: "image-pull-issues", state: "bad", containers: ["c"] },
    ],
    [
      "is pending in the first minute of a pull",
      {
        phase: "Pending",
        startTime: ago(0.5),
        conditions: [condition("PodScheduled", "True"), condition("Initialized", "True")],
        containerStatuses: [{ name: "c", state: { waiting: { reason: "ErrImagePull" } } }],
      },
      { state: "pending" },
    ],
    [
      "is bad when its init containers take two hours",
      {
        phase: "Pending",
        startTime: ago(120),
        conditions: [condition("PodScheduled", "True"), condition("Initialized", "False")],
      },
      { status: "container-stuck", reason: "ContainerStuckAfterThreshold", state: "bad" },
    ],
    [
      "is bad when a container restarts again and again",
      {
        phase: "Running",
        startTime: ago(11),
        conditions: UNREADY,
        containerStatuses: [{ name: "c", ready: false, restartCount: 3 }],
      },
      { reason: "ContainersInRestartLoop", state: "bad", containers: ["c"] },
    ],
    [
      "tolerates restarts in the first ten minutes",
      {
        phase: "Running",
        startTime: ago(9),
        conditions: UNREADY,
        containerStatuses: [{ name: "c", ready: false, restartCount: 9 }],
      },
      { state: "pending" },
    ],
    [
      "is degraded half an hour after it was last ready",
      {
        phase: "Running",
        startTime: ago(200),
        conditions: unreadyFor(30),
        containerStatuses: [{ name: "c", ready: false, restartCount: 0 }],
      },
      { status: "degraded-worker", reason: "ContainersNotReady", state: "bad", containers: ["c"] },
    ],
    [
      "may take two hours to start",
      { phase: "Running", startTime: ago(60), conditions: unreadyFor(60) },
      { state: "pending" },
    ],
    [
      "is degraded when it has taken two hours to start",
      { phase: "Running", startTime: ago(120), conditions: unreadyFor(120) },
      { status: "degraded-worker", state: "bad" },
    ],
    [
      "is degraded at once when it never restarts and a container failed",
      {
        phase: "Running",
        startTime: ago(1),
        conditions: UNREADY,
        containerStatuses: [{ name: "c", state: { terminated: { exitCode: 3 } } }],
      },
      { status: "degraded-worker", state: "bad", containers: ["c"] },
      { restartPolicy: "Never" },
    ],
    ["is good when it has succeeded", { phase: "Succeeded" }, { status: "succeeded", state: "good" }],
    [
      "is bad when it has failed",
      { phase: "Failed", reason: "Evicted" },
      { status: "failed", reason: "Evicted", state: "bad" },
    ],
    [
      "is stuck when a node refused it",
      { phase: "Failed", reason: "UnexpectedAdmissionError" },
      { status: "container-stuck", state: "bad" },
    ],
  ])("%s", (_sentence, status, health, spec) => {
    expect(podHealth(pod(status, spec), { nowMs: NOW, limits: DEFAULT_LIMITS })).toMatchObject(health);
  });
});

import { formatTime, parseTime } from "@fairlead/base";
import { type kinds } from "@fairlead/client";

import { ANNOTATIONS, type Delays } from "../options.js";

/**
 * A pod's status as a function of how long ago it was started: the whole life of a simulated pod. Nothing is remembered
 * between two looks, so a kubelet that was away catches up at once.
 */
export interface Lifetime {
  readonly status: kinds.PodStatus;
  /** Milliseconds until the status changes by itself; undefined when it does not. */
  readonly nextMs: number | undefined;
}

export interface LifecycleInput {
  readonly pod: kinds.Pod;
  readonly nowMs: number;
  readonly startedMs: number;
  readonly delays: Delays;
  readonly podIP: string;
  readonly hostIP: string;
  /** Whether what the pod's readiness depends on outside of it is there; true by default. */
  readonly backed?: boolean;
}

interface Step {
  /** Milliseconds after the start at which it ends; Infinity for what lasts. */
  readonly until: number;
}

type ContainerStatus = NonNullable<kinds.PodStatus["containerStatuses"]>[number];

/** The status at a moment. */
export function lifetime(input: LifecycleInput): Lifetime {
  const { pod, nowMs, startedMs } = input;
  const plan = planOf(input);
  const age = nowMs - startedMs;
  const inits = (pod.spec?.initContainers ?? []).map((c, i) =>
    initStatus(c, { input, age, from: plan.inits[i]?.from ?? 0, until: plan.inits[i]?.until ?? 0 }),
  );
  const initialized = age >= plan.initialized;
  const containers = (pod.spec?.containers ?? []).map((c) => containerStatus(c, { input, age, plan }));
  const ended = age >= plan.ended;
  const ready = age >= plan.ready && !ended && input.backed !== false;
  const phase: kinds.PodPhase = ended
    ? plan.exitCode === 0
      ? "Succeeded"
      : "Failed"
    : initialized && age >= plan.running && !plan.pullFails
      ? "Running"
      : "Pending";
  const next = [
    ...plan.inits.flatMap((s) => [s.from, s.until]),
    plan.initialized,
    plan.running,
    plan.ready,
    plan.ended,
  ].filter((t) => t > age && Number.isFinite(t));
  return {
    status: {
      phase,
      conditions: conditions(input, { initialized, ready, ended, plan }),
      hostIP: input.hostIP,
      hostIPs: [{ ip: input.hostIP }],
      podIP: input.podIP,
      podIPs: [{ ip: input.podIP }],
      startTime: formatTime(startedMs),
      ...(inits.length === 0 ? {} : { initContainerStatuses: inits }),
      containerStatuses: containers,
    },
    nextMs: next.length === 0 ? undefined : Math.min(...next) - age,
  };
}

interface LifePlan {
  readonly inits: readonly { readonly from: number; readonly until: number }[];
  readonly initialized: number;
  readonly running: number;
  readonly ready: number;
  readonly ended: number;
  readonly exitCode: number;
  readonly pullFails: boolean;
}

/** When what happens, in milliseconds after the start. */
function planOf({ pod, delays }: LifecycleInput): LifePlan {
  const notes = pod.metadata.annotations ?? {};
  const note = (key: string): number | undefined => (notes[key] === undefined ? undefined : Number(notes[key]));
  let at = delays.startMs;
  const inits = (pod.spec?.initContainers ?? []).map((container) => {
    const from = at;
    if (container.restartPolicy !== "Always") at += delays.initMs;
    return { from, until: container.restartPolicy === "Always" ? Infinity : at };
  });
  const initialized = inits.length === 0 ? 0 : at;
  const pullFails = notes[ANNOTATIONS.imagePullFails] === "true";
  const running = pullFails ? Infinity : at;
  const ready =
    notes[ANNOTATIONS.neverReady] === "true" ? Infinity : running + (note(ANNOTATIONS.readyMs) ?? delays.readyMs);
  const runs =
    note(ANNOTATIONS.runMs) ?? ((pod.spec?.restartPolicy ?? "Always") === "Always" ? Infinity : delays.runMs);
  return {
    inits,
    initialized,
    running,
    ready,
    ended: running + runs,
    exitCode: note(ANNOTATIONS.exitCode) ?? 0,
    pullFails,
  };
}

function initStatus(
  container: kinds.Container,
  { input, age, from, until }: { input: LifecycleInput; age: number } & Step & { from: number },
): ContainerStatus {
  const common = {
    name: container.name,
    image: container.image ?? "",
    imageID: imageId(container.image),
    restartCount: 0,
  };
  const startedAt = formatTime(input.startedMs + from);
  if (age >= until) {
    return {
      ...common,
      ready: true,
      started: false,
      containerID: containerId(input, container),
      state: {
        terminated: { exitCode: 0, reason: "Completed", startedAt, finishedAt: formatTime(input.startedMs + until) },
      },
    };
  }
  if (age >= from)
    return {
      ...common,
      ready: until === Infinity,
      started: true,
      containerID: containerId(input, container),
      state: { running: { startedAt } },
    };
  return { ...common, ready: false, started: false, state: { waiting: { reason: "PodInitializing" } } };
}

function containerStatus(
  container: kinds.Container,
  { input, age, plan }: { input: LifecycleInput; age: number; plan: LifePlan },
): ContainerStatus {
  const common = {
    name: container.name,
    image: container.image ?? "",
    imageID: imageId(container.image),
    restartCount: 0,
  };
  const startedAt = formatTime(input.startedMs + (Number.isFinite(plan.running) ? plan.running : 0));
  if (age >= plan.ended) {
    const finishedAt = formatTime(input.startedMs + plan.ended);
    return {
      ...common,
      ready: false,
      started: false,
      containerID: containerId(input, container),
      state: {
        terminated: {
          exitCode: plan.exitCode,
          reason: plan.exitCode === 0 ? "Completed" : "Error",
          startedAt,
          finishedAt,
        },
      },
    };
  }
  if (age >= plan.running)
    return {
      ...common,
      ready: age >= plan.ready && input.backed !== false,
      started: true,
      containerID: containerId(input, container),
      state: { running: { startedAt } },
    };
  if (plan.pullFails && age >= plan.initialized) {
    return {
      ...common,
      ready: false,
      started: false,
      imageID: "",
      state: {
        waiting: {
          reason: "ImagePullBackOff",
          message: `Back-off pulling image ${JSON.stringify(container.image ?? "")}`,
        },
      },
    };
  }
  const reason = age < plan.initialized ? "PodInitializing" : "ContainerCreating";
  return { ...common, ready: false, started: false, imageID: "", state: { waiting: { reason } } };
}

type Condition = NonNullable<kinds.PodStatus["conditions"]>[number];

function conditions(
  { pod, nowMs }: LifecycleInput,
  { initialized, ready, ended, plan }: { initialized: boolean; ready: boolean; ended: boolean; plan: LifePlan },
): readonly Condition[] {
  const before = pod.status?.conditions ?? [];
  const gates = (pod.spec?.readinessGates ?? []).every(
    (g) => before.find((c) => c.type === g.conditionType)?.status === "True",
  );
  const notReady = ended
    ? plan.exitCode === 0
      ? { reason: "PodCompleted" }
      : { reason: "PodFailed" }
    : { reason: "ContainersNotReady", message: unready(pod) };
  const wanted: readonly Omit<Condition, "lastProbeTime" | "lastTransitionTime">[] = [
    { type: "PodReadyToStartContainers", status: ended ? "False" : "True" },
    initialized || ended
      ? { type: "Initialized", status: "True", ...(ended && plan.exitCode === 0 ? { reason: "PodCompleted" } : {}) }
      : {
          type: "Initialized",
          status: "False",
          reason: "ContainersNotInitialized",
          message: `containers with incomplete status: [${(pod.spec?.initContainers ?? []).map((c) => c.name).join(" ")}]`,
        },
    ready && gates
      ? { type: "Ready", status: "True" }
      : ready
        ? { type: "Ready", status: "False", reason: "ReadinessGatesNotReady" }
        : { type: "Ready", status: "False", ...notReady },
    ready ? { type: "ContainersReady", status: "True" } : { type: "ContainersReady", status: "False", ...notReady },
    { type: "PodScheduled", status: "True" },
  ];
  const ours = new Set(wanted.map((c) => c.type));
  return [
    ...wanted.map((condition): Condition => {
      const old = before.find((c) => c.type === condition.type);
      const since = old?.status === condition.status ? old.lastTransitionTime : undefined;
      return { ...condition, lastTransitionTime: since ?? formatTime(nowMs) };
    }),
    ...before.filter((c) => !ours.has(c.type)),
  ];
}

function unready(pod: kinds.Pod): string {
  return `containers with unready status: [${(pod.spec?.containers ?? []).map((c) => c.name).join(" ")}]`;
}

function imageId(image: string | undefined): string {
  return image === undefined ? "" : `docker.io/library/${image}`;
}

function containerId({ pod }: LifecycleInput, container: kinds.Container): string {
  return `sim://${pod.metadata.uid ?? ""}/${container.name}`;
}

/** When a pod was started, if it was. */
export function startedMs(pod: kinds.Pod): number | undefined {
  return parseTime(pod.status?.startTime);
}

import { deepEqual } from "@fairlead/base";
import { kinds, mergeStatus } from "@fairlead/client";
import {
  after,
  defineController,
  settled,
  watch,
  type Context,
  type ControllerDefinition,
  type Outcome,
} from "@fairlead/runtime";

import { ANNOTATIONS, type Delays } from "../options.js";
import { lifetime, startedMs } from "./lifecycle.js";
import { missingReference } from "./references.js";

const MISSING_RETRY_MS = 2000;
/** Later than any simulation lasts. */
const NEVER_MS = 365 * 86_400_000;

/** The kubelets of all simulated nodes: they walk the pods that are bound to them through their lives, and end them. */
export function kubelet(options: {
  readonly nodes: ReadonlySet<string>;
  readonly delays: Delays;
}): ControllerDefinition {
  const starts = new Map<string, number>();
  const deaths = new Map<string, number>();
  return defineController<kinds.Pod>({
    name: "kubelet",
    fieldManager: "kubelet",
    for: kinds.Pod,
    runs: "everywhere",
    reads: [kinds.Node],
    watches: [
      watch(kinds.EndpointSlice, (slice, stores) =>
        stores
          .store(kinds.Pod)
          .list()
          .filter((pod) => dependsOn(pod, slice))
          .map(keyOf),
      ),
    ],
    concurrency: 16,
    gone: () => undefined,
    reconcile: async (pod, ctx) => {
      const uid = pod.metadata.uid ?? "";
      const node = pod.spec?.nodeName;
      if (node === undefined || !options.nodes.has(node)) return settled();
      if (pod.metadata.deletionTimestamp !== undefined)
        return end(pod, ctx, { delays: options.delays, starts, deaths });
      if (pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed") return settled();
      return live(pod, ctx, { delays: options.delays, starts, uid });
    },
  });
}

async function live(
  pod: kinds.Pod,
  ctx: Context<kinds.Pod>,
  { delays, starts, uid }: { delays: Delays; starts: Map<string, number>; uid: string },
): Promise<Outcome> {
  const nowMs = ctx.clock.now();
  if (!isRunning(pod)) {
    const missing = await missingReference(pod, ctx);
    if (missing !== undefined) {
      starts.delete(uid);
      ctx.event({ type: "Warning", reason: missing.reason, message: missing.message });
      await write(pod, waitingStatus(pod, missing.waiting, ctx), ctx);
      return after(MISSING_RETRY_MS);
    }
  }
  // The wire has whole seconds; what this process started itself it knows better.
  const started = starts.get(uid) ?? (isRunning(pod) || !isHeld(pod) ? startedMs(pod) : undefined) ?? nowMs;
  starts.set(uid, started);
  const hostIP = nodeAddress(ctx, pod.spec?.nodeName ?? "");
  const { status, nextMs } = lifetime({
    pod,
    nowMs,
    startedMs: started,
    delays,
    podIP: pod.status?.podIP ?? freeAddress(pod, ctx),
    hostIP,
    backed: isBacked(pod, ctx),
  });
  await write(pod, status, ctx);
  return nextMs === undefined ? settled() : after(Math.max(nextMs, 1));
}

/** A pod that was deleted: its containers stop, and the pod goes. */
async function end(
  pod: kinds.Pod,
  ctx: Context<kinds.Pod>,
  { delays, starts, deaths }: { delays: Delays; starts: Map<string, number>; deaths: Map<string, number> },
): Promise<Outcome> {
  const uid = pod.metadata.uid ?? "";
  const now = ctx.clock.monotonic();
  const since = deaths.get(uid) ?? now;
  deaths.set(uid, since);
  const graceMs = (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  const left = since + Math.min(graceMs, delays.stopMs) - now;
  if (left > 0) return after(left);
  starts.delete(uid);
  deaths.delete(uid);
  if ((pod.metadata.finalizers ?? []).length === 0 || graceMs > 0) {
    await ctx.client
      .api(kinds.Pod)
      .deleteObject(pod, { gracePeriodSeconds: 0, signal: ctx.signal })
      .ignoreError("it may be gone already");
  }
  return settled();
}

/** Writes a status when it differs from what the pod has. */
async function write(pod: kinds.Pod, status: kinds.PodStatus, ctx: Context<kinds.Pod>): Promise<void> {
  const before = (pod.status ?? {}) as Readonly<Record<string, unknown>>;
  const wanted = status as Readonly<Record<string, unknown>>;
  if (Object.keys(wanted).every((key) => deepEqual(before[key], wanted[key]))) return;
  await mergeStatus(ctx.client.api(kinds.Pod), keyOf(pod), status, { signal: ctx.signal });
}

function isRunning(pod: kinds.Pod): boolean {
  return (
    (pod.status?.containerStatuses ?? []).some(
      (c) => c.state?.running !== undefined || c.state?.terminated !== undefined,
    ) ||
    (pod.status?.initContainerStatuses ?? []).some(
      (c) => c.state?.running !== undefined || c.state?.terminated !== undefined,
    )
  );
}

/** Whether the pod waits for something that it refers to. */
function isHeld(pod: kinds.Pod): boolean {
  return (
    pod.status?.startTime !== undefined &&
    (pod.status.containerStatuses ?? []).every((c) => c.state?.waiting !== undefined)
  );
}

function waitingStatus(pod: kinds.Pod, reason: string, ctx: Context<kinds.Pod>): kinds.PodStatus {
  const { status } = lifetime({
    pod,
    nowMs: ctx.clock.now(),
    startedMs: startedMs(pod) ?? ctx.clock.now(),
    delays: { startMs: NEVER_MS, initMs: 0, readyMs: 0, runMs: 0, stopMs: 0 },
    podIP: "",
    hostIP: nodeAddress(ctx, pod.spec?.nodeName ?? ""),
  });
  const { podIP: _ip, podIPs: _ips, ...rest } = status;
  return {
    ...rest,
    containerStatuses: (status.containerStatuses ?? []).map((c) => ({
      ...c,
      state: { waiting: { reason: (pod.spec?.initContainers ?? []).length > 0 ? "PodInitializing" : reason } },
    })),
  };
}

function dependsOn(pod: kinds.Pod, slice: kinds.EndpointSlice): boolean {
  const service = pod.metadata.annotations?.[ANNOTATIONS.readyWithService];
  return (
    service !== undefined &&
    pod.metadata.namespace === slice.metadata.namespace &&
    slice.metadata.labels?.["kubernetes.io/service-name"] === service
  );
}

/** Whether the Service that the pod's readiness depends on has a ready endpoint; true for pods that depend on none. */
function isBacked(pod: kinds.Pod, ctx: Context<kinds.Pod>): boolean {
  if (pod.metadata.annotations?.[ANNOTATIONS.readyWithService] === undefined) return true;
  return ctx
    .store(kinds.EndpointSlice)
    .list()
    .some((slice) => dependsOn(pod, slice) && (slice.endpoints ?? []).some((e) => e.conditions?.ready === true));
}

function keyOf({ metadata: { namespace, name } }: kinds.Pod): { readonly namespace?: string; readonly name: string } {
  return namespace === undefined ? { name } : { namespace, name };
}

function nodeAddress(ctx: Context<kinds.Pod>, name: string): string {
  const node = ctx.store(kinds.Node).get({ name });
  return node?.status?.addresses?.find((a) => a.type === "InternalIP")?.address ?? "10.0.0.1";
}

/** An address that no other pod has: a hash of the uid, moved on until it is free. */
function freeAddress(pod: kinds.Pod, ctx: Context<kinds.Pod>): string {
  const taken = new Set(
    ctx
      .store(kinds.Pod)
      .list()
      .map((p) => p.status?.podIP),
  );
  let hash = 0x811c9dc5;
  for (const c of pod.metadata.uid ?? pod.metadata.name) hash = Math.imul(hash ^ c.charCodeAt(0), 0x01000193) >>> 0;
  for (let i = 0; i < 65_536; i++) {
    const n = (hash + i) % (250 * 250);
    const address = `10.244.${1 + Math.floor(n / 250)}.${2 + (n % 250)}`;
    if (!taken.has(address)) return address;
  }
  return "10.244.0.2";
}

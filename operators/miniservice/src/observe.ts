import { parseTime, type JsonObject } from "@fairlead/base";
import type { KubernetesObject } from "@fairlead/apimachinery";
import { kinds, type ResourceKind } from "@fairlead/client";
import type { Context } from "@fairlead/runtime";

import { FINALIZER, INFRA_ANNOTATION, IcmsRequest, WORKER_CONTAINERS, WORKER_POD, type MiniService } from "./api.js";
import { decodeRequestName, type Decoded } from "./codec.js";
import type { ObservedObject } from "./health/object.js";
import { podHealth, type PodHealth } from "./health/pod.js";
import type { Limits } from "./limits.js";
import { UID_ANNOTATION } from "./manifests.js";
import { gvkOf, nameOf, namespaceOf } from "./render/documents.js";
import type { Memory } from "./memory.js";
import { renderFor, type Rendered, type RenderSources } from "./rendered.js";

/** Everything that a decision needs, read at one moment. */
export interface Observation {
  readonly service: MiniService;
  readonly nowMs: number;
  readonly requestName: Decoded;
  readonly request: RequestSeen;
  readonly deleting: boolean;
  readonly finalized: boolean;
  readonly namespace: NamespaceSeen;
  /** Not rendered where no decision needs it: while cleaning up, and for objects that are refused. */
  readonly rendered: Rendered | undefined;
  readonly worker: WorkerSeen;
  /** The chart's objects as they are now; only once a revision is installed. */
  readonly objects: readonly ObservedObject[] | undefined;
}

export type RequestSeen =
  | { readonly kind: "found"; readonly request: IcmsRequest }
  /** Not there; `confirmed` once two live reads some time apart agreed. */
  | { readonly kind: "absent"; readonly confirmed: boolean; readonly recheckMs: number }
  /** Nobody looked, since the name is not known or no parent is needed. */
  | { readonly kind: "unasked" };

export type NamespaceSeen =
  | { readonly kind: "absent" }
  | { readonly kind: "active"; readonly namespace: kinds.Namespace; readonly owner: "us" | "nobody" | "other" }
  | { readonly kind: "terminating"; readonly namespace: kinds.Namespace; readonly stuck: boolean };

export type WorkerSeen =
  | { readonly kind: "absent" }
  | {
      readonly kind: "present";
      readonly pod: kinds.Pod;
      readonly health: PodHealth;
      /** All init containers have ended with exit code 0. */
      readonly initialized: boolean;
      readonly leaving: boolean;
      /** The worker's container: not declared, not reported yet, or how it stands. */
      readonly container: "undeclared" | "unreported" | "ready" | "unready";
    };

export interface ObserveOptions {
  readonly limits: Limits;
  readonly requestsNamespace: string;
  readonly parentRequired: boolean;
  readonly render: RenderSources;
  readonly memory: Memory;
}

/** Reads what a decision about a service needs, and no more. */
export async function observe(
  service: MiniService,
  ctx: Context<MiniService>,
  options: ObserveOptions,
): Promise<Observation> {
  const nowMs = ctx.clock.now();
  const requestName = decodeRequestName(service.spec);
  const name = requestName.kind === "value" ? requestName.value : "";
  const namespaceName = service.spec.namespace ?? "";
  const deleting = service.metadata.deletionTimestamp !== undefined;
  const request =
    name === "" || !options.parentRequired
      ? ({ kind: "unasked" } as const)
      : await seeRequest(name, service, ctx, options);
  const namespace =
    namespaceName === ""
      ? ({ kind: "absent" } as const)
      : await seeNamespace(namespaceName, service, { ctx, limits: options.limits, nowMs });
  const active = !deleting && namespaceName !== "" && name !== "" && !(request.kind === "absent");
  const rendered = active
    ? await renderFor(service, { ctx, sources: options.render, memory: options.memory })
    : undefined;
  const worker =
    namespaceName === "" || namespace.kind === "absent"
      ? ({ kind: "absent" } as const)
      : await seeWorker(namespaceName, { ctx, limits: options.limits, nowMs });
  const installed = service.status?.installedRevision !== undefined;
  const objects =
    installed && rendered?.kind === "documents"
      ? await seeObjects(service, rendered.documents.objects, ctx)
      : undefined;
  return {
    service,
    nowMs,
    requestName,
    request,
    deleting,
    finalized: (service.metadata.finalizers ?? []).includes(FINALIZER),
    namespace,
    rendered,
    worker,
    objects,
  };
}

async function seeRequest(
  name: string,
  service: MiniService,
  ctx: Context<MiniService>,
  { requestsNamespace, limits, memory }: ObserveOptions,
): Promise<RequestSeen> {
  const key = { namespace: requestsNamespace, name };
  const uid = service.metadata.uid ?? "";
  const found =
    ctx.store(IcmsRequest).get(key) ?? (await ctx.client.api(IcmsRequest).find(key, { signal: ctx.signal }));
  if (found !== undefined) {
    memory.requestMissingSince.delete(uid);
    return { kind: "found", request: found };
  }
  const now = ctx.clock.monotonic();
  const since = memory.requestMissingSince.get(uid) ?? now;
  memory.requestMissingSince.set(uid, since);
  const left = since + limits.requestGoneConfirmMs - now;
  return { kind: "absent", confirmed: left <= 0, recheckMs: Math.max(left, 0) };
}

async function seeNamespace(
  name: string,
  service: MiniService,
  { ctx, limits, nowMs }: { ctx: Context<MiniService>; limits: Limits; nowMs: number },
): Promise<NamespaceSeen> {
  const namespace = await ctx.client.api(kinds.Namespace).find(name, { signal: ctx.signal });
  if (namespace === undefined) return { kind: "absent" };
  if (namespace.metadata.deletionTimestamp !== undefined)
    return { kind: "terminating", namespace, stuck: isStuck(namespace, limits, nowMs) };
  const claim = namespace.metadata.annotations?.[UID_ANNOTATION];
  const owner = claim === undefined || claim === "" ? "nobody" : claim === service.metadata.uid ? "us" : "other";
  return { kind: "active", namespace, owner };
}

/** A namespace that cannot go away by itself. */
function isStuck(namespace: kinds.Namespace, limits: Limits, nowMs: number): boolean {
  const since = parseTime(namespace.metadata.deletionTimestamp) ?? nowMs;
  if (nowMs - since > limits.namespaceStuckTimeoutMs) return true;
  const conditions = (namespace.status?.conditions ?? []) as readonly {
    readonly type: string;
    readonly status: string;
    readonly lastTransitionTime?: string;
  }[];
  return conditions.some((c) => {
    if (c.status !== "True") return false;
    if (c.type === "NamespaceDeletionDiscoveryFailure" || c.type === "NamespaceDeletionGroupVersionParsingFailure")
      return true;
    return nowMs - (parseTime(c.lastTransitionTime) ?? nowMs) > limits.namespaceStuckTimeoutMs;
  });
}

async function seeWorker(
  namespace: string,
  { ctx, limits, nowMs }: { ctx: Context<MiniService>; limits: Limits; nowMs: number },
): Promise<WorkerSeen> {
  const key = { namespace, name: WORKER_POD };
  const pod = ctx.store(kinds.Pod).get(key) ?? (await ctx.client.api(kinds.Pod).find(key, { signal: ctx.signal }));
  if (pod === undefined) return { kind: "absent" };
  const containers = pod.spec?.containers ?? [];
  const declared = containers.find((c) => WORKER_CONTAINERS.includes(c.name));
  const status = pod.status?.containerStatuses?.find((c) => c.name === declared?.name);
  return {
    kind: "present",
    pod,
    health: podHealth(pod, { nowMs, limits }),
    initialized: isInitialized(pod),
    leaving: pod.metadata.deletionTimestamp !== undefined,
    container:
      declared === undefined
        ? "undeclared"
        : status === undefined
          ? "unreported"
          : status.ready === true
            ? "ready"
            : "unready",
  };
}

function isInitialized(pod: kinds.Pod): boolean {
  const statuses = pod.status?.initContainerStatuses ?? [];
  const once = (pod.spec?.initContainers ?? []).filter((c) => c.restartPolicy === undefined);
  const ended = once.every((c) => statuses.find((s) => s.name === c.name)?.state?.terminated?.exitCode === 0);
  const conditions = (pod.status?.conditions ?? []) as readonly { readonly type: string; readonly status: string }[];
  return ended && conditions.some((c) => c.type === "Initialized" && c.status === "True");
}

/** Kinds whose objects the operator keeps in stores; all others are read when they are needed. */
export const STORED_KINDS: readonly ResourceKind<KubernetesObject>[] = [
  kinds.Pod,
  kinds.Deployment,
  kinds.ReplicaSet,
  kinds.StatefulSet,
  kinds.DaemonSet,
  kinds.Job,
  kinds.Service,
];

async function seeObjects(
  service: MiniService,
  wanted: readonly JsonObject[],
  ctx: Context<MiniService>,
): Promise<readonly ObservedObject[]> {
  const namespace = service.spec.namespace ?? "";
  const warnings = await warningsIn(namespace, ctx);
  const children = childrenIn(namespace, ctx);
  const objects: ObservedObject[] = [];
  for (const object of wanted) {
    const live = await liveObject(object, namespace, ctx);
    objects.push({
      wanted: object,
      live,
      events: warnings(object),
      children: live === undefined ? [] : children(live, warnings),
    });
  }
  return [...objects, ...sweep(namespace, wanted, { ctx, warnings })];
}

/** The live state of a rendered object: from a store where there is one, but absence is always checked with the server. */
async function liveObject(
  object: JsonObject,
  namespace: string,
  ctx: Context<MiniService>,
): Promise<JsonObject | undefined> {
  const gvk = gvkOf(object);
  const name = nameOf(object);
  const stored = STORED_KINDS.find((k) => k.group === gvk.group && k.version === gvk.version && k.kind === gvk.kind);
  if (stored !== undefined) {
    const held = ctx.store(stored).get({ namespace, name });
    if (held !== undefined) return asJson(held);
  }
  const kind = stored ?? (await ctx.client.discovery.find(gvk, { signal: ctx.signal }));
  if (kind === undefined) return undefined;
  const found = await ctx.client
    .api(kind)
    .find(kind.namespaced ? { namespace, name } : { name }, { signal: ctx.signal });
  return found === undefined ? undefined : asJson(found);
}

type Warnings = (object: JsonObject) => readonly { readonly reason: string; readonly message: string }[];

/** Warnings in a namespace, by the object that they are about; each message once, the oldest first. */
async function warningsIn(namespace: string, ctx: Context<MiniService>): Promise<Warnings> {
  const { items } = await ctx.client.api(kinds.Event, namespace).list({ signal: ctx.signal });
  const sorted = items
    .filter((e) => e.type === "Warning")
    .sort((a, b) => (String(a.firstTimestamp) < String(b.firstTimestamp) ? -1 : 1));
  return (object) => {
    const seen = new Set<string>();
    return sorted
      .filter((e) => {
        const about = e.involvedObject;
        if (about.name !== nameOf(object) || about.kind !== object["kind"] || e.reason === "PolicyViolation")
          return false;
        return !seen.has(e.message ?? "") && seen.add(e.message ?? "") !== undefined;
      })
      .map((e) => ({ reason: e.reason ?? "", message: e.message ?? "" }));
  };
}

/** The objects that an object owns, and what those own. */
function childrenIn(
  namespace: string,
  ctx: Context<MiniService>,
): (owner: JsonObject, warnings: Warnings) => readonly ObservedObject[] {
  const all = [kinds.Pod, kinds.ReplicaSet, kinds.Job].flatMap((kind) =>
    ctx
      .store(kind as ResourceKind<KubernetesObject>)
      .list()
      .filter((o) => o.metadata.namespace === namespace),
  );
  const byOwner = new Map<string, KubernetesObject[]>();
  for (const object of all) {
    for (const owner of object.metadata.ownerReferences ?? []) {
      const list = byOwner.get(owner.uid) ?? [];
      byOwner.set(owner.uid, [...list, object]);
    }
  }
  const of = (owner: JsonObject, warnings: Warnings): readonly ObservedObject[] => {
    const metadata = owner["metadata"] as { readonly uid?: string } | undefined;
    const owned = byOwner.get(metadata?.uid ?? "") ?? [];
    const active = owned.filter((o) => o.kind !== "ReplicaSet" || (o as kinds.ReplicaSet).spec?.replicas !== 0);
    return active.map((o) => ({
      wanted: asJson(o),
      live: asJson(o),
      events: warnings(asJson(o)),
      children: of(asJson(o), warnings),
    }));
  };
  return of;
}

/** Pods of the namespace that no rendered object stands for and that are stuck: an operator inside the chart made them. */
function sweep(
  namespace: string,
  wanted: readonly JsonObject[],
  { ctx, warnings }: { ctx: Context<MiniService>; warnings: Warnings },
): readonly ObservedObject[] {
  const rendered = new Set(
    wanted.filter((o) => o["kind"] === "Pod" && (namespaceOf(o) === "" || namespaceOf(o) === namespace)).map(nameOf),
  );
  return ctx
    .store(kinds.Pod)
    .list()
    .filter(
      (pod) =>
        pod.metadata.namespace === namespace && pod.metadata.name !== WORKER_POD && !rendered.has(pod.metadata.name),
    )
    .filter(
      (pod) =>
        pod.metadata.annotations?.[INFRA_ANNOTATION] === undefined && pod.metadata.deletionTimestamp === undefined,
    )
    .map((pod) => ({
      wanted: asJson(pod),
      live: asJson(pod),
      events: warnings(asJson(pod)),
      children: [],
      swept: true,
    }));
}

/** An object as plain JSON with its type, which items of lists and stores may lack. */
function asJson(object: KubernetesObject): JsonObject {
  const json = object as unknown as JsonObject;
  if (json["kind"] !== undefined) return json;
  const kind = STORED_KINDS.find((k) => k.kind === (object as { readonly kind?: string }).kind);
  return kind === undefined ? json : { ...json, kind: kind.kind };
}

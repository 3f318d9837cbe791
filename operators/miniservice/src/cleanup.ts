import { isStatus, parseGroupVersion, type KubernetesObject } from "@fairlead/apimachinery";
import { kinds, type Client, type ResourceKind, type ServedKind } from "@fairlead/client";
import type { Context } from "@fairlead/runtime";

import { GROUP, INFRA_ANNOTATION, NAME_LABEL, WORKER_POD, type MiniService } from "./api.js";

/** What a cleanup still waits for. */
export interface Remaining {
  readonly stage: "workload" | "namespace" | "stuck";
  /** For the condition's message. */
  readonly objects: string;
  readonly count: number;
  readonly afterMs: number;
}

export interface Found {
  readonly kind: ResourceKind<KubernetesObject>;
  readonly object: KubernetesObject;
}

/** Kinds of charts that are looked through even where the status does not name them. */
const USUAL: readonly ResourceKind<KubernetesObject>[] = [
  kinds.Pod,
  kinds.Secret,
  kinds.Service,
  kinds.ConfigMap,
  kinds.PersistentVolumeClaim,
  kinds.Deployment,
  kinds.ReplicaSet,
  kinds.StatefulSet,
  kinds.DaemonSet,
  kinds.Job,
  kinds.CronJob,
];

/**
 * The chart's objects that are still there: everything that carries the service's label, in its namespace and beside
 * it, without what the operator itself has added.
 */
export async function workloadObjects(service: MiniService, ctx: Context<MiniService>): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const kind of await chartKinds(service, ctx)) {
    const namespace = kind.namespaced ? (service.spec.namespace ?? "") : undefined;
    for (const object of await labelled(ctx.client, kind, { namespace, service, signal: ctx.signal })) {
      if (object.metadata.annotations?.[INFRA_ANNOTATION] !== undefined) continue;
      if (kind.kind === "Namespace" && object.metadata.name === service.spec.namespace) continue;
      if (kind.kind === "Pod" && object.metadata.name === WORKER_POD) continue;
      found.push({ kind, object });
    }
  }
  return found;
}

async function labelled(
  client: Client,
  kind: ResourceKind<KubernetesObject>,
  o: { readonly namespace: string | undefined; readonly service: MiniService; readonly signal: AbortSignal },
): Promise<readonly KubernetesObject[]> {
  try {
    const list = await client
      .api(kind, o.namespace)
      .list({ labelSelector: `${NAME_LABEL}=${o.service.metadata.name}`, signal: o.signal });
    return list.items;
  } catch (error) {
    if (isStatus(error, "NotFound")) return [];
    throw error;
  }
}

async function chartKinds(
  service: MiniService,
  ctx: Context<MiniService>,
): Promise<readonly ResourceKind<KubernetesObject>[]> {
  const known = new Map(USUAL.map((k) => [`${k.group}/${k.kind}`, k]));
  for (const { gvk } of service.status?.renderedDetails?.resources ?? []) {
    const [gv = "", kind = ""] = gvk.replace(/^\//, "").split(", Kind=");
    const parsed = parseGroupVersion(gv);
    if (parsed === undefined || known.has(`${parsed.group}/${kind}`)) continue;
    const served: ServedKind | undefined = await ctx.client.discovery.find({ ...parsed, kind }, { signal: ctx.signal });
    if (served !== undefined && !(served.group === GROUP)) known.set(`${served.group}/${served.kind}`, served);
  }
  return [...known.values()];
}

/** `Objects: "/v1, Kind=Pod, job-pod;"`. */
export function remainingText(pending: readonly string[]): string {
  return `Objects: ${JSON.stringify(pending.map((p) => `${p};`).join(""))}`;
}

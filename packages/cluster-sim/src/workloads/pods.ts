import { byCodeUnit, deepEqual, stringifyJson, type JsonValue } from "@fairlead/base";
import type { KubernetesObject, OwnerReference } from "@fairlead/apimachinery";
import { apiVersionOf, type kinds, type NewObject, type ResourceKind } from "@fairlead/client";
import type { Context, StoreReader } from "@fairlead/runtime";

/** What the workload controllers share: pods from templates, who owns what, and how pods stand. */

export function controllerReference(owner: KubernetesObject, kind: ResourceKind<KubernetesObject>): OwnerReference {
  const { name, uid } = owner.metadata;
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    name,
    uid: uid as OwnerReference["uid"],
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** The objects of a store that an object controls. */
export function controlled<T extends KubernetesObject>(store: StoreReader<T>, owner: KubernetesObject): readonly T[] {
  const { uid, namespace } = owner.metadata;
  return store
    .list()
    .filter(
      (o) =>
        o.metadata.namespace === namespace &&
        o.metadata.ownerReferences?.some((r) => r.controller === true && r.uid === uid) === true,
    );
}

export interface PodOptions {
  readonly owner: OwnerReference;
  readonly namespace: string;
  readonly name: { readonly name: string } | { readonly generateName: string };
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly spec?: (spec: kinds.PodSpec) => kinds.PodSpec;
}

/** A pod as a controller creates it from its template. */
export function podFrom(template: kinds.PodTemplateSpec | undefined, options: PodOptions): NewObject<kinds.Pod> {
  const labels = { ...template?.metadata?.labels, ...options.labels };
  const annotations = { ...template?.metadata?.annotations, ...options.annotations };
  const spec = template?.spec ?? { containers: [] };
  return {
    metadata: {
      ...options.name,
      namespace: options.namespace,
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(options.finalizers === undefined ? {} : { finalizers: options.finalizers }),
      ownerReferences: [options.owner],
    },
    spec: options.spec === undefined ? spec : options.spec(spec),
  };
}

/** Neither ended nor being deleted. */
export function isActive(pod: kinds.Pod): boolean {
  return (
    pod.status?.phase !== "Succeeded" && pod.status?.phase !== "Failed" && pod.metadata.deletionTimestamp === undefined
  );
}

export function isReady(pod: kinds.Pod): boolean {
  return pod.status?.conditions?.some((c) => c.type === "Ready" && c.status === "True") === true;
}

/** Ready for at least `minReadySeconds`. */
export function isAvailable(pod: kinds.Pod, minReadySeconds: number, nowMs: number): boolean {
  const ready = pod.status?.conditions?.find((c) => c.type === "Ready" && c.status === "True");
  if (ready === undefined || pod.metadata.deletionTimestamp !== undefined) return false;
  if (minReadySeconds === 0) return true;
  return Date.parse(ready.lastTransitionTime ?? "") + minReadySeconds * 1000 <= nowMs;
}

/** Which pods go first when there are too many: unassigned, not running, not ready, then the youngest. */
export function inOrderOfDeletion(pods: readonly kinds.Pod[]): readonly kinds.Pod[] {
  const rank = (p: kinds.Pod): readonly number[] => [
    (p.spec?.nodeName ?? "") === "" ? 0 : 1,
    p.status?.phase === "Running" ? 1 : 0,
    isReady(p) ? 1 : 0,
    Number(p.metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? 0),
    -Date.parse(p.metadata.creationTimestamp ?? ""),
  ];
  return [...pods].sort((a, b) => {
    const [x, y] = [rank(a), rank(b)];
    for (let i = 0; i < x.length; i++) if (x[i] !== y[i]) return (x[i] ?? 0) - (y[i] ?? 0);
    return byCodeUnit(b.metadata.name, a.metadata.name);
  });
}

const SAFE = "bcdfghjklmnpqrstvwxz2456789";

/** A short name for a template: equal templates have equal names. */
export function templateHash(template: unknown, collision = 0): string {
  let hash = 0x811c9dc5;
  for (const c of `${stringifyJson((template ?? null) as JsonValue)}${collision === 0 ? "" : collision}`)
    hash = Math.imul(hash ^ (c.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return Array.from(String(hash), (digit) => SAFE[(digit.charCodeAt(0) - 48 + hash) % SAFE.length] ?? "b")
    .join("")
    .padEnd(8, "b")
    .slice(0, 10);
}

/** A number or a percentage of a total. */
export function scaled(value: number | string | undefined, total: number, up: boolean): number {
  if (typeof value === "number") return value;
  const percent = /^(\d+)%$/.exec(value ?? "");
  if (percent === null) return 0;
  const exact = (Number(percent[1]) * total) / 100;
  return up ? Math.ceil(exact) : Math.floor(exact);
}

/** Merges a status into an object when it would change something; what is undefined is removed. */
export async function writeStatus<T extends KubernetesObject>(
  ctx: Context<T>,
  object: T,
  status: Readonly<Record<string, unknown>>,
): Promise<void> {
  const before = ((object as { readonly status?: unknown }).status ?? {}) as Readonly<Record<string, unknown>>;
  const changed = Object.entries(status).filter(([key, value]) => !deepEqual(before[key] ?? null, value ?? null));
  if (changed.length > 0)
    await ctx.status(Object.fromEntries(changed.map(([key, value]) => [key, value ?? null])) as never);
}

export interface ConditionInput {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

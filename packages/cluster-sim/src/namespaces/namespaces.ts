import { formatTime } from "@fairlead/base";
import { isStatus } from "@fairlead/apimachinery";
import { finalizeNamespace, kinds, mergeStatus, type DynamicObject, type ServedKind } from "@fairlead/client";
import {
  after,
  defineController,
  settled,
  type Context,
  type ControllerDefinition,
  type Outcome,
} from "@fairlead/runtime";

const AGAIN_MS = 250;

/** Empties namespaces that are being deleted, and lets them go when nothing is left. */
export function namespaceController(): ControllerDefinition {
  return defineController<kinds.Namespace>({
    name: "namespace-controller",
    fieldManager: "kube-controller-manager",
    for: kinds.Namespace,
    concurrency: 4,
    reconcile: async (namespace, ctx) => {
      if (namespace.metadata.deletionTimestamp === undefined) return settled();
      return empty(namespace, ctx);
    },
  });
}

interface Left {
  readonly kind: ServedKind;
  readonly objects: readonly DynamicObject[];
}

async function empty(namespace: kinds.Namespace, ctx: Context<kinds.Namespace>): Promise<Outcome> {
  const { name } = namespace.metadata;
  const served = await ctx.client.discovery.preferred({ signal: ctx.signal });
  const deletable = served.filter(
    (k) => k.namespaced && k.verbs.includes("delete") && k.verbs.includes("list") && !(k.group === "events.k8s.io"),
  );
  const left: Left[] = [];
  for (const kind of deletable) {
    const objects = await listIn(kind, name, ctx);
    for (const object of objects) {
      if (object.metadata.deletionTimestamp !== undefined) continue;
      try {
        await ctx.client.api(kind, name).deleteObject(object, { propagation: "background", signal: ctx.signal });
      } catch (error) {
        if (!isStatus(error, "NotFound") && !isStatus(error, "Conflict")) throw error;
      }
    }
    const remaining = objects.length === 0 ? [] : await listIn(kind, name, ctx);
    if (remaining.length > 0) left.push({ kind, objects: remaining });
  }
  await writeConditions(namespace, left, ctx);
  if (left.length > 0) return after(AGAIN_MS);
  if ((namespace.spec?.finalizers ?? []).includes("kubernetes")) {
    const live = await ctx.client.api(kinds.Namespace).find(name, { signal: ctx.signal });
    if (live === undefined) return settled();
    await finalizeNamespace(
      ctx.client.api(kinds.Namespace),
      live,
      (live.spec?.finalizers ?? []).filter((f) => f !== "kubernetes"),
      { signal: ctx.signal },
    );
  }
  return settled();
}

async function listIn(
  kind: ServedKind,
  namespace: string,
  ctx: Context<kinds.Namespace>,
): Promise<readonly DynamicObject[]> {
  try {
    return (await ctx.client.api(kind, namespace).list({ signal: ctx.signal })).items;
  } catch (error) {
    if (isStatus(error, "NotFound") || isStatus(error, "MethodNotAllowed")) return [];
    throw error;
  }
}

async function writeConditions(
  namespace: kinds.Namespace,
  left: readonly Left[],
  ctx: Context<kinds.Namespace>,
): Promise<void> {
  const finalizers = new Map<string, number>();
  for (const { objects } of left)
    for (const o of objects)
      for (const f of o.metadata.finalizers ?? []) finalizers.set(f, (finalizers.get(f) ?? 0) + 1);
  const content = left
    .map(({ kind, objects }) => `${kind.resource}.${kind.group} has ${objects.length} resource instances`)
    .sort();
  const held = [...finalizers].map(([f, n]) => `${f} in ${n} resource instances`).sort();
  const wanted = [
    {
      type: "NamespaceDeletionDiscoveryFailure",
      status: "False",
      reason: "ResourcesDiscovered",
      message: "All resources successfully discovered",
    },
    {
      type: "NamespaceDeletionGroupVersionParsingFailure",
      status: "False",
      reason: "ParsedGroupVersions",
      message: "All legacy kube types successfully parsed",
    },
    {
      type: "NamespaceDeletionContentFailure",
      status: "False",
      reason: "ContentDeleted",
      message: "All content successfully deleted, may be waiting on finalization",
    },
    content.length > 0
      ? {
          type: "NamespaceContentRemaining",
          status: "True",
          reason: "SomeResourcesRemain",
          message: `Some resources are remaining: ${content.join(", ")}`,
        }
      : {
          type: "NamespaceContentRemaining",
          status: "False",
          reason: "ContentRemoved",
          message: "All content successfully removed",
        },
    held.length > 0
      ? {
          type: "NamespaceFinalizersRemaining",
          status: "True",
          reason: "SomeFinalizersRemain",
          message: `Some content in the namespace has finalizers remaining: ${held.join(", ")}`,
        }
      : {
          type: "NamespaceFinalizersRemaining",
          status: "False",
          reason: "ContentHasNoFinalizers",
          message: "All content-preserving finalizers finished",
        },
  ];
  const before = namespace.status?.conditions ?? [];
  const now = formatTime(ctx.clock.now());
  const conditions = wanted.map((c) => {
    const old = before.find((b) => b.type === c.type);
    return { ...c, lastTransitionTime: old?.status === c.status ? old.lastTransitionTime : now };
  });
  if (
    JSON.stringify(before.map((c) => [c.type, c.status, c.message])) ===
    JSON.stringify(conditions.map((c) => [c.type, c.status, c.message]))
  )
    return;
  await mergeStatus(
    ctx.client.api(kinds.Namespace),
    namespace.metadata.name,
    { conditions },
    { signal: ctx.signal },
  ).ignoreError("it may be gone already");
}

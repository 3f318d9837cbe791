import { FairleadError, formatTime, messageOf, parseTime, type JsonObject } from "@fairlead/base";
import { isStatus, type KubernetesObject, type ObjectKey } from "@fairlead/apimachinery";
import {
  addFinalizer,
  applyOwned,
  kinds,
  ownedPaths,
  owns,
  removeFinalizer,
  wholeObject,
  type Client,
  type ResourceKind,
} from "@fairlead/client";
import { terminal, type Context } from "@fairlead/runtime";

import { FINALIZER, MiniService, type IcmsRequest, type WorkloadConfig } from "./api.js";
import { workloadObjects, remainingText, type Remaining } from "./cleanup.js";
import type { InstallStep, Plan } from "./decide.js";
import { fenceManifests, namespaceManifest, revisionManifest, workerManifest, workloadManifest } from "./manifests.js";
import type { Observation } from "./observe.js";
import { gvkText, gvkOf, inApplyOrder, nameOf, namespaceOf } from "./render/documents.js";
import type { WorkerProfile } from "./worker/profile.js";

/** What carrying out a plan came to. */
export type Done =
  /** The object was written: decide again with what the server answered. */
  | { readonly kind: "written"; readonly service: MiniService }
  | { readonly kind: "done" }
  /** Objects that a cleanup still waits for. */
  | { readonly kind: "remaining"; readonly remaining: Remaining }
  /** The object is gone, or nothing holds it any more: there is no status to write. */
  | { readonly kind: "gone" };

export interface ActOptions {
  readonly worker: WorkerProfile;
  readonly instanceRules: readonly JsonObject[];
}

/** The one field of a MiniService that the operator owns. */
const workloadConfig = owns(MiniService, "spec.workloadConfig");

/** Carries out a plan. Each call is safe to repeat, and to be cut off. */
export async function act(
  plan: Plan,
  seen: Observation,
  ctx: Context<MiniService>,
  options: ActOptions,
): Promise<Done> {
  switch (plan.kind) {
    case "addFinalizer":
      return {
        kind: "written",
        service: await addFinalizer(ctx.client.api(MiniService), seen.service, FINALIZER, { signal: ctx.signal }),
      };
    case "removeFinalizer":
      await deleteClusterScoped(seen, ctx);
      await removeFinalizer(ctx.client.api(MiniService), seen.service, FINALIZER, { signal: ctx.signal });
      return { kind: "gone" };
    case "saveWorkloadConfig":
      return { kind: "written", service: await saveWorkloadConfig(ctx.client, seen.service, plan.config, ctx) };
    case "install":
      for (const step of plan.steps) await installStep(step, { seen, ctx, options, revision: plan.revision });
      return { kind: "done" };
    case "restoreWorker":
      await installStep("worker", { seen, ctx, options, revision: seen.service.status?.installedRevision ?? 0 });
      return { kind: "done" };
    case "cleanUp":
      return { kind: "remaining", remaining: await cleanUp(seen, ctx) };
    case "reject":
    case "fail":
    case "wait":
    case "retry":
    case "watch":
    case "parked":
      return { kind: "done" };
  }
}

/**
 * Stores the workload's configuration in the one field that we own, or clears it: null is applied, and a leftover in any
 * form is removed by a merge patch of that path alone. Nothing else of the object is sent.
 */
export async function saveWorkloadConfig(
  client: Client,
  service: MiniService,
  config: WorkloadConfig | null,
  ctx: Pick<Context<MiniService>, "signal" | "event">,
): Promise<MiniService> {
  const { name } = service.metadata;
  const owned =
    config === null
      ? ownedPaths(workloadConfig, { name }, {}, { clear: ["spec.workloadConfig"] })
      : ownedPaths(workloadConfig, { name }, { spec: { workloadConfig: config } });
  try {
    const { object, forceCleared } = await applyOwned(client, owned, { onConflict: "take", signal: ctx.signal });
    if (forceCleared.length > 0) {
      ctx.event({
        type: "Warning",
        reason: "WorkloadConfigForceCleared",
        message: "spec.workloadConfig was held by another manager, or left empty, and was removed",
      });
    }
    return object;
  } catch (cause) {
    throw new Error(`patch miniservice ${name} workload config: ${messageOf(cause)}`, { cause });
  }
}

interface Step {
  readonly seen: Observation;
  readonly ctx: Context<MiniService>;
  readonly options: ActOptions;
  readonly revision: number;
}

async function installStep(step: InstallStep, { seen, ctx, options, revision }: Step): Promise<void> {
  const { service } = seen;
  const request = requestOf(seen);
  switch (step) {
    case "namespace":
      return applyManifest(ctx, namespaceManifest(service, request));
    case "fences":
      for (const manifest of fenceManifests(service, request, options.instanceRules))
        await applyManifest(ctx, manifest);
      return;
    case "worker":
      return applyWorker(ctx, workerManifest(options.worker, service, request));
    case "workload":
      return applyWorkload(seen, ctx, request);
    case "revision":
      return recordRevision(seen, ctx, revision);
  }
}

/** The worker's pod is made once: what of a pod cannot change is not argued about. */
async function applyWorker(ctx: Context<MiniService>, manifest: JsonObject): Promise<void> {
  const key = keyOfManifest(manifest);
  const live = await ctx.client.api(kinds.Pod).find(key, { signal: ctx.signal });
  if (live === undefined) await applyManifest(ctx, manifest);
}

async function applyWorkload(
  seen: Observation,
  ctx: Context<MiniService>,
  request: IcmsRequest | undefined,
): Promise<void> {
  if (seen.rendered?.kind !== "documents") return;
  for (const object of inApplyOrder(seen.rendered.documents.objects)) {
    const kind = await servedKind(ctx, object);
    await applyManifest(ctx, workloadManifest(object, seen.service, { request, namespaced: kind.namespaced }));
  }
}

async function recordRevision(seen: Observation, ctx: Context<MiniService>, revision: number): Promise<void> {
  if (seen.rendered?.kind !== "documents") return;
  const key = { namespace: seen.service.spec.namespace ?? "", name: `miniservice-revision-v${revision}` };
  const before = await ctx.client.api(kinds.ConfigMap).find(key, { signal: ctx.signal });
  if (before?.data?.["inputDigest"] === seen.rendered.inputDigest) return;
  const inventory = seen.rendered.documents.objects.map((o) => `${gvkText(gvkOf(o))} ${nameOf(o)}`);
  const { inputDigest, hash: renderHash } = seen.rendered;
  await applyManifest(
    ctx,
    revisionManifest(seen.service, revision, { inputDigest, renderHash, timestamp: formatTime(seen.nowMs), inventory }),
  );
}

/** Applies one manifest as its owner. What the server refuses for good is terminal, and names the object. */
async function applyManifest(ctx: Context<MiniService>, manifest: JsonObject): Promise<void> {
  const kind = await servedKind(ctx, manifest);
  try {
    await ctx.apply(wholeObject(kind), keyOfManifest(manifest), manifest, { onConflict: "take" });
  } catch (error) {
    if (ctx.signal.aborted || isStatus(error, "Conflict")) throw error;
    const message = applyMessage(manifest, error);
    if (isFinalRefusal(error)) throw terminal("UnexpectedInstallError", message, { cause: error });
    throw new ApplyFailedError(message, { cause: error });
  }
}

/** A kind that is not served may be yet, once its definition is there. */
async function servedKind(ctx: Context<MiniService>, manifest: JsonObject): Promise<ResourceKind<KubernetesObject>> {
  try {
    return await ctx.client.discovery.ofObject(manifest, { signal: ctx.signal });
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    throw new ApplyFailedError(applyMessage(manifest, error), { cause: error });
  }
}

function applyMessage(manifest: JsonObject, error: unknown): string {
  return `apply ${String(manifest["kind"])} ${nameOf(manifest)}: ${messageOf(error)}`;
}

/** One of a service's objects could not be applied, and may be yet: the message names it. */
export class ApplyFailedError extends FairleadError {
  constructor(message: string, options: { readonly cause: unknown }) {
    super("ApplyFailed", message, options);
  }
}

/** Whether the server would say the same of the same object the next time. */
function isFinalRefusal(error: unknown): boolean {
  if (isStatus(error, "Invalid") || isStatus(error, "BadRequest")) return true;
  if (isStatus(error, "Forbidden")) return !isTransientRefusal(error);
  return isStatus(error) && error.message.includes("failed to create typed patch object");
}

/** A namespace that is going away, or an account that a controller has yet to make. */
function isTransientRefusal(error: unknown): boolean {
  return (
    isStatus(error) &&
    (error.status.details?.causes?.some((c) => c.reason === "NamespaceTerminating") === true ||
      error.message.includes("error looking up service account"))
  );
}

function keyOfManifest(manifest: JsonObject): ObjectKey {
  const namespace = namespaceOf(manifest);
  return namespace === "" ? { name: nameOf(manifest) } : { namespace, name: nameOf(manifest) };
}

/** What of the chart stands beside namespaces does not go with one. */
async function deleteClusterScoped({ service }: Observation, ctx: Context<MiniService>): Promise<void> {
  for (const { kind, object } of await workloadObjects(service, ctx)) {
    if (!kind.namespaced) await ctx.client.api(kind).deleteObject(object, { signal: ctx.signal });
  }
}

/** One round of a cleanup: asks for what is still there to go, then for the namespace. */
async function cleanUp(seen: Observation, ctx: Context<MiniService>): Promise<Remaining> {
  const { service, namespace, worker } = seen;
  const pending: string[] = [];
  const found = await workloadObjects(service, ctx);
  for (const { kind, object } of found) {
    pending.push(`${gvkText(kind)}, ${object.metadata.name}`);
    if (object.metadata.deletionTimestamp !== undefined) continue;
    await ctx.client
      .api(kind)
      .deleteObject(object, { propagation: "foreground", signal: ctx.signal })
      .ignoreError("it stays on the list and is tried again");
  }
  const graceMs = worker.kind === "present" ? (worker.pod.spec?.terminationGracePeriodSeconds ?? 30) * 1000 : 0;
  const condition = service.status?.conditions?.find((c) => c.type === "CleanupSuccessful" && c.status === "False");
  const since = parseTime(condition?.lastTransitionTime) ?? seen.nowMs;
  if (pending.length > 0 && seen.nowMs - since < graceMs)
    return {
      stage: "workload",
      objects: remainingText(pending),
      count: pending.length,
      afterMs: Math.min(graceMs - (seen.nowMs - since), 2000),
    };
  for (const { kind, object } of found) {
    await ctx.client
      .api(kind)
      .deleteObject(object, { propagation: "foreground", gracePeriodSeconds: 0, signal: ctx.signal })
      .ignoreError("the namespace's deletion goes on with it");
  }
  if (namespace.kind === "active") {
    await ctx.client.api(kinds.Namespace).deleteObject(namespace.namespace, { signal: ctx.signal });
  }
  if (namespace.kind === "terminating" && namespace.stuck)
    return { stage: "stuck", objects: `Namespace ${namespace.namespace.metadata.name}`, count: 1, afterMs: 0 };
  return { stage: "namespace", objects: `Namespace ${service.spec.namespace ?? ""}`, count: 1, afterMs: 2000 };
}

export function requestOf({ request }: Observation): IcmsRequest | undefined {
  return request.kind === "found" ? request.request : undefined;
}

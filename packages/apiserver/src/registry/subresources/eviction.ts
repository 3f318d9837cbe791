import { formatTime, getOwn, getPath, isArray, isObject, type JsonObject } from "@fairlead/base";
import { labelSelectorOf, matchesLabels } from "@fairlead/apimachinery";
import { trackUpdate } from "@fairlead/ssa";

import type { Record } from "../../storage/storage.js";
import { deleteObject, type DeleteOptions } from "../delete.js";
import { storageKey, type Endpoint } from "../endpoint.js";
import { badRequest, notFound, serverError, tooManyRequests } from "../failures.js";
import { metadataOf, metaText } from "../metadata.js";
import { managerContext, type Registry } from "../registry.js";
import type { RequestContext, Target } from "../request.js";
import { storeObject } from "../store.js";

export interface EvictionRequest {
  readonly target: Target;
  readonly eviction: JsonObject;
  readonly options: DeleteOptions;
  readonly context: RequestContext;
}

const BUDGETS = "policy/poddisruptionbudgets";

/** POST pods/eviction: a deletion that disruption budgets may refuse (429). */
export async function evictPod(registry: Registry, pods: Endpoint, request: EvictionRequest): Promise<void> {
  const { target, eviction, options, context } = request;
  const named = metaText(eviction, "name");
  if (named !== "" && named !== target.name) throw badRequest("name in URL does not match name in Eviction object");
  const record = registry.storage.getForWrite(pods.collection, storageKey(pods, target.namespace, target.name));
  if (record === undefined) throw notFound(pods.strategy.info, target.name);
  if (!isUnprotected(record.object)) await askBudget(registry, record, options.dryRun);
  await markDisrupted(registry, pods, record, options.dryRun);
  await deleteObject(registry, pods, { target, options, context });
}

/** Pods that have ended, wait to start, or are being deleted already disrupt nobody. */
function isUnprotected(pod: JsonObject): boolean {
  const phase = getPath(pod, "status", "phase");
  return (
    phase === "Succeeded" || phase === "Failed" || phase === "Pending" || metaText(pod, "deletionTimestamp") !== ""
  );
}

async function askBudget(registry: Registry, pod: Record, dryRun: boolean): Promise<void> {
  while (true) {
    const budgets = budgetsOf(registry, pod.object);
    if (budgets.length > 1)
      throw serverError(
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
      );
    const [budget] = budgets;
    if (budget === undefined) return;
    if (!isReady(pod.object) && mayEvictUnhealthy(budget.object)) return;
    const status = (getOwn(budget.object, "status") ?? {}) as JsonObject;
    const generation = getPath(budget.object, "metadata", "generation");
    if (Number(status["observedGeneration"] ?? 0) < Number(generation ?? 0)) {
      throw tooManyRequests(
        "Cannot evict pod as it would violate the pod's disruption budget.",
        [
          {
            reason: "DisruptionBudget",
            message: `The disruption budget ${budgetName(budget)} is still being processed by the server.`,
          },
        ],
        10,
      );
    }
    const allowed = Number(status["disruptionsAllowed"] ?? 0);
    if (allowed <= 0) {
      const needs = `The disruption budget ${budgetName(budget)} needs ${String(status["desiredHealthy"] ?? 0)} healthy pods and has ${String(status["currentHealthy"] ?? 0)} currently`;
      throw tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", [
        { reason: "DisruptionBudget", message: needs },
      ]);
    }
    if (dryRun || (await spend(registry, budget, pod.object, allowed))) return;
  }
}

function budgetName({ key }: Record): string {
  return key.slice(key.indexOf("/") + 1);
}

/** Takes one of the allowed disruptions. Returns false when the budget was changed meanwhile. */
async function spend(registry: Registry, budget: Record, pod: JsonObject, allowed: number): Promise<boolean> {
  const endpoint = registry.find("policy", "poddisruptionbudgets");
  if (endpoint === undefined) return true;
  const now = formatTime(registry.clock.now());
  const status = budget.object["status"] as JsonObject;
  const disrupted = (getOwn(status, "disruptedPods") ?? {}) as JsonObject;
  const next: JsonObject = {
    ...budget.object,
    status: {
      ...status,
      disruptionsAllowed: allowed - 1,
      disruptedPods: { ...disrupted, [metaText(pod, "name")]: now },
      ...(allowed === 1 ? { conditions: exhausted(status, Number(status["observedGeneration"] ?? 0), now) } : {}),
    },
  };
  const tracked = trackUpdate(managerContext(registry, endpoint, "status"), {
    live: budget.object,
    next,
    manager: "kube-apiserver",
  });
  const written = await storeObject(registry, endpoint, { key: budget.key, expected: budget.revision }, tracked);
  return written !== undefined;
}

function exhausted(status: JsonObject, generation: number, now: string): readonly JsonObject[] {
  const conditions = getOwn(status, "conditions");
  const others = isArray(conditions)
    ? (conditions as readonly JsonObject[]).filter((c) => c["type"] !== "DisruptionAllowed")
    : [];
  return [
    ...others,
    {
      type: "DisruptionAllowed",
      status: "False",
      observedGeneration: generation,
      lastTransitionTime: now,
      reason: "InsufficientPods",
      message: "",
    },
  ];
}

function budgetsOf(registry: Registry, pod: JsonObject): readonly Record[] {
  const labels = (metadataOf(pod)["labels"] ?? {}) as Readonly<{ [key: string]: string }>;
  return registry.storage.list(BUDGETS, { prefix: `${metaText(pod, "namespace")}/` }).filter(({ object }) => {
    const selector = getPath(object, "spec", "selector");
    return isObject(selector) && matchesLabels(labelSelectorOf(selector), labels);
  });
}

function isReady(pod: JsonObject): boolean {
  const conditions = getPath(pod, "status", "conditions");
  return (
    isArray(conditions) &&
    conditions.some((c) => (c as JsonObject)["type"] === "Ready" && (c as JsonObject)["status"] === "True")
  );
}

function mayEvictUnhealthy(budget: JsonObject): boolean {
  if (getPath(budget, "spec", "unhealthyPodEvictionPolicy") === "AlwaysAllow") return true;
  const status = (getOwn(budget, "status") ?? {}) as JsonObject;
  return (
    Number(status["currentHealthy"] ?? 0) >= Number(status["desiredHealthy"] ?? 0) &&
    Number(status["desiredHealthy"] ?? 0) > 0
  );
}

/** The condition that tells why the pod goes. The real server stores it past its field manager: nobody owns it. */
async function markDisrupted(registry: Registry, pods: Endpoint, record: Record, dryRun: boolean): Promise<void> {
  if (dryRun) return;
  const live = registry.storage.getForWrite(pods.collection, record.key);
  if (live === undefined || metaText(live.object, "deletionTimestamp") !== "") return;
  const spec = getPath(live.object, "spec", "nodeName");
  if (typeof spec !== "string" || spec === "") return;
  const status = (getOwn(live.object, "status") ?? {}) as JsonObject;
  const conditions = getOwn(status, "conditions");
  const others = isArray(conditions)
    ? (conditions as readonly JsonObject[]).filter((c) => c["type"] !== "DisruptionTarget")
    : [];
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: formatTime(registry.clock.now()),
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  };
  const next = { ...live.object, status: { ...status, conditions: [...others, condition] } };
  await storeObject(registry, pods, { key: record.key, expected: live.revision }, next);
}

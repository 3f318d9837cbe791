// Pods as quotas measure them (k/k: pkg/quota/v1/evaluator/core/pods.go).
import { byCodeUnit, getOwn, getPath, isArray, isObject, parseTime, type JsonObject } from "@fairlead/base";

import { numberOf, type Amounts } from "./amounts.js";
import { countName } from "./counts.js";
import type { QuotaEvaluator, ScopeRequirement } from "./evaluator.js";
import { containersOf, podAmounts, resourcesOf } from "./pod-amounts.js";
import { isExtendedResource, isHugePages, isNativeResource } from "./resource-names.js";
import { matchesScope } from "./scopes.js";

const COUNT = countName("", "pods");
const COMPUTE: readonly string[] = ["cpu", "memory", "ephemeral-storage"];
const NAMES: ReadonlySet<string> = new Set([
  COUNT,
  "pods",
  ...COMPUTE.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);

/** Where a quota counts these, every container has to say how much it needs. */
const REQUIRED: ReadonlySet<string> = new Set(
  ["cpu", "memory"].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
);

export const podEvaluator: QuotaEvaluator = {
  counts: (name) =>
    NAMES.has(name) ||
    isHugePages(name) ||
    name.startsWith("requests.hugepages-") ||
    (name.startsWith("requests.") && !isNativeResource(name)),
  usage: podUsage,
  missing: missingResources,
  inScope: isPodInScope,
  updates: new Set(["resize"]),
};

/** A pod that has ended is one object yet, and takes nothing else. */
function podUsage(pod: JsonObject, nowMs: number): Amounts {
  const one = new Map([[COUNT, numberOf(1)]]);
  if (hasEnded(pod, nowMs)) return one;
  return new Map([...one, ...namedAmounts(podAmounts(pod, "requests"), podAmounts(pod, "limits"))]);
}

/** Succeeded, failed, or deleted and still there after twice its grace period. */
function hasEnded(pod: JsonObject, nowMs: number): boolean {
  const phase = getPath(pod, "status", "phase");
  if (phase === "Succeeded" || phase === "Failed") return true;
  const deletion = getPath(pod, "metadata", "deletionTimestamp");
  const grace = getPath(pod, "metadata", "deletionGracePeriodSeconds");
  if (typeof deletion !== "string" || grace === undefined) return false;
  const end = parseTime(deletion);
  return end !== undefined && nowMs > end + Number(grace) * 1000;
}

/** Requests and limits under the names that quotas have for them. */
function namedAmounts(requests: Amounts, limits: Amounts): Amounts {
  const asked = [...requests].flatMap(([name, amount]) => {
    if (COMPUTE.includes(name) || isHugePages(name))
      return [[name, amount] as const, [`requests.${name}`, amount] as const];
    return isExtendedResource(name) ? [[`requests.${name}`, amount] as const] : [];
  });
  const limited = [...limits].filter(([name]) => COMPUTE.includes(name));
  return new Map([
    ["pods", numberOf(1)],
    ...asked,
    ...limited.map(([name, amount]) => [`limits.${name}`, amount] as const),
  ]);
}

function missingResources(pod: JsonObject, names: readonly string[]): string | undefined {
  const spec = getOwn(pod, "spec");
  if (!isObject(spec)) return undefined;
  const said = (holder: JsonObject): Amounts =>
    namedAmounts(resourcesOf(holder, "requests"), resourcesOf(holder, "limits"));
  const whole = said(spec);
  const containers = [...containersOf(spec, "containers"), ...containersOf(spec, "initContainers")];
  const lacking = names
    .filter((name) => REQUIRED.has(name) && !whole.has(name))
    .sort(byCodeUnit)
    .flatMap((name) => {
      const without = containers.filter((container) => !said(container).has(name)).map((each) => String(each["name"]));
      return without.length === 0 ? [] : [`${name} for: ${[...new Set(without)].sort(byCodeUnit).join(",")}`];
    });
  return lacking.length === 0 ? undefined : `must specify ${lacking.join("; ")}`;
}

function isPodInScope(pod: JsonObject, scope: ScopeRequirement): boolean {
  switch (scope.scopeName) {
    case "Terminating":
      return hasDeadline(pod);
    case "NotTerminating":
      return !hasDeadline(pod);
    case "BestEffort":
      return isBestEffort(pod);
    case "NotBestEffort":
      return !isBestEffort(pod);
    case "PriorityClass": {
      const name = getPath(pod, "spec", "priorityClassName");
      return matchesScope(scope, typeof name === "string" && name !== "" ? [name] : []);
    }
    case "CrossNamespacePodAffinity":
      return namesOtherNamespaces(pod);
    default:
      return false;
  }
}

function hasDeadline(pod: JsonObject): boolean {
  return Number(getPath(pod, "spec", "activeDeadlineSeconds") ?? -1) >= 0;
}

/** No container, and not the pod as a whole, asks for or is limited in cpu or memory. */
function isBestEffort(pod: JsonObject): boolean {
  const spec = getOwn(pod, "spec");
  if (!isObject(spec)) return true;
  const asks = (holder: JsonObject): boolean =>
    (["requests", "limits"] as const).some((side) =>
      [...resourcesOf(holder, side)].some(
        ([name, amount]) => (name === "cpu" || name === "memory") && amount.mantissa !== 0n,
      ),
    );
  return ![spec, ...containersOf(spec, "containers"), ...containersOf(spec, "initContainers")].some(asks);
}

/** Whether an affinity term looks at pods of other namespaces. */
function namesOtherNamespaces(pod: JsonObject): boolean {
  const terms = ["podAffinity", "podAntiAffinity"].flatMap((kind) => {
    const at = (key: string): readonly JsonObject[] => {
      const list = getPath(pod, "spec", "affinity", kind, key);
      return isArray(list) ? list.filter(isObject) : [];
    };
    const preferred = at("preferredDuringSchedulingIgnoredDuringExecution").map((each) => each["podAffinityTerm"]);
    return [...at("requiredDuringSchedulingIgnoredDuringExecution"), ...preferred.filter(isObject)];
  });
  return terms.some((term) => {
    const namespaces = getOwn(term, "namespaces");
    return (isArray(namespaces) && namespaces.length > 0) || isObject(getOwn(term, "namespaceSelector"));
  });
}

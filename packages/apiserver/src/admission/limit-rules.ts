// What a LimitRange makes of a pod, and what it refuses (k/k: plugin/pkg/admission/limitranger).
import { getOwn, getPath, isArray, isObject, type JsonObject, type JsonValue } from "@fairlead/base";
import {
  amountsIn,
  containerAmounts,
  formatQuantity,
  quantityMilliValue,
  quantityValue,
  resourcesOf,
  type Amounts,
  type Quantity,
} from "@fairlead/apimachinery";

import { withMetadata } from "../registry/metadata.js";

const ANNOTATION = "kubernetes.io/limit-ranger";
const MAX_MILLI_VALUE = (2n ** 63n - 1n) / 1000n;

/** The items of `spec.limits`. */
export function limitsOf(limitRange: JsonObject): readonly JsonObject[] {
  return list(getPath(limitRange, "spec", "limits"));
}

/** The pod with the defaults of containers, and the annotation that tells which; the same pod where it lacks none. */
export function withDefaultResources(pod: JsonObject, limits: readonly JsonObject[]): JsonObject {
  const containers = limits.filter((limit) => limit["type"] === "Container");
  const requests = Object.assign({}, ...containers.map((limit) => object(limit, "defaultRequest"))) as JsonObject;
  const most = Object.assign({}, ...containers.map((limit) => object(limit, "default"))) as JsonObject;
  const set: string[] = [];
  const filled =
    (kind: string) =>
    (container: JsonObject): JsonObject => {
      const resources = object(container, "resources");
      const missing = (key: string, defaults: JsonObject): readonly string[] =>
        Object.keys(defaults)
          .filter((name) => !Object.hasOwn(object(resources, key), name))
          .sort();
      const [asked, limited] = [missing("requests", requests), missing("limits", most)];
      if (asked.length > 0) set.push(`${asked.join(", ")} request for ${kind} ${String(container["name"])}`);
      if (limited.length > 0) set.push(`${limited.join(", ")} limit for ${kind} ${String(container["name"])}`);
      if (asked.length + limited.length === 0) return container;
      const part = (key: string, defaults: JsonObject): JsonObject => {
        const amounts = { ...defaults, ...object(resources, key) };
        return Object.keys(amounts).length === 0 ? {} : { [key]: amounts };
      };
      return { ...container, resources: { ...resources, ...part("limits", most), ...part("requests", requests) } };
    };
  const spec = object(pod, "spec");
  const changed: { [key: string]: JsonValue } = {};
  changed["containers"] = list(spec["containers"]).map(filled("container"));
  if (spec["initContainers"] !== undefined)
    changed["initContainers"] = list(spec["initContainers"]).map(filled("init container"));
  if (set.length === 0) return pod;
  const annotations = {
    ...object(object(pod, "metadata"), "annotations"),
    [ANNOTATION]: `LimitRanger plugin set: ${set.join("; ")}`,
  };
  return withMetadata({ ...pod, spec: { ...spec, ...changed } }, { annotations });
}

/** Why a LimitRange refuses a pod; empty when it does not. */
export function podRefusals(pod: JsonObject, limits: readonly JsonObject[]): readonly string[] {
  const spec = object(pod, "spec");
  const containers = [...list(spec["containers"]), ...list(spec["initContainers"])];
  return limits.flatMap((limit) => {
    switch (limit["type"]) {
      case "Container":
        return containers.flatMap((container) => {
          return refusals(limit, {
            requests: resourcesOf(container, "requests"),
            limits: resourcesOf(container, "limits"),
          });
        });
      case "Pod":
        return refusals(limit, {
          requests: containerAmounts(spec, (container) => resourcesOf(container, "requests")),
          limits: containerAmounts(spec, (container) => resourcesOf(container, "limits")),
        });
      default:
        return [];
    }
  });
}

/** Why a LimitRange refuses a claim for a volume. */
export function claimRefusals(claim: JsonObject, limits: readonly JsonObject[]): readonly string[] {
  const requests = resourcesOf(object(claim, "spec"), "requests");
  return limits
    .filter((limit) => limit["type"] === "PersistentVolumeClaim")
    .flatMap((limit) => [
      ...each(limit, "min", (name, least) =>
        belowMinimum(`${name} usage per PersistentVolumeClaim`, least, { request: requests.get(name) }),
      ),
      ...each(limit, "max", (name, most) => {
        const request = requests.get(name);
        const usage = `maximum ${name} usage per PersistentVolumeClaim is ${formatQuantity(most)}`;
        if (request === undefined) return `${usage}.  No request is specified`;
        return exceeds(request, most) ? `${usage}, but request is ${formatQuantity(request)}` : undefined;
      }),
    ]);
}

interface Use {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

function refusals(limit: JsonObject, { requests, limits }: Use): readonly string[] {
  const type = String(limit["type"]);
  return [
    ...each(limit, "min", (name, least) =>
      belowMinimum(`${name} usage per ${type}`, least, { request: requests.get(name), limit: limits.get(name) }),
    ),
    ...each(limit, "max", (name, most) =>
      aboveMaximum(`${name} usage per ${type}`, most, { request: requests.get(name), limit: limits.get(name) }),
    ),
    ...each(limit, "maxLimitRequestRatio", (name, ratio) =>
      aboveRatio(`${name} max limit to request ratio per ${type}`, ratio, {
        request: requests.get(name),
        limit: limits.get(name),
      }),
    ),
  ];
}

/** What one container, or one pod, asks for of one resource. */
interface Asked {
  readonly request?: Quantity | undefined;
  readonly limit?: Quantity | undefined;
}

function belowMinimum(usage: string, least: Quantity, { request, limit }: Asked): string | undefined {
  const bound = `minimum ${usage} is ${formatQuantity(least)}`;
  if (request === undefined) return `${bound}.  No request is specified`;
  if (exceeds(least, request)) return `${bound}, but request is ${formatQuantity(request)}`;
  return limit !== undefined && exceeds(least, limit) ? `${bound}, but limit is ${formatQuantity(limit)}` : undefined;
}

function aboveMaximum(usage: string, most: Quantity, { request, limit }: Asked): string | undefined {
  const bound = `maximum ${usage} is ${formatQuantity(most)}`;
  if (limit === undefined) return `${bound}.  No limit is specified`;
  if (exceeds(limit, most)) return `${bound}, but limit is ${formatQuantity(limit)}`;
  return request !== undefined && exceeds(request, most)
    ? `${bound}, but request is ${formatQuantity(request)}`
    : undefined;
}

function aboveRatio(what: string, ratio: Quantity, { request, limit }: Asked): string | undefined {
  const bound = `${what} is ${formatQuantity(ratio)}`;
  if (request === undefined || quantityValue(request) === 0n)
    return `${bound}, but no request is specified or request is 0`;
  if (limit === undefined || quantityValue(limit) === 0n) return `${bound}, but no limit is specified or limit is 0`;
  const [asked, most] = measured([request, limit]);
  const found = Number(most) / Number(asked);
  const allowed = Number(quantityMilliValue(ratio)) / 1000;
  return found > allowed ? `${bound}, but provided ratio is ${found.toFixed(6)}` : undefined;
}

/** Whether an amount is more than another, compared in thousandths unless one is too large for that. */
function exceeds(a: Quantity, b: Quantity): boolean {
  const [first = 0n, second = 0n] = measured([a, b]);
  return first > second;
}

function measured(quantities: readonly Quantity[]): readonly bigint[] {
  const values = quantities.map(quantityValue);
  return values.some((value) => value > MAX_MILLI_VALUE) ? values : quantities.map(quantityMilliValue);
}

function each(
  limit: JsonObject,
  key: string,
  problem: (name: string, bound: Quantity) => string | undefined,
): readonly string[] {
  return [...amountsIn(limit, key)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, bound]) => problem(name, bound) ?? []);
}

function object(holder: JsonObject, key: string): JsonObject {
  const value = getOwn(holder, key);
  return isObject(value) ? value : {};
}

function list(value: JsonValue | undefined): readonly JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}

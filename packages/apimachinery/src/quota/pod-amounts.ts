// What a pod asks for as a whole (k/k: staging/src/k8s.io/component-helpers/resource/helpers.go).
import { getOwn, getPath, isArray, isObject, type JsonObject } from "@fairlead/base";
import { addAmounts, amountsIn, maskAmounts, mostAmounts, NO_AMOUNTS, type Amounts } from "./amounts.js";
import { isHugePages } from "./resource-names.js";

export type ResourceSide = "requests" | "limits";

/** The containers of a pod, and its init containers. */
export function containersOf(spec: JsonObject, key: "containers" | "initContainers"): readonly JsonObject[] {
  const list = getOwn(spec, key);
  return isArray(list) ? list.filter(isObject) : [];
}

/** The sum over a pod's containers, or what starting it takes where that is more; sidecars run beside all that follow. */
export function containerAmounts(spec: JsonObject, of: (container: JsonObject) => Amounts): Amounts {
  let running: Amounts = NO_AMOUNTS;
  let starting: Amounts = NO_AMOUNTS;
  for (const container of containersOf(spec, "initContainers")) {
    const both = addAmounts(running, of(container));
    if (container["restartPolicy"] === "Always") running = both;
    starting = mostAmounts(starting, both);
  }
  const sum = containersOf(spec, "containers").reduce((total, each) => addAmounts(total, of(each)), running);
  return mostAmounts(sum, starting);
}

/** What the resources of a container or a pod say. */
export function resourcesOf(holder: JsonObject, side: ResourceSide): Amounts {
  const resources = getOwn(holder, "resources");
  return isObject(resources) ? amountsIn(resources, side) : NO_AMOUNTS;
}

/**
 * What a pod takes: its containers, or in their place what it says as a whole of a resource, and the overhead of its
 * runtime. A resize that is under way counts with the larger of both amounts.
 */
export function podAmounts(pod: JsonObject, side: ResourceSide): Amounts {
  const spec = getOwn(pod, "spec");
  if (!isObject(spec)) return NO_AMOUNTS;
  const held = heldAmounts(pod, side);
  const containers = containerAmounts(spec, (container) =>
    mostAmounts(resourcesOf(container, side), held.get(String(container["name"])) ?? NO_AMOUNTS),
  );
  const whole = resourcesOf(spec, side);
  const own = new Map([...containers, ...[...whole].filter(([name]) => isPodLevel(name))]);
  const overhead = amountsIn(spec, "overhead");
  return addAmounts(own, side === "limits" ? maskAmounts(overhead, limited(own)) : overhead);
}

/** The resources that a pod may state as a whole. */
function isPodLevel(name: string): boolean {
  return name === "cpu" || name === "memory" || isHugePages(name);
}

function limited(limits: Amounts): readonly string[] {
  return [...limits].flatMap(([name, amount]) => (amount.mantissa === 0n ? [] : [name]));
}

/** What the containers hold by their statuses. */
function heldAmounts(pod: JsonObject, side: ResourceSide): ReadonlyMap<string, Amounts> {
  const statuses = ["containerStatuses", "initContainerStatuses"].flatMap((key) => {
    const list = getPath(pod, "status", key);
    return isArray(list) ? list.filter(isObject) : [];
  });
  return new Map(
    statuses
      .filter((status) => isObject(getOwn(status, "resources")))
      .map((status) => {
        const actual = resourcesOf(status, side);
        const most = side === "requests" ? mostAmounts(actual, amountsIn(status, "allocatedResources")) : actual;
        return [String(status["name"]), most] as const;
      }),
  );
}

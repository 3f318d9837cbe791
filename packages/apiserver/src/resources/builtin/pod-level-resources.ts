// Resources of a pod as a whole (k/k: validatePodResources; component-helpers: resource.AggregateContainerRequests).
import {
  addQuantities,
  compareQuantities,
  findQuantity,
  forbidden,
  formatQuantity,
  invalid,
  isHugePages,
  notSupported,
  type FieldError,
  type Quantity,
} from "@fairlead/apimachinery";
import type { JsonObject } from "@fairlead/base";
import { at, entries, has, obj, objs, str } from "./access.js";
import { resourceErrors, resourceNameErrors, type ResourceNameRule } from "./pod-resources.js";

const SUPPORTED: readonly string[] = ["cpu", "hugepages-", "memory"];
const podResourceName: ResourceNameRule = (name, path) => {
  const errors = resourceNameErrors(name, path);
  if (errors.length > 0) return errors;
  return name === "cpu" || name === "memory" || isHugePages(name) ? [] : [notSupported(path, name, SUPPORTED)];
};

/** What is wrong with the resources of a pod's spec, taken by themselves and with those of its containers. */
export function podResourceErrors(spec: JsonObject, path: string, claims: readonly string[]): readonly FieldError[] {
  const resources = obj(spec, "resources");
  const where = `${path}.resources`;
  if (resources === undefined) return [];
  if (str(obj(spec, "os"), "name") === "windows") return [forbidden(where, "may not be set for a windows pod")];
  return [
    ...(has(resources, "claims")
      ? [forbidden(`${where}.claims`, "claims may not be set for Resources at pod-level")]
      : []),
    ...resourceErrors(resources, where, { name: podResourceName, claims }),
    ...aggregateErrors(spec, resources, where),
  ];
}

type Amounts = ReadonlyMap<string, Quantity>;

function amounts(resources: JsonObject, key: string): Amounts {
  return new Map(
    entries(resources, key).flatMap(([name, text]) => {
      const quantity = findQuantity(String(text));
      return quantity === undefined ? [] : [[name, quantity]];
    }),
  );
}

function aggregateErrors(spec: JsonObject, resources: JsonObject, path: string): readonly FieldError[] {
  const requests = amounts(resources, "requests");
  const limits = amounts(resources, "limits");
  const errors: FieldError[] = [];
  const compare = (key: string, own: Amounts, only: (name: string) => boolean): void => {
    for (const [name, sum] of aggregated(spec, key)) {
      const most = own.get(name);
      if (most === undefined || !only(name) || compareQuantities(sum, most) <= 0) continue;
      const detail = `must be greater than or equal to aggregate container ${key} of ${formatQuantity(sum)}`;
      errors.push(invalid(`${path}.${key}[${name}]`, formatQuantity(most), detail));
    }
  };
  compare("requests", requests, () => true);
  compare("limits", limits, isHugePages);
  for (const [i, container] of objs(spec, "containers").entries()) {
    for (const [name, limit] of amounts(at(container, "resources"), "limits")) {
      const most = limits.get(name);
      if (most === undefined || compareQuantities(limit, most) <= 0) continue;
      const detail = `must be less than or equal to pod limits of ${formatQuantity(most)}`;
      errors.push(invalid(`${path}.containers[${i}][${name}].limits`, formatQuantity(limit), detail));
    }
  }
  return errors;
}

/** What the containers need at most at any time: all that run together, or one that runs first with those beside it. */
function aggregated(spec: JsonObject, key: string): Amounts {
  const total = new Map<string, Quantity>();
  const beside = new Map<string, Quantity>();
  const first = new Map<string, Quantity>();
  for (const container of objs(spec, "containers")) add(total, amounts(at(container, "resources"), key));
  for (const container of objs(spec, "initContainers")) {
    const own = amounts(at(container, "resources"), key);
    if (str(container, "restartPolicy") === "Always") {
      add(total, own);
      add(beside, own);
      raise(first, beside);
    } else {
      const together = new Map(own);
      add(together, beside);
      raise(first, together);
    }
  }
  raise(total, first);
  return total;
}

function add(sum: Map<string, Quantity>, more: Amounts): void {
  for (const [name, quantity] of more) {
    const before = sum.get(name);
    sum.set(name, before === undefined ? quantity : addQuantities(before, quantity));
  }
}

function raise(most: Map<string, Quantity>, other: Amounts): void {
  for (const [name, quantity] of other) {
    const before = most.get(name);
    if (before === undefined || compareQuantities(quantity, before) > 0) most.set(name, quantity);
  }
}

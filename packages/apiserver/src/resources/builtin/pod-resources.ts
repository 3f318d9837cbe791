// Resources of containers (k/k: validateResourceRequirements and its helpers; pkg/apis/core/helper for the names).
import {
  compareQuantities,
  findQuantity,
  forbidden,
  invalid,
  invalidEach,
  isDns1123Label,
  isExtendedResource,
  isHugePages,
  isNativeResource,
  isQualifiedName,
  quantityMilliValue,
  quantityValue,
  required,
  duplicate,
  type FieldError,
  type Quantity,
} from "@fairlead/apimachinery";
import type { JsonObject } from "@fairlead/base";
import { at, entries, objs, str } from "./access.js";

/** Tells what is wrong with the name of a resource, at a path. */
export type ResourceNameRule = (name: string, path: string) => readonly FieldError[];

const STANDARD_CONTAINER: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);

const STANDARD: ReadonlySet<string> = new Set([
  "cpu",
  "memory",
  "ephemeral-storage",
  "requests.cpu",
  "requests.memory",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "storage",
  "requests.storage",
  "services.nodeports",
  "services.loadbalancers",
]);

const STANDARD_QUOTA: ReadonlySet<string> = new Set([
  ...[...STANDARD].filter((name) => name !== "storage"),
  "count/pods",
]);

const INTEGERS: ReadonlySet<string> = new Set([
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);

/** Native resources but huge pages may be limited above what is requested. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePages(name);
}

/** A name that any resource may have. */
export const resourceNameErrors: ResourceNameRule = (name, path) => {
  const errors = invalidEach(path, name, isQualifiedName(name));
  if (errors.length > 0 || name.includes("/")) return errors;
  return STANDARD.has(name) || isHugePages(name) || name.startsWith("requests.hugepages-")
    ? []
    : [invalid(path, name, "must be a standard resource type or fully qualified")];
};

/** A name that a resource of a container may have. */
export const containerResourceNameErrors: ResourceNameRule = (name, path) => {
  const errors = resourceNameErrors(name, path);
  if (!name.includes("/")) {
    const standard = STANDARD_CONTAINER.has(name) || isHugePages(name);
    return standard ? errors : [...errors, invalid(path, name, "must be a standard resource for containers")];
  }
  return isNativeResource(name) || isExtendedResource(name)
    ? errors
    : [...errors, invalid(path, name, "doesn't follow extended resource name standard")];
};

/** A name that a quota may count. */
export const quotaResourceNameErrors: ResourceNameRule = (name, path) => {
  const errors = resourceNameErrors(name, path);
  if (name.includes("/")) return errors;
  const standard = STANDARD_QUOTA.has(name) || isHugePages(name) || name.startsWith("requests.hugepages-");
  return standard ? errors : [...errors, invalid(path, name, "must be a standard resource for quota")];
};

/** Not negative, and whole where the resource is counted. */
export function resourceQuantityErrors(
  name: string,
  quantity: Quantity | undefined,
  text: string,
  path: string,
): readonly FieldError[] {
  if (quantity === undefined) return [];
  const errors = quantity.mantissa < 0n ? [invalid(path, text, "must be greater than or equal to 0")] : [];
  const whole = INTEGERS.has(name) || isExtendedResource(name);
  return whole && quantityMilliValue(quantity) % 1000n !== 0n
    ? [...errors, invalid(path, text, "must be an integer")]
    : errors;
}

export interface ResourceRules {
  readonly name: ResourceNameRule;
  /** Names of the pod's resource claims. */
  readonly claims: readonly string[];
}

/** What is wrong with ResourceRequirements. */
export function resourceErrors(resources: JsonObject, path: string, rules: ResourceRules): readonly FieldError[] {
  const limits = new Map(entries(resources, "limits").map(([name, text]) => [name, String(text)]));
  const requests = entries(resources, "requests").map(([name, text]) => [name, String(text)] as const);
  const errors = [...limits].flatMap(([name, text]) =>
    amountErrors(name, text, { path: `${path}.limits[${name}]`, rules }),
  );
  for (const [name, text] of requests) {
    errors.push(
      ...amountErrors(name, text, {
        path: `${path}.requests[${name}]`,
        rules,
        withLimit: limits.get(name),
        parent: path,
      }),
    );
  }
  const names = [...limits.keys(), ...requests.map(([name]) => name)];
  if (names.some(isHugePages) && !names.includes("cpu") && !names.includes("memory")) {
    errors.push(forbidden(path, "HugePages require cpu or memory"));
  }
  return [...errors, ...claimErrors(resources, `${path}.claims`, rules.claims)];
}

interface Amount {
  readonly path: string;
  readonly rules: ResourceRules;
  /** For requests: the limit of the same resource, and where both stand. */
  readonly withLimit?: string | undefined;
  readonly parent?: string;
}

function amountErrors(name: string, text: string, { path, rules, withLimit, parent }: Amount): readonly FieldError[] {
  const quantity = findQuantity(text);
  const errors = [...rules.name(name, path), ...resourceQuantityErrors(name, quantity, text, path)];
  if (parent !== undefined && quantity !== undefined)
    errors.push(...limitErrors(name, { quantity, text, limit: withLimit, parent }));
  if (quantity !== undefined && isHugePages(name) && !isDivisible(name, quantity))
    errors.push(invalid(path, text, `${text} is not positive integer multiple of ${name}`));
  return errors;
}

/** Whether huge pages of a size make an amount. */
function isDivisible(name: string, quantity: Quantity): boolean {
  const size = findQuantity(name.slice("hugepages-".length));
  if (size === undefined || size.mantissa <= 0n || quantityMilliValue(size) % 1000n !== 0n) return false;
  return quantityValue(quantity) % quantityValue(size) === 0n;
}

interface Request {
  readonly quantity: Quantity;
  readonly text: string;
  readonly limit: string | undefined;
  readonly parent: string;
}

function limitErrors(name: string, { quantity, text, limit, parent }: Request): readonly FieldError[] {
  const overcommit = isOvercommitAllowed(name);
  if (limit === undefined)
    return overcommit ? [] : [required(`${parent}.limits`, "Limit must be set for non overcommitable resources")];
  const most = findQuantity(limit);
  const order = most === undefined ? 0 : compareQuantities(quantity, most);
  if (order !== 0 && !overcommit)
    return [invalid(`${parent}.requests`, text, `must be equal to ${name} limit of ${limit}`)];
  return order > 0
    ? [invalid(`${parent}.requests`, text, `must be less than or equal to ${name} limit of ${limit}`)]
    : [];
}

function claimErrors(resources: JsonObject, path: string, known: readonly string[]): readonly FieldError[] {
  const seen = new Set<string>();
  return objs(resources, "claims").flatMap((claim, i) => {
    const name = str(claim, "name");
    const where = `${path}[${i}]`;
    if (name === "") return [required(where)];
    const errors = [...entryErrors(name, str(claim, "request"), { path: where, seen })];
    if (!known.includes(name)) {
      const which = known.length === 0 ? " which is empty" : `: ${[...known].sort().join(", ")}`;
      const detail = `must be one of the names in pod.spec.resourceClaims${which}`;
      errors.push({ type: "FieldValueNotFound", field: where, badValue: name, detail });
    }
    return errors;
  });
}

/** A claim is named once as a whole, or once for each of its requests. */
function entryErrors(
  name: string,
  request: string,
  { path, seen }: { readonly path: string; readonly seen: Set<string> },
): readonly FieldError[] {
  if (seen.has(name)) return [duplicate(path, name)];
  const key = request === "" ? name : `${name}/${request}`;
  const errors = request === "" ? [] : [...invalidEach(`${path}.request`, request, isDns1123Label(request))];
  if (seen.has(key)) errors.push(duplicate(path, key));
  else if (request === "")
    for (const other of seen) if (other.startsWith(`${name}/`)) errors.push(duplicate(path, name));
  seen.add(key);
  return errors;
}

/** Whether a pod is Guaranteed, Burstable or BestEffort (k/k: pkg/apis/core/v1/helper/qos). */
export function qosClass(pod: JsonObject): string {
  const spec = at(pod, "spec");
  const level = at(spec, "resources");
  const containers =
    entries(level, "requests").length + entries(level, "limits").length > 0
      ? [{ resources: level }]
      : [...objs(spec, "containers"), ...objs(spec, "initContainers")];
  const compute = (container: JsonObject, key: string): ReadonlyMap<string, Quantity> =>
    new Map(
      entries(at(container, "resources"), key).flatMap(([name, text]) => {
        const quantity = name === "cpu" || name === "memory" ? findQuantity(String(text)) : undefined;
        return quantity === undefined || quantity.mantissa === 0n ? [] : [[name, quantity] as const];
      }),
    );
  let some = false;
  let guaranteed = true;
  for (const container of containers) {
    const requests = compute(container, "requests");
    const limits = compute(container, "limits");
    if (requests.size > 0 || limits.size > 0) some = true;
    if (limits.size !== 2) guaranteed = false;
    for (const [name, quantity] of requests) {
      const limit = limits.get(name);
      if (limit === undefined || compareQuantities(quantity, limit) !== 0) guaranteed = false;
    }
  }
  if (!some) return "BestEffort";
  return guaranteed ? "Guaranteed" : "Burstable";
}

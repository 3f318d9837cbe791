// ComponentStatus, Node, RuntimeClass, PriorityClass (k/k: ValidateNode, pkg/apis/{node,scheduling}/validation).
import {
  duplicate,
  FIELD_IS_IMMUTABLE,
  findQuantity,
  forbidden,
  goQuote,
  internalError,
  invalid,
  invalidEach,
  isDns1123Label,
  nameIsDnsSubdomain,
  parseCidr,
  required,
  validateLabels,
  type FieldError,
} from "@fairlead/apimachinery";
import { deepEqual, getOwn, type JsonObject, type MutableJsonObject } from "@fairlead/base";
import type { ResourceStrategy } from "../resource.js";
import { at, bool, entries, has, num, obj, objs, str, strs } from "./access.js";
import { legacyCidrErrors } from "./address-rules.js";
import { cidrWarnings } from "./ip-warnings.js";
import { containerResourceNameErrors, resourceErrors, resourceQuantityErrors } from "./pod-resources.js";
import { deprecatedLabel } from "./pod-warnings.js";
import { requiredOneOf } from "./rules.js";
import { taintErrors, tolerationErrors } from "./scheduling-rules.js";
import { builtinStrategy } from "./strategy.js";

/** The strategies of these kinds. */
export function nodeStrategies(): readonly ResourceStrategy[] {
  return [
    node(),
    runtimeClass(),
    priorityClass(),
    builtinStrategy("/v1/ComponentStatus", { deprecation: "v1 ComponentStatus is deprecated in v1.19+" }),
  ];
}

const NOT_READY: JsonObject = { effect: "NoSchedule", key: "node.kubernetes.io/not-ready" };

function node(): ResourceStrategy {
  return builtinStrategy("/v1/Node", {
    validateName: nameIsDnsSubdomain,
    prepareForCreate: (object) => {
      const spec: MutableJsonObject = { ...at(object, "spec") };
      delete spec["configSource"];
      taintUntilReady(spec);
      object["spec"] = spec;
    },
    prepareForUpdate: (object, live) => {
      if (has(at(live, "spec"), "configSource")) return;
      const { configSource: _removed, ...spec } = at(object, "spec");
      object["spec"] = spec;
    },
    prepareForStatusUpdate: (object, live) => {
      if (has(at(live, "status"), "config") || !has(object, "status")) return;
      const { config: _removed, ...status } = at(object, "status");
      object["status"] = status;
    },
    validateCreate: nodeErrors,
    validateUpdate: (object, live) => [...nodeErrors(object), ...changeErrors(object, live)],
    validateStatusUpdate: changeErrors,
    warnings: (object) => {
      const spec = at(object, "spec");
      return [
        ...(has(spec, "configSource") ? ["spec.configSource: the feature is removed"] : []),
        ...(str(spec, "externalID") === ""
          ? []
          : ["spec.externalID: this field is deprecated, and is unused by Kubernetes"]),
        ...strs(spec, "podCIDRs").flatMap((cidr, i) => cidrWarnings(cidr, `spec.podCIDRs[${i}]`)),
      ];
    },
    selectableFields: new Map([["spec.unschedulable", (object) => String(bool(obj(object, "spec"), "unschedulable"))]]),
  });
}

/** New nodes are kept free until they report that they are ready (the TaintNodesByCondition admission plug-in). */
function taintUntilReady(spec: MutableJsonObject): void {
  const taints = objs(spec, "taints");
  const tainted = taints.some(
    (taint) => str(taint, "key") === NOT_READY["key"] && str(taint, "effect") === NOT_READY["effect"],
  );
  if (!tainted) spec["taints"] = [...taints, NOT_READY];
}

function quantityErrors(object: JsonObject): readonly FieldError[] {
  return ["capacity", "allocatable"].flatMap((key) =>
    entries(at(object, "status"), key).flatMap(([name, value]) =>
      resourceQuantityErrors(name, findQuantity(String(value)), String(value), `status.${key}.${name}`),
    ),
  );
}

function nodeErrors(object: JsonObject): readonly FieldError[] {
  const spec = at(object, "spec");
  const cidrs = strs(spec, "podCIDRs");
  return [
    ...taintErrors(objs(spec, "taints"), "metadata.taints"),
    ...quantityErrors(object),
    ...cidrs.flatMap((cidr, i) => legacyCidrErrors(cidr, `spec.podCIDRs[${i}]`)),
    ...(cidrs.length > 1 ? familyErrors(cidrs, "spec.podCIDRs") : []),
  ];
}

/** One network for each family. */
function familyErrors(cidrs: readonly string[], path: string): readonly FieldError[] {
  const bad = cidrs.findIndex((cidr) => parseCidr(cidr) === undefined);
  const families = new Set(cidrs.map((cidr) => parseCidr(cidr)?.address.bits));
  const crowded = bad >= 0 || families.size === 1 || cidrs.length > 2;
  const problem = `invalid CIDR[${bad}]: <nil> (invalid CIDR address: ${cidrs[bad] ?? ""})`;
  return [
    ...(bad < 0
      ? []
      : [internalError(path, `invalid PodCIDRs. failed to check with dual stack with error:${problem}`)]),
    ...(crowded ? [invalid(path, [...cidrs], "may specify no more than one CIDR for each IP family")] : []),
  ];
}

/** Features that a node says it has, in the order of their names. */
function featureErrors(status: JsonObject): readonly FieldError[] {
  const names = strs(status, "declaredFeatures");
  return names.flatMap((name, i) => {
    const [where, next] = [`status.declaredFeatures[${i + 1}]`, names[i + 1]];
    const form = /^[A-Z][a-zA-Z0-9]*(?:\/[a-zA-Z][a-zA-Z0-9]*)*$/.test(name);
    const detail = `invalid feature name ${goQuote(name)}: must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`;
    return [
      ...(form ? [] : [invalid(`status.declaredFeatures[${i}]`, name, detail)]),
      ...(next === name ? [duplicate(where, name)] : []),
      ...(next !== undefined && name > next ? [invalid(where, next, "list must be sorted alphabetically")] : []),
    ];
  });
}

function changeErrors(object: JsonObject, live: JsonObject): readonly FieldError[] {
  const spec = at(object, "spec");
  const before = at(live, "spec");
  const errors: FieldError[] = [...quantityErrors(object), ...featureErrors(at(object, "status"))];
  const addresses = objs(at(object, "status"), "addresses");
  for (const [i, address] of addresses.entries()) {
    const repeated = addresses.slice(0, i).some((other) => deepEqual(other, address));
    if (repeated)
      errors.push(
        duplicate(`status.addresses[${i}]`, { Type: str(address, "type"), Address: str(address, "address") }),
      );
  }
  const [cidrs, old] = [strs(spec, "podCIDRs"), strs(before, "podCIDRs")];
  const changed =
    old.length === 0 ? 0 : cidrs.length !== old.length ? 1 : old.filter((cidr, i) => cidr !== cidrs[i]).length;
  for (let i = 0; i < changed; i++)
    errors.push(forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid'));
  const provider = str(before, "providerID");
  if (provider !== "" && provider !== str(spec, "providerID"))
    errors.push(forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid'));
  errors.push(...taintErrors(objs(spec, "taints"), "metadata.taints"));
  return str(spec, "externalID") === str(before, "externalID")
    ? errors
    : [...errors, forbidden("spec.externalID", "may not be updated")];
}

function runtimeClass(): ResourceStrategy {
  return builtinStrategy("node.k8s.io/v1/RuntimeClass", {
    anyFinalizer: true,
    validateCreate: runtimeErrors,
    validateUpdate: (object, live) =>
      str(object, "handler") === str(live, "handler")
        ? []
        : [invalid("handler", str(object, "handler"), FIELD_IS_IMMUTABLE)],
    warnings: (object) =>
      entries(at(object, "scheduling"), "nodeSelector").flatMap(([key]) => {
        const message = deprecatedLabel(key);
        return message === undefined ? [] : [`scheduling.nodeSelector: ${message}`];
      }),
  });
}

function runtimeErrors(object: JsonObject): readonly FieldError[] {
  const handler = str(object, "handler");
  const overhead = obj(object, "overhead");
  const scheduling = obj(object, "scheduling");
  const errors: FieldError[] =
    handler === "" ? [required("handler")] : [...invalidEach("handler", handler, isDns1123Label(handler))];
  if (overhead !== undefined)
    errors.push(
      ...resourceErrors({ limits: at(overhead, "podFixed") }, "overhead", {
        name: containerResourceNameErrors,
        claims: [],
      }),
    );
  if (scheduling === undefined) return errors;
  errors.push(
    ...validateLabels(obj(scheduling, "nodeSelector"), "scheduling.nodeSelector"),
    ...tolerationErrors(scheduling, "scheduling.tolerations"),
  );
  const seen = new Set<string>();
  for (const [i, toleration] of objs(scheduling, "tolerations").entries()) {
    const key = JSON.stringify(["key", "operator", "value", "effect"].map((member) => str(toleration, member)));
    if (seen.has(key)) errors.push(duplicate(`scheduling.tolerations[${i}]`, shownToleration(toleration)));
    seen.add(key);
  }
  return errors;
}

function shownToleration(toleration: JsonObject): JsonObject {
  return {
    Key: str(toleration, "key"),
    Operator: str(toleration, "operator"),
    Value: str(toleration, "value"),
    Effect: str(toleration, "effect"),
    TolerationSeconds: getOwn(toleration, "tolerationSeconds") ?? null,
  };
}

const SYSTEM_VALUES: ReadonlyMap<string, number> = new Map([
  ["system-node-critical", 2_000_001_000],
  ["system-cluster-critical", 2_000_000_000],
]);

const GREATEST_USER_VALUE = 1_000_000_000;

function priorityClass(): ResourceStrategy {
  return builtinStrategy("scheduling.k8s.io/v1/PriorityClass", {
    // Counted once, and never again.
    prepareForCreate: (object) => {
      object["metadata"] = { ...at(object, "metadata"), generation: 1 };
    },
    validateCreate: priorityErrors,
    validateUpdate: (object, live) => [
      ...(num(object, "value") === num(live, "value") ? [] : [forbidden("value", "may not be changed in an update.")]),
      ...(str(object, "preemptionPolicy") === str(live, "preemptionPolicy")
        ? []
        : [invalid("preemptionPolicy", getOwn(object, "preemptionPolicy") ?? null, FIELD_IS_IMMUTABLE)]),
    ],
  });
}

function priorityErrors(object: JsonObject): readonly FieldError[] {
  const name = str(at(object, "metadata"), "name");
  const value = num(object, "value");
  const errors: FieldError[] = [];
  if (name.startsWith("system-")) {
    const problem = systemProblem(name, object);
    if (problem !== undefined)
      errors.push(
        forbidden(
          "metadata.name",
          `priority class names with 'system-' prefix are reserved for system use only. error: ${problem}`,
        ),
      );
  } else if (value > GREATEST_USER_VALUE)
    errors.push(forbidden("value", `maximum allowed value of a user defined priority is ${GREATEST_USER_VALUE}`));
  return has(object, "preemptionPolicy")
    ? [
        ...errors,
        ...requiredOneOf(str(object, "preemptionPolicy"), "preemptionPolicy", ["PreemptLowerPriority", "Never"]),
      ]
    : errors;
}

function systemProblem(name: string, object: JsonObject): string | undefined {
  const value = SYSTEM_VALUES.get(name);
  if (value === undefined) return `${name} is not a known system priority class`;
  if (num(object, "value") !== value) return `value of ${name} PriorityClass must be ${value}`;
  return bool(object, "globalDefault") ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

// Deployment and ReplicaSet (k/k: pkg/apis/apps/validation, pkg/registry/apps).
import {
  FIELD_IS_IMMUTABLE,
  forbidden,
  invalid,
  notSupported,
  required,
  sameValue,
  type FieldError,
} from "@fairlead/apimachinery";
import { getOwn, type JsonObject, type JsonValue, type MutableJsonObject } from "@fairlead/base";
import type { ResourceStrategy } from "../resource.js";
import { at, has, num, obj, str } from "./access.js";
import { internalForm } from "./internal-form.js";
import { replicatedTemplateErrors } from "./pod-spec-rules.js";
import { podNameWarnings, replicaStatusErrors, templateWarnings } from "./pods.js";
import { intOrPercentValue, nonNegativeMember, nonNegativeOrPercent, notMoreThanAll } from "./rules.js";
import { requiredSelectorErrors, selectorOf, shownSelector, templateIsSelected } from "./selector-rules.js";
import { builtinStrategy } from "./strategy.js";

/** The strategies of these kinds. */
export function workloadStrategies(): readonly ResourceStrategy[] {
  return [deployment(), replicaSet()];
}

const TEMPLATE: readonly string[] = ["spec", "template"];

function deployment(): ResourceStrategy {
  return builtinStrategy("apps/v1/Deployment", {
    prepareForUpdate: countAnnotations,
    prepareForStatusUpdate: keepLabels,
    validateCreate: (object) => deploymentErrors(at(object, "spec")),
    validateUpdate: (object, live) => [...deploymentErrors(at(object, "spec")), ...selectorChangeErrors(object, live)],
    validateStatusUpdate: (object, live) => [
      ...deploymentStatusErrors(at(object, "status")),
      ...collisionErrors(object, live),
    ],
    warnings: workloadWarnings,
    resetFields: { status: [["metadata", "labels"]] },
  });
}

/** Other than of most kinds, annotations of Deployments count as a change of what is wanted. */
function countAnnotations(object: MutableJsonObject, live: JsonObject): void {
  const before = at(live, "metadata");
  if (sameValue(getOwn(at(object, "metadata"), "annotations"), getOwn(before, "annotations"))) return;
  object["metadata"] = { ...at(object, "metadata"), generation: num(before, "generation") + 1 };
}

function keepLabels(object: MutableJsonObject, live: JsonObject): void {
  const metadata: MutableJsonObject = { ...at(object, "metadata") };
  const labels = getOwn(at(live, "metadata"), "labels");
  if (labels === undefined) delete metadata["labels"];
  else metadata["labels"] = labels;
  object["metadata"] = metadata;
}

function workloadWarnings(object: JsonObject, live: JsonObject | undefined): readonly string[] {
  return [...(live === undefined ? podNameWarnings(object) : []), ...templateWarnings(object, live, TEMPLATE)];
}

/** The selector of a workload stays as it is. */
export function selectorChangeErrors(object: JsonObject, live: JsonObject): readonly FieldError[] {
  const after = getOwn(at(object, "spec"), "selector");
  if (sameValue(after, getOwn(at(live, "spec"), "selector"))) return [];
  return [invalid("spec.selector", shownSelector(at(object, "spec")), FIELD_IS_IMMUTABLE)];
}

function deploymentErrors(spec: JsonObject): readonly FieldError[] {
  const errors = [
    ...nonNegativeMember(spec, "replicas", "spec"),
    ...selectorAndTemplateErrors(spec),
    ...deploymentStrategyErrors(spec),
    ...nonNegativeMember(spec, "minReadySeconds", "spec"),
    ...nonNegativeMember(spec, "revisionHistoryLimit", "spec"),
    ...nonNegativeMember(spec, "progressDeadlineSeconds", "spec"),
  ];
  const deadline = num(spec, "progressDeadlineSeconds");
  if (!has(spec, "progressDeadlineSeconds") || deadline > num(spec, "minReadySeconds")) return errors;
  return [...errors, invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")];
}

function selectorAndTemplateErrors(spec: JsonObject): readonly FieldError[] {
  const errors = requiredSelectorErrors(spec, "spec.selector", "deployment");
  const selector = selectorOf(spec);
  if (selector === undefined)
    return [...errors, invalid("spec.selector", shownSelector(spec), "invalid label selector")];
  const matches = templateIsSelected(spec, selector);
  return [
    ...errors,
    ...replicatedTemplateErrors(at(spec, "template"), "spec.template", {
      matches,
      deadline: "activeDeadlineSeconds in ReplicaSet is not Supported",
    }),
  ];
}

function deploymentStrategyErrors(spec: JsonObject): readonly FieldError[] {
  const strategy = at(spec, "strategy");
  const rolling = obj(strategy, "rollingUpdate");
  const path = "spec.strategy";
  switch (str(strategy, "type")) {
    case "Recreate":
      return rolling === undefined
        ? []
        : [forbidden(`${path}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'")];
    case "RollingUpdate":
      if (rolling === undefined)
        return [required(`${path}.rollingUpdate`, "this should be defaulted and never be nil")];
      return rollingErrors(rolling, `${path}.rollingUpdate`);
    default:
      return [notSupported(path, internalForm(strategy, "apps.DeploymentStrategy"), ["Recreate", "RollingUpdate"])];
  }
}

function rollingErrors(rolling: JsonObject, path: string): readonly FieldError[] {
  const unavailable = getOwn(rolling, "maxUnavailable");
  const surge = getOwn(rolling, "maxSurge");
  const none = intOrPercentValue(unavailable) === 0 && intOrPercentValue(surge) === 0;
  return [
    ...nonNegativeOrPercent(unavailable, `${path}.maxUnavailable`),
    ...nonNegativeOrPercent(surge, `${path}.maxSurge`),
    ...(none ? [invalid(`${path}.maxUnavailable`, unavailable ?? 0, "may not be 0 when `maxSurge` is 0")] : []),
    ...notMoreThanAll(unavailable, `${path}.maxUnavailable`),
  ];
}

function deploymentStatusErrors(status: JsonObject): readonly FieldError[] {
  const counts = [
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "terminatingReplicas",
    "collisionCount",
  ];
  const errors = counts.flatMap((key) => [...nonNegativeMember(status, key, "status")]);
  const all = num(status, "replicas");
  for (const key of ["updatedReplicas", "readyReplicas", "availableReplicas"]) {
    if (num(status, key) > all)
      errors.push(invalid(`status.${key}`, num(status, key), "cannot be greater than status.replicas"));
  }
  const available = num(status, "availableReplicas");
  if (available > num(status, "readyReplicas"))
    errors.push(invalid("status.availableReplicas", available, "cannot be greater than readyReplicas"));
  return errors;
}

/** The count of collisions never falls. */
export function collisionErrors(object: JsonObject, live: JsonObject): readonly FieldError[] {
  const after: JsonValue = num(at(object, "status"), "collisionCount");
  const fell = has(at(live, "status"), "collisionCount") && after < num(at(live, "status"), "collisionCount");
  return fell ? [invalid("status.collisionCount", after, "cannot be decremented")] : [];
}

function replicaSet(): ResourceStrategy {
  return builtinStrategy("apps/v1/ReplicaSet", {
    validateCreate: (object) => replicaSetErrors(at(object, "spec")),
    validateUpdate: (object, live) => [...replicaSetErrors(at(object, "spec")), ...selectorChangeErrors(object, live)],
    validateStatusUpdate: (object) => replicaStatusErrors(at(object, "status"), "status"),
    warnings: workloadWarnings,
  });
}

function replicaSetErrors(spec: JsonObject): readonly FieldError[] {
  return [
    ...nonNegativeMember(spec, "replicas", "spec"),
    ...nonNegativeMember(spec, "minReadySeconds", "spec"),
    ...selectorAndTemplateErrors(spec),
  ];
}

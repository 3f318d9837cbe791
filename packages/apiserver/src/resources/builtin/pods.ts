// Pod, PodTemplate, ReplicationController (k/k: pkg/registry/core/{pod,podtemplate,replicationcontroller}).
import {
  forbidden,
  invalid,
  isDns1123Label,
  nameIsDnsSubdomain,
  required,
  type FieldError,
} from "@fairlead/apimachinery";
import { deepEqual, formatTime, getOwn, type JsonObject, type MutableJsonObject } from "@fairlead/base";
import type { ResourceStrategy, StrategyContext } from "../resource.js";
import { at, entries, has, num, obj, objs, str } from "./access.js";
import { qosClass } from "./pod-resources.js";
import { podSpecErrors, replicatedTemplateErrors, templateErrors } from "./pod-spec-rules.js";
import { hostNetworkText, imageErrors, podChangeErrors, podStatusErrors } from "./pod-updates.js";
import { podWarnings } from "./pod-warnings.js";
import { nonNegative, nonNegativeMember } from "./rules.js";
import { builtinStrategy } from "./strategy.js";

/** The strategies of these kinds. */
export function podStrategies(): readonly ResourceStrategy[] {
  return [pod(), podTemplate(), replicationController()];
}

function pod(): ResourceStrategy {
  const spec = (key: string) => (object: JsonObject) => str(obj(object, "spec"), key);
  const status = (key: string) => (object: JsonObject) => str(obj(object, "status"), key);
  return builtinStrategy("/v1/Pod", {
    prepareForCreate: (object, context) => {
      object["status"] = { phase: "Pending", qosClass: qosClass(object), ...gatedCondition(object, context) };
    },
    prepareForStatusUpdate: keepOldStatus,
    validateCreate: (object) => [...podErrors(object), ...createOnlyErrors(object)],
    validateUpdate: (object, live) => [...podErrors(object), ...podChangeErrors(object, live)],
    validateStatusUpdate: podStatusErrors,
    warnings: (object, live) => (live === undefined ? createWarnings(object) : []),
    selectableFields: new Map([
      ["spec.nodeName", spec("nodeName")],
      ["spec.restartPolicy", spec("restartPolicy")],
      ["spec.schedulerName", spec("schedulerName")],
      ["spec.serviceAccountName", spec("serviceAccountName")],
      ["spec.hostNetwork", hostNetworkText],
      ["status.phase", status("phase")],
      ["status.podIP", firstAddress],
      [
        "status.podIPs",
        (object) =>
          objs(obj(object, "status"), "podIPs")
            .map((each) => str(each, "ip"))
            .join(",") || str(obj(object, "status"), "podIP"),
      ],
      ["status.nominatedNodeName", status("nominatedNodeName")],
    ]),
    resetFields: {
      status: [
        ["metadata", "deletionTimestamp"],
        ["metadata", "ownerReferences"],
      ],
    },
  });
}

function firstAddress(object: JsonObject): string {
  const status = obj(object, "status");
  const [first] = objs(status, "podIPs");
  return first === undefined ? str(status, "podIP") : str(first, "ip");
}

function gatedCondition(object: JsonObject, { nowMs }: StrategyContext): JsonObject {
  if (objs(obj(object, "spec"), "schedulingGates").length === 0) return {};
  return {
    conditions: [
      {
        type: "PodScheduled",
        status: "False",
        lastProbeTime: null,
        lastTransitionTime: formatTime(nowMs),
        reason: "SchedulingGated",
        message: "Scheduling is blocked due to non-empty scheduling gates",
      },
    ],
  };
}

/** What the status endpoint does not change, and what clients that do not know it may leave out. */
function keepOldStatus(object: MutableJsonObject, live: JsonObject): void {
  const metadata: MutableJsonObject = { ...at(object, "metadata") };
  object["metadata"] = metadata;
  delete metadata["deletionTimestamp"];
  if (has(at(live, "metadata"), "deletionTimestamp"))
    metadata["deletionTimestamp"] = str(at(live, "metadata"), "deletionTimestamp");
  const owners = getOwn(at(live, "metadata"), "ownerReferences");
  if (owners === undefined) delete metadata["ownerReferences"];
  else metadata["ownerReferences"] = owners;
  const status = { ...at(object, "status") };
  object["status"] = status;
  for (const key of ["qosClass", "observedGeneration"]) {
    const value = getOwn(at(live, "status"), key);
    if (!has(status, key) && value !== undefined) status[key] = value;
  }
  const left = [...objs(obj(live, "status"), "conditions")];
  if (objs(status, "conditions").length === 0) return;
  status["conditions"] = objs(status, "conditions").map((condition) => {
    const i = left.findIndex((old) => str(old, "type") === str(condition, "type"));
    const [old] = i < 0 ? [] : left.splice(i, 1);
    if (has(condition, "observedGeneration") || num(old, "observedGeneration") === 0) return condition;
    return { ...condition, observedGeneration: num(old, "observedGeneration") };
  });
}

function podErrors(object: JsonObject): readonly FieldError[] {
  const spec = at(object, "spec");
  const name = str(at(object, "metadata"), "name");
  const errors = [
    ...annotationErrors(object),
    ...podSpecErrors(spec, "spec", { pod: true, ...(name === "" ? {} : { name }) }),
  ];
  if (str(spec, "serviceAccountName") === "") {
    for (const [v, volume] of objs(spec, "volumes").entries()) {
      for (const [s, source] of objs(obj(volume, "projected"), "sources").entries()) {
        if (has(source, "serviceAccountToken"))
          errors.push(
            forbidden(
              `spec.volumes[${v}].projected.sources[${s}].serviceAccountToken`,
              "must not be specified when serviceAccountName is not set",
            ),
          );
      }
    }
  }
  for (const key of ["containers", "initContainers"]) {
    for (const [i, container] of objs(spec, key).entries()) {
      const image = str(container, "image");
      if (image !== image.trim()) errors.push(...imageErrors(image, `spec.${key}[${i}].image`));
    }
  }
  return errors;
}

const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";

function annotationErrors(object: JsonObject): readonly FieldError[] {
  const annotations = at(object, "metadata", "annotations");
  const errors: FieldError[] = [];
  const mirror = "kubernetes.io/config.mirror";
  if (has(annotations, mirror) && str(at(object, "spec"), "nodeName") === "") {
    errors.push(
      invalid(
        `metadata.annotations[${mirror}]`,
        str(annotations, mirror),
        "must set spec.nodeName if mirror pod annotation is set",
      ),
    );
  }
  const cost = str(annotations, DELETION_COST);
  const whole = /^(0|-?[1-9]\d*)$/.test(cost) && Number(cost) >= -2147483648 && Number(cost) <= 2147483647;
  if (has(annotations, DELETION_COST) && !whole)
    errors.push(invalid(`metadata.annotations[${DELETION_COST}]`, cost, "must be a 32bit integer"));
  return errors;
}

function createOnlyErrors(object: JsonObject): readonly FieldError[] {
  const spec = at(object, "spec");
  const gated = str(spec, "nodeName") !== "" && objs(spec, "schedulingGates").length > 0;
  return [
    ...(objs(spec, "ephemeralContainers").length > 0
      ? [forbidden("spec.ephemeralContainers", "cannot be set on create")]
      : []),
    ...(gated ? [forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared")] : []),
  ];
}

function createWarnings(object: JsonObject): readonly string[] {
  const wrong = isDns1123Label(str(at(object, "metadata"), "name"));
  return [
    ...(wrong.length === 0
      ? []
      : [
          `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${wrong.join(" ")}]`,
        ]),
    ...podWarnings(object, ""),
  ];
}

function podTemplate(): ResourceStrategy {
  return builtinStrategy("/v1/PodTemplate", {
    validateCreate: (object) => templateErrors(at(object, "template"), "template"),
    warnings: (object, live) => templateWarnings(object, live, ["template"]),
  });
}

/** Warnings about a pod template, unless an update leaves the object's generation as it is. */
export function templateWarnings(
  object: JsonObject,
  live: JsonObject | undefined,
  path: readonly string[],
): readonly string[] {
  if (live !== undefined && num(at(object, "metadata"), "generation") === num(at(live, "metadata"), "generation"))
    return [];
  return podWarnings(at(object, ...path), path.join("."));
}

/** The warning about a name that does not fit into the names of pods. */
export function podNameWarnings(object: JsonObject): readonly string[] {
  const wrong = isDns1123Label(str(at(object, "metadata"), "name"));
  if (wrong.length === 0) return [];
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${wrong.join(" ")}]`,
  ];
}

function replicationController(): ResourceStrategy {
  return builtinStrategy("/v1/ReplicationController", {
    validateName: nameIsDnsSubdomain,
    validateCreate: controllerErrors,
    validateStatusUpdate: (object) => controllerStatusErrors(at(object, "status")),
    warnings: (object, live) => [
      ...(live === undefined ? podNameWarnings(object) : []),
      ...templateWarnings(object, live, ["spec", "template"]),
    ],
    selectableFields: new Map([["status.replicas", (object) => String(num(obj(object, "status"), "replicas"))]]),
  });
}

function controllerErrors(object: JsonObject): readonly FieldError[] {
  const spec = at(object, "spec");
  const selector = entries(spec, "selector");
  const template = obj(spec, "template");
  const labels = at(template, "metadata", "labels");
  const errors = [
    ...nonNegativeMember(spec, "minReadySeconds", "spec"),
    ...(selector.length === 0 ? [required("spec.selector")] : []),
    ...(has(spec, "replicas") ? nonNegative(num(spec, "replicas"), "spec.replicas") : [required("spec.replicas")]),
  ];
  if (template === undefined) return [...errors, required("spec.template")];
  const matches = selector.every(([key, value]) => deepEqual(getOwn(labels, key) ?? null, value));
  return [
    ...errors,
    ...replicatedTemplateErrors(template, "spec.template", {
      matches,
      deadline: "activeDeadlineSeconds in ReplicationController is not Supported",
    }),
  ];
}

/** What is wrong with the counts of a ReplicationController's status. */
function controllerStatusErrors(status: JsonObject): readonly FieldError[] {
  return replicaStatusErrors(status, "status");
}

/** What is wrong with the counts in the status of a ReplicationController or ReplicaSet. */
export function replicaStatusErrors(status: JsonObject, path: string): readonly FieldError[] {
  const counts = [
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "observedGeneration",
    "terminatingReplicas",
  ];
  const errors = counts.flatMap((key) => [...nonNegativeMember(status, key, path)]);
  const all = num(status, "replicas");
  for (const key of ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"]) {
    if (num(status, key) > all)
      errors.push(invalid(`${path}.${key}`, num(status, key), "cannot be greater than status.replicas"));
  }
  const available = num(status, "availableReplicas");
  if (available > num(status, "readyReplicas"))
    errors.push(invalid(`${path}.availableReplicas`, available, "cannot be greater than readyReplicas"));
  return errors;
}

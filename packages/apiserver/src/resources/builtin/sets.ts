// StatefulSet, DaemonSet, ControllerRevision (k/k: pkg/apis/apps/validation, pkg/registry/apps).
import {
  FIELD_IS_IMMUTABLE,
  forbidden,
  invalid,
  invalidEach,
  isDns1123Label,
  matchesLabels,
  nameIsDnsLabel,
  notSupported,
  required,
  sameValue,
  validateAnnotations,
  validateLabels,
  validateLabelSelector,
  type FieldError,
} from "@fairlead/apimachinery";
import { deepEqual, getOwn, isObject, type JsonObject, type MutableJsonObject } from "@fairlead/base";
import type { ResourceStrategy } from "../resource.js";
import { at, has, num, obj, objs, shownMap, str } from "./access.js";
import { claimSpecErrors } from "./claim-rules.js";
import { TEMPLATE_GENERATION } from "./group-defaults.js";
import { internalForm } from "./internal-form.js";
import { templateErrors } from "./pod-spec-rules.js";
import { claimWarnings, podWarnings } from "./pod-warnings.js";
import { templateWarnings } from "./pods.js";
import { intOrPercentValue, nonNegative, nonNegativeMember, nonNegativeOrPercent, notMoreThanAll } from "./rules.js";
import {
  isEmptySelector,
  requiredSelectorErrors,
  selectorOf,
  shownSelector,
  templateIsSelected,
} from "./selector-rules.js";
import { builtinStrategy } from "./strategy.js";
import { collisionErrors, selectorChangeErrors } from "./workloads.js";

/** The strategies of these kinds. */
export function setStrategies(): readonly ResourceStrategy[] {
  return [statefulSet(), daemonSet(), controllerRevision()];
}

const KEEPS_HISTORY =
  "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended";
const CHANGEABLE: readonly string[] = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
];

const UNCHANGEABLE =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

function statefulSet(): ResourceStrategy {
  return builtinStrategy("apps/v1/StatefulSet", {
    validateName: nameIsDnsLabel,
    validateCreate: (object) => statefulSetErrors(at(object, "spec"), { create: true, template: true }),
    validateUpdate: (object, live) => {
      const template = statefulSetErrors(at(live, "spec"), { create: false, template: true }).length === 0;
      const errors = statefulSetErrors(at(object, "spec"), { create: false, template });
      return sameValue(withoutChangeable(object), withoutChangeable(live))
        ? errors
        : [...errors, forbidden("spec", UNCHANGEABLE)];
    },
    validateStatusUpdate: (object, live) => [
      ...statefulStatusErrors(at(object, "status")),
      ...collisionErrors(object, live),
    ],
    warnings: (object, live) => [
      ...templateWarnings(object, live, ["spec", "template"]),
      ...objs(at(object, "spec"), "volumeClaimTemplates").flatMap((claim, i) =>
        claimWarnings(at(claim, "spec"), `spec.volumeClaimTemplates[${i}]${live === undefined ? "" : ".Spec"}`),
      ),
      ...(num(at(object, "spec"), "revisionHistoryLimit") < 0 ? [KEEPS_HISTORY] : []),
    ],
  });
}

function withoutChangeable(object: JsonObject): JsonObject {
  const spec: MutableJsonObject = { ...at(object, "spec") };
  for (const key of CHANGEABLE) delete spec[key];
  return spec;
}

interface StatefulRules {
  /** Whether the object is new, so that what never changes is checked. */
  readonly create: boolean;
  readonly template: boolean;
}

function statefulSetErrors(spec: JsonObject, rules: StatefulRules): readonly FieldError[] {
  const service = str(spec, "serviceName");
  const errors = [
    ...managementErrors(str(spec, "podManagementPolicy")),
    ...statefulStrategyErrors(at(spec, "updateStrategy")),
    ...retentionErrors(obj(spec, "persistentVolumeClaimRetentionPolicy")),
    ...(rules.create
      ? objs(spec, "volumeClaimTemplates").flatMap((claim, i) =>
          claimSpecErrors(at(claim, "spec"), `spec.volumeClaimTemplates[${i}].spec`),
        )
      : []),
    ...nonNegativeMember(spec, "replicas", "spec"),
    ...nonNegativeMember(spec, "minReadySeconds", "spec"),
    ...(has(spec, "ordinals") ? nonNegative(num(at(spec, "ordinals"), "start"), "spec.ordinals.start") : []),
    ...(rules.create && service !== "" ? invalidEach("spec.serviceName", service, isDns1123Label(service)) : []),
    ...requiredSelectorErrors(spec, "spec.selector", "statefulset"),
  ];
  const selector = selectorOf(spec);
  const template = at(spec, "template");
  if (selector === undefined) errors.push(invalid("spec.selector", shownSelector(spec), ""));
  else {
    const labels = obj(at(template, "metadata"), "labels");
    if (!templateIsSelected(spec, selector))
      errors.push(
        invalid(
          "spec.template.metadata.labels",
          shownMap(at(template, "metadata"), "labels"),
          "`selector` does not match template `labels`",
        ),
      );
    if (rules.template) errors.push(...templateErrors(withClaimVolumes(spec), "spec.template"));
    errors.push(
      ...validateLabels(labels, "spec.template.labels"),
      ...validateAnnotations(obj(at(template, "metadata"), "annotations"), "spec.template.annotations"),
    );
  }
  return [...errors, ...restartErrors(template, "StatefulSet")];
}

function managementErrors(policy: string): readonly FieldError[] {
  if (policy === "") return [required("spec.podManagementPolicy")];
  return policy === "OrderedReady" || policy === "Parallel"
    ? []
    : [invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'")];
}

function statefulStrategyErrors(strategy: JsonObject): readonly FieldError[] {
  const rolling = obj(strategy, "rollingUpdate");
  const path = "spec.updateStrategy";
  switch (str(strategy, "type")) {
    case "":
      return [required(path)];
    case "OnDelete":
      return rolling === undefined
        ? []
        : [
            invalid(
              `${path}.rollingUpdate`,
              internalForm(rolling, "apps.RollingUpdateStatefulSetStrategy"),
              "only allowed for updateStrategy 'RollingUpdate'",
            ),
          ];
    case "RollingUpdate":
      return rolling === undefined ? [] : statefulRollingErrors(rolling, `${path}.rollingUpdate`);
    default:
      return [
        invalid(
          path,
          internalForm(strategy, "apps.StatefulSetUpdateStrategy"),
          "must be 'RollingUpdate' or 'OnDelete'",
        ),
      ];
  }
}

function statefulRollingErrors(rolling: JsonObject, path: string): readonly FieldError[] {
  return nonNegative(num(rolling, "partition"), `${path}.partition`);
}

function retentionErrors(policy: JsonObject | undefined): readonly FieldError[] {
  if (policy === undefined) return [];
  return ["whenDeleted", "whenScaled"].flatMap((key) => {
    const value = str(policy, key);
    return value === "Retain" || value === "Delete"
      ? []
      : [notSupported(`spec.persistentVolumeClaimRetentionPolicy.${key}`, value, ["Retain", "Delete"])];
  });
}

/** The template as its pods will be: with a volume of each claim, and names that the controller gives. */
function withClaimVolumes(spec: JsonObject): JsonObject {
  const template = at(spec, "template");
  const claims = [...new Set(objs(spec, "volumeClaimTemplates").map((claim) => str(at(claim, "metadata"), "name")))];
  const pod = { ...at(template, "spec") };
  delete pod["subdomain"];
  delete pod["hostname"];
  const own = objs(pod, "volumes").filter((volume) => !claims.includes(str(volume, "name")));
  if (claims.length > 0)
    pod["volumes"] = [...claims.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })), ...own];
  return { ...template, spec: pod };
}

function restartErrors(template: JsonObject, kind: string): readonly FieldError[] {
  const spec = at(template, "spec");
  const policy = str(spec, "restartPolicy");
  return [
    ...(policy === "Always" ? [] : [notSupported("spec.template.spec.restartPolicy", policy, ["Always"])]),
    ...(has(spec, "activeDeadlineSeconds")
      ? [forbidden("spec.template.spec.activeDeadlineSeconds", `activeDeadlineSeconds in ${kind} is not Supported`)]
      : []),
  ];
}

function statefulStatusErrors(status: JsonObject): readonly FieldError[] {
  const counts = [
    "replicas",
    "readyReplicas",
    "currentReplicas",
    "updatedReplicas",
    "availableReplicas",
    "observedGeneration",
    "collisionCount",
  ];
  const errors = counts.flatMap((key) => [...nonNegativeMember(status, key, "status")]);
  const all = num(status, "replicas");
  for (const key of ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"]) {
    if (num(status, key) > all)
      errors.push(invalid(`status.${key}`, num(status, key), "cannot be greater than status.replicas"));
  }
  const available = num(status, "availableReplicas");
  if (available > num(status, "readyReplicas"))
    errors.push(invalid("status.availableReplicas", available, "cannot be greater than status.readyReplicas"));
  return errors;
}

function daemonSet(): ResourceStrategy {
  return builtinStrategy("apps/v1/DaemonSet", {
    prepareForCreate: (object) => {
      if (templateGeneration(object) < 1) setTemplateGeneration(object, 1);
    },
    prepareForUpdate: (object, live) => {
      const changed = !deepEqual(at(object, "spec", "template"), at(live, "spec", "template"));
      setTemplateGeneration(object, templateGeneration(live) + (changed ? 1 : 0));
    },
    prepareForStatusUpdate: (object, live) => setTemplateGeneration(object, templateGeneration(live)),
    validateCreate: (object) => daemonSetErrors(at(object, "spec")),
    validateUpdate: (object, live) => [...selectorChangeErrors(object, live), ...daemonSetErrors(at(object, "spec"))],
    validateStatusUpdate: (object, live) => [
      ...daemonStatusErrors(at(object, "status")),
      ...collisionErrors(object, live),
    ],
    warnings: (object, live) =>
      live !== undefined && templateGeneration(object) === templateGeneration(live)
        ? []
        : podWarnings(at(object, "spec", "template"), "spec.template"),
  });
}

function templateGeneration(object: JsonObject): number {
  return Number(str(at(object, "metadata", "annotations"), TEMPLATE_GENERATION));
}

function setTemplateGeneration(object: MutableJsonObject, generation: number): void {
  const metadata: MutableJsonObject = { ...at(object, "metadata") };
  metadata["annotations"] = { ...at(metadata, "annotations"), [TEMPLATE_GENERATION]: String(generation) };
  object["metadata"] = metadata;
}

function daemonSetErrors(spec: JsonObject): readonly FieldError[] {
  const given = obj(spec, "selector");
  const selector = selectorOf(spec);
  const template = at(spec, "template");
  const labels = obj(at(template, "metadata"), "labels");
  const unselected = selector !== undefined && !matchesLabels(selector, labels);
  return [
    ...validateLabelSelector(given, "spec.selector"),
    ...(unselected
      ? [
          invalid(
            "spec.template.metadata.labels",
            shownMap(at(template, "metadata"), "labels"),
            "`selector` does not match template `labels`",
          ),
        ]
      : []),
    ...(given !== undefined && isEmptySelector(given)
      ? [invalid("spec.selector", shownSelector(spec), "empty selector is invalid for daemonset")]
      : []),
    ...templateErrors(template, "spec.template"),
    ...restartErrors(template, "DaemonSet"),
    ...nonNegativeMember(spec, "minReadySeconds", "spec"),
    ...daemonStrategyErrors(at(spec, "updateStrategy")),
    ...nonNegativeMember(spec, "revisionHistoryLimit", "spec"),
  ];
}

function daemonStrategyErrors(strategy: JsonObject): readonly FieldError[] {
  const path = "spec.updateStrategy";
  const rolling = obj(strategy, "rollingUpdate");
  const type = str(strategy, "type");
  if (type === "OnDelete") return [];
  if (type !== "RollingUpdate")
    return [notSupported(path, internalForm(strategy, "apps.DaemonSetUpdateStrategy"), ["RollingUpdate", "OnDelete"])];
  return rolling === undefined
    ? [required(`${path}.rollingUpdate`)]
    : daemonRollingErrors(rolling, `${path}.rollingUpdate`);
}

function daemonRollingErrors(rolling: JsonObject, path: string): readonly FieldError[] {
  const unavailable = getOwn(rolling, "maxUnavailable");
  const surge = getOwn(rolling, "maxSurge");
  const errors = [
    ...nonNegativeOrPercent(unavailable, `${path}.maxUnavailable`),
    ...nonNegativeOrPercent(surge, `${path}.maxSurge`),
    ...notMoreThanAll(unavailable, `${path}.maxUnavailable`),
    ...notMoreThanAll(surge, `${path}.maxSurge`),
  ];
  const [hasUnavailable, hasSurge] = [intOrPercentValue(unavailable) !== 0, intOrPercentValue(surge) !== 0];
  if (hasUnavailable && hasSurge)
    return [...errors, invalid(`${path}.maxSurge`, surge ?? 0, "may not be set when maxUnavailable is non-zero")];
  return hasUnavailable || hasSurge
    ? errors
    : [...errors, required(`${path}.maxUnavailable`, "cannot be 0 when maxSurge is 0")];
}

const DAEMON_COUNTS: readonly string[] = [
  "currentNumberScheduled",
  "numberMisscheduled",
  "desiredNumberScheduled",
  "numberReady",
  "observedGeneration",
  "updatedNumberScheduled",
  "numberAvailable",
  "numberUnavailable",
  "collisionCount",
];

function daemonStatusErrors(status: JsonObject): readonly FieldError[] {
  return DAEMON_COUNTS.flatMap((key) => nonNegativeMember(status, key, "status"));
}

function controllerRevision(): ResourceStrategy {
  const revisionErrors = (object: JsonObject): readonly FieldError[] =>
    nonNegative(num(object, "revision"), "revision");
  return builtinStrategy("apps/v1/ControllerRevision", {
    validateCreate: (object) => {
      const data = getOwn(object, "data");
      if (data === undefined || data === null)
        return [...revisionErrors(object), required("data", "data is mandatory")];
      return isObject(data)
        ? revisionErrors(object)
        : [...revisionErrors(object), required("data", "data must be a valid JSON object")];
    },
    validateUpdate: (object, live) => {
      const data = getOwn(object, "data") ?? null;
      const same = deepEqual(data, getOwn(live, "data") ?? null);
      return same ? revisionErrors(object) : [...revisionErrors(object), invalid("data", data, FIELD_IS_IMMUTABLE)];
    },
  });
}

// HorizontalPodAutoscaler in both served versions (k/k: pkg/apis/autoscaling/validation).
import {
  findQuantity,
  forbidden,
  invalid,
  invalidEach,
  isDns1123Label,
  isPathSegmentName,
  notSupported,
  required,
  type FieldError,
} from "@fairlead/apimachinery";
import { getOwn, type JsonObject, type MutableJsonObject } from "@fairlead/base";
import type { ResourceStrategy } from "../resource.js";
import { at, has, num, obj, objs, str } from "./access.js";
import { convertAutoscaler } from "./hpa-conversion.js";
import { containerResourceNameErrors } from "./pod-resources.js";
import { nonNegativeMember, requiredText } from "./rules.js";
import { builtinStrategy, type KindRules } from "./strategy.js";

/** The strategies of these kinds. */
export function autoscalingStrategies(): readonly ResourceStrategy[] {
  return [
    builtinStrategy("autoscaling/v2/HorizontalPodAutoscaler", RULES),
    builtinStrategy("autoscaling/v1/HorizontalPodAutoscaler", { ...RULES, defaults: throughV2 }),
  ];
}

const RULES: KindRules = {
  validateCreate: (object) => autoscalerErrors(specOf(object), undefined),
  validateUpdate: (object, live) => autoscalerErrors(specOf(object), specOf(live)),
  validateStatusUpdate: (object) =>
    ["currentReplicas", "desiredReplicas"].flatMap((key) => nonNegativeMember(at(object, "status"), key, "status")),
};

/** An object of v1 is read into the form that v2 has, too, which adds a metric where there is none. */
function throughV2(object: MutableJsonObject): void {
  const { apiVersion = "autoscaling/v1" } = object;
  const { status: _status, ...converted } = convertAutoscaler(
    convertAutoscaler({ ...object, apiVersion: "autoscaling/v1" }, "autoscaling/v2"),
    "autoscaling/v1",
  );
  Object.assign(object, converted, { apiVersion });
}

/** Both versions are checked by the same rules. */
function specOf(object: JsonObject): JsonObject {
  return at(convertAutoscaler(object, "autoscaling/v2"), "spec");
}

const LONGEST_PERIOD_SECONDS = 1800;
const LONGEST_WINDOW_SECONDS = 3600;

function autoscalerErrors(spec: JsonObject, before: JsonObject | undefined): readonly FieldError[] {
  const lowest = before !== undefined && has(before, "minReplicas") && num(before, "minReplicas") === 0 ? 0 : 1;
  const [least, most] = [num(spec, "minReplicas"), num(spec, "maxReplicas")];
  const hasLeast = has(spec, "minReplicas");
  const errors: FieldError[] = [];
  if (hasLeast && least < lowest)
    errors.push(invalid("spec.minReplicas", least, `must be greater than or equal to ${lowest}`));
  if (most === 0) errors.push(required("spec.maxReplicas", "must be set and greater than 0"));
  else if (most < 0) errors.push(invalid("spec.maxReplicas", most, "must be greater than or equal to 1"));
  if (hasLeast && most < least)
    errors.push(invalid("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`"));
  const target = at(spec, "scaleTargetRef");
  const old = before === undefined ? undefined : at(before, "scaleTargetRef");
  const same =
    old !== undefined &&
    str(old, "kind") === str(target, "kind") &&
    str(old, "apiVersion") === str(target, "apiVersion");
  errors.push(
    ...referenceErrors(target, "spec.scaleTargetRef", {
      anyVersion: same,
      coreGroup: str(target, "kind") === "ReplicationController",
    }),
  );
  const tolerated = objs(before, "metrics").some(
    (metric) => has(metric, "object") && versionProblem(at(metric, "object", "describedObject"), true) !== undefined,
  );
  errors.push(...metricListErrors(spec, tolerated));
  for (const key of ["scaleUp", "scaleDown"])
    errors.push(...scalingErrors(obj(at(spec, "behavior"), key), `spec.behavior.${key}`));
  return errors;
}

interface ReferenceRules {
  readonly anyVersion: boolean;
  readonly coreGroup: boolean;
}

function referenceErrors(reference: JsonObject, path: string, rules: ReferenceRules): readonly FieldError[] {
  const problem = rules.anyVersion ? undefined : versionProblem(reference, rules.coreGroup);
  return [
    ...requiredText(str(reference, "kind"), `${path}.kind`, isPathSegmentName),
    ...requiredText(str(reference, "name"), `${path}.name`, isPathSegmentName),
    ...(problem === undefined ? [] : [invalid(`${path}.apiVersion`, str(reference, "apiVersion"), problem)]),
  ];
}

function versionProblem(reference: JsonObject, coreGroup: boolean): string | undefined {
  const version = str(reference, "apiVersion");
  const slashes = version.split("/").length - 1;
  if (slashes > 1) return `unexpected GroupVersion string: ${version}`;
  const group = slashes === 1 ? version.slice(0, version.indexOf("/")) : "";
  return group === "" && !coreGroup ? "apiVersion must specify API group" : undefined;
}

const METRIC_TYPES: readonly string[] = ["ContainerResource", "External", "Object", "Pods", "Resource"];
const SOURCES: readonly (readonly [key: string, type: string])[] = [
  ["object", "Object"],
  ["external", "External"],
  ["pods", "Pods"],
  ["resource", "Resource"],
  ["containerResource", "ContainerResource"],
];

function metricListErrors(spec: JsonObject, tolerated: boolean): readonly FieldError[] {
  const metrics = objs(spec, "metrics");
  const errors = metrics.flatMap((metric, i) => metricErrors(metric, `spec.metrics[${i}]`, tolerated));
  const toZero = has(spec, "minReplicas") && num(spec, "minReplicas") === 0;
  const counted = metrics.some((metric) => ["Object", "External"].includes(str(metric, "type")));
  return toZero && !counted
    ? [
        ...errors,
        forbidden(
          "spec.metrics",
          "must specify at least one Object or External metric to support scaling to zero replicas",
        ),
      ]
    : errors;
}

function metricErrors(metric: JsonObject, path: string, tolerated: boolean): readonly FieldError[] {
  const type = str(metric, "type");
  const errors: FieldError[] = [];
  const unknown = METRIC_TYPES.includes(type) ? [] : [notSupported(`${path}.type`, type, METRIC_TYPES)];
  if (type === "") errors.push(required(`${path}.type`, "must specify a metric source type"));
  errors.push(...unknown);
  const present = SOURCES.filter(([key]) => has(metric, key));
  const [first] = present;
  if (first !== undefined)
    errors.push(...sourceErrors(first[0], at(metric, first[0]), `${path}.${first[0]}`, tolerated));
  const expected = SOURCES.find(([, of]) => of === type);
  if (expected !== undefined && !has(metric, expected[0]))
    errors.push(required(`${path}.${expected[0]}`, "must populate information for the given metric source"));
  errors.push(...unknown);
  if (present.length === 1) return errors;
  const others = present.filter(([key]) => key !== expected?.[0]);
  return [
    ...errors,
    ...others.map(([key]) => forbidden(`${path}.${key}`, "must populate the given metric source only")),
  ];
}

function sourceErrors(kind: string, source: JsonObject, path: string, tolerated: boolean): readonly FieldError[] {
  const target = at(source, "target");
  const [value, average, utilization] = ["value", "averageValue", "averageUtilization"].map((key) => has(target, key));
  const errors: FieldError[] = [];
  if (kind === "object")
    errors.push(
      ...referenceErrors(at(source, "describedObject"), `${path}.describedObject`, {
        anyVersion: tolerated,
        coreGroup: true,
      }),
    );
  if (kind === "resource" || kind === "containerResource") errors.push(...resourceErrors(kind, source, path));
  else errors.push(...identifierErrors(at(source, "metric"), `${path}.metric`));
  errors.push(...targetErrors(target, `${path}.target`));
  const averageValue = `${path}.target.averageValue`;
  switch (kind) {
    case "object":
      return value === true || average === true
        ? errors
        : [...errors, required(averageValue, "must set either a target value or averageValue")];
    case "external":
      if (value !== true && average !== true)
        return [...errors, required(averageValue, "must set either a target value for metric or a per-pod target")];
      return value === true && average === true
        ? [
            ...errors,
            forbidden(`${path}.target.value`, "may not set both a target value for metric and a per-pod target"),
          ]
        : errors;
    case "pods":
      return average === true
        ? errors
        : [...errors, required(averageValue, "must specify a positive target averageValue")];
    default:
      if (utilization !== true && average !== true)
        return [
          ...errors,
          required(`${path}.target.averageUtilization`, "must set either a target raw value or a target utilization"),
        ];
      return utilization === true && average === true
        ? [...errors, forbidden(averageValue, "may not set both a target raw value and a target utilization")]
        : errors;
  }
}

function resourceErrors(kind: string, source: JsonObject, path: string): readonly FieldError[] {
  const name = str(source, "name");
  const container = str(source, "container");
  const errors: FieldError[] = name === "" ? [required(`${path}.name`, "must specify a resource name")] : [];
  if (kind === "resource") return errors;
  if (name !== "") errors.push(...containerResourceNameErrors(name, `${path}.name`));
  if (container === "") return [...errors, required(`${path}.container`, "must specify a container")];
  return [...errors, ...invalidEach(`${path}.container`, container, isDns1123Label(container))];
}

function identifierErrors(metric: JsonObject, path: string): readonly FieldError[] {
  const name = str(metric, "name");
  return [
    ...(name === ""
      ? [required(`${path}.name`, "must specify a metric name")]
      : invalidEach(`${path}.name`, name, isPathSegmentName(name))),
  ];
}

function targetErrors(target: JsonObject, path: string): readonly FieldError[] {
  const type = str(target, "type");
  const errors: FieldError[] = type === "" ? [required(`${path}.type`, "must specify a metric target type")] : [];
  if (!["Utilization", "Value", "AverageValue"].includes(type))
    errors.push(invalid(`${path}.type`, type, "must be either Utilization, Value, or AverageValue"));
  for (const key of ["value", "averageValue"]) {
    const quantity = findQuantity(str(target, key));
    if (has(target, key) && quantity !== undefined && quantity.mantissa <= 0n)
      errors.push(invalid(`${path}.${key}`, str(target, key), "must be positive"));
  }
  const utilization = num(target, "averageUtilization");
  return has(target, "averageUtilization") && utilization < 1
    ? [...errors, invalid(`${path}.averageUtilization`, utilization, "must be greater than 0")]
    : errors;
}

function scalingErrors(rules: JsonObject | undefined, path: string): readonly FieldError[] {
  if (rules === undefined) return [];
  const errors: FieldError[] = [];
  const window = num(rules, "stabilizationWindowSeconds");
  const select = str(rules, "selectPolicy");
  const policies = objs(rules, "policies");
  if (window < 0)
    errors.push(invalid(`${path}.stabilizationWindowSeconds`, window, "must be greater than or equal to zero"));
  if (window > LONGEST_WINDOW_SECONDS)
    errors.push(
      invalid(`${path}.stabilizationWindowSeconds`, window, `must be less than or equal to ${LONGEST_WINDOW_SECONDS}`),
    );
  if (has(rules, "selectPolicy") && !["Disabled", "Max", "Min"].includes(select))
    errors.push(notSupported(`${path}.selectPolicy`, select, ["Disabled", "Max", "Min"]));
  if (policies.length === 0) errors.push(required(`${path}.policies`, "must specify at least one Policy"));
  errors.push(...policies.flatMap((policy, i) => policyErrors(policy, `${path}.policies[${i}]`)));
  const tolerance = findQuantity(str(rules, "tolerance"));
  const negative = tolerance !== undefined && tolerance.mantissa < 0n;
  return negative
    ? [...errors, invalid(`${path}.tolerance`, getOwn(rules, "tolerance") ?? "", "must be greater than or equal to 0")]
    : errors;
}

function policyErrors(policy: JsonObject, path: string): readonly FieldError[] {
  const [type, value, period] = [str(policy, "type"), num(policy, "value"), num(policy, "periodSeconds")];
  const errors: FieldError[] = ["Pods", "Percent"].includes(type)
    ? []
    : [notSupported(`${path}.type`, type, ["Percent", "Pods"])];
  if (value <= 0) errors.push(invalid(`${path}.value`, value, "must be greater than zero"));
  if (period <= 0) errors.push(invalid(`${path}.periodSeconds`, period, "must be greater than zero"));
  return period > LONGEST_PERIOD_SECONDS
    ? [...errors, invalid(`${path}.periodSeconds`, period, `must be less than or equal to ${LONGEST_PERIOD_SECONDS}`)]
    : errors;
}

// ResourceQuota and LimitRange (k/k: ValidateResourceQuota, ValidateLimitRange).
import {
  compareQuantities,
  duplicate,
  FIELD_IS_IMMUTABLE,
  findQuantity,
  forbidden,
  invalid,
  invalidEach,
  isQualifiedName,
  quantityMilliValue,
  required,
  type FieldError,
  type Quantity,
} from "@fairlead/apimachinery";
import { getOwn, type JsonObject } from "@fairlead/base";
import type { ResourceStrategy } from "../resource.js";
import { at, entries, obj, objs, str, strs } from "./access.js";
import {
  containerResourceNameErrors,
  isOvercommitAllowed,
  quotaResourceNameErrors,
  resourceNameErrors,
  resourceQuantityErrors,
} from "./pod-resources.js";
import { builtinStrategy } from "./strategy.js";

/** The strategies of these kinds. */
export function quotaStrategies(): readonly ResourceStrategy[] {
  return [resourceQuota(), limitRange()];
}

const EXISTS_ONLY: readonly string[] = [
  "BestEffort",
  "NotBestEffort",
  "Terminating",
  "NotTerminating",
  "CrossNamespacePodAffinity",
];

const SCOPES: readonly string[] = [...EXISTS_ONLY, "PriorityClass", "VolumeAttributesClass"];
const CONFLICTS: readonly (readonly string[])[] = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
];

const COMPUTE: readonly string[] = ["cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"];
const MUST_EXIST =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function resourceQuota(): ResourceStrategy {
  return builtinStrategy("/v1/ResourceQuota", {
    validateCreate: (object) => quotaErrors(at(object, "spec")),
    validateUpdate: (object, live) => {
      const [after, old] = [object, live].map((each) => strs(at(each, "spec"), "scopes"));
      const same =
        new Set(after).size === new Set(old).size && (after ?? []).every((scope) => old?.includes(scope) === true);
      return [
        ...quotaErrors(at(object, "spec")),
        ...(same ? [] : [invalid("spec.scopes", getOwn(at(object, "spec"), "scopes") ?? null, FIELD_IS_IMMUTABLE)]),
      ];
    },
    validateStatusUpdate: (object) =>
      ["hard", "used"].flatMap((key) => amountErrors(at(object, "status"), key, `status.${key}`)),
  });
}

function amountErrors(holder: JsonObject, key: string, path: string): readonly FieldError[] {
  return entries(holder, key).flatMap(([name, value]) => [
    ...quotaResourceNameErrors(name, `${path}[${name}]`),
    ...resourceQuantityErrors(name, findQuantity(String(value)), String(value), `${path}[${name}]`),
  ]);
}

function quotaErrors(spec: JsonObject): readonly FieldError[] {
  return [...amountErrors(spec, "hard", "spec.hard"), ...scopeErrors(spec), ...selectorErrors(spec)];
}

function suits(scope: string, resource: string): boolean {
  switch (scope) {
    case "BestEffort":
      return resource === "pods";
    case "VolumeAttributesClass":
      return resource === "persistentvolumeclaims" || resource === "requests.storage";
    default:
      return !SCOPES.includes(scope) || resource === "pods" || COMPUTE.includes(resource);
  }
}

/** Resources of the quota that a scope does not go with. */
function unsuited(spec: JsonObject, scope: string): readonly string[] {
  return entries(spec, "hard")
    .map(([name]) => name)
    .filter((name) => quotaResourceNameErrors(name, "").length === 0 && !name.includes("/") && !suits(scope, name));
}

function scopeErrors(spec: JsonObject): readonly FieldError[] {
  const scopes = strs(spec, "scopes");
  const path = "spec.scopes";
  const shown = [...scopes];
  const errors = scopes.flatMap((scope) => [
    ...(SCOPES.includes(scope) ? [] : [invalid(path, shown, "unsupported scope")]),
    ...unsuited(spec, scope).map(() => invalid(path, shown, "unsupported scope applied to resource")),
  ]);
  return [
    ...errors,
    ...CONFLICTS.filter((pair) => pair.every((scope) => scopes.includes(scope))).map(() =>
      invalid(path, shown, "conflicting scopes"),
    ),
  ];
}

function selectorErrors(spec: JsonObject): readonly FieldError[] {
  const selector = obj(spec, "scopeSelector");
  const expressions = objs(selector, "matchExpressions");
  const path = "spec.scopeSelector.matchExpressions";
  const shown = {
    MatchExpressions: expressions.map((each) => ({
      ScopeName: str(each, "scopeName"),
      Operator: str(each, "operator"),
      Values: getOwn(each, "values") ?? null,
    })),
  };
  const errors = expressions.flatMap((each) => [
    ...(SCOPES.includes(str(each, "scopeName"))
      ? []
      : [invalid(`${path}.scopeName`, str(each, "scopeName"), "unsupported scope")]),
    ...unsuited(spec, str(each, "scopeName")).map(() => invalid(path, shown, "unsupported scope applied to resource")),
    ...operatorErrors(each, path),
  ]);
  const named = expressions.map((each) => str(each, "scopeName"));
  return [
    ...errors,
    ...CONFLICTS.filter((pair) => pair.every((scope) => named.includes(scope))).map(() =>
      invalid(path, getOwn(spec, "scopes") ?? null, "conflicting scopes"),
    ),
  ];
}

function operatorErrors(expression: JsonObject, path: string): readonly FieldError[] {
  const operator = str(expression, "operator");
  const values = strs(expression, "values");
  const errors: FieldError[] = [];
  if (EXISTS_ONLY.includes(str(expression, "scopeName")) && operator !== "Exists")
    errors.push(invalid(`${path}.operator`, operator, MUST_EXIST));
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0)
      errors.push(
        required(`${path}.values`, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"),
      );
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0)
      errors.push(
        invalid(
          `${path}.values`,
          [...values],
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        ),
      );
  } else errors.push(invalid(`${path}.operator`, operator, "not a valid selector operator"));
  return errors;
}

function limitRange(): ResourceStrategy {
  return builtinStrategy("/v1/LimitRange", { keepsEmpty: [["spec", "limits"]], validateCreate: limitRangeErrors });
}

function limitRangeErrors(object: JsonObject): readonly FieldError[] {
  const seen = new Set<string>();
  return objs(at(object, "spec"), "limits").flatMap((limit, i) => {
    const type = str(limit, "type");
    const path = `spec.limits[${i}]`;
    const repeated = seen.has(type) ? [duplicate(`${path}.type`, type)] : [];
    seen.add(type);
    return [...typeErrors(type, `${path}.type`), ...repeated, ...limitErrors(limit, path)];
  });
}

function typeErrors(type: string, path: string): readonly FieldError[] {
  const errors = invalidEach(path, type, isQualifiedName(type));
  if (errors.length > 0 || type.includes("/") || ["Pod", "Container", "PersistentVolumeClaim"].includes(type))
    return errors;
  return [invalid(path, type, "must be a standard limit type or fully qualified")];
}

function limitErrors(limit: JsonObject, path: string): readonly FieldError[] {
  const type = str(limit, "type");
  const nameErrors = type === "Pod" || type === "Container" ? containerResourceNameErrors : resourceNameErrors;
  const names = (key: string): readonly FieldError[] =>
    entries(limit, key).flatMap(([name]) => nameErrors(name, `${path}.${key}[${name}]`));
  const errors = [...names("max"), ...names("min")];
  const ofPods = type === "Pod";
  for (const key of ["default", "defaultRequest"]) {
    if (!ofPods) errors.push(...names(key));
    else if (entries(limit, key).length > 0)
      errors.push(forbidden(`${path}.${key}`, "may not be specified when `type` is 'Pod'"));
  }
  const sized = ["min", "max"].some((key) => str(at(limit, key), "storage") !== "");
  if (type === "PersistentVolumeClaim" && !sized)
    errors.push(
      required(`${path}.limits`, "either minimum or maximum storage value is required, but neither was provided"),
    );
  errors.push(...names("maxLimitRequestRatio"));
  const keys = ["max", "min", ...(ofPods ? [] : ["default", "defaultRequest"]), "maxLimitRequestRatio"];
  const resources = new Set(keys.flatMap((key) => entries(limit, key).map(([name]) => name)));
  return [...errors, ...[...resources].flatMap((name) => orderErrors(limit, path, { name, ofPods }))];
}

interface Amount {
  readonly text: string;
  readonly value: Quantity;
}

/** What is wrong between the amounts of one resource. */
function orderErrors(
  limit: JsonObject,
  path: string,
  { name, ofPods }: { readonly name: string; readonly ofPods: boolean },
): readonly FieldError[] {
  const amount = (key: string): Amount | undefined => {
    const text = str(at(limit, key), name);
    const value = findQuantity(text);
    return value === undefined ? undefined : { text, value };
  };
  const [least, most] = [amount("min"), amount("max")];
  const [limitDefault, requestDefault] = ofPods
    ? [undefined, undefined]
    : [amount("default"), amount("defaultRequest")];
  const above = (a: Amount | undefined, b: Amount | undefined): boolean =>
    a !== undefined && b !== undefined && compareQuantities(a.value, b.value) > 0;
  const wrong = (key: string, shown: Amount | undefined, message: string): FieldError =>
    invalid(`${path}.${key}[${name}]`, shown?.text ?? "", message);
  const errors: FieldError[] = [];
  const [lo, hi, lim, req] = [least, most, limitDefault, requestDefault].map((each) => each?.text ?? "");
  if (above(least, most)) errors.push(wrong("min", least, `min value ${lo} is greater than max value ${hi}`));
  if (above(least, requestDefault))
    errors.push(
      wrong("defaultRequest", requestDefault, `min value ${lo} is greater than default request value ${req}`),
    );
  if (above(requestDefault, most))
    errors.push(
      wrong("defaultRequest", requestDefault, `default request value ${req} is greater than max value ${hi}`),
    );
  if (above(requestDefault, limitDefault))
    errors.push(
      wrong(
        "defaultRequest",
        requestDefault,
        `default request value ${req} is greater than default limit value ${lim}`,
      ),
    );
  if (above(least, limitDefault))
    errors.push(wrong("default", least, `min value ${lo} is greater than default value ${lim}`));
  if (above(limitDefault, most))
    errors.push(wrong("default", most, `default value ${lim} is greater than max value ${hi}`));
  errors.push(...ratioErrors(amount("maxLimitRequestRatio"), least, most, `${path}.maxLimitRequestRatio[${name}]`));
  const differ =
    limitDefault !== undefined &&
    requestDefault !== undefined &&
    compareQuantities(limitDefault.value, requestDefault.value) !== 0;
  if (!isOvercommitAllowed(name) && differ)
    errors.push(
      wrong(
        "defaultRequest",
        requestDefault,
        `default value ${lim} must equal to defaultRequest value ${req} in ${name}`,
      ),
    );
  return errors;
}

function ratioErrors(
  ratio: Amount | undefined,
  least: Amount | undefined,
  most: Amount | undefined,
  path: string,
): readonly FieldError[] {
  if (ratio === undefined) return [];
  const milli = Number(quantityMilliValue(ratio.value));
  const errors = milli < 1000 ? [invalid(path, ratio.text, `ratio ${ratio.text} is less than 1`)] : [];
  if (least === undefined || most === undefined) return errors;
  const widest = Number(quantityMilliValue(most.value)) / Number(quantityMilliValue(least.value));
  return milli / 1000 > widest
    ? [...errors, invalid(path, ratio.text, `ratio ${ratio.text} is greater than max/min = ${widest.toFixed(6)}`)]
    : errors;
}

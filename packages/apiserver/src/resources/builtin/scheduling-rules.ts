// Where a pod may run: affinities, tolerations, spread (k/k: validateAffinity, ValidateTolerations,
// validateTopologySpreadConstraints).
import {
  duplicate,
  forbidden,
  invalid,
  invalidEach,
  isDns1123Label,
  isLabelValue,
  notSupported,
  required,
  validateLabelName,
  validateLabelSelector,
  type FieldError,
} from "@fairlead/apimachinery";
import { getOwn, type JsonObject } from "@fairlead/base";
import { at, has, num, obj, objs, str, strs } from "./access.js";
import { oneOf } from "./rules.js";

const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

/** What is wrong with a pod's affinities. */
export function affinityErrors(affinity: JsonObject | undefined, path: string): readonly FieldError[] {
  if (affinity === undefined) return [];
  const node = obj(affinity, "nodeAffinity");
  return [
    ...(node === undefined ? [] : nodeAffinityErrors(node, `${path}.nodeAffinity`)),
    ...["podAffinity", "podAntiAffinity"].flatMap((key) => podAffinityErrors(at(affinity, key), `${path}.${key}`)),
  ];
}

function nodeAffinityErrors(affinity: JsonObject, path: string): readonly FieldError[] {
  const selector = obj(affinity, REQUIRED);
  return [
    ...(selector === undefined ? [] : nodeSelectorErrors(selector, `${path}.${REQUIRED}`)),
    ...objs(affinity, PREFERRED).flatMap((term, i) => [
      ...weightErrors(term, `${path}.${PREFERRED}[${i}]`),
      ...nodeTermErrors(at(term, "preference"), `${path}.${PREFERRED}[${i}].preference`, { anyValue: true }),
    ]),
  ];
}

function weightErrors(term: JsonObject, path: string): readonly FieldError[] {
  const weight = num(term, "weight");
  return weight <= 0 || weight > 100 ? [invalid(`${path}.weight`, weight, "must be in the range 1-100")] : [];
}

/** What is wrong with a NodeSelector, also of a PersistentVolume. */
export function nodeSelectorErrors(selector: JsonObject, path: string): readonly FieldError[] {
  const terms = objs(selector, "nodeSelectorTerms");
  if (terms.length === 0) return [required(`${path}.nodeSelectorTerms`, "must have at least one node selector term")];
  return terms.flatMap((term, i) => nodeTermErrors(term, `${path}.nodeSelectorTerms[${i}]`, { anyValue: false }));
}

function nodeTermErrors(
  term: JsonObject,
  path: string,
  options: { readonly anyValue: boolean },
): readonly FieldError[] {
  return [
    ...objs(term, "matchExpressions").flatMap((requirement, i) =>
      nodeRequirementErrors(requirement, `${path}.matchExpressions[${i}]`, options),
    ),
    ...objs(term, "matchFields").flatMap((requirement, i) => nodeFieldErrors(requirement, `${path}.matchFields[${i}]`)),
  ];
}

function nodeRequirementErrors(
  requirement: JsonObject,
  path: string,
  options: { readonly anyValue: boolean },
): readonly FieldError[] {
  const operator = str(requirement, "operator");
  const values = strs(requirement, "values");
  const errors: FieldError[] = [];
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0)
        errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0)
        errors.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      break;
    case "Gt":
    case "Lt":
      if (values.length !== 1)
        errors.push(required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      break;
    default:
      errors.push(invalid(`${path}.operator`, operator, "not a valid selector operator"));
  }
  errors.push(...validateLabelName(str(requirement, "key"), `${path}.key`));
  if (options.anyValue) return errors;
  return [...errors, ...values.flatMap((value, i) => invalidEach(`${path}.values[${i}]`, value, isLabelValue(value)))];
}

function nodeFieldErrors(requirement: JsonObject, path: string): readonly FieldError[] {
  const operator = str(requirement, "operator");
  const key = str(requirement, "key");
  const values = strs(requirement, "values").length;
  const errors: FieldError[] = [];
  if (operator !== "In" && operator !== "NotIn")
    errors.push(invalid(`${path}.operator`, operator, "not a valid selector operator"));
  else if (values !== 1)
    errors.push(
      required(`${path}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"),
    );
  if (key !== "metadata.name") errors.push(invalid(`${path}.key`, key, "not a valid field selector key"));
  return errors;
}

function podAffinityErrors(affinity: JsonObject, path: string): readonly FieldError[] {
  return [
    ...objs(affinity, REQUIRED).flatMap((term, i) => podTermErrors(term, `${path}.${REQUIRED}[${i}]`)),
    ...objs(affinity, PREFERRED).flatMap((term, i) => [
      ...weightErrors(term, `${path}.${PREFERRED}[${i}]`),
      ...podTermErrors(at(term, "podAffinityTerm"), `${path}.${PREFERRED}[${i}].podAffinityTerm`),
    ]),
  ];
}

function podTermErrors(term: JsonObject, path: string): readonly FieldError[] {
  const topology = str(term, "topologyKey");
  return [
    ...validateLabelSelector(obj(term, "labelSelector"), `${path}.labelSelector`),
    ...validateLabelSelector(obj(term, "namespaceSelector"), `${path}.namespaceSelector`),
    ...strs(term, "namespaces").flatMap((name) => invalidEach(`${path}.namespace`, name, isDns1123Label(name))),
    ...labelKeysErrors(term, path, ["matchLabelKeys", "mismatchLabelKeys"]),
    ...(topology === "" ? [required(`${path}.topologyKey`, "can not be empty")] : []),
    ...validateLabelName(topology, `${path}.topologyKey`),
  ];
}

function labelKeysErrors(term: JsonObject, path: string, lists: readonly string[]): readonly FieldError[] {
  const selector = obj(term, "labelSelector");
  const errors: FieldError[] = [];
  for (const list of lists) {
    const keys = strs(term, list);
    if (keys.length === 0) continue;
    if (selector === undefined)
      errors.push(forbidden(`${path}.${list}`, "must not be specified when labelSelector is not set"));
    else errors.push(...keys.flatMap((key, i) => validateLabelName(key, `${path}.${list}[${i}]`)));
  }
  const mismatch = new Set(strs(term, "mismatchLabelKeys"));
  for (const [i, key] of strs(term, "matchLabelKeys").entries()) {
    if (mismatch.has(key))
      errors.push(invalid(`${path}.matchLabelKeys[${i}]`, key, "exists in both matchLabelKeys and mismatchLabelKeys"));
  }
  return errors;
}

const EFFECTS: readonly string[] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** What is wrong with tolerations. */
export function tolerationErrors(holder: JsonObject, path: string): readonly FieldError[] {
  return objs(holder, "tolerations").flatMap((toleration, i) => tolerationError(toleration, `${path}[${i}]`));
}

function tolerationError(toleration: JsonObject, path: string): readonly FieldError[] {
  const key = str(toleration, "key");
  const operator = str(toleration, "operator");
  const value = str(toleration, "value");
  const effect = str(toleration, "effect");
  const errors: FieldError[] = key === "" ? [] : [...validateLabelName(key, `${path}.key`)];
  if (key === "" && operator !== "Exists") {
    errors.push(
      invalid(
        `${path}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    );
  }
  if (has(toleration, "tolerationSeconds") && effect !== "NoExecute") {
    errors.push(invalid(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  if (operator === "Equal" || operator === "") {
    const messages = isLabelValue(value);
    if (messages.length > 0) errors.push(invalid(`${path}.operator`, value, messages.join(";")));
  } else if (operator === "Exists") {
    if (value !== "")
      errors.push(invalid(`${path}.operator`, value, "value must be empty when `operator` is 'Exists'"));
  } else {
    const comparison = operator === "Lt" || operator === "Gt" ? ["Lt", "Gt"] : [];
    errors.push(notSupported(`${path}.operator`, operator, ["Equal", "Exists", ...comparison]));
  }
  return effect === "" ? errors : [...errors, ...oneOf(effect, `${path}.effect`, EFFECTS)];
}

/** What is wrong with taints of a node. */
export function taintErrors(taints: readonly JsonObject[], path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return taints.flatMap((taint, i) => {
    const key = str(taint, "key");
    const effect = str(taint, "effect");
    const value = str(taint, "value");
    const where = `${path}[${i}]`;
    const messages = isLabelValue(value);
    const errors = [
      ...validateLabelName(key, `${where}.key`),
      ...(messages.length > 0 ? [invalid(`${where}.value`, value, messages.join(";"))] : []),
      ...(effect === "" ? [required(`${where}.effect`)] : oneOf(effect, `${where}.effect`, EFFECTS)),
    ];
    if (seen.has(`${key} ${effect}`))
      errors.push({
        ...duplicate(where, { Key: key, Value: value, Effect: effect, TimeAdded: getOwn(taint, "timeAdded") ?? null }),
        detail: "taints must be unique by key and effect pair",
      });
    seen.add(`${key} ${effect}`);
    return errors;
  });
}

/** What is wrong with the spread over topologies. */
export function spreadErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const constraints = objs(spec, "topologySpreadConstraints");
  return constraints.flatMap((constraint, i) => spreadError(constraint, constraints.slice(i + 1), `${path}[${i}]`));
}

function spreadError(constraint: JsonObject, rest: readonly JsonObject[], path: string): readonly FieldError[] {
  const skew = num(constraint, "maxSkew");
  const topology = str(constraint, "topologyKey");
  const action = str(constraint, "whenUnsatisfiable");
  const errors: FieldError[] = skew > 0 ? [] : [invalid(`${path}.maxSkew`, skew, "must be greater than zero")];
  if (topology === "") errors.push(required(`${path}.topologyKey`, "can not be empty"));
  errors.push(...oneOf(action, `${path}.whenUnsatisfiable`, ["DoNotSchedule", "ScheduleAnyway"]));
  if (rest.some((other) => str(other, "topologyKey") === topology && str(other, "whenUnsatisfiable") === action)) {
    errors.push(duplicate(`${path}.{topologyKey, whenUnsatisfiable}`, `{${topology}, ${action}}`));
  }
  if (has(constraint, "minDomains")) {
    const domains = num(constraint, "minDomains");
    if (domains <= 0) errors.push(invalid(`${path}.minDomains`, domains, "must be greater than zero"));
    if (action !== "DoNotSchedule")
      errors.push(
        invalid(
          `${path}.minDomains`,
          domains,
          `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`,
        ),
      );
  }
  for (const key of ["nodeAffinityPolicy", "nodeTaintsPolicy"]) {
    if (has(constraint, key)) errors.push(...oneOf(str(constraint, key), `${path}.${key}`, ["Honor", "Ignore"]));
  }
  return [
    ...errors,
    ...labelKeysErrors(constraint, path, ["matchLabelKeys"]),
    ...validateLabelSelector(obj(constraint, "labelSelector"), `${path}.labelSelector`),
  ];
}

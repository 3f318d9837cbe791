// The spec of a Job, wherever it stands (k/k: pkg/apis/batch/validation).
import {
  duplicate,
  goQuote,
  invalid,
  invalidEach,
  isQualifiedName,
  notSupported,
  required,
  tooLong,
  tooMany,
  type FieldError,
} from "@fairlead/apimachinery";
import { getOwn, isArray, type JsonObject, type JsonValue } from "@fairlead/base";
import { at, has, num, obj, objs, str } from "./access.js";
import { internalForm } from "./internal-form.js";
import { templateErrors } from "./pod-spec-rules.js";
import { domainPathErrors, invalidUnshown, nonNegativeMember } from "./rules.js";

const ACTIONS: readonly string[] = ["Count", "FailIndex", "FailJob", "Ignore"];
const OPERATORS: readonly string[] = ["In", "NotIn"];
const STATUSES: readonly string[] = ["False", "True", "Unknown"];
const MOST_RULES = 20;
const MOST_EXIT_CODES = 255;
const MOST_INDEXES = 100_000;
const MANY_COMPLETIONS = 100_000;
const MOST_FOR_MANY = 10_000;
const LONGEST_INDEXES = 65_536;

/** What is wrong with a Job's spec, but for its selector. */
export function jobSpecErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const counts = [
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
  ];
  const errors = counts.flatMap((key) => [...nonNegativeMember(spec, key, path)]);
  if (has(spec, "maxFailedIndexes") && !has(spec, "backoffLimitPerIndex"))
    errors.push(required(`${path}.backoffLimitPerIndex`, "when maxFailedIndexes is specified"));
  if (has(spec, "managedBy")) errors.push(...managerErrors(str(spec, "managedBy"), `${path}.managedBy`));
  errors.push(...completionModeErrors(spec, path));
  if (has(spec, "podFailurePolicy")) errors.push(...failurePolicyErrors(spec, `${path}.podFailurePolicy.rules`));
  errors.push(
    ...successPolicyErrors(spec, `${path}.successPolicy`),
    ...replacementErrors(spec, `${path}.podReplacementPolicy`),
  );
  errors.push(...templateErrors(at(spec, "template"), `${path}.template`));
  return [...errors, ...restartErrors(spec, `${path}.template.spec.restartPolicy`)];
}

function managerErrors(manager: string, path: string): readonly FieldError[] {
  const errors = domainPathErrors(manager, path);
  return manager.length > 63 ? [...errors, tooLong(path, 63)] : errors;
}

function completionModeErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const mode = str(spec, "completionMode");
  const errors: FieldError[] = [];
  if (has(spec, "completionMode") && mode !== "NonIndexed" && mode !== "Indexed")
    errors.push(notSupported(`${path}.completionMode`, mode, ["NonIndexed", "Indexed"]));
  if (mode === "Indexed") errors.push(...indexedErrors(spec, path));
  if (has(spec, "completionMode") && mode !== "NonIndexed") return errors;
  for (const key of ["backoffLimitPerIndex", "maxFailedIndexes"]) {
    if (has(spec, key)) errors.push(invalid(`${path}.${key}`, num(spec, key), "requires indexed completion mode"));
  }
  return errors;
}

function indexedErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const [completions, parallelism, failed] = [
    num(spec, "completions"),
    num(spec, "parallelism"),
    num(spec, "maxFailedIndexes"),
  ];
  const errors: FieldError[] = [];
  if (!has(spec, "completions")) errors.push(required(`${path}.completions`, "when completion mode is Indexed"));
  if (parallelism > MOST_INDEXES)
    errors.push(
      invalid(
        `${path}.parallelism`,
        parallelism,
        `must be less than or equal to ${MOST_INDEXES} when completion mode is Indexed`,
      ),
    );
  if (has(spec, "completions") && has(spec, "maxFailedIndexes") && failed > completions)
    errors.push(invalid(`${path}.maxFailedIndexes`, failed, "must be less than or equal to completions"));
  if (failed > MOST_INDEXES)
    errors.push(invalid(`${path}.maxFailedIndexes`, failed, `must be less than or equal to ${MOST_INDEXES}`));
  if (completions <= MANY_COMPLETIONS || !has(spec, "backoffLimitPerIndex")) return errors;
  const limit = `must be less than or equal to ${MOST_FOR_MANY} when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;
  if (!has(spec, "maxFailedIndexes"))
    errors.push(
      required(`${path}.maxFailedIndexes`, `must be specified when completions is above ${MANY_COMPLETIONS}`),
    );
  if (parallelism > MOST_FOR_MANY) errors.push(invalid(`${path}.parallelism`, parallelism, limit));
  if (failed > MOST_FOR_MANY) errors.push(invalid(`${path}.maxFailedIndexes`, failed, limit));
  return errors;
}

function validValues(values: readonly string[]): string {
  return `valid values: [${values.map(goQuote).join(" ")}]`;
}

function failurePolicyErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const rules = objs(obj(spec, "podFailurePolicy"), "rules");
  const pod = at(spec, "template", "spec");
  const names = ["containers", "initContainers"].flatMap((key) =>
    objs(pod, key).map((container) => str(container, "name")),
  );
  const errors = rules.length > MOST_RULES ? [tooMany(path, rules.length, MOST_RULES)] : [];
  return [
    ...errors,
    ...rules.flatMap((rule, i) =>
      failureRuleErrors(rule, `${path}[${i}]`, { names, perIndex: has(spec, "backoffLimitPerIndex") }),
    ),
  ];
}

interface JobFacts {
  readonly names: readonly string[];
  readonly perIndex: boolean;
}

function failureRuleErrors(rule: JsonObject, path: string, facts: JobFacts): readonly FieldError[] {
  const action = str(rule, "action");
  const codes = obj(rule, "onExitCodes");
  const conditions = objs(rule, "onPodConditions");
  const errors: FieldError[] = [];
  if (action === "") errors.push(required(`${path}.action`, validValues(ACTIONS)));
  else if (action === "FailIndex" && !facts.perIndex)
    errors.push(invalid(`${path}.action`, action, "requires the backoffLimitPerIndex to be set"));
  else if (!ACTIONS.includes(action)) errors.push(notSupported(`${path}.action`, action, ACTIONS));
  if (codes !== undefined) errors.push(...exitCodeErrors(codes, `${path}.onExitCodes`, facts.names));
  errors.push(...conditionErrors(conditions, `${path}.onPodConditions`));
  if (codes !== undefined && conditions.length > 0)
    errors.push(invalidUnshown(path, "specifying both OnExitCodes and OnPodConditions is not supported"));
  if (codes === undefined && conditions.length === 0)
    errors.push(invalidUnshown(path, "specifying one of OnExitCodes and OnPodConditions is required"));
  return errors;
}

function exitCodeErrors(codes: JsonObject, path: string, names: readonly string[]): readonly FieldError[] {
  const operator = str(codes, "operator");
  const errors: FieldError[] = [];
  if (operator === "") errors.push(required(`${path}.operator`, validValues(OPERATORS)));
  else if (!OPERATORS.includes(operator)) errors.push(notSupported(`${path}.operator`, operator, OPERATORS));
  const name = str(codes, "containerName");
  if (has(codes, "containerName") && !names.includes(name))
    errors.push(
      invalid(`${path}.containerName`, name, "must be one of the container or initContainer names in the pod template"),
    );
  const given = getOwn(codes, "values");
  const values: readonly JsonValue[] = isArray(given) ? given : [];
  if (values.length === 0) errors.push(invalid(`${path}.values`, given ?? null, "at least one value is required"));
  else if (values.length > MOST_EXIT_CODES) errors.push(tooMany(`${path}.values`, values.length, MOST_EXIT_CODES));
  const seen = new Set<JsonValue>();
  for (const [i, value] of values.entries()) {
    if (operator === "In" && value === 0)
      errors.push(invalid(`${path}.values[${i}]`, value, "must not be 0 for the In operator"));
    if (seen.has(value)) errors.push(duplicate(`${path}.values[${i}]`, value));
    seen.add(value);
  }
  const ordered = values.every((value, i) => i === 0 || Number(values[i - 1]) <= Number(value));
  return ordered ? errors : [...errors, invalid(`${path}.values`, [...values], "must be ordered")];
}

function conditionErrors(conditions: readonly JsonObject[], path: string): readonly FieldError[] {
  const errors = conditions.length > MOST_RULES ? [tooMany(path, conditions.length, MOST_RULES)] : [];
  return [
    ...errors,
    ...conditions.flatMap((condition, i) => {
      const type = str(condition, "type");
      const status = str(condition, "status");
      const wrong =
        status === ""
          ? [required(`${path}[${i}].status`, validValues(STATUSES))]
          : STATUSES.includes(status)
            ? []
            : [notSupported(`${path}[${i}].status`, status, STATUSES)];
      return [...invalidEach(`${path}[${i}].type`, type, isQualifiedName(type)), ...wrong];
    }),
  ];
}

function successPolicyErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const policy = obj(spec, "successPolicy");
  if (policy === undefined) return [];
  if (str(spec, "completionMode") !== "Indexed")
    return [invalid(path, internalForm(policy, "batch.SuccessPolicy"), "requires indexed completion mode")];
  const rules = objs(policy, "rules");
  return [
    ...(rules.length === 0
      ? [required(`${path}.rules`, "at least one rules must be specified when the successPolicy is specified")]
      : []),
    ...(rules.length > MOST_RULES ? [tooMany(`${path}.rules`, rules.length, MOST_RULES)] : []),
    ...rules.flatMap((rule, i) => successRuleErrors(rule, `${path}.rules[${i}]`, num(spec, "completions"))),
  ];
}

function successRuleErrors(rule: JsonObject, path: string, completions: number): readonly FieldError[] {
  const errors: FieldError[] = [];
  const [hasCount, hasIndexes] = [has(rule, "succeededCount"), has(rule, "succeededIndexes")];
  if (!hasCount && !hasIndexes)
    errors.push(required(path, "at least one of succeededCount or succeededIndexes must be specified"));
  const text = str(rule, "succeededIndexes");
  const parsed = countIndexes(text, completions);
  if (hasIndexes && text.length > LONGEST_INDEXES) errors.push(tooLong(`${path}.succeededIndexes`, LONGEST_INDEXES));
  if (hasIndexes && typeof parsed === "string")
    errors.push(invalid(`${path}.succeededIndexes`, text, `error parsing succeededIndexes: ${parsed}`));
  if (!hasCount) return errors;
  const count = num(rule, "succeededCount");
  const total = typeof parsed === "number" ? parsed : 0;
  errors.push(...nonNegativeMember(rule, "succeededCount", path));
  if (count > completions)
    errors.push(
      invalid(
        `${path}.succeededCount`,
        count,
        `must be less than or equal to ${completions} (the number of specified completions)`,
      ),
    );
  if (hasIndexes && count > total) {
    errors.push(
      invalid(
        `${path}.succeededCount`,
        count,
        `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`,
      ),
    );
  }
  return errors;
}

function replacementErrors(spec: JsonObject, path: string): readonly FieldError[] {
  if (!has(spec, "podReplacementPolicy")) return [];
  const policy = str(spec, "podReplacementPolicy");
  const supported = has(spec, "podFailurePolicy") ? ["Failed"] : ["Failed", "TerminatingOrFailed"];
  return supported.includes(policy) ? [] : [notSupported(path, policy, supported)];
}

function restartErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const policy = str(at(spec, "template", "spec"), "restartPolicy");
  if (policy === "Always" || policy === "") return [required(path, 'valid values: "OnFailure", "Never"')];
  if (policy !== "OnFailure" && policy !== "Never") return [notSupported(path, policy, ["OnFailure", "Never"])];
  const restarts = has(spec, "podFailurePolicy") && policy !== "Never";
  return restarts ? [invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')] : [];
}

/** How many indexes a text such as `0,2-4` names, or what is wrong with it. */
export function countIndexes(text: string, completions: number): number | string {
  if (text === "") return 0;
  let total = 0;
  let last: number | undefined;
  for (const part of text.split(",")) {
    const interval = indexInterval(part, completions);
    if (typeof interval === "string") return interval;
    const [low, high] = interval;
    if (last !== undefined && last >= low) return `non-increasing order, previous: ${last}, current: ${low}`;
    total += high - low + 1;
    last = high;
  }
  return total;
}

/** The first and last index of an interval such as `2-4`, or what is wrong with it. */
export function indexInterval(text: string, completions: number): readonly [low: number, high: number] | string {
  const limits = text.split("-");
  if (limits.length > 2)
    return `the fragment ${goQuote(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  for (const limit of limits) {
    if (!/^[-+]?\d+$/.test(limit)) return `cannot convert string to integer for index: ${goQuote(limit)}`;
    if (Number(limit) >= completions) return `too large index: ${goQuote(limit)}`;
  }
  const [low = 0, high = low] = limits.map(Number);
  return limits.length === 2 && low >= high ? `non-increasing order, previous: ${low}, current: ${high}` : [low, high];
}

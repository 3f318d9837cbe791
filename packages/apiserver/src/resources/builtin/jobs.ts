// Job and CronJob (k/k: pkg/apis/batch/validation, pkg/registry/batch).
import {
  FIELD_IS_IMMUTABLE,
  invalid,
  isDns1123Label,
  matchesLabels,
  notSupported,
  required,
  validateLabelSelector,
  type FieldError,
} from "@fairlead/apimachinery";
import { deepEqual, getOwn, type JsonObject, type JsonValue, type MutableJsonObject } from "@fairlead/base";
import type { ResourceStrategy } from "../resource.js";
import { at, bool, has, num, obj, shownMap, str } from "./access.js";
import { scheduleProblem, timeZoneProblem } from "./cron-schedule.js";
import { internalForm } from "./internal-form.js";
import { jobSpecErrors } from "./job-rules.js";
import { jobStatusErrors } from "./job-status-rules.js";
import { podWarnings } from "./pod-warnings.js";
import { podNameWarnings } from "./pods.js";
import { nonNegativeMember, requiredOneOf } from "./rules.js";
import { selectorOf, shownSelector } from "./selector-rules.js";
import { builtinStrategy } from "./strategy.js";

/** The strategies of these kinds. */
export function jobStrategies(): readonly ResourceStrategy[] {
  return [job(), cronJob()];
}

const PRESERVES_PODS =
  "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning";

const UID_LABELS: readonly string[] = ["controller-uid", "batch.kubernetes.io/controller-uid"];
const NAME_LABELS: readonly string[] = ["job-name", "batch.kubernetes.io/job-name"];
const LONGEST_CRON_NAME = 52;

function job(): ResourceStrategy {
  return builtinStrategy("batch/v1/Job", {
    prepareForCreate: (object) => {
      if (!bool(at(object, "spec"), "manualSelector")) generateSelector(object);
    },
    validateCreate: (object) => jobErrors(object, true),
    validateUpdate: (object, live) => {
      const labels = at(live, "spec", "template", "metadata", "labels");
      const prefixed = has(labels, "batch.kubernetes.io/job-name") && has(labels, "batch.kubernetes.io/controller-uid");
      return [...jobErrors(object, prefixed), ...jobChangeErrors(object, live)];
    },
    validateStatusUpdate: jobStatusErrors,
    deletionWarning: PRESERVES_PODS,
    warnings: (object, live) => {
      if (live === undefined) return [...podNameWarnings(object), ...jobWarnings(at(object, "spec"), "spec")];
      return sameGeneration(object, live) ? [] : jobWarnings(at(object, "spec"), "spec");
    },
    selectableFields: new Map([["status.successful", (object) => String(num(obj(object, "status"), "succeeded"))]]),
  });
}

function sameGeneration(object: JsonObject, live: JsonObject): boolean {
  return num(at(object, "metadata"), "generation") === num(at(live, "metadata"), "generation");
}

/** Pods of a Job are told from others by its uid, which nobody has to write. */
function generateSelector(object: MutableJsonObject): void {
  const metadata = at(object, "metadata");
  const spec: MutableJsonObject = { ...at(object, "spec") };
  const template: MutableJsonObject = { ...at(spec, "template") };
  const podMetadata: MutableJsonObject = { ...at(template, "metadata") };
  const labels: MutableJsonObject = { ...at(podMetadata, "labels") };
  const put = (names: readonly string[], value: string): void => {
    for (const name of names) if (!has(labels, name)) labels[name] = value;
  };
  put(NAME_LABELS, str(metadata, "name"));
  put(UID_LABELS, str(metadata, "uid"));
  const selector = at(spec, "selector");
  const matchLabels: MutableJsonObject = { ...at(selector, "matchLabels") };
  if (!has(matchLabels, "batch.kubernetes.io/controller-uid"))
    matchLabels["batch.kubernetes.io/controller-uid"] = str(metadata, "uid");
  podMetadata["labels"] = labels;
  template["metadata"] = podMetadata;
  spec["template"] = template;
  spec["selector"] = { ...selector, matchLabels };
  object["spec"] = spec;
}

function jobErrors(object: JsonObject, prefixed: boolean): readonly FieldError[] {
  const spec = at(object, "spec");
  const name = str(at(object, "metadata"), "name");
  const errors = [...generatedErrors(object, prefixed), ...jobSpecErrors(spec, "spec"), ...selectorErrors(spec)];
  const completions = num(spec, "completions");
  if (str(spec, "completionMode") !== "Indexed" || completions <= 0) return errors;
  const longest = `${name}-${completions - 1}`;
  const fits = isDns1123Label(longest).length === 0;
  return fits
    ? errors
    : [...errors, invalid("metadata.name", name, `will not able to create pod with invalid DNS label: ${longest}`)];
}

function generatedErrors(object: JsonObject, prefixed: boolean): readonly FieldError[] {
  const spec = at(object, "spec");
  if (bool(spec, "manualSelector") || !has(spec, "selector")) return [];
  const metadata = at(object, "metadata");
  const expected: { [name: string]: string } = {};
  const count = prefixed ? 2 : 1;
  for (let i = 0; i < count; i++) {
    expected[UID_LABELS[i] ?? ""] = str(metadata, "uid");
    expected[NAME_LABELS[i] ?? ""] = str(metadata, "name");
  }
  const template = at(spec, "template", "metadata");
  const errors = Object.entries(expected).flatMap(([name, value]) => labelErrors(template, name, value));
  const selector = selectorOf(spec);
  const generated = selector === undefined || matchesLabels(selector, expected);
  return generated
    ? errors
    : [...errors, invalid("spec.selector", shownSelector(spec), "`selector` not auto-generated")];
}

function labelErrors(metadata: JsonObject, name: string, value: string): readonly FieldError[] {
  const path = "spec.template.metadata.labels";
  const actual = getOwn(at(metadata, "labels"), name);
  if (actual === undefined) return [required(`${path}[${name}]`, `must be '${value}'`)];
  return actual === value ? [] : [invalid(`${path}[${name}]`, shownMap(metadata, "labels"), `must be '${value}'`)];
}

function selectorErrors(spec: JsonObject): readonly FieldError[] {
  const errors = has(spec, "selector")
    ? [...validateLabelSelector(getOwn(spec, "selector"), "spec.selector")]
    : [required("spec.selector")];
  const selector = selectorOf(spec);
  const labels = obj(at(spec, "template", "metadata"), "labels");
  if (selector === undefined || matchesLabels(selector, labels)) return errors;
  return [
    ...errors,
    invalid(
      "spec.template.metadata.labels",
      shownMap(at(spec, "template", "metadata"), "labels"),
      "`selector` does not match template `labels`",
    ),
  ];
}

function jobChangeErrors(object: JsonObject, live: JsonObject): readonly FieldError[] {
  const spec = at(object, "spec");
  const before = at(live, "spec");
  const immutable = (key: string, type?: string): readonly FieldError[] => {
    const after = getOwn(spec, key);
    if (deepEqual(after ?? null, getOwn(before, key) ?? null)) return [];
    return [
      invalid(
        `spec.${key}`,
        after === undefined || type === undefined ? (after ?? null) : internalForm(after, type),
        FIELD_IS_IMMUTABLE,
      ),
    ];
  };
  return [
    ...jobSpecErrors(spec, "spec"),
    ...selectorErrors(spec),
    ...completionChangeErrors(spec, before),
    ...immutable("selector", "*L"),
    ...templateChangeErrors(spec, before, live),
    ...immutable("completionMode"),
    ...immutable("podFailurePolicy", "batch.PodFailurePolicy"),
    ...immutable("backoffLimitPerIndex"),
    ...immutable("managedBy"),
    ...immutable("successPolicy", "batch.SuccessPolicy"),
  ];
}

function completionChangeErrors(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  const after: JsonValue = getOwn(spec, "completions") ?? null;
  const same = deepEqual(after, getOwn(before, "completions") ?? null);
  if (str(spec, "completionMode") !== "Indexed")
    return same ? [] : [invalid("spec.completions", after, FIELD_IS_IMMUTABLE)];
  if (same || after === null || deepEqual(after, getOwn(spec, "parallelism") ?? null)) return [];
  return [invalid("spec.completions", after, "can only be modified in tandem with spec.parallelism")];
}

/** The template stays; where its pods may run, though, may change until a suspended Job has started. */
function templateChangeErrors(spec: JsonObject, before: JsonObject, live: JsonObject): readonly FieldError[] {
  const template = at(spec, "template");
  const movable = bool(before, "suspend") && !has(at(live, "status"), "startTime");
  const old = movable ? withDirectivesOf(at(before, "template"), template) : at(before, "template");
  if (deepEqual(template, old)) return [];
  return [invalid("spec.template", internalForm(template, "core.PodTemplateSpec"), FIELD_IS_IMMUTABLE)];
}

function withDirectivesOf(old: JsonObject, template: JsonObject): JsonObject {
  const metadata: MutableJsonObject = { ...at(old, "metadata") };
  const spec: MutableJsonObject = { ...at(old, "spec") };
  for (const key of ["annotations", "labels"]) copy(metadata, at(template, "metadata"), key);
  for (const key of ["nodeSelector", "tolerations", "schedulingGates"]) copy(spec, at(template, "spec"), key);
  const affinity: MutableJsonObject = { ...at(spec, "affinity") };
  copy(affinity, at(template, "spec", "affinity"), "nodeAffinity");
  if (Object.keys(affinity).length > 0 || has(at(template, "spec"), "affinity")) spec["affinity"] = affinity;
  else delete spec["affinity"];
  return { ...old, metadata, spec };
}

function copy(to: MutableJsonObject, from: JsonObject, key: string): void {
  const value = getOwn(from, key);
  if (value === undefined) delete to[key];
  else to[key] = value;
}

function jobWarnings(spec: JsonObject, path: string): readonly string[] {
  const huge =
    str(spec, "completionMode") === "Indexed" &&
    num(spec, "completions") > 100_000 &&
    num(spec, "parallelism") > 10_000;
  const text =
    "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail";
  return [...(huge ? [`${path}: ${text}`] : []), ...podWarnings(at(spec, "template"), `${path}.template`)];
}

function cronJob(): ResourceStrategy {
  return builtinStrategy("batch/v1/CronJob", {
    validateCreate: (object) => {
      const name = str(at(object, "metadata"), "name");
      const errors = cronErrors(at(object, "spec"), undefined);
      return name.length > LONGEST_CRON_NAME
        ? [...errors, invalid("metadata.name", name, `must be no more than ${LONGEST_CRON_NAME} characters`)]
        : errors;
    },
    validateUpdate: (object, live) => cronErrors(at(object, "spec"), at(live, "spec")),
    warnings: (object, live) => {
      const warnings = jobWarnings(at(object, "spec", "jobTemplate", "spec"), "spec.jobTemplate.spec");
      if (live === undefined) return [...podNameWarnings(object), ...warnings];
      const zoned = str(at(object, "spec"), "schedule").includes("TZ");
      return [...(sameGeneration(object, live) ? [] : warnings), ...(zoned ? [ZONE_WARNING] : [])];
    },
  });
}

const ZONE_WARNING =
  "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";

function cronErrors(spec: JsonObject, before: JsonObject | undefined): readonly FieldError[] {
  const template = at(spec, "jobTemplate", "spec");
  const zoneChanged =
    before === undefined || !deepEqual(getOwn(spec, "timeZone") ?? null, getOwn(before, "timeZone") ?? null);
  const path = "spec.jobTemplate.spec";
  return [
    ...scheduleErrors(spec, before),
    ...nonNegativeMember(spec, "startingDeadlineSeconds", "spec"),
    ...(zoneChanged && has(spec, "timeZone") ? zoneErrors(str(spec, "timeZone")) : []),
    ...requiredOneOf(str(spec, "concurrencyPolicy"), "spec.concurrencyPolicy", ["Allow", "Forbid", "Replace"]),
    ...jobSpecErrors(template, path),
    ...(has(template, "selector")
      ? [invalid(`${path}.selector`, shownSelector(template), "`selector` will be auto-generated")]
      : []),
    ...(bool(template, "manualSelector") ? [notSupported(`${path}.manualSelector`, true, ["nil", "false"])] : []),
    ...nonNegativeMember(spec, "successfulJobsHistoryLimit", "spec"),
    ...nonNegativeMember(spec, "failedJobsHistoryLimit", "spec"),
  ];
}

function scheduleErrors(spec: JsonObject, before: JsonObject | undefined): readonly FieldError[] {
  const schedule = str(spec, "schedule");
  const path = "spec.schedule";
  if (schedule === "") return [required(path)];
  const problem = scheduleProblem(schedule);
  const errors = problem === undefined ? [] : [invalid(path, schedule, problem)];
  if (!schedule.includes("TZ")) return errors;
  const tolerated = before !== undefined && str(before, "schedule").includes("TZ");
  if (!tolerated)
    return [...errors, invalid(path, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")];
  return has(spec, "timeZone")
    ? [...errors, invalid(path, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule")]
    : errors;
}

function zoneErrors(zone: string): readonly FieldError[] {
  const path = "spec.timeZone";
  if (zone === "") return [invalid(path, zone, "timeZone must be nil or non-empty string")];
  const wrong = zone
    .split("/")
    .some((part) => part === "." || part === ".." || part.startsWith("-") || !/^[A-Za-z.\-_0-9+]{1,14}$/.test(part));
  if (wrong) return [invalid(path, zone, `unknown time zone ${zone}`)];
  const problem = timeZoneProblem(zone);
  return [
    ...(zone.toLowerCase() === "local"
      ? [invalid(path, zone, "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones")]
      : []),
    ...(problem === undefined ? [] : [invalid(path, zone, problem)]),
  ];
}

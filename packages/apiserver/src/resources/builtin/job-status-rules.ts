// What may become of a Job's status (k/k: validateJobStatus, getStatusValidationOptions).
import { duplicate, FIELD_IS_IMMUTABLE, invalid, required, type FieldError } from "@fairlead/apimachinery";
import { deepEqual, getOwn, type JsonObject } from "@fairlead/base";
import { at, bool, has, num, obj, objs, str, strs } from "./access.js";
import { countIndexes, indexInterval } from "./job-rules.js";
import { invalidUnshown, nonNegativeMember } from "./rules.js";

/** Whether a condition of the status is true. */
export function jobConditionIsTrue(job: JsonObject, type: string): boolean {
  return conditionIs(job, type, "True");
}

function conditionIs(job: JsonObject, type: string, status: string): boolean {
  return objs(at(job, "status"), "conditions").some(
    (condition) => str(condition, "type") === type && str(condition, "status") === status,
  );
}

interface Facts {
  readonly complete: boolean;
  readonly failed: boolean;
  readonly failureTarget: boolean;
  readonly successCriteria: boolean;
}

function factsOf(job: JsonObject): Facts {
  return {
    complete: jobConditionIsTrue(job, "Complete"),
    failed: jobConditionIsTrue(job, "Failed"),
    failureTarget: jobConditionIsTrue(job, "FailureTarget"),
    successCriteria: jobConditionIsTrue(job, "SuccessCriteriaMet"),
  };
}

/** What is wrong with a change of a Job's status. Most rules only hold where what they are about changes. */
export function jobStatusErrors(job: JsonObject, live: JsonObject): readonly FieldError[] {
  const now = factsOf(job);
  const before = factsOf(live);
  return [
    ...countErrors(at(job, "status")),
    ...conditionErrors(job, live, { now, before }),
    ...finishedErrors(job, live, { now, before }),
    ...indexErrors(job, live),
    ...podErrors(job, live, { now, before }),
    ...successErrors(job, now),
    ...changeErrors(job, live, { now, before }),
  ];
}

interface Both {
  readonly now: Facts;
  readonly before: Facts;
}

const STATUS = "status";
const CONDITIONS = "status.conditions";

function countErrors(status: JsonObject): readonly FieldError[] {
  const errors = ["active", "succeeded", "failed", "ready", "terminating"].flatMap((key) => [
    ...nonNegativeMember(status, key, STATUS),
  ]);
  const seen = new Set<string>();
  for (const key of ["succeeded", "failed"]) {
    for (const [i, uid] of strs(obj(status, "uncountedTerminatedPods"), key).entries()) {
      const path = `status.uncountedTerminatedPods.${key}[${i}]`;
      if (uid === "") errors.push(invalid(path, uid, "must not be empty"));
      else if (seen.has(uid)) errors.push(duplicate(path, uid));
      seen.add(uid);
    }
  }
  return errors;
}

function changed(job: JsonObject, live: JsonObject, key: string): boolean {
  return !deepEqual(getOwn(at(job, STATUS), key) ?? null, getOwn(at(live, STATUS), key) ?? null);
}

function conditionErrors(job: JsonObject, live: JsonObject, { now, before }: Both): readonly FieldError[] {
  const status = at(job, STATUS);
  const completeChanged = now.complete !== before.complete;
  const failedChanged = now.failed !== before.failed;
  const timeChanged = changed(job, live, "completionTime");
  const [start, end] = [str(status, "startTime"), str(status, "completionTime")];
  const errors: FieldError[] = [];
  if ((completeChanged || failedChanged) && now.complete && now.failed)
    errors.push(invalidUnshown(CONDITIONS, "cannot set Complete=True and Failed=true conditions"));
  if ((completeChanged || now.failureTarget !== before.failureTarget) && now.complete && now.failureTarget) {
    errors.push(invalidUnshown(CONDITIONS, "cannot set Complete=True and FailureTarget=true conditions"));
  }
  if (completeChanged || timeChanged) {
    if (end !== "" && !now.complete)
      errors.push(
        invalid("status.completionTime", end, "cannot set completionTime when there is no Complete=True condition"),
      );
    if (end === "" && now.complete)
      errors.push(required("status.completionTime", "completionTime is required for Complete jobs"));
  }
  if ((timeChanged || changed(job, live, "startTime")) && start !== "" && end !== "" && end < start) {
    errors.push(invalid("status.completionTime", end, "must be equal to or after `startTime`"));
  }
  if ((failedChanged || changed(job, live, "failedIndexes")) && now.failed && !now.failureTarget) {
    errors.push(
      invalidUnshown(CONDITIONS, "cannot set Failed=True condition without the FailureTarget=true condition"),
    );
  }
  if ((completeChanged || now.successCriteria !== before.successCriteria) && now.complete && !now.successCriteria) {
    errors.push(
      invalidUnshown(CONDITIONS, "cannot set Complete=True condition without the SuccessCriteriaMet=true condition"),
    );
  }
  return errors;
}

function finishedErrors(job: JsonObject, live: JsonObject, { now, before }: Both): readonly FieldError[] {
  const status = at(job, STATUS);
  const spec = at(job, "spec");
  const finished = now.complete || now.failed;
  const finishedChanged = finished !== (before.complete || before.failed);
  if (!finished) return [];
  const uncounted = obj(status, "uncountedTerminatedPods");
  const errors: FieldError[] = [];
  if ((finishedChanged || changed(job, live, "active")) && num(status, "active") > 0)
    errors.push(invalid("status.active", num(status, "active"), "active>0 is invalid for finished job"));
  const suspendedEmpty = bool(spec, "suspend") && has(spec, "completions") && num(spec, "completions") === 0;
  if ((finishedChanged || changed(job, live, "startTime")) && !suspendedEmpty && !has(status, "startTime"))
    errors.push(required("status.startTime", "startTime is required for finished job"));
  const left = strs(uncounted, "succeeded").length + strs(uncounted, "failed").length;
  if ((finishedChanged || changed(job, live, "uncountedTerminatedPods")) && uncounted !== undefined && left > 0) {
    errors.push(
      invalid(
        "status.uncountedTerminatedPods",
        { Succeeded: [...strs(uncounted, "succeeded")], Failed: [...strs(uncounted, "failed")] },
        "must be empty for finished job",
      ),
    );
  }
  return errors;
}

function indexErrors(job: JsonObject, live: JsonObject): readonly FieldError[] {
  const status = at(job, STATUS);
  const spec = at(job, "spec");
  const [completed, failed] = [str(status, "completedIndexes"), str(status, "failedIndexes")];
  const [completedChanged, failedChanged] = [
    changed(job, live, "completedIndexes"),
    changed(job, live, "failedIndexes"),
  ];
  const completions = num(spec, "completions");
  const bounded = has(spec, "completions");
  const perIndex = has(spec, "backoffLimitPerIndex");
  const errors: FieldError[] = [];
  const problem = completedChanged && bounded ? countIndexes(completed, completions) : 0;
  if (typeof problem === "string")
    errors.push(invalid("status.completedIndexes", completed, `error parsing completedIndexes: ${problem}`));
  const failedProblem = failedChanged && bounded && perIndex ? countIndexes(failed, completions) : 0;
  if (typeof failedProblem === "string")
    errors.push(invalid("status.failedIndexes", failed, `error parsing failedIndexes: ${failedProblem}`));
  if (completedChanged && completed !== "" && str(spec, "completionMode") !== "Indexed") {
    errors.push(
      invalid(
        "status.completedIndexes",
        completed,
        "cannot set non-empty completedIndexes when non-indexed completion mode",
      ),
    );
  }
  if (failedChanged && !perIndex && has(status, "failedIndexes"))
    errors.push(
      invalid("status.failedIndexes", failed, "cannot set non-null failedIndexes when backoffLimitPerIndex is null"),
    );
  const overlap =
    (completedChanged || failedChanged) && bounded ? overlapping(completed, failed, completions) : undefined;
  if (overlap !== undefined)
    errors.push(
      invalid("status.failedIndexes", failed, `failedIndexes and completedIndexes overlap at index: ${overlap}`),
    );
  return errors;
}

function overlapping(completed: string, failed: string, completions: number): number | undefined {
  const intervals = (text: string): readonly (readonly [number, number])[] =>
    text === ""
      ? []
      : text.split(",").flatMap((part) => {
          const interval = indexInterval(part, completions);
          return typeof interval === "string" ? [] : [interval];
        });
  for (const [low, high] of intervals(completed)) {
    for (const [from, to] of intervals(failed)) if (low <= to && from <= high) return Math.max(low, from);
  }
  return undefined;
}

function podErrors(job: JsonObject, live: JsonObject, { now, before }: Both): readonly FieldError[] {
  const status = at(job, STATUS);
  const finished = now.complete || now.failed;
  const finishedChanged = finished !== (before.complete || before.failed);
  const errors: FieldError[] = [];
  const terminating = num(status, "terminating");
  if ((finishedChanged || changed(job, live, "terminating")) && finished && terminating > 0)
    errors.push(invalid("status.terminating", terminating, "terminating>0 is invalid for finished job"));
  const more = has(status, "ready") && num(status, "ready") > num(status, "active");
  if ((changed(job, live, "ready") || changed(job, live, "active")) && more)
    errors.push(invalid("status.ready", num(status, "ready"), "cannot set more ready pods than active"));
  return errors;
}

function successErrors(job: JsonObject, now: Facts): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (now.successCriteria && now.failed)
    errors.push(invalidUnshown(CONDITIONS, "cannot set SuccessCriteriaMet=True and Failed=true conditions"));
  if (now.successCriteria && now.failureTarget)
    errors.push(invalidUnshown(CONDITIONS, "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"));
  if (has(at(job, "spec"), "successPolicy") && !now.successCriteria && now.complete) {
    errors.push(
      invalidUnshown(CONDITIONS, "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"),
    );
  }
  return errors;
}

function changeErrors(job: JsonObject, live: JsonObject, { now, before }: Both): readonly FieldError[] {
  const [status, old, spec] = [at(job, STATUS), at(live, STATUS), at(job, "spec")];
  const errors: FieldError[] = [];
  for (const type of ["Failed", "Complete", "FailureTarget"]) {
    if (jobConditionIsTrue(live, type) && !jobConditionIsTrue(job, type))
      errors.push(invalidUnshown(CONDITIONS, `cannot disable the terminal ${type}=True condition`));
  }
  if (num(status, "failed") < num(old, "failed"))
    errors.push(invalid("status.failed", num(status, "failed"), "cannot decrease the failed counter"));
  const elastic =
    str(spec, "completionMode") === "Indexed" &&
    deepEqual(getOwn(spec, "completions") ?? null, getOwn(spec, "parallelism") ?? null);
  if (!elastic && num(status, "succeeded") < num(old, "succeeded"))
    errors.push(invalid("status.succeeded", num(status, "succeeded"), "cannot decrease the succeeded counter"));
  if (has(status, "completionTime") && has(old, "completionTime") && changed(job, live, "completionTime")) {
    errors.push(invalid("status.completionTime", str(status, "completionTime"), FIELD_IS_IMMUTABLE));
  }
  const resuming = jobConditionIsTrue(live, "Suspended") && conditionIs(job, "Suspended", "False");
  if (has(old, "startTime") && changed(job, live, "startTime") && !resuming && !bool(spec, "suspend")) {
    errors.push(
      invalid(
        "status.startTime",
        getOwn(status, "startTime") ?? null,
        "field is immutable for unsuspended job once set",
      ),
    );
  }
  if (before.successCriteria && !now.successCriteria)
    errors.push(invalidUnshown(CONDITIONS, "cannot disable the SuccessCriteriaMet=True condition"));
  if (before.complete && !before.successCriteria && now.successCriteria) {
    errors.push(
      invalidUnshown(CONDITIONS, "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"),
    );
  }
  return errors;
}

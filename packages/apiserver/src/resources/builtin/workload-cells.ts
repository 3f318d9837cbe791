// Rows of workloads (k/k: pkg/printers/internalversion/printers.go).
import { formatLabelSelector, labelSelectorOf, parseGroupVersion } from "@fairlead/apimachinery";
import type { JsonObject, JsonValue } from "@fairlead/base";
import type { StrategyContext } from "../resource.js";
import { at, bool, entries, has, num, obj, objs, str } from "./access.js";
import { ageCell, ageOf, humanDuration, nameCell } from "./cells.js";

/** Names and images of a template's containers. */
export function containerCells(template: JsonObject): readonly [names: string, images: string] {
  const containers = objs(at(template, "spec"), "containers");
  return [containers.map((c) => str(c, "name")).join(","), containers.map((c) => str(c, "image")).join(",")];
}

/** `a=b,c=d`, sorted; `<none>` for no labels. */
export function labelsCell(holder: JsonObject, key: string): string {
  const pairs = entries(holder, key);
  return pairs.length === 0 ? "<none>" : pairs.map(([name, value]) => `${name}=${String(value)}`).join(",");
}

/** The selector of a spec. */
export function selectorCell(spec: JsonObject): string {
  return selectorText(obj(spec, "selector"));
}

/** A selector as text. */
export function selectorText(selector: JsonObject | undefined): string {
  try {
    return formatLabelSelector(labelSelectorOf(selector)) || "<none>";
  } catch {
    return "<error>";
  }
}

/** How many replicas of how many are ready. */
export function readyCell(object: JsonObject): string {
  return `${num(at(object, "status"), "readyReplicas")}/${num(at(object, "spec"), "replicas")}`;
}

/** Cells of a ReplicaSet or ReplicationController, but for its selector. */
export function replicaCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const status = at(object, "status");
  return [
    nameCell(object),
    num(at(object, "spec"), "replicas"),
    num(status, "replicas"),
    num(status, "readyReplicas"),
    ageOf(object, context),
    ...containerCells(at(object, "spec", "template")),
  ];
}

/** Cells of a deployment. */
export function deploymentCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const status = at(object, "status");
  return [
    nameCell(object),
    readyCell(object),
    num(status, "updatedReplicas"),
    num(status, "availableReplicas"),
    ageOf(object, context),
    ...containerCells(at(object, "spec", "template")),
    selectorCell(at(object, "spec")),
  ];
}

/** Cells of a daemon set. */
export function daemonSetCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const status = at(object, "status");
  const counts = [
    "desiredNumberScheduled",
    "currentNumberScheduled",
    "numberReady",
    "updatedNumberScheduled",
    "numberAvailable",
  ];
  return [
    nameCell(object),
    ...counts.map((key) => num(status, key)),
    labelsCell(at(object, "spec", "template", "spec"), "nodeSelector"),
    ageOf(object, context),
    ...containerCells(at(object, "spec", "template")),
    selectorCell(at(object, "spec")),
  ];
}

/** Cells of a job. */
export function jobCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(object, "spec");
  const status = at(object, "status");
  const succeeded = num(status, "succeeded");
  const parallelism = num(spec, "parallelism");
  const completions = has(spec, "completions")
    ? `${succeeded}/${num(spec, "completions")}`
    : `${succeeded}/1${parallelism > 1 ? ` of ${parallelism}` : ""}`;
  return [
    nameCell(object),
    jobStatus(object),
    completions,
    jobDuration(status, context),
    ageOf(object, context),
    ...containerCells(at(spec, "template")),
    selectorCell(spec),
  ];
}

function jobDuration(status: JsonObject, context: StrategyContext): string {
  const start = Date.parse(str(status, "startTime"));
  if (Number.isNaN(start)) return "";
  const end = Date.parse(str(status, "completionTime"));
  return humanDuration((Number.isNaN(end) ? context.nowMs : end) - start);
}

function jobStatus(object: JsonObject): string {
  const isTrue = (type: string): boolean =>
    objs(at(object, "status"), "conditions").some((c) => str(c, "type") === type && str(c, "status") === "True");
  if (isTrue("Complete")) return "Complete";
  if (isTrue("Failed")) return "Failed";
  if (has(at(object, "metadata"), "deletionTimestamp")) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(isTrue) ?? "Running";
}

/** Cells of a cron job. */
export function cronJobCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(object, "spec");
  const status = at(object, "status");
  const job = at(spec, "jobTemplate", "spec");
  return [
    nameCell(object),
    str(spec, "schedule"),
    has(spec, "timeZone") ? str(spec, "timeZone") : "<none>",
    has(spec, "suspend") ? (bool(spec, "suspend") ? "True" : "False") : "<unset>",
    objs(status, "active").length,
    has(status, "lastScheduleTime") ? ageCell(str(status, "lastScheduleTime"), context) : "<none>",
    ageOf(object, context),
    ...containerCells(at(job, "template")),
    has(job, "selector") ? selectorCell(job) : "<none>",
  ];
}

/** The controller of an object. */
export function controllerCell(object: JsonObject): string {
  const owner = objs(at(object, "metadata"), "ownerReferences").find((reference) => bool(reference, "controller"));
  if (owner === undefined) return "<none>";
  const group = parseGroupVersion(str(owner, "apiVersion"))?.group ?? "";
  return `${str(owner, "kind").toLowerCase()}${group === "" ? "" : `.${group}`}/${str(owner, "name")}`;
}

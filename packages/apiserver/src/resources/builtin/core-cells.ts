// Rows of other kinds of the core group (k/k: pkg/printers/internalversion/printers.go).
import { byCodeUnit, type JsonObject, type JsonValue } from "@fairlead/base";
import type { StrategyContext } from "../resource.js";
import { at, bool, entries, has, num, obj, objs, str, strs } from "./access.js";
import { ageCell, ageOf, nameCell } from "./cells.js";

/** Cells of a node. */
export function nodeCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const status = at(object, "status");
  const info = at(status, "nodeInfo");
  const ready = objs(status, "conditions").find((c) => str(c, "type") === "Ready");
  const states = [ready === undefined ? "Unknown" : str(ready, "status") === "True" ? "Ready" : "NotReady"];
  if (bool(at(object, "spec"), "unschedulable")) states.push("SchedulingDisabled");
  const address = (type: string): string =>
    str(
      objs(status, "addresses").find((a) => str(a, "type") === type),
      "address",
    ) || "<none>";
  const architecture = str(info, "architecture");
  return [
    nameCell(object),
    states.join(","),
    nodeRoles(object).join(",") || "<none>",
    ageOf(object, context),
    str(info, "kubeletVersion"),
    address("InternalIP"),
    address("ExternalIP"),
    str(info, "osImage") || "<unknown>",
    `${str(info, "kernelVersion") || "<unknown>"}${architecture === "" ? "" : ` (${architecture})`}`,
    str(info, "containerRuntimeVersion") || "<unknown>",
  ];
}

const ROLE_PREFIX = "node-role.kubernetes.io/";

function nodeRoles(object: JsonObject): readonly string[] {
  const roles = entries(at(object, "metadata"), "labels").flatMap(([key, value]) => {
    if (key.startsWith(ROLE_PREFIX)) return [key.slice(ROLE_PREFIX.length)];
    return key === "kubernetes.io/role" ? [String(value)] : [];
  });
  return [...new Set(roles.filter((role) => role !== ""))].sort(byCodeUnit);
}

/** Both kinds of Event, whose fields have different names. */
export function eventCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const first = str(object, "firstTimestamp") || str(object, "deprecatedFirstTimestamp") || str(object, "eventTime");
  const last = str(object, "lastTimestamp") || str(object, "deprecatedLastTimestamp") || first;
  const series = obj(object, "series");
  const target = obj(object, "involvedObject") ?? at(object, "regarding");
  const source = obj(object, "source") ?? at(object, "deprecatedSource");
  const component = str(source, "component") || str(object, "reportingComponent") || str(object, "reportingController");
  const instance = str(source, "host") || str(object, "reportingInstance");
  const name = str(target, "name");
  return [
    ageCell(series === undefined ? last : str(series, "lastObservedTime"), context),
    str(object, "type"),
    str(object, "reason"),
    `${str(target, "kind").toLowerCase()}${name === "" ? "" : `/${name}`}`,
    str(target, "fieldPath"),
    instance === "" ? component : `${component}, ${instance}`,
    (str(object, "message") || str(object, "note")).trim(),
    ageCell(first, context),
    series === undefined ? num(object, "count") || num(object, "deprecatedCount") || 1 : num(series, "count"),
    nameCell(object),
  ];
}

const MODES: readonly (readonly [mode: string, short: string])[] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];

function modesCell(modes: readonly string[]): string {
  return MODES.filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(",");
}

function phaseCell(object: JsonObject): string {
  return has(at(object, "metadata"), "deletionTimestamp") ? "Terminating" : str(at(object, "status"), "phase");
}

function unsetCell(object: JsonObject, key: string): string {
  return has(object, key) ? str(object, key) : "<unset>";
}

/** The class of a volume or claim: the annotation of old goes first. */
function classCell(object: JsonObject): string {
  return (
    str(at(object, "metadata", "annotations"), "volume.beta.kubernetes.io/storage-class") ||
    str(at(object, "spec"), "storageClassName")
  );
}

/** Cells of a volume. */
export function volumeCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(object, "spec");
  const claim = obj(spec, "claimRef");
  return [
    nameCell(object),
    str(at(spec, "capacity"), "storage") || "0",
    modesCell(strs(spec, "accessModes")),
    str(spec, "persistentVolumeReclaimPolicy"),
    phaseCell(object),
    claim === undefined ? "" : `${str(claim, "namespace")}/${str(claim, "name")}`,
    classCell(object),
    unsetCell(spec, "volumeAttributesClassName"),
    str(at(object, "status"), "reason"),
    ageOf(object, context),
    unsetCell(spec, "volumeMode"),
  ];
}

/** Cells of a claim. */
export function claimCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(object, "spec");
  const status = at(object, "status");
  const bound = str(spec, "volumeName") !== "";
  return [
    nameCell(object),
    phaseCell(object),
    str(spec, "volumeName"),
    bound ? str(at(status, "capacity"), "storage") || "0" : "",
    bound ? modesCell(strs(status, "accessModes")) : "",
    classCell(object),
    unsetCell(spec, "volumeAttributesClassName"),
    ageOf(object, context),
    unsetCell(spec, "volumeMode"),
  ];
}

/** Cells of a quota. */
export function quotaCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const status = at(object, "status");
  const lines = entries(status, "hard").map(([resource, hard]) => ({
    limit: resource.startsWith("limits."),
    text: `${resource}: ${str(at(status, "used"), resource) || "0"}/${String(hard)}`,
  }));
  const join = (limit: boolean): string =>
    lines
      .filter((line) => line.limit === limit)
      .map((line) => line.text)
      .join(", ");
  return [nameCell(object), join(false), join(true), ageOf(object, context)];
}

/** Cells of a component. */
export function componentCells(object: JsonObject): readonly JsonValue[] {
  const healthy = objs(object, "conditions").find((c) => str(c, "type") === "Healthy");
  if (healthy === undefined) return [nameCell(object), "Unknown", "", ""];
  return [
    nameCell(object),
    str(healthy, "status") === "True" ? "Healthy" : "Unhealthy",
    str(healthy, "message"),
    str(healthy, "error"),
  ];
}

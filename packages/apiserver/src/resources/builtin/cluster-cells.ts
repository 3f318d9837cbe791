// Rows of policies, storage, admission and the other groups (k/k: pkg/printers/internalversion/printers.go).
import { getOwn, type JsonObject, type JsonValue } from "@fairlead/base";
import type { StrategyContext } from "../resource.js";
import { at, bool, has, num, obj, objs, str, strs } from "./access.js";
import { ageOf, humanDuration, nameCell } from "./cells.js";
import { hpaTargets } from "./hpa-cells.js";
import { selectorText } from "./workload-cells.js";
import { annotated } from "./network-cells.js";

/** Cells of a budget. */
export function budgetCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(object, "spec");
  const cell = (key: string): string => (has(spec, key) ? String(getOwn(spec, key)) : "N/A");
  return [
    nameCell(object),
    cell("minAvailable"),
    cell("maxUnavailable"),
    num(at(object, "status"), "disruptionsAllowed"),
    ageOf(object, context),
  ];
}

/** Cells of an autoscaler. */
export function autoscalerCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(object, "spec");
  const target = at(spec, "scaleTargetRef");
  return [
    nameCell(object),
    `${str(target, "kind")}/${str(target, "name")}`,
    hpaTargets(object),
    has(spec, "minReplicas") ? String(num(spec, "minReplicas")) : "<unset>",
    num(spec, "maxReplicas"),
    num(at(object, "status"), "currentReplicas"),
    ageOf(object, context),
  ];
}

/** Cells of a binding. */
export function bindingCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const role = at(object, "roleRef");
  const subjects = objs(object, "subjects");
  const names = (kind: string): string =>
    subjects
      .filter((subject) => str(subject, "kind") === kind)
      .map((subject) =>
        kind === "ServiceAccount" ? `${str(subject, "namespace")}/${str(subject, "name")}` : str(subject, "name"),
      )
      .join(", ");
  return [
    nameCell(object),
    `${str(role, "kind")}/${str(role, "name")}`,
    ageOf(object, context),
    names("User"),
    names("Group"),
    names("ServiceAccount"),
  ];
}

/** Cells of a storage class. */
export function storageClassCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  return [
    annotated(object, "storageclass.kubernetes.io/is-default-class"),
    str(object, "provisioner"),
    str(object, "reclaimPolicy") || "Delete",
    str(object, "volumeBindingMode") || "Immediate",
    bool(object, "allowVolumeExpansion"),
    ageOf(object, context),
  ];
}

/** Cells of an attachment. */
export function attachmentCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(object, "spec");
  return [
    nameCell(object),
    str(spec, "attacher"),
    str(at(spec, "source"), "persistentVolumeName"),
    str(spec, "nodeName"),
    bool(at(object, "status"), "attached"),
    ageOf(object, context),
  ];
}

/** Cells of a csi driver. */
export function csiDriverCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(object, "spec");
  const requests = objs(spec, "tokenRequests");
  return [
    nameCell(object),
    !has(spec, "attachRequired") || bool(spec, "attachRequired"),
    bool(spec, "podInfoOnMount"),
    bool(spec, "storageCapacity"),
    requests.length === 0 ? "<unset>" : requests.map((request) => str(request, "audience")).join(","),
    bool(spec, "requiresRepublish"),
    strs(spec, "volumeLifecycleModes").join(",") || "<none>",
    ageOf(object, context),
  ];
}

/** Cells of a signing request. */
export function signingRequestCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(object, "spec");
  const status = at(object, "status");
  const is = (type: string): boolean => objs(status, "conditions").some((c) => str(c, "type") === type);
  const words = [is("Denied") ? "Denied" : is("Approved") ? "Approved" : "Pending"];
  if (is("Failed")) words.push("Failed");
  if (str(status, "certificate") !== "") words.push("Issued");
  return [
    nameCell(object),
    ageOf(object, context),
    str(spec, "signerName") || "<none>",
    str(spec, "username"),
    has(spec, "expirationSeconds") ? humanDuration(num(spec, "expirationSeconds") * 1000) : "<none>",
    words.join(","),
  ];
}

/** Cells of a policy. */
export function policyCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(object, "spec");
  const kind = obj(spec, "paramKind");
  const shown = kind === undefined ? "<unset>" : `${str(kind, "apiVersion")}/${str(kind, "kind")}`;
  return [nameCell(object), objs(spec, "validations").length, shown, ageOf(object, context)];
}

/** Cells of a policy binding. */
export function policyBindingCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(object, "spec");
  const reference = obj(spec, "paramRef");
  const name = str(reference, "name");
  const shown =
    name === ""
      ? obj(reference, "selector") === undefined
        ? "<unset>"
        : selectorText(obj(reference, "selector"))
      : `${str(reference, "namespace") || "*"}/${name}`;
  return [nameCell(object), str(spec, "policyName"), shown, ageOf(object, context)];
}

/** Cells of an api service. */
export function apiServiceCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const service = obj(at(object, "spec"), "service");
  const available = objs(at(object, "status"), "conditions").find((c) => str(c, "type") === "Available");
  const status = str(available, "status") || "Unknown";
  return [
    nameCell(object),
    service === undefined ? "Local" : `${str(service, "namespace")}/${str(service, "name")}`,
    status === "False" ? `${status} (${str(available, "reason")})` : status,
    ageOf(object, context),
  ];
}

/** Cells of a flow schema. */
export function flowSchemaCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(object, "spec");
  const method = obj(spec, "distinguisherMethod");
  return [
    nameCell(object),
    str(at(spec, "priorityLevelConfiguration"), "name"),
    num(spec, "matchingPrecedence"),
    method === undefined ? "<none>" : str(method, "type"),
    ageOf(object, context),
    str(
      objs(at(object, "status"), "conditions").find((c) => str(c, "type") === "Dangling"),
      "status",
    ) || "?",
  ];
}

/** Cells of a priority level. */
export function priorityLevelCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(object, "spec");
  const limited = obj(spec, "limited");
  const queuing = obj(at(limited, "limitResponse"), "queuing");
  const cell = (holder: JsonObject | undefined, key: string): JsonValue =>
    holder === undefined ? "<none>" : num(holder, key);
  return [
    nameCell(object),
    str(spec, "type"),
    cell(limited, "nominalConcurrencyShares"),
    cell(queuing, "queues"),
    cell(queuing, "handSize"),
    cell(queuing, "queueLengthLimit"),
    ageOf(object, context),
  ];
}

/** The parent of an IPAddress. */
export function parentCell(parent: JsonObject | undefined): string {
  if (parent === undefined) return "<none>";
  const group = str(parent, "group");
  const namespace = str(parent, "namespace");
  const resource = `${str(parent, "resource")}${group === "" ? "" : `.${group}`}`.toLowerCase();
  return `${resource}${namespace === "" ? "" : `/${namespace}`}/${str(parent, "name")}`;
}

// The rows of built-in kinds' tables (k/k: pkg/printers/internalversion/printers.go), in the order of table-columns.ts.
import { getOwn, type JsonObject, type JsonValue } from "@fairlead/base";
import type { StrategyContext } from "../resource.js";
import { at, bool, entries, num, obj, objs, str, strs } from "./access.js";
import { ageOf, nameCell } from "./cells.js";
import {
  containerCells,
  controllerCell,
  cronJobCells,
  daemonSetCells,
  deploymentCells,
  jobCells,
  labelsCell,
  readyCell,
  replicaCells,
  selectorCell,
  selectorText,
} from "./workload-cells.js";
import { endpointSliceCells, endpointsCell, ingressCells, ingressClassCells, serviceCells } from "./network-cells.js";
import { claimCells, componentCells, eventCells, nodeCells, quotaCells, volumeCells } from "./core-cells.js";
import {
  apiServiceCells,
  attachmentCells,
  autoscalerCells,
  bindingCells,
  budgetCells,
  csiDriverCells,
  flowSchemaCells,
  parentCell,
  policyBindingCells,
  policyCells,
  priorityLevelCells,
  signingRequestCells,
  storageClassCells,
} from "./cluster-cells.js";
import { podCells } from "./pod-cells.js";

/** Makes the cells of an object's row. */
export type Cells = (object: JsonObject, context: StrategyContext) => readonly JsonValue[];

/** Name and creation time: kinds without a table of their own. */
export const defaultCells: Cells = (object) => [nameCell(object), str(at(object, "metadata"), "creationTimestamp")];

/** The cells of a kind, by its name. */
export const KIND_CELLS: ReadonlyMap<string, Cells> = new Map<string, Cells>([
  ["Pod", podCells],
  [
    "PodTemplate",
    (o) => [nameCell(o), ...containerCells(at(o, "template")), labelsCell(at(o, "template", "metadata"), "labels")],
  ],
  ["ReplicationController", (o, c) => [...replicaCells(o, c), labelsCell(at(o, "spec"), "selector")]],
  ["ReplicaSet", (o, c) => [...replicaCells(o, c), selectorCell(at(o, "spec"))]],
  ["Deployment", deploymentCells],
  ["StatefulSet", (o, c) => [nameCell(o), readyCell(o), ageOf(o, c), ...containerCells(at(o, "spec", "template"))]],
  ["DaemonSet", daemonSetCells],
  ["Job", jobCells],
  ["CronJob", cronJobCells],
  ["ControllerRevision", (o, c) => [nameCell(o), controllerCell(o), getOwn(o, "revision") ?? 0, ageOf(o, c)]],
  ["Service", serviceCells],
  ["Endpoints", (o, c) => [nameCell(o), endpointsCell(o), ageOf(o, c)]],
  ["EndpointSlice", endpointSliceCells],
  ["Ingress", ingressCells],
  ["IngressClass", ingressClassCells],
  ["NetworkPolicy", (o, c) => [nameCell(o), selectorText(obj(at(o, "spec"), "podSelector")), ageOf(o, c)]],
  ["ConfigMap", (o, c) => [nameCell(o), entries(o, "data").length + entries(o, "binaryData").length, ageOf(o, c)]],
  ["Secret", (o, c) => [nameCell(o), str(o, "type"), entries(o, "data").length, ageOf(o, c)]],
  ["ServiceAccount", (o, c) => [nameCell(o), ageOf(o, c)]],
  ["Namespace", (o, c) => [nameCell(o), str(at(o, "status"), "phase"), ageOf(o, c)]],
  ["Node", nodeCells],
  ["Event", eventCells],
  ["PersistentVolume", volumeCells],
  ["PersistentVolumeClaim", claimCells],
  ["ResourceQuota", quotaCells],
  ["ComponentStatus", componentCells],
  ["PodDisruptionBudget", budgetCells],
  ["HorizontalPodAutoscaler", autoscalerCells],
  ["RoleBinding", bindingCells],
  ["ClusterRoleBinding", bindingCells],
  ["Lease", (o, c) => [nameCell(o), str(at(o, "spec"), "holderIdentity"), ageOf(o, c)]],
  [
    "PriorityClass",
    (o, c) => [nameCell(o), num(o, "value"), bool(o, "globalDefault"), ageOf(o, c), str(o, "preemptionPolicy")],
  ],
  ["RuntimeClass", (o, c) => [nameCell(o), str(o, "handler"), ageOf(o, c)]],
  ["StorageClass", storageClassCells],
  ["VolumeAttributesClass", (o, c) => [nameCell(o), str(o, "driverName"), ageOf(o, c)]],
  ["VolumeAttachment", attachmentCells],
  ["CSINode", (o, c) => [nameCell(o), objs(at(o, "spec"), "drivers").length, ageOf(o, c)]],
  ["CSIDriver", csiDriverCells],
  ["CSIStorageCapacity", (o) => [nameCell(o), str(o, "storageClassName"), str(o, "capacity") || "<unset>"]],
  ["CertificateSigningRequest", signingRequestCells],
  ["MutatingWebhookConfiguration", (o, c) => [nameCell(o), objs(o, "webhooks").length, ageOf(o, c)]],
  ["ValidatingWebhookConfiguration", (o, c) => [nameCell(o), objs(o, "webhooks").length, ageOf(o, c)]],
  ["ValidatingAdmissionPolicy", policyCells],
  ["ValidatingAdmissionPolicyBinding", policyBindingCells],
  ["APIService", apiServiceCells],
  ["FlowSchema", flowSchemaCells],
  ["PriorityLevelConfiguration", priorityLevelCells],
  ["ServiceCIDR", (o, c) => [nameCell(o), strs(at(o, "spec"), "cidrs").join(","), ageOf(o, c)]],
  ["IPAddress", (o) => [nameCell(o), parentCell(obj(at(o, "spec"), "parentRef"))]],
]);

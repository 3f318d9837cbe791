// The rows of built-in kinds' tables (k/k: pkg/printers/internalversion/printers.go), in the order of table-columns.ts.
import { formatLabelSelector, labelSelectorOf, parseGroupVersion } from "@fairlead/apimachinery";
import { byCodeUnit, getOwn, type JsonObject, type JsonValue } from "@fairlead/base";
import type { StrategyContext } from "../resource.js";
import { at, bool, entries, has, num, obj, objs, str, strs } from "./access.js";
import { ageCell, ageOf, humanDuration, nameCell } from "./cells.js";
import { hpaTargets } from "./hpa-cells.js";
import { podCells } from "./pod-cells.js";

/** Makes the cells of an object's row. */
export type Cells = (object: JsonObject, context: StrategyContext) => readonly JsonValue[];

/** Name and creation time: kinds without a table of their own. */
export const defaultCells: Cells = (object) => [nameCell(object), str(at(object, "metadata"), "creationTimestamp")];

/** The cells of a kind, by its name. */
export const KIND_CELLS: ReadonlyMap<string, Cells> = new Map<string, Cells>([
  ["Pod", podCells],
  ["PodTemplate", (o) => [nameCell(o), ...containerCells(at(o, "template")), labelsCell(at(o, "template", "metadata"), "labels")]],
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
  ["PriorityClass", (o, c) => [nameCell(o), num(o, "value"), bool(o, "globalDefault"), ageOf(o, c), str(o, "preemptionPolicy")]],
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

function containerCells(template: JsonObject): readonly [names: string, images: string] {
  const containers = objs(at(template, "spec"), "containers");
  return [containers.map((c) => str(c, "name")).join(","), containers.map((c) => str(c, "image")).join(",")];
}

/** `a=b,c=d`, sorted; `<none>` for no labels. */
function labelsCell(holder: JsonObject, key: string): string {
  const pairs = entries(holder, key);
  return pairs.length === 0 ? "<none>" : pairs.map(([name, value]) => `${name}=${String(value)}`).join(",");
}

function selectorCell(spec: JsonObject): string {
  return selectorText(obj(spec, "selector"));
}

function selectorText(selector: JsonObject | undefined): string {
  try {
    return formatLabelSelector(labelSelectorOf(selector)) || "<none>";
  } catch {
    return "<error>";
  }
}

function readyCell(object: JsonObject): string {
  return `${num(at(object, "status"), "readyReplicas")}/${num(at(object, "spec"), "replicas")}`;
}

function replicaCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
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

function deploymentCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
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

function daemonSetCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const status = at(object, "status");
  const counts = ["desiredNumberScheduled", "currentNumberScheduled", "numberReady", "updatedNumberScheduled", "numberAvailable"];
  return [
    nameCell(object),
    ...counts.map((key) => num(status, key)),
    labelsCell(at(object, "spec", "template", "spec"), "nodeSelector"),
    ageOf(object, context),
    ...containerCells(at(object, "spec", "template")),
    selectorCell(at(object, "spec")),
  ];
}

function jobCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
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

function cronJobCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
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

function controllerCell(object: JsonObject): string {
  const owner = objs(at(object, "metadata"), "ownerReferences").find((reference) => bool(reference, "controller"));
  if (owner === undefined) return "<none>";
  const group = parseGroupVersion(str(owner, "apiVersion"))?.group ?? "";
  return `${str(owner, "kind").toLowerCase()}${group === "" ? "" : `.${group}`}/${str(owner, "name")}`;
}

function serviceCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(object, "spec");
  const ports = objs(spec, "ports").map((port) => {
    const node = num(port, "nodePort");
    return `${num(port, "port")}${node > 0 ? `:${node}` : ""}/${str(port, "protocol")}`;
  });
  return [
    nameCell(object),
    str(spec, "type"),
    strs(spec, "clusterIPs")[0] ?? "<none>",
    externalIpCell(object),
    ports.join(",") || "<none>",
    ageOf(object, context),
    labelsCell(spec, "selector"),
  ];
}

function externalIpCell(object: JsonObject): string {
  const spec = at(object, "spec");
  const external = strs(spec, "externalIPs");
  switch (str(spec, "type")) {
    case "ClusterIP":
    case "NodePort":
      return external.join(",") || "<none>";
    case "LoadBalancer":
      return [...balancerAddresses(at(object, "status", "loadBalancer")), ...external].join(",") || "<pending>";
    case "ExternalName":
      return str(spec, "externalName");
    default:
      return "<unknown>";
  }
}

/** Addresses of a load balancer, sorted. */
function balancerAddresses(status: JsonObject): readonly string[] {
  const found = objs(status, "ingress").map((ingress) => str(ingress, "ip") || str(ingress, "hostname"));
  return [...new Set(found.filter((address) => address !== ""))].sort(byCodeUnit);
}

/** At most `max` of a list, and how many more there are. */
function withMore(list: readonly string[], max: number): string {
  const shown = list.slice(0, max).join(",");
  return list.length > max ? `${shown} + ${list.length - max} more...` : shown;
}

function endpointsCell(object: JsonObject): string {
  const subsets = objs(object, "subsets");
  if (subsets.length === 0) return "<none>";
  const addresses = subsets.flatMap((subset) => {
    const ips = objs(subset, "addresses").map((address) => str(address, "ip"));
    const ports = objs(subset, "ports");
    if (ports.length === 0) return ips;
    return ports.flatMap((port) => ips.map((ip) => `${ip.includes(":") ? `[${ip}]` : ip}:${num(port, "port")}`));
  });
  return withMore(addresses, 3);
}

function endpointSliceCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const ports = objs(object, "ports").map((port) => (has(port, "port") ? String(num(port, "port")) : has(port, "name") ? str(port, "name") : "*"));
  const addresses = objs(object, "endpoints").flatMap((endpoint) => strs(endpoint, "addresses"));
  return [
    nameCell(object),
    str(object, "addressType"),
    ports.length === 0 ? "<unset>" : withMore(ports, 3),
    addresses.length === 0 ? "<unset>" : withMore(addresses, 3),
    ageOf(object, context),
  ];
}

function ingressCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(object, "spec");
  const rules = objs(spec, "rules");
  const hosts = rules.map((rule) => str(rule, "host")).filter((host) => host !== "");
  const shown = hosts.slice(0, 3).join(",");
  return [
    nameCell(object),
    has(spec, "ingressClassName") ? str(spec, "ingressClassName") : "<none>",
    hosts.length === 0 ? "*" : hosts.length > 3 || (hosts.length === 3 && rules.length > 3) ? `${shown} + ${rules.length - 3} more...` : shown,
    balancerAddresses(at(object, "status", "loadBalancer")).join(","),
    objs(spec, "tls").length > 0 ? "80, 443" : "80",
    ageOf(object, context),
  ];
}

function annotated(object: JsonObject, annotation: string): string {
  return str(at(object, "metadata", "annotations"), annotation) === "true" ? `${nameCell(object)} (default)` : nameCell(object);
}

function ingressClassCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(object, "spec");
  const parameters = obj(spec, "parameters");
  const group = parameters !== undefined && has(parameters, "apiGroup") ? `.${str(parameters, "apiGroup")}` : "";
  return [
    annotated(object, "ingressclass.kubernetes.io/is-default-class"),
    str(spec, "controller"),
    parameters === undefined ? "<none>" : `${str(parameters, "kind")}${group}/${str(parameters, "name")}`,
    ageOf(object, context),
  ];
}

function nodeCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const status = at(object, "status");
  const info = at(status, "nodeInfo");
  const ready = objs(status, "conditions").find((c) => str(c, "type") === "Ready");
  const states = [ready === undefined ? "Unknown" : str(ready, "status") === "True" ? "Ready" : "NotReady"];
  if (bool(at(object, "spec"), "unschedulable")) states.push("SchedulingDisabled");
  const address = (type: string): string => str(objs(status, "addresses").find((a) => str(a, "type") === type), "address") || "<none>";
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
function eventCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
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
  return MODES.filter(([mode]) => modes.includes(mode)).map(([, short]) => short).join(",");
}

function phaseCell(object: JsonObject): string {
  return has(at(object, "metadata"), "deletionTimestamp") ? "Terminating" : str(at(object, "status"), "phase");
}

function unsetCell(object: JsonObject, key: string): string {
  return has(object, key) ? str(object, key) : "<unset>";
}

/** The class of a volume or claim: the annotation of old goes first. */
function classCell(object: JsonObject): string {
  return str(at(object, "metadata", "annotations"), "volume.beta.kubernetes.io/storage-class") || str(at(object, "spec"), "storageClassName");
}

function volumeCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
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

function claimCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
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

function quotaCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const status = at(object, "status");
  const lines = entries(status, "hard").map(([resource, hard]) => ({
    limit: resource.startsWith("limits."),
    text: `${resource}: ${str(at(status, "used"), resource) || "0"}/${String(hard)}`,
  }));
  const join = (limit: boolean): string => lines.filter((line) => line.limit === limit).map((line) => line.text).join(", ");
  return [nameCell(object), join(false), join(true), ageOf(object, context)];
}

function componentCells(object: JsonObject): readonly JsonValue[] {
  const healthy = objs(object, "conditions").find((c) => str(c, "type") === "Healthy");
  if (healthy === undefined) return [nameCell(object), "Unknown", "", ""];
  return [nameCell(object), str(healthy, "status") === "True" ? "Healthy" : "Unhealthy", str(healthy, "message"), str(healthy, "error")];
}

function budgetCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(object, "spec");
  const cell = (key: string): string => (has(spec, key) ? String(getOwn(spec, key)) : "N/A");
  return [nameCell(object), cell("minAvailable"), cell("maxUnavailable"), num(at(object, "status"), "disruptionsAllowed"), ageOf(object, context)];
}

function autoscalerCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
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

function bindingCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const role = at(object, "roleRef");
  const subjects = objs(object, "subjects");
  const names = (kind: string): string =>
    subjects
      .filter((subject) => str(subject, "kind") === kind)
      .map((subject) => (kind === "ServiceAccount" ? `${str(subject, "namespace")}/${str(subject, "name")}` : str(subject, "name")))
      .join(", ");
  return [nameCell(object), `${str(role, "kind")}/${str(role, "name")}`, ageOf(object, context), names("User"), names("Group"), names("ServiceAccount")];
}

function storageClassCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  return [
    annotated(object, "storageclass.kubernetes.io/is-default-class"),
    str(object, "provisioner"),
    str(object, "reclaimPolicy") || "Delete",
    str(object, "volumeBindingMode") || "Immediate",
    bool(object, "allowVolumeExpansion"),
    ageOf(object, context),
  ];
}

function attachmentCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
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

function csiDriverCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
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

function signingRequestCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
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

function policyCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(object, "spec");
  const kind = obj(spec, "paramKind");
  const shown = kind === undefined ? "<unset>" : `${str(kind, "apiVersion")}/${str(kind, "kind")}`;
  return [nameCell(object), objs(spec, "validations").length, shown, ageOf(object, context)];
}

function policyBindingCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(object, "spec");
  const reference = obj(spec, "paramRef");
  const name = str(reference, "name");
  const shown = name === "" ? (obj(reference, "selector") === undefined ? "<unset>" : selectorText(obj(reference, "selector"))) : `${str(reference, "namespace") || "*"}/${name}`;
  return [nameCell(object), str(spec, "policyName"), shown, ageOf(object, context)];
}

function apiServiceCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
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

function flowSchemaCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(object, "spec");
  const method = obj(spec, "distinguisherMethod");
  return [
    nameCell(object),
    str(at(spec, "priorityLevelConfiguration"), "name"),
    num(spec, "matchingPrecedence"),
    method === undefined ? "<none>" : str(method, "type"),
    ageOf(object, context),
    str(objs(at(object, "status"), "conditions").find((c) => str(c, "type") === "Dangling"), "status") || "?",
  ];
}

function priorityLevelCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(object, "spec");
  const limited = obj(spec, "limited");
  const queuing = obj(at(limited, "limitResponse"), "queuing");
  const cell = (holder: JsonObject | undefined, key: string): JsonValue => (holder === undefined ? "<none>" : num(holder, key));
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

function parentCell(parent: JsonObject | undefined): string {
  if (parent === undefined) return "<none>";
  const group = str(parent, "group");
  const namespace = str(parent, "namespace");
  const resource = `${str(parent, "resource")}${group === "" ? "" : `.${group}`}`.toLowerCase();
  return `${resource}${namespace === "" ? "" : `/${namespace}`}/${str(parent, "name")}`;
}

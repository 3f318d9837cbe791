// Defaults of the core group's types (k/k: pkg/apis/core/v1/defaults.go).
import {
  getOwn,
  isArray,
  isObject,
  setOwn,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";
import { bool, child, childIf, children, entries, fill, fillZero, has, num, str } from "./access.js";
import { imageTag } from "./image-name.js";
import type { TypeDefault } from "./type-defaults.js";

/** By the name of the type. */
export const CORE_DEFAULTS: readonly (readonly [string, TypeDefault])[] = [
  ["core.v1.Volume", volume],
  ["core.v1.Container", container],
  ["core.v1.EphemeralContainer", container],
  ["core.v1.Pod", pod],
  ["core.v1.PodSpec", podSpec],
  ["core.v1.Probe", probe],
  ["core.v1.HTTPGetAction", httpGet],
  ["core.v1.GRPCAction", (action) => fill(action, "service", "")],
  ["core.v1.SecretVolumeSource", (source) => fill(source, "defaultMode", DEFAULT_MODE)],
  ["core.v1.ConfigMapVolumeSource", (source) => fill(source, "defaultMode", DEFAULT_MODE)],
  ["core.v1.DownwardAPIVolumeSource", (source) => fill(source, "defaultMode", DEFAULT_MODE)],
  ["core.v1.ProjectedVolumeSource", (source) => fill(source, "defaultMode", DEFAULT_MODE)],
  ["core.v1.VolumeProjection", projection],
  ["core.v1.ServiceAccountTokenProjection", (source) => fill(source, "expirationSeconds", 3600)],
  ["core.v1.ObjectFieldSelector", (selector) => fillZero(selector, "apiVersion", "v1")],
  ["core.v1.HostPathVolumeSource", (source) => fill(source, "type", "")],
  ["core.v1.Secret", secret],
  ["core.v1.Service", service],
  ["core.v1.ReplicationController", replicationController],
  ["core.v1.PersistentVolume", persistentVolume],
  ["core.v1.PersistentVolumeClaim", (claim) => fillZero(child(claim, "status"), "phase", "Pending")],
  ["core.v1.PersistentVolumeClaimSpec", (spec) => fill(spec, "volumeMode", "Filesystem")],
  ["core.v1.EndpointPort", (port) => fillZero(port, "protocol", "TCP")],
  ["core.v1.Namespace", namespace],
  ["core.v1.NodeSpec", (spec) => firstOfMany(spec, "podCIDR", "podCIDRs", (cidr) => cidr, String)],
  [
    "core.v1.PodStatus",
    (status) =>
      firstOfMany(
        status,
        "podIP",
        "podIPs",
        (ip) => ({ ip }),
        (entry) => (isObject(entry) ? str(entry, "ip") : ""),
      ),
  ],
  ["core.v1.NodeStatus", nodeStatus],
  ["core.v1.LimitRangeItem", limitRangeItem],
];

const DEFAULT_MODE = 0o644;

/** A field for one value, and a later one for many, the first of which stands in both. */
function firstOfMany(
  value: MutableJsonObject,
  one: string,
  many: string,
  wrap: (text: string) => JsonValue,
  unwrap: (entry: JsonValue) => string,
): void {
  const list = value[many];
  const first = isArray(list) && list.length > 0 ? unwrap(list[0] as JsonValue) : "";
  const single = str(value, one);
  if (single !== "" && single !== first) value[many] = [wrap(single)];
  else if (single === "" && first !== "") value[one] = first;
}

/** Keys of a Volume that are not its source. */
function volume(value: MutableJsonObject): void {
  if (Object.keys(value).every((key) => key === "name")) value["emptyDir"] = {};
  const image = childIf(value, "image");
  if (image !== undefined) fillZero(image, "pullPolicy", pullPolicy(str(image, "reference")));
}

function pullPolicy(image: string): string {
  return imageTag(image) === "latest" ? "Always" : "IfNotPresent";
}

function container(value: MutableJsonObject): void {
  const lifecycle = childIf(value, "lifecycle");
  if (lifecycle !== undefined && has(lifecycle, "stopSignal")) {
    delete lifecycle["stopSignal"];
    if (Object.keys(lifecycle).length === 0) delete value["lifecycle"];
  }
  fillZero(value, "imagePullPolicy", pullPolicy(str(value, "image")));
  fillZero(value, "terminationMessagePath", "/dev/termination-log");
  fillZero(value, "terminationMessagePolicy", "File");
}

/** Pods only, not the templates of pods. */
function pod(value: MutableJsonObject): void {
  const spec = child(value, "spec");
  const containers = [...children(spec, "containers"), ...children(spec, "initContainers")];
  for (const each of containers) requestLimits(child(each, "resources"));
  const resources = childIf(spec, "resources");
  if (resources !== undefined) podRequests(resources, containers);
  fill(spec, "enableServiceLinks", true);
  if (num(spec, "terminationGracePeriodSeconds") < 0) spec["terminationGracePeriodSeconds"] = 1;
  if (!bool(spec, "hostNetwork")) return;
  for (const each of containers)
    for (const port of children(each, "ports")) fillZero(port, "hostPort", num(port, "containerPort"));
}

/** What is limited is requested. */
function requestLimits(resources: MutableJsonObject): void {
  const limits = childIf(resources, "limits");
  if (limits === undefined) return;
  const requests = child(resources, "requests");
  for (const key of Object.keys(limits)) {
    if (getOwn(requests, key) === undefined) setOwn(requests, key, limits[key] as JsonValue);
  }
}

/** Pod-level requests of the resources that pod-level limits name, where containers do not tell them. */
function podRequests(resources: MutableJsonObject, containers: readonly JsonObject[]): void {
  const limits = childIf(resources, "limits");
  if (limits === undefined) return;
  const requests = child(resources, "requests");
  const told = new Set(
    containers.flatMap((each) => entries(childIf(each, "resources"), "requests").map(([key]) => key)),
  );
  for (const key of Object.keys(limits)) {
    const supported = key === "cpu" || key === "memory" || key.startsWith("hugepages-");
    if (supported && !told.has(key) && getOwn(requests, key) === undefined)
      setOwn(requests, key, limits[key] as JsonValue);
  }
  if (Object.keys(requests).length === 0) delete resources["requests"];
}

function podSpec(spec: MutableJsonObject): void {
  delete spec["schedulingGroup"];
  fillZero(spec, "dnsPolicy", "ClusterFirst");
  fillZero(spec, "restartPolicy", "Always");
  fill(spec, "securityContext", {});
  fill(spec, "terminationGracePeriodSeconds", 30);
  fillZero(spec, "schedulerName", "default-scheduler");
  const account = str(spec, "serviceAccountName") || str(spec, "serviceAccount");
  if (account !== "") {
    spec["serviceAccountName"] = account;
    spec["serviceAccount"] = account;
  }
}

/** Sources that are not served yet. */
function projection(source: MutableJsonObject): void {
  delete source["clusterTrustBundle"];
  delete source["podCertificate"];
}

function probe(value: MutableJsonObject): void {
  fillZero(value, "timeoutSeconds", 1);
  fillZero(value, "periodSeconds", 10);
  fillZero(value, "successThreshold", 1);
  fillZero(value, "failureThreshold", 3);
}

function httpGet(action: MutableJsonObject): void {
  fillZero(action, "path", "/");
  fillZero(action, "scheme", "HTTP");
}

/** `stringData` is never stored: it is data that clients may write as text. */
function secret(value: MutableJsonObject): void {
  const texts = childIf(value, "stringData");
  if (texts !== undefined) {
    const data = child(value, "data");
    for (const key of Object.keys(texts)) setOwn(data, key, Buffer.from(String(texts[key]), "utf8").toString("base64"));
  }
  delete value["stringData"];
  fillZero(value, "type", "Opaque");
}

function service(value: MutableJsonObject): void {
  const spec = child(value, "spec");
  fillZero(spec, "sessionAffinity", "None");
  if (spec["sessionAffinity"] === "None") delete spec["sessionAffinityConfig"];
  if (spec["sessionAffinity"] === "ClientIP")
    fill(child(child(spec, "sessionAffinityConfig"), "clientIP"), "timeoutSeconds", 10800);
  fillZero(spec, "type", "ClusterIP");
  for (const port of children(spec, "ports")) {
    fillZero(port, "protocol", "TCP");
    fillZero(port, "targetPort", num(port, "port"));
  }
  const type = str(spec, "type");
  const external = type === "NodePort" || type === "LoadBalancer";
  if (external || (type === "ClusterIP" && children(spec, "externalIPs").length > 0))
    fillZero(spec, "externalTrafficPolicy", "Cluster");
  if (external || type === "ClusterIP") fill(spec, "internalTrafficPolicy", "Cluster");
  if (type !== "LoadBalancer") return;
  fill(spec, "allocateLoadBalancerNodePorts", true);
  const balancer = childIf(child(value, "status"), "loadBalancer");
  for (const ingress of children(balancer, "ingress")) if (str(ingress, "ip") !== "") fill(ingress, "ipMode", "VIP");
}

function replicationController(value: MutableJsonObject): void {
  const spec = child(value, "spec");
  const labels = childIf(childIf(childIf(spec, "template") ?? {}, "metadata") ?? {}, "labels");
  if (labels === undefined) return;
  fill(spec, "selector", { ...labels });
  fill(child(value, "metadata"), "labels", { ...labels });
}

function persistentVolume(value: MutableJsonObject): void {
  fillZero(child(value, "status"), "phase", "Pending");
  const spec = child(value, "spec");
  fillZero(spec, "persistentVolumeReclaimPolicy", "Retain");
  fill(spec, "volumeMode", "Filesystem");
}

function namespace(value: MutableJsonObject): void {
  fillZero(child(value, "status"), "phase", "Active");
  const metadata = child(value, "metadata");
  const name = str(metadata, "name");
  if (name !== "") child(metadata, "labels")["kubernetes.io/metadata.name"] = name;
}

function nodeStatus(status: MutableJsonObject): void {
  const capacity = childIf(status, "capacity");
  if (capacity !== undefined) fill(status, "allocatable", { ...capacity });
}

function limitRangeItem(item: MutableJsonObject): void {
  if (str(item, "type") !== "Container") return;
  inherit(item, "max", "default");
  inherit(item, "default", "defaultRequest");
  inherit(item, "min", "defaultRequest");
}

function inherit(item: MutableJsonObject, from: string, to: string): void {
  const source = childIf(item, from);
  if (source === undefined) return;
  const target = child(item, to);
  for (const key of Object.keys(source))
    if (getOwn(target, key) === undefined) setOwn(target, key, source[key] as JsonValue);
}

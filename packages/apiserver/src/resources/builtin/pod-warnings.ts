// Warnings about pods and pod templates (k/k: pkg/api/pod/warnings.go, pkg/api/node/util.go).
import { findQuantity, goQuote, isLabelValue, quantityMilliValue } from "@fairlead/apimachinery";
import type { JsonObject } from "@fairlead/base";
import { at, entries, has, num, obj, objs, str, strs } from "./access.js";
import { ipWarnings } from "./ip-warnings.js";
import { overlapWarnings } from "./path-warnings.js";

/** Labels of nodes that have other names by now. */
const DEPRECATED_LABELS: ReadonlyMap<string, string> = new Map([
  ["beta.kubernetes.io/arch", 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ["beta.kubernetes.io/os", 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ["failure-domain.beta.kubernetes.io/region", 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ["failure-domain.beta.kubernetes.io/zone", 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ["beta.kubernetes.io/instance-type", 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
  ["app.kubernetes.io/created-by", "deprecated since v1.9"],
  ["scheduler.alpha.kubernetes.io/preferAvoidPods", "deprecated since v1.22; use Taints and Tolerations instead"],
  ["node-role.kubernetes.io/master", 'use "node-role.kubernetes.io/control-plane" instead'],
]);

const DEPRECATED_ANNOTATIONS: readonly (readonly [key: string, message: string])[] = [
  ["scheduler.alpha.kubernetes.io/critical-pod", 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ["security.alpha.kubernetes.io/sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
  ["security.alpha.kubernetes.io/unsafe-sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
];

const DEPRECATED_VOLUMES: readonly (readonly [key: string, message: string])[] = [
  ["photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "deprecated in v1.22, non-functional in v1.25+"],
  ["quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

/** The message about a node's label that is deprecated. */
export function deprecatedLabel(key: string): string | undefined {
  return DEPRECATED_LABELS.get(key);
}

/** Warnings about something with `metadata` and a pod's `spec`; `path` is empty for a pod itself. */
export function podWarnings(pod: JsonObject, path: string): readonly string[] {
  const prefix = path === "" ? "" : `${path}.`;
  const spec = at(pod, "spec");
  const annotations = obj(at(pod, "metadata"), "annotations") ?? {};
  const containers = containersOf(spec, `${prefix}spec`);
  return [
    ...labelWarnings(spec, `${prefix}spec`),
    ...DEPRECATED_ANNOTATIONS.filter(([key]) => has(annotations, key)).map(
      ([key, message]) => `${prefix}metadata.annotations[${key}]: ${message}`,
    ),
    ...objs(spec, "volumes").flatMap((volume, i) => volumeWarnings(volume, `${prefix}spec.volumes[${i}]`)),
    ...overlapWarnings(objs(spec, "volumes")),
    ...repeatWarnings(spec, `${prefix}spec`),
    ...fractionWarnings(at(spec, "overhead"), `${prefix}spec.overhead`),
    ...containers.flatMap(([container, at]) => containerWarnings(container, at)),
    ...portWarnings(containers),
    ...portNameWarnings(containers),
    ...graceWarnings(spec, `${prefix}spec`),
    ...affinityWarnings(spec, `${prefix}spec.affinity`),
    ...strs(obj(spec, "dnsConfig"), "nameservers").flatMap((server, i) =>
      ipWarnings(server, `${prefix}spec.dnsConfig.nameservers[${i}]`),
    ),
    ...objs(spec, "hostAliases").flatMap((alias, i) =>
      ipWarnings(str(alias, "ip"), `${prefix}spec.hostAliases[${i}].ip`),
    ),
  ];
}

type Placed = readonly [container: JsonObject, path: string];

function containersOf(spec: JsonObject, path: string): readonly Placed[] {
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((key) =>
    objs(spec, key).map((container, i): Placed => [container, `${path}.${key}[${i}]`]),
  );
}

function labelWarnings(spec: JsonObject, path: string): readonly string[] {
  const node = at(spec, "affinity", "nodeAffinity");
  const affinity = `${path}.affinity.nodeAffinity`;
  return [
    ...entries(spec, "nodeSelector").flatMap(([key]) =>
      about(key, (message) => `${path}.nodeSelector[${key}]: ${message}`),
    ),
    ...objs(at(node, REQUIRED), "nodeSelectorTerms").flatMap((term, i) =>
      termWarnings(term, `${affinity}.${REQUIRED}.nodeSelectorTerms[${i}]`, false),
    ),
    ...objs(node, PREFERRED).flatMap((term, i) =>
      termWarnings(at(term, "preference"), `${affinity}.${PREFERRED}[${i}].preference`, true),
    ),
    ...objs(spec, "topologySpreadConstraints").flatMap((constraint, i) => {
      const where = `${path}.topologySpreadConstraints[${i}]`;
      const key = str(constraint, "topologyKey");
      const open = has(constraint, "labelSelector")
        ? []
        : [`${where}.labelSelector: a null labelSelector results in matching no pod`];
      return [...about(key, (message) => `${where}.topologyKey: ${key} is ${message}`), ...open];
    }),
  ];
}

function about(key: string, tell: (message: string) => string): readonly string[] {
  const message = DEPRECATED_LABELS.get(key);
  return message === undefined ? [] : [tell(message)];
}

/** Warnings about a node selector's term, also of a PersistentVolume. */
export function termWarnings(term: JsonObject, path: string, values: boolean): readonly string[] {
  return objs(term, "matchExpressions").flatMap((expression, i) => {
    const where = `${path}.matchExpressions[${i}]`;
    const key = str(expression, "key");
    const bad = values
      ? strs(expression, "values").flatMap((value, j) =>
          isLabelValue(value).map((message) => `${where}.values[${j}]: ${value} is invalid, ${message}`),
        )
      : [];
    return [...about(key, (message) => `${where}.key: ${key} is ${message}`), ...bad];
  });
}

function volumeWarnings(volume: JsonObject, path: string): readonly string[] {
  const claim = obj(at(volume, "ephemeral"), "volumeClaimTemplate");
  return [
    ...DEPRECATED_VOLUMES.filter(([key]) => has(volume, key)).map(
      ([key, message]) => `${path}.${key === "storageos" ? "storageOS" : key}: ${message}`,
    ),
    ...(claim === undefined ? [] : claimWarnings(at(claim, "spec"), `${path}.ephemeral.volumeClaimTemplate.spec`)),
  ];
}

/** Warnings about the spec of a PersistentVolumeClaim. */
export function claimWarnings(spec: JsonObject, path: string): readonly string[] {
  return ["requests", "limits"].flatMap((key) =>
    fractionWarning(at(spec, "resources", key), "storage", `${path}.resources.${key}`),
  );
}

function fractionWarnings(amounts: JsonObject, path: string): readonly string[] {
  return ["memory", "ephemeral-storage"].flatMap((name) => fractionWarning(amounts, name, path));
}

/** Bytes are whole. */
export function fractionWarning(amounts: JsonObject, name: string, path: string): readonly string[] {
  const quantity = findQuantity(str(amounts, name));
  if (quantity === undefined || quantityMilliValue(quantity) % 1000n === 0n) return [];
  return [`${path}[${name}]: fractional byte value ${goQuote(str(amounts, name))} is invalid, must be an integer`];
}

function repeatWarnings(spec: JsonObject, path: string): readonly string[] {
  const aliases = new Set<string>();
  const secrets = new Set<string>();
  const names = objs(spec, "imagePullSecrets").map((each) => str(each, "name"));
  return [
    ...objs(spec, "hostAliases").flatMap((alias, i) =>
      repeated(aliases, str(alias, "ip")).map((ip) => `${path}.hostAliases[${i}].ip: duplicate ip ${ip}`),
    ),
    ...names.flatMap((name, i) =>
      repeated(secrets, name).map((text) => `${path}.imagePullSecrets[${i}].name: duplicate name ${text}`),
    ),
    ...names.flatMap((name, i) => (name === "" ? [`${path}.imagePullSecrets[${i}].name: invalid empty name ""`] : [])),
  ];
}

/** The quoted text when it is in the set already. */
function repeated(seen: Set<string>, text: string): readonly string[] {
  if (seen.has(text)) return [goQuote(text)];
  seen.add(text);
  return [];
}

function containerWarnings(container: JsonObject, path: string): readonly string[] {
  const resources = at(container, "resources");
  return [
    ...["memory", "ephemeral-storage"].flatMap((name) =>
      ["limits", "requests"].flatMap((key) => fractionWarning(at(resources, key), name, `${path}.resources.${key}`)),
    ),
    ...variableWarnings(container, path),
  ];
}

/** A variable that is set twice, without its first value being part of its second. */
function variableWarnings(container: JsonObject, path: string): readonly string[] {
  const seen = new Set<string>();
  return objs(container, "env").flatMap((variable, i) => {
    const name = str(variable, "name");
    const value = str(variable, "value");
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const reference = `$(${name})`;
    const extends_ = !has(variable, "valueFrom") && value !== reference && value.includes(reference);
    return extends_
      ? []
      : [`${path}.env[${i}]: hides previous definition of ${goQuote(name)}, which may be dropped when using apply`];
  });
}

/** No answer shows more than this many. */
const MOST_WARNINGS = 4096;

function portWarnings(containers: readonly Placed[]): readonly string[] {
  const seen = new Map<string, { readonly port: JsonObject; readonly path: string }[]>();
  const out: string[] = [];
  for (const [container, at] of containers) {
    for (const [i, port] of objs(container, "ports").entries()) {
      const path = `${at}.ports[${i}]`;
      if (str(port, "hostIP") !== "" && num(port, "hostPort") === 0)
        out.push(`${path}: hostIP set without hostPort: ${goStruct(port)}`);
      const key = `${num(port, "containerPort")}/${str(port, "protocol")}`;
      const others = seen.get(key) ?? [];
      for (const other of others) {
        out.push(...clashes(port, other.port).map((how) => `${path}: ${how} port definition with ${other.path}`));
        if (out.length >= MOST_WARNINGS) return out;
      }
      others.push({ port, path });
      seen.set(key, others);
    }
  }
  return out;
}

function goStruct(port: JsonObject): string {
  return `{Name:${str(port, "name")} HostPort:${num(port, "hostPort")} ContainerPort:${num(port, "containerPort")} Protocol:${str(port, "protocol")} HostIP:${str(port, "hostIP")}}`;
}

function clashes(port: JsonObject, other: JsonObject): readonly string[] {
  const [ip, otherIp] = [str(port, "hostIP"), str(other, "hostIP")];
  const [host, otherHost] = [num(port, "hostPort"), num(other, "hostPort")];
  if (ip === otherIp && host === otherHost) return ["duplicate"];
  if (host === 0 || otherHost === 0) return ["overlapping"];
  return host === otherHost && (ip === "") !== (otherIp === "") ? ["dangerously ambiguous"] : [];
}

function portNameWarnings(containers: readonly Placed[]): readonly string[] {
  const seen = new Map<string, string>();
  const out: string[] = [];
  for (const [container, at] of containers) {
    for (const [i, port] of objs(container, "ports").entries()) {
      const name = str(port, "name");
      const path = `${at}.ports[${i}]`;
      const other = seen.get(name);
      if (name === "") continue;
      if (other === undefined) seen.set(name, path);
      else
        out.push(
          `${path}: duplicate port name ${goQuote(name)} with ${other}, services and probes that select ports by name will use ${other}`,
        );
    }
  }
  return out;
}

function graceWarnings(spec: JsonObject, path: string): readonly string[] {
  if (num(spec, "terminationGracePeriodSeconds") >= 0) return [];
  return [`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`];
}

function affinityWarnings(spec: JsonObject, path: string): readonly string[] {
  const open = "a null labelSelector results in matching no pod";
  return ["podAffinity", "podAntiAffinity"].flatMap((key) => {
    const affinity = at(spec, "affinity", key);
    return [
      ...objs(affinity, REQUIRED).flatMap((term, i) =>
        has(term, "labelSelector") ? [] : [`${path}.${key}.${REQUIRED}[${i}].labelSelector: ${open}`],
      ),
      ...objs(affinity, PREFERRED).flatMap((term, i) =>
        has(at(term, "podAffinityTerm"), "labelSelector")
          ? []
          : [`${path}.${key}.${PREFERRED}[${i}].podAffinityTerm.labelSelector: ${open}`],
      ),
    ];
  });
}

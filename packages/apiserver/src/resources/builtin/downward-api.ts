// Fields of the pod and its containers' resources in environment variables and files (k/k: validateObjectFieldSelector,
// validateContainerResourceFieldSelector, pkg/api/v1/pod ConvertDownwardAPIFieldLabel).
import { invalid, invalidEach, isQualifiedName, notSupported, required, type FieldError } from "@fairlead/apimachinery";
import type { JsonObject } from "@fairlead/base";
import { has, obj, str } from "./access.js";

const ENV_FIELDS: readonly string[] = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];

const VOLUME_FIELDS: readonly string[] = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];

const KNOWN: ReadonlySet<string> = new Set([
  ...ENV_FIELDS,
  ...VOLUME_FIELDS,
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase",
  "status.nominatedNodeName",
  "spec.host",
]);

const RESOURCES: readonly string[] = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];

const CPU_DIVISORS: ReadonlySet<string> = new Set(["1m", "1"]);
const BYTE_DIVISORS: ReadonlySet<string> = new Set([
  "1",
  "1k",
  "1M",
  "1G",
  "1T",
  "1P",
  "1E",
  "1Ki",
  "1Mi",
  "1Gi",
  "1Ti",
  "1Pi",
  "1Ei",
]);

/** A field of the pod, in an environment variable. */
export function envFieldErrors(selector: JsonObject, path: string): readonly FieldError[] {
  return fieldErrors(selector, path, ENV_FIELDS);
}

function fieldErrors(selector: JsonObject, path: string, supported: readonly string[]): readonly FieldError[] {
  if (str(selector, "apiVersion") === "") return [required(`${path}.apiVersion`)];
  const given = str(selector, "fieldPath");
  if (given === "") return [required(`${path}.fieldPath`)];
  const version = str(selector, "apiVersion");
  if (version !== "v1")
    return [invalid(`${path}.fieldPath`, given, `error converting fieldPath: unsupported pod version: ${version}`)];
  const subscript = /^(.*)\['(.*)'\]$/s.exec(given);
  const target = subscript?.[1] ?? given;
  if (subscript !== null) {
    const key = subscript[2] ?? "";
    if (target === "metadata.annotations")
      return invalidEach(path, key.toLowerCase(), isQualifiedName(key.toLowerCase()));
    if (target === "metadata.labels") return invalidEach(path, key, isQualifiedName(key));
  }
  if (subscript !== null || !KNOWN.has(target)) {
    const problem =
      subscript !== null ? `invalid subscript for field ${target}` : `field label not supported: ${target}`;
    return [invalid(`${path}.fieldPath`, given, `error converting fieldPath: ${problem}`)];
  }
  const internal = target === "spec.host" ? "spec.nodeName" : target;
  return supported.includes(internal) ? [] : [notSupported(`${path}.fieldPath`, internal, supported)];
}

/** A resource of a container; a volume must say of which. */
export function resourceFieldErrors(
  selector: JsonObject,
  path: string,
  place: "env" | "volume",
): readonly FieldError[] {
  const resource = str(selector, "resource");
  const errors: FieldError[] = [];
  if (place === "volume" && str(selector, "containerName") === "") errors.push(required(`${path}.containerName`));
  else if (resource === "") errors.push(required(`${path}.resource`));
  else if (!RESOURCES.includes(resource) && !isHugePageField(resource))
    errors.push(notSupported(`${path}.resource`, resource, RESOURCES));
  return [...errors, ...divisorErrors(resource, str(selector, "divisor"), `${path}.divisor`)];
}

function isHugePageField(resource: string): boolean {
  return resource.startsWith("limits.hugepages-") || resource.startsWith("requests.hugepages-");
}

function divisorErrors(resource: string, divisor: string, path: string): readonly FieldError[] {
  if (divisor === "" || divisor === "0") return [];
  const name = resource.replace(/^(limits|requests)\./, "");
  if (name === "cpu") {
    return CPU_DIVISORS.has(divisor)
      ? []
      : [invalid(path, resource, "only divisor's values 1m and 1 are supported with the cpu resource")];
  }
  const kinds = new Map([
    ["memory", "memory"],
    ["ephemeral-storage", "local ephemeral storage"],
  ]);
  const kind = kinds.get(name) ?? (isHugePageField(resource) ? "hugepages" : undefined);
  if (kind === undefined || BYTE_DIVISORS.has(divisor)) return [];
  return [
    invalid(
      path,
      resource,
      `only divisor's values ${[...BYTE_DIVISORS].join(", ")} are supported with the ${kind} resource`,
    ),
  ];
}

/** One file of a downward API volume, but for its path and mode. */
export function downwardFileErrors(file: JsonObject, path: string): readonly FieldError[] {
  const field = obj(file, "fieldRef");
  const resource = obj(file, "resourceFieldRef");
  if (field !== undefined) {
    const both = has(file, "resourceFieldRef")
      ? [invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously")]
      : [];
    return [...fieldErrors(field, `${path}.fieldRef`, VOLUME_FIELDS), ...both];
  }
  if (resource !== undefined) return resourceFieldErrors(resource, `${path}.resourceFieldRef`, "volume");
  return [required(path, "one of fieldRef and resourceFieldRef is required")];
}

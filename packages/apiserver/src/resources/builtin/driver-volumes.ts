// Volumes of storage systems with drivers of their own, most of them gone by now, in pods and PersistentVolumes alike
// (k/k: pkg/apis/core/validation/validation.go).
import {
  byteLength,
  inclusiveRange,
  invalid,
  invalidEach,
  isDns1123Label,
  notSupported,
  required,
  type FieldError,
} from "@fairlead/apimachinery";
import { getOwn, type JsonObject } from "@fairlead/base";
import { bool, entries, has, num, obj, str, strs } from "./access.js";

/** Where a volume stands. */
export interface VolumeHolder {
  /** The name of the volume or PersistentVolume. */
  readonly name: string;
  /** Whether that is a PersistentVolume, whose references to Secrets have namespaces. */
  readonly persistent: boolean;
}

type SourceRule = (source: JsonObject, path: string, holder: VolumeHolder) => readonly FieldError[];

const RULES: ReadonlyMap<string, SourceRule> = new Map([
  [
    "gcePersistentDisk",
    (source, path) => diskErrors(source, path.replace(/gcePersistentDisk$/, "persistentDisk"), "pdName"),
  ],
  ["awsElasticBlockStore", (source, path) => diskErrors(source, path, "volumeID")],
  ["glusterfs", glusterErrors],
  ["flocker", flockerErrors],
  ["rbd", (source, path) => [...missingList(source, path, "monitors"), ...missing(source, path, "image")]],
  ["quobyte", quobyteErrors],
  ["cephfs", (source, path) => missingList(source, path, "monitors")],
  ["iscsi", iscsiErrors],
  ["cinder", (source, path, holder) => [...missing(source, path, "volumeID"), ...secretErrors(source, path, holder)]],
  ["fc", fibreErrors],
  ["flexVolume", flexErrors],
  ["azureFile", azureFileErrors],
  ["vsphereVolume", (source, path) => missing(source, path, "volumePath")],
  ["photonPersistentDisk", (source, path) => missing(source, path, "pdID")],
  ["portworxVolume", (source, path) => missing(source, path, "volumeID")],
  ["azureDisk", azureDiskErrors],
  ["scaleIO", (source, path) => missing(source, path, "gateway", "system", "volumeName")],
  ["storageos", storageOsErrors],
]);

/** What is wrong with a volume of such a system; nothing for another kind of volume. */
export function driverVolumeErrors(
  key: string,
  source: JsonObject,
  path: string,
  holder: VolumeHolder,
): readonly FieldError[] {
  return RULES.get(key)?.(source, path, holder) ?? [];
}

function missing(source: JsonObject, path: string, ...keys: readonly string[]): readonly FieldError[] {
  return keys.filter((key) => str(source, key) === "").map((key) => required(`${path}.${key}`));
}

function missingList(source: JsonObject, path: string, key: string): readonly FieldError[] {
  return strs(source, key).length === 0 ? [required(`${path}.${key}`)] : [];
}

function diskErrors(source: JsonObject, path: string, key: string): readonly FieldError[] {
  const partition = num(source, "partition");
  return [
    ...missing(source, path, key),
    ...(partition < 0 || partition > 255 ? [invalid(`${path}.partition`, partition, inclusiveRange(1, 255))] : []),
  ];
}

function secretErrors(source: JsonObject, path: string, { persistent }: VolumeHolder): readonly FieldError[] {
  const secret = obj(source, "secretRef");
  if (secret === undefined) return [];
  return missing(secret, `${path}.secretRef`, "name", ...(persistent ? ["namespace"] : []));
}

function glusterErrors(source: JsonObject, path: string): readonly FieldError[] {
  const errors = missing(source, path, "endpoints", "path");
  if (!has(source, "endpointsNamespace")) return errors;
  const namespace = str(source, "endpointsNamespace");
  const at = `${path}.endpointsNamespace`;
  return namespace === ""
    ? [...errors, invalid(at, "", "if the endpointnamespace is set, it must be a valid namespace name")]
    : [...errors, ...invalidEach(at, namespace, isDns1123Label(namespace))];
}

function flockerErrors(source: JsonObject, path: string): readonly FieldError[] {
  const [name, uuid] = [str(source, "datasetName"), str(source, "datasetUUID")];
  const errors: FieldError[] = [];
  if (name === "" && uuid === "") errors.push(required(path, "one of datasetName and datasetUUID is required"));
  if (name !== "" && uuid !== "")
    errors.push(invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously"));
  if (name.includes("/")) errors.push(invalid(`${path}.datasetName`, name, "must not contain '/'"));
  return errors;
}

const HOST_AND_PORT = "must be a host:port pair or multiple pairs separated by commas";

function quobyteErrors(source: JsonObject, path: string): readonly FieldError[] {
  const registry = str(source, "registry");
  const errors: FieldError[] = [];
  if (registry === "") errors.push(required(`${path}.registry`, HOST_AND_PORT));
  else if (byteLength(str(source, "tenant")) >= 65)
    errors.push(required(`${path}.tenant`, "must be a UUID and may not exceed a length of 64 characters"));
  else {
    for (const pair of registry.split(","))
      if (!/^(?:[^:[\]]*|\[[^[\]]*\]):[^:[\]]*$/.test(pair))
        errors.push(invalid(`${path}.registry`, registry, HOST_AND_PORT));
  }
  return [...errors, ...missing(source, path, "volume")];
}

const INITIATORS: readonly (readonly [prefix: string, form: RegExp])[] = [
  ["iqn", /iqn\.\d{4}-\d{2}\.([0-9A-Za-z\-.]+)(:[^,;*&$|\s]+)$/],
  ["eui", /^eui.[0-9A-Za-z]{16}$/],
  ["naa", /^naa.[0-9A-Za-z]{32}$/],
];

function iscsiErrors(source: JsonObject, path: string, { name, persistent }: VolumeHolder): readonly FieldError[] {
  const portal = str(source, "targetPortal");
  const lun = num(source, "lun");
  const tooLong = has(source, "initiatorName") && byteLength(`${name}:${portal}`) > 64;
  const length =
    "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
  const prefix = persistent ? "must be valid format" : "must be valid format starting with iqn, eui, or naa";
  const secret = obj(source, "secretRef");
  const errors = portal === "" ? [required(`${path}.targetPortal`)] : [];
  if (tooLong && persistent) errors.push(invalid(`${path}.targetportal`, portal, length));
  if (str(source, "iqn") === "") errors.push(required(`${path}.iqn`));
  else errors.push(...initiatorErrors(str(source, "iqn"), `${path}.iqn`, prefix));
  if (lun < 0 || lun > 255) errors.push(invalid(`${path}.lun`, lun, inclusiveRange(0, 255)));
  if ((bool(source, "chapAuthDiscovery") || bool(source, "chapAuthSession")) && secret === undefined)
    errors.push(required(`${path}.secretRef`));
  if (persistent && secret !== undefined) errors.push(...missing(secret, `${path}.secretRef`, "name"));
  if (has(source, "initiatorName"))
    errors.push(...initiatorErrors(str(source, "initiatorName"), `${path}.initiatorname`, prefix));
  if (tooLong && !persistent) errors.push(invalid(path.replace(/iscsi$/, "name"), name, length));
  return errors;
}

function initiatorErrors(name: string, path: string, otherwise: string): readonly FieldError[] {
  const form = INITIATORS.find(([prefix]) => name.startsWith(prefix))?.[1];
  if (form === undefined) return [invalid(path, name, otherwise)];
  return form.test(name) ? [] : [invalid(path, name, "must be valid format")];
}

function fibreErrors(source: JsonObject, path: string): readonly FieldError[] {
  const targets = strs(source, "targetWWNs");
  const others = strs(source, "wwids");
  const at = `${path}.targetWWNs`;
  const errors: FieldError[] = [];
  if (targets.length === 0 && others.length === 0)
    errors.push(required(at, "must specify either targetWWNs or wwids, but not both"));
  if (targets.length > 0 && others.length > 0)
    errors.push(invalid(at, [...targets], "targetWWNs and wwids can not be specified simultaneously"));
  if (targets.length === 0) return errors;
  const lun = num(source, "lun");
  if (!has(source, "lun")) errors.push(required(`${path}.lun`, "lun is required if targetWWNs is specified"));
  else if (lun < 0 || lun > 255) errors.push(invalid(`${path}.lun`, lun, inclusiveRange(0, 255)));
  return errors;
}

function flexErrors(source: JsonObject, path: string): readonly FieldError[] {
  return [
    ...missing(source, path, "driver"),
    ...entries(source, "options").flatMap(([key]) => {
      const domain = `.${(/^([^/]*)\//.exec(key)?.[1] ?? key).toLowerCase()}`;
      return domain.endsWith(".kubernetes.io") || domain.endsWith(".k8s.io")
        ? [invalid(`${path}.options[${key}]`, key, "kubernetes.io and k8s.io namespaces are reserved")]
        : [];
    }),
  ];
}

function azureFileErrors(source: JsonObject, path: string): readonly FieldError[] {
  const nameless = getOwn(source, "secretNamespace") === "";
  return [
    ...missing(source, path, "secretName", "shareName"),
    ...(nameless ? [required(`${path}.secretNamespace`)] : []),
  ];
}

const MANAGED_URI = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const BLOB_URI = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

function azureDiskErrors(source: JsonObject, path: string): readonly FieldError[] {
  const uri = str(source, "diskURI");
  const kind = str(source, "kind");
  const errors = [...missing(source, path, "diskName", "diskURI")];
  const choices: readonly (readonly [key: string, values: readonly string[]])[] = [
    ["cachingMode", ["None", "ReadOnly", "ReadWrite"]],
    ["kind", ["Dedicated", "Managed", "Shared"]],
  ];
  for (const [key, values] of choices)
    if (has(source, key) && !values.includes(str(source, key)))
      errors.push(notSupported(`${path}.${key}`, str(source, key), values));
  if (!has(source, "kind")) return errors;
  const [start, form] = kind === "Managed" ? ["/subscriptions/", MANAGED_URI] : ["https://", BLOB_URI];
  return uri.startsWith(start) ? errors : [...errors, notSupported(`${path}.diskURI`, uri, [form])];
}

function storageOsErrors(source: JsonObject, path: string, holder: VolumeHolder): readonly FieldError[] {
  const [name, namespace] = [str(source, "volumeName"), str(source, "volumeNamespace")];
  return [
    ...(name === "" ? [required(`${path}.volumeName`)] : invalidEach(`${path}.volumeName`, name, isDns1123Label(name))),
    ...(namespace === "" ? [] : invalidEach(`${path}.volumeNamespace`, namespace, isDns1123Label(namespace))),
    ...secretErrors(source, path, holder),
  ];
}

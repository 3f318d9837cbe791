// PersistentVolume (k/k: ValidatePersistentVolumeSpec, pkg/registry/core/persistentvolume).
import {
  FIELD_IS_IMMUTABLE,
  findQuantity,
  forbidden,
  invalid,
  invalidEach,
  isDns1123Label,
  isDns1123Subdomain,
  nameIsDnsSubdomain,
  notSupported,
  quantityValue,
  required,
  sameValue,
  type FieldError,
} from "@fairlead/apimachinery";
import { deepEqual, formatTime, getOwn, type JsonObject, type MutableJsonObject } from "@fairlead/base";
import type { ResourceStrategy, StrategyContext } from "../resource.js";
import { at, entries, has, obj, objs, shownMap, str, strs } from "./access.js";
import { accessModeErrors, VOLUME_MODES } from "./claim-rules.js";
import { driverVolumeErrors } from "./driver-volumes.js";
import { termWarnings } from "./pod-warnings.js";
import { requiredText } from "./rules.js";
import { nodeSelectorErrors } from "./scheduling-rules.js";
import { builtinStrategy } from "./strategy.js";
import { textDiff } from "./text-diff.js";
import { backstepErrors, csiDriverNameErrors, hostPathErrors, nfsErrors } from "./volume-sources.js";

/** The kinds of volumes, and the names that errors give them. */
const SOURCES: readonly (readonly [key: string, shown: string])[] = [
  ["hostPath", "hostPath"],
  ["gcePersistentDisk", "gcePersistentDisk"],
  ["awsElasticBlockStore", "awsElasticBlockStore"],
  ["glusterfs", "glusterfs"],
  ["flocker", "flocker"],
  ["nfs", "nfs"],
  ["rbd", "rbd"],
  ["quobyte", "quobyte"],
  ["cephfs", "cephFS"],
  ["iscsi", "iscsi"],
  ["cinder", "cinder"],
  ["fc", "fc"],
  ["flexVolume", "flexVolume"],
  ["azureFile", "azureFile"],
  ["vsphereVolume", "vsphereVolume"],
  ["photonPersistentDisk", "photonPersistentDisk"],
  ["portworxVolume", "portworxVolume"],
  ["azureDisk", "azureDisk"],
  ["scaleIO", "scaleIO"],
  ["local", "local"],
  ["storageos", "storageos"],
  ["csi", "csi"],
];

const WITHOUT_MOUNT_OPTIONS: ReadonlySet<string> = new Set([
  "hostPath",
  "flocker",
  "fc",
  "flexVolume",
  "portworxVolume",
  "scaleIO",
  "local",
  "storageos",
  "csi",
]);

const MOUNT_OPTIONS = "volume.beta.kubernetes.io/mount-options";
const DEPRECATED: readonly (readonly [key: string, message: string])[] = [
  ["cephfs", "spec.cephfs: deprecated in v1.28, non-functional in v1.31+"],
  ["photonPersistentDisk", "spec.photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+"],
  ["scaleIO", "spec.scaleIO: deprecated in v1.16, non-functional in v1.22+"],
  ["storageos", "spec.storageOS: deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "spec.glusterfs: deprecated in v1.25, non-functional in v1.26+"],
  ["rbd", "spec.rbd: deprecated in v1.28, non-functional in v1.31+"],
];

const RECYCLE =
  "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.";

/** The strategy of PersistentVolumes. */
export function persistentVolume(): ResourceStrategy {
  return builtinStrategy("/v1/PersistentVolume", {
    validateName: nameIsDnsSubdomain,
    refusesEmpty: [["spec", "capacity"]],
    prepareForCreate: (object, { nowMs }) => {
      object["status"] = { phase: "Pending", lastPhaseTransitionTime: formatTime(nowMs) };
    },
    prepareForStatusUpdate: stampPhase,
    validateCreate: volumeErrors,
    validateUpdate: (object, live) => [...volumeErrors(object), ...specErrors(object), ...changeErrors(object, live)],
    validateStatusUpdate: () => [],
    warnings: volumeWarnings,
    selectableFields: new Map([["name", (object) => str(at(object, "metadata"), "name")]]),
  });
}

function stampPhase(object: MutableJsonObject, live: JsonObject, { nowMs }: StrategyContext): void {
  const status: MutableJsonObject = { ...at(object, "status") };
  const before = at(live, "status");
  const same = str(status, "phase") === str(before, "phase");
  const [time, old] = [str(status, "lastPhaseTransitionTime"), str(before, "lastPhaseTransitionTime")];
  if (same && time === "" && old !== "") status["lastPhaseTransitionTime"] = old;
  if (!same && (time === "" || time === old)) status["lastPhaseTransitionTime"] = formatTime(nowMs);
  object["status"] = status;
}

function volumeErrors(object: JsonObject): readonly FieldError[] {
  const errors = specErrors(object);
  const spec = at(object, "spec");
  const supports = SOURCES.some(([key]) => has(spec, key) && !WITHOUT_MOUNT_OPTIONS.has(key));
  if (supports || !has(at(object, "metadata", "annotations"), MOUNT_OPTIONS)) return errors;
  return [
    ...errors,
    forbidden(`metadata.annotations.${MOUNT_OPTIONS}`, "may not specify mount options for this volume type"),
  ];
}

function specErrors(object: JsonObject): readonly FieldError[] {
  const spec = at(object, "spec");
  const modes = strs(spec, "accessModes");
  const policy = str(spec, "persistentVolumeReclaimPolicy");
  const policies = ["Delete", "Recycle", "Retain"];
  const name = str(spec, "storageClassName");
  const mode = str(spec, "volumeMode");
  return [
    ...(modes.length === 0 ? [required("spec.accessModes")] : []),
    ...accessModeErrors(modes, "spec.accessModes"),
    ...capacityErrors(spec),
    ...(policy !== "" && !policies.includes(policy)
      ? [notSupported("spec.persistentVolumeReclaimPolicy", policy, policies)]
      : []),
    ...affinityErrors(obj(spec, "nodeAffinity")),
    ...sourceErrors(object),
    ...(name === "" ? [] : invalidEach("spec.storageClassName", name, isDns1123Subdomain(name))),
    ...(has(spec, "volumeMode") && !VOLUME_MODES.includes(mode)
      ? [notSupported("spec.volumeMode", mode, VOLUME_MODES)]
      : []),
    ...attributesErrors(spec),
  ];
}

function capacityErrors(spec: JsonObject): readonly FieldError[] {
  const path = "spec.capacity";
  const capacity = entries(spec, "capacity");
  const errors: FieldError[] = capacity.length === 0 ? [required(path)] : [];
  if (capacity.length !== 1 || capacity[0]?.[0] !== "storage")
    errors.push(notSupported(path, shownMap(spec, "capacity"), ["storage"]));
  for (const [name, value] of capacity) {
    const quantity = findQuantity(String(value));
    if (quantity === undefined) continue;
    if (quantity.mantissa < 0n)
      errors.push(invalid(`${path}[${name}]`, quantityValue(quantity), "must be a valid resource quantity"));
    if (quantity.mantissa <= 0n) errors.push(invalid(`${path}[${name}]`, value, "must be greater than zero"));
  }
  return errors;
}

function affinityErrors(affinity: JsonObject | undefined): readonly FieldError[] {
  if (affinity === undefined) return [];
  const selector = obj(affinity, "required");
  const path = "spec.nodeAffinity.required";
  return selector === undefined
    ? [required(path, "must specify required node constraints")]
    : nodeSelectorErrors(selector, path);
}

function sourceErrors(object: JsonObject): readonly FieldError[] {
  const spec = at(object, "spec");
  const errors: FieldError[] = [];
  let found = 0;
  for (const [key, shown] of SOURCES) {
    const source = obj(spec, key);
    if (source === undefined) continue;
    if (found > 0 && key !== "flexVolume")
      errors.push(forbidden(`spec.${shown}`, "may not specify more than 1 volume type"));
    else errors.push(...oneSourceErrors(object, key, source));
    found++;
  }
  if (found === 0) errors.push(required("spec", "must specify a volume type"));
  const root = /^\/*$/.test(str(obj(spec, "hostPath"), "path").replaceAll("/.", "/"));
  if (has(spec, "hostPath") && root && str(spec, "persistentVolumeReclaimPolicy") === "Recycle") {
    errors.push(forbidden("spec.persistentVolumeReclaimPolicy", "may not be 'recycle' for a hostPath mount of '/'"));
  }
  return errors;
}

function oneSourceErrors(object: JsonObject, key: string, source: JsonObject): readonly FieldError[] {
  const path = `spec.${key}`;
  switch (key) {
    case "hostPath":
      return hostPathErrors(source, path);
    case "nfs":
      return nfsErrors(source, path);
    case "local": {
      const wrong =
        str(source, "path") === "" ? [required(`${path}.path`)] : backstepErrors(str(source, "path"), `${path}.path`);
      return has(at(object, "spec"), "nodeAffinity")
        ? wrong
        : [...wrong, required("spec.nodeAffinity", "Local volume requires node affinity")];
    }
    case "csi":
      return csiErrors(source, path);
    default:
      return driverVolumeErrors(key, source, path, { name: str(at(object, "metadata"), "name"), persistent: true });
  }
}

function csiErrors(source: JsonObject, path: string): readonly FieldError[] {
  const references = [
    "controllerPublishSecretRef",
    "controllerExpandSecretRef",
    "nodePublishSecretRef",
    "nodeExpandSecretRef",
  ];
  return [
    ...csiDriverNameErrors(str(source, "driver"), `${path}.driver`),
    ...(str(source, "volumeHandle") === "" ? [required(`${path}.volumeHandle`)] : []),
    ...references.flatMap((key) => {
      const reference = obj(source, key);
      if (reference === undefined) return [];
      return [
        ...requiredText(str(reference, "name"), `${path}.${key}.name`, isDns1123Subdomain),
        ...requiredText(str(reference, "namespace"), `${path}.${key}.namespace`, isDns1123Label),
      ];
    }),
  ];
}

function attributesErrors(spec: JsonObject): readonly FieldError[] {
  if (!has(spec, "volumeAttributesClassName")) return [];
  const name = str(spec, "volumeAttributesClassName");
  const path = "spec.volumeAttributesClassName";
  return [
    ...(name === ""
      ? [required(path, "an empty string is disallowed")]
      : invalidEach(path, name, isDns1123Subdomain(name))),
    ...(has(spec, "csi") ? [] : [required("spec.csi", "has to be specified when using volumeAttributesClassName")]),
  ];
}

function sourceOf(spec: JsonObject): MutableJsonObject {
  const out: MutableJsonObject = {};
  for (const [key] of SOURCES) {
    const source = getOwn(spec, key);
    if (source !== undefined) out[key] = source;
  }
  return out;
}

function changeErrors(object: JsonObject, live: JsonObject): readonly FieldError[] {
  const spec = at(object, "spec");
  const before = at(live, "spec");
  const [after, old] = [sourceOf(spec), sourceOf(before)];
  const csi = obj(spec, "csi");
  if (csi !== undefined && has(before, "csi") && !has(at(before, "csi"), "controllerExpandSecretRef")) {
    const { controllerExpandSecretRef: _added, ...rest } = csi;
    after["csi"] = rest;
  }
  const errors: FieldError[] = [];
  if (!deepEqual(after, old)) {
    errors.push(
      forbidden(
        "spec.persistentvolumesource",
        `spec.persistentvolumesource is immutable after creation\n${textDiff(old, after)}`,
      ),
    );
  }
  if (!sameValue(getOwn(spec, "volumeMode"), getOwn(before, "volumeMode")))
    errors.push(invalid("volumeMode", getOwn(spec, "volumeMode") ?? null, FIELD_IS_IMMUTABLE));
  const affinity = getOwn(spec, "nodeAffinity");
  if (
    has(before, "nodeAffinity") &&
    !deepEqual(withGaLabels(affinity ?? null), withGaLabels(getOwn(before, "nodeAffinity") ?? null))
  ) {
    errors.push(
      invalid("nodeAffinity", affinity ?? null, `${FIELD_IS_IMMUTABLE}, except for updating from beta label to GA`),
    );
  }
  if (has(before, "volumeAttributesClassName") && !has(spec, "volumeAttributesClassName")) {
    errors.push(forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden"));
  }
  return errors;
}

/** Labels of nodes by their present names, so that a change from the old ones is none. */
function withGaLabels(value: NonNullable<JsonObject[string]> | null): JsonObject {
  const text = JSON.stringify(value, (_key, each: unknown) => (typeof each === "bigint" ? Number(each) : each))
    .replaceAll("failure-domain.beta.kubernetes.io/", "topology.kubernetes.io/")
    .replaceAll("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type")
    .replaceAll("beta.kubernetes.io/", "kubernetes.io/");
  return { text };
}

function volumeWarnings(object: JsonObject): readonly string[] {
  const spec = at(object, "spec");
  const annotations = at(object, "metadata", "annotations");
  const old = (key: string, message: string): readonly string[] =>
    has(annotations, key) ? [`metadata.annotations[${key}]: ${message}`] : [];
  return [
    ...old(
      "volume.beta.kubernetes.io/storage-class",
      'deprecated since v1.8; use "storageClassName" attribute instead',
    ),
    ...old(MOUNT_OPTIONS, 'deprecated since v1.31; use "mountOptions" attribute instead'),
    ...(str(spec, "persistentVolumeReclaimPolicy") === "Recycle" ? [RECYCLE] : []),
    ...objs(at(spec, "nodeAffinity", "required"), "nodeSelectorTerms").flatMap((term, i) =>
      termWarnings(term, `spec.nodeAffinity.required.nodeSelectorTerms[${i}]`, false),
    ),
    ...DEPRECATED.filter(([key]) => has(spec, key)).map(([, message]) => message),
  ];
}

// Volumes of pods (k/k: ValidateVolumes, validateVolumeSource).
import {
  byteLength,
  duplicate,
  findQuantity,
  forbidden,
  invalid,
  invalidEach,
  isDns1123Label,
  isDns1123Subdomain,
  isQualifiedName,
  required,
  tooLong,
  type FieldError,
} from "@fairlead/apimachinery";
import type { JsonObject } from "@fairlead/base";
import { at, has, num, obj, objs, str } from "./access.js";
import { claimSpecErrors } from "./claim-rules.js";
import { downwardFileErrors } from "./downward-api.js";
import { driverVolumeErrors } from "./driver-volumes.js";
import { oneOf, requiredOneOf } from "./rules.js";

/** What is wrong with the volumes of a pod, and the names of those that are right. */
export interface VolumeErrors {
  readonly errors: readonly FieldError[];
  /** By name; mounts may only name these. */
  readonly volumes: ReadonlyMap<string, JsonObject>;
}

/** The pod that has the volumes; a template is no pod, and has no name. */
export interface VolumePlace {
  readonly pod: boolean;
  readonly name?: string;
}

/** What is wrong with the volumes of a pod. */
export function volumeErrors(spec: JsonObject, place: VolumePlace, path: string): VolumeErrors {
  const { name: podName = "" } = place;
  const volumes = new Map<string, JsonObject>();
  const list = objs(spec, "volumes");
  const created = new Set(
    list
      .filter((volume) => podName !== "" && has(volume, "ephemeral"))
      .map((volume) => `${podName}-${str(volume, "name")}`),
  );
  const errors = list.flatMap((volume, i) => {
    const name = str(volume, "name");
    const at = `${path}[${i}]`;
    const own = [
      ...sourceErrors(volume, at, place),
      ...(name === "" ? [required(`${at}.name`)] : invalidEach(`${at}.name`, name, isDns1123Label(name))),
    ];
    if (volumes.has(name)) own.push(duplicate(`${at}.name`, name));
    if (own.length === 0) volumes.set(name, volume);
    const claim = str(obj(volume, "persistentVolumeClaim"), "claimName");
    if (created.has(claim))
      own.push(
        invalid(
          `${at}.persistentVolumeClaim.claimName`,
          claim,
          "must not reference a PVC that gets created for an ephemeral volume",
        ),
      );
    return own;
  });
  return { errors, volumes };
}

type SourceRule = (source: JsonObject, path: string, pod: boolean) => readonly FieldError[];

/** The kinds of source in the order in which they are looked at; the second one that is set is one too many. */
const SOURCES: readonly (readonly [key: string, rule?: SourceRule])[] = [
  ["emptyDir", emptyDirErrors],
  ["hostPath", hostPathErrors],
  ["gitRepo", gitRepoErrors],
  ["gcePersistentDisk"],
  ["awsElasticBlockStore"],
  ["secret", secretErrors],
  ["nfs", nfsErrors],
  ["iscsi"],
  ["glusterfs"],
  ["flocker"],
  ["persistentVolumeClaim", (source, path) => (str(source, "claimName") === "" ? [required(`${path}.claimName`)] : [])],
  ["rbd"],
  ["cinder"],
  ["cephfs"],
  ["quobyte"],
  ["downwardAPI", downwardErrors],
  ["fc"],
  ["flexVolume"],
  ["configMap", configMapErrors],
  ["azureFile"],
  ["vsphereVolume"],
  ["photonPersistentDisk"],
  ["portworxVolume"],
  ["azureDisk"],
  ["storageos"],
  ["projected", projectedErrors],
  ["scaleIO"],
  ["csi", csiErrors],
  ["ephemeral", ephemeralErrors],
  ["image", imageErrors],
];

/** Names under which some kinds are too many. */
const SHOWN = new Map([
  ["cephfs", "cephFS"],
  ["downwardAPI", "downwarAPI"],
]);

function sourceErrors(
  volume: JsonObject,
  path: string,
  { pod, name: podName = "" }: VolumePlace,
): readonly FieldError[] {
  const set = SOURCES.filter(([key]) => has(volume, key));
  if (set.length === 0) return [required(path, "must specify a volume type")];
  return set.flatMap(([key, rule], i) => {
    if (i > 0) {
      const shown = SHOWN.get(key) ?? key;
      return [forbidden(`${path}.${shown}`, "may not specify more than 1 volume type")];
    }
    const source = at(volume, key);
    const errors =
      rule === undefined
        ? driverVolumeErrors(key, source, `${path}.${key}`, { name: str(volume, "name"), persistent: false })
        : rule(source, `${path}.${key}`, pod);
    if (key !== "ephemeral" || podName === "") return errors;
    const claim = `${podName}-${str(volume, "name")}`;
    return [
      ...errors,
      ...isDns1123Subdomain(claim).map((message) =>
        invalid(`${path}.name`, str(volume, "name"), `PVC name ${JSON.stringify(claim)}: ${message}`),
      ),
    ];
  });
}

function emptyDirErrors(source: JsonObject, path: string): readonly FieldError[] {
  const limit = findQuantity(str(source, "sizeLimit") || "0");
  return limit !== undefined && limit.mantissa < 0n
    ? [forbidden(`${path}.sizeLimit`, "SizeLimit field must be a valid resource quantity")]
    : [];
}

const HOST_PATH_TYPES: readonly string[] = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

/** A path on the node, also of a PersistentVolume. */
export function hostPathErrors(source: JsonObject, path: string): readonly FieldError[] {
  const target = str(source, "path");
  if (target === "") return [required(`${path}.path`)];
  return [...backstepErrors(target, `${path}.path`), ...oneOf(str(source, "type"), `${path}.type`, HOST_PATH_TYPES)];
}

function gitRepoErrors(source: JsonObject, path: string): readonly FieldError[] {
  const errors = str(source, "repository") === "" ? [required(`${path}.repository`)] : [];
  return [...errors, ...localPathErrors(str(source, "directory"), `${path}.directory`)];
}

/** An NFS export, also of a PersistentVolume. */
export function nfsErrors(source: JsonObject, path: string): readonly FieldError[] {
  const target = str(source, "path");
  return [
    ...(str(source, "server") === "" ? [required(`${path}.server`)] : []),
    ...(target === "" ? [required(`${path}.path`)] : []),
    ...(target.startsWith("/") ? [] : [invalid(`${path}.path`, target, "must be an absolute path")]),
  ];
}

function modeErrors(source: JsonObject, key: string, path: string): readonly FieldError[] {
  const mode = num(source, key);
  return mode < 0 || mode > 0o777
    ? [invalid(`${path}.${key}`, mode, "must be a number between 0 and 0777 (octal), both inclusive")]
    : [];
}

function itemErrors(source: JsonObject, path: string): readonly FieldError[] {
  return objs(source, "items").flatMap((item, i) => {
    const at = `${path}.items[${i}]`;
    return [
      ...(str(item, "key") === "" ? [required(`${at}.key`)] : []),
      ...(str(item, "path") === "" ? [required(`${at}.path`)] : []),
      ...localPathErrors(str(item, "path"), `${at}.path`),
      ...modeErrors(item, "mode", at),
    ];
  });
}

function secretErrors(source: JsonObject, path: string): readonly FieldError[] {
  const missing = str(source, "secretName") === "" ? [required(`${path}.secretName`)] : [];
  return [...missing, ...modeErrors(source, "defaultMode", path), ...itemErrors(source, path)];
}

function configMapErrors(source: JsonObject, path: string): readonly FieldError[] {
  const missing = str(source, "name") === "" ? [required(`${path}.name`)] : [];
  return [...missing, ...modeErrors(source, "defaultMode", path), ...itemErrors(source, path)];
}

function downwardErrors(source: JsonObject, path: string): readonly FieldError[] {
  return [
    ...modeErrors(source, "defaultMode", path),
    ...objs(source, "items").flatMap((file) => fileErrors(file, path)),
  ];
}

function fileErrors(file: JsonObject, path: string): readonly FieldError[] {
  const missing = str(file, "path") === "" ? [required(`${path}.path`)] : [];
  return [
    ...missing,
    ...localPathErrors(str(file, "path"), `${path}.path`),
    ...downwardFileErrors(file, path),
    ...modeErrors(file, "mode", path),
  ];
}

/** A relative path that does not leave its volume, and whose name is not reserved. */
export function localPathErrors(target: string, path: string): readonly FieldError[] {
  const errors = descendingPathErrors(target, path);
  const reserved = target.startsWith("..") && !target.startsWith("../") && target !== "..";
  return reserved ? [...errors, invalid(path, target, "must not start with '..'")] : errors;
}

export function descendingPathErrors(target: string, path: string): readonly FieldError[] {
  const absolute = target.startsWith("/") ? [invalid(path, target, "must be a relative path")] : [];
  return [...absolute, ...backstepErrors(target, path)];
}

export function backstepErrors(target: string, path: string): readonly FieldError[] {
  return target.split("/").includes("..") ? [invalid(path, target, "must not contain '..'")] : [];
}

function projectedErrors(projection: JsonObject, path: string): readonly FieldError[] {
  const paths = new Set<string>();
  const errors = objs(projection, "sources").flatMap((source, i) =>
    projectionErrors(source, { path, at: `${path}.sources[${i}]`, paths }),
  );
  return [...modeErrors(projection, "defaultMode", path), ...errors];
}

interface Projection {
  readonly path: string;
  readonly at: string;
  /** Paths that other sources have taken. */
  readonly paths: Set<string>;
}

function projectionErrors(source: JsonObject, place: Projection): readonly FieldError[] {
  const errors: FieldError[] = [];
  let sources = 0;
  for (const key of ["secret", "configMap"]) {
    const given = obj(source, key);
    if (given === undefined) continue;
    sources++;
    if (str(given, "name") === "") errors.push(required(`${place.at}.${key}.name`));
    errors.push(...itemErrors(given, `${place.at}.${key}`));
    errors.push(...objs(given, "items").flatMap((item) => clashErrors(str(item, "path"), place, str(given, "name"))));
  }
  const downward = obj(source, "downwardAPI");
  if (downward !== undefined) {
    sources++;
    for (const file of objs(downward, "items")) {
      errors.push(
        ...fileErrors(file, `${place.at}.downwardAPI`),
        ...clashErrors(str(file, "path"), place, str(file, "path")),
      );
    }
  }
  const token = obj(source, "serviceAccountToken");
  if (token !== undefined) {
    sources++;
    errors.push(...tokenErrors(token, place));
  }
  for (const key of ["clusterTrustBundle", "podCertificate"]) if (has(source, key)) sources++;
  return sources > 1 ? [...errors, forbidden(place.at, "may not specify more than 1 volume type per source")] : errors;
}

function clashErrors(target: string, { path, paths }: Projection, value: string): readonly FieldError[] {
  if (target === "") return [];
  if (paths.has(target)) return [invalid(path, value, "conflicting duplicate paths")];
  paths.add(target);
  return [];
}

function tokenErrors(token: JsonObject, { path, at: source }: Projection): readonly FieldError[] {
  const seconds = num(token, "expirationSeconds");
  const where = `${source}.serviceAccountToken.expirationSeconds`;
  const target = str(token, "path");
  return [
    ...(seconds < 600 ? [invalid(where, seconds, "may not specify a duration less than 10 minutes")] : []),
    ...(seconds > 2 ** 32 ? [invalid(where, seconds, "may not specify a duration larger than 2^32 seconds")] : []),
    ...(target === "" ? [required(`${path}.path`)] : localPathErrors(target, `${path}.path`)),
  ];
}

/** The name of a CSI driver. */
export function csiDriverNameErrors(name: string, path: string): readonly FieldError[] {
  if (name === "") return [required(path)];
  const errors = byteLength(name) > 63 ? [tooLong(path, 63)] : [];
  return [...errors, ...invalidEach(path, name, isDns1123Subdomain(name.toLowerCase()))];
}

function csiErrors(source: JsonObject, path: string): readonly FieldError[] {
  const errors = csiDriverNameErrors(str(source, "driver"), `${path}.driver`);
  const reference = obj(source, "nodePublishSecretRef");
  if (reference === undefined) return errors;
  const name = str(reference, "name");
  return [
    ...errors,
    ...(name === ""
      ? [required(`${path}.nodePublishSecretRef.name`)]
      : invalidEach(`${path}.name`, name, isDns1123Subdomain(name))),
  ];
}

function ephemeralErrors(source: JsonObject, path: string): readonly FieldError[] {
  const template = obj(source, "volumeClaimTemplate");
  if (template === undefined) return [required(`${path}.volumeClaimTemplate`)];
  return claimSpecErrors(at(template, "spec"), `${path}.volumeClaimTemplate.spec`);
}

function imageErrors(source: JsonObject, path: string, pod: boolean): readonly FieldError[] {
  const policy = str(source, "pullPolicy");
  const policies = ["Always", "IfNotPresent", "Never"];
  return [
    ...(pod && str(source, "reference") === "" ? [required(`${path}.reference`)] : []),
    ...requiredOneOf(policy, `${path}.pullPolicy`, policies),
  ];
}

/** A qualified name at a path. */
export function qualifiedNameErrors(name: string, path: string): readonly FieldError[] {
  return invalidEach(path, name, isQualifiedName(name));
}

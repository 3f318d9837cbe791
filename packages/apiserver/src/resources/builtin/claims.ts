// PersistentVolumeClaim (k/k: ValidatePersistentVolumeClaimUpdate, pkg/registry/core/persistentvolumeclaim).
import {
  compareQuantities,
  FIELD_IS_IMMUTABLE,
  findQuantity,
  forbidden,
  invalid,
  invalidEach,
  isNativeResource,
  isQualifiedName,
  nameIsDnsSubdomain,
  notSupported,
  parseQuantity,
  quantityValue,
  required,
  sameValue,
  type FieldError,
} from "@fairlead/apimachinery";
import { deepEqual, getOwn, type JsonObject, type JsonValue, type MutableJsonObject } from "@fairlead/base";
import type { ResourceStrategy } from "../resource.js";
import { at, entries, has, obj, str, strs } from "./access.js";
import { claimSpecErrors } from "./claim-rules.js";
import { persistentVolume } from "./persistent-volumes.js";
import { claimWarnings } from "./pod-warnings.js";
import { builtinStrategy } from "./strategy.js";
import { textDiff } from "./text-diff.js";

/** The strategies of these kinds. */
export function volumeStrategies(): readonly ResourceStrategy[] {
  return [persistentVolume(), claim()];
}

const BETA_CLASS = "volume.beta.kubernetes.io/storage-class";
const FIXED_SPEC =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
const RESIZE_STATES: readonly string[] = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
];

function claim(): ResourceStrategy {
  return builtinStrategy("/v1/PersistentVolumeClaim", {
    validateName: nameIsDnsSubdomain,
    prepareForCreate: (object) => {
      object["status"] = { phase: "Pending" };
      unifySources(object, undefined);
    },
    prepareForUpdate: unifySources,
    validateCreate: (object) => claimSpecErrors(at(object, "spec"), "spec"),
    validateUpdate: (object, live) => [...claimSpecErrors(at(object, "spec"), "spec"), ...changeErrors(object, live)],
    validateStatusUpdate: statusErrors,
    warnings: (object) => {
      const beta = has(at(object, "metadata", "annotations"), BETA_CLASS);
      const text = `metadata.annotations[${BETA_CLASS}]: deprecated since v1.8; use "storageClassName" attribute instead`;
      return [...(beta ? [text] : []), ...claimWarnings(at(object, "spec"), "spec")];
    },
    selectableFields: new Map([["name", (object) => str(at(object, "metadata"), "name")]]),
  });
}

/**
 * Where a claim's data comes from stands in two fields, an old and a new one; one fills the other. It does not come from
 * other namespaces.
 */
function unifySources(object: MutableJsonObject, live: JsonObject | undefined): void {
  const spec = { ...at(object, "spec") };
  const before = live === undefined ? undefined : at(live, "spec");
  const foreign = str(obj(spec, "dataSourceRef"), "namespace") !== "" && !has(before, "dataSourceRef");
  if (foreign) {
    delete spec["dataSourceRef"];
    object["spec"] = spec;
  }
  const source = obj(spec, "dataSource");
  const reference = obj(spec, "dataSourceRef");
  const kept = has(before, "dataSource") || has(before, "dataSourceRef");
  if (source !== undefined && reference === undefined) {
    if (!kept && !isKnownSource(source)) delete spec["dataSource"];
    else spec["dataSourceRef"] = source;
  } else if (source === undefined && reference !== undefined && str(reference, "namespace") === "") {
    const { namespace: _none, ...rest } = reference;
    spec["dataSource"] = rest;
  } else return;
  object["spec"] = spec;
}

function isKnownSource(source: JsonObject): boolean {
  const group = str(source, "apiGroup");
  if (str(source, "kind") === "PersistentVolumeClaim") return group === "";
  return str(source, "kind") === "VolumeSnapshot" && group === "snapshot.storage.k8s.io";
}

function sizeOf(holder: JsonObject): string {
  return str(holder, "storage") || "0";
}

function changeErrors(object: JsonObject, live: JsonObject): readonly FieldError[] {
  const spec = at(object, "spec");
  const before = at(live, "spec");
  const status = at(live, "status");
  const errors: FieldError[] = [];
  const { after, old, annotationErrors } = comparable(object, live);
  errors.push(...annotationErrors);
  if (!deepEqual(after, old)) errors.push(forbidden("spec", `${FIXED_SPEC}\n${textDiff(old, after)}`));
  const [size, oldSize] = [spec, before].map((each) => parseQuantity(sizeOf(at(each, "resources", "requests"))));
  const real = parseQuantity(sizeOf(at(status, "capacity")));
  if (
    size !== undefined &&
    oldSize !== undefined &&
    compareQuantities(size, oldSize) < 0 &&
    compareQuantities(size, real) <= 0
  ) {
    errors.push(forbidden("spec.resources.requests.storage", "field can not be less than status.capacity"));
  }
  if (!sameValue(getOwn(spec, "volumeMode"), getOwn(before, "volumeMode")))
    errors.push(invalid("volumeMode", getOwn(spec, "volumeMode") ?? null, FIELD_IS_IMMUTABLE));
  return [...errors, ...attributesErrors(spec, before, status)];
}

interface Comparable {
  readonly after: JsonObject;
  readonly old: JsonObject;
  readonly annotationErrors: readonly FieldError[];
}

/** Both specs with the changes taken out that are allowed. */
function comparable(object: JsonObject, live: JsonObject): Comparable {
  const after: MutableJsonObject = { ...at(object, "spec") };
  const old: MutableJsonObject = { ...at(live, "spec") };
  const annotations = at(object, "metadata", "annotations");
  const beta = at(live, "metadata", "annotations");
  if (str(old, "volumeName") === "" && has(after, "volumeName")) old["volumeName"] = str(after, "volumeName");
  let annotationErrors: readonly FieldError[] = [];
  const named = has(after, "storageClassName") && !has(old, "storageClassName");
  const class_ = str(after, "storageClassName");
  const fromAnnotation =
    has(beta, BETA_CLASS) &&
    named &&
    class_ === str(beta, BETA_CLASS) &&
    (!has(annotations, BETA_CLASS) || str(annotations, BETA_CLASS) === str(beta, BETA_CLASS));
  if (fromAnnotation) delete after["storageClassName"];
  else {
    const same = str(annotations, BETA_CLASS) === str(beta, BETA_CLASS);
    if (!same)
      annotationErrors = [
        invalid(`metadata.annotations.${BETA_CLASS}`, str(annotations, BETA_CLASS), FIELD_IS_IMMUTABLE),
      ];
    if (named && (!has(beta, BETA_CLASS) || class_ === str(beta, BETA_CLASS))) delete after["storageClassName"];
  }
  if (str(at(live, "status"), "phase") === "Bound") {
    for (const key of ["volumeAttributesClassName"]) restore(after, old, key);
    const resources: MutableJsonObject = { ...at(after, "resources") };
    if (has(resources, "requests")) {
      const requests: MutableJsonObject = { ...at(resources, "requests") };
      restore(requests, at(old, "resources", "requests"), "storage");
      resources["requests"] = requests;
      after["resources"] = resources;
    }
  }
  return { after, old, annotationErrors };
}

function restore(object: MutableJsonObject, from: JsonObject, key: string): void {
  const value = getOwn(from, key);
  if (value === undefined) delete object[key];
  else object[key] = value;
}

function attributesErrors(spec: JsonObject, before: JsonObject, status: JsonObject): readonly FieldError[] {
  const key = "volumeAttributesClassName";
  if (
    deepEqual(getOwn(spec, key) ?? null, getOwn(before, key) ?? null) ||
    !has(status, "currentVolumeAttributesClassName")
  )
    return [];
  const when = "is forbidden when status.currentVolumeAttributesClassName is not nil";
  if (!has(spec, key)) return [forbidden(`spec.${key}`, `update to nil ${when}`)];
  return str(spec, key) === "" ? [forbidden(`spec.${key}`, `update to empty string ${when}`)] : [];
}

function statusErrors(object: JsonObject): readonly FieldError[] {
  const status = at(object, "status");
  const errors: FieldError[] =
    strs(at(object, "spec"), "accessModes").length === 0 ? [required("Spec.accessModes")] : [];
  for (const [name, value] of entries(status, "capacity"))
    errors.push(...amountErrors(value, `status.capacity[${name}]`));
  for (const [name, value] of entries(status, "allocatedResourceStatuses")) {
    errors.push(...resourceKeyErrors(name, "status.allocatedResourceStatuses"));
    if (!RESIZE_STATES.includes(String(value)))
      errors.push(notSupported("status.allocatedResourceStatuses", name, [...RESIZE_STATES].sort()));
  }
  for (const [name, value] of entries(status, "allocatedResources")) {
    const wrong = resourceKeyErrors(name, "status.allocatedResources");
    errors.push(...wrong, ...(wrong.length > 0 ? [] : amountErrors(value, `status.allocatedResources[${name}]`)));
  }
  return errors;
}

function amountErrors(value: JsonValue, path: string): readonly FieldError[] {
  const quantity = findQuantity(String(value));
  return quantity !== undefined && quantity.mantissa < 0n
    ? [invalid(path, quantityValue(quantity), "must be a valid resource quantity")]
    : [];
}

/** Of Kubernetes' own resources a claim has storage alone. */
function resourceKeyErrors(name: string, path: string): readonly FieldError[] {
  const errors = invalidEach(path, name, isQualifiedName(name));
  if (errors.length > 0 || !isNativeResource(name) || name === "storage") return errors;
  return [notSupported(path, name, ["storage"])];
}

// The spec of a PersistentVolumeClaim, wherever it stands (k/k: ValidatePersistentVolumeClaimSpec).
import {
  findQuantity,
  forbidden,
  invalid,
  invalidEach,
  isDns1123Label,
  isDns1123Subdomain,
  notSupported,
  required,
  validateLabelSelector,
  type FieldError,
} from "@fairlead/apimachinery";
import { getOwn, type JsonObject } from "@fairlead/base";
import { at, has, obj, str, strs } from "./access.js";

export const ACCESS_MODES: readonly string[] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
export const VOLUME_MODES: readonly string[] = ["Block", "Filesystem"];

/** What is wrong with the spec of a claim. */
export function claimSpecErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const modes = strs(spec, "accessModes");
  if (modes.length === 0) errors.push(required(`${path}.accessModes`, "at least 1 access mode is required"));
  errors.push(
    ...validateLabelSelector(obj(spec, "selector"), `${path}.selector`),
    ...accessModeErrors(modes, `${path}.accessModes`),
  );
  errors.push(...storageErrors(spec, `${path}.resources`));
  if (has(spec, "storageClassName") && str(spec, "storageClassName") !== "") {
    const name = str(spec, "storageClassName");
    errors.push(...invalidEach(`${path}.storageClassName`, name, isDns1123Subdomain(name)));
  }
  const mode = str(spec, "volumeMode");
  if (has(spec, "volumeMode") && !VOLUME_MODES.includes(mode))
    errors.push(notSupported(`${path}.volumeMode`, mode, VOLUME_MODES));
  for (const key of ["dataSource", "dataSourceRef"])
    if (has(spec, key)) errors.push(...sourceErrors(at(spec, key), `${path}.${key}`));
  errors.push(...bothSourcesErrors(spec, path));
  if (str(spec, "volumeAttributesClassName") !== "") {
    const name = str(spec, "volumeAttributesClassName");
    errors.push(...invalidEach(`${path}.volumeAttributesClassName`, name, isDns1123Subdomain(name)));
  }
  return errors;
}

/** Access modes that there are; ReadWriteOncePod goes with no other. */
export function accessModeErrors(modes: readonly string[], path: string): readonly FieldError[] {
  const errors = modes
    .filter((mode) => !ACCESS_MODES.includes(mode))
    .map((mode) => notSupported(path, mode, ACCESS_MODES));
  const exclusive =
    modes.includes("ReadWriteOncePod") &&
    modes.some((mode) => mode !== "ReadWriteOncePod" && ACCESS_MODES.includes(mode));
  return exclusive ? [...errors, forbidden(path, "may not use ReadWriteOncePod with other access modes")] : errors;
}

function storageErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const requests = at(spec, "resources", "requests");
  if (!has(requests, "storage")) return [required(`${path}[storage]`)];
  const text = str(requests, "storage");
  const quantity = findQuantity(text);
  return quantity === undefined || quantity.mantissa > 0n
    ? []
    : [invalid(`${path}[storage]`, text, "must be greater than zero")];
}

function sourceErrors(source: JsonObject, path: string): readonly FieldError[] {
  const group = str(source, "apiGroup");
  const errors: FieldError[] = [];
  if (str(source, "name") === "") errors.push(required(`${path}.name`));
  if (str(source, "kind") === "") errors.push(required(`${path}.kind`));
  if (group === "" && str(source, "kind") !== "PersistentVolumeClaim")
    errors.push(
      invalid(path, str(source, "kind"), "must be 'PersistentVolumeClaim' when referencing the default apiGroup"),
    );
  if (group !== "") errors.push(...invalidEach(`${path}.apiGroup`, group, isDns1123Subdomain(group)));
  const namespace = str(source, "namespace");
  if (namespace !== "") errors.push(...invalidEach(`${path}.namespace`, namespace, isDns1123Label(namespace)));
  return errors;
}

/** The old and the new field say the same, but where the new one says what the old one cannot. */
function bothSourcesErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const source = obj(spec, "dataSource");
  const reference = obj(spec, "dataSourceRef");
  if (source === undefined || reference === undefined) return [];
  if (str(reference, "namespace") !== "")
    return [invalid(path, {}, "may not be specified when dataSourceRef.namespace is specified")];
  const same =
    (getOwn(source, "apiGroup") ?? null) === (getOwn(reference, "apiGroup") ?? null) &&
    ["kind", "name"].every((key) => str(source, key) === str(reference, key));
  return same ? [] : [invalid(path, {}, "must match dataSourceRef")];
}

// PersistentVolumeClaims as quotas measure them (k/k: pkg/quota/v1/evaluator/core/persistent_volume_claims.go).
import { getPath, isObject, type JsonObject } from "@fairlead/base";

import { quantityValue, type Quantity } from "../validation/quantity.js";
import { amountsIn, mostAmounts, numberOf, type Amounts } from "./amounts.js";
import { countName } from "./counts.js";
import type { QuotaEvaluator } from "./evaluator.js";
import { matchesScope } from "./scopes.js";

const COUNT = countName("", "persistentvolumeclaims");
const NAMES: readonly string[] = ["persistentvolumeclaims", "requests.storage"];
const BY_CLASS = ".storageclass.storage.k8s.io/";
const CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

export const claimEvaluator: QuotaEvaluator = {
  counts: (name) => name === COUNT || NAMES.includes(name) || NAMES.some((each) => name.endsWith(BY_CLASS + each)),
  usage: (claim) => claimUsage(claim),
  inScope: (claim, scope) =>
    scope.scopeName === "VolumeAttributesClass" && matchesScope(scope, attributesClasses(claim)),
  updates: new Set(["", "status"]),
};

function claimUsage(claim: JsonObject): Amounts {
  const used = new Map<string, Quantity>([[NAMES[0] ?? "", numberOf(1)]]);
  const storage = storageOf(claim);
  if (storage !== undefined) used.set("requests.storage", storage);
  const name = classOf(claim);
  const ofClass = name === "" ? [] : [...used].map(([each, amount]) => [`${name}${BY_CLASS}${each}`, amount] as const);
  return new Map([...used, ...ofClass, [COUNT, numberOf(1)]]);
}

/** What is asked for, or was already allocated where that is more; whole bytes. */
function storageOf(claim: JsonObject): Quantity | undefined {
  const resources = getPath(claim, "spec", "resources");
  const asked = isObject(resources) ? amountsIn(resources, "requests") : undefined;
  if (asked?.has("storage") !== true) return undefined;
  const status = getPath(claim, "status");
  const allocated = isObject(status) ? amountsIn(status, "allocatedResources") : new Map<string, Quantity>();
  const most = mostAmounts(asked, allocated).get("storage");
  if (most === undefined || most.exponent >= 0) return most;
  return { mantissa: quantityValue(most), exponent: 0, format: most.format };
}

function classOf(claim: JsonObject): string {
  const annotated = getPath(claim, "metadata", "annotations", CLASS_ANNOTATION);
  const name = annotated ?? getPath(claim, "spec", "storageClassName");
  return typeof name === "string" ? name : "";
}

/** The attributes classes that a claim has, wants, or is on the way to. */
function attributesClasses(claim: JsonObject): readonly string[] {
  return [
    getPath(claim, "spec", "volumeAttributesClassName"),
    getPath(claim, "status", "currentVolumeAttributesClassName"),
    getPath(claim, "status", "modifyVolumeStatus", "targetVolumeAttributesClassName"),
  ].filter((name): name is string => typeof name === "string" && name !== "");
}

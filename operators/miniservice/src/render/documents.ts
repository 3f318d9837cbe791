import { byCodeUnit, getOwn, isObject, stringifyJson, type JsonObject } from "@fairlead/base";
import { formatGvk, parseGroupVersion, type GroupVersionKind } from "@fairlead/apimachinery";

import type { RenderedResource } from "../api.js";
import { controlConfig, isControlConfigMap, type ControlConfig } from "../workload-config.js";

/** A rendered chart, taken apart: what is applied, and what the control ConfigMap says. */
export type Documents =
  | {
      readonly kind: "decoded";
      readonly objects: readonly JsonObject[];
      readonly control: ControlConfig & { readonly kind: "decoded" };
      readonly resources: readonly RenderedResource[];
    }
  | { readonly kind: "invalid"; readonly message: string };

/** Checks that everything rendered is an API object, and takes the control ConfigMap out. */
export function documentsOf(rendered: readonly JsonObject[]): Documents {
  for (const [index, object] of rendered.entries()) {
    const problem = problemOf(object);
    if (problem !== undefined) return { kind: "invalid", message: `rendered object ${index}: ${problem}` };
  }
  const control = controlConfig(rendered.filter(isControlConfigMap));
  if (control.kind === "invalid") return { kind: "invalid", message: control.message };
  const objects = rendered.filter((object) => !isControlConfigMap(object));
  return { kind: "decoded", objects, control, resources: resourcesOf(objects) };
}

function problemOf(object: JsonObject): string | undefined {
  if (typeof object["apiVersion"] !== "string" || object["apiVersion"] === "") return "apiVersion is missing";
  if (typeof object["kind"] !== "string" || object["kind"] === "") return "kind is missing";
  if (nameOf(object) === "") return `${String(object["kind"])} has no metadata.name`;
  return undefined;
}

export function gvkOf(object: JsonObject): GroupVersionKind {
  const gv = parseGroupVersion(String(object["apiVersion"])) ?? { group: "", version: String(object["apiVersion"]) };
  return { ...gv, kind: String(object["kind"]) };
}

export function nameOf(object: JsonObject): string {
  const metadata = object["metadata"];
  const name = isObject(metadata) ? getOwn(metadata, "name") : undefined;
  return typeof name === "string" ? name : "";
}

export function namespaceOf(object: JsonObject): string {
  const metadata = object["metadata"];
  const namespace = isObject(metadata) ? getOwn(metadata, "namespace") : undefined;
  return typeof namespace === "string" ? namespace : "";
}

/** `apps/v1, Kind=Deployment`; the core group as `/v1, Kind=Pod`, as Go prints it. */
export function gvkText(gvk: GroupVersionKind): string {
  return gvk.group === "" ? `/${formatGvk(gvk)}` : formatGvk(gvk);
}

/** How many of each kind, sorted by kind. */
function resourcesOf(objects: readonly JsonObject[]): readonly RenderedResource[] {
  const counts = new Map<string, number>();
  for (const object of objects) {
    const gvk = gvkText(gvkOf(object));
    counts.set(gvk, (counts.get(gvk) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => byCodeUnit(a, b)).map(([gvk, count]) => ({ gvk, count }));
}

const FIRST = new Set([
  "Namespace",
  "CustomResourceDefinition",
  "PriorityClass",
  "StorageClass",
  "IngressClass",
  "RuntimeClass",
]);
const EARLY = new Set([
  "ServiceAccount",
  "Service",
  "Secret",
  "ConfigMap",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "Role",
  "ClusterRole",
  "RoleBinding",
  "ClusterRoleBinding",
]);
const LATE = new Set(["Pod", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob"]);

/** Objects in the order in which they are applied: what others need comes first. Stable within a weight. */
export function inApplyOrder(objects: readonly JsonObject[]): readonly JsonObject[] {
  const weight = (o: JsonObject): number => {
    const kind = String(o["kind"]);
    return FIRST.has(kind) ? 0 : EARLY.has(kind) ? 1 : LATE.has(kind) ? 3 : 2;
  };
  return objects
    .map((object, i) => ({ object, i, weight: weight(object) }))
    .sort((a, b) => a.weight - b.weight || a.i - b.i)
    .map(({ object }) => object);
}

/** Canonical text of a render, for its digest. */
export function renderText(objects: readonly JsonObject[]): string {
  return stringifyJson(objects);
}

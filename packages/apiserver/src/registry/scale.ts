import { getOwn, getPath, isObject, setOwn, type JsonObject, type JsonValue, type MutableJsonObject } from "@fairlead/base";
import { applyConfiguration, trackUpdate } from "@fairlead/ssa";

import type { ScalePaths } from "../resources/resource.js";
import { apiVersionOf, type Endpoint } from "./endpoint.js";
import { internalError, invalid, modified, notFound } from "./failures.js";
import { metadataOf, metaText } from "./metadata.js";
import { managerContext, type Registry } from "./registry.js";
import type { RequestContext, Target, WriteOptions } from "./request.js";
import { updateObject } from "./update.js";
import { storageKey } from "./endpoint.js";

/** The `autoscaling/v1` Scale of an object, read from the paths that its kind names. */
export function scaleOf(endpoint: Endpoint, object: JsonObject): JsonObject {
  const { scale, custom } = endpoint.strategy.info;
  if (scale === undefined) throw notFound(endpoint.strategy.info, metaText(object, "name"));
  const replicas = at(object, scale.specReplicas);
  if (custom && replicas === undefined) {
    throw internalError(`the spec replicas field ".${scale.specReplicas}" does not exist`);
  }
  const meta = metadataOf(object);
  const kept: MutableJsonObject = {};
  for (const key of ["creationTimestamp", "name", "namespace", "resourceVersion", "uid"]) if (meta[key] !== undefined) kept[key] = meta[key];
  const selector = selectorText(object, scale);
  return {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: kept,
    spec: replicas === undefined || replicas === 0 ? {} : { replicas },
    status: { replicas: at(object, scale.statusReplicas) ?? 0, ...(selector === "" ? {} : { selector }) },
  };
}

/** Reads the live object's Scale. */
export function getScale(registry: Registry, endpoint: Endpoint, target: Target): JsonObject {
  const record = registry.storage.get(endpoint.collection, storageKey(endpoint, target.namespace, target.name));
  if (record === undefined) throw notFound(endpoint.strategy.info, target.name);
  return scaleOf(endpoint, endpoint.convert(record.object, apiVersionOf(endpoint.strategy.info)));
}

export interface ScaleWrite {
  readonly target: Target;
  readonly options: WriteOptions;
  readonly context: RequestContext;
  /** The wanted Scale from the present one (PUT, PATCH), or what was applied. */
  readonly change:
    | { readonly kind: "update"; readonly next: (scale: JsonObject) => JsonObject }
    | { readonly kind: "apply"; readonly config: JsonObject; readonly force: boolean };
}

/** Writes `spec.replicas` of a Scale into the object that it scales. */
export async function writeScale(registry: Registry, endpoint: Endpoint, write: ScaleWrite): Promise<JsonObject> {
  const { info } = endpoint.strategy;
  const { scale } = info;
  if (scale === undefined) throw notFound(info, write.target.name);
  const { target, options, context, change } = write;
  const ssa = managerContext(registry, endpoint, "scale");
  const manager = options.fieldManager;
  const next = (live: JsonObject): JsonObject => {
    if (change.kind === "apply") {
      const config: MutableJsonObject = { apiVersion: apiVersionOf(info), kind: info.kind, metadata: { name: target.name } };
      const replicas = getPath(change.config, "spec", "replicas");
      const parent = replicas === undefined ? config : withPath(config, scale.specReplicas, replicas);
      return applyConfiguration(ssa, { live, config: parent, manager, force: change.force });
    }
    const scaled = change.next(scaleOf(endpoint, live));
    const version = metaText(scaled, "resourceVersion");
    if (version !== "" && version !== metaText(live, "resourceVersion")) throw modified(info, target.name);
    const replicas = getPath(scaled, "spec", "replicas") ?? 0;
    checkReplicas(target.name, replicas);
    return trackUpdate(ssa, { live, next: withPath(live, scale.specReplicas, replicas), manager });
  };
  const object = await updateObject(registry, endpoint, { target, options, context, next, via: change.kind === "apply" ? "apply" : "patch" });
  return scaleOf(endpoint, object);
}

function checkReplicas(name: string, replicas: JsonValue): void {
  if (typeof replicas === "number" && replicas >= 0) return;
  throw invalid({ group: "autoscaling", kind: "Scale" }, name, [
    { type: "FieldValueInvalid", field: "spec.replicas", badValue: replicas, detail: "must be greater than or equal to 0" },
  ]);
}

function at(object: JsonObject, path: string): JsonValue | undefined {
  return path === "" ? undefined : getPath(object, ...path.split("."));
}

/** A copy of the object with one member at a path set. */
function withPath(object: JsonObject, path: string, value: JsonValue): JsonObject {
  const [head = "", ...rest] = path.split(".");
  const out: MutableJsonObject = { ...object };
  const inner = getOwn(object, head);
  setOwn(out, head, rest.length === 0 ? value : withPath(isObject(inner) ? inner : {}, rest.join("."), value));
  return out;
}

/** Custom kinds keep the selector as text; built-in ones as a LabelSelector or a map. */
function selectorText(object: JsonObject, scale: ScalePaths): string {
  const selector = scale.labelSelector === undefined ? undefined : at(object, scale.labelSelector);
  if (typeof selector === "string") return selector;
  if (!isObject(selector)) return "";
  const labels = isObject(selector["matchLabels"]) ? selector["matchLabels"] : selector["matchExpressions"] === undefined ? selector : {};
  const parts = Object.keys(labels).map((k) => `${k}=${String(labels[k])}`);
  for (const e of (selector["matchExpressions"] ?? []) as readonly JsonObject[]) {
    const values = ((e["values"] ?? []) as readonly string[]).join(",");
    const key = String(e["key"]);
    if (e["operator"] === "In") parts.push(`${key} in (${values})`);
    else if (e["operator"] === "NotIn") parts.push(`${key} notin (${values})`);
    else if (e["operator"] === "Exists") parts.push(key);
    else parts.push(`!${key}`);
  }
  return parts.sort().join(",");
}

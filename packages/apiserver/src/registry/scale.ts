import {
  getOwn,
  getPath,
  isObject,
  setOwn,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";
import {
  applyConfiguration,
  DecodeError,
  fieldPath,
  parentManagedFields,
  scaleManagedFields,
  trackUpdate,
  type ReplicasPaths,
} from "@fairlead/ssa";

import type { ScalePaths } from "../resources/resource.js";
import { converted } from "./conversion.js";
import { apiVersionOf, storageKey, type Endpoint } from "./endpoint.js";
import { badRequest, conflict, internalError, invalid, notFound } from "./failures.js";
import { metadataOf, metaText, withMetadata } from "./metadata.js";
import { managerContext, type Registry } from "./registry.js";
import type { RequestContext, Target, WriteOptions } from "./request.js";
import { SCALE_ENDPOINT, SCALE_VERSION } from "./scale-endpoint.js";
import { updateObject } from "./update.js";

/**
 * The `autoscaling/v1` Scale of an object, read from the paths that its kind names.
 *
 * @param options.lenient - Whether a custom resource may be without replicas; otherwise that is a 500.
 */
export function scaleOf(
  endpoint: Endpoint,
  object: JsonObject,
  options: { readonly lenient?: boolean } = {},
): JsonObject {
  const { scale, custom } = endpoint.strategy.info;
  if (scale === undefined) throw notFound(endpoint.strategy.info, metaText(object, "name"));
  const replicas = at(object, scale.specReplicas);
  if (custom && replicas === undefined && options.lenient !== true) {
    throw internalError(`the spec replicas field ".${scale.specReplicas}" does not exist`);
  }
  const meta = metadataOf(object);
  const kept: MutableJsonObject = {};
  for (const key of ["creationTimestamp", "name", "namespace", "resourceVersion", "uid"])
    if (meta[key] !== undefined) kept[key] = meta[key];
  const selector = selectorText(object, scale);
  return {
    apiVersion: SCALE_VERSION,
    kind: "Scale",
    metadata: kept,
    spec: replicas === undefined || replicas === 0 ? {} : { replicas },
    status: { replicas: at(object, scale.statusReplicas) ?? 0, ...(selector === "" ? {} : { selector }) },
  };
}

/** Reads the live object's Scale. */
export async function getScale(registry: Registry, endpoint: Endpoint, target: Target): Promise<JsonObject> {
  const record = registry.storage.get(endpoint.collection, storageKey(endpoint, target.namespace, target.name));
  if (record === undefined) throw notFound(endpoint.strategy.info, target.name);
  return scaleOf(endpoint, await converted(endpoint, record.object, apiVersionOf(endpoint.strategy.info)));
}

export interface ScaleWrite {
  readonly target: Target;
  readonly options: WriteOptions;
  readonly context: RequestContext;
  /** The wanted Scale from the present one (PUT, PATCH), decoded, or what was applied. */
  readonly change:
    | { readonly kind: "update"; readonly next: (scale: JsonObject) => JsonObject }
    | { readonly kind: "apply"; readonly config: () => JsonObject; readonly force: boolean };
}

/**
 * Writes `spec.replicas` of a Scale into the object that it scales. Ownership is worked out on the Scale, with what the
 * parent knows of its replicas, and then brought back (apiserver: managedfields/scalehandler.go).
 */
export async function writeScale(registry: Registry, endpoint: Endpoint, write: ScaleWrite): Promise<JsonObject> {
  const { info } = endpoint.strategy;
  const { scale } = info;
  if (scale === undefined) throw notFound(info, write.target.name);
  const { target, options, context, change } = write;
  const ssa = {
    ...managerContext(registry, SCALE_ENDPOINT, "scale"),
    ...(info.custom ? { applyDefaults: refuseCustom } : {}),
  };
  const manager = options.fieldManager;
  const paths = replicasPaths(endpoint);
  const next = (live: JsonObject): JsonObject => {
    const before = liveScale(endpoint, live, paths);
    const wanted =
      change.kind === "apply"
        ? applyConfiguration(ssa, { live: before, config: change.config(), manager, force: change.force })
        : trackUpdate(ssa, { live: before, next: withoutZero(change.next(before)), manager });
    return withScale(endpoint, live, { scale: checkedScale(endpoint, target.name, wanted), paths });
  };
  const object = await updateObject(registry, endpoint, {
    target,
    options,
    context,
    next,
    via: change.kind === "apply" ? "apply" : "patch",
  });
  return scaleOf(endpoint, object, { lenient: true });
}

/** The real server cannot bring an applied Scale of a custom resource into form; other writes of it work. */
function refuseCustom(): never {
  throw new DecodeError(`request to convert CR to an invalid group/version: ${SCALE_VERSION}`);
}

/** The Go type leaves `replicas: 0` out, so scaling to 0 makes nobody the owner of the replicas. */
function withoutZero(scale: JsonObject): JsonObject {
  const spec = getOwn(scale, "spec");
  if (!isObject(spec) || getOwn(spec, "replicas") !== 0) return scale;
  const { replicas: _zero, ...rest } = spec;
  return { ...scale, spec: rest };
}

/** Stands for the replicas of a custom resource that has none (apiextensions: registry/customresource/etcd.go). */
const UNSET_REPLICAS = -(2 ** 31);

function liveScale(endpoint: Endpoint, live: JsonObject, paths: ReplicasPaths): JsonObject {
  const scale = scaleOf(endpoint, live, { lenient: true });
  const path = endpoint.strategy.info.scale?.specReplicas ?? "";
  const unset = endpoint.strategy.info.custom && at(live, path) === undefined;
  const managedFields = scaleManagedFields(metadataOf(live)["managedFields"], paths);
  return withMetadata(unset ? { ...scale, spec: { replicas: UNSET_REPLICAS } } : scale, { managedFields });
}

function checkedScale(endpoint: Endpoint, name: string, scale: JsonObject): JsonObject {
  const replicas = getPath(scale, "spec", "replicas") ?? 0;
  if (endpoint.strategy.info.custom && replicas === UNSET_REPLICAS) {
    throw badRequest(`the spec replicas field ".${endpoint.strategy.info.scale?.specReplicas ?? ""}" cannot be empty`);
  }
  const given = metaText(scale, "name");
  if (given !== name)
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  if (endpoint.strategy.info.custom || (typeof replicas === "number" && replicas >= 0)) return scale;
  throw invalid(SCALE_ENDPOINT.strategy.info, name, [
    {
      type: "FieldValueInvalid",
      field: "spec.replicas",
      badValue: replicas,
      detail: "must be greater than or equal to 0",
    },
  ]);
}

/** The parent with what a Scale says. Custom resources keep their version where the Scale names none. */
function withScale(
  endpoint: Endpoint,
  live: JsonObject,
  { scale, paths }: { readonly scale: JsonObject; readonly paths: ReplicasPaths },
): JsonObject {
  const { info } = endpoint.strategy;
  const uid = metaText(scale, "uid");
  if (!info.custom && uid !== "" && uid !== metaText(live, "uid")) {
    throw conflict(
      { group: info.group, resource: `${info.resource}/scale` },
      metaText(live, "name"),
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metaText(live, "uid")}`,
    );
  }
  const version = metaText(scale, "resourceVersion");
  const managedFields = parentManagedFields(metadataOf(live)["managedFields"], metadataOf(scale)["managedFields"], {
    paths,
    apiVersion: apiVersionOf(info),
  });
  const scaled = withPath(live, info.scale?.specReplicas ?? "", getPath(scale, "spec", "replicas") ?? 0);
  return withMetadata(scaled, {
    managedFields,
    ...(info.custom && version === "" ? {} : { resourceVersion: version }),
  });
}

/** Where each version of the parent has its replicas. */
function replicasPaths(endpoint: Endpoint): ReplicasPaths {
  return new Map(
    [...endpoint.versions].map(([apiVersion, { info }]) => {
      const path = info.scale?.specReplicas;
      return [apiVersion, path === undefined || path === "" ? undefined : fieldPath(...path.split("."))];
    }),
  );
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
  const labels = isObject(selector["matchLabels"])
    ? selector["matchLabels"]
    : selector["matchExpressions"] === undefined
      ? selector
      : {};
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

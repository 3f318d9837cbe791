import { getOwn, getPath, isArray, isObject, type JsonObject, type MutableJsonObject } from "@fairlead/base";

import { podSpecPath } from "./pod-policy.js";

/**
 * What the default policy changes of a chart: placement, identities and owners that the chart may not choose are taken
 * out, and security settings that are merely unset are set.
 */
const UNWANTED = ["nodeSelector", "nodeName", "serviceAccountName", "serviceAccount", "priorityClassName"];

export function sanitized(objects: readonly JsonObject[]): readonly JsonObject[] {
  return objects.map((object) => {
    const metadata = getOwn(object, "metadata");
    const { ownerReferences: _owners, ...kept } = isObject(metadata) ? metadata : {};
    const path = podSpecPath(String(object["kind"]));
    const fresh: JsonObject = { ...object, metadata: kept };
    return path === undefined ? fresh : changed(fresh, path, sanitizedPodSpec);
  });
}

function sanitizedPodSpec(spec: JsonObject): JsonObject {
  const out: MutableJsonObject = { ...spec };
  for (const key of UNWANTED) delete out[key];
  const affinity = getOwn(spec, "affinity");
  if (isObject(affinity)) {
    const { nodeAffinity: _node, ...rest } = affinity;
    if (Object.keys(rest).length === 0) delete out["affinity"];
    else out["affinity"] = rest;
  }
  if (getOwn(spec, "automountServiceAccountToken") === undefined) out["automountServiceAccountToken"] = false;
  for (const key of ["initContainers", "containers"]) {
    const containers = getOwn(spec, key);
    if (isArray(containers)) out[key] = containers.map((c) => (isObject(c) ? withoutEscalation(c) : c));
  }
  return out;
}

function withoutEscalation(container: JsonObject): JsonObject {
  const context = getOwn(container, "securityContext");
  if (getPath(container, "securityContext", "allowPrivilegeEscalation") !== undefined) return container;
  return { ...container, securityContext: { ...(isObject(context) ? context : {}), allowPrivilegeEscalation: false } };
}

/** A copy with the object at a path replaced. */
function changed(object: JsonObject, path: readonly string[], change: (at: JsonObject) => JsonObject): JsonObject {
  const [head, ...rest] = path;
  if (head === undefined) return change(object);
  const inner = getOwn(object, head);
  return isObject(inner) ? { ...object, [head]: changed(inner, rest, change) } : object;
}

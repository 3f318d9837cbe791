import { formatTime, getOwn, getPath, isArray, type JsonObject } from "@fairlead/base";

import type { Endpoint } from "../endpoint.js";
import { storageKey } from "../endpoint.js";
import { conflict, notFound, serverError } from "../failures.js";
import type { Registry } from "../registry.js";
import type { Target } from "../request.js";
import { storeObject } from "../store.js";

/** POST pods/binding: assigns a pod to a node, once. */
export async function bindPod(
  registry: Registry,
  pods: Endpoint,
  { target, binding, dryRun }: { target: Target; binding: JsonObject; dryRun: boolean },
): Promise<void> {
  const node = getPath(binding, "target", "name");
  const kind = getPath(binding, "target", "kind") ?? "";
  if (kind !== "" && kind !== "Node")
    throw serverError(`target.kind: Unsupported value: ${JSON.stringify(kind)}: supported values: "Node", "<empty>"`);
  if (typeof node !== "string" || node === "") throw serverError("target.name: Required value");
  const key = storageKey(pods, target.namespace, target.name);
  while (true) {
    const record = registry.storage.getForWrite(pods.collection, key);
    if (record === undefined) throw notFound(pods.strategy.info, target.name);
    const refuse = (why: string): Error => conflict({ group: "", resource: "pods/binding" }, target.name, why);
    const pod = record.object;
    const uid = getPath(binding, "metadata", "uid");
    if (typeof uid === "string" && uid !== "" && uid !== getPath(pod, "metadata", "uid"))
      throw refuse(
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${String(getPath(pod, "metadata", "uid"))}`,
      );
    if (getPath(pod, "metadata", "deletionTimestamp") !== undefined)
      throw refuse(`pod ${target.name} is being deleted, cannot be assigned to a host`);
    const assigned = getPath(pod, "spec", "nodeName");
    if (typeof assigned === "string" && assigned !== "")
      throw refuse(`pod ${target.name} is already assigned to node ${JSON.stringify(assigned)}`);
    if (dryRun) return;
    const bound = {
      ...pod,
      spec: { ...(pod["spec"] as JsonObject), nodeName: node },
      status: scheduled(pod, formatTime(registry.clock.now())),
    };
    const written = await storeObject(registry, pods, { key, expected: record.revision }, bound);
    if (written !== undefined) return;
  }
}

function scheduled(pod: JsonObject, now: string): JsonObject {
  const status = (getOwn(pod, "status") ?? {}) as JsonObject;
  const conditions = getOwn(status, "conditions");
  const others = isArray(conditions) ? conditions.filter((c) => (c as JsonObject)["type"] !== "PodScheduled") : [];
  return {
    ...status,
    conditions: [...others, { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: now }],
  };
}

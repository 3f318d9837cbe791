import { getPath, isArray, type JsonObject, type MutableJsonObject } from "@fairlead/base";

import type { Endpoint } from "../endpoint.js";
import { modified, notFound } from "../failures.js";
import { finalizersOf, isTerminating, metaText } from "../metadata.js";
import type { Registry } from "../registry.js";
import { storeObject, unstoreObject } from "../store.js";

/** PUT namespaces/finalize: sets `spec.finalizers`; a terminating namespace that nothing holds any more is removed. */
export async function finalizeNamespace(
  registry: Registry,
  namespaces: Endpoint,
  name: string,
  body: JsonObject,
): Promise<JsonObject> {
  while (true) {
    const record = registry.storage.getForWrite(namespaces.collection, name);
    if (record === undefined) throw notFound(namespaces.strategy.info, name);
    const version = metaText(body, "resourceVersion");
    if (version !== "" && version !== metaText(record.object, "resourceVersion"))
      throw modified(namespaces.strategy.info, name);
    const finalizers = getPath(body, "spec", "finalizers");
    const spec: MutableJsonObject = { ...(record.object["spec"] as JsonObject) };
    delete spec["finalizers"];
    const next = {
      ...record.object,
      spec: isArray(finalizers) && finalizers.length > 0 ? { ...spec, finalizers } : spec,
    };
    const free = isTerminating(next) && next.spec["finalizers"] === undefined && finalizersOf(next).length === 0;
    const written = free
      ? await unstoreObject(registry, namespaces, { key: name, expected: record.revision })
      : await storeObject(registry, namespaces, { key: name, expected: record.revision }, next);
    if (written !== undefined) return free ? next : written.object;
  }
}

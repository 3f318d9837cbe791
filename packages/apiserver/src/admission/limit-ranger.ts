import type { JsonObject } from "@fairlead/base";

import { forbidden } from "../registry/failures.js";
import type { Storage } from "../storage/storage.js";
import type { AdmissionPlugin, AdmissionRequest } from "./admission.js";
import { claimRefusals, limitsOf, podRefusals, withDefaultResources } from "./limit-rules.js";

/**
 * New pods get the default resources of their namespace's LimitRanges, and pods and claims that ask for too much or too
 * little are refused by the first that minds. Resources of a pod do not change later, so changes of pods are let through.
 */
export function limitRanger(storage: Storage): AdmissionPlugin {
  return {
    name: "LimitRanger",
    mutate: (request) => {
      const pod = limited(request) === "pods" ? request.object : undefined;
      if (pod === undefined) return undefined;
      const filled = rangesIn(storage, request).reduce(
        (each, range) => withDefaultResources(each, limitsOf(range)),
        pod,
      );
      return filled === pod ? undefined : filled;
    },
    validate: (request) => {
      const resource = limited(request);
      if (resource === undefined || request.object === undefined) return;
      const refusals = resource === "pods" ? podRefusals : claimRefusals;
      for (const range of rangesIn(storage, request)) {
        const found = [...new Set(refusals(request.object, limitsOf(range)))];
        if (found.length === 0) continue;
        const why = found.length === 1 ? (found[0] ?? "") : `[${found.join(", ")}]`;
        throw forbidden(request.endpoint.strategy.info, request.name, why);
      }
    },
  };
}

/** What LimitRanges have a say in, of a write. */
function limited({
  operation,
  endpoint,
  subresource,
}: AdmissionRequest): "pods" | "persistentvolumeclaims" | undefined {
  const { group, resource } = endpoint.strategy.info;
  if (group !== "" || subresource !== "" || operation === "DELETE") return undefined;
  if (resource === "pods") return operation === "CREATE" ? "pods" : undefined;
  return resource === "persistentvolumeclaims" ? resource : undefined;
}

function rangesIn(storage: Storage, { namespace }: AdmissionRequest): readonly JsonObject[] {
  return storage.list("/limitranges", { prefix: `${namespace ?? ""}/` }).map((record) => record.object);
}

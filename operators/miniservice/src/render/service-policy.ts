import { getPath, isArray, type JsonObject } from "@fairlead/base";

import { nameOf } from "./documents.js";

/** What the default policy asks of Services: reachable inside the cluster only. */
export function serviceProblems(objects: readonly JsonObject[]): readonly string[] {
  return objects
    .filter((o) => o["kind"] === "Service" && o["apiVersion"] === "v1")
    .flatMap((service) => {
      const at = `Service ${nameOf(service)}: `;
      const type = getPath(service, "spec", "type") ?? "ClusterIP";
      const external = getPath(service, "spec", "externalIPs");
      return [
        ...(type === "ClusterIP" ? [] : [`${at}type ${String(type)} is not allowed; use ClusterIP`]),
        ...(isArray(external) && external.length > 0 ? [`${at}externalIPs are not allowed`] : []),
      ];
    });
}


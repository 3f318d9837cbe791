import { getOwn, getPath, isArray, isObject, type JsonObject, type JsonValue } from "@fairlead/base";
import { labelSelectorOf, matchesLabels } from "@fairlead/apimachinery";

import { nameOf } from "./documents.js";
import { podSpecPath } from "./pod-policy.js";
import { isService, podLabels, selectorOf } from "./selectors.js";

/** The Service that calls come in by, as the request names it. */
export interface TargetService {
  readonly name: string;
  readonly port: number | undefined;
}

/** What the default policy asks of Services: reachable inside the cluster only. */
export function serviceProblems(objects: readonly JsonObject[]): readonly string[] {
  return objects.filter(isService).flatMap((service) => {
    const at = `Service ${nameOf(service)}: `;
    const type = getPath(service, "spec", "type") ?? "ClusterIP";
    const external = getPath(service, "spec", "externalIPs");
    return [
      ...(type === "ClusterIP" ? [] : [`${at}type ${String(type)} is not allowed; use ClusterIP`]),
      ...(isArray(external) && external.length > 0 ? [`${at}externalIPs are not allowed`] : []),
    ];
  });
}

/** Whether the Service that calls come in by is in the chart, has the port, and leads to a port of a pod. */
export function targetProblems(objects: readonly JsonObject[], { name, port }: TargetService): readonly string[] {
  const service = objects.find((o) => isService(o) && nameOf(o) === name);
  if (service === undefined)
    return [
      `Service ${name}: the chart has none of this name, and calls are to come in by it; set HELM_CHART_INFERENCE_SERVICE_NAME to a Service of the chart`,
    ];
  if (port === undefined) return [];
  const entry = objectsIn(getPath(service, "spec", "ports")).find((p) => p["port"] === port);
  if (entry === undefined) return [`Service ${name}: has no port ${port}; set INFERENCE_PORT to one of its ports`];
  const selector = selectorOf(service);
  if (selector === undefined) return [];
  const target = getOwn(entry, "targetPort") ?? port;
  const pods = objects.filter(
    (o) => podLabels(o) !== undefined && matchesLabels(labelSelectorOf({ matchLabels: selector }), podLabels(o)),
  );
  if (pods.flatMap(containerPorts).some((p) => p["containerPort"] === target || p["name"] === target)) return [];
  return [
    `Service ${name}: port ${port} leads to port ${String(target)} of the pods that it selects, and none of them has it; add it to a container's ports`,
  ];
}

function containerPorts(object: JsonObject): readonly JsonObject[] {
  const spec = getPath(object, ...(podSpecPath(String(object["kind"])) ?? []));
  return isObject(spec) ? objectsIn(spec["containers"]).flatMap((c) => objectsIn(c["ports"])) : [];
}

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}

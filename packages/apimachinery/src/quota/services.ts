// Services as quotas measure them (k/k: pkg/quota/v1/evaluator/core/services.go).
import { getOwn, getPath, isArray, isObject, type JsonObject } from "@fairlead/base";

import { numberOf, type Amounts } from "./amounts.js";
import { countName } from "./counts.js";
import type { QuotaEvaluator } from "./evaluator.js";

const COUNT = countName("", "services");
const NAMES: ReadonlySet<string> = new Set([COUNT, "services", "services.nodeports", "services.loadbalancers"]);

export const serviceEvaluator: QuotaEvaluator = {
  counts: (name) => NAMES.has(name),
  usage: (service) => serviceUsage(service),
  updates: new Set(["", "status"]),
};

/** Ports of a Service that will be given node ports count as if they had them. */
function serviceUsage(service: JsonObject): Amounts {
  const type = getPath(service, "spec", "type");
  const balanced = type === "LoadBalancer";
  const list = getPath(service, "spec", "ports");
  const ports = isArray(list) ? list.filter(isObject) : [];
  const given = ports.filter((port) => Number(getOwn(port, "nodePort") ?? 0) !== 0);
  const withheld = balanced && getPath(service, "spec", "allocateLoadBalancerNodePorts") === false;
  const nodePorts = withheld ? given.length : balanced || type === "NodePort" ? ports.length : 0;
  return new Map([
    [COUNT, numberOf(1)],
    ["services", numberOf(1)],
    ["services.loadbalancers", numberOf(balanced ? 1 : 0)],
    ["services.nodeports", numberOf(nodePorts)],
  ]);
}

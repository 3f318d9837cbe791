// Rows of Services, endpoints and Ingresses (k/k: pkg/printers/internalversion/printers.go).
import { byCodeUnit, type JsonObject, type JsonValue } from "@fairlead/base";
import type { StrategyContext } from "../resource.js";
import { at, has, num, obj, objs, str, strs } from "./access.js";
import { ageOf, nameCell } from "./cells.js";
import { labelsCell } from "./workload-cells.js";

/** Cells of a service. */
export function serviceCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(object, "spec");
  const ports = objs(spec, "ports").map((port) => {
    const node = num(port, "nodePort");
    return `${num(port, "port")}${node > 0 ? `:${node}` : ""}/${str(port, "protocol")}`;
  });
  return [
    nameCell(object),
    str(spec, "type"),
    strs(spec, "clusterIPs")[0] ?? "<none>",
    externalIpCell(object),
    ports.join(",") || "<none>",
    ageOf(object, context),
    labelsCell(spec, "selector"),
  ];
}

function externalIpCell(object: JsonObject): string {
  const spec = at(object, "spec");
  const external = strs(spec, "externalIPs");
  switch (str(spec, "type")) {
    case "ClusterIP":
    case "NodePort":
      return external.join(",") || "<none>";
    case "LoadBalancer":
      return [...balancerAddresses(at(object, "status", "loadBalancer")), ...external].join(",") || "<pending>";
    case "ExternalName":
      return str(spec, "externalName");
    default:
      return "<unknown>";
  }
}

/** Addresses of a load balancer, sorted. */
function balancerAddresses(status: JsonObject): readonly string[] {
  const found = objs(status, "ingress").map((ingress) => str(ingress, "ip") || str(ingress, "hostname"));
  return [...new Set(found.filter((address) => address !== ""))].sort(byCodeUnit);
}

/** At most `max` of a list, and how many more there are. */
function withMore(list: readonly string[], max: number): string {
  const shown = list.slice(0, max).join(",");
  return list.length > max ? `${shown} + ${list.length - max} more...` : shown;
}

/** The addresses of Endpoints. */
export function endpointsCell(object: JsonObject): string {
  const subsets = objs(object, "subsets");
  if (subsets.length === 0) return "<none>";
  const addresses = subsets.flatMap((subset) => {
    const ips = objs(subset, "addresses").map((address) => str(address, "ip"));
    const ports = objs(subset, "ports");
    if (ports.length === 0) return ips;
    return ports.flatMap((port) => ips.map((ip) => `${ip.includes(":") ? `[${ip}]` : ip}:${num(port, "port")}`));
  });
  return withMore(addresses, 3);
}

/** Cells of an endpoint slice. */
export function endpointSliceCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const ports = objs(object, "ports").map((port) =>
    has(port, "port") ? String(num(port, "port")) : has(port, "name") ? str(port, "name") : "*",
  );
  const addresses = objs(object, "endpoints").flatMap((endpoint) => strs(endpoint, "addresses"));
  return [
    nameCell(object),
    str(object, "addressType"),
    ports.length === 0 ? "<unset>" : withMore(ports, 3),
    addresses.length === 0 ? "<unset>" : withMore(addresses, 3),
    ageOf(object, context),
  ];
}

/** Cells of an ingress. */
export function ingressCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(object, "spec");
  const rules = objs(spec, "rules");
  const hosts = rules.map((rule) => str(rule, "host")).filter((host) => host !== "");
  const shown = hosts.slice(0, 3).join(",");
  return [
    nameCell(object),
    has(spec, "ingressClassName") ? str(spec, "ingressClassName") : "<none>",
    hosts.length === 0
      ? "*"
      : hosts.length > 3 || (hosts.length === 3 && rules.length > 3)
        ? `${shown} + ${rules.length - 3} more...`
        : shown,
    balancerAddresses(at(object, "status", "loadBalancer")).join(","),
    objs(spec, "tls").length > 0 ? "80, 443" : "80",
    ageOf(object, context),
  ];
}

/** An annotation, or `<unset>`. */
export function annotated(object: JsonObject, annotation: string): string {
  return str(at(object, "metadata", "annotations"), annotation) === "true"
    ? `${nameCell(object)} (default)`
    : nameCell(object);
}

/** Cells of an ingress class. */
export function ingressClassCells(object: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(object, "spec");
  const parameters = obj(spec, "parameters");
  const group = parameters !== undefined && has(parameters, "apiGroup") ? `.${str(parameters, "apiGroup")}` : "";
  return [
    annotated(object, "ingressclass.kubernetes.io/is-default-class"),
    str(spec, "controller"),
    parameters === undefined ? "<none>" : `${str(parameters, "kind")}${group}/${str(parameters, "name")}`,
    ageOf(object, context),
  ];
}

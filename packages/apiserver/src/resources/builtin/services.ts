// Service and Endpoints (k/k: pkg/registry/core/{service,endpoint}, pkg/api/service).
import {
  invalidEach,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isPortNumber,
  isQualifiedName,
  namePrefixRule,
  required,
  type FieldError,
} from "@fairlead/apimachinery";
import { deepEqual, getOwn, type JsonObject, type MutableJsonObject } from "@fairlead/base";
import type { ResourceStrategy } from "../resource.js";
import { at, has, num, obj, objs, str, strs } from "./access.js";
import { endpointIpErrors, legacyIpErrors } from "./address-rules.js";
import { cidrWarnings, ipWarnings } from "./ip-warnings.js";
import { requiredOneOf } from "./rules.js";
import {
  balancerStatusErrors,
  isExternal,
  isHeadless,
  needsHealthCheck,
  PROTOCOLS,
  serviceChangeErrors,
  serviceErrors,
} from "./service-rules.js";
import { builtinStrategy } from "./strategy.js";

/** The strategies of these kinds. */
export function serviceStrategies(): readonly ResourceStrategy[] {
  return [service(), endpoints()];
}

function service(): ResourceStrategy {
  return builtinStrategy("/v1/Service", {
    validateName: namePrefixRule(isDns1035Label),
    prepareForUpdate: carryOver,
    validateCreate: (object) => serviceErrors(object, undefined),
    validateUpdate: (object, live) => [...serviceChangeErrors(object, live), ...serviceErrors(object, live)],
    validateStatusUpdate: balancerStatusErrors,
    warnings: serviceWarnings,
    selectableFields: new Map([
      ["spec.clusterIP", (object) => str(obj(object, "spec"), "clusterIP")],
      ["spec.type", (object) => str(obj(object, "spec"), "type")],
    ]),
  });
}

/** Keeps the two forms of the address alike, and drops what the new type has no use for. */
function carryOver(object: MutableJsonObject, live: JsonObject): void {
  const spec: MutableJsonObject = { ...at(object, "spec") };
  const before = at(live, "spec");
  const same = (key: string): boolean => deepEqual(getOwn(spec, key) ?? null, getOwn(before, key) ?? null);
  if (!same("clusterIP") && same("clusterIPs")) {
    if (str(spec, "clusterIP") === "") delete spec["clusterIPs"];
    else spec["clusterIPs"] = [str(spec, "clusterIP")];
  } else if (same("clusterIP") && strs(spec, "clusterIPs").length === 0 && has(before, "clusterIPs"))
    spec["clusterIPs"] = [...strs(before, "clusterIPs")];
  if (str(before, "type") !== "ExternalName" && str(spec, "type") === "ExternalName") {
    if (same("clusterIP") && same("clusterIPs")) drop(spec, "clusterIP", "clusterIPs");
    for (const key of ["ipFamilies", "ipFamilyPolicy"]) if (same(key)) delete spec[key];
  }
  if (needsNodePorts(before) && !needsNodePorts(spec)) dropNodePorts(spec, before);
  const dropIf = (applied: boolean, applies: boolean, key: string): void => {
    if (applied && !applies && same(key)) delete spec[key];
  };
  dropIf(needsHealthCheck(before), needsHealthCheck(spec), "healthCheckNodePort");
  const [wasBalanced, isBalanced] = [before, spec].map((each) => str(each, "type") === "LoadBalancer");
  dropIf(wasBalanced === true, isBalanced === true, "allocateLoadBalancerNodePorts");
  dropIf(wasBalanced === true, isBalanced === true, "loadBalancerClass");
  dropIf(isExternal(before), isExternal(spec), "externalTrafficPolicy");
  object["spec"] = spec;
  if (isBalanced !== true && has(object, "status")) object["status"] = { ...at(object, "status"), loadBalancer: {} };
}

function drop(object: MutableJsonObject, ...keys: readonly string[]): void {
  for (const key of keys) delete object[key];
}

function needsNodePorts(spec: JsonObject): boolean {
  return str(spec, "type") === "NodePort" || str(spec, "type") === "LoadBalancer";
}

function dropNodePorts(spec: MutableJsonObject, before: JsonObject): void {
  const old = new Set(objs(before, "ports").map((port) => num(port, "nodePort")));
  const ports = objs(spec, "ports");
  if (!ports.every((port) => num(port, "nodePort") === 0 || old.has(num(port, "nodePort")))) return;
  spec["ports"] = ports.map(({ nodePort: _given, ...port }) => port);
}

function serviceWarnings(object: JsonObject): readonly string[] {
  const spec = at(object, "spec");
  const type = str(spec, "type");
  const headless = isHeadless(spec);
  const external = strs(spec, "externalIPs");
  const out: string[] = [];
  const hints = "service.kubernetes.io/topology-aware-hints";
  if (has(at(object, "metadata", "annotations"), hints))
    out.push(`annotation ${hints} is deprecated, please use service.kubernetes.io/topology-mode instead`);
  if (!headless && type !== "ExternalName")
    out.push(...strs(spec, "clusterIPs").flatMap((ip, i) => ipWarnings(ip, `spec.clusterIPs[${i}]`)));
  if (headless) {
    if (str(spec, "loadBalancerIP") !== "") out.push("spec.loadBalancerIP is ignored for headless services");
    if (external.length > 0) out.push("spec.externalIPs is ignored for headless services");
    if (str(spec, "sessionAffinity") !== "None") out.push("spec.SessionAffinity is ignored for headless services");
  }
  out.push(...external.flatMap((ip, i) => ipWarnings(ip, `spec.externalIPs[${i}]`)));
  if (external.length > 0 && !headless && type !== "ExternalName")
    out.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  if (str(spec, "loadBalancerIP") !== "") out.push(...ipWarnings(str(spec, "loadBalancerIP"), "spec.loadBalancerIP"));
  out.push(
    ...strs(spec, "loadBalancerSourceRanges").flatMap((range, i) =>
      cidrWarnings(range, `spec.loadBalancerSourceRanges[${i}]`),
    ),
  );
  if (type === "ExternalName" && external.length > 0)
    out.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (type !== "ExternalName" && str(spec, "externalName") !== "")
    out.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (str(spec, "trafficDistribution") === "PreferClose")
    out.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return out;
}

function endpoints(): ResourceStrategy {
  return builtinStrategy("/v1/Endpoints", {
    deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
    validateCreate: endpointsErrors,
    validateUpdate: (object, live) =>
      deepEqual(getOwn(object, "subsets") ?? null, getOwn(live, "subsets") ?? null) ? [] : endpointsErrors(object),
    warnings: (object) => {
      if (str(at(object, "metadata", "labels"), "endpoints.kubernetes.io/managed-by") === "endpoint-controller")
        return [];
      return objs(object, "subsets").flatMap((subset, i) =>
        ["addresses", "notReadyAddresses"].flatMap((key) =>
          objs(subset, key).flatMap((address, j) => ipWarnings(str(address, "ip"), `subsets[${i}].${key}[${j}].ip`)),
        ),
      );
    },
  });
}

function endpointsErrors(object: JsonObject): readonly FieldError[] {
  return objs(object, "subsets").flatMap((subset, i) => {
    const path = `subsets[${i}]`;
    const lists = ["addresses", "notReadyAddresses"];
    const ports = objs(subset, "ports");
    return [
      ...(lists.every((key) => objs(subset, key).length === 0)
        ? [required(path, "must specify `addresses` or `notReadyAddresses`")]
        : []),
      ...lists.flatMap((key) =>
        objs(subset, key).flatMap((address, j) => addressErrors(address, `${path}.${key}[${j}]`)),
      ),
      ...ports.flatMap((port, j) => endpointPortErrors(port, `${path}.ports[${j}]`, ports.length > 1)),
    ];
  });
}

function addressErrors(address: JsonObject, path: string): readonly FieldError[] {
  const ip = str(address, "ip");
  const hostname = str(address, "hostname");
  const node = str(address, "nodeName");
  return [
    ...legacyIpErrors(ip, `${path}.ip`),
    ...(hostname === "" ? [] : invalidEach(`${path}.hostname`, hostname, isDns1123Label(hostname))),
    ...(has(address, "nodeName") ? invalidEach(`${path}.nodeName`, node, isDns1123Subdomain(node)) : []),
    ...endpointIpErrors(ip, `${path}.ip`),
  ];
}

function endpointPortErrors(port: JsonObject, path: string, named: boolean): readonly FieldError[] {
  const name = str(port, "name");
  const number = num(port, "port");
  return [
    ...(name === ""
      ? named
        ? [required(`${path}.name`)]
        : []
      : invalidEach(`${path}.name`, name, isDns1123Label(name))),
    ...invalidEach(`${path}.port`, number, isPortNumber(number)),
    ...requiredOneOf(str(port, "protocol"), `${path}.protocol`, PROTOCOLS),
    ...(has(port, "appProtocol")
      ? invalidEach(`${path}.appProtocol`, str(port, "appProtocol"), isQualifiedName(str(port, "appProtocol")))
      : []),
  ];
}

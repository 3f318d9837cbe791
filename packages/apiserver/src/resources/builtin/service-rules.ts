// What a Service may look like (k/k: validateService and its helpers).
import {
  duplicate,
  FIELD_IS_IMMUTABLE,
  forbidden,
  invalid,
  invalidEach,
  isDns1123Label,
  isDns1123Subdomain,
  isPortName,
  isPortNumber,
  isQualifiedName,
  notSupported,
  parseIp,
  required,
  validateLabels,
  type FieldError,
} from "@fairlead/apimachinery";
import { deepEqual, getOwn, type JsonObject, type JsonValue } from "@fairlead/base";
import { at, has, num, obj, objs, str, strs } from "./access.js";
import { endpointIpErrors, legacyCidrErrors, legacyIpErrors } from "./address-rules.js";
import { oneOf, requiredOneOf } from "./rules.js";

export const PROTOCOLS: readonly string[] = ["SCTP", "TCP", "UDP"];
const TYPES: readonly string[] = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const POLICIES: readonly string[] = ["Cluster", "Local"];
const LONGEST_AFFINITY_SECONDS = 86_400;
const SOURCE_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges";

/** Whether a Service has no address of its own. */
export function isHeadless(spec: JsonObject): boolean {
  return str(spec, "type") === "ClusterIP" && str(spec, "clusterIP") === "None";
}

/** Whether a Service has no address, whatever its type may be. */
function hasNoAddress(spec: JsonObject): boolean {
  const ips = strs(spec, "clusterIPs");
  return ips.length === 1 && ips[0] === "None";
}

/** Whether a Service can be reached from outside. */
export function isExternal(spec: JsonObject): boolean {
  const type = str(spec, "type");
  return (
    type === "LoadBalancer" || type === "NodePort" || (type === "ClusterIP" && strs(spec, "externalIPs").length > 0)
  );
}

/** Whether a Service's load balancer must ask nodes for their health. */
export function needsHealthCheck(spec: JsonObject): boolean {
  return str(spec, "type") === "LoadBalancer" && str(spec, "externalTrafficPolicy") === "Local";
}

/** What is wrong with a Service; `live` keeps addresses valid that are stored already. */
export function serviceErrors(service: JsonObject, live: JsonObject | undefined): readonly FieldError[] {
  const spec = at(service, "spec");
  const before = live === undefined ? undefined : at(live, "spec");
  const ports = objs(spec, "ports");
  const type = str(spec, "type");
  return [
    ...hintErrors(at(service, "metadata", "annotations")),
    ...(ports.length === 0 && !hasNoAddress(spec) && type !== "ExternalName" ? [required("spec.ports")] : []),
    ...typeErrors(spec),
    ...portErrors(ports),
    ...validateLabels(obj(spec, "selector"), "spec.selector"),
    ...affinityErrors(spec),
    ...clusterIpErrors(spec, before),
    ...strs(spec, "externalIPs").flatMap((ip, i) =>
      externalIpErrors(ip, `spec.externalIPs[${i}]`, strs(before, "externalIPs")),
    ),
    ...requiredOneOf(type, "spec.type", TYPES),
    ...nodePortErrors(ports, type),
    ...sourceRangeErrors(service, before),
    ...loadBalancerErrors(spec),
    ...trafficErrors(spec),
  ];
}

function hintErrors(annotations: JsonObject): readonly FieldError[] {
  const [hints, mode] = ["service.kubernetes.io/topology-aware-hints", "service.kubernetes.io/topology-mode"] as const;
  if (!has(annotations, hints) || !has(annotations, mode) || str(annotations, hints) === str(annotations, mode))
    return [];
  return [
    invalid(
      `metadata.annotations[${mode}]`,
      str(annotations, mode),
      `must match annotations[${hints}] when both are specified`,
    ),
  ];
}

function typeErrors(spec: JsonObject): readonly FieldError[] {
  const type = str(spec, "type");
  if (type === "LoadBalancer" || type === "NodePort")
    return hasNoAddress(spec)
      ? [invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`)]
      : [];
  if (type !== "ExternalName") return [];
  const name = str(spec, "externalName").replace(/\.$/, "");
  const refused = ["clusterIPs", "ipFamilies"].filter((key) => strs(spec, key).length > 0);
  if (has(spec, "ipFamilyPolicy")) refused.push("ipFamilyPolicy");
  return [
    ...refused.map((key) => forbidden(`spec.${key}`, "may not be set for ExternalName services")),
    ...(name === ""
      ? [required("spec.externalName")]
      : invalidEach("spec.externalName", name, isDns1123Subdomain(name))),
  ];
}

function portErrors(ports: readonly JsonObject[]): readonly FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, i) => {
    const path = `spec.ports[${i}]`;
    const name = str(port, "name");
    const errors: FieldError[] =
      name === ""
        ? ports.length > 1
          ? [required(`${path}.name`)]
          : []
        : [...invalidEach(`${path}.name`, name, isDns1123Label(name))];
    if (name !== "" && names.has(name)) errors.push(duplicate(`${path}.name`, name));
    names.add(name);
    errors.push(...invalidEach(`${path}.port`, num(port, "port"), isPortNumber(num(port, "port"))));
    errors.push(
      ...requiredOneOf(str(port, "protocol"), `${path}.protocol`, PROTOCOLS),
      ...portOrNameErrors(getOwn(port, "targetPort"), `${path}.targetPort`),
    );
    if (has(port, "appProtocol"))
      errors.push(
        ...invalidEach(`${path}.appProtocol`, str(port, "appProtocol"), isQualifiedName(str(port, "appProtocol"))),
      );
    return errors;
  });
}

/** A port by number or name. */
export function portOrNameErrors(port: JsonValue | undefined, path: string): readonly FieldError[] {
  if (typeof port === "string") return invalidEach(path, port, isPortName(port));
  const number = Number(port ?? 0);
  return invalidEach(path, number, isPortNumber(number));
}

function affinityErrors(spec: JsonObject): readonly FieldError[] {
  const affinity = str(spec, "sessionAffinity");
  const errors = requiredOneOf(affinity, "spec.sessionAffinity", ["ClientIP", "None"]);
  const path = "spec.sessionAffinityConfig";
  const config = obj(spec, "sessionAffinityConfig");
  if (affinity === "None")
    return config === undefined
      ? errors
      : [...errors, forbidden(path, "must not be set when session affinity is None")];
  if (affinity !== "ClientIP") return errors;
  const client = obj(config, "clientIP");
  const why = "when session affinity type is ClientIP";
  if (config === undefined) return [...errors, required(path, why)];
  if (client === undefined) return [...errors, required(`${path}.clientIP`, why)];
  if (!has(client, "timeoutSeconds")) return [...errors, required(`${path}.clientIP.timeoutSeconds`, why)];
  const seconds = num(client, "timeoutSeconds");
  if (seconds > 0 && seconds <= LONGEST_AFFINITY_SECONDS) return errors;
  return [
    ...errors,
    invalid(
      `${path}.clientIP.timeoutSeconds`,
      seconds,
      `must be greater than 0 and less than ${LONGEST_AFFINITY_SECONDS}`,
    ),
  ];
}

function clusterIpErrors(spec: JsonObject, before: JsonObject | undefined): readonly FieldError[] {
  if (str(spec, "type") === "ExternalName") return [];
  const path = "spec.clusterIPs";
  const ips = strs(spec, "clusterIPs");
  const single = str(spec, "clusterIP");
  const errors: FieldError[] = [];
  if (single === "" && ips.length > 0)
    errors.push(invalid(path, [...ips], "must be empty when `clusterIP` is not specified"));
  if (single !== "" && ips.length === 0) errors.push(required(path));
  else if (single !== "" && ips[0] !== single)
    errors.push(invalid(path, [...ips], "first value must match `clusterIP`"));
  errors.push(...familyErrors(spec));
  const wrong = ips.flatMap((ip, i) => {
    if (i === 0 && ip === "None")
      return ips.length > 1 ? [invalid(path, [...ips], "'None' must be the first and only value")] : [];
    return legacyIpErrors(ip, `${path}[${i}]`, strs(before, "clusterIPs"));
  });
  errors.push(...wrong);
  if (ips.length > 2) errors.push(invalid(path, [...ips], "may only hold up to 2 values"));
  return wrong.length > 0 ? errors : [...errors, ...stackErrors(spec, ips, path)];
}

function familyErrors(spec: JsonObject): readonly FieldError[] {
  const families = strs(spec, "ipFamilies");
  const errors = families.flatMap((family, i) => {
    const path = `spec.ipFamilies[${i}]`;
    return [
      ...oneOf(family, path, ["IPv4", "IPv6"]),
      ...(families.indexOf(family) < i ? [duplicate(path, family)] : []),
    ];
  });
  const policy = str(spec, "ipFamilyPolicy");
  return has(spec, "ipFamilyPolicy")
    ? [...errors, ...oneOf(policy, "spec.ipFamilyPolicy", ["PreferDualStack", "RequireDualStack", "SingleStack"])]
    : errors;
}

function stackErrors(spec: JsonObject, ips: readonly string[], path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const bits = ips.map((ip) => parseIp(ip)?.bits);
  if (ips.length > 1 && new Set(bits).size === 1)
    errors.push(invalid(path, [...ips], "may specify no more than one IP for each IP family"));
  const families = strs(spec, "ipFamilies");
  if (hasNoAddress(spec)) return errors;
  for (const [i, ip] of ips.slice(0, families.length).entries()) {
    const family = families[i];
    const isV6 = bits[i] === 128;
    if ((family === "IPv4" || family === "IPv6") && isV6 !== (family === "IPv6"))
      errors.push(invalid(`${path}[${i}]`, ip, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``));
  }
  return errors;
}

function externalIpErrors(ip: string, path: string, existing: readonly string[]): readonly FieldError[] {
  const errors = legacyIpErrors(ip, path, existing);
  return errors.length > 0 ? errors : endpointIpErrors(ip, path);
}

function nodePortErrors(ports: readonly JsonObject[], type: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, port] of ports.entries()) {
    if (type === "ClusterIP" && num(port, "nodePort") !== 0)
      errors.push(forbidden(`spec.ports[${i}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
  }
  for (const [i, port] of ports.entries()) {
    const key = `${str(port, "protocol")}/${num(port, "nodePort")}`;
    if (num(port, "nodePort") !== 0 && seen.has(key))
      errors.push(duplicate(`spec.ports[${i}].nodePort`, num(port, "nodePort")));
    seen.add(key);
  }
  seen.clear();
  for (const [i, port] of ports.entries()) {
    const [protocol, number] = [str(port, "protocol"), num(port, "port")];
    const key = `${protocol}/${number}`;
    if (seen.has(key))
      errors.push(
        duplicate(`spec.ports[${i}]`, {
          Name: "",
          Protocol: protocol,
          AppProtocol: null,
          Port: number,
          TargetPort: 0,
          NodePort: 0,
        }),
      );
    seen.add(key);
  }
  return errors;
}

function sourceRangeErrors(service: JsonObject, before: JsonObject | undefined): readonly FieldError[] {
  const spec = at(service, "spec");
  const ranges = strs(spec, "loadBalancerSourceRanges").map((range) => range.trim());
  const balanced = str(spec, "type") === "LoadBalancer";
  const only = "may only be used when `type` is 'LoadBalancer'";
  if (ranges.length > 0) {
    const path = "spec.LoadBalancerSourceRanges";
    const existing = strs(before, "loadBalancerSourceRanges").map((range) => range.trim());
    return [
      ...(balanced ? [] : [forbidden(path, only)]),
      ...ranges.flatMap((range, i) => legacyCidrErrors(range, `${path}[${i}]`, existing)),
    ];
  }
  const annotations = at(service, "metadata", "annotations");
  if (!has(annotations, SOURCE_RANGES)) return [];
  const path = `metadata.annotations[${SOURCE_RANGES}]`;
  const listed = str(annotations, SOURCE_RANGES).trim();
  const wrong = listed === "" ? [] : listed.split(",").flatMap((range) => legacyCidrErrors(range.trim(), path));
  return [...(balanced ? [] : [forbidden(path, only)]), ...wrong];
}

function loadBalancerErrors(spec: JsonObject): readonly FieldError[] {
  const balanced = str(spec, "type") === "LoadBalancer";
  const only = "may only be used when `type` is 'LoadBalancer'";
  const allocates = has(spec, "allocateLoadBalancerNodePorts");
  return [
    ...(allocates && !balanced ? [forbidden("spec.allocateLoadBalancerNodePorts", only)] : []),
    ...(balanced && !allocates ? [required("allocateLoadBalancerNodePorts")] : []),
    ...loadBalancerClassErrors(spec),
  ];
}

/** A class of load balancers is a qualified name, and only for Services that have one. */
export function loadBalancerClassErrors(spec: JsonObject): readonly FieldError[] {
  if (!has(spec, "loadBalancerClass")) return [];
  const path = "spec.loadBalancerClass";
  if (str(spec, "type") !== "LoadBalancer") return [forbidden(path, "may only be used when `type` is 'LoadBalancer'")];
  return invalidEach(path, str(spec, "loadBalancerClass"), isQualifiedName(str(spec, "loadBalancerClass")));
}

function trafficErrors(spec: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const external = str(spec, "externalTrafficPolicy");
  const path = "spec.externalTrafficPolicy";
  if (isExternal(spec)) errors.push(...requiredOneOf(external, path, POLICIES));
  else if (external !== "") errors.push(invalid(path, external, "may only be set for externally-accessible services"));
  const port = num(spec, "healthCheckNodePort");
  const check = "spec.healthCheckNodePort";
  if (!needsHealthCheck(spec) && port !== 0)
    errors.push(
      invalid(check, port, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"),
    );
  if (needsHealthCheck(spec))
    errors.push(...(port === 0 ? [required(check)] : invalidEach(check, port, isPortNumber(port))));
  const internal = str(spec, "internalTrafficPolicy");
  if (!has(spec, "internalTrafficPolicy")) {
    if (["NodePort", "LoadBalancer", "ClusterIP"].includes(str(spec, "type")))
      errors.push(required("spec.internalTrafficPolicy"));
  } else errors.push(...oneOf(internal, "spec.internalTrafficPolicy", POLICIES));
  const distribution = str(spec, "trafficDistribution");
  const known = ["PreferClose", "PreferSameZone", "PreferSameNode"];
  return has(spec, "trafficDistribution") && !known.includes(distribution)
    ? [...errors, notSupported("spec.trafficDistribution", distribution, known)]
    : errors;
}

/** What may not change of a Service. */
export function serviceChangeErrors(service: JsonObject, live: JsonObject): readonly FieldError[] {
  const spec = at(service, "spec");
  const before = at(live, "spec");
  const errors: FieldError[] = [];
  const named = [spec, before].some((each) => str(each, "type") === "ExternalName");
  if (!named)
    errors.push(...addressChangeErrors(spec, before, "clusterIPs"), ...addressChangeErrors(spec, before, "ipFamilies"));
  const balanced = [spec, before].every((each) => str(each, "type") === "LoadBalancer");
  if (balanced && !deepEqual(getOwn(spec, "loadBalancerClass") ?? null, getOwn(before, "loadBalancerClass") ?? null)) {
    errors.push(
      invalid("spec.loadBalancerClass", getOwn(spec, "loadBalancerClass") ?? null, "may not change once set"),
    );
  }
  errors.push(...loadBalancerClassErrors(spec));
  if (
    needsHealthCheck(spec) &&
    needsHealthCheck(before) &&
    num(spec, "healthCheckNodePort") !== num(before, "healthCheckNodePort")
  ) {
    errors.push(forbidden("spec.healthCheckNodePort", FIELD_IS_IMMUTABLE));
  }
  return errors;
}

/** The first address and family of a Service stay; a second one may come and go. */
function addressChangeErrors(
  spec: JsonObject,
  before: JsonObject,
  key: "clusterIPs" | "ipFamilies",
): readonly FieldError[] {
  const [headless, was] = [hasNoAddress(spec), hasNoAddress(before)];
  if (headless && was) return [];
  if (key === "ipFamilies" && headless !== was) return [];
  const [after, old] = [strs(spec, key), strs(before, key)];
  const shown = (name: string): JsonValue => (has(spec, name) ? [...strs(spec, name)] : null);
  const first = `spec.${key}[0]`;
  if (after.length === old.length) {
    return old.flatMap((value, i) =>
      value === after[i]
        ? []
        : [invalid(key === "clusterIPs" ? `spec.${key}[${i}]` : first, shown(key), "may not change once set")],
    );
  }
  const what = key === "clusterIPs" ? "clusterIP" : "ipFamily";
  const errors: FieldError[] = [];
  if (old.length > after.length && strs(spec, "clusterIPs").length === 0)
    errors.push(invalid(first, shown(key), `primary ${what} can not be unset`));
  // Of families too, the addresses are shown.
  if (old.length > 0 && after.length > 0 && after[0] !== old[0])
    errors.push(invalid(first, shown("clusterIPs"), "may not change once set"));
  if (old.length > after.length && after.length === 1 && str(spec, "ipFamilyPolicy") !== "SingleStack") {
    const detail = `must be set to 'SingleStack' when releasing the secondary ${what}`;
    errors.push(invalid("spec.ipFamilyPolicy", getOwn(spec, "ipFamilyPolicy") ?? null, detail));
  }
  return errors;
}

/** What is wrong with the addresses that a load balancer has, of a Service or an Ingress. */
export function balancerStatusErrors(service: JsonObject, live: JsonObject): readonly FieldError[] {
  const path = "status.loadBalancer.ingress";
  const ingress = objs(at(service, "status", "loadBalancer"), "ingress");
  if (str(at(service, "spec"), "type") !== "LoadBalancer" && ingress.length > 0)
    return [forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")];
  const existing = objs(at(live, "status", "loadBalancer"), "ingress").map((each) => str(each, "ip"));
  return ingress.flatMap((each, i) => {
    const ip = str(each, "ip");
    const mode = str(each, "ipMode");
    const errors: FieldError[] = ip === "" ? [] : [...legacyIpErrors(ip, `${path}[${i}].ip`, existing)];
    if (!has(each, "ipMode")) {
      if (ip !== "") errors.push(required(`${path}[${i}].ipMode`, "must be specified when `ip` is set"));
    } else if (ip === "") errors.push(forbidden(`${path}[${i}].ipMode`, "may not be specified when `ip` is not set"));
    else errors.push(...oneOf(mode, `${path}[${i}].ipMode`, ["Proxy", "VIP"]));
    return [...errors, ...hostnameErrors(str(each, "hostname"), `${path}[${i}].hostname`)];
  });
}

/** A host's name, which is not an address. */
export function hostnameErrors(name: string, path: string): readonly FieldError[] {
  if (name === "") return [];
  const errors = invalidEach(path, name, isDns1123Subdomain(name));
  return parseIp(name) === undefined
    ? errors
    : [...errors, invalid(path, name, "must be a DNS name, not an IP address")];
}

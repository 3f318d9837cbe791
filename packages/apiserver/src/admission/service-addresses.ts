import { getOwn, isArray, isObject, type JsonObject } from "@fairlead/base";
import type { FieldError } from "@fairlead/apimachinery";

import { invalid } from "../registry/failures.js";
import type { Storage } from "../storage/storage.js";
import type { AdmissionPlugin } from "./admission.js";

/**
 * Gives Services their cluster IP and node ports, as the real server's allocators do while it stores them: after
 * ownership is settled, so nobody owns what is allocated. What is taken is read from the stored Services, so there is no
 * second book to keep.
 */
export function serviceAddresses(storage: Storage, range: AddressRange = DEFAULT_RANGE): AdmissionPlugin {
  return {
    name: "ServiceAddresses",
    mutate: ({ operation, endpoint, subresource, name, object, oldObject }) => {
      const { info } = endpoint.strategy;
      if (
        object === undefined ||
        operation === "DELETE" ||
        info.group !== "" ||
        info.resource !== "services" ||
        subresource !== ""
      )
        return undefined;
      const spec = getOwn(object, "spec");
      if (!isObject(spec)) return undefined;
      const before = oldObject === undefined ? undefined : getOwn(oldObject, "spec");
      const addressed = withClusterIp(storage, range, { spec, before: isObject(before) ? before : undefined });
      const errors = familyErrors(addressed);
      if (errors.length > 0) throw invalid(info, name, errors);
      const ported = withNodePorts(storage, addressed, isObject(before) ? before : undefined);
      return ported === spec ? undefined : { ...object, spec: ported };
    },
  };
}

export interface AddressRange {
  /** The first three numbers of a /24, e.g. `10.0.0`. */
  readonly prefix: string;
}

const DEFAULT_RANGE: AddressRange = { prefix: "10.96" };
const FIRST_PORT = 30_000;
const LAST_PORT = 32_767;

interface Change {
  readonly spec: JsonObject;
  readonly before: JsonObject | undefined;
}

function withClusterIp(storage: Storage, { prefix }: AddressRange, { spec, before }: Change): JsonObject {
  if (spec["type"] === "ExternalName") return spec;
  const ip = getOwn(spec, "clusterIP");
  const kept = before === undefined ? undefined : getOwn(before, "clusterIP");
  if (typeof ip === "string" && ip !== "") {
    const ips = getOwn(spec, "clusterIPs");
    return isArray(ips) && ips.length > 0 ? spec : withFamilies({ ...spec, clusterIPs: [ip] }, before);
  }
  if (typeof kept === "string" && kept !== "" && before?.["type"] !== "ExternalName") {
    return withFamilies({ ...spec, clusterIP: kept, clusterIPs: getOwn(before ?? {}, "clusterIPs") ?? [kept] }, before);
  }
  const taken = new Set(services(storage).map((s) => s["clusterIP"]));
  for (let high = 0; high < 256; high++) {
    for (let low = high === 0 ? 10 : 0; low < 255; low++) {
      const address = `${prefix}.${high}.${low}`;
      if (!taken.has(address)) return withFamilies({ ...spec, clusterIP: address, clusterIPs: [address] }, before);
    }
  }
  return spec;
}

function withFamilies(spec: JsonObject, before: JsonObject | undefined): JsonObject {
  const policy =
    getOwn(spec, "ipFamilyPolicy") ??
    getOwn(before ?? {}, "ipFamilyPolicy") ??
    (isWithoutSelector(spec) ? "RequireDualStack" : "SingleStack");
  const families = getOwn(spec, "ipFamilies") ?? getOwn(before ?? {}, "ipFamilies") ?? ["IPv4"];
  const both = isWithoutSelector(spec) && policy !== "SingleStack" && isArray(families) && families.length < 2;
  return {
    ...spec,
    ipFamilies: both ? [...families, families[0] === "IPv6" ? "IPv4" : "IPv6"] : families,
    ipFamilyPolicy: policy,
  };
}

/** This cluster has IPv4 alone. */
function familyErrors(spec: JsonObject): readonly FieldError[] {
  if (spec["type"] === "ExternalName" || isWithoutSelector(spec)) return [];
  const errors: FieldError[] = [];
  const policy = getOwn(spec, "ipFamilyPolicy");
  if (policy === "RequireDualStack") {
    errors.push({
      type: "FieldValueInvalid",
      field: "spec.ipFamilyPolicy",
      badValue: policy,
      detail: "this cluster is not configured for dual-stack services",
    });
  }
  const families = getOwn(spec, "ipFamilies");
  for (const [i, family] of (isArray(families) ? families : []).entries()) {
    if (family !== "IPv6") continue;
    errors.push({
      type: "FieldValueInvalid",
      field: `spec.ipFamilies[${i}]`,
      badValue: family,
      detail: "not configured on this cluster",
    });
  }
  return errors;
}

/** A headless Service without a selector may have endpoints of either family, whatever the cluster has. */
function isWithoutSelector(spec: JsonObject): boolean {
  const selector = getOwn(spec, "selector");
  return getOwn(spec, "clusterIP") === "None" && (!isObject(selector) || Object.keys(selector).length === 0);
}

function withNodePorts(storage: Storage, spec: JsonObject, before: JsonObject | undefined): JsonObject {
  const wants =
    spec["type"] === "NodePort" || (spec["type"] === "LoadBalancer" && spec["allocateLoadBalancerNodePorts"] !== false);
  const ports = getOwn(spec, "ports");
  if (!wants || !isArray(ports)) return spec;
  const old = ((before === undefined ? undefined : getOwn(before, "ports")) ?? []) as readonly JsonObject[];
  const used = new Set<unknown>(
    services(storage).flatMap((s) => ((s["ports"] ?? []) as readonly JsonObject[]).map((p) => p["nodePort"])),
  );
  let next = FIRST_PORT;
  const given = ports.map((p) => {
    const port = p as JsonObject;
    if (typeof port["nodePort"] === "number" && port["nodePort"] !== 0) return port;
    const same = old.find(
      (o) => o["port"] === port["port"] && (o["protocol"] ?? "TCP") === (port["protocol"] ?? "TCP"),
    )?.["nodePort"];
    if (typeof same === "number" && same !== 0) return { ...port, nodePort: same };
    while (used.has(next) && next < LAST_PORT) next++;
    used.add(next);
    return { ...port, nodePort: next };
  });
  const external = withHealthCheckPort(spec, before, used);
  return { ...external, ports: given };
}

function withHealthCheckPort(spec: JsonObject, before: JsonObject | undefined, used: Set<unknown>): JsonObject {
  if (
    spec["type"] !== "LoadBalancer" ||
    spec["externalTrafficPolicy"] !== "Local" ||
    typeof spec["healthCheckNodePort"] === "number"
  )
    return spec;
  const kept = before?.["healthCheckNodePort"];
  if (typeof kept === "number") return { ...spec, healthCheckNodePort: kept };
  let port = LAST_PORT;
  while (used.has(port)) port--;
  used.add(port);
  return { ...spec, healthCheckNodePort: port };
}

function services(storage: Storage): readonly JsonObject[] {
  return storage.list("/services", { prefix: "" }).map((r) => (r.object["spec"] ?? {}) as JsonObject);
}

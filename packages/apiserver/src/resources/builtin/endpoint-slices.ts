// EndpointSlice (k/k: pkg/apis/discovery/validation).
import {
  duplicate,
  FIELD_IS_IMMUTABLE,
  formatIp,
  goQuote,
  invalid,
  invalidEach,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
  notSupported,
  parseIp,
  required,
  tooMany,
  validateLabels,
  type FieldError,
} from "@fairlead/apimachinery";
import { deepEqual, getOwn, type JsonObject, type MutableJsonObject } from "@fairlead/base";
import type { ResourceStrategy } from "../resource.js";
import { at, has, obj, objs, str, strs } from "./access.js";
import { endpointIpErrors, legacyIpErrors } from "./address-rules.js";
import { ipWarnings } from "./ip-warnings.js";
import { requiredOneOf } from "./rules.js";
import { PROTOCOLS } from "./service-rules.js";
import { builtinStrategy } from "./strategy.js";

const TYPES: readonly string[] = ["FQDN", "IPv4", "IPv6"];
const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
const CONTROLLERS: readonly string[] = ["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"];
const MOST_ENDPOINTS = 1000;
const MOST_ADDRESSES = 100;
const MOST_PORTS = 20_000;
const MOST_LABELS = 16;
const MOST_HINTS = 8;

/** The strategies of these kinds. */
export function endpointSliceStrategies(): readonly ResourceStrategy[] {
  return [
    builtinStrategy("discovery.k8s.io/v1/EndpointSlice", {
      keepsEmpty: [["endpoints"]],
      prepareForCreate: dropTopology,
      prepareForUpdate: (object, live) => {
        if (!deepEqual(getOwn(object, "endpoints") ?? null, getOwn(live, "endpoints") ?? null)) dropTopology(object);
      },
      validateCreate: (object) => sliceErrors(object, undefined),
      validateUpdate: (object, live) => {
        const type = str(object, "addressType");
        const changed = type === str(live, "addressType") ? [] : [invalid("addressType", type, FIELD_IS_IMMUTABLE)];
        return [...sliceErrors(object, live), ...changed];
      },
      warnings: (object, live) => [
        ...(live === undefined && str(object, "addressType") === "FQDN"
          ? ["spec.addressType: FQDN endpoints are deprecated"]
          : []),
        ...addressWarnings(object),
      ],
    }),
  ];
}

/** The topology of an endpoint is no longer written. */
function dropTopology(object: MutableJsonObject): void {
  const endpoints = objs(object, "endpoints");
  if (!endpoints.some((endpoint) => has(endpoint, "deprecatedTopology"))) return;
  object["endpoints"] = endpoints.map(({ deprecatedTopology: _old, ...endpoint }) => endpoint);
}

function addressWarnings(object: JsonObject): readonly string[] {
  if (CONTROLLERS.includes(str(at(object, "metadata", "labels"), MANAGED_BY))) return [];
  return objs(object, "endpoints").flatMap((endpoint, i) =>
    strs(endpoint, "addresses").flatMap((ip, j) => ipWarnings(ip, `endpoints[${i}].addresses[${j}]`)),
  );
}

function sliceErrors(object: JsonObject, live: JsonObject | undefined): readonly FieldError[] {
  const same = live !== undefined && deepEqual(getOwn(object, "endpoints") ?? null, getOwn(live, "endpoints") ?? null);
  return [
    ...requiredOneOf(str(object, "addressType"), "addressType", TYPES),
    ...portErrors(objs(object, "ports")),
    ...(same ? [] : endpointErrors(object)),
  ];
}

function portErrors(ports: readonly JsonObject[]): readonly FieldError[] {
  if (ports.length > MOST_PORTS) return [tooMany("ports", ports.length, MOST_PORTS)];
  const names = new Set<string>();
  return ports.flatMap((port, i) => {
    const path = `ports[${i}]`;
    const name = str(port, "name");
    const protocol = str(port, "protocol");
    const application = str(port, "appProtocol");
    const errors: FieldError[] = name === "" ? [] : [...invalidEach(`${path}.name`, name, isDns1123Label(name))];
    if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
    names.add(name);
    if (!has(port, "protocol")) errors.push(required(`${path}.protocol`));
    else if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(`${path}.protocol`, protocol, PROTOCOLS));
    return has(port, "appProtocol")
      ? [...errors, ...invalidEach(`${path}.appProtocol`, application, isQualifiedName(application))]
      : errors;
  });
}

function endpointErrors(object: JsonObject): readonly FieldError[] {
  const endpoints = objs(object, "endpoints");
  if (endpoints.length > MOST_ENDPOINTS) return [tooMany("endpoints", endpoints.length, MOST_ENDPOINTS)];
  return endpoints.flatMap((endpoint, i) => oneEndpointErrors(endpoint, `endpoints[${i}]`, str(object, "addressType")));
}

function oneEndpointErrors(endpoint: JsonObject, path: string, type: string): readonly FieldError[] {
  const addresses = strs(endpoint, "addresses");
  const errors: FieldError[] = [];
  if (addresses.length === 0) errors.push(required(`${path}.addresses`, "must contain at least 1 address"));
  else if (addresses.length > MOST_ADDRESSES)
    errors.push(tooMany(`${path}.addresses`, addresses.length, MOST_ADDRESSES));
  for (const [i, address] of addresses.entries())
    errors.push(...addressErrors(address, { type, list: `${path}.addresses`, path: `${path}.addresses[${i}]` }));
  const node = str(endpoint, "nodeName");
  if (has(endpoint, "nodeName")) errors.push(...invalidEach(`${path}.nodeName`, node, isDns1123Subdomain(node)));
  const topology = obj(endpoint, "deprecatedTopology");
  const count = Object.keys(topology ?? {}).length;
  if (count > MOST_LABELS) errors.push(tooMany(`${path}.deprecatedTopology`, count, MOST_LABELS));
  errors.push(...validateLabels(topology, `${path}.deprecatedTopology`));
  const hostname = str(endpoint, "hostname");
  if (has(endpoint, "hostname")) errors.push(...invalidEach(`${path}.hostname`, hostname, isDns1123Label(hostname)));
  return has(endpoint, "hints") ? [...errors, ...hintErrors(at(endpoint, "hints"), `${path}.hints`)] : errors;
}

interface Place {
  readonly type: string;
  readonly list: string;
  readonly path: string;
}

function addressErrors(address: string, { type, list, path }: Place): readonly FieldError[] {
  const parsed = parseIp(address);
  if (type === "FQDN") return domainErrors(address, path);
  if (type !== "IPv4" && type !== "IPv6") return [];
  const wrong = type === "IPv4" ? legacyIpErrors(address, path) : strictIpErrors(address, path);
  if (wrong.length > 0) return wrong;
  const isV6 = parsed?.bits === 128;
  return [
    ...(isV6 === (type === "IPv6") ? [] : [invalid(list, address, `must be an ${type} address`)]),
    ...endpointIpErrors(address, path),
  ];
}

function strictIpErrors(ip: string, path: string): readonly FieldError[] {
  const parsed = parseIp(ip);
  if (parsed === undefined) return [invalid(path, ip, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")];
  const canonical = formatIp(parsed);
  return canonical === ip ? [] : [invalid(path, ip, `must be in canonical form (${goQuote(canonical)})`)];
}

function domainErrors(text: string, path: string): readonly FieldError[] {
  if (text === "") return [required(path)];
  const name = text.replace(/\.$/, "");
  const wrong = isDns1123Subdomain(name);
  if (wrong.length > 0) return [invalid(path, name, wrong.join(","))];
  const labels = name.split(".");
  if (labels.length < 2)
    return [invalid(path, name, "should be a domain with at least two segments separated by dots")];
  const bad = labels.find((label) => isDns1123Label(label).length > 0);
  return bad === undefined ? [] : [invalid(path, bad, isDns1123Label(bad).join(","))];
}

function hintErrors(hints: JsonObject, path: string): readonly FieldError[] {
  const lists: readonly (readonly [key: string, rule: (name: string) => readonly string[]])[] = [
    ["forZones", isLabelValue],
    ["forNodes", isDns1123Subdomain],
  ];
  const errors: FieldError[] = [];
  for (const [key, rule] of lists) {
    const names = objs(hints, key).map((hint) => str(hint, "name"));
    if (names.length > MOST_HINTS) return [...errors, tooMany(`${path}.${key}`, names.length, MOST_HINTS)];
    for (const [i, name] of names.entries()) {
      if (names.indexOf(name) < i) errors.push(duplicate(`${path}.${key}[${i}].name`, name));
      errors.push(...invalidEach(`${path}.${key}[${i}].name`, name, rule(name)));
    }
  }
  return errors;
}

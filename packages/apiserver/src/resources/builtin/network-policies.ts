// NetworkPolicy and PodDisruptionBudget (k/k: pkg/apis/{networking,policy}/validation).
import {
  cidrContains,
  forbidden,
  invalid,
  invalidEach,
  isPortName,
  isPortNumber,
  maskedAddress,
  notSupported,
  parseCidr,
  required,
  validateLabelSelector,
  type FieldError,
} from "@fairlead/apimachinery";
import { getOwn, type JsonObject } from "@fairlead/base";
import type { ResourceStrategy } from "../resource.js";
import { at, has, num, obj, objs, str, strs } from "./access.js";
import { legacyCidrErrors } from "./address-rules.js";
import { conditionErrors } from "./condition-rules.js";
import { cidrWarnings } from "./ip-warnings.js";
import { nonNegativeMember, nonNegativeOrPercent, notMoreThanAll } from "./rules.js";
import { builtinStrategy } from "./strategy.js";

/** The strategies of these kinds. */
export function policyStrategies(): readonly ResourceStrategy[] {
  return [networkPolicy(), disruptionBudget()];
}

const DIRECTIONS: readonly (readonly [rules: string, peers: string])[] = [
  ["ingress", "from"],
  ["egress", "to"],
];

function networkPolicy(): ResourceStrategy {
  return builtinStrategy("networking.k8s.io/v1/NetworkPolicy", {
    validateCreate: (object) => networkPolicyErrors(at(object, "spec"), []),
    validateUpdate: (object, live) =>
      networkPolicyErrors(
        at(object, "spec"),
        cidrsOf(live).map(([cidr]) => cidr),
      ),
    warnings: (object) => cidrsOf(object).flatMap(([cidr, path]) => cidrWarnings(cidr, path)),
  });
}

/** Every network of a policy, and where it stands. */
function cidrsOf(object: JsonObject): readonly (readonly [cidr: string, path: string])[] {
  const spec = at(object, "spec");
  return DIRECTIONS.flatMap(([rules, peers]) =>
    objs(spec, rules).flatMap((rule, i) =>
      objs(rule, peers).flatMap((peer, j) => {
        const block = obj(peer, "ipBlock");
        const path = `spec.${rules}[${i}].${peers}[${j}].ipBlock`;
        if (block === undefined) return [];
        return [
          [str(block, "cidr"), `${path}.cidr`] as const,
          ...strs(block, "except").map((cidr, k) => [cidr, `${path}.except[${k}]`] as const),
        ];
      }),
    ),
  );
}

function networkPolicyErrors(spec: JsonObject, known: readonly string[]): readonly FieldError[] {
  const types = strs(spec, "policyTypes");
  const allowed = ["Ingress", "Egress"];
  const errors = [
    ...validateLabelSelector(obj(spec, "podSelector"), "spec.podSelector"),
    ...DIRECTIONS.flatMap(([rules, peers]) =>
      objs(spec, rules).flatMap((rule, i) => [
        ...objs(rule, "ports").flatMap((port, j) => portErrors(port, `spec.${rules}[${i}].ports[${j}]`)),
        ...objs(rule, peers).flatMap((peer, j) => peerErrors(peer, `spec.${rules}[${i}].${peers}[${j}]`, known)),
      ]),
    ),
  ];
  if (types.length > allowed.length)
    return [...errors, invalid("spec.policyTypes", [...types], "may not specify more than two policyTypes")];
  return [
    ...errors,
    ...types.flatMap((type, i) =>
      allowed.includes(type) ? [] : [notSupported(`spec.policyTypes[${i}]`, type, allowed)],
    ),
  ];
}

function portErrors(port: JsonObject, path: string): readonly FieldError[] {
  const protocol = str(port, "protocol");
  const protocols = ["TCP", "UDP", "SCTP"];
  const errors: FieldError[] =
    has(port, "protocol") && !protocols.includes(protocol)
      ? [notSupported(`${path}.protocol`, protocol, protocols)]
      : [];
  const value = getOwn(port, "port");
  const hasEnd = has(port, "endPort");
  const end = num(port, "endPort");
  if (typeof value === "number") {
    errors.push(...invalidEach(`${path}.port`, value, isPortNumber(value)));
    if (hasEnd && end < value)
      errors.push(invalid(`${path}.endPort`, value, "must be greater than or equal to `port`"));
    if (hasEnd) errors.push(...invalidEach(`${path}.endPort`, end, isPortNumber(end)));
  } else if (typeof value === "string") {
    if (hasEnd) errors.push(invalid(`${path}.endPort`, end, "may not be specified when `port` is non-numeric"));
    errors.push(...invalidEach(`${path}.port`, value, isPortName(value)));
  } else if (hasEnd) errors.push(invalid(`${path}.endPort`, end, "may not be specified when `port` is not specified"));
  return errors;
}

function peerErrors(peer: JsonObject, path: string, known: readonly string[]): readonly FieldError[] {
  const block = obj(peer, "ipBlock");
  const given = ["podSelector", "namespaceSelector", "ipBlock"].filter((key) => has(peer, key));
  const errors = [
    ...validateLabelSelector(obj(peer, "podSelector"), `${path}.podSelector`),
    ...validateLabelSelector(obj(peer, "namespaceSelector"), `${path}.namespaceSelector`),
    ...(block === undefined ? [] : blockErrors(block, `${path}.ipBlock`, known)),
  ];
  if (given.length === 0) return [...errors, required(path, "must specify a peer")];
  return given.length > 1 && block !== undefined
    ? [...errors, forbidden(path, "may not specify both ipBlock and another peer")]
    : errors;
}

function blockErrors(block: JsonObject, path: string, known: readonly string[]): readonly FieldError[] {
  const text = str(block, "cidr");
  if (text === "") return [required(`${path}.cidr`)];
  const errors = legacyCidrErrors(text, `${path}.cidr`, known);
  const cidr = parseCidr(text);
  if (cidr === undefined) return errors;
  return [
    ...errors,
    ...strs(block, "except").flatMap((except, i) => {
      const where = `${path}.except[${i}]`;
      const hole = parseCidr(except);
      const inside = hole === undefined || (cidrContains(cidr, maskedAddress(hole)) && cidr.prefix < hole.prefix);
      return [
        ...legacyCidrErrors(except, where, known),
        ...(inside ? [] : [invalid(where, except, "must be a strict subset of `cidr`")]),
      ];
    }),
  ];
}

function disruptionBudget(): ResourceStrategy {
  return builtinStrategy("policy/v1/PodDisruptionBudget", {
    validateCreate: (object) => budgetErrors(at(object, "spec")),
    validateStatusUpdate: (object) => {
      const status = at(object, "status");
      return [
        ...conditionErrors(objs(status, "conditions"), "status.conditions"),
        ...["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"].flatMap((key) =>
          nonNegativeMember(status, key, "status"),
        ),
      ];
    },
  });
}

function budgetErrors(spec: JsonObject): readonly FieldError[] {
  const policy = str(spec, "unhealthyPodEvictionPolicy");
  const both = has(spec, "minAvailable") && has(spec, "maxUnavailable");
  const known = ["AlwaysAllow", "IfHealthyBudget"];
  return [
    ...(both ? [invalid("spec", shownBudget(spec), "minAvailable and maxUnavailable cannot be both set")] : []),
    ...["minAvailable", "maxUnavailable"].flatMap((key) => [
      ...nonNegativeOrPercent(getOwn(spec, key), `spec.${key}`),
      ...notMoreThanAll(getOwn(spec, key), `spec.${key}`),
    ]),
    ...validateLabelSelector(obj(spec, "selector"), "spec.selector"),
    ...(has(spec, "unhealthyPodEvictionPolicy") && !known.includes(policy)
      ? [notSupported("spec.unhealthyPodEvictionPolicy", policy, known)]
      : []),
  ];
}

function shownBudget(spec: JsonObject): JsonObject {
  const value = (key: string) => getOwn(spec, key) ?? null;
  return {
    MinAvailable: value("minAvailable"),
    Selector: value("selector"),
    MaxUnavailable: value("maxUnavailable"),
    UnhealthyPodEvictionPolicy: value("unhealthyPodEvictionPolicy"),
  };
}

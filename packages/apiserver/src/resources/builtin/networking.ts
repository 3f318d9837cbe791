// Ingress and IngressClass (k/k: pkg/apis/networking/validation, pkg/registry/networking).
import {
  FIELD_IS_IMMUTABLE,
  forbidden,
  invalid,
  invalidEach,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isPathSegmentName,
  isPortName,
  isPortNumber,
  isWildcardDns1123Subdomain,
  notSupported,
  parseIp,
  required,
  tooLong,
  type FieldError,
} from "@fairlead/apimachinery";
import { getOwn, type JsonObject, type JsonValue } from "@fairlead/base";
import type { ResourceStrategy } from "../resource.js";
import { at, has, num, obj, objs, str, strs } from "./access.js";
import { legacyIpErrors } from "./address-rules.js";
import { domainPathErrors, requiredText } from "./rules.js";
import { hostnameErrors } from "./service-rules.js";
import { builtinStrategy } from "./strategy.js";

/** The strategies of these kinds. */
export function ingressStrategies(): readonly ResourceStrategy[] {
  return [ingress(), ingressClass()];
}

const CLASS = "kubernetes.io/ingress.class";
const BAD_PARTS: readonly string[] = ["//", "/./", "/../", "%2f", "%2F"];
const LONGEST_CONTROLLER = 250;

function ingress(): ResourceStrategy {
  return builtinStrategy("networking.k8s.io/v1/Ingress", {
    validateCreate: (object) => [...ingressErrors(at(object, "spec"), undefined), ...classErrors(object)],
    validateUpdate: (object, live) => ingressErrors(at(object, "spec"), at(live, "spec")),
    validateStatusUpdate: statusErrors,
    warnings: (object, live) => {
      const old =
        live === undefined &&
        has(at(object, "metadata", "annotations"), CLASS) &&
        !has(at(object, "spec"), "ingressClassName");
      return old ? [`annotation "${CLASS}" is deprecated, please use 'spec.ingressClassName' instead`] : [];
    },
  });
}

function classErrors(object: JsonObject): readonly FieldError[] {
  const annotations = at(object, "metadata", "annotations");
  const spec = at(object, "spec");
  const given = str(annotations, CLASS);
  if (!has(annotations, CLASS) || !has(spec, "ingressClassName") || given === str(spec, "ingressClassName")) return [];
  return [invalid(`annotations.${CLASS}`, given, "must match `ingressClassName` when both are specified")];
}

function ingressErrors(spec: JsonObject, before: JsonObject | undefined): readonly FieldError[] {
  const rules = objs(spec, "rules");
  const backend = obj(spec, "defaultBackend");
  const name = str(spec, "ingressClassName");
  return [
    ...(rules.length === 0 && backend === undefined
      ? [invalid("spec", getOwn(spec, "rules") ?? null, "either `defaultBackend` or `rules` must be specified")]
      : []),
    ...(backend === undefined ? [] : backendErrors(backend, "spec.defaultBackend")),
    ...rules.flatMap((rule, i) => ruleErrors(rule, `spec.rules[${i}]`, hadBadWildcardRule(before))),
    ...objs(spec, "tls").flatMap((tls, i) => tlsErrors(tls, `spec.tls[${i}]`, hadBadSecretName(before))),
    ...(has(spec, "ingressClassName") ? invalidEach("spec.ingressClassName", name, isDns1123Subdomain(name)) : []),
  ];
}

function hadBadSecretName(before: JsonObject | undefined): boolean {
  return objs(before, "tls").some(
    (tls) => str(tls, "secretName") !== "" && isDns1123Subdomain(str(tls, "secretName")).length > 0,
  );
}

function hadBadWildcardRule(before: JsonObject | undefined): boolean {
  return objs(before, "rules").some(
    (rule) => str(rule, "host").includes("*") && httpErrors(obj(rule, "http"), "").length > 0,
  );
}

function hostErrors(host: string, path: string): readonly FieldError[] {
  return invalidEach(path, host, host.includes("*") ? isWildcardDns1123Subdomain(host) : isDns1123Subdomain(host));
}

function ruleErrors(rule: JsonObject, path: string, lenient: boolean): readonly FieldError[] {
  const host = str(rule, "host");
  const errors =
    host === ""
      ? []
      : [
          ...(parseIp(host) === undefined
            ? []
            : [invalid(`${path}.host`, host, "must be a DNS name, not an IP address")]),
          ...hostErrors(host, `${path}.host`),
        ];
  return host.includes("*") && lenient ? errors : [...errors, ...httpErrors(obj(rule, "http"), `${path}.http`)];
}

function httpErrors(http: JsonObject | undefined, path: string): readonly FieldError[] {
  if (http === undefined) return [];
  const paths = objs(http, "paths");
  if (paths.length === 0) return [required(`${path}.paths`)];
  return paths.flatMap((each, i) => pathErrors(each, `${path}.paths[${i}]`));
}

function pathErrors(each: JsonObject, path: string): readonly FieldError[] {
  if (!has(each, "pathType")) return [required(`${path}.pathType`, "pathType must be specified")];
  const type = str(each, "pathType");
  const text = str(each, "path");
  const strict = type === "Exact" || type === "Prefix";
  const errors: FieldError[] = [];
  if (!strict && type !== "ImplementationSpecific")
    errors.push(notSupported(`${path}.pathType`, type, ["Exact", "ImplementationSpecific", "Prefix"]));
  else if (!text.startsWith("/") && (strict || text !== ""))
    errors.push(invalid(`${path}.path`, text, "must be an absolute path"));
  if (strict) {
    errors.push(
      ...BAD_PARTS.filter((part) => text.includes(part)).map((part) =>
        invalid(`${path}.path`, text, `must not contain '${part}'`),
      ),
    );
    errors.push(
      ...["/..", "/."]
        .filter((end) => text.endsWith(end))
        .map((end) => invalid(`${path}.path`, text, `cannot end with '${end}'`)),
    );
  }
  return [...errors, ...backendErrors(at(each, "backend"), `${path}.backend`)];
}

function backendErrors(backend: JsonObject, path: string): readonly FieldError[] {
  const resource = obj(backend, "resource");
  const service = obj(backend, "service");
  if (resource !== undefined && service !== undefined)
    return [invalid(path, "", "cannot set both resource and service backends")];
  if (resource !== undefined) return referenceErrors(resource, `${path}.resource`);
  if (service === undefined) return [invalid(path, "", "resource or service backend is required")];
  const port = at(service, "port");
  const [name, number] = [str(port, "name"), num(port, "number")];
  const errors = requiredText(str(service, "name"), `${path}.service.name`, isDns1035Label);
  if (name !== "" && number !== 0) return [...errors, invalid(path, "", "cannot set both port name & port number")];
  if (name !== "") return [...errors, ...invalidEach(`${path}.service.port.name`, name, isPortName(name))];
  if (number !== 0) return [...errors, ...invalidEach(`${path}.service.port.number`, number, isPortNumber(number))];
  return [...errors, required(path, "port name or number is required")];
}

/** A reference to an object of any kind. */
function referenceErrors(reference: JsonObject, path: string): readonly FieldError[] {
  const group = str(reference, "apiGroup");
  return [
    ...(has(reference, "apiGroup") ? invalidEach(`${path}.apiGroup`, group, isDns1123Subdomain(group)) : []),
    ...requiredText(str(reference, "kind"), `${path}.kind`, isPathSegmentName),
    ...requiredText(str(reference, "name"), `${path}.name`, isPathSegmentName),
  ];
}

function tlsErrors(tls: JsonObject, path: string, lenient: boolean): readonly FieldError[] {
  const secret = str(tls, "secretName");
  return [
    ...strs(tls, "hosts").flatMap((host, i) => hostErrors(host, `${path}.hosts[${i}]`)),
    ...(secret === "" || lenient ? [] : invalidEach(`${path}.secretName`, secret, isDns1123Subdomain(secret))),
  ];
}

function statusErrors(object: JsonObject, live: JsonObject): readonly FieldError[] {
  const known = objs(at(live, "status", "loadBalancer"), "ingress").map((each) => str(each, "ip"));
  return objs(at(object, "status", "loadBalancer"), "ingress").flatMap((each, i) => {
    const path = `status.loadBalancer.ingress[${i}]`;
    const ip = str(each, "ip");
    return [
      ...(ip === "" ? [] : legacyIpErrors(ip, `${path}.ip`, known)),
      ...hostnameErrors(str(each, "hostname"), `${path}.hostname`),
    ];
  });
}

function ingressClass(): ResourceStrategy {
  return builtinStrategy("networking.k8s.io/v1/IngressClass", {
    validateCreate: (object) => ingressClassErrors(at(object, "spec")),
    validateUpdate: (object, live) => {
      const after: JsonValue = str(at(object, "spec"), "controller");
      const same = after === str(at(live, "spec"), "controller");
      return [
        ...(same ? [] : [invalid("spec.controller", after, FIELD_IS_IMMUTABLE)]),
        ...ingressClassErrors(at(object, "spec")),
      ];
    },
  });
}

function ingressClassErrors(spec: JsonObject): readonly FieldError[] {
  const controller = str(spec, "controller");
  const parameters = obj(spec, "parameters");
  return [
    ...(controller.length > LONGEST_CONTROLLER ? [tooLong("spec.controller", LONGEST_CONTROLLER)] : []),
    ...domainPathErrors(controller, "spec.controller"),
    ...(parameters === undefined ? [] : parameterErrors(parameters, "spec.parameters")),
  ];
}

function parameterErrors(parameters: JsonObject, path: string): readonly FieldError[] {
  const errors = referenceErrors(parameters, path);
  const scope = str(parameters, "scope");
  const namespace = str(parameters, "namespace");
  if (!has(parameters, "scope")) return [...errors, required(`${path}.scope`)];
  if (scope !== "Cluster" && scope !== "Namespace")
    return [...errors, notSupported(`${path}.scope`, scope, ["Cluster", "Namespace"])];
  if (scope === "Cluster")
    return has(parameters, "namespace")
      ? [...errors, forbidden(`${path}.namespace`, "`parameters.scope` is set to 'Cluster'")]
      : errors;
  if (!has(parameters, "namespace"))
    return [...errors, required(`${path}.namespace`, "`parameters.scope` is set to 'Namespace'")];
  return [...errors, ...invalidEach(`${path}.namespace`, namespace, isDns1123Label(namespace))];
}

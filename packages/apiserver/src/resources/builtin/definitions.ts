// CustomResourceDefinition, APIService, CertificateSigningRequest (apiextensions-apiserver and kube-aggregator: their
// strategies; k/k: pkg/apis/certificates/validation).
import {
  duplicate,
  goQuote,
  invalid,
  invalidEach,
  isDns1035Label,
  isDns1123Subdomain,
  isPathSegmentName,
  isPortNumber,
  isStringFormat,
  nameIsDnsSubdomain,
  notSupported,
  required,
  type FieldError,
} from "@fairlead/apimachinery";
import { deepEqual, formatTime, type JsonObject, type JsonValue, type MutableJsonObject } from "@fairlead/base";
import type { ResourceStrategy, StrategyContext } from "../resource.js";
import { at, bool, has, num, obj, objs, someObj, str, strs } from "./access.js";
import { definitionChangeErrors, definitionErrors, statusErrors } from "./definition-rules.js";
import { partsOf } from "./structural-rules.js";
import { builtinStrategy } from "./strategy.js";

/** The strategies of these kinds. */
export function definitionStrategies(): readonly ResourceStrategy[] {
  return [definition(), apiService(), signingRequest()];
}

function definition(): ResourceStrategy {
  return builtinStrategy("apiextensions.k8s.io/v1/CustomResourceDefinition", {
    anyFinalizer: true,
    refusesEmpty: [["spec", "versions"]],
    // The name is checked with the definition, which tells what it must be.
    validateName: nameIsDnsSubdomain,
    prepareForCreate: (object) => {
      const stored = storageVersion(object);
      object["status"] = {
        conditions: null,
        acceptedNames: { kind: "", plural: "" },
        storedVersions: stored === undefined ? null : [stored],
      };
    },
    prepareForUpdate: (object) => {
      const stored = storageVersion(object);
      const known = strs(at(object, "status"), "storedVersions");
      if (stored !== undefined && !known.includes(stored))
        object["status"] = { ...at(object, "status"), storedVersions: [...known, stored] };
    },
    validateCreate: function* (object) {
      return [...nameErrors(object), ...(yield* definitionErrors(object))];
    },
    validateUpdate: definitionChangeErrors,
    validateStatusUpdate: statusErrors,
    warnings: (object, live) => {
      const before = new Set(live === undefined ? [] : unknownFormats(live));
      return unknownFormats(object)
        .filter((format) => !before.has(format))
        .map((format) => `unrecognized format ${goQuote(format)}`);
    },
  });
}

function storageVersion(object: JsonObject): string | undefined {
  const version = objs(at(object, "spec"), "versions").find((each) => bool(each, "storage"));
  return version === undefined ? undefined : str(version, "name");
}

function nameErrors(object: JsonObject): readonly FieldError[] {
  const name = str(at(object, "metadata"), "name");
  const spec = at(object, "spec");
  const matches = name === `${str(at(spec, "names"), "plural")}.${str(spec, "group")}`;
  return matches || name === "" ? [] : [invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group')];
}

/** Formats in a definition's schemas that nobody checks; where all versions have one schema it is looked at once. */
function unknownFormats(object: JsonObject): readonly string[] {
  const schemas = objs(at(object, "spec"), "versions").flatMap((version) =>
    someObj(at(version, "schema"), "openAPIV3Schema"),
  );
  const [first] = schemas;
  const same =
    first !== undefined &&
    schemas.length === objs(at(object, "spec"), "versions").length &&
    schemas.every((schema) => deepEqual(schema, first));
  return (same ? [first] : schemas).flatMap(formatsIn);
}

function formatsIn(schema: JsonObject): readonly string[] {
  const format = str(schema, "format");
  const type = str(schema, "type");
  const known =
    format === "" ||
    (type === "" || type === "string"
      ? isStringFormat(format)
      : type === "integer"
        ? ["int32", "int64"].includes(format)
        : type === "number" && ["float", "double"].includes(format));
  return [...(known ? [] : [format]), ...partsOf(schema).flatMap(formatsIn)];
}

function apiService(): ResourceStrategy {
  return builtinStrategy("apiregistration.k8s.io/v1/APIService", {
    anyFinalizer: true,
    validateName: isPathSegmentName,
    validateCreate: serviceErrors,
    validateStatusUpdate: (object) =>
      objs(at(object, "status"), "conditions").flatMap((condition, i) => {
        const status = str(condition, "status");
        return STATUSES.includes(status) ? [] : [notSupported(`status.conditions[${i}].status`, status, STATUSES)];
      }),
  });
}

const STATUSES: readonly string[] = ["True", "False", "Unknown"];

function serviceErrors(object: JsonObject): readonly FieldError[] {
  const spec = at(object, "spec");
  const [group, version] = [str(spec, "group"), str(spec, "version")];
  const name = str(at(object, "metadata"), "name");
  const wanted = `${version}.${group}`;
  const [least, priority] = [num(spec, "groupPriorityMinimum"), num(spec, "versionPriority")];
  const errors: FieldError[] =
    name === wanted || isPathSegmentName(name).length > 0
      ? []
      : [invalid("metadata.name", name, `must be \`spec.version+"."+spec.group\`: ${goQuote(wanted)}`)];
  if (group === "" && version !== "v1")
    errors.push(required("spec.group", "only v1 may have an empty group and it better be legacy kube"));
  if (group !== "") errors.push(...invalidEach("spec.group", group, isDns1123Subdomain(group)));
  errors.push(...invalidEach("spec.version", version, isDns1035Label(version)));
  if (least <= 0 || least > 20_000)
    errors.push(invalid("spec.groupPriorityMinimum", least, "must be positive and less than 20000"));
  if (priority <= 0 || priority > 1000)
    errors.push(invalid("spec.versionPriority", priority, "must be positive and less than 1000"));
  return [...errors, ...backendErrors(spec)];
}

function backendErrors(spec: JsonObject): readonly FieldError[] {
  const service = obj(spec, "service");
  const bundle = str(spec, "caBundle");
  const insecure = bool(spec, "insecureSkipTLSVerify");
  if (service === undefined) {
    return [
      ...(bundle === ""
        ? []
        : [
            invalid(
              "spec.caBundle",
              `${Buffer.byteLength(bundle, "base64")} bytes`,
              "local APIServices may not have a caBundle",
            ),
          ]),
      ...(insecure
        ? [invalid("spec.insecureSkipTLSVerify", true, "local APIServices may not have insecureSkipTLSVerify")]
        : []),
    ];
  }
  const port = num(service, "port");
  const wrong = isPortNumber(port);
  return [
    ...["namespace", "name"].flatMap((key) => (str(service, key) === "" ? [required(`spec.service.${key}`)] : [])),
    ...(wrong.length > 0 ? [invalid("spec.service.port", port, `port is not valid: ${wrong.join(", ")}`)] : []),
    ...(insecure && bundle !== ""
      ? [invalid("spec.insecureSkipTLSVerify", true, "may not be true if caBundle is present")]
      : []),
  ];
}

const USAGES: readonly string[] = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];

const SHORTEST_SECONDS = 600;
const DECISIONS: readonly string[] = ["Approved", "Denied", "Failed"];

/** Requests themselves are not parsed. */
function signingRequest(): ResourceStrategy {
  return builtinStrategy("certificates.k8s.io/v1/CertificateSigningRequest", {
    validateName: () => [],
    prepareForCreate: (object, { user }) => {
      const { username: _name, uid: _uid, groups: _groups, extra: _extra, ...spec } = at(object, "spec");
      object["spec"] = { ...spec, ...requestor(user) };
    },
    prepareForUpdate: (object, live) => {
      object["spec"] = at(live, "spec");
    },
    prepareForStatusUpdate: stampConditions,
    validateCreate: requestErrors,
    validateStatusUpdate: (object) => conditionErrors(object),
    selectableFields: new Map([["spec.signerName", (object) => str(obj(object, "spec"), "signerName")]]),
  });
}

/** A request says who made it, whatever its maker wrote there. */
function requestor(user: StrategyContext["user"]): JsonObject {
  if (user === undefined) return {};
  const { username, uid = "", groups, extra = {} } = user;
  return {
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(uid === "" ? {} : { uid }),
    username,
  };
}

function stampConditions(object: MutableJsonObject, live: JsonObject, { nowMs }: StrategyContext): void {
  const conditions = objs(at(object, "status"), "conditions");
  if (conditions.length === 0) return;
  const now = formatTime(nowMs);
  const old = objs(at(live, "status"), "conditions");
  object["status"] = {
    ...at(object, "status"),
    conditions: conditions.map((condition): JsonValue => {
      const same = old.find(
        (each) => str(each, "type") === str(condition, "type") && str(each, "status") === str(condition, "status"),
      );
      const since = str(condition, "lastTransitionTime") || str(same, "lastTransitionTime") || now;
      return { ...condition, lastUpdateTime: str(condition, "lastUpdateTime") || now, lastTransitionTime: since };
    }),
  };
}

function requestErrors(object: JsonObject): readonly FieldError[] {
  const spec = at(object, "spec");
  const usages = strs(spec, "usages");
  const request = Buffer.from(str(spec, "request"), "base64").toString("latin1");
  const errors: FieldError[] = request.includes("-----BEGIN CERTIFICATE REQUEST-----")
    ? []
    : [
        invalid(
          "spec.request",
          [...Buffer.from(str(spec, "request"), "base64")],
          "PEM block type must be CERTIFICATE REQUEST",
        ),
      ];
  if (usages.length === 0) errors.push(required("spec.usages"));
  errors.push(
    ...usages.flatMap((usage, i) => (USAGES.includes(usage) ? [] : [notSupported(`spec.usages[${i}]`, usage, USAGES)])),
  );
  errors.push(
    ...usages.flatMap((usage, i) => (usages.indexOf(usage) < i ? [duplicate(`spec.usages[${i}]`, usage)] : [])),
  );
  errors.push(...signerErrors(str(spec, "signerName"), "spec.signerName"));
  const seconds = num(spec, "expirationSeconds");
  if (has(spec, "expirationSeconds") && seconds < SHORTEST_SECONDS)
    errors.push(
      invalid("spec.expirationSeconds", seconds, "may not specify a duration less than 600 seconds (10 minutes)"),
    );
  return [...errors, ...conditionErrors(object)];
}

function signerErrors(name: string, path: string): readonly FieldError[] {
  if (name === "") return [required(path)];
  if (name === "kubernetes.io/legacy-unknown")
    return [invalid(path, name, "the legacy signerName is not allowed via this API version")];
  const slash = name.indexOf("/");
  if (slash < 0)
    return [invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")];
  const [domain, rest] = [name.slice(0, slash), name.slice(slash + 1)];
  return [
    ...invalidEach(path, domain, isDns1123Subdomain(domain)),
    ...invalidEach(path, rest, isDns1123Subdomain(rest)),
  ];
}

function conditionErrors(object: JsonObject): readonly FieldError[] {
  const conditions = objs(at(object, "status"), "conditions");
  const types = conditions.map((condition) => str(condition, "type"));
  const path = "status.conditions";
  return conditions.flatMap((condition, i) => {
    const [type, status] = [str(condition, "type"), str(condition, "status")];
    const allowed = DECISIONS.includes(type) ? ["True"] : ["False", "True", "Unknown"];
    const opposite = type === "Approved" ? "Denied" : type === "Denied" ? "Approved" : "";
    return [
      ...(type === "" ? [required(`${path}[${i}].type`)] : []),
      ...(status === ""
        ? [required(`${path}[${i}].status`)]
        : allowed.includes(status)
          ? []
          : [notSupported(`${path}[${i}].status`, status, allowed)]),
      ...(opposite !== "" && types.slice(0, i).includes(opposite)
        ? [invalid(path, type, "Approved and Denied conditions are mutually exclusive")]
        : []),
      ...(types.indexOf(type) < i ? [duplicate(`${path}[${i}].type`, type)] : []),
    ];
  });
}

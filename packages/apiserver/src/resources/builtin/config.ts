// ConfigMap, Secret, ServiceAccount, Namespace (k/k: pkg/apis/core/validation, pkg/registry/core).
import {
  byteLength,
  FIELD_IS_IMMUTABLE,
  forbidden,
  invalid,
  invalidEach,
  isConfigMapKey,
  isQualifiedName,
  nameIsDnsLabel,
  required,
  tooLong,
  type FieldError,
} from "@fairlead/apimachinery";
import {
  deepEqual,
  getOwn,
  JsonSyntaxError,
  parseJson,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";
import type { ResourceStrategy } from "../resource.js";
import { at, bool, child, entries, has, obj, objs, str, strs } from "./access.js";
import { NO_ERRORS } from "./rules.js";
import { builtinStrategy } from "./strategy.js";

/** The strategies of these kinds. */
export function configStrategies(): readonly ResourceStrategy[] {
  return [configMap(), secret(), serviceAccount(), namespace()];
}

const DATA_LIMIT_BYTES = 1024 * 1024;
const WHEN_IMMUTABLE = "field is immutable when `immutable` is set";

function configMap(): ResourceStrategy {
  return builtinStrategy("/v1/ConfigMap", {
    validateCreate: configMapErrors,
    validateUpdate: (object, live) => [
      ...immutableErrors(object, live, ["data", "binaryData"]),
      ...configMapErrors(object),
    ],
  });
}

function configMapErrors(object: JsonObject): readonly FieldError[] {
  const binary = obj(object, "binaryData");
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of entries(object, "data")) {
    errors.push(...invalidEach(`data[${key}]`, key, isConfigMapKey(key)));
    if (binary !== undefined && getOwn(binary, key) !== undefined)
      errors.push(invalid(`data[${key}]`, key, "duplicate of key present in binaryData"));
    bytes += byteLength(String(value));
  }
  for (const [key, value] of entries(object, "binaryData")) {
    errors.push(...invalidEach(`binaryData[${key}]`, key, isConfigMapKey(key)));
    bytes += decodedLength(value);
  }
  return bytes > DATA_LIMIT_BYTES ? [...errors, tooLong("[]", DATA_LIMIT_BYTES)] : errors;
}

/** Bytes of base64 text. */
function decodedLength(value: JsonValue): number {
  return typeof value === "string" ? Buffer.byteLength(value, "base64") : 0;
}

/** What may not change once an object is immutable: that it is, and its data. */
function immutableErrors(object: JsonObject, live: JsonObject, keys: readonly string[]): readonly FieldError[] {
  if (!bool(live, "immutable")) return NO_ERRORS;
  const errors = bool(object, "immutable") ? [] : [forbidden("immutable", WHEN_IMMUTABLE)];
  const changed = keys.filter((key) => !deepEqual(getOwn(object, key), getOwn(live, key)));
  return [...errors, ...changed.map((key) => forbidden(key, WHEN_IMMUTABLE))];
}

function secret(): ResourceStrategy {
  return builtinStrategy("/v1/Secret", {
    prepareForUpdate: (object, live) => {
      if (str(object, "type") === "" && str(live, "type") !== "") object["type"] = str(live, "type");
    },
    validateCreate: secretErrors,
    validateUpdate: (object, live) => [
      ...(str(object, "type") === str(live, "type") ? [] : [invalid("type", str(object, "type"), FIELD_IS_IMMUTABLE)]),
      ...immutableErrors(object, live, ["data"]),
      ...secretErrors(object),
    ],
    warnings: secretWarnings,
    selectableFields: new Map([["type", (object) => str(object, "type")]]),
  });
}

/** Keys that a type of Secret must have. */
const REQUIRED_KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ["kubernetes.io/ssh-auth", ["ssh-privatekey"]],
  ["kubernetes.io/tls", ["tls.crt", "tls.key"]],
]);

function secretErrors(object: JsonObject): readonly FieldError[] {
  const data = obj(object, "data") ?? {};
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of entries(object, "data")) {
    errors.push(...invalidEach(`data[${key}]`, key, isConfigMapKey(key)));
    bytes += decodedLength(value);
  }
  if (bytes > DATA_LIMIT_BYTES) errors.push(tooLong("data", DATA_LIMIT_BYTES));
  const type = str(object, "type");
  for (const key of REQUIRED_KEYS.get(type) ?? [])
    if (getOwn(data, key) === undefined) errors.push(required(`data[${key}]`));
  switch (type) {
    case "kubernetes.io/service-account-token":
      if (str(at(object, "metadata", "annotations"), "kubernetes.io/service-account.name") === "") {
        errors.push(required("metadata.annotations[kubernetes.io/service-account.name]"));
      }
      break;
    case "kubernetes.io/dockercfg":
      errors.push(...jsonErrors(data, ".dockercfg"));
      break;
    case "kubernetes.io/dockerconfigjson":
      errors.push(...jsonErrors(data, ".dockerconfigjson"));
      break;
    case "kubernetes.io/basic-auth":
      if (getOwn(data, "username") === undefined && getOwn(data, "password") === undefined) {
        errors.push(required("data[username]"), required("data[password]"));
      }
  }
  return errors;
}

function jsonErrors(data: JsonObject, key: string): readonly FieldError[] {
  const value = getOwn(data, key);
  if (value === undefined) return [required(`data[${key}]`)];
  try {
    parseJson(Buffer.from(String(value), "base64").toString("utf8"));
    return [];
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return [invalid(`data[${key}]`, "<secret contents redacted>", error.message)];
  }
}

function secretWarnings(object: JsonObject): readonly string[] {
  if (str(object, "type") !== "kubernetes.io/tls") return [];
  const text = (key: string): string =>
    Buffer.from(String(getOwn(obj(object, "data") ?? {}, key) ?? ""), "base64").toString("latin1");
  if (!text("tls.crt").includes("-----BEGIN")) return ["tls: failed to find any PEM data in certificate input"];
  return text("tls.key").includes("-----BEGIN") ? [] : ["tls: failed to find any PEM data in key input"];
}

const TOKEN_SECRETS_WARNING =
  "metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets";

function serviceAccount(): ResourceStrategy {
  return builtinStrategy("/v1/ServiceAccount", {
    prepareForCreate: dropReferencedKinds,
    prepareForUpdate: dropReferencedKinds,
    warnings: (object) =>
      has(at(object, "metadata", "annotations"), "kubernetes.io/enforce-mountable-secrets")
        ? [TOKEN_SECRETS_WARNING]
        : [],
  });
}

/** Of the referenced secrets only the names are kept. */
function dropReferencedKinds(object: MutableJsonObject): void {
  const secrets = objs(object, "secrets");
  if (secrets.length > 0)
    object["secrets"] = secrets.map((each) => (str(each, "name") === "" ? {} : { name: str(each, "name") }));
}

function namespace(): ResourceStrategy {
  return builtinStrategy("/v1/Namespace", {
    validateName: nameIsDnsLabel,
    prepareForCreate: (object) => {
      object["status"] = { phase: "Active" };
      const spec = child(object, "spec");
      const finalizers = strs(spec, "finalizers");
      if (!finalizers.includes("kubernetes")) spec["finalizers"] = [...finalizers, "kubernetes"];
    },
    prepareForUpdate: (object, live) => {
      if (has(live, "spec")) object["spec"] = getOwn(live, "spec");
    },
    validateCreate: (object) => strs(obj(object, "spec"), "finalizers").flatMap((name) => finalizerErrors(name)),
    validateUpdate: () => NO_ERRORS,
    validateStatusUpdate: (object) => {
      const ending = has(at(object, "metadata"), "deletionTimestamp");
      const phase = str(obj(object, "status"), "phase");
      if (phase === (ending ? "Terminating" : "Active")) return NO_ERRORS;
      const text = ending
        ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
        : "may only be 'Active' if `deletionTimestamp` is empty";
      return [invalid("status.Phase", phase, text)];
    },
    selectableFields: new Map([["status.phase", (object) => str(obj(object, "status"), "phase")]]),
  });
}

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** A finalizer of the namespace's spec: a qualified name, or one of the standard ones. */
function finalizerErrors(name: string): readonly FieldError[] {
  const errors = [...invalidEach("spec.finalizers", name, isQualifiedName(name))];
  if (name.split("/").length === 1 && !STANDARD_FINALIZERS.has(name)) {
    errors.push(
      invalid("spec.finalizers", name, "name is neither a standard finalizer name nor is it fully qualified"),
    );
  }
  return errors;
}

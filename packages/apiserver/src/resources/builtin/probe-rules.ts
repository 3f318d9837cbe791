// Probes and lifecycle hooks (k/k: validateProbe, validateLifecycle, validateHandler).
import {
  forbidden,
  invalid,
  invalidEach,
  isHttpHeaderName,
  isPortName,
  isPortNumber,
  required,
  type FieldError,
} from "@fairlead/apimachinery";
import { getOwn, type JsonObject, type JsonValue } from "@fairlead/base";
import { at, has, num, obj, objs, str, strs } from "./access.js";
import { nonNegative, oneOf } from "./rules.js";

/** What is wrong with a probe; liveness and startup probes succeed at once. */
export function probeErrors(probe: JsonObject | undefined, kind: string, path: string): readonly FieldError[] {
  if (probe === undefined) return [];
  const errors = [...handlerErrors(probe, undefined, path)];
  for (const key of [
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
  ]) {
    errors.push(...nonNegative(num(probe, key), `${path}.${key}`));
  }
  const grace = "terminationGracePeriodSeconds";
  if (has(probe, grace) && num(probe, grace) <= 0)
    errors.push(invalid(`${path}.${grace}`, num(probe, grace), "must be greater than 0"));
  if (kind === "readinessProbe") {
    if (has(probe, grace))
      errors.push(invalid(`${path}.${grace}`, num(probe, grace), "must not be set for readinessProbes"));
  } else if (num(probe, "successThreshold") !== 1) {
    errors.push(invalid(`${path}.successThreshold`, num(probe, "successThreshold"), "must be 1"));
  }
  return errors;
}

/** What is wrong with the hooks of a container. */
export function lifecycleErrors(
  lifecycle: JsonObject | undefined,
  graceSeconds: number | undefined,
  path: string,
): readonly FieldError[] {
  if (lifecycle === undefined) return [];
  return ["postStart", "preStop"].flatMap((key) => {
    const handler = obj(lifecycle, key);
    return handler === undefined ? [] : handlerErrors(handler, graceSeconds, `${path}.${key}`);
  });
}

function handlerErrors(handler: JsonObject, graceSeconds: number | undefined, path: string): readonly FieldError[] {
  const rules: readonly (readonly [key: string, rule: (action: JsonObject, path: string) => readonly FieldError[]])[] =
    [
      ["exec", (action, where) => (strs(action, "command").length === 0 ? [required(`${where}.command`)] : [])],
      ["httpGet", httpErrors],
      ["tcpSocket", (action, where) => portErrors(getOwn(action, "port"), `${where}.port`)],
      ["grpc", (action, where) => portErrors(getOwn(action, "port"), `${where}.port`)],
      ["sleep", (action, where) => sleepErrors(action, graceSeconds, where)],
    ];
  const set = rules.filter(([key]) => has(handler, key));
  if (set.length === 0) return [required(path, "must specify a handler type")];
  return set.flatMap(([key, rule], i) =>
    i === 0
      ? rule(at(handler, key), `${path}.${key}`)
      : [forbidden(`${path}.${key}`, "may not specify more than 1 handler type")],
  );
}

/** A port by number or name, that a container or Service may have. */
export function portErrors(port: JsonValue | undefined, path: string): readonly FieldError[] {
  if (typeof port === "string") return invalidEach(path, port, isPortName(port));
  const number = typeof port === "number" ? port : 0;
  return invalidEach(path, number, isPortNumber(number));
}

function httpErrors(action: JsonObject, path: string): readonly FieldError[] {
  return [
    ...(str(action, "path") === "" ? [required(`${path}.path`)] : []),
    ...portErrors(getOwn(action, "port"), `${path}.port`),
    ...oneOf(str(action, "scheme"), `${path}.scheme`, ["HTTP", "HTTPS"]),
    ...objs(action, "httpHeaders").flatMap((header) =>
      invalidEach(`${path}.httpHeaders`, str(header, "name"), isHttpHeaderName(str(header, "name"))),
    ),
  ];
}

function sleepErrors(action: JsonObject, graceSeconds: number | undefined, path: string): readonly FieldError[] {
  const seconds = num(action, "seconds");
  if (graceSeconds === undefined || (seconds >= 0 && seconds <= graceSeconds)) return [];
  return [invalid(path, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`)];
}

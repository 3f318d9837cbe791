import { getOwn, getPath, isArray, isObject, type JsonObject, type JsonValue } from "@fairlead/base";

import { nameOf } from "./documents.js";

/** What the default policy asks of pods: the restricted Pod Security Standard and then some. */

const VOLUMES = new Set(["name", "emptyDir", "configMap", "secret", "persistentVolumeClaim", "projected"]);
const SECCOMP = new Set(["RuntimeDefault", "Localhost"]);

/** The path of the pod spec inside a kind's object; undefined for kinds without one. */
export function podSpecPath(kind: string): readonly string[] | undefined {
  switch (kind) {
    case "Pod":
      return ["spec"];
    case "Deployment":
    case "ReplicaSet":
    case "StatefulSet":
    case "DaemonSet":
    case "Job":
      return ["spec", "template", "spec"];
    case "CronJob":
      return ["spec", "jobTemplate", "spec", "template", "spec"];
    default:
      return undefined;
  }
}

/** What is wrong with an object's pods; empty for kinds that make none. */
export function podSpecProblems(object: JsonObject): readonly string[] {
  const kind = String(object["kind"]);
  const path = podSpecPath(kind);
  const spec = path === undefined ? undefined : getPath(object, ...path);
  if (path === undefined || !isObject(spec)) return [];
  const at = `${kind} ${nameOf(object)}: `;
  const problems: string[] = [];
  for (const key of ["hostIPC", "hostNetwork", "hostPID"])
    if (getOwn(spec, key) === true) problems.push(`${at}${key} must not be true`);
  if (getOwn(spec, "automountServiceAccountToken") === true)
    problems.push(`${at}automountServiceAccountToken must not be true`);
  problems.push(...volumeProblems(spec, at));
  for (const key of ["initContainers", "containers"]) {
    for (const container of list(getOwn(spec, key))) problems.push(...containerProblems(container, spec, at));
  }
  return problems;
}

function volumeProblems(spec: JsonObject, at: string): readonly string[] {
  return list(getOwn(spec, "volumes")).flatMap((volume) => {
    const other = Object.keys(volume).filter((key) => !VOLUMES.has(key));
    const projected = list(getPath(volume, "projected", "sources")).flatMap((source) =>
      Object.keys(source).filter((key) => key !== "configMap" && key !== "secret"),
    );
    return [...other, ...projected].map(
      (source) => `${at}volume ${String(volume["name"])}: source ${source} is not allowed`,
    );
  });
}

function containerProblems(container: JsonObject, spec: JsonObject, at: string): readonly string[] {
  const name = `${at}container ${String(container["name"])}: `;
  const own = getOwn(container, "securityContext");
  const pod = getOwn(spec, "securityContext");
  const effective = (key: string): JsonValue | undefined =>
    (isObject(own) ? getOwn(own, key) : undefined) ?? (isObject(pod) ? getOwn(pod, key) : undefined);
  const problems: string[] = [];
  const need = (holds: boolean, what: string): void => {
    if (!holds) problems.push(name + what);
  };
  need(typeof container["image"] === "string" && container["image"] !== "", "image must be set");
  need(
    list(getOwn(container, "ports")).every((p) => p["hostPort"] === undefined || p["hostPort"] === 0),
    "hostPort is not allowed",
  );
  need(effective("privileged") !== true, "securityContext.privileged must not be true");
  need(effective("allowPrivilegeEscalation") === false, "securityContext.allowPrivilegeEscalation must be false");
  need(effective("readOnlyRootFilesystem") === true, "securityContext.readOnlyRootFilesystem must be true");
  need(effective("runAsNonRoot") === true, "securityContext.runAsNonRoot must be true");
  need(effective("runAsUser") !== 0, "securityContext.runAsUser must not be 0");
  need(
    effective("procMount") === undefined || effective("procMount") === "Default",
    "securityContext.procMount must be Default",
  );
  const seccomp = effective("seccompProfile");
  need(
    isObject(seccomp) && SECCOMP.has(String(seccomp["type"])),
    "securityContext.seccompProfile.type must be RuntimeDefault or Localhost",
  );
  const capabilities = effective("capabilities");
  const drop = isObject(capabilities) ? getOwn(capabilities, "drop") : undefined;
  const add = isObject(capabilities) ? getOwn(capabilities, "add") : undefined;
  need(isArray(drop) && drop.includes("ALL"), "securityContext.capabilities.drop must hold ALL");
  need(
    !isArray(add) || add.every((c) => c === "NET_BIND_SERVICE"),
    "securityContext.capabilities.add may hold NET_BIND_SERVICE only",
  );
  return problems;
}

function list(value: JsonValue | undefined): readonly JsonObject[] {
  return isArray(value) ? value.filter((v): v is JsonObject => isObject(v)) : [];
}

import {
  getOwn,
  getPath,
  isArray,
  isObject,
  nameSuffix,
  type JsonObject,
  type JsonValue,
  type Random,
} from "@fairlead/base";

import { forbidden } from "../registry/failures.js";
import type { Storage } from "../storage/storage.js";
import type { AdmissionPlugin, AdmissionRequest } from "./admission.js";

const TOKEN_MOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Gives each new pod a service account, and mounts its token unless pod or account decline. */
export function serviceAccount(storage: Storage, random: Random): AdmissionPlugin {
  return {
    name: "ServiceAccount",
    mutate: (request) => {
      const pod = newPod(request);
      if (pod === undefined) return undefined;
      const spec = specOf(pod);
      const given = getOwn(spec, "serviceAccountName");
      const name = typeof given === "string" && given !== "" ? given : "default";
      const account = storage.getForWrite("/serviceaccounts", `${request.namespace ?? ""}/${name}`);
      if (account === undefined) {
        const where = `${request.namespace ?? ""}/${name}`;
        throw forbidden(
          request.endpoint.strategy.info,
          request.name,
          `error looking up service account ${where}: serviceaccount ${JSON.stringify(name)} not found`,
        );
      }
      const named = { ...spec, serviceAccountName: name, serviceAccount: name };
      const withPull = getOwn(named, "imagePullSecrets") === undefined ? withPullSecrets(named, account.object) : named;
      const wantsToken =
        (getOwn(spec, "automountServiceAccountToken") ??
          getOwn(account.object, "automountServiceAccountToken") ??
          true) === true;
      return { ...pod, spec: wantsToken ? withToken(withPull, random) : withPull };
    },
  };
}

function withPullSecrets(spec: JsonObject, account: JsonObject): JsonObject {
  const secrets = getOwn(account, "imagePullSecrets");
  return isArray(secrets) && secrets.length > 0 ? { ...spec, imagePullSecrets: secrets } : spec;
}

/** The projected volume with the account's token, the cluster's CA and the namespace, mounted in every container. */
function withToken(spec: JsonObject, random: Random): JsonObject {
  const name = `kube-api-access-${nameSuffix(random)}`;
  let mounted = false;
  const mount = (containers: JsonValue | undefined): JsonValue | undefined => {
    if (!isArray(containers)) return containers;
    return containers.map((c) => {
      const container = c as JsonObject;
      const mounts = (getOwn(container, "volumeMounts") ?? []) as readonly JsonObject[];
      if (mounts.some((m) => m["mountPath"] === TOKEN_MOUNT)) return container;
      mounted = true;
      return { ...container, volumeMounts: [...mounts, { name, readOnly: true, mountPath: TOKEN_MOUNT }] };
    });
  };
  const init = mount(getOwn(spec, "initContainers"));
  const containers = mount(getOwn(spec, "containers"));
  if (!mounted) return spec;
  const volume = {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        {
          downwardAPI: {
            items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
          },
        },
      ],
      defaultMode: 420,
    },
  };
  const volumes = (getOwn(spec, "volumes") ?? []) as readonly JsonObject[];
  return {
    ...spec,
    ...(init === undefined ? {} : { initContainers: init }),
    containers,
    volumes: [...volumes, volume],
  };
}

/** Pods tolerate a node that is not ready or unreachable for five minutes, unless they say otherwise; changes of pods, too. */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: "DefaultTolerationSeconds",
  mutate: (request) => {
    const pod = newPod({ ...request, operation: request.operation === "UPDATE" ? "CREATE" : request.operation });
    if (pod === undefined) return undefined;
    const spec = specOf(pod);
    const tolerations = (getOwn(spec, "tolerations") ?? []) as readonly JsonObject[];
    const missing = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"].filter(
      (key) =>
        !tolerations.some(
          (t) =>
            (t["key"] === key || (t["key"] ?? "") === "") &&
            ((t["effect"] ?? "") === "" || t["effect"] === "NoExecute"),
        ),
    );
    if (missing.length === 0) return undefined;
    const added = missing.map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }));
    return { ...pod, spec: { ...spec, tolerations: [...tolerations, ...added] } };
  },
};

const SYSTEM_PRIORITIES: ReadonlyMap<string, number> = new Map([
  ["system-cluster-critical", 2_000_000_000],
  ["system-node-critical", 2_000_001_000],
]);

/** Turns a pod's priority class into its priority and preemption policy, which changes of the pod keep. */
export function priority(storage: Storage): AdmissionPlugin {
  return {
    name: "Priority",
    mutate: (request) => {
      const pod = newPod({ ...request, operation: request.operation === "UPDATE" ? "CREATE" : request.operation });
      if (pod === undefined) return undefined;
      const { oldObject } = request;
      return { ...pod, spec: oldObject === undefined ? prioritized(storage, request, pod) : kept(pod, oldObject) };
    },
  };
}

function kept(pod: JsonObject, old: JsonObject): JsonObject {
  const before = specOf(old);
  const copied = ["priority", "preemptionPolicy"].flatMap((key) => {
    const value = getOwn(before, key);
    return getOwn(specOf(pod), key) === undefined && value !== undefined ? [[key, value] as const] : [];
  });
  return { ...specOf(pod), ...Object.fromEntries(copied) };
}

function prioritized(storage: Storage, { endpoint, name }: AdmissionRequest, pod: JsonObject): JsonObject {
  const { info } = endpoint.strategy;
  const spec = specOf(pod);
  const found = priorityClass(storage, getOwn(spec, "priorityClassName"));
  if (found === undefined)
    throw forbidden(info, name, `no PriorityClass with name ${String(spec["priorityClassName"])} was found`);
  const asked = getOwn(spec, "priority");
  if (asked !== undefined && asked !== found.value)
    throw forbidden(
      info,
      name,
      `the integer value of priority (${String(asked)}) must not be provided in pod spec; priority admission controller computed ${found.value} from the given PriorityClass name`,
    );
  const policy = getOwn(spec, "preemptionPolicy");
  if (policy !== undefined && policy !== found.preemptionPolicy)
    throw forbidden(
      info,
      name,
      `the string value of PreemptionPolicy (${String(policy)}) must not be provided in pod spec; priority admission controller computed ${found.preemptionPolicy} from the given PriorityClass name`,
    );
  return {
    ...spec,
    ...(found.name === "" ? {} : { priorityClassName: found.name }),
    priority: found.value,
    preemptionPolicy: found.preemptionPolicy,
  };
}

interface Priority {
  /** Empty where there is no class. */
  readonly name: string;
  readonly value: number;
  readonly preemptionPolicy: string;
}

/** What a class gives; without a name the default class, of several that with the least value. */
function priorityClass(storage: Storage, name: JsonValue | undefined): Priority | undefined {
  if (typeof name === "string" && name !== "") {
    const known = storage.getForWrite("scheduling.k8s.io/priorityclasses", name)?.object;
    if (known !== undefined) return priorityOf(known);
    const value = SYSTEM_PRIORITIES.get(name);
    return value === undefined ? undefined : { name, value, preemptionPolicy: "PreemptLowerPriority" };
  }
  const [standard] = storage
    .list("scheduling.k8s.io/priorityclasses", { prefix: "" })
    .map((record) => record.object)
    .filter((each) => each["globalDefault"] === true)
    .map(priorityOf)
    .sort((a, b) => a.value - b.value);
  return standard ?? { name: "", value: 0, preemptionPolicy: "PreemptLowerPriority" };
}

function priorityOf(priorityClass: JsonObject): Priority {
  return {
    name: String(getPath(priorityClass, "metadata", "name")),
    value: Number(getOwn(priorityClass, "value") ?? 0),
    preemptionPolicy: String(getOwn(priorityClass, "preemptionPolicy") ?? "PreemptLowerPriority"),
  };
}

/** The pod that is being created; undefined for every other write. */
function newPod({ operation, endpoint, subresource, object }: AdmissionRequest): JsonObject | undefined {
  const { info } = endpoint.strategy;
  return operation === "CREATE" && info.group === "" && info.resource === "pods" && subresource === ""
    ? object
    : undefined;
}

function specOf(pod: JsonObject): JsonObject {
  const spec = getOwn(pod, "spec");
  return isObject(spec) ? spec : {};
}

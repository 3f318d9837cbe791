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

/** Turns a pod's priority class into its priority and preemption policy. */
export function priority(storage: Storage): AdmissionPlugin {
  return {
    name: "Priority",
    mutate: (request) => {
      const pod = newPod(request);
      if (pod === undefined) return undefined;
      const spec = specOf(pod);
      const className = getOwn(spec, "priorityClassName");
      if (typeof className === "string" && className !== "") {
        const known = storage.getForWrite("scheduling.k8s.io/priorityclasses", className)?.object;
        const value = known === undefined ? SYSTEM_PRIORITIES.get(className) : getOwn(known, "value");
        if (value === undefined) {
          throw forbidden(
            request.endpoint.strategy.info,
            request.name,
            `no PriorityClass with name ${className} was found`,
          );
        }
        const policy = (known === undefined ? undefined : getOwn(known, "preemptionPolicy")) ?? "PreemptLowerPriority";
        return {
          ...pod,
          spec: { ...spec, priority: value, preemptionPolicy: getOwn(spec, "preemptionPolicy") ?? policy },
        };
      }
      const standard = storage
        .list("scheduling.k8s.io/priorityclasses", { prefix: "" })
        .find((r) => r.object["globalDefault"] === true)?.object;
      const policy =
        getOwn(spec, "preemptionPolicy") ??
        (standard === undefined ? undefined : getOwn(standard, "preemptionPolicy")) ??
        "PreemptLowerPriority";
      return {
        ...pod,
        spec: {
          ...spec,
          ...(standard === undefined ? {} : { priorityClassName: getPath(standard, "metadata", "name") }),
          priority: standard === undefined ? 0 : (getOwn(standard, "value") ?? 0),
          preemptionPolicy: policy,
        },
      };
    },
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

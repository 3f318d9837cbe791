import { getOwn, isObject, type JsonObject } from "@fairlead/base";

import {
  FIELD_MANAGER,
  INFRA_ANNOTATION,
  INSTANCE_ACCOUNT,
  INSTANCE_TYPE_LABEL,
  MANAGED_BY_LABEL,
  METADATA_CONFIG_MAP,
  NAME_LABEL,
  REVISION_LABEL,
  type IcmsRequest,
  type MiniService,
} from "./api.js";
import type { WorkerProfile } from "./worker/profile.js";

/** The objects that the operator puts around a chart, as plain data: each names exactly the fields that we own. */

/** Rules of the account that the chart's objects are meant to act as. */
export const DEFAULT_INSTANCE_RULES: readonly JsonObject[] = [
  {
    apiGroups: [""],
    resources: [
      "configmaps",
      "persistentvolumeclaims",
      "pods",
      "pods/status",
      "pods/log",
      "secrets",
      "serviceaccounts",
      "services",
    ],
    verbs: ["get", "list", "watch", "create", "update", "delete", "patch"],
  },
  {
    apiGroups: ["apps"],
    resources: ["deployments", "replicasets", "statefulsets"],
    verbs: ["get", "list", "watch", "create", "update", "delete", "patch"],
  },
  {
    apiGroups: ["rbac.authorization.k8s.io"],
    resources: ["roles", "rolebindings"],
    verbs: ["get", "list", "watch", "create", "update", "delete", "patch"],
  },
  {
    apiGroups: ["batch"],
    resources: ["jobs", "cronjobs"],
    verbs: ["get", "list", "watch", "create", "update", "delete", "patch"],
  },
];

/** Labels that follow from the request; only those whose source is set. */
export function requestLabels(request: IcmsRequest | undefined): Readonly<Record<string, string>> {
  const spec = request?.spec;
  if (spec === undefined) return {};
  const info = spec.creationMsgInfo;
  const functionId = spec.functionDetails?.functionId ?? spec.functionId;
  const versionId = spec.functionDetails?.functionVersionId ?? spec.functionVersionId;
  const ncaId = spec.ncaId === undefined ? undefined : `nca-${spec.ncaId}-nca`;
  return defined({
    "icms-request-id": spec.requestId,
    "nca-id": ncaId,
    NCA_ID: ncaId,
    "nvcf.nvidia.io/message-batch-id": spec.messageBatchId,
    "gpu-name": info?.gpuType ?? info?.gpuName,
    "function-id": functionId,
    FUNCTION_ID: functionId,
    "function-version-id": versionId,
    FUNCTION_VERSION_ID: versionId,
    "task-id": spec.taskDetails?.taskId,
    TASK_ID: spec.taskDetails?.taskId,
  });
}

export function requestAnnotations(request: IcmsRequest | undefined): Readonly<Record<string, string>> {
  const spec = request?.spec;
  const count = spec?.creationMsgInfo?.instanceCount;
  return defined({
    "icms-request-id": spec?.requestId,
    "nca-id": spec?.ncaId,
    "icms-cluster-group": spec?.creationMsgInfo?.clusterGroup,
    "instance-count": count === undefined ? undefined : String(count),
  });
}

function defined(labels: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(labels).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ""),
  );
}

export function namespaceManifest(service: MiniService, request: IcmsRequest | undefined): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name: service.spec.namespace ?? "",
      labels: { ...requestLabels(request), [INSTANCE_TYPE_LABEL]: "miniservice", [NAME_LABEL]: service.metadata.name },
      annotations: { ...requestAnnotations(request), [UID_ANNOTATION]: service.metadata.uid ?? "" },
    },
  };
}

/** Whose namespace it is: the uid of the MiniService that claimed it. */
export const UID_ANNOTATION = "nvca.nvcf.nvidia.io/miniservice-uid";

/** Account, role, binding, metadata and pull secrets, in the order in which they are applied. */
export function fenceManifests(
  service: MiniService,
  request: IcmsRequest | undefined,
  rules: readonly JsonObject[],
): readonly JsonObject[] {
  const infra = (object: JsonObject): JsonObject => withInfraMetadata(object, service, request);
  const account = { metadata: { name: INSTANCE_ACCOUNT } };
  return [
    infra({ apiVersion: "v1", kind: "ServiceAccount", ...account }),
    infra({ apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", ...account, rules }),
    infra({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      ...account,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: INSTANCE_ACCOUNT },
      subjects: [{ kind: "ServiceAccount", name: INSTANCE_ACCOUNT, namespace: service.spec.namespace ?? "" }],
    }),
    ...pullSecrets(service).map(infra),
    metadataConfigMap(service, request),
  ];
}

/** Registry credentials of the chart's source, for the worker and for the workload. */
function pullSecrets(service: MiniService): readonly JsonObject[] {
  const documents = service.spec.helmChartConfig?.authConfig?.k8sSecrets ?? [];
  const base = service.spec.icmsRequestName ?? service.spec.spotRequestName ?? service.metadata.name;
  return documents.flatMap((document, i) =>
    ["worker", "workload"].map((side) => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: `${side}-${base}-regcred-${i}` },
      type: "kubernetes.io/dockerconfigjson",
      data: { ".dockerconfigjson": btoa(JSON.stringify(document)) },
    })),
  );
}

/** What an admission webhook would add to the chart's pods, as one JSON document. */
function metadataConfigMap(service: MiniService, request: IcmsRequest | undefined): JsonObject {
  const info = request?.spec.creationMsgInfo;
  const metadata = {
    messageAction: request?.spec.action ?? "RequestICMSInstances",
    labels: requestLabels(request),
    annotations: requestAnnotations(request),
    podLabels: {},
    podAnnotations: {},
    envVars: [],
    nodeAffinityKey: "nvca.nvcf.nvidia.io/instance-type",
    nodeAffinityValue: info?.instanceTypeValue ?? "",
    serviceAccountName: INSTANCE_ACCOUNT,
    tolerations: [],
    imagePullSecretNames: [],
  };
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: METADATA_CONFIG_MAP,
      namespace: service.spec.namespace ?? "",
      labels: { [NAME_LABEL]: service.metadata.name },
      annotations: { [INFRA_ANNOTATION]: "true" },
    },
    data: { metadata: JSON.stringify(metadata) },
  };
}

export function workerManifest(
  profile: WorkerProfile,
  service: MiniService,
  request: IcmsRequest | undefined,
): JsonObject {
  return withInfraMetadata(profile.pod(service, request), service, request);
}

function withInfraMetadata(object: JsonObject, service: MiniService, request: IcmsRequest | undefined): JsonObject {
  const labelled = withMetadata(object, service, request);
  const metadata = labelled["metadata"] as JsonObject;
  return {
    ...labelled,
    metadata: {
      ...metadata,
      namespace: service.spec.namespace ?? "",
      annotations: { ...(metadata["annotations"] as JsonObject), [INFRA_ANNOTATION]: "true" },
    },
  };
}

/** An object of the chart as it is applied: our labels and annotations on top, in the service's namespace if it has one. */
export function workloadManifest(
  object: JsonObject,
  service: MiniService,
  { request, namespaced }: { readonly request: IcmsRequest | undefined; readonly namespaced: boolean },
): JsonObject {
  const labelled = withMetadata(object, service, request);
  const { namespace: _namespace, ...metadata } = labelled["metadata"] as JsonObject;
  return { ...labelled, metadata: namespaced ? { ...metadata, namespace: service.spec.namespace ?? "" } : metadata };
}

function withMetadata(object: JsonObject, service: MiniService, request: IcmsRequest | undefined): JsonObject {
  const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
  const own = (key: string): JsonObject => {
    const value = getOwn(metadata, key);
    return isObject(value) ? value : {};
  };
  const annotations = { ...own("annotations"), ...requestAnnotations(request) };
  return {
    ...object,
    metadata: {
      ...metadata,
      labels: { ...own("labels"), ...requestLabels(request), [NAME_LABEL]: service.metadata.name },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
  };
}

/** The record of an applied revision: what it was made of, and what it made. */
export function revisionManifest(
  service: MiniService,
  revision: number,
  record: {
    readonly inputDigest: string;
    readonly renderHash: string;
    readonly timestamp: string;
    readonly inventory: readonly string[];
  },
): JsonObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: revisionName(revision),
      namespace: service.spec.namespace ?? "",
      labels: {
        [MANAGED_BY_LABEL]: FIELD_MANAGER,
        [NAME_LABEL]: service.metadata.name,
        [REVISION_LABEL]: String(revision),
      },
      annotations: { [INFRA_ANNOTATION]: "true" },
    },
    data: {
      chartURL: service.spec.helmChartConfig?.url ?? "",
      timestamp: record.timestamp,
      inputDigest: record.inputDigest,
      renderHash: record.renderHash,
      inventory: record.inventory.join("\n"),
    },
  };
}

export function revisionName(revision: number): string {
  return `miniservice-revision-v${revision}`;
}

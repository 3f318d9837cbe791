// What discovery says of the built-in kinds, and the switches of their strategies, as in Kubernetes 1.35
// (k/k: pkg/registry/*/*/strategy.go and storage.go).
import type { GroupVersionKind } from "@fairlead/apimachinery";
import type { ResourceInfo, Subresource } from "../resource.js";

/** Facts of a kind that differ from the usual; what is left out has its ordinary value. */
interface KindFacts {
  readonly short?: readonly string[];
  readonly categories?: readonly string[];
  readonly cluster?: boolean;
  readonly verbs?: readonly string[];
  readonly status?: boolean;
  readonly scale?: boolean;
  readonly sub?: readonly Subresource[];
  readonly generation?: boolean;
  readonly unconditional?: boolean;
  readonly createOnUpdate?: boolean;
  readonly returnsDeleted?: boolean;
  readonly orphans?: boolean;
  readonly singular?: string;
}

const ALL_VERBS: readonly string[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];

const NAMESPACE_VERBS: readonly string[] = ["create", "delete", "get", "list", "patch", "update", "watch"];
const CREATE: readonly string[] = ["create"];
const PROXY: readonly string[] = ["create", "delete", "get", "patch", "update"];
const CONNECT: readonly string[] = ["create", "get"];
const CHANGE: readonly string[] = ["get", "patch", "update"];
const ALL: readonly string[] = ["all"];
const EXTENSIONS: readonly string[] = ["api-extensions"];

/** Every served built-in kind, by `group/version/Kind` (`/v1/Pod` for the core group), in the order of discovery. */
export const BUILTIN_KINDS: ReadonlyMap<string, ResourceInfo> = new Map(
  rows().map((info) => [`${info.group}/${info.version}/${info.kind}`, info]),
);

/** The facts of a served built-in kind, by `group/version/Kind`. */
export function builtinKind(name: string): ResourceInfo {
  const info = BUILTIN_KINDS.get(name);
  if (info === undefined) throw new RangeError(`There is no built-in kind ${name}.`);
  return info;
}

function rows(): readonly ResourceInfo[] {
  const core = { group: "", version: "v1" };
  const apps = { group: "apps", version: "v1" };
  const rbac = { group: "rbac.authorization.k8s.io", version: "v1" };
  const storage = { group: "storage.k8s.io", version: "v1" };
  const network = { group: "networking.k8s.io", version: "v1" };
  const admission = { group: "admissionregistration.k8s.io", version: "v1" };
  const authorization = { group: "authorization.k8s.io", version: "v1" };
  const authentication = { group: "authentication.k8s.io", version: "v1" };
  const flow = { group: "flowcontrol.apiserver.k8s.io", version: "v1" };
  const workload = { categories: ALL, status: true, generation: true };
  const unconditionalRole = { createOnUpdate: true };
  return [
    row(core, "Binding", "bindings", { verbs: CREATE }),
    row(core, "ComponentStatus", "componentstatuses", { cluster: true, short: ["cs"], verbs: ["get", "list"] }),
    row(core, "ConfigMap", "configmaps", { short: ["cm"] }),
    row(core, "Endpoints", "endpoints", { short: ["ep"], singular: "endpoints", createOnUpdate: true }),
    row(core, "Event", "events", { short: ["ev"], createOnUpdate: true }),
    row(core, "LimitRange", "limitranges", { short: ["limits"], createOnUpdate: true }),
    row(core, "Namespace", "namespaces", {
      cluster: true,
      short: ["ns"],
      verbs: NAMESPACE_VERBS,
      status: true,
      returnsDeleted: true,
      sub: [sub(core, "Namespace", "finalize", ["update"])],
    }),
    row(core, "Node", "nodes", {
      cluster: true,
      short: ["no"],
      status: true,
      sub: [sub(core, "NodeProxyOptions", "proxy", PROXY)],
    }),
    row(core, "PersistentVolumeClaim", "persistentvolumeclaims", {
      short: ["pvc"],
      status: true,
      returnsDeleted: true,
    }),
    row(core, "PersistentVolume", "persistentvolumes", {
      cluster: true,
      short: ["pv"],
      status: true,
      returnsDeleted: true,
    }),
    row(core, "Pod", "pods", { short: ["po"], ...workload, returnsDeleted: true, sub: podSubresources(core) }),
    row(core, "PodTemplate", "podtemplates", { generation: true, returnsDeleted: true }),
    row(core, "ReplicationController", "replicationcontrollers", {
      short: ["rc"],
      ...workload,
      scale: true,
      orphans: true,
    }),
    row(core, "ResourceQuota", "resourcequotas", { short: ["quota"], status: true, returnsDeleted: true }),
    row(core, "Secret", "secrets", {}),
    row(core, "ServiceAccount", "serviceaccounts", {
      short: ["sa"],
      returnsDeleted: true,
      sub: [sub({ group: "authentication.k8s.io", version: "v1" }, "TokenRequest", "token", CREATE)],
    }),
    row(core, "Service", "services", {
      short: ["svc"],
      categories: ALL,
      status: true,
      createOnUpdate: true,
      returnsDeleted: true,
      sub: [sub(core, "ServiceProxyOptions", "proxy", PROXY)],
    }),
    row({ group: "apiregistration.k8s.io", version: "v1" }, "APIService", "apiservices", {
      cluster: true,
      categories: EXTENSIONS,
      status: true,
      unconditional: false,
    }),
    row(apps, "ControllerRevision", "controllerrevisions", {}),
    row(apps, "DaemonSet", "daemonsets", { short: ["ds"], ...workload }),
    row(apps, "Deployment", "deployments", { short: ["deploy"], ...workload, scale: true }),
    row(apps, "ReplicaSet", "replicasets", { short: ["rs"], ...workload, scale: true }),
    row(apps, "StatefulSet", "statefulsets", { short: ["sts"], ...workload, scale: true }),
    row({ group: "events.k8s.io", version: "v1" }, "Event", "events", { short: ["ev"], createOnUpdate: true }),
    row(authentication, "SelfSubjectReview", "selfsubjectreviews", { cluster: true, verbs: CREATE }),
    row(authentication, "TokenReview", "tokenreviews", { cluster: true, verbs: CREATE }),
    row(authorization, "LocalSubjectAccessReview", "localsubjectaccessreviews", { verbs: CREATE }),
    row(authorization, "SelfSubjectAccessReview", "selfsubjectaccessreviews", { cluster: true, verbs: CREATE }),
    row(authorization, "SelfSubjectRulesReview", "selfsubjectrulesreviews", { cluster: true, verbs: CREATE }),
    row(authorization, "SubjectAccessReview", "subjectaccessreviews", { cluster: true, verbs: CREATE }),
    row({ group: "autoscaling", version: "v2" }, "HorizontalPodAutoscaler", "horizontalpodautoscalers", {
      short: ["hpa"],
      categories: ALL,
      status: true,
    }),
    row({ group: "autoscaling", version: "v1" }, "HorizontalPodAutoscaler", "horizontalpodautoscalers", {
      short: ["hpa"],
      categories: ALL,
      status: true,
    }),
    row({ group: "batch", version: "v1" }, "CronJob", "cronjobs", { short: ["cj"], ...workload }),
    row({ group: "batch", version: "v1" }, "Job", "jobs", { ...workload, orphans: true }),
    row({ group: "certificates.k8s.io", version: "v1" }, "CertificateSigningRequest", "certificatesigningrequests", {
      cluster: true,
      short: ["csr"],
      status: true,
      sub: [sub({ group: "certificates.k8s.io", version: "v1" }, "CertificateSigningRequest", "approval", CHANGE)],
    }),
    row(network, "IngressClass", "ingressclasses", { cluster: true, generation: true }),
    row(network, "Ingress", "ingresses", { short: ["ing"], status: true, generation: true }),
    row(network, "IPAddress", "ipaddresses", { cluster: true, short: ["ip"] }),
    row(network, "NetworkPolicy", "networkpolicies", { short: ["netpol"], generation: true }),
    row(network, "ServiceCIDR", "servicecidrs", { cluster: true, status: true }),
    row({ group: "policy", version: "v1" }, "PodDisruptionBudget", "poddisruptionbudgets", {
      short: ["pdb"],
      status: true,
      generation: true,
      unconditional: false,
    }),
    row(rbac, "ClusterRoleBinding", "clusterrolebindings", { cluster: true, ...unconditionalRole }),
    row(rbac, "ClusterRole", "clusterroles", { cluster: true, ...unconditionalRole }),
    row(rbac, "RoleBinding", "rolebindings", unconditionalRole),
    row(rbac, "Role", "roles", unconditionalRole),
    row(storage, "CSIDriver", "csidrivers", { cluster: true, unconditional: false, returnsDeleted: true }),
    row(storage, "CSINode", "csinodes", { cluster: true, unconditional: false, returnsDeleted: true }),
    row(storage, "CSIStorageCapacity", "csistoragecapacities", { unconditional: false }),
    row(storage, "StorageClass", "storageclasses", { cluster: true, short: ["sc"], returnsDeleted: true }),
    row(storage, "VolumeAttachment", "volumeattachments", {
      cluster: true,
      status: true,
      unconditional: false,
      returnsDeleted: true,
    }),
    row(storage, "VolumeAttributesClass", "volumeattributesclasses", {
      cluster: true,
      short: ["vac"],
      returnsDeleted: true,
    }),
    row(admission, "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", {
      cluster: true,
      categories: EXTENSIONS,
      generation: true,
      unconditional: false,
    }),
    row(admission, "ValidatingAdmissionPolicy", "validatingadmissionpolicies", {
      cluster: true,
      categories: EXTENSIONS,
      status: true,
      generation: true,
      unconditional: false,
    }),
    row(admission, "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", {
      cluster: true,
      categories: EXTENSIONS,
      generation: true,
      unconditional: false,
    }),
    row(admission, "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", {
      cluster: true,
      categories: EXTENSIONS,
      generation: true,
      unconditional: false,
    }),
    row({ group: "apiextensions.k8s.io", version: "v1" }, "CustomResourceDefinition", "customresourcedefinitions", {
      cluster: true,
      short: ["crd", "crds"],
      categories: EXTENSIONS,
      status: true,
      generation: true,
      unconditional: false,
    }),
    row({ group: "scheduling.k8s.io", version: "v1" }, "PriorityClass", "priorityclasses", {
      cluster: true,
      short: ["pc"],
    }),
    row({ group: "coordination.k8s.io", version: "v1" }, "Lease", "leases", {
      unconditional: false,
      createOnUpdate: true,
    }),
    row({ group: "discovery.k8s.io", version: "v1" }, "EndpointSlice", "endpointslices", { generation: true }),
    row(flow, "FlowSchema", "flowschemas", { cluster: true, status: true, generation: true }),
    row(flow, "PriorityLevelConfiguration", "prioritylevelconfigurations", {
      cluster: true,
      status: true,
      generation: true,
    }),
    row({ group: "node.k8s.io", version: "v1" }, "RuntimeClass", "runtimeclasses", {
      cluster: true,
      unconditional: false,
      createOnUpdate: true,
    }),
  ];
}

type GroupVersion = Pick<GroupVersionKind, "group" | "version">;

function row(gv: GroupVersion, kind: string, resource: string, facts: KindFacts): ResourceInfo {
  return {
    ...gv,
    kind,
    resource,
    singular: facts.singular ?? kind.toLowerCase(),
    listKind: `${kind}List`,
    shortNames: facts.short ?? [],
    categories: facts.categories ?? [],
    namespaced: facts.cluster !== true,
    verbs: facts.verbs ?? ALL_VERBS,
    hasStatus: facts.status ?? false,
    ...(facts.scale === true
      ? { scale: { specReplicas: "spec.replicas", statusReplicas: "status.replicas", labelSelector: "spec.selector" } }
      : {}),
    otherSubresources: facts.sub ?? [],
    tracksGeneration: facts.generation ?? false,
    allowsUnconditionalUpdate: facts.unconditional ?? true,
    allowsCreateOnUpdate: facts.createOnUpdate ?? false,
    returnsDeletedObject: facts.returnsDeleted ?? false,
    defaultPropagation: facts.orphans === true ? "Orphan" : "Background",
    custom: false,
  };
}

function sub(gv: GroupVersion, kind: string, name: string, verbs: readonly string[]): Subresource {
  return { ...gv, kind, name, verbs };
}

function podSubresources(core: GroupVersion): readonly Subresource[] {
  return [
    sub(core, "PodAttachOptions", "attach", CONNECT),
    sub(core, "Binding", "binding", CREATE),
    sub(core, "Pod", "ephemeralcontainers", CHANGE),
    sub({ group: "policy", version: "v1" }, "Eviction", "eviction", CREATE),
    sub(core, "PodExecOptions", "exec", CONNECT),
    sub(core, "Pod", "log", ["get"]),
    sub(core, "PodPortForwardOptions", "portforward", CONNECT),
    sub(core, "PodProxyOptions", "proxy", PROXY),
    sub(core, "Pod", "resize", CHANGE),
  ];
}

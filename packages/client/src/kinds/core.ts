import type { Condition, KubernetesObject, ObjectMeta } from "@fairlead/apimachinery";
import { resourceKind, type ResourceKind } from "../request/resource-kind.js";
import type {
  IntOrString,
  LabelSelector,
  LocalObjectReference,
  NodeSelectorTerm,
  ObjectReference,
  PodSpec,
  PodTemplateSpec,
  Quantity,
  ResourceRequirements,
  StringMap,
} from "./pod-spec.js";

/** The core group: `v1`. Fields are those that controllers use; others pass through unharmed, for nothing is rewritten whole. */
const core = <T extends KubernetesObject>(kind: string, resource: string, namespaced: boolean): ResourceKind<T> =>
  resourceKind<T>({ group: "", version: "v1", kind, resource, namespaced });

/** Conditions of pods, nodes and claims carry probe times besides. */
export interface ProbedCondition extends Condition {
  readonly lastProbeTime?: string | null;
  readonly lastHeartbeatTime?: string;
}

export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: { readonly startedAt?: string };
  readonly terminated?: {
    readonly exitCode: number;
    readonly signal?: number;
    readonly reason?: string;
    readonly message?: string;
    readonly startedAt?: string;
    readonly finishedAt?: string;
    readonly containerID?: string;
  };
}

export interface ContainerStatus {
  readonly name: string;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
  readonly ready: boolean;
  readonly restartCount: number;
  readonly image: string;
  readonly imageID: string;
  readonly containerID?: string;
  readonly started?: boolean;
}

export type PodPhase = "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown";

export interface PodStatus {
  readonly observedGeneration?: number;
  readonly phase?: PodPhase;
  readonly conditions?: readonly ProbedCondition[];
  readonly message?: string;
  readonly reason?: string;
  readonly nominatedNodeName?: string;
  readonly hostIP?: string;
  readonly hostIPs?: readonly { readonly ip: string }[];
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip: string }[];
  readonly startTime?: string;
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly ephemeralContainerStatuses?: readonly ContainerStatus[];
  readonly qosClass?: string;
  readonly resize?: string;
}

export interface Pod extends KubernetesObject {
  readonly spec?: PodSpec;
  readonly status?: PodStatus;
}
export const Pod: ResourceKind<Pod> = core("Pod", "pods", true);

export interface PodTemplate extends KubernetesObject {
  readonly template?: PodTemplateSpec;
}
export const PodTemplate: ResourceKind<PodTemplate> = core("PodTemplate", "podtemplates", true);

export interface ServicePort {
  readonly name?: string;
  readonly protocol?: string;
  readonly appProtocol?: string;
  readonly port: number;
  readonly targetPort?: IntOrString;
  readonly nodePort?: number;
}

export interface ServiceSpec {
  readonly ports?: readonly ServicePort[];
  readonly selector?: StringMap;
  readonly clusterIP?: string;
  readonly clusterIPs?: readonly string[];
  readonly type?: "ClusterIP" | "NodePort" | "LoadBalancer" | "ExternalName";
  readonly externalIPs?: readonly string[];
  readonly sessionAffinity?: string;
  readonly loadBalancerIP?: string;
  readonly loadBalancerClass?: string;
  readonly loadBalancerSourceRanges?: readonly string[];
  readonly externalName?: string;
  readonly externalTrafficPolicy?: string;
  readonly internalTrafficPolicy?: string;
  readonly healthCheckNodePort?: number;
  readonly publishNotReadyAddresses?: boolean;
  readonly ipFamilies?: readonly string[];
  readonly ipFamilyPolicy?: string;
  readonly allocateLoadBalancerNodePorts?: boolean;
}

export interface LoadBalancerStatus {
  readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string; readonly ipMode?: string }[];
}

export interface Service extends KubernetesObject {
  readonly spec?: ServiceSpec;
  readonly status?: { readonly loadBalancer?: LoadBalancerStatus; readonly conditions?: readonly Condition[] };
}
export const Service: ResourceKind<Service> = core("Service", "services", true);

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
  readonly timeAdded?: string;
}

export interface NodeStatus {
  readonly capacity?: Readonly<Record<string, Quantity>>;
  readonly allocatable?: Readonly<Record<string, Quantity>>;
  readonly phase?: string;
  readonly conditions?: readonly ProbedCondition[];
  readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  readonly daemonEndpoints?: { readonly kubeletEndpoint?: { readonly Port: number } };
  readonly nodeInfo?: StringMap;
  readonly images?: readonly { readonly names?: readonly string[]; readonly sizeBytes?: number }[];
  readonly volumesInUse?: readonly string[];
}

export interface Node extends KubernetesObject {
  readonly spec?: {
    readonly podCIDR?: string;
    readonly podCIDRs?: readonly string[];
    readonly providerID?: string;
    readonly unschedulable?: boolean;
    readonly taints?: readonly Taint[];
  };
  readonly status?: NodeStatus;
}
export const Node: ResourceKind<Node> = core("Node", "nodes", false);

export interface Namespace extends KubernetesObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: "Active" | "Terminating"; readonly conditions?: readonly Condition[] };
}
export const Namespace: ResourceKind<Namespace> = core("Namespace", "namespaces", false);

export interface ConfigMap extends KubernetesObject {
  readonly data?: StringMap;
  /** Base64. */
  readonly binaryData?: StringMap;
  readonly immutable?: boolean;
}
export const ConfigMap: ResourceKind<ConfigMap> = core("ConfigMap", "configmaps", true);

export interface Secret extends KubernetesObject {
  /** Base64. */
  readonly data?: StringMap;
  /** Plain text; the server moves it into `data` and never returns it. */
  readonly stringData?: StringMap;
  readonly type?: string;
  readonly immutable?: boolean;
}
export const Secret: ResourceKind<Secret> = core("Secret", "secrets", true);

export interface ServiceAccount extends KubernetesObject {
  readonly secrets?: readonly ObjectReference[];
  readonly imagePullSecrets?: readonly LocalObjectReference[];
  readonly automountServiceAccountToken?: boolean;
}
export const ServiceAccount: ResourceKind<ServiceAccount> = core("ServiceAccount", "serviceaccounts", true);

export interface PersistentVolume extends KubernetesObject {
  readonly spec?: {
    readonly capacity?: Readonly<Record<string, Quantity>>;
    readonly accessModes?: readonly string[];
    readonly claimRef?: ObjectReference;
    readonly persistentVolumeReclaimPolicy?: "Retain" | "Delete" | "Recycle";
    readonly storageClassName?: string;
    readonly volumeMode?: string;
    readonly mountOptions?: readonly string[];
    readonly hostPath?: { readonly path: string; readonly type?: string };
    readonly local?: { readonly path: string };
    readonly csi?: { readonly driver: string; readonly volumeHandle: string; readonly volumeAttributes?: StringMap };
    readonly nfs?: { readonly server: string; readonly path: string };
    readonly nodeAffinity?: { readonly required?: { readonly nodeSelectorTerms: readonly NodeSelectorTerm[] } };
  };
  readonly status?: { readonly phase?: string; readonly message?: string; readonly reason?: string };
}
export const PersistentVolume: ResourceKind<PersistentVolume> = core("PersistentVolume", "persistentvolumes", false);

export interface PersistentVolumeClaimSpec {
  readonly accessModes?: readonly string[];
  readonly selector?: LabelSelector;
  readonly resources?: Pick<ResourceRequirements, "limits" | "requests">;
  readonly volumeName?: string;
  readonly storageClassName?: string;
  readonly volumeMode?: string;
  readonly dataSource?: { readonly apiGroup?: string; readonly kind: string; readonly name: string };
}

export interface PersistentVolumeClaim extends KubernetesObject {
  readonly spec?: PersistentVolumeClaimSpec;
  readonly status?: {
    readonly phase?: "Pending" | "Bound" | "Lost";
    readonly accessModes?: readonly string[];
    readonly capacity?: Readonly<Record<string, Quantity>>;
    readonly conditions?: readonly ProbedCondition[];
  };
}
export const PersistentVolumeClaim: ResourceKind<PersistentVolumeClaim> = core(
  "PersistentVolumeClaim",
  "persistentvolumeclaims",
  true,
);

export interface Event extends KubernetesObject {
  readonly involvedObject: ObjectReference;
  readonly reason?: string;
  readonly message?: string;
  readonly source?: { readonly component?: string; readonly host?: string };
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly count?: number;
  readonly type?: "Normal" | "Warning";
  readonly eventTime?: string | null;
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
  readonly action?: string;
  readonly related?: ObjectReference;
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
}
export const Event: ResourceKind<Event> = core("Event", "events", true);

export interface ResourceQuota extends KubernetesObject {
  readonly spec?: {
    readonly hard?: Readonly<Record<string, Quantity>>;
    readonly scopes?: readonly string[];
  };
  readonly status?: {
    readonly hard?: Readonly<Record<string, Quantity>>;
    readonly used?: Readonly<Record<string, Quantity>>;
  };
}
export const ResourceQuota: ResourceKind<ResourceQuota> = core("ResourceQuota", "resourcequotas", true);

export interface LimitRange extends KubernetesObject {
  readonly spec?: { readonly limits: readonly Readonly<Record<string, unknown>>[] };
}
export const LimitRange: ResourceKind<LimitRange> = core("LimitRange", "limitranges", true);

export interface EndpointAddress {
  readonly ip: string;
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly targetRef?: ObjectReference;
}

export interface Endpoints extends KubernetesObject {
  readonly subsets?: readonly {
    readonly addresses?: readonly EndpointAddress[];
    readonly notReadyAddresses?: readonly EndpointAddress[];
    readonly ports?: readonly { readonly name?: string; readonly port: number; readonly protocol?: string }[];
  }[];
}
export const Endpoints: ResourceKind<Endpoints> = core("Endpoints", "endpoints", true);

export interface ReplicationController extends KubernetesObject {
  readonly spec?: { readonly replicas?: number; readonly selector?: StringMap; readonly template?: PodTemplateSpec };
  readonly status?: {
    readonly replicas: number;
    readonly readyReplicas?: number;
    readonly observedGeneration?: number;
  };
}
export const ReplicationController: ResourceKind<ReplicationController> = core(
  "ReplicationController",
  "replicationcontrollers",
  true,
);

/** The body of `pods/binding`. */
export interface Binding extends KubernetesObject {
  readonly metadata: ObjectMeta;
  readonly target: ObjectReference;
}

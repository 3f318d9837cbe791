import type { Condition, KubernetesObject } from "@fairlead/apimachinery";
import { resourceKind, type ResourceKind } from "../request/resource-kind.js";
import type { PersistentVolumeClaim } from "./core.js";
import type { IntOrString, LabelSelector, PodTemplateSpec } from "./pod-spec.js";

const apps = <T extends KubernetesObject>(kind: string, resource: string): ResourceKind<T> =>
  resourceKind<T>({ group: "apps", version: "v1", kind, resource, namespaced: true });

export interface RollingUpdate {
  readonly maxUnavailable?: IntOrString;
  readonly maxSurge?: IntOrString;
}

/** Conditions of Deployments carry an update time besides. */
export interface DeploymentCondition extends Condition {
  readonly lastUpdateTime?: string;
}

export interface DeploymentSpec {
  readonly replicas?: number;
  readonly selector: LabelSelector;
  readonly template: PodTemplateSpec;
  readonly strategy?: { readonly type?: "Recreate" | "RollingUpdate"; readonly rollingUpdate?: RollingUpdate };
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
  readonly paused?: boolean;
  readonly progressDeadlineSeconds?: number;
}

export interface DeploymentStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly DeploymentCondition[];
}

export interface Deployment extends KubernetesObject {
  readonly spec?: DeploymentSpec;
  readonly status?: DeploymentStatus;
}
export const Deployment: ResourceKind<Deployment> = apps("Deployment", "deployments");

export interface ReplicaSetSpec {
  readonly replicas?: number;
  readonly minReadySeconds?: number;
  readonly selector: LabelSelector;
  readonly template?: PodTemplateSpec;
}

export interface ReplicaSetStatus {
  readonly replicas: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
}

export interface ReplicaSet extends KubernetesObject {
  readonly spec?: ReplicaSetSpec;
  readonly status?: ReplicaSetStatus;
}
export const ReplicaSet: ResourceKind<ReplicaSet> = apps("ReplicaSet", "replicasets");

export interface StatefulSetSpec {
  readonly replicas?: number;
  readonly selector: LabelSelector;
  readonly template: PodTemplateSpec;
  readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[];
  readonly serviceName?: string;
  readonly podManagementPolicy?: "OrderedReady" | "Parallel";
  readonly updateStrategy?: {
    readonly type?: "RollingUpdate" | "OnDelete";
    readonly rollingUpdate?: { readonly partition?: number; readonly maxUnavailable?: IntOrString };
  };
  readonly revisionHistoryLimit?: number;
  readonly minReadySeconds?: number;
  readonly persistentVolumeClaimRetentionPolicy?: { readonly whenDeleted?: string; readonly whenScaled?: string };
  readonly ordinals?: { readonly start?: number };
}

export interface StatefulSetStatus {
  readonly observedGeneration?: number;
  readonly replicas: number;
  readonly readyReplicas?: number;
  readonly currentReplicas?: number;
  readonly updatedReplicas?: number;
  readonly availableReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
  readonly collisionCount?: number;
  readonly conditions?: readonly Condition[];
}

export interface StatefulSet extends KubernetesObject {
  readonly spec?: StatefulSetSpec;
  readonly status?: StatefulSetStatus;
}
export const StatefulSet: ResourceKind<StatefulSet> = apps("StatefulSet", "statefulsets");

export interface DaemonSetSpec {
  readonly selector: LabelSelector;
  readonly template: PodTemplateSpec;
  readonly updateStrategy?: { readonly type?: "RollingUpdate" | "OnDelete"; readonly rollingUpdate?: RollingUpdate };
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
}

export interface DaemonSetStatus {
  readonly currentNumberScheduled: number;
  readonly numberMisscheduled: number;
  readonly desiredNumberScheduled: number;
  readonly numberReady: number;
  readonly observedGeneration?: number;
  readonly updatedNumberScheduled?: number;
  readonly numberAvailable?: number;
  readonly numberUnavailable?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly Condition[];
}

export interface DaemonSet extends KubernetesObject {
  readonly spec?: DaemonSetSpec;
  readonly status?: DaemonSetStatus;
}
export const DaemonSet: ResourceKind<DaemonSet> = apps("DaemonSet", "daemonsets");

export interface ControllerRevision extends KubernetesObject {
  readonly revision: number;
  readonly data?: Readonly<Record<string, unknown>>;
}
export const ControllerRevision: ResourceKind<ControllerRevision> = apps("ControllerRevision", "controllerrevisions");

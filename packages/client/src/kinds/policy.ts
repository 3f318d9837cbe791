import type { Condition, KubernetesObject } from "@fairlead/apimachinery";
import { resourceKind, type ResourceKind } from "../request/resource-kind.js";
import type { IntOrString, LabelSelector, StringMap } from "./pod-spec.js";

export interface PodDisruptionBudget extends KubernetesObject {
  readonly spec?: {
    readonly minAvailable?: IntOrString;
    readonly maxUnavailable?: IntOrString;
    readonly selector?: LabelSelector;
    readonly unhealthyPodEvictionPolicy?: string;
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly disruptedPods?: StringMap;
    readonly disruptionsAllowed: number;
    readonly currentHealthy: number;
    readonly desiredHealthy: number;
    readonly expectedPods: number;
    readonly conditions?: readonly Condition[];
  };
}
export const PodDisruptionBudget: ResourceKind<PodDisruptionBudget> = resourceKind({
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  resource: "poddisruptionbudgets",
  namespaced: true,
});

export interface Lease extends KubernetesObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    /** MicroTime; compare for change only, it is another machine's clock. */
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}
export const Lease: ResourceKind<Lease> = resourceKind({
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  resource: "leases",
  namespaced: true,
});

export interface PriorityClass extends KubernetesObject {
  readonly value: number;
  readonly globalDefault?: boolean;
  readonly description?: string;
  readonly preemptionPolicy?: string;
}
export const PriorityClass: ResourceKind<PriorityClass> = resourceKind({
  group: "scheduling.k8s.io",
  version: "v1",
  kind: "PriorityClass",
  resource: "priorityclasses",
  namespaced: false,
});

export interface StorageClass extends KubernetesObject {
  readonly provisioner: string;
  readonly parameters?: StringMap;
  readonly reclaimPolicy?: string;
  readonly volumeBindingMode?: string;
  readonly allowVolumeExpansion?: boolean;
}
export const StorageClass: ResourceKind<StorageClass> = resourceKind({
  group: "storage.k8s.io",
  version: "v1",
  kind: "StorageClass",
  resource: "storageclasses",
  namespaced: false,
});

import type { KubernetesObject } from "@fairlead/apimachinery";
import { resourceKind, type ResourceKind } from "../request/resource-kind.js";
import type { LabelSelector } from "./pod-spec.js";

const rbac = <T extends KubernetesObject>(kind: string, resource: string, namespaced: boolean): ResourceKind<T> =>
  resourceKind<T>({ group: "rbac.authorization.k8s.io", version: "v1", kind, resource, namespaced });

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface RoleRef {
  readonly apiGroup: string;
  readonly kind: "Role" | "ClusterRole";
  readonly name: string;
}

export interface Subject {
  readonly kind: string;
  readonly apiGroup?: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface Role extends KubernetesObject {
  readonly rules: readonly PolicyRule[] | null;
}
export const Role: ResourceKind<Role> = rbac("Role", "roles", true);

export interface ClusterRole extends KubernetesObject {
  readonly rules: readonly PolicyRule[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] };
}
export const ClusterRole: ResourceKind<ClusterRole> = rbac("ClusterRole", "clusterroles", false);

export interface RoleBinding extends KubernetesObject {
  readonly subjects?: readonly Subject[];
  readonly roleRef: RoleRef;
}
export const RoleBinding: ResourceKind<RoleBinding> = rbac("RoleBinding", "rolebindings", true);

export interface ClusterRoleBinding extends KubernetesObject {
  readonly subjects?: readonly Subject[];
  readonly roleRef: RoleRef;
}
export const ClusterRoleBinding: ResourceKind<ClusterRoleBinding> = rbac(
  "ClusterRoleBinding",
  "clusterrolebindings",
  false,
);

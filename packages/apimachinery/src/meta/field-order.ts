// The members of metadata in the order of their Go structs (apimachinery: pkg/apis/meta/v1/types.go), which is the order
// in which Kubernetes prints them.

export const OBJECT_META_FIELDS: readonly string[] = [
  "name",
  "generateName",
  "namespace",
  "selfLink",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "annotations",
  "ownerReferences",
  "finalizers",
  "managedFields",
];

export const OWNER_REFERENCE_FIELDS: readonly string[] = [
  "apiVersion",
  "kind",
  "name",
  "uid",
  "controller",
  "blockOwnerDeletion",
];

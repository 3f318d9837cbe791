/** The finalizer that holds a CustomResourceDefinition until its objects are gone. */
export const CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

// Names of resources (k/k: pkg/apis/core/v1/helper/helpers.go).
import { isQualifiedName } from "../validation/names.js";

export function isHugePages(name: string): boolean {
  return name.startsWith("hugepages-");
}

/** Whether a resource is one of Kubernetes' own: without a domain, or of the project's. */
export function isNativeResource(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

/** Whether a resource is one that nodes have by somebody's extension. */
export function isExtendedResource(name: string): boolean {
  return !isNativeResource(name) && !name.startsWith("requests.") && isQualifiedName(`requests.${name}`).length === 0;
}

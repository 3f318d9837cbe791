import type { OpenApiSchema } from "./documents.js";

/**
 * How Go's encoder treats a field: left out when zero (``), always printed (`+`), a pointer that prints when it is set
 * (`!`), or a pointer that prints `null` when it is not (`~`).
 */
export type Presence = "" | "+" | "!" | "~";

/** Fields whose presence the documents and the field map do not tell; from the json tags of k8s.io/api. */
const EXCEPTIONS: ReadonlyMap<string, Presence> = new Map<string, Presence>([
  ...each("~", [
    "admissionregistration.v1.MutatingWebhook.sideEffects",
    "admissionregistration.v1.ValidatingWebhook.sideEffects",
    "apps.v1.DaemonSetSpec.selector",
    "apps.v1.DeploymentSpec.selector",
    "apps.v1.ReplicaSetSpec.selector",
    "apps.v1.StatefulSetSpec.selector",
    "authentication.v1.TokenRequestSpec.boundObjectRef",
    "authentication.v1.TokenRequestSpec.expirationSeconds",
    "core.v1.AzureFilePersistentVolumeSource.secretNamespace",
    "core.v1.GRPCAction.service",
    "core.v1.ScaleIOPersistentVolumeSource.secretRef",
    "core.v1.ScaleIOVolumeSource.secretRef",
    "core.v1.TypedLocalObjectReference.apiGroup",
    "core.v1.TypedObjectReference.apiGroup",
    "flowcontrol.v1.LimitedPriorityLevelConfiguration.nominalConcurrencyShares",
    "networking.v1.HTTPIngressPath.pathType",
    "networking.v1.IngressClassParametersReference.scope",
  ]),
  ...each("!", ["core.v1.AzureDiskVolumeSource.readOnly", "core.v1.FileKeySelector.optional"]),
  ...each("+", [
    "apiextensions.v1.CustomResourceDefinitionStatus.conditions",
    "apiextensions.v1.CustomResourceDefinitionStatus.storedVersions",
    "authentication.v1.TokenRequestSpec.audiences",
    "autoscaling.v2.HorizontalPodAutoscalerStatus.currentMetrics",
    "certificates.v1.CertificateSigningRequestSpec.request",
    "core.v1.ContainerImage.names",
    "core.v1.ProjectedVolumeSource.sources",
    "discovery.v1.EndpointSlice.endpoints",
    "discovery.v1.EndpointSlice.ports",
    "flowcontrol.v1.ResourcePolicyRule.namespaces",
    "rbac.v1.ClusterRole.rules",
    "rbac.v1.Role.rules",
    "storage.v1.CSINodeDriver.topologyKeys",
    "apps.v1.ControllerRevision.data",
  ]),
  ...each("", [
    "admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec.validationActions",
    "autoscaling.v1.ScaleSpec.replicas",
    "core.v1.ConfigMapEnvSource.name",
    "core.v1.ConfigMapKeySelector.name",
    "core.v1.ConfigMapProjection.name",
    "core.v1.ConfigMapVolumeSource.name",
    "core.v1.LocalObjectReference.name",
    "core.v1.ReplicationControllerSpec.minReadySeconds",
    "core.v1.SecretEnvSource.name",
    "core.v1.SecretKeySelector.name",
    "core.v1.SecretProjection.name",
    "meta.v1.ObjectMeta.creationTimestamp",
  ]),
]);

/** Struct types of Go that JSON prints as a scalar. */
const SCALARS: ReadonlySet<string> = new Set([
  "Time",
  "MicroTime",
  "Quantity",
  "IntOrString",
  "RawExtension",
  "FieldsV1",
]);

/**
 * @param field - `core.v1.Container.livenessProbe`.
 * @param required - Whether the type lists the field as required.
 */
export function presence(
  field: string,
  schema: OpenApiSchema,
  facts: { readonly required: boolean; readonly pointers: ReadonlySet<string> },
): Presence {
  const exception = EXCEPTIONS.get(field);
  if (exception !== undefined) return exception;
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (reference === undefined && (schema.type === "array" || schema.type === "object"))
    return facts.required ? "+" : "";
  if (facts.pointers.has(field)) return "!";
  if (reference !== undefined) {
    if (SCALARS.has(reference.slice(reference.lastIndexOf(".") + 1))) return "+";
    return isEmptyObject(schema.default) ? "+" : "!";
  }
  return schema.default === "" || schema.default === 0 || schema.default === false ? "+" : "";
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function each(value: Presence, fields: readonly string[]): readonly (readonly [string, Presence])[] {
  return fields.map((field) => [field, value] as const);
}

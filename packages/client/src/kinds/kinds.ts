/**
 * The built-in kinds: each name is the type of its objects and the descriptor that `client.api` takes. The package
 * exports this file as the namespace `kinds`. Kinds whose names another group has as well are in the namespace of their
 * group, and so are older versions: `kinds.autoscalingV1.HorizontalPodAutoscaler`.
 */
import type { PodStatus } from "../generated/core-v1.js";

export * from "../generated/admissionregistration-v1.js";
export * from "../generated/apiextensions-v1.js";
export * from "../generated/apiregistration-v1.js";
export * from "../generated/apps-v1.js";
export * from "../generated/authentication-v1.js";
export * from "../generated/authorization-v1.js";
export * from "../generated/autoscaling-v2.js";
export * from "../generated/batch-v1.js";
export * from "../generated/certificates-v1.js";
export * from "../generated/coordination-v1.js";
export * from "../generated/core-v1.js";
export * from "../generated/discovery-v1.js";
export type * from "../generated/meta-v1.js";
export * from "../generated/networking-v1.js";
export * from "../generated/node-v1.js";
export * from "../generated/policy-v1.js";
export * from "../generated/rbac-v1.js";
export * from "../generated/scheduling-v1.js";
export * from "../generated/storage-v1.js";
export * as autoscalingV1 from "../generated/autoscaling-v1.js";
export * as eventsV1 from "../generated/events-v1.js";
export * as flowcontrolV1 from "../generated/flowcontrol-v1.js";
export * as resourceV1 from "../generated/resource-v1.js";
export type * from "../generated/scalars.js";

// Names that several groups have.
export type { ServiceReference, WebhookClientConfig } from "../generated/apiextensions-v1.js";
export type { TokenRequest } from "../generated/authentication-v1.js";
export type { EndpointPort } from "../generated/discovery-v1.js";

export type PodPhase = NonNullable<PodStatus["phase"]>;

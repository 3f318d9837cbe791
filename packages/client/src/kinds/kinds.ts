/**
 * The built-in kinds: each name is the type of its objects and the descriptor that `client.api` takes. The package
 * exports this file as the namespace `kinds`.
 */
export * from "./apiextensions.js";
export * from "./apps.js";
export * from "./batch.js";
export * from "./core.js";
export * from "./networking.js";
export type * from "./pod-spec.js";
export * from "./policy.js";
export * from "./rbac.js";

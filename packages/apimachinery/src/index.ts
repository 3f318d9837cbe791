export * from "./gvk/gvk.js";
export * from "./meta/object-meta.js";
export * from "./meta/resource-version.js";
export * from "./schema/schema.js";
export * from "./status/status.js";
export * from "./validation/field-error.js";

import type { Schema } from "@fairlead/apimachinery";

/*
 * The implicit parts of every object of a custom kind: apiVersion, kind and metadata (meta/v1 ObjectMeta with the list
 * types of Kubernetes' OpenAPI document).
 */

const STRING: Schema = { type: "string" };
const BOOLEAN: Schema = { type: "boolean" };
const INTEGER: Schema = { type: "integer", format: "int64" };
const TIME: Schema = { type: "string", format: "date-time" };
const STRING_MAP: Schema = { type: "object", additionalProperties: STRING };

const OWNER_REFERENCE: Schema = {
  type: "object",
  mapType: "atomic",
  properties: new Map([
    ["apiVersion", STRING],
    ["kind", STRING],
    ["name", STRING],
    ["uid", { type: "string", default: "" }],
    ["controller", BOOLEAN],
    ["blockOwnerDeletion", BOOLEAN],
  ]),
};

const MANAGED_FIELDS_ENTRY: Schema = {
  type: "object",
  properties: new Map<string, Schema>([
    ["manager", STRING],
    ["operation", STRING],
    ["apiVersion", STRING],
    ["time", TIME],
    ["fieldsType", STRING],
    ["fieldsV1", { type: "object" }],
    ["subresource", STRING],
  ]),
};

const OBJECT_META: Schema = {
  type: "object",
  properties: new Map<string, Schema>([
    ["annotations", STRING_MAP],
    ["creationTimestamp", TIME],
    ["deletionGracePeriodSeconds", INTEGER],
    ["deletionTimestamp", TIME],
    ["finalizers", { type: "array", listType: "set", items: STRING }],
    ["generateName", STRING],
    ["generation", INTEGER],
    ["labels", STRING_MAP],
    ["managedFields", { type: "array", listType: "atomic", items: MANAGED_FIELDS_ENTRY }],
    ["name", STRING],
    ["namespace", STRING],
    ["ownerReferences", { type: "array", listType: "map", listMapKeys: ["uid"], items: OWNER_REFERENCE }],
    ["resourceVersion", STRING],
    ["selfLink", STRING],
    ["uid", STRING],
  ]),
};

/** The fields that the root of a custom resource and every embedded resource have, whatever their schema says. */
export const IMPLICIT_FIELDS: ReadonlyMap<string, Schema> = new Map([
  ["apiVersion", STRING],
  ["kind", STRING],
  ["metadata", OBJECT_META],
]);

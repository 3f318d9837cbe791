import {
  getOwn,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";

/** `metadata` of an object, or an empty one. */
export function metadataOf(object: JsonObject): JsonObject {
  const metadata = getOwn(object, "metadata");
  return isObject(metadata) ? metadata : {};
}

/** A string member of `metadata`; `""` when it is not there or no string. */
export function metadataText(object: JsonObject, name: string): string {
  const value = getOwn(metadataOf(object), name);
  return typeof value === "string" ? value : "";
}

/** `metadata.managedFields`, whatever it is. */
export function managedFieldsOf(object: JsonObject): JsonValue | undefined {
  return getOwn(metadataOf(object), "managedFields");
}

/** The object with these managedFields, or without any. Shares everything else; is the object itself if nothing changes. */
export function withManagedFields(object: JsonObject, managedFields: JsonArray | undefined): JsonObject {
  const metadata = metadataOf(object);
  if (
    getOwn(metadata, "managedFields") === managedFields &&
    (managedFields !== undefined || !Object.hasOwn(metadata, "managedFields"))
  ) {
    return object;
  }
  const copy: MutableJsonObject = { ...metadata };
  if (managedFields === undefined) delete copy["managedFields"];
  else copy["managedFields"] = managedFields;
  return { ...object, metadata: copy };
}

import {
  cloneJson,
  deepEqual,
  getOwn,
  isArray,
  isObject,
  type JsonObject,
  type MutableJsonObject,
} from "@fairlead/base";

/** The metadata of a decoded object; an empty one where it has none. */
export function metadataOf(object: JsonObject): JsonObject {
  const metadata = object["metadata"];
  return isObject(metadata) ? metadata : {};
}

/** A text member of metadata; `""` when absent. */
export function metaText(object: JsonObject, key: string): string {
  const value = getOwn(metadataOf(object), key);
  return typeof value === "string" ? value : "";
}

export function metaNumber(object: JsonObject, key: string): number | undefined {
  const value = getOwn(metadataOf(object), key);
  return typeof value === "number" ? value : undefined;
}

export function finalizersOf(object: JsonObject): readonly string[] {
  const value = getOwn(metadataOf(object), "finalizers");
  return isArray(value) ? (value as readonly string[]) : [];
}

/** The object with members of its metadata replaced; `undefined` removes one. */
export function withMetadata(object: JsonObject, changes: JsonObject): JsonObject {
  const metadata: MutableJsonObject = { ...metadataOf(object) };
  for (const key of Object.keys(changes)) {
    if (changes[key] === undefined) delete metadata[key];
    else metadata[key] = changes[key];
  }
  return { ...object, metadata };
}

/**
 * Hands a copy of an object to be changed to `change`, without its managedFields, which are put back as they are: they
 * may be larger than all the rest, and what wrote them left nothing to bring into form.
 */
export function withManagedFieldsAside(
  object: JsonObject,
  change: (copy: MutableJsonObject) => JsonObject,
): JsonObject {
  const { managedFields } = metadataOf(object);
  if (managedFields === undefined) return change(cloneJson<MutableJsonObject>(object));
  return withMetadata(change(cloneJson(withMetadata(object, { managedFields: undefined }))), { managedFields });
}

/** Whether two objects differ in any top-level member that `counts`. */
export function differs(a: JsonObject, b: JsonObject, counts: (key: string) => boolean): boolean {
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (counts(key) && !deepEqual(getOwn(a, key), getOwn(b, key))) return true;
  }
  return false;
}

export function isTerminating(object: JsonObject): boolean {
  return metaText(object, "deletionTimestamp") !== "";
}

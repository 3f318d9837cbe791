import { getOwn, isArray, isObject, stringifyJson, type JsonObject, type JsonValue } from "@fairlead/base";

import { metadataOf, withMetadata } from "./metadata.js";

const WARNING =
  ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ";

/** The object with each owner once; repeated ones are warned about (apiserver: endpoints/handlers/create.go). */
export function withUniqueOwners(object: JsonObject, warn: (text: string) => void): JsonObject {
  const references = getOwn(metadataOf(object), "ownerReferences");
  if (!isArray(references) || references.length < 2) return object;
  const kept: JsonValue[] = [];
  const seen = new Set<string>();
  const repeated: string[] = [];
  for (const reference of references) {
    const text = stringifyJson(reference);
    if (!seen.has(text)) kept.push(reference);
    else repeated.push(isObject(reference) ? String(getOwn(reference, "uid") ?? "") : "");
    seen.add(text);
  }
  if (repeated.length === 0) return object;
  warn(`${WARNING}${repeated.join(", ")}`);
  return withMetadata(object, { ownerReferences: kept });
}

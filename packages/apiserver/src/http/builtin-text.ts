import { byCodeUnit, isObject, stringifyJson, type JsonObject, type JsonValue } from "@fairlead/base";
import { OBJECT_META_FIELDS } from "@fairlead/apimachinery";

/** How the JSON of an object of a built-in kind begins. */
export function builtinHead(object: JsonObject): string {
  return `{"kind":${JSON.stringify(object["kind"] ?? "")},"apiVersion":${JSON.stringify(object["apiVersion"] ?? "")},`;
}

/** The JSON of an object of a built-in kind: kind, apiVersion and metadata as its Go type has them, then all else, sorted. */
export function builtinText(object: JsonObject): string {
  const { kind, apiVersion, metadata, ...rest } = object;
  if (kind === undefined || apiVersion === undefined || !isObject(metadata)) return stringifyJson(object);
  const members = Object.keys(rest)
    .filter((key) => rest[key] !== undefined)
    .sort(byCodeUnit)
    .map((key) => member(key, rest[key] as JsonValue));
  return `${builtinHead(object)}${[`"metadata":${metadataText(metadata)}`, ...members].join(",")}}`;
}

function metadataText(metadata: JsonObject): string {
  const members: string[] = [];
  for (const key of OBJECT_META_FIELDS) {
    const value = metadata[key];
    if (value !== undefined) members.push(member(key, value));
  }
  return `{${members.join(",")}}`;
}

function member(key: string, value: JsonValue): string {
  return `${JSON.stringify(key)}:${stringifyJson(value)}`;
}

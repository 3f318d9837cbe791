import { byCodeUnit, isObject, stringifyJson, type JsonObject, type JsonValue } from "@fairlead/base";
import { OBJECT_META_FIELDS } from "@fairlead/apimachinery";

import { storedText } from "../storage/record.js";
import type { Endpoint } from "./endpoint.js";

/** How an endpoint's objects are printed: stored, and shown. */
export function printer({ strategy }: Endpoint): (object: JsonObject) => string {
  return strategy.info.custom ? stringifyJson : builtinText;
}

/** An object's JSON as the kind is shown: that of storage where it is known. */
export function objectText(endpoint: Endpoint, object: JsonObject): string {
  const stored = storedText(object);
  // What an earlier release stored of a built-in kind is in another order.
  const isShown = stored !== undefined && (endpoint.strategy.info.custom || stored.startsWith(builtinHead(object)));
  return isShown ? stored : printer(endpoint)(object);
}

/** How the JSON of an object of a built-in kind begins. */
export function builtinHead(object: JsonObject): string {
  return `{"kind":${JSON.stringify(object["kind"] ?? "")},"apiVersion":${JSON.stringify(object["apiVersion"] ?? "")},`;
}

/** The JSON of an object of a built-in kind: kind, apiVersion and metadata as its Go type has them, then all else, sorted. */
function builtinText(object: JsonObject): string {
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

import { cloneJson, getOwn, isArray, isObject, type JsonObject, type JsonValue, type MutableJsonObject } from "@fairlead/base";
import { coerceMetadata, prune } from "@fairlead/apimachinery";

import { apiVersionOf, type Endpoint } from "../../registry/endpoint.js";
import type { ResourceStrategy } from "../resource.js";
import { customStrategy, type CustomNames, type CustomVersion } from "./custom-strategy.js";

/** Names and scope of a stored CustomResourceDefinition. */
export function namesOf(definition: JsonObject): CustomNames {
  const spec = objectAt(definition, "spec");
  const names = objectAt(spec, "names");
  const kind = text(names, "kind");
  return {
    group: text(spec, "group"),
    kind,
    listKind: text(names, "listKind") || `${kind}List`,
    plural: text(names, "plural"),
    singular: text(names, "singular") || kind.toLowerCase(),
    shortNames: texts(names, "shortNames"),
    categories: texts(names, "categories"),
    namespaced: text(spec, "scope") === "Namespaced",
  };
}

/** One endpoint for each served version of a definition; they share a collection and convert into each other. */
export function customEndpoints(definition: JsonObject, refusesCreate: () => string | undefined): readonly Endpoint[] {
  const names = namesOf(definition);
  const versions = listAt(objectAt(definition, "spec"), "versions");
  const storage = versions.find((v) => getOwn(v, "storage") === true);
  const served = versions.filter((v) => getOwn(v, "served") === true || v === storage);
  const strategies = new Map<string, ResourceStrategy>();
  for (const version of served) {
    const strategy = customStrategy(names, customVersion(version));
    strategies.set(apiVersionOf(strategy.info), strategy);
  }
  const convert = converter(strategies);
  const storageVersion = `${names.group}/${storage === undefined ? "" : text(storage, "name")}`;
  return served
    .filter((v) => getOwn(v, "served") === true)
    .map((v) => {
      const strategy = strategies.get(`${names.group}/${text(v, "name")}`) as ResourceStrategy;
      return { strategy, collection: `${names.group}/${names.plural}`, storageVersion, versions: strategies, convert, refusesCreate };
    });
}

function customVersion(version: JsonObject): CustomVersion {
  const schema = getOwn(objectAt(version, "schema"), "openAPIV3Schema");
  const subresources = getOwn(version, "subresources");
  const warning = getOwn(version, "deprecationWarning");
  return {
    name: text(version, "name"),
    schema: isObject(schema) ? schema : undefined,
    subresources: isObject(subresources) ? subresources : undefined,
    columns: listAt(version, "additionalPrinterColumns"),
    selectableFields: listAt(version, "selectableFields").map((f) => text(f, "jsonPath")),
    deprecated: getOwn(version, "deprecated") === true,
    deprecationWarning: typeof warning === "string" ? warning : undefined,
  };
}

/**
 * Conversion strategy None: another apiVersion, pruned and defaulted by that version's schema. What a stored object
 * becomes is remembered by its identity, so reading it again costs nothing.
 */
function converter(strategies: ReadonlyMap<string, ResourceStrategy>): Endpoint["convert"] {
  const made = new WeakMap<JsonObject, Map<string, JsonObject>>();
  return (object, apiVersion) => {
    if (object["apiVersion"] === apiVersion) return object;
    const strategy = strategies.get(apiVersion);
    if (strategy === undefined) return { ...object, apiVersion };
    let byVersion = made.get(object);
    if (byVersion === undefined) made.set(object, (byVersion = new Map()));
    let converted = byVersion.get(apiVersion);
    if (converted === undefined) {
      const fresh: MutableJsonObject = { ...cloneJson(object), apiVersion };
      coerceMetadata(fresh, strategy.schema, { root: true, dropInvalid: true });
      prune(fresh, strategy.schema, { root: true });
      strategy.applyDefaults(fresh);
      byVersion.set(apiVersion, (converted = fresh));
    }
    return converted;
  };
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = getOwn(object, key);
  return isObject(value) ? value : {};
}

function listAt(object: JsonObject, key: string): readonly JsonObject[] {
  const value = getOwn(object, key);
  return isArray(value) ? value.filter((v: JsonValue): v is JsonObject => isObject(v)) : [];
}

function text(object: JsonObject, key: string): string {
  const value = getOwn(object, key);
  return typeof value === "string" ? value : "";
}

function texts(object: JsonObject, key: string): readonly string[] {
  const value = getOwn(object, key);
  return isArray(value) ? value.filter((v): v is string => typeof v === "string") : [];
}

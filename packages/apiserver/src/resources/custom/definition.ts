import {
  cloneJson,
  deepEqual,
  getOwn,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";
import { coerceMetadata, prune } from "@fairlead/apimachinery";

import { apiVersionOf, type Conversion, type Endpoint, type LocalConversion } from "../../registry/endpoint.js";
import type { ResourceStrategy } from "../resource.js";
import { compareVersions } from "../versions.js";
import { convertByWebhook, type AskWebhook, type ConversionWebhook } from "./webhook-conversion.js";
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

export interface CustomEndpointOptions {
  readonly refusesCreate: () => string | undefined;
  /** Asks a conversion webhook. */
  readonly ask: AskWebhook;
  /** Makes the uid of a review. */
  readonly uid: () => string;
}

/** One endpoint for each served version of a definition; they share a collection and convert into each other. */
export function customEndpoints(
  definition: JsonObject,
  { refusesCreate, ask, uid }: CustomEndpointOptions,
): readonly Endpoint[] {
  const names = namesOf(definition);
  const versions = listAt(objectAt(definition, "spec"), "versions");
  const storage = versions.find((v) => getOwn(v, "storage") === true);
  const served = versions.filter((v) => getOwn(v, "served") === true || v === storage);
  const strategies = new Map<string, ResourceStrategy>();
  const best = bestVersion(served);
  for (const version of served) {
    const strategy = customStrategy(names, customVersion(version, `${names.group}/`, { kind: names.kind, best }));
    strategies.set(apiVersionOf(strategy.info), strategy);
  }
  const storageVersion = `${names.group}/${storage === undefined ? "" : text(storage, "name")}`;
  const isChanged = Number(objectAt(definition, "metadata")["generation"] ?? 1) > 1;
  const fitting = { storageVersion, isChanged };
  const declared = objectAt(objectAt(definition, "spec"), "conversion");
  const conversion: Conversion =
    text(declared, "strategy") === "Webhook"
      ? webhookConversion(strategies, fitting, { webhook: objectAt(declared, "webhook"), ask, uid })
      : { kind: "local", convert: converter(strategies, fitting) };
  return served
    .filter((v) => getOwn(v, "served") === true)
    .map((v) => {
      const strategy = strategies.get(`${names.group}/${text(v, "name")}`) as ResourceStrategy;
      return {
        strategy,
        collection: `${names.group}/${names.plural}`,
        storageVersion,
        versions: strategies,
        conversion,
        refusesCreate,
      };
    });
}

function customVersion(
  version: JsonObject,
  prefix: string,
  { kind, best }: { readonly kind: string; readonly best: string | undefined },
): CustomVersion {
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
    deprecationWarning:
      typeof warning === "string"
        ? warning
        : `${prefix}${text(version, "name")} ${kind} is deprecated${replacement(version, prefix, { kind, best })}`,
  };
}

/** `; use group/v1 Kind`, where a better version is served. */
function replacement(
  version: JsonObject,
  prefix: string,
  { kind, best }: { readonly kind: string; readonly best: string | undefined },
): string {
  return best === undefined || compareVersions(best, text(version, "name")) >= 0
    ? ""
    : `; use ${prefix}${best} ${kind}`;
}

/** The version to use in place of a deprecated one. */
function bestVersion(versions: readonly JsonObject[]): string | undefined {
  return versions
    .filter((v) => getOwn(v, "served") === true && getOwn(v, "deprecated") !== true)
    .map((v) => text(v, "name"))
    .sort(compareVersions)[0];
}

/**
 * Conversion strategy None: another apiVersion, pruned by that version's schema; defaults are filled in only where an
 * object is read in the version that it is stored in, which an object that is about to be stored anticipates. What a stored object becomes is remembered by its identity, so
 * reading it again costs nothing.
 *
 * @param options.isChanged - Whether objects may have been stored under an earlier schema; they are brought into the
 *   present one as they are read.
 */
function converter(strategies: ReadonlyMap<string, ResourceStrategy>, options: Fitting): LocalConversion["convert"] {
  const made = new WeakMap<JsonObject, Map<string, JsonObject>>();
  return (object, apiVersion) => {
    const own = object["apiVersion"] === apiVersion;
    if (own && !options.isChanged) return object;
    const strategy = strategies.get(apiVersion);
    if (strategy === undefined) return { ...object, apiVersion };
    let byVersion = made.get(object);
    if (byVersion === undefined) made.set(object, (byVersion = new Map<string, JsonObject>()));
    let converted = byVersion.get(apiVersion);
    if (converted === undefined) {
      const fresh = fitted(strategy, { ...object, apiVersion }, own || apiVersion === options.storageVersion);
      byVersion.set(apiVersion, (converted = own && deepEqual(fresh, object) ? object : fresh));
    }
    return converted;
  };
}

/**
 * Conversion by a webhook: objects go out in the form of the version that they have, and what comes back is pruned and
 * defaulted as with strategy None. Every reading asks anew, since only the webhook knows what it does.
 */
function webhookConversion(
  strategies: ReadonlyMap<string, ResourceStrategy>,
  options: Fitting,
  hook: ConversionWebhook,
): Conversion {
  const inOwnVersion = converter(strategies, options);
  return {
    kind: "webhook",
    convertAll: async (objects, apiVersion) => {
      const sent = objects.map((object) => inOwnVersion(object, text(object, "apiVersion")));
      const answered = await convertByWebhook(hook, sent, apiVersion);
      const strategy = strategies.get(apiVersion);
      return answered.map((object, i) =>
        object === sent[i] || strategy === undefined
          ? object
          : fitted(strategy, object, apiVersion === options.storageVersion),
      );
    },
  };
}

interface Fitting {
  readonly storageVersion: string;
  readonly isChanged: boolean;
}

/** A copy of an object, pruned by its version's schema, and with the defaults of it where it is one of storage. */
function fitted(strategy: ResourceStrategy, object: JsonObject, isStored: boolean): JsonObject {
  const fresh: MutableJsonObject = { ...cloneJson(object) };
  coerceMetadata(fresh, strategy.schema, { root: true, dropInvalid: true });
  prune(fresh, strategy.schema, { root: true });
  if (isStored) strategy.applyDefaults(fresh);
  return fresh;
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

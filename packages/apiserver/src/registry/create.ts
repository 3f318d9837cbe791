import { formatTime, nameSuffix, uuid, type JsonObject, type MutableJsonObject } from "@fairlead/base";
import { validateObjectMeta, type FieldError } from "@fairlead/apimachinery";
import { trackUpdate } from "@fairlead/ssa";

import { checkBounds, isHeavy } from "./bounds.js";
import { converted, decideOwnership } from "./conversion.js";
import { storageKey, storedKind, type Endpoint } from "./endpoint.js";
import { alreadyExists, badRequest, forbidden, invalid, serverError } from "./failures.js";
import { differs, isTerminating, metadataOf, metaText, withMetadata } from "./metadata.js";
import { withUniqueOwners } from "./owners.js";
import { allErrors, withDefaults, type Registry } from "./registry.js";
import type { RequestContext, WriteOptions } from "./request.js";
import { storeBooked } from "./store-booked.js";

export interface CreateRequest {
  readonly namespace: string | undefined;
  /** The decoded body, with apiVersion and kind. */
  readonly object: JsonObject;
  readonly options: WriteOptions;
  readonly context: RequestContext;
  /** Whether the object was applied with empty or null maps in its metadata (Registry.untidy). */
  readonly untidy?: boolean;
}

const GENERATE_ATTEMPTS = 8;
const GENERATE_PREFIX = 58;

/** POST of a new object: defaults, ownership, admission, preparation, validation, storage. */
export async function createObject(
  registry: Registry,
  endpoint: Endpoint,
  request: CreateRequest,
): Promise<JsonObject> {
  if (
    metaText(request.object, "resourceVersion") !== "" &&
    /^[1-9]\d*$/.test(metaText(request.object, "resourceVersion"))
  ) {
    throw serverError("resourceVersion should not be set on objects to be created");
  }
  const heavy = isHeavy(request.context.bodyBytes);
  if (heavy) await registry.clock.turn();
  const defaulted = withDefaults(endpoint, inNamespace(endpoint, request.namespace, request.object));
  if (heavy) await registry.clock.turn();
  const next = wiped(withUniqueOwners(defaulted, request.context.warn));
  const manager = request.options.fieldManager;
  const tracked = await decideOwnership(registry, { endpoint, subresource: "" }, (context) =>
    trackUpdate(context, { live: undefined, next, manager }),
  );
  return insertObject(registry, endpoint, { ...request, object: tracked });
}

/**
 * The part of a creation that follows the decision of who owns what; shared by POST, PUT to a missing name, and apply.
 * A generated name that is taken is tried again with another.
 */
export async function insertObject(
  registry: Registry,
  endpoint: Endpoint,
  request: CreateRequest,
): Promise<JsonObject> {
  const { info } = endpoint.strategy;
  const refusal = endpoint.refusesCreate?.();
  if (refusal !== undefined) throw forbidden(info, metaText(request.object, "name"), refusal);
  const generated = metaText(request.object, "name") === "" && metaText(request.object, "generateName") !== "";
  for (let attempt = 1; ; attempt++) {
    const named = generated ? withGeneratedName(registry, request.object) : request.object;
    const made = await insertOnce(registry, endpoint, { ...request, object: named });
    if (made !== undefined) return made;
    const name = metaText(named, "name");
    if (generated && attempt < GENERATE_ATTEMPTS) continue;
    const live = registry.storage.getForWrite(endpoint.collection, storageKey(endpoint, request.namespace, name));
    throw alreadyExists(info, name, live !== undefined && isTerminating(live.object));
  }
}

/** One attempt; undefined when the name is taken. */
async function insertOnce(
  registry: Registry,
  endpoint: Endpoint,
  request: CreateRequest,
): Promise<JsonObject | undefined> {
  const { strategy } = endpoint;
  const { info } = strategy;
  const { namespace, options, context } = request;
  const heavy = isHeavy(context.bodyBytes);
  if (heavy) checkBounds(request.object);
  if (heavy) await registry.clock.turn();
  const nowMs = registry.clock.now();
  const admission = {
    operation: "CREATE",
    endpoint,
    namespace,
    name: metaText(request.object, "name"),
    subresource: "",
    oldObject: undefined,
    dryRun: options.dryRun,
    context,
  } as const;
  const admitted = await registry.admission.mutate({ ...admission, object: request.object });
  const object: MutableJsonObject = {
    ...withMetadata(admitted, {
      uid: uuid(registry.random),
      creationTimestamp: formatTime(nowMs),
      generation: info.tracksGeneration ? 1 : undefined,
      resourceVersion: undefined,
    }),
  };
  if (info.hasStatus) delete object["status"];
  strategy.prepareForCreate?.(object, { nowMs, user: context.user });
  const prepared: JsonObject = { ...object };
  if (info.hasStatus) strategy.applyDefaults(object);
  if (heavy) await registry.clock.turn();
  const untidy = request.untidy === true || differs(prepared, object, (key) => key !== "status");
  const name = metaText(object, "name");
  const checked = createErrors(registry, endpoint, object);
  const errors = checked instanceof Promise ? await checked : checked;
  if (errors.length > 0) {
    if (heavy) await registry.clock.turn();
    throw invalid(storedKind(endpoint), name, errors);
  }
  for (const warning of strategy.warnings?.(object, undefined) ?? []) context.warn(warning);
  await registry.admission.validate({ ...admission, name, object });
  if (heavy) await registry.clock.turn();
  const key = storageKey(endpoint, namespace, name);
  const booked = { ...admission, name, object };
  if (options.dryRun) {
    registry.admission.book(booked);
    return registry.storage.getForWrite(endpoint.collection, key) === undefined ? object : undefined;
  }
  const stored = await converted(endpoint, object, endpoint.storageVersion);
  const record = await storeBooked(registry, booked, { key, expected: 0 }, stored);
  if (record === undefined) return undefined;
  if (untidy) registry.untidy.add(record);
  return converted(endpoint, record.object, apiVersionOfObject(object));
}

function createErrors(
  { clock }: Registry,
  { strategy }: Endpoint,
  object: JsonObject,
): readonly FieldError[] | Promise<readonly FieldError[]> {
  const meta = validateObjectMeta(metadataOf(object), {
    namespaced: strategy.info.namespaced,
    ...(strategy.validateName === undefined ? {} : { validateName: strategy.validateName }),
  });
  return allErrors(meta, strategy.validateCreate(object), clock);
}

/** Metadata that only the server sets is dropped from a new object. */
export function wiped(object: JsonObject): JsonObject {
  return withMetadata(object, {
    uid: undefined,
    creationTimestamp: undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    generation: undefined,
    selfLink: undefined,
    resourceVersion: undefined,
  });
}

/** The object in the namespace of the URL. @throws StatusError 400 when the body names another */
export function inNamespace(endpoint: Endpoint, namespace: string | undefined, object: JsonObject): JsonObject {
  const given = metaText(object, "namespace");
  if (!endpoint.strategy.info.namespaced) return given === "" ? object : withMetadata(object, { namespace: undefined });
  if (given !== "" && given !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  return given === "" ? withMetadata(object, { namespace }) : object;
}

function withGeneratedName(registry: Registry, object: JsonObject): JsonObject {
  const prefix = metaText(object, "generateName").slice(0, GENERATE_PREFIX);
  return withMetadata(object, { name: prefix + nameSuffix(registry.random) });
}

function apiVersionOfObject(object: JsonObject): string {
  return typeof object["apiVersion"] === "string" ? object["apiVersion"] : "";
}

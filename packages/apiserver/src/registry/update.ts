import { deepEqual, getOwn, printsAlike, stringifyJson, type JsonObject, type MutableJsonObject } from "@fairlead/base";
import { validateObjectMetaUpdate, type FieldError } from "@fairlead/apimachinery";
import { keepTimesOfNoOp } from "@fairlead/ssa";

import type { Record } from "../storage/storage.js";
import { checkBounds, isHeavy } from "./bounds.js";
import { converted, readOwnershipAhead } from "./conversion.js";
import { apiVersionOf, storageKey, storedKind, type Endpoint } from "./endpoint.js";
import { conflict, invalid, modified, notFound, serverError } from "./failures.js";
import { differs, finalizersOf, isTerminating, metadataOf, metaNumber, metaText, withMetadata } from "./metadata.js";
import { partOf } from "./subresources/parts.js";
import { allErrors, withCoercedMetadata, type Registry } from "./registry.js";
import type { RequestContext, Target, WriteOptions } from "./request.js";
import { storeBooked } from "./store-booked.js";
import { unstoreObject } from "./store.js";

export interface UpdateRequest {
  readonly target: Target;
  readonly options: WriteOptions;
  readonly context: RequestContext;
  /**
   * The wanted object, with its ownership, from the live one in the endpoint's version. Called again when another write
   * came between; throws to refuse.
   */
  readonly next: (live: JsonObject) => JsonObject | Promise<JsonObject>;
  /** How a wrong uid is answered: PUT 409, patch and apply 422. */
  readonly via: "update" | "patch" | "apply";
}

export interface Written {
  readonly object: JsonObject;
  readonly created: boolean;
}

const ATTEMPTS = 20;

/** Changes an existing object, whatever the verb: the read-modify-write loop behind PUT, PATCH and apply. */
export async function updateObject(
  registry: Registry,
  endpoint: Endpoint,
  request: UpdateRequest,
): Promise<JsonObject> {
  const { namespace, name } = request.target;
  const key = storageKey(endpoint, namespace, name);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const record = registry.storage.getForWrite(endpoint.collection, key);
    if (record === undefined) throw notFound(endpoint.strategy.info, name);
    const written = await updateOnce(registry, endpoint, { ...request, record, key });
    if (written !== undefined) return written;
  }
  throw modified(endpoint.strategy.info, name);
}

interface Attempt extends UpdateRequest {
  readonly record: Record;
  readonly key: string;
}

/** One attempt; undefined when another write came between and the caller should try again. */
async function updateOnce(registry: Registry, endpoint: Endpoint, attempt: Attempt): Promise<JsonObject | undefined> {
  const { strategy } = endpoint;
  const { info } = strategy;
  const { record, key, options, context, target } = attempt;
  const version = apiVersionOf(info);
  const liveOrPromise = converted(endpoint, record.object, version);
  const live = liveOrPromise instanceof Promise ? await liveOrPromise : liveOrPromise;
  const heavy = isHeavy(context.bodyBytes + record.text.length);
  if (heavy) {
    await registry.clock.turn();
    readOwnershipAhead(registry, { endpoint, subresource: target.subresource }, live);
    await registry.clock.turn();
  }
  const wantedOrPromise = attempt.next(live);
  const wanted = wantedOrPromise instanceof Promise ? await wantedOrPromise : wantedOrPromise;
  if (heavy) checkBounds(wanted);
  if (heavy) await registry.clock.turn();
  checkVersion(endpoint, attempt, wanted, live);
  const admission = {
    operation: "UPDATE",
    endpoint,
    namespace: target.namespace,
    name: target.name,
    subresource: target.subresource,
    oldObject: live,
    dryRun: options.dryRun,
    context,
  } as const;
  const admittedOrPromise = registry.admission.mutate({ ...admission, object: wanted });
  const admitted = admittedOrPromise instanceof Promise ? await admittedOrPromise : admittedOrPromise;
  // Of an applied custom resource times are compared before its metadata is brought into form, so that a null in it is a
  // change each time.
  const early = info.custom && attempt.via === "apply";
  const changed = prepare(registry, endpoint, {
    next: early ? keepTimesOfNoOp(admitted, live) : admitted,
    live,
    target,
  });
  const prepared = early ? withCoercedMetadata(endpoint, changed) : keepTimesOfNoOp(changed, live);
  const untidy = early && !deepEqual(metadataOf(changed), metadataOf(prepared));
  if (heavy) await registry.clock.turn();
  const checked = updateErrors(registry, endpoint, prepared, { live, target });
  const errors = checked instanceof Promise ? await checked : checked;
  if (errors.length > 0) {
    if (heavy) await registry.clock.turn();
    throw invalid(storedKind(endpoint), target.name, errors);
  }
  for (const warning of strategy.warnings?.(prepared, live) ?? []) context.warn(warning);
  const validating = registry.admission.validate({ ...admission, object: prepared });
  if (validating instanceof Promise) await validating;

  if (heavy) await registry.clock.turn();
  const storedOrPromise = converted(endpoint, prepared, endpoint.storageVersion);
  const stored = storedOrPromise instanceof Promise ? await storedOrPromise : storedOrPromise;
  const same = withMetadata(stored, { resourceVersion: metaText(record.object, "resourceVersion") });
  if (isReleased(live, prepared))
    return removeReleased(registry, endpoint, { key, record, object: same, version, dryRun: options.dryRun });
  if (untidy === registry.untidy.has(record) && printsAlike(same, record.object)) {
    await registry.storage.settled(endpoint.collection, key);
    return live;
  }
  const booked = { ...admission, object: prepared };
  if (options.dryRun) {
    registry.admission.book(booked);
    return converted(endpoint, same, version);
  }
  if (heavy) await registry.clock.turn();
  if (registry.storage.getForWrite(endpoint.collection, key) !== record)
    return retryOrConflict(endpoint, attempt, wanted);
  const result = await storeBooked(registry, booked, { key, expected: record.revision }, stored);
  if (result === undefined) return retryOrConflict(endpoint, attempt, wanted);
  if (untidy) registry.untidy.add(result);
  if (heavy) await registry.clock.turn();
  return converted(endpoint, result.object, version);
}

/** A PUT that names a version lost the race for good; everything else is computed anew. */
function retryOrConflict(endpoint: Endpoint, attempt: Attempt, wanted: JsonObject): undefined {
  if (attempt.via === "update" && metaText(wanted, "resourceVersion") !== "")
    throw modified(endpoint.strategy.info, attempt.target.name);
  return undefined;
}

/** uid and resourceVersion of the body must be those of the stored object, where given. */
function checkVersion(
  endpoint: Endpoint,
  { via, target, record }: Attempt,
  wanted: JsonObject,
  live: JsonObject,
): void {
  const { info } = endpoint.strategy;
  const version = metaText(wanted, "resourceVersion");
  const uid = metaText(wanted, "uid");
  if (via === "update" && uid !== "" && uid !== metaText(live, "uid")) {
    const path = `/registry/${info.group === "" ? "" : `${info.group}/`}${info.resource}/${record.key}`;
    throw conflict(
      info,
      target.name,
      `StorageError: invalid object, Code: 4, Key: ${path}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metaText(live, "uid")}`,
    );
  }
  if (version === "" || version === "0") {
    if (info.allowsUnconditionalUpdate) return;
    throw invalid({ group: info.group, kind: info.resource }, target.name, [
      {
        type: "FieldValueInvalid",
        field: "metadata.resourceVersion",
        badValue: 0,
        detail: "must be specified for an update",
      },
    ]);
  }
  if (!/^\d+$/.test(version))
    throw serverError(`strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
  if (version !== metaText(live, "resourceVersion")) throw modified(info, target.name);
}

/** System metadata and the part that belongs to the other endpoint come from the live object; generation follows. */
function prepare(
  registry: Registry,
  endpoint: Endpoint,
  change: { next: JsonObject; live: JsonObject; target: Target },
): JsonObject {
  const { strategy } = endpoint;
  const { info } = strategy;
  const { live, target } = change;
  const next: MutableJsonObject = { ...withSystemMetadata(change.next, live) };
  const context = { nowMs: registry.clock.now() };
  const part = partOf(info, target.subresource);
  if (part !== undefined) {
    const taken = part.take(next, live);
    return info.tracksGeneration && changesGeneration(endpoint, taken, live)
      ? withMetadata(taken, { generation: (metaNumber(live, "generation") ?? 0) + 1 })
      : taken;
  }
  if (target.subresource === "status") {
    const kept = withOtherParts(endpoint, next, live);
    strategy.prepareForStatusUpdate?.(kept, live, context);
    return kept;
  }
  if (info.hasStatus && target.subresource === "") {
    if (getOwn(live, "status") === undefined) delete next["status"];
    else next["status"] = live["status"];
  }
  strategy.prepareForUpdate?.(next, live, context);
  if (info.tracksGeneration && changesGeneration(endpoint, next, live)) {
    return withMetadata(next, { generation: (metaNumber(live, "generation") ?? 0) + 1 });
  }
  return next;
}

/** What `/status` may not change is what is stored. */
function withOtherParts({ strategy }: Endpoint, next: JsonObject, live: JsonObject): MutableJsonObject {
  const out: MutableJsonObject = { ...live };
  if (getOwn(next, "status") === undefined) delete out["status"];
  else out["status"] = next["status"];
  out["metadata"] = strategy.info.custom
    ? withMetadata(live, { managedFields: metadataOf(next)["managedFields"] })["metadata"]
    : next["metadata"];
  return out;
}

function withSystemMetadata(next: JsonObject, live: JsonObject): JsonObject {
  const kept = metadataOf(live);
  return withMetadata(next, {
    uid: metaText(next, "uid") === "" ? kept["uid"] : metadataOf(next)["uid"],
    creationTimestamp: kept["creationTimestamp"],
    deletionTimestamp: isTerminating(live) ? kept["deletionTimestamp"] : metadataOf(next)["deletionTimestamp"],
    deletionGracePeriodSeconds: metadataOf(next)["deletionGracePeriodSeconds"] ?? kept["deletionGracePeriodSeconds"],
    generation: kept["generation"],
    selfLink: undefined,
  });
}

/** Custom resources count everything but metadata and status; built-in kinds their spec, or all they have. */
function changesGeneration({ strategy }: Endpoint, next: JsonObject, live: JsonObject): boolean {
  const { info } = strategy;
  const skipped = new Set(["metadata", "apiVersion", "kind", ...(info.hasStatus ? ["status"] : [])]);
  if (
    !info.custom &&
    info.resource === "endpointslices" &&
    stringifyJson(metadataOf(next)["labels"] ?? null) !== stringifyJson(metadataOf(live)["labels"] ?? null)
  ) {
    return true;
  }
  return differs(next, live, (key) => !skipped.has(key));
}

/** Metadata is validated twice: by the registry and by each kind's strategy. Clients see both in the causes. */
function updateErrors(
  { clock }: Registry,
  { strategy }: Endpoint,
  next: JsonObject,
  seen: { live: JsonObject; target: Target },
): readonly FieldError[] | Promise<readonly FieldError[]> {
  const own = validateObjectMetaUpdate(metadataOf(next), metadataOf(seen.live));
  const meta = [...own, ...own];
  const part = partOf(strategy.info, seen.target.subresource);
  if (part !== undefined) return [...meta, ...part.validate(next, seen.live)];
  if (seen.target.subresource === "status") {
    const kind = strategy.validateStatusUpdate?.(next, seen.live) ?? [];
    return allErrors(meta, kind, clock);
  }
  return allErrors(meta, strategy.validateUpdate(next, seen.live), clock);
}

/** Whether the last thing that held a deleted object back is gone with this write. */
function isReleased(live: JsonObject, next: JsonObject): boolean {
  return (
    isTerminating(live) &&
    finalizersOf(next).length === 0 &&
    finalizersOf(live).length > 0 &&
    (metaNumber(live, "deletionGracePeriodSeconds") ?? 0) === 0
  );
}

/** Removes the object in the request that took its last finalizer; the answer is the object as last written. */
async function removeReleased(
  registry: Registry,
  endpoint: Endpoint,
  {
    key,
    record,
    object,
    version,
    dryRun,
  }: { key: string; record: Record; object: JsonObject; version: string; dryRun: boolean },
): Promise<JsonObject | undefined> {
  if (!dryRun) {
    const removed = await unstoreObject(registry, endpoint, { key, expected: record.revision });
    if (removed === undefined) return undefined;
  }
  return converted(endpoint, object, version);
}

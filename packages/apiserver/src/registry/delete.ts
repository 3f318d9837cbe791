import { formatTime, getOwn, type JsonObject } from "@fairlead/base";
import { parseTime } from "@fairlead/base";

import type { Record } from "../storage/storage.js";
import { converted } from "./conversion.js";
import { apiVersionOf, storageKey, type Endpoint } from "./endpoint.js";
import { CLEANUP_FINALIZER } from "../resources/custom/cleanup.js";
import { deletePrecondition, notFound } from "./failures.js";
import { finalizersOf, isTerminating, metaNumber, metaText, metadataOf, withMetadata } from "./metadata.js";
import type { Registry } from "./registry.js";
import type { RequestContext, Target } from "./request.js";
import { storeObject, unstoreObject } from "./store.js";

/** meta/v1 DeleteOptions, decoded and validated. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagation?: "Background" | "Foreground" | "Orphan";
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly dryRun: boolean;
}

export interface DeleteRequest {
  readonly target: Target;
  readonly options: DeleteOptions;
  readonly context: RequestContext;
}

/** What a deletion did: the object is gone, or it is marked and waits for finalizers or its grace period. */
export interface Deleted {
  readonly removed: boolean;
  readonly object: JsonObject;
}

const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";

/** DELETE of one object (registry/generic: preconditions, grace, propagation, finalizers, removal). */
export async function deleteObject(registry: Registry, endpoint: Endpoint, request: DeleteRequest): Promise<Deleted> {
  const { target, options, context } = request;
  const { info } = endpoint.strategy;
  const key = storageKey(endpoint, target.namespace, target.name);
  while (true) {
    const record = registry.storage.getForWrite(endpoint.collection, key);
    if (record === undefined) throw notFound(info, target.name);
    const live = await converted(endpoint, record.object, apiVersionOf(info));
    const { deletionWarning } = endpoint.strategy;
    if (options.propagation === undefined && deletionWarning !== undefined) context.warn(deletionWarning);
    checkPreconditions(endpoint, target.name, live, options);
    await registry.admission.validate({
      operation: "DELETE",
      endpoint,
      namespace: target.namespace,
      name: target.name,
      subresource: "",
      object: undefined,
      oldObject: live,
      dryRun: options.dryRun,
      context,
    });
    const deleted = await deleteOnce(registry, endpoint, { record, key, options });
    if (deleted !== undefined) return deleted;
  }
}

interface Attempt {
  readonly record: Record;
  readonly key: string;
  readonly options: DeleteOptions;
}

/** One attempt; undefined when another write came between. */
async function deleteOnce(
  registry: Registry,
  endpoint: Endpoint,
  { record, key, options }: Attempt,
): Promise<Deleted | undefined> {
  const { info } = endpoint.strategy;
  const version = apiVersionOf(info);
  const before = record.object;
  const finalizers = withCleanup(endpoint, before, wantedFinalizers(endpoint, before, options.propagation));
  const grace = gracePeriod(endpoint, before, options.gracePeriodSeconds);
  const wasTerminating = isTerminating(before);
  const nowMs = registry.clock.now();

  let marked = withMetadata(before, { finalizers: finalizers.length === 0 ? undefined : finalizers });
  const seconds = waits(grace, finalizers) ? graceToSet(before, grace, nowMs) : 0;
  const keep = seconds > 0 || finalizers.length > 0 || isHeldByContent(endpoint, before);
  if (keep && (!wasTerminating || (metaNumber(before, "deletionGracePeriodSeconds") ?? 0) > seconds)) {
    const requestedMs = wasTerminating ? requestTime(before) : nowMs;
    marked = withGrace(marked, { seconds, requestedMs, counts: info.tracksGeneration });
  }
  marked = markedByKind(endpoint, marked);
  if (keep) {
    if (sameMarks(before, marked)) {
      await registry.storage.settled(endpoint.collection, key);
      return { removed: false, object: await converted(endpoint, before, version) };
    }
    if (options.dryRun) return { removed: false, object: await converted(endpoint, marked, version) };
    const written = await storeObject(registry, endpoint, { key, expected: record.revision }, marked);
    return written === undefined
      ? undefined
      : { removed: false, object: await converted(endpoint, written.object, version) };
  }
  const ended =
    grace === undefined || !endsGracefully(before)
      ? before
      : withGrace(before, {
          seconds: 0,
          requestedMs: wasTerminating ? requestTime(before) : nowMs,
          counts: info.tracksGeneration,
        });
  if (options.dryRun) return { removed: true, object: await converted(endpoint, ended, version) };
  const last =
    ended === before ? record : await storeObject(registry, endpoint, { key, expected: record.revision }, ended);
  const removed =
    last === undefined ? undefined : await unstoreObject(registry, endpoint, { key, expected: last.revision });
  return removed === undefined
    ? undefined
    : { removed: true, object: await converted(endpoint, removed.object, version) };
}

/** Whether a pod that goes now has to be told so first: one more write before it is removed. */
function endsGracefully(pod: JsonObject): boolean {
  return !isTerminating(pod) || (metaNumber(pod, "deletionGracePeriodSeconds") ?? 0) > 0;
}

interface Grace {
  readonly seconds: number;
  readonly requestedMs: number;
  /** Whether the start of a deletion counts as a change of what is wanted. */
  readonly counts: boolean;
}

function withGrace(object: JsonObject, { seconds, requestedMs, counts }: Grace): JsonObject {
  return withMetadata(object, {
    deletionTimestamp: formatTime(requestedMs + seconds * 1000),
    deletionGracePeriodSeconds: seconds,
    ...(counts && !isTerminating(object) ? { generation: (metaNumber(object, "generation") ?? 0) + 1 } : {}),
  });
}

function waits(grace: number | undefined, finalizers: readonly string[]): boolean {
  return (grace !== undefined && grace > 0) || finalizers.length > 0;
}

/** Seconds to set; a shorter period than the one that runs already shortens it, a longer one is ignored. */
function graceToSet(object: JsonObject, grace: number | undefined, nowMs: number): number {
  const wanted = grace ?? 0;
  if (!isTerminating(object)) return wanted;
  const current = metaNumber(object, "deletionGracePeriodSeconds") ?? 0;
  if (wanted >= current) return current;
  if (wanted > 0 && requestTime(object) + wanted * 1000 <= nowMs) return 1;
  return wanted;
}

/** When the deletion was first asked for. */
function requestTime(object: JsonObject): number {
  const until = parseTime(metaText(object, "deletionTimestamp")) ?? 0;
  return until - (metaNumber(object, "deletionGracePeriodSeconds") ?? 0) * 1000;
}

/** Only pods have a grace period; without a node, or once they have ended, they need none. */
function gracePeriod({ strategy }: Endpoint, object: JsonObject, asked: number | undefined): number | undefined {
  const { info } = strategy;
  if (info.group !== "" || info.resource !== "pods") return undefined;
  const spec = object["spec"] as JsonObject | undefined;
  const status = object["status"] as JsonObject | undefined;
  const phase = status?.["phase"];
  if ((spec?.["nodeName"] ?? "") === "" || phase === "Succeeded" || phase === "Failed") return 0;
  const own = spec?.["terminationGracePeriodSeconds"];
  const grace = asked ?? (typeof own === "number" ? own : 30);
  return grace < 0 ? 1 : grace;
}

/** The finalizers after a propagation policy has put its own in place of the other one. */
function wantedFinalizers(
  { strategy }: Endpoint,
  object: JsonObject,
  asked: DeleteOptions["propagation"],
): readonly string[] {
  const now = finalizersOf(object);
  const policy =
    asked ??
    (now.includes(ORPHAN)
      ? "Orphan"
      : now.includes(FOREGROUND)
        ? "Foreground"
        : isTerminating(object)
          ? undefined
          : strategy.info.defaultPropagation);
  if (policy === undefined) return now;
  const others = now.filter((f) => f !== ORPHAN && f !== FOREGROUND);
  if (policy === "Orphan") return now.includes(ORPHAN) && others.length === now.length - 1 ? now : [...others, ORPHAN];
  if (policy === "Foreground")
    return now.includes(FOREGROUND) && others.length === now.length - 1 ? now : [...others, FOREGROUND];
  return others.length === now.length ? now : others;
}

/** A definition that starts to be deleted is held until its objects are gone. */
function withCleanup({ strategy }: Endpoint, object: JsonObject, finalizers: readonly string[]): readonly string[] {
  const { info } = strategy;
  const definition = info.group === "apiextensions.k8s.io" && info.resource === "customresourcedefinitions";
  if (!definition || isTerminating(object) || finalizers.includes(CLEANUP_FINALIZER)) return finalizers;
  return [...finalizers, CLEANUP_FINALIZER];
}

/** A namespace stays until `spec.finalizers` is emptied through its `finalize` subresource; a CRD until its objects are gone. */
function isHeldByContent({ strategy }: Endpoint, object: JsonObject): boolean {
  const { info } = strategy;
  const spec = object["spec"] as JsonObject | undefined;
  return (
    info.group === "" &&
    info.resource === "namespaces" &&
    ((spec?.["finalizers"] as readonly string[] | undefined) ?? []).length > 0
  );
}

/** Namespaces wait for their content: `spec.finalizers` holds them, and the phase says so. */
function markedByKind({ strategy }: Endpoint, object: JsonObject): JsonObject {
  const { info } = strategy;
  if (info.group !== "" || info.resource !== "namespaces" || !isTerminating(object)) return object;
  const terminating = { ...object, status: { ...(object["status"] as JsonObject | undefined), phase: "Terminating" } };
  return withMetadata(terminating, { deletionGracePeriodSeconds: undefined });
}

function sameMarks(a: JsonObject, b: JsonObject): boolean {
  const marks = (o: JsonObject): string =>
    JSON.stringify([
      metaText(o, "deletionTimestamp"),
      metaNumber(o, "deletionGracePeriodSeconds"),
      finalizersOf(o),
      getOwn(o, "status") === undefined,
    ]);
  return marks(a) === marks(b);
}

function checkPreconditions({ strategy }: Endpoint, name: string, live: JsonObject, options: DeleteOptions): void {
  const { info } = strategy;
  const uid = metaText(live, "uid");
  if (options.uid !== undefined && options.uid !== uid) {
    throw deletePrecondition(
      info,
      name,
      `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  const version = String(metadataOf(live)["resourceVersion"] ?? "");
  if (options.resourceVersion !== undefined && options.resourceVersion !== version) {
    throw deletePrecondition(
      info,
      name,
      `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${version}). The object might have been modified`,
    );
  }
}

import {
  byCodeUnit,
  formatTime,
  getOwn,
  isArray,
  isObject,
  never,
  printsAlike,
  stringifyJson,
  uuid,
  type JsonObject,
  type JsonValue,
} from "@fairlead/base";
import { trackUpdate } from "@fairlead/ssa";

import { CLEANUP_FINALIZER } from "../resources/custom/cleanup.js";
import { customEndpoints, namesOf } from "../resources/custom/definition.js";
import type { AskWebhook } from "../resources/custom/webhook-conversion.js";
import type { CustomNames } from "../resources/custom/custom-strategy.js";
import type { Catalog } from "./catalog.js";
import { deleteObject } from "./delete.js";
import type { Conversion, Endpoint } from "./endpoint.js";
import { finalizersOf, isTerminating, metadataOf, metaText, withMetadata } from "./metadata.js";
import { managerContext, type Registry } from "./registry.js";
import { storeObject, unstoreObject } from "./store.js";

/**
 * Keeps the catalogue in step with the CustomResourceDefinitions that are stored: accepts names, serves versions, and
 * removes the objects of a definition that is being deleted. It runs inside the API server, as the real one's does.
 */
export interface Definitions {
  /** Stops following changes. */
  close(): void;
}

const COLLECTION = "apiextensions.k8s.io/customresourcedefinitions";
/** Who only deletes needs no other version, and waits for no webhook. */
const AS_STORED: Conversion = { kind: "local", convert: (object) => object };
const MANAGER = "kube-apiserver";
/** How often objects that finalizers hold are counted again (apiextensions: controller/finalizer). */
const LEFT_MS = 5000;

/** Reads what is stored, and follows it. */
export function serveDefinitions(
  registry: Registry,
  catalog: Catalog,
  { endpoint, ask }: { readonly endpoint: Endpoint; readonly ask: AskWebhook },
): Definitions {
  const served = new Map<string, Served>();
  const cleaning = new Set<string>();
  const ending = new AbortController();
  const onDefinition = (definition: JsonObject): void => {
    const name = metaText(definition, "name");
    if (isAccepted(definition)) serve(catalog, served, { definition, ask, uid: () => uuid(registry.random) });
    else if (served.delete(name)) catalog.remove(namesOf(definition).group, namesOf(definition).plural);
    if (!isTerminating(definition)) return void accept(registry, catalog, endpoint, name).catch(report);
    if (cleaning.has(name)) return;
    cleaning.add(name);
    const done = cleanUp(registry, catalog, { endpoint, name, signal: ending.signal });
    void done.catch(report).finally(() => cleaning.delete(name));
  };
  const report = (error: unknown): void => {
    if (!ending.signal.aborted) registry.logger.error("definition not handled", { error });
  };
  const stored = registry.storage.list(COLLECTION, { prefix: "" });
  const stop = registry.storage.subscribe(COLLECTION, registry.storage.revision, (event) => {
    if (event.type !== "DELETED") return onDefinition(event.record.object);
    served.delete(event.key);
    const { group, plural } = namesOf(event.record.object);
    catalog.remove(group, plural);
  });
  for (const record of stored) onDefinition(record.object);
  return {
    close: () => {
      ending.abort(new Error("definitions are served no more"));
      stop();
    },
  };
}

/** A definition whose endpoints are registered. */
interface Served {
  readonly spec: JsonValue;
  terminating: boolean;
}

/** Registers the endpoints of a definition anew when its spec has changed. */
function serve(
  catalog: Catalog,
  served: Map<string, Served>,
  { definition, ...webhook }: { definition: JsonObject; ask: AskWebhook; uid: () => string },
): void {
  const name = metaText(definition, "name");
  const [spec, terminating] = [definition["spec"] ?? null, isTerminating(definition)];
  const before = served.get(name);
  // By their texts, since the order of members counts: it is that of errors.
  if (before !== undefined && (before.spec === spec || stringifyJson(before.spec) === stringifyJson(spec))) {
    before.terminating = terminating;
    return;
  }
  const now: Served = { spec, terminating };
  const { group, plural } = namesOf(definition);
  const refusesCreate = (): string | undefined =>
    now.terminating ? "create not allowed while custom resource definition is terminating" : undefined;
  catalog.remove(group, plural);
  for (const endpoint of customEndpoints(definition, { refusesCreate, ...webhook })) catalog.add(endpoint);
  served.set(name, now);
}

function isAccepted(definition: JsonObject): boolean {
  return (
    conditionOf(definition, "Established")?.["status"] === "True" ||
    conditionOf(definition, "NamesAccepted")?.["status"] === "True"
  );
}

/** Writes NamesAccepted, Established and the accepted names into the status. */
async function accept(registry: Registry, catalog: Catalog, endpoint: Endpoint, name: string): Promise<void> {
  await writeStatus(registry, endpoint, name, (definition) => {
    const names = namesOf(definition);
    const clash = nameClash(registry, names, name);
    const now = formatTime(registry.clock.now());
    const accepted: Condition =
      clash === undefined
        ? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
        : { type: "NamesAccepted", status: "False", reason: clash.reason, message: clash.message };
    const live = conditionOf(definition, "Established");
    const established = establishedCondition(
      clash === undefined,
      live?.["status"] === "True" || live?.["reason"] === "Installing",
    );
    const before = isObject(definition["status"]) ? definition["status"] : {};
    const wasEstablished = live?.["status"] === "True";
    const conditions = [accepted, ...(wasEstablished && clash !== undefined ? [] : [established])];
    return {
      ...before,
      conditions: conditions.reduce((list, c) => withCondition(list, c, now), conditionsOf(definition)),
      acceptedNames: acceptedNames(registry, definition, name),
      storedVersions: storedVersions(definition),
    };
  });
}

/** A definition whose names are accepted is installed in one step and established in the next. */
function establishedCondition(accepted: boolean, isInstalled: boolean): Condition {
  if (!accepted)
    return { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" };
  const message = "the initial names have been accepted";
  return isInstalled
    ? { type: "Established", status: "True", reason: "InitialNamesAccepted", message }
    : { type: "Established", status: "False", reason: "Installing", message };
}

/** The names that no other definition has: of those that clash, what was accepted before. */
function acceptedNames(registry: Registry, definition: JsonObject, self: string): JsonObject {
  const wanted = (definition["spec"] as JsonObject)["names"] as JsonObject;
  const before = (getOwn((definition["status"] ?? {}) as JsonObject, "acceptedNames") ?? {}) as JsonObject;
  const { resources, kinds } = takenNames(registry, namesOf(definition).group, self);
  const keep = (key: string, taken: ReadonlySet<string>): JsonValue | undefined =>
    taken.has(String(wanted[key]))
      ? (before[key] ?? (key === "plural" || key === "kind" ? "" : undefined))
      : wanted[key];
  const short = getOwn(wanted, "shortNames");
  const shortNames = isArray(short) && short.some((n) => resources.has(String(n))) ? before["shortNames"] : short;
  const names: JsonObject = {
    ...wanted,
    plural: keep("plural", resources),
    singular: keep("singular", resources),
    shortNames,
    kind: keep("kind", kinds),
    listKind: keep("listKind", kinds),
  };
  return Object.fromEntries(Object.entries(names).filter(([, value]) => value !== undefined));
}

function storedVersions(definition: JsonObject): readonly string[] {
  const versions = ((definition["spec"] as JsonObject)["versions"] ?? []) as readonly JsonObject[];
  const storage = versions.find((v) => v["storage"] === true)?.["name"];
  const known = ((definition["status"] as JsonObject | undefined)?.["storedVersions"] ?? []) as readonly string[];
  return typeof storage === "string" && !known.includes(storage) ? [...known, storage] : known;
}

interface Names {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

/** What other definitions of the group have been given. */
function takenNames(registry: Registry, group: string, self: string): Names {
  const others = registry.storage
    .list(COLLECTION, { prefix: "" })
    .filter((r) => r.key !== self && namesOf(r.object).group === group)
    .map((r) => acceptedOf(r.object));
  return { resources: new Set(others.flatMap((o) => o.resources)), kinds: new Set(others.flatMap((o) => o.kinds)) };
}

/** The first name that another accepted definition of the group has already. */
function nameClash(
  registry: Registry,
  names: CustomNames,
  self: string,
): { readonly reason: string; readonly message: string } | undefined {
  const { resources, kinds } = takenNames(registry, names.group, self);
  const used = (name: string): string => `${JSON.stringify(name)} is already in use`;
  let found: { readonly reason: string; readonly message: string } | undefined;
  if (resources.has(names.plural)) found = { reason: "PluralConflict", message: used(names.plural) };
  if (resources.has(names.singular)) found = { reason: "SingularConflict", message: used(names.singular) };
  const short = names.shortNames.filter((n) => resources.has(n)).sort(byCodeUnit);
  if (short.length > 0) found = { reason: "ShortNamesConflict", message: short.map(used).join(", ") };
  if (kinds.has(names.kind)) found = { reason: "KindConflict", message: used(names.kind) };
  if (kinds.has(names.listKind)) found = { reason: "ListKindConflict", message: used(names.listKind) };
  return found;
}

function acceptedOf(definition: JsonObject): {
  readonly resources: readonly string[];
  readonly kinds: readonly string[];
} {
  const names = getOwn((definition["status"] ?? {}) as JsonObject, "acceptedNames");
  if (!isObject(names)) return { resources: [], kinds: [] };
  const short = isArray(names["shortNames"]) ? (names["shortNames"] as readonly string[]) : [];
  const some = (...values: readonly unknown[]): string[] =>
    values.filter((v): v is string => typeof v === "string" && v !== "");
  return {
    resources: some(names["plural"], names["singular"], ...short),
    kinds: some(names["kind"], names["listKind"]),
  };
}

/** Deletes every object of a terminating definition, and lets the definition go when none is left. */
async function cleanUp(
  registry: Registry,
  catalog: Catalog,
  { endpoint, name, signal }: { endpoint: Endpoint; name: string; signal: AbortSignal },
): Promise<void> {
  const record = registry.storage.get(COLLECTION, name);
  if (record === undefined || !finalizersOf(record.object).includes(CLEANUP_FINALIZER)) return;
  const now = formatTime(registry.clock.now());
  await writeStatus(registry, endpoint, name, (definition) => ({
    ...(definition["status"] as JsonObject),
    conditions: withCondition(
      conditionsOf(definition),
      {
        type: "Terminating",
        status: "True",
        reason: "InstanceDeletionInProgress",
        message: "CustomResource deletion is in progress",
      },
      now,
    ),
  }));
  const { group, plural } = namesOf(record.object);
  const served = catalog.find(group, plural);
  const custom = served === undefined ? undefined : { ...served, conversion: AS_STORED };
  const collection = `${group}/${plural}`;
  while (registry.storage.count(collection, "") > 0) {
    if (custom !== undefined) await deleteAll(registry, custom, collection);
    if (registry.storage.count(collection, "") === 0) break;
    try {
      await registry.clock.sleep(LEFT_MS, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
  }
  const live = registry.storage.getForWrite(COLLECTION, name);
  if (live === undefined) return;
  const rest = finalizersOf(live.object).filter((f) => f !== CLEANUP_FINALIZER);
  const freed = withMetadata(live.object, { finalizers: rest.length === 0 ? undefined : rest });
  const place = { key: name, expected: live.revision };
  if (rest.length === 0) await unstoreObject(registry, endpoint, place);
  else await storeObject(registry, endpoint, place, freed);
}

async function deleteAll(registry: Registry, endpoint: Endpoint, collection: string): Promise<void> {
  const context = {
    user: { username: "system:apiserver", groups: ["system:masters"] },
    ending: { signal: never },
    bodyBytes: 0,
    warn: () => undefined,
  };
  for (const { object } of registry.storage.list(collection, { prefix: "" })) {
    if (isTerminating(object)) continue;
    const namespace = metaText(object, "namespace");
    const target = {
      namespace: namespace === "" ? undefined : namespace,
      name: metaText(object, "name"),
      subresource: "",
    };
    await deleteObject(registry, endpoint, { target, options: { dryRun: false }, context });
  }
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

function conditionsOf(definition: JsonObject): readonly JsonObject[] {
  const list = getOwn((definition["status"] ?? {}) as JsonObject, "conditions");
  return isArray(list) ? (list as readonly JsonObject[]) : [];
}

function conditionOf(definition: JsonObject, type: string): JsonObject | undefined {
  return conditionsOf(definition).find((c) => c["type"] === type);
}

/** The list with a condition set; the transition time moves only when its status does. */
function withCondition(list: readonly JsonObject[], condition: Condition, now: string): readonly JsonObject[] {
  const before = list.find((c) => c["type"] === condition.type);
  const since = before?.["status"] === condition.status ? before["lastTransitionTime"] : now;
  const next = { lastTransitionTime: since, ...condition };
  return before === undefined ? [...list, next] : list.map((c) => (c === before ? next : c));
}

/** A status write by the server itself, with its ownership recorded; nothing is written when nothing changes. */
async function writeStatus(
  registry: Registry,
  endpoint: Endpoint,
  name: string,
  status: (definition: JsonObject) => JsonObject,
): Promise<void> {
  while (true) {
    const record = registry.storage.getForWrite(COLLECTION, name);
    if (record === undefined) return;
    const next = { ...record.object, status: status(record.object) };
    if (printsAlike(next, record.object)) return;
    const tracked = trackUpdate(managerContext(registry, endpoint, "status"), {
      live: record.object,
      next,
      manager: MANAGER,
    });
    const owned = { ...next, metadata: { ...metadataOf(next), managedFields: metadataOf(tracked)["managedFields"] } };
    const written = await storeObject(registry, endpoint, { key: name, expected: record.revision }, owned);
    if (written !== undefined) return;
  }
}

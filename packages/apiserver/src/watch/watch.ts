import { Channel, type JsonObject, onAbort } from "@fairlead/base";
import { failure, type FieldSelector, type LabelSelector, type Status } from "@fairlead/apimachinery";

import { inVersion, type InVersion } from "../registry/conversion.js";
import { apiVersionOf, type Endpoint } from "../registry/endpoint.js";
import type { Registry } from "../registry/registry.js";
import { matches } from "../registry/selection.js";
import { CompactedError } from "../storage/errors.js";
import type { StorageEvent } from "../storage/storage.js";

export interface WatchOptions {
  readonly namespace: string | undefined;
  readonly labels: LabelSelector | undefined;
  readonly fields: FieldSelector | undefined;
  /** Events after this revision; undefined or 0 is the present one. */
  readonly resourceVersion: number | undefined;
  /** Whether the present state is sent first, as ADDED events, and a bookmark after it where they are allowed. */
  readonly initialEvents: boolean;
  readonly bookmarks: boolean;
  /** The stream ends by itself after this time. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What a watcher is told. `object` is in the endpoint's version. */
export type WatchEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: JsonObject }
  | { readonly type: "BOOKMARK"; readonly revision: number; readonly initialEventsEnd: boolean }
  | { readonly type: "ERROR"; readonly status: Status };

/** What may wait for a slow reader: when there is more the stream ends, and the reader resumes where it stood. */
const BUFFER_EVENTS = 10_000;
/** The same in UTF-16 units of JSON. */
const BUFFER_UNITS = 8 << 20;
const BOOKMARK_MS = 60_000;
const LAST_BOOKMARK_MS = 2000;

/** WATCH: a stream of events in the order of revisions, none missing, none twice, until time, abort or overflow ends it. */
export async function* watchObjects(
  registry: Registry,
  endpoint: Endpoint,
  options: WatchOptions,
): AsyncGenerator<WatchEvent> {
  const { storage, clock } = registry;
  const channel = new Channel<WatchEvent | Later>(BUFFER_EVENTS, BUFFER_UNITS);
  const project = projection(endpoint, options);
  const from = options.resourceVersion ?? 0;
  const fresh = from === 0 || options.initialEvents;
  const until = clock.monotonic() + options.timeoutMs;
  if (fresh && !(await isReached(registry, from, { until, signal: options.signal }))) return;
  const start = fresh ? storage.revision : from;
  if (options.initialEvents) yield* initial(registry, endpoint, options);

  let last = start;
  const stops: (() => void)[] = [];
  const stop = (): void => {
    for (const s of stops.splice(0)) s();
  };
  const bookmark = (): void => {
    if (storage.revision < start) return;
    channel.push({ type: "BOOKMARK", revision: storage.revision, initialEventsEnd: false });
  };
  if (options.initialEvents && options.bookmarks) yield { type: "BOOKMARK", revision: start, initialEventsEnd: true };
  try {
    stops.push(
      storage.subscribe(endpoint.collection, start, (event) => {
        if (event.revision <= last && event.revision <= start) return;
        last = event.revision;
        const projected = project(event);
        if (projected !== undefined && channel.push(projected, event.record.text.length) === "full") {
          stop();
          channel.close();
        }
      }),
    );
  } catch (error) {
    if (!(error instanceof CompactedError)) throw error;
    yield {
      type: "ERROR",
      status: failure(410, "Expired", `too old resource version: ${error.revision} (${error.oldest})`),
    };
    return;
  }
  const tick = (): void => {
    bookmark();
    stops.push(clock.schedule(BOOKMARK_MS, tick));
  };
  if (options.bookmarks) {
    stops.push(clock.schedule(BOOKMARK_MS, tick));
    if (options.timeoutMs > LAST_BOOKMARK_MS * 2)
      stops.push(clock.schedule(until - LAST_BOOKMARK_MS - clock.monotonic(), bookmark));
  }
  stops.push(clock.schedule(until - clock.monotonic(), () => channel.close()));
  stops.push(onAbort(options.signal, () => channel.close()));
  try {
    if (endpoint.conversion.kind === "local") yield* channel as AsyncIterable<WatchEvent>;
    else yield* converting(channel);
  } finally {
    stop();
  }
}

async function* initial(registry: Registry, endpoint: Endpoint, options: WatchOptions): AsyncGenerator<WatchEvent> {
  const prefix = options.namespace === undefined ? "" : `${options.namespace}/`;
  const objects = [...registry.storage.list(endpoint.collection, { prefix })].map((record) => record.object);
  const read = await inVersion(endpoint, objects, apiVersionOf(endpoint.strategy.info));
  for (const stored of objects) {
    const object = read(stored);
    if (matches(endpoint, object, options)) yield { type: "ADDED", object };
  }
}

/** What a storage event is to a watcher with selectors: objects enter and leave its selection. */
function projection(
  endpoint: Endpoint,
  options: WatchOptions,
): (event: StorageEvent) => WatchEvent | Later | undefined {
  const version = apiVersionOf(endpoint.strategy.info);
  const prefix = options.namespace === undefined ? "" : `${options.namespace}/`;
  const selective = options.labels !== undefined || options.fields !== undefined;
  const project = (event: StorageEvent, read: InVersion): WatchEvent | undefined => {
    const object = read(event.record.object);
    if (!selective) return { type: event.type, object };
    const before = event.previous === undefined ? undefined : read(event.previous.object);
    const was = before !== undefined && matches(endpoint, before, options);
    if (event.type === "DELETED") return was ? { type: "DELETED", object } : undefined;
    const is = matches(endpoint, object, options);
    if (is) return { type: was ? "MODIFIED" : "ADDED", object };
    if (!was || before === undefined) return undefined;
    const metadata = { ...(before["metadata"] as JsonObject), resourceVersion: String(event.revision) };
    return { type: "DELETED", object: { ...before, metadata } };
  };
  return (event) => {
    if (!event.key.startsWith(prefix)) return undefined;
    const { conversion } = endpoint;
    if (conversion.kind === "local") return project(event, (object) => conversion.convert(object, version));
    const before = selective && event.previous !== undefined ? [event.previous.object] : [];
    const objects = [event.record.object, ...before];
    return { type: "LATER", event: async () => project(event, await inVersion(endpoint, objects, version)) };
  };
}

/** An event that a webhook has to convert; it is asked when the watcher gets that far. */
interface Later {
  readonly type: "LATER";
  readonly event: () => Promise<WatchEvent | undefined>;
}

/** Events in their order; the stream ends with the first that cannot be converted. */
async function* converting(channel: AsyncIterable<WatchEvent | Later>): AsyncGenerator<WatchEvent> {
  for await (const item of channel) {
    const event = item.type === "LATER" ? await item.event() : item;
    if (event !== undefined) yield event;
  }
}

/** Waits for a revision to be visible. @returns whether it was in time */
async function isReached(
  { storage, clock }: Registry,
  revision: number,
  { until, signal }: { readonly until: number; readonly signal: AbortSignal },
): Promise<boolean> {
  while (storage.revision < revision) {
    if (clock.monotonic() >= until) return false;
    await clock.sleep(50, signal);
  }
  return true;
}

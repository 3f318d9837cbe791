import type { Random } from "@fairlead/base";
import type { ListRequest, OpenWatch, Selection, WatchRequest } from "@fairlead/testing";

import { anySelection, type Load } from "./traffic.js";

/** A client that lists, in pages, at all kinds of revisions. */
export async function list(load: Load, isOver: () => boolean): Promise<void> {
  const { recorder, clock, random, signal } = load;
  while (!isOver()) {
    await clock.sleep(random.next() * 2000, signal);
    await recorder.list(anySelection(random), anyList(load), signal);
  }
}

function anyList({ clock, random, signal, revision }: Load): ListRequest {
  const pages = random.next() < 0.6 ? { limit: 1 + Math.floor(random.next() * 4) } : {};
  const pause = (): Promise<void> => clock.sleep(random.next() * (random.next() < 0.8 ? 20 : 8000), signal);
  const past = Math.max(1, revision() - Math.floor(random.next() * 60));
  const kind = random.next();
  if (kind < 0.4) return { ...pages, pause };
  if (kind < 0.5) return { ...pages, pause, version: 0 };
  if (kind < 0.7) return { ...pages, pause, version: past };
  return { ...pages, pause, version: past, match: kind < 0.85 ? "Exact" : "NotOlderThan" };
}

/**
 * A client that watches: it loses its connection again and again and resumes in every way there is, reads slowly at
 * times, and lists anew when it is told that it is too late. At the end it stays until it knows everything.
 */
export async function watch(load: Load, isOver: () => boolean): Promise<void> {
  const { recorder, clock, random, signal } = load;
  const selection = anySelection(random);
  let position: number | undefined;
  while (!signal.aborted) {
    const last = isOver();
    const own = new AbortController();
    const forget = onceAborted(signal, own);
    const open = recorder.watch(selection, anyWatch(load, { position, last, isOver }), own.signal);
    const stop = last ? undefined : clock.schedule(lifetimeMs(random), () => own.abort());
    await open.done;
    stop?.();
    forget();
    position = await resumable(load, selection, { open, position });
    if (!signal.aborted) await clock.sleep(random.next() * 200, signal).catch(() => undefined);
  }
}

/** A client that watches everything of a resource from the beginning, and loses nothing. */
export function watchEverything({ recorder, signal }: Load, resource: string, from: number): Promise<void> {
  return recorder.watch({ resource }, { from, bookmarks: true, prompt: true }, signal).done;
}

function lifetimeMs(random: Random): number {
  return random.next() * (random.next() < 0.8 ? 3000 : 150_000);
}

function onceAborted(signal: AbortSignal, own: AbortController): () => void {
  const abort = (): void => own.abort();
  signal.addEventListener("abort", abort);
  return () => signal.removeEventListener("abort", abort);
}

function anyWatch(
  { clock, random, signal, revision }: Load,
  {
    position,
    last,
    isOver,
  }: { readonly position: number | undefined; readonly last: boolean; readonly isOver: () => boolean },
): WatchRequest {
  const slow = !last && random.next() < 0.3;
  const pause = async (): Promise<void> => {
    if (!isOver()) await clock.sleep(random.next() * 300, signal).catch(() => undefined);
  };
  const base = {
    bookmarks: random.next() < 0.7,
    prompt: !slow,
    ...(slow ? { pause } : {}),
    ...(!last && random.next() < 0.2 ? { timeoutSeconds: 1 + Math.floor(random.next() * 70) } : {}),
  };
  const kind = random.next();
  if (position !== undefined && kind < 0.6) return { ...base, from: position };
  if (position !== undefined && kind < 0.7) return { ...base, from: position, sendInitialEvents: true };
  if (kind < 0.75) return { ...base, from: revision() + 1 + Math.floor(random.next() * 10) };
  if (kind < 0.8) return { ...base, sendInitialEvents: false, ...(random.next() < 0.5 ? { from: 0 } : {}) };
  if (kind < 0.9) return { ...base, sendInitialEvents: true };
  return random.next() < 0.5 ? base : { ...base, from: 0 };
}

/** Where the next watch may begin: after the last event or bookmark; a list says so after a 410. */
async function resumable(
  { recorder, random, signal }: Load,
  selection: Selection,
  { open, position }: { readonly open: OpenWatch; readonly position: number | undefined },
): Promise<number | undefined> {
  let newest = position;
  for (const event of open.events) {
    if (event.type === "ERROR") {
      if (signal.aborted) return undefined;
      const { pages } = await recorder.list(selection, { limit: 1 + Math.floor(random.next() * 3) }, signal);
      return pages[0]?.revision;
    }
    newest =
      event.type === "BOOKMARK"
        ? event.revision
        : Number((event.object["metadata"] as { resourceVersion: string }).resourceVersion);
  }
  return newest;
}

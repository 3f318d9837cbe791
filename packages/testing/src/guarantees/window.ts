import { revisionOf, type History, type Session, type Violation } from "./history.js";
import type { Changes } from "./changes.js";

/** A minute, and what a server may be late. */
const BOOKMARK_MS = 61_000;

/** V16 of one watch: nothing is forgotten before its time, and bookmarks come every minute. */
export function windowViolations(history: History, changes: Changes, session: Session): Violation[] {
  const found: Violation[] = [];
  const position = positionAtEnd(session);
  for (const event of session.events) {
    if (event.type !== "ERROR") continue;
    if (event.code !== 410) found.push({ rule: "V9", message: `a watch ended with an error ${event.code}` });
    else if (!mayBeForgotten(history, changes, { revision: position, at: event.at }))
      found.push({ rule: "V16", message: `a watch from ${position} was told that this is too old` });
  }
  const waits = (session.from ?? 0) > reached(history, session.began);
  if (!session.bookmarks || !session.prompt || waits) return found;
  let last = session.openedMs;
  for (const { type, ms } of [...session.events, { type: "BOOKMARK", ms: session.endedMs }]) {
    if (type !== "BOOKMARK") continue;
    if (ms - last > BOOKMARK_MS) found.push({ rule: "V16", message: `no bookmark for ${ms - last} ms` });
    last = ms;
  }
  return found;
}

/** Where a watch stood when it ended. */
function positionAtEnd({ from, events }: Session): number {
  let position = from ?? 0;
  for (const event of events) {
    if (event.type === "BOOKMARK") position = Math.max(position, event.revision);
    else if (event.type !== "ERROR") position = Math.max(position, revisionOf(event.object));
  }
  return position;
}

/** Whether a server may have forgotten what came after a revision: it was compacted, or too much came since. */
export function mayBeForgotten(
  history: History,
  changes: Changes,
  { revision, at }: { readonly revision: number; readonly at: number },
): boolean {
  const { compactions, remembered } = history;
  if (compactions.some((compaction) => compaction.at < at && compaction.revision > revision)) return true;
  const newest = reached(history, at);
  return changes.all.filter((change) => change.revision > revision && change.revision <= newest).length > remembered;
}

/** The newest revision that there may have been at a moment, as far as anybody can tell. */
export function reached({ operations, sessions }: History, at: number): number {
  let newest = 0;
  for (const { began, outcome } of operations)
    if (began < at && outcome.kind === "object") newest = Math.max(newest, revisionOf(outcome.object));
  for (const { events } of sessions)
    for (const event of events)
      if (event.at < at && event.type !== "BOOKMARK" && event.type !== "ERROR")
        newest = Math.max(newest, revisionOf(event.object));
  return newest;
}

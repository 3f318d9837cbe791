import { stringifyJson, type JsonObject } from "@fairlead/base";

import { expectedEvents, stateAt, type Changes, type Expected } from "./changes.js";
import { keyOf, revisionOf, type History, type Scope, type Session, type Taken, type Violation } from "./history.js";
import { reached } from "./window.js";

type Bookmark = Taken & { readonly type: "BOOKMARK" };
type ObjectEvent = Taken & { readonly type: "ADDED" | "MODIFIED" | "DELETED" };

/** V5 to V12 of one watch. */
export function streamViolations(history: History, changes: Changes, session: Session): Violation[] {
  const found: Violation[] = [];
  const say = (rule: Violation["rule"], message: string): void => {
    const from = session.from === undefined ? "unset" : String(session.from);
    found.push({ rule, message: `watch of ${session.scope.resource} from ${from}: ${message}` });
  };
  const parts = split(session);
  checkInitialEnd(session, parts, say);
  const start = startOf(session, parts);
  if (session.initial && parts.complete) checkInitial(history, changes, { session, parts, start }, say);
  checkOrder(session, parts, say);
  if (start !== undefined) checkDelivery(history, changes, { session, parts, start }, say);
  return found;
}

type Say = (rule: Violation["rule"], message: string) => void;

interface Parts {
  /** Events of the state with which the watch began. */
  readonly initial: readonly ObjectEvent[];
  readonly initialEnd: Bookmark | undefined;
  readonly live: readonly Taken[];
  /** Whether all of the state was taken. */
  readonly complete: boolean;
}

/**
 * Where the state ends and the news begin. Without a bookmark that says so it is the longest run of ADDED in the order
 * of keys: what more of it than the state there is reads the same.
 */
function split({ initial, bookmarks, events, scope, through }: Session): Parts {
  if (!initial) return { initial: [], initialEnd: undefined, live: events, complete: false };
  const marked = events.findIndex((event) => event.type === "BOOKMARK" && event.initialEnd);
  let length = 0;
  for (let last = ""; length < events.length; length++) {
    const event = events[length] as Taken;
    const key = event.type === "ADDED" ? keyOf(scope.resource, event.object) : "";
    if (key <= last) break;
    last = key;
  }
  if (marked < 0) {
    const live = events.slice(length);
    const known = !bookmarks && (live.some(isObjectEvent) || through !== undefined);
    return { initial: events.slice(0, length) as ObjectEvent[], initialEnd: undefined, live, complete: known };
  }
  return {
    initial: events.slice(0, marked).filter(isObjectEvent),
    initialEnd: events[marked] as Bookmark,
    live: events.slice(marked + 1),
    complete: true,
  };
}

function isObjectEvent(event: Taken): event is ObjectEvent {
  return event.type !== "BOOKMARK" && event.type !== "ERROR";
}

/** The revision after which everything must be told; undefined when that cannot be known. */
function startOf(session: Session, { initialEnd, initial, live, complete }: Parts): number | undefined {
  if (initialEnd !== undefined) return initialEnd.revision;
  if (session.initial && !complete) return undefined;
  if (!session.initial && session.from !== undefined && session.from > 0) return session.from;
  const next = live.find(isObjectEvent);
  if (next !== undefined) return revisionOf(next.object) - 1;
  return session.initial
    ? Math.max(session.through ?? 0, ...initial.map(({ object }) => revisionOf(object)))
    : session.through;
}

function checkInitialEnd({ initial, bookmarks, events, through }: Session, parts: Parts, say: Say): void {
  const ends = events.filter((event) => event.type === "BOOKMARK" && event.initialEnd).length;
  const wanted = initial && bookmarks;
  if (ends > (wanted ? 1 : 0)) say("V10", `${ends} bookmarks say that the state is over`);
  const others = parts.live.some(({ type }) => type !== "ERROR");
  if (wanted && ends === 0 && (through !== undefined || others)) say("V10", "no bookmark says that the state is over");
  if (!bookmarks && events.some(({ type }) => type === "BOOKMARK")) say("V10", "a bookmark that nobody asked for");
}

interface Stream {
  readonly session: Session;
  readonly parts: Parts;
  readonly start: number | undefined;
}

/** The state is that of one revision, which is as new as was asked for. */
function checkInitial(history: History, changes: Changes, { session, parts, start = 0 }: Stream, say: Say): void {
  const text = (objects: readonly JsonObject[]): string => stringifyJson([...objects]);
  const objects = parts.initial.map(({ object }) => object);
  if (
    parts.initial.some(({ type }) => type !== "ADDED") ||
    text(objects) !== text(stateAt(changes, session.scope, start))
  )
    say("V7", `it began with another state than that of ${start}`);
  if (start < (session.from ?? 0)) say("V11", `it began with the state of ${start}`);
  if (session.from === undefined && start < newestAnswered(history, session.began))
    say("V4", `it began with the state of ${start}, before what had been answered`);
}

/** The newest revision that somebody had been told of at a moment. */
function newestAnswered({ operations }: History, at: number): number {
  let newest = 0;
  for (const { ended, type, outcome } of operations)
    if (type !== "read" && ended < at && outcome.kind === "object")
      newest = Math.max(newest, revisionOf(outcome.object));
  return newest;
}

/** V5, V6, V10: what the stream must keep to whatever happened. */
function checkOrder({ scope, events }: Session, { initialEnd, live }: Parts, say: Say): void {
  const seen = new Set<string>();
  let last = initialEnd?.revision ?? 0;
  let marked = initialEnd?.revision ?? 0;
  for (const event of live) {
    if (event.type === "ERROR") continue;
    const revision = event.type === "BOOKMARK" ? event.revision : revisionOf(event.object);
    if (event.type === "BOOKMARK") {
      if (revision < last) say("V10", `a bookmark of ${revision} after ${last}`);
      marked = Math.max(marked, revision);
      last = Math.max(last, revision);
      continue;
    }
    const id = `${revision} ${keyOf(scope.resource, event.object)}`;
    if (seen.has(id)) say("V6", `${id} twice`);
    seen.add(id);
    if (revision < last) say("V5", `${revision} after ${last}`);
    if (revision <= marked) say("V10", `${revision} after a bookmark of ${marked}`);
    last = Math.max(last, revision);
  }
  if (
    events.findIndex(({ type }) => type === "ERROR") !== events.length - 1 &&
    events.some(({ type }) => type === "ERROR")
  )
    say("V9", "it went on after an ERROR");
}

/** V7 to V12: what was told is what should have been, no more and no less. */
function checkDelivery(history: History, changes: Changes, { session, parts, start = 0 }: Stream, say: Say): void {
  const { scope, from = 0, initial, through = 0, began } = session;
  const told = parts.live.filter(isObjectEvent);
  const marks = parts.live.filter((event): event is Bookmark => event.type === "BOOKMARK");
  const marked = Math.max(0, ...marks.map(({ revision }) => revision));
  const last = Math.max(start, ...told.map(({ object }) => revisionOf(object)));
  const range = { from: start, to: Math.max(last, marked, through) };
  const expected = new Map(expectedEvents(changes, scope, range).map((e) => [`${e.revision} ${e.key}`, e]));
  const early = initial ? 0 : from > 0 ? from : newestAnswered(history, began);
  const isFuture = from > 0 && from > reached(history, began);
  for (const event of told) {
    const revision = revisionOf(event.object);
    if (revision <= early) say(isFuture || from === 0 ? "V11" : "V9", `an event of ${revision}, not after ${early}`);
    else checkEvent(event, { scope, expected }, say);
  }
  checkMissing(new Set(told.map(({ object }) => `${revisionOf(object)} ${keyOf(scope.resource, object)}`)), expected, {
    say,
    last,
    marked,
    through,
  });
  for (const { at, revision } of marks) {
    if (revision > history.newest)
      say("V10", `a bookmark of ${revision}, and the newest revision is ${history.newest}`);
    const late = told.find((event) => event.at > at && revisionOf(event.object) <= revision);
    if (late !== undefined) say("V10", `a bookmark of ${revision} before ${revisionOf(late.object)} was sent`);
  }
}

function checkEvent(
  event: ObjectEvent,
  { scope, expected }: { readonly scope: Scope; readonly expected: ReadonlyMap<string, Expected> },
  say: Say,
): void {
  const id = `${revisionOf(event.object)} ${keyOf(scope.resource, event.object)}`;
  const should = expected.get(id);
  if (should === undefined) say("V7", `${event.type} ${id} is not of this watch`);
  else if (should.type !== event.type) say("V7", `${id} is ${event.type} and should be ${should.type}`);
  else if (event.type === "DELETED" && lastState(event.object) !== lastState(should.object))
    say("V12", `DELETED ${id} does not carry the last state`);
}

interface Reach {
  readonly say: Say;
  /** The last revision that was told, that of the last bookmark, and that which must have been told. */
  readonly last: number;
  readonly marked: number;
  readonly through: number;
}

function checkMissing(
  told: ReadonlySet<string>,
  expected: ReadonlyMap<string, Expected>,
  { say, last, marked, through }: Reach,
): void {
  const revisions = new Set([...told].map((id) => id.slice(0, id.indexOf(" "))));
  let isFirst = true;
  for (const [id, { revision, type }] of expected) {
    if (!told.has(id)) {
      if (revisions.has(String(revision))) say("V8", `${id} is missing, and not the others of ${revision}`);
      if (revision < last) say("V7", `${type} ${id} is missing`);
      if (revision < last && isFirst) say("V9", `it does not begin with ${type} ${id}`);
      if (revision <= marked) say("V10", `a bookmark of ${marked} without ${id}`);
      if (revision > last && revision <= through) say("V9", `silence where ${type} ${id} should be`);
    }
    isFirst = false;
  }
}

/** What a DELETED event must keep of the last state: all but the revision and what a deletion itself changes. */
function lastState(object: JsonObject): string {
  const metadata = { ...(object["metadata"] as JsonObject) };
  for (const field of CHANGED_BY_DELETION) delete metadata[field];
  return stringifyJson({ ...object, metadata });
}

const CHANGED_BY_DELETION = [
  "resourceVersion",
  "finalizers",
  "managedFields",
  "generation",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
];

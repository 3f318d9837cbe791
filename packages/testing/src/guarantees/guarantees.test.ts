import { expect, it } from "vitest";

import {
  A,
  ALL,
  B,
  bookmark,
  event,
  GOOD,
  LISTING,
  operation,
  session,
  SESSIONS,
  WEB,
  widget,
  withEvents,
  withOperations,
  withSession,
} from "./guarantees.fixtures.js";
import { violations } from "./guarantees.js";
import type { History, Listing, Taken } from "./history.js";

const rules = (history: History): readonly string[] => [...new Set(violations(history).map(({ rule }) => rule))];
const without = (index: number) => (events: readonly Taken[]) => events.filter((_, i) => i !== index);
const swapped = (index: number) => (events: readonly Taken[]) =>
  events.map((e, i) => (i === index ? (events[i + 1] as Taken) : i === index + 1 ? (events[i - 1] as Taken) : e));
const replaced = (index: number, by: Taken) => (events: readonly Taken[]) =>
  events.map((e, i) => (i === index ? by : e));
const withListing = (change: Partial<Listing>): History => ({ ...GOOD, listings: [{ ...LISTING, ...change }] });

it("a history in which everything is right breaks no rule", () => {
  expect(violations(GOOD)).toEqual([]);
});

it("an unanswered write may have happened, or not", () => {
  const lost = operation("delete", "a", [22, Infinity], { kind: "unknown" });
  expect(violations(withOperations(lost))).toEqual([]);
  expect(violations(withOperations(lost, operation("read", "a", [23, 24], A.applied)))).toEqual([]);
  const overwritten = operation("update", "a", [22, Infinity], { kind: "unknown" });
  const refused = operation("update", "a", [23, 24], { kind: "refused", reason: "Conflict" }, { expected: 19 });
  expect(violations(withOperations(overwritten, refused))).toEqual([]);
  const gone = operation("read", "a", [23, 24], { kind: "refused", reason: "NotFound" });
  const told = session(ALL, 19, [event("DELETED", 22.5, widget("a", 20, { n: "2", generation: 2 }))]);
  expect(violations({ ...withOperations(lost, gone), sessions: [...GOOD.sessions, told], newest: 20 })).toEqual([]);
});

it.each<[rule: string, sentence: string, history: History]>([
  ["V1", "a read of what was overwritten before", withOperations(operation("read", "a", [10.2, 10.3], A.created))],
  [
    "V1",
    "two writes that were both conditional on one revision, and both done",
    withOperations(
      operation("update", "a", [20.1, 20.2], widget("a", 20, { n: "3", generation: 3 }), { expected: 14 }),
    ),
  ],
  [
    "V1",
    "a conflict with nothing",
    withOperations(operation("update", "a", [21, 22], { kind: "refused", reason: "Conflict" }, { expected: 19 })),
  ],
  ["V2", "one revision of two writes", withOperations(operation("create", "c", [21, 22], widget("c", 19)))],
  [
    "V2",
    "a write whose revision is behind that of one before",
    withOperations(operation("create", "c", [21, 22], widget("c", 10))),
  ],
  [
    "V2",
    "one revision with two states",
    withEvents("resumed", (events) =>
      events.map((e) =>
        e.type === "MODIFIED" && e.object === A.applied
          ? { ...e, object: widget("a", 19, { n: "9", generation: 2 }) }
          : e,
      ),
    ),
  ],
  [
    "V3",
    "pages of two revisions",
    withListing({
      pages: [
        { revision: 14, objects: [A.entered] },
        { revision: 15, objects: [B.created] },
      ],
    }),
  ],
  ["V3", "a list that lacks an object", withListing({ pages: [{ revision: 14, objects: [A.entered] }] })],
  ["V3", "an exact list of another revision", withListing({ version: 13, match: "Exact" })],
  ["V3", "a list that is older than was asked for", withListing({ version: 15, match: "NotOlderThan" })],
  ["V4", "a list that does not know of what was answered before", withListing({ began: 18.5 })],
  [
    "V4",
    "a state that does not know of what was answered before",
    withSession({
      ...SESSIONS.initial,
      events: [event("ADDED", 21.1, A.entered), bookmark(21.2, 14, true)],
      through: undefined,
    }),
  ],
  ["V5", "two events in the other order", withEvents("everything", swapped(2))],
  ["V6", "an event twice", withEvents("web", (events) => [...events, events[3] as Taken])],
  ["V7", "an event left out", withEvents("everything", without(3))],
  [
    "V7",
    "an object that left the selection as MODIFIED",
    withEvents("web", replaced(1, event("MODIFIED", 6.2, A.left))),
  ],
  [
    "V7",
    "an object that entered the selection as MODIFIED",
    withEvents("web", replaced(2, event("MODIFIED", 8.2, A.entered))),
  ],
  ["V7", "an object that left the selection without a word", withEvents("web", without(1))],
  ["V7", "an event of what is not selected", withSession(session(WEB, 11, [event("ADDED", 4.2, B.created)]))],
  ["V7", "a state that lacks an object", withSession({ ...SESSIONS.initial, events: [bookmark(21.2, 19, true)] })],
  [
    "V8",
    "one of two events of a revision, and then the next",
    {
      ...GOOD,
      othersWrite: true,
      newest: 21,
      sessions: [
        session(ALL, 19, [
          event("ADDED", 30, widget("c", 20)),
          event("ADDED", 31, widget("d", 20)),
          event("ADDED", 32, widget("e", 21)),
        ]),
        session(ALL, 19, [event("ADDED", 30, widget("c", 20)), event("ADDED", 32, widget("e", 21))]),
        ...GOOD.sessions,
      ],
    },
  ],
  ["V9", "a resumed watch that skips the first event", withEvents("resumed", without(0))],
  [
    "V9",
    "a resumed watch that tells again what its reader knew",
    withEvents("resumed", (events) => [event("MODIFIED", 9.5, A.entered), ...events]),
  ],
  ["V9", "silence", withSession({ ...SESSIONS.resumed, events: [], through: 19 })],
  ["V9", "an error other than 410", withSession(session(ALL, 14, [{ at: 21, ms: 21_000, type: "ERROR", code: 500 }]))],
  ["V10", "a bookmark that is behind the events before it", withEvents("everything", replaced(10, bookmark(18.2, 17)))],
  ["V10", "a bookmark that is ahead of the events after it", withEvents("everything", replaced(4, bookmark(8.2, 15)))],
  ["V10", "a bookmark in the place of an event", withEvents("everything", without(9))],
  ["V10", "a bookmark of a revision that is not reached", withEvents("everything", replaced(10, bookmark(18.2, 25)))],
  ["V10", "a state without a bookmark after it", withEvents("initial", without(1))],
  ["V10", "a bookmark that nobody asked for", withEvents("web", (events) => [...events, bookmark(18.4, 19)])],
  [
    "V11",
    "an old event where the revision was not reached",
    withEvents("future", (events) => [event("MODIFIED", 8.5, A.entered), ...events]),
  ],
  [
    "V11",
    "old events where only news was asked for",
    withSession(session(ALL, undefined, [event("MODIFIED", 21.5, A.applied)], { began: 21 })),
  ],
  [
    "V12",
    "DELETED with another state than the last",
    withEvents("resumed", replaced(0, event("DELETED", 10.1, widget("b", 15, { tier: "web" })))),
  ],
  [
    "V12",
    "DELETED in spite of a finalizer",
    {
      ...withEvents("everything", without(7)),
      operations: GOOD.operations.filter(({ type, outcome }) => type !== "delete" || outcome.kind !== "object"),
      listings: [],
      sessions: [withEvents("everything", without(7)).sessions[0] as History["sessions"][number]],
    },
  ],
  ["V13", "an event before its write was durable", { ...GOOD, durable: new Map([...GOOD.durable, [13, 6.15]]) }],
  ["V13", "an answer before its write was durable", { ...GOOD, durable: new Map([...GOOD.durable, [13, 6.05]]) }],
  [
    "V13",
    "a read that does not know of an event before",
    withOperations(operation("read", "a", [18.35, 18.36], A.entered)),
  ],
  [
    "V13",
    "an event of what nobody wrote",
    withEvents("everything", (events) => [...events, event("ADDED", 19, widget("z", 19.5))]),
  ],
  [
    "V14",
    "the same apply twice moves the revision",
    withOperations(
      operation("apply", "a", [21, 22], widget("a", 20, { n: "2", generation: 2, time: "t2" }), { intent: "m 2" }),
    ),
  ],
  [
    "V15",
    "a generation that moved without the spec",
    withOperations(operation("update", "a", [21, 22], widget("a", 20, { n: "2", tier: "db", generation: 3 }))),
  ],
  [
    "V15",
    "a spec that moved without the generation",
    withOperations(operation("update", "a", [21, 22], widget("a", 20, { n: "3", generation: 2 }))),
  ],
  [
    "V15",
    "a revision for nothing but a time",
    withOperations(operation("update", "a", [21, 22], widget("a", 20, { n: "2", generation: 2, time: "t2" }))),
  ],
  ["V16", "a 410 for what must be remembered", { ...GOOD, compactions: [] }],
  ["V16", "a list that is too old, and nothing was forgotten", { ...withListing({ end: "expired" }), compactions: [] }],
  ["V16", "a minute without a bookmark", withSession({ ...SESSIONS.resumed, endedMs: 90_000 })],
])("%s is broken by %s", (rule, _sentence, history) => {
  expect(rules(history)).toContain(rule);
});

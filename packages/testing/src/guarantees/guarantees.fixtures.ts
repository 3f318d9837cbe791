import type { JsonObject } from "@fairlead/base";
import { parseLabelSelector } from "@fairlead/apimachinery";

import type { History, Listing, Operation, Scope, Session, Taken } from "./history.js";

/** A short history in which everything is as it should be, and ways to spoil it. */

interface Looks {
  readonly uid?: string;
  readonly tier?: string;
  readonly n?: string;
  readonly generation?: number;
  readonly held?: boolean;
  readonly deleting?: boolean;
  readonly time?: string;
}

export function widget(name: string, revision: number, looks: Looks = {}): JsonObject {
  const { uid = name, tier = "web", n = "1", generation = 1, held = false, deleting = false, time = "t1" } = looks;
  return {
    metadata: {
      name,
      namespace: "default",
      uid,
      resourceVersion: String(revision),
      generation,
      labels: { tier },
      managedFields: [{ manager: "m", time }],
      ...(held ? { finalizers: ["lab.dev/hold"] } : {}),
      ...(deleting ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
    },
    spec: { n },
  };
}

export const ALL: Scope = { resource: "widgets", namespace: "default", labels: undefined, fields: undefined };
export const WEB: Scope = { ...ALL, labels: parseLabelSelector("tier=web") };

export function operation(
  type: Operation["type"],
  name: string,
  [began, ended]: readonly [number, number],
  outcome: Operation["outcome"] | JsonObject,
  more: Partial<Operation> = {},
): Operation {
  const what = "kind" in outcome ? (outcome as Operation["outcome"]) : ({ kind: "object", object: outcome } as const);
  return { type, key: `widgets default/${name}`, began, ended, outcome: what, ...more };
}

export function event(type: "ADDED" | "MODIFIED" | "DELETED", at: number, object: JsonObject): Taken {
  return { at, ms: at * 1000, type, object };
}

export function bookmark(at: number, revision: number, initialEnd = false): Taken {
  return { at, ms: at * 1000, type: "BOOKMARK", revision, initialEnd };
}

export function session(
  scope: Scope,
  from: number | undefined,
  events: readonly Taken[],
  more: Partial<Session> = {},
): Session {
  return {
    scope,
    began: 0,
    from,
    initial: false,
    bookmarks: false,
    prompt: true,
    openedMs: 0,
    endedMs: 50_000,
    events,
    through: undefined,
    ...more,
  };
}

export const A = {
  created: widget("a", 11),
  left: widget("a", 13, { tier: "db" }),
  entered: widget("a", 14),
  applied: widget("a", 19, { n: "2", generation: 2 }),
};
export const B = {
  created: widget("b", 12, { tier: "db" }),
  removed: widget("b", 15, { tier: "db" }),
  held: widget("b", 16, { uid: "b2", tier: "db", held: true }),
  leaving: widget("b", 17, { uid: "b2", tier: "db", held: true, deleting: true, generation: 2 }),
  gone: widget("b", 18, { uid: "b2", tier: "db", held: true, deleting: true, generation: 2 }),
};

const everything = [
  event("ADDED", 2.1, A.created),
  event("ADDED", 4.1, B.created),
  event("MODIFIED", 6.1, A.left),
  event("MODIFIED", 8.1, A.entered),
  bookmark(8.2, 14),
  event("DELETED", 10.1, B.removed),
  event("ADDED", 12.1, B.held),
  event("MODIFIED", 14.1, B.leaving),
  event("DELETED", 16.1, B.gone),
  event("MODIFIED", 18.1, A.applied),
  bookmark(18.2, 19),
];

const operations = [
  operation("create", "a", [1, 2], A.created),
  operation("create", "b", [3, 4], B.created),
  operation("update", "a", [5, 6], A.left, { expected: 11 }),
  operation("update", "a", [5.5, 5.6], { kind: "refused", reason: "Conflict" }, { expected: 7 }),
  operation("update", "a", [7, 8], A.entered),
  operation("read", "a", [8.3, 8.4], A.entered),
  operation("delete", "b", [9, 10], { kind: "removed" }),
  operation("create", "b", [11, 12], B.held),
  operation("delete", "b", [13, 14], B.leaving),
  operation("update", "b", [15, 16], { kind: "removed" }),
  operation("apply", "a", [17, 18], A.applied, { intent: "m 2" }),
  operation("apply", "a", [19, 20], A.applied, { intent: "m 2" }),
];

export const SESSIONS = {
  everything: session(ALL, 10, everything, { bookmarks: true, through: 19 }),
  web: session(WEB, 10, [
    event("ADDED", 2.2, A.created),
    event("DELETED", 6.2, widget("a", 13)),
    event("ADDED", 8.2, A.entered),
    event("MODIFIED", 18.3, A.applied),
  ]),
  resumed: session(ALL, 14, everything.slice(5), { began: 9, bookmarks: true }),
  initial: session(ALL, undefined, [event("ADDED", 21.1, A.applied), bookmark(21.2, 19, true)], {
    began: 21,
    openedMs: 21_000,
    initial: true,
    bookmarks: true,
    through: 19,
  }),
  future: session(ALL, 18, [event("MODIFIED", 18.4, A.applied)], { began: 2.5 }),
  tooLate: session(ALL, 11, [{ at: 20.2, ms: 20_200, type: "ERROR", code: 410 }], { began: 20.1 }),
};

export const LISTING: Listing = {
  scope: ALL,
  began: 8.5,
  ended: 10.5,
  version: undefined,
  match: undefined,
  pages: [
    { revision: 14, objects: [A.entered] },
    { revision: 14, objects: [B.created] },
  ],
  end: "whole",
};

export const GOOD: History = {
  operations,
  listings: [LISTING],
  sessions: Object.values(SESSIONS),
  compactions: [{ at: 20.05, revision: 12 }],
  durable: new Map(
    operations
      .flatMap(({ outcome, ended }) =>
        outcome.kind === "object" ? [[revision(outcome.object), ended - 0.5] as const] : [],
      )
      .reverse(),
  ),
  newest: 19,
  remembered: 100,
  othersWrite: false,
};

function revision(object: JsonObject): number {
  return Number((object["metadata"] as JsonObject)["resourceVersion"]);
}

/** The good history with one watch more. */
export function withSession(...more: readonly Session[]): History {
  return { ...GOOD, sessions: [...GOOD.sessions, ...more] };
}

/** The good history with one watch told otherwise. */
export function withEvents(
  which: keyof typeof SESSIONS,
  change: (events: readonly Taken[]) => readonly Taken[],
): History {
  const spoilt = { ...SESSIONS, [which]: { ...SESSIONS[which], events: change(SESSIONS[which].events) } };
  return { ...GOOD, sessions: Object.values(spoilt) };
}

/** The good history with more operations. */
export function withOperations(...more: readonly Operation[]): History {
  return { ...GOOD, operations: [...GOOD.operations, ...more] };
}

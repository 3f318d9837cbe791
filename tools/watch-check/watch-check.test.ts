import type { History } from "@fairlead/testing";
import { violations } from "@fairlead/testing";
import { expect, it } from "vitest";

import { mutated, MUTANTS } from "./mutants.fixtures.js";
import { run } from "./run.js";

const SEEDS = [1, 2, 3, 4];
const histories = new Map<number, History>();

it.each(SEEDS)("a server keeps V1 to V16 under the random load of seed %i (T6, T7)", async (seed) => {
  const history = await run({ seed, operations: 500 });
  histories.set(seed, history);
  expect(violations(history).slice(0, 10)).toEqual([]);
});

it("these loads have what the rules speak of", () => {
  const all = [...histories.values()];
  const operations = all.flatMap((history) => history.operations);
  const sessions = all.flatMap((history) => history.sessions);
  const listings = all.flatMap((history) => history.listings);
  const events = sessions.flatMap((session) => session.events);
  const count = <T>(items: readonly T[], test: (item: T) => boolean): number => items.filter(test).length;
  const met = {
    removals: count(operations, ({ outcome }) => outcome.kind === "removed"),
    unanswered: count(operations, ({ outcome }) => outcome.kind === "unknown"),
    conflicts: count(operations, ({ outcome }) => outcome.kind === "refused" && outcome.reason === "Conflict"),
    overlapping: count(operations, ({ began, ended }) => ended > began + 1),
    pages: count(listings, ({ pages }) => pages.length > 1),
    expiredPages: count(listings, ({ pages, end }) => pages.length > 0 && end === "expired"),
    expiredLists: count(listings, ({ pages, end }) => pages.length === 0 && end === "expired"),
    expiredWatches: count(events, ({ type }) => type === "ERROR"),
    bookmarks: count(events, (event) => event.type === "BOOKMARK" && !event.initialEnd),
    states: count(events, (event) => event.type === "BOOKMARK" && event.initialEnd),
    resumed: count(sessions, ({ initial, events: { length } }) => !initial && length > 0),
    selective: count(sessions, ({ scope, events: { length } }) => scope.labels !== undefined && length > 0),
    slow: count(sessions, ({ prompt, events: { length } }) => !prompt && length > 3),
  };
  expect(Object.entries(met).filter(([, times]) => times < 5)).toEqual([]);
});

it("equal seeds give equal histories", async () => {
  expect(await run({ seed: 5, operations: 60 })).toEqual(await run({ seed: 5, operations: 60 }));
});

it.each(MUTANTS)("a server is caught where %s (T7)", async (_name, mutant) => {
  const history = await run({ seed: 2, operations: 150, between: (transport) => mutated(transport, mutant) });
  expect(violations(history)).not.toEqual([]);
});

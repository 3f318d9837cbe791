import { stringifyJson } from "@fairlead/base";

import { stateAt, type Changes } from "./changes.js";
import { keyOf, revisionOf, type History, type Listing, type Violation } from "./history.js";
import { mayBeForgotten } from "./window.js";

/** V3 and V4 of one list. */
export function listViolations(history: History, changes: Changes, listing: Listing): Violation[] {
  const found: Violation[] = [];
  const { scope, version, match, pages, end, began, ended } = listing;
  const first = pages[0];
  const say = (rule: Violation["rule"], message: string): void => {
    found.push({
      rule,
      message: `list of ${scope.resource} at ${version ?? "unset"} (${match ?? "no match"}): ${message}`,
    });
  };
  const asked = first?.revision ?? version ?? 0;
  if (end === "expired" && !mayBeForgotten(history, changes, { revision: asked, at: ended }))
    say("V16", `${asked} was told to be too old`);
  if (first === undefined) return found;
  const { revision } = first;
  if (pages.some((page) => page.revision !== revision))
    say("V3", `its pages are of ${pages.map((page) => page.revision).join(", ")}`);
  if (match === "Exact" && revision !== version) say("V3", `it is of ${revision}`);
  if (revision < (version ?? 0)) say("V3", `it is of ${revision}`);
  const objects = pages.flatMap((page) => page.objects);
  const whole = stateAt(changes, scope, revision);
  const should = end === "whole" ? whole : whole.slice(0, objects.length);
  if (stringifyJson([...objects]) !== stringifyJson([...should]))
    say("V3", `it is not the state of ${revision}: ${objects.length} objects, and should be ${should.length}`);
  if (version === undefined)
    for (const { type, key, ended: answered, outcome } of history.operations)
      if (type !== "read" && answered < began && outcome.kind === "object" && revisionOf(outcome.object) > revision)
        say("V4", `it is of ${revision}, and ${key} had been written at ${revisionOf(outcome.object)}`);
  return found;
}

/** V13: nobody is told of what is not durable, or not to be read yet, or was never written. */
export function visibilityViolations(history: History, changes: Changes): Violation[] {
  const found: Violation[] = [];
  const say = (message: string): void => {
    found.push({ rule: "V13", message });
  };
  const told = toldRevisions(history);
  for (const { at, revision } of told) {
    const durable = history.durable.get(revision);
    if (durable !== undefined && at < durable) say(`an event of ${revision} before that was durable`);
  }
  for (const { type, key, ended, outcome } of history.operations) {
    if (type === "read" || outcome.kind !== "object") continue;
    const durable = history.durable.get(revisionOf(outcome.object));
    if (durable !== undefined && ended < durable) say(`an answer to ${type} of ${key} before that was durable`);
  }
  const newestBefore = newestToldBefore(told);
  for (const { began, version, pages } of history.listings) {
    const newest = newestBefore(began);
    const revision = pages[0]?.revision;
    if (version === undefined && revision !== undefined && revision < newest)
      say(`a list of ${revision} after an event of ${newest}`);
  }
  for (const { type, key, began, outcome } of history.operations) {
    if (type !== "read" || outcome.kind === "unknown") continue;
    const newest = newestToldBefore(told.filter((event) => event.key === key))(began);
    const removed = changes.all.some((c) => c.key === key && c.after === undefined && c.revision >= newest);
    if (outcome.kind === "object" ? revisionOf(outcome.object) < newest : newest > 0 && !removed)
      say(`a read of ${key} does not know of ${newest}, which an event told`);
  }
  if (!history.othersWrite) found.push(...unwritten(history, changes));
  return found;
}

interface Told {
  readonly at: number;
  readonly revision: number;
  readonly key: string;
}

function toldRevisions({ sessions }: History): Told[] {
  const told: Told[] = [];
  for (const { scope, events } of sessions)
    for (const event of events)
      if (event.type !== "BOOKMARK" && event.type !== "ERROR")
        told.push({ at: event.at, revision: revisionOf(event.object), key: keyOf(scope.resource, event.object) });
  return told.sort((a, b) => a.at - b.at);
}

/** The newest revision that an event had told of before a moment. */
function newestToldBefore(told: readonly Told[]): (moment: number) => number {
  const newest: number[] = [];
  for (const { revision } of told) newest.push(Math.max(newest.at(-1) ?? 0, revision));
  return (moment) => {
    let low = 0;
    let high = told.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((told[middle] as Told).at < moment) low = middle + 1;
      else high = middle;
    }
    return newest[low - 1] ?? 0;
  };
}

/** Objects that nobody is known to have written, by an answer that came or one that was lost. */
function unwritten({ operations }: History, changes: Changes): Violation[] {
  const written = new Set<string>();
  const uncertain = new Set<string>();
  for (const { type, key, outcome } of operations) {
    if (type === "read") continue;
    if (outcome.kind === "object") written.add(`${revisionOf(outcome.object)} ${key}`);
    if (outcome.kind === "unknown") uncertain.add(key);
  }
  return changes.all
    .filter((c) => c.after !== undefined && !written.has(`${c.revision} ${c.key}`) && !uncertain.has(c.key))
    .map((c) => ({ rule: "V13", message: `${c.key} at ${c.revision} was told of, and nobody wrote it` }));
}

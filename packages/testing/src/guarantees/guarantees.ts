import { changesOf, type Change } from "./changes.js";
import type { History, Operation, Violation } from "./history.js";
import { linearizable } from "./linearizable.js";
import { applyViolations, sequenceViolations, stepViolations } from "./objects.js";
import { listViolations, visibilityViolations } from "./reads.js";
import { streamViolations } from "./streams.js";
import { windowViolations } from "./window.js";

/**
 * Every rule that a history breaks; none when the server kept what an API server promises:
 *
 * - V1 operations on one object are linearizable, with compare-and-swap by resourceVersion
 * - V2 revisions are one strictly increasing sequence, and none is used twice
 * - V3 a list is the state of one revision, the right one, on all its pages; V4 it knows of every write answered before
 * - V5 revisions of a watch never decrease; V6 no event comes twice; V7 none is missing, and objects enter and leave a
 *   selection as ADDED and DELETED; V8 what happened at once is told at once
 * - V9 a watch from a revision begins right after it, or with a 410; V11 also where that revision is not reached yet
 * - V10 bookmarks come after everything up to them, and one ends the state
 * - V12 DELETED carries the last state, and finalizers hold an object
 * - V13 nobody is told of a write before it is durable and to be read
 * - V14 the same apply twice changes nothing; V15 the generation moves with the spec, a revision with a change
 * - V16 nothing is forgotten before its time, and bookmarks come every minute
 */
export function violations(history: History): Violation[] {
  const changes = changesOf(history);
  return [
    ...changes.violations,
    ...[...grouped(history.operations)].flatMap(([key, operations]) => linearizable(key, operations)),
    ...sequenceViolations(history, changes),
    ...[...grouped<Change>(changes.all)].flatMap(([key, steps]) => stepViolations(key, steps)),
    ...applyViolations(history, changes),
    ...history.listings.flatMap((listing) => listViolations(history, changes, listing)),
    ...history.sessions.flatMap((session) => [
      ...streamViolations(history, changes, session),
      ...windowViolations(history, changes, session),
    ]),
    ...visibilityViolations(history, changes),
  ];
}

function grouped<T extends { readonly key: string } = Operation>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.key);
    if (group === undefined) groups.set(item.key, [item]);
    else group.push(item);
  }
  return groups;
}

import { getPath, stringifyJson, type JsonObject, type JsonValue } from "@fairlead/base";

import type { Change, Changes } from "./changes.js";
import {
  finalizersOf,
  isDeleting,
  revisionOf,
  textAt,
  type History,
  type Operation,
  type Violation,
} from "./history.js";

/** V2: revisions are one sequence, used once, in the order in which answers and requests follow each other. */
export function sequenceViolations({ operations }: History, changes: Changes): Violation[] {
  const found: Violation[] = [];
  const keys = new Map<number, string>();
  for (const { revision, key } of changes.all) {
    const other = keys.get(revision);
    if (other !== undefined && other !== key && isWritten(operations, revision, [key, other]))
      found.push({ rule: "V2", message: `${revision} is of ${other} and of ${key}` });
    keys.set(revision, key);
  }
  const writes = operations.filter(({ type }) => type !== "read");
  const newRevision = newRevisions(writes);
  let newest = 0;
  const ends = writes.filter(({ ended }) => ended !== Infinity).sort((a, b) => a.ended - b.ended);
  let i = 0;
  for (const write of [...writes].sort((a, b) => a.began - b.began)) {
    for (; i < ends.length && (ends[i] as Operation).ended < write.began; i++)
      newest = Math.max(newest, newRevision(ends[i] as Operation));
    const revision = newRevision(write);
    if (revision > 0 && revision <= newest)
      found.push({ rule: "V2", message: `${write.key} got ${revision} after ${newest} had been answered` });
  }
  return found;
}

function isWritten(operations: readonly Operation[], revision: number, keys: readonly string[]): boolean {
  return keys.every((key) =>
    operations.some(
      ({ key: own, type, outcome }) =>
        own === key && type !== "read" && outcome.kind === "object" && revisionOf(outcome.object) === revision,
    ),
  );
}

/**
 * The revision that a write made; 0 when its answer does not tell. An answer that another write had, too, or may have
 * lost, may be that of a write that changed nothing.
 */
function newRevisions(writes: readonly Operation[]): (operation: Operation) => number {
  const answers = new Map<string, number>();
  const lost = new Map<string, number>();
  for (const { key, outcome, began } of writes) {
    if (outcome.kind === "unknown") lost.set(key, Math.min(began, lost.get(key) ?? Infinity));
    if (outcome.kind !== "object") continue;
    const id = `${revisionOf(outcome.object)} ${key}`;
    answers.set(id, (answers.get(id) ?? 0) + 1);
  }
  return ({ key, outcome, ended }) => {
    if (outcome.kind !== "object" || (lost.get(key) ?? Infinity) < ended) return 0;
    const revision = revisionOf(outcome.object);
    return answers.get(`${revision} ${key}`) === 1 ? revision : 0;
  };
}

/** V12 and V15 of the steps of one object. */
export function stepViolations(key: string, steps: readonly Change[]): Violation[] {
  const found: Violation[] = [];
  for (const { revision, before, after } of steps) {
    const say = (rule: Violation["rule"], message: string): void => {
      found.push({ rule, message: `${key} at ${revision}: ${message}` });
    };
    if (after === undefined) {
      if (before === undefined) say("V12", "removed, and was not there");
      else if (finalizersOf(before) > 0 && !isDeleting(before)) say("V12", "removed in spite of its finalizers");
    } else if (before !== undefined) checkUpdate(before, after, say);
    else if ((generationOf(after) ?? 1) !== 1) say("V15", "created with another generation than 1");
  }
  return found;
}

function checkUpdate(
  before: JsonObject,
  after: JsonObject,
  say: (rule: Violation["rule"], message: string) => void,
): void {
  if (textAt(before, "uid") !== textAt(after, "uid")) return say("V7", "another object, and nobody told of a deletion");
  if (isDeleting(before) && !isDeleting(after)) say("V12", "not being deleted any more");
  const [was, is] = [generationOf(before), generationOf(after)];
  if (was !== undefined && is !== undefined) {
    const changed = specOf(before) !== specOf(after) || isDeleting(before) !== isDeleting(after);
    if (is - was !== (changed ? 1 : 0))
      say("V15", `generation ${was}, then ${is}, and its spec ${changed ? "changed" : "did not"}`);
  }
  if (timeless(before) === timeless(after)) say("V15", "a new revision, and nothing changed but times");
}

function generationOf(object: JsonObject): number | undefined {
  const value = getPath(object, "metadata", "generation");
  return value === undefined ? undefined : Number(value);
}

/** What counts for the generation. */
function specOf(object: JsonObject): string {
  const { metadata: _metadata, status: _status, ...rest } = object;
  return stringifyJson(rest);
}

function timeless(object: JsonObject): string {
  const { resourceVersion: _revision, managedFields, ...metadata } = object["metadata"] as JsonObject;
  const entries = Array.isArray(managedFields) ? (managedFields as JsonObject[]) : [];
  return stringifyJson({ ...object, metadata, entries: entries.map((entry): JsonValue => ({ ...entry, time: "" })) });
}

/** V14: an apply of what was applied just before changes nothing. */
export function applyViolations({ operations }: History, changes: Changes): Violation[] {
  const found: Violation[] = [];
  const newRevision = newRevisions(operations.filter(({ type }) => type !== "read"));
  const before = new Map<string, Operation>();
  for (const operation of [...operations].sort((a, b) => a.began - b.began)) {
    const { type, key, intent, outcome, began } = operation;
    if (type !== "apply" || outcome.kind !== "object" || intent === undefined) continue;
    const id = `${key} ${intent}`;
    const earlier = before.get(id);
    before.set(id, operation);
    if (earlier?.outcome.kind !== "object" || earlier.ended >= began) continue;
    const [from, to] = [revisionOf(earlier.outcome.object), revisionOf(outcome.object)];
    const between = changes.all.some((c) => c.key === key && c.revision > from && c.revision < to);
    if (!between && to !== from && newRevision(operation) === to)
      found.push({ rule: "V14", message: `${key}: the same apply twice moved ${from} to ${to}` });
  }
  return found;
}

import { stringifyJson, type JsonObject } from "@fairlead/base";

import { keyOf, revisionOf, selects, type History, type Scope, type Violation } from "./history.js";

/** One step of one object. A removal has no `after`. */
export interface Change {
  readonly revision: number;
  readonly key: string;
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
}

/** What a watch of a scope should be told of a change; of DELETED the object as it was before. */
export interface Expected {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly revision: number;
  readonly key: string;
  readonly object: JsonObject;
}

/** Everything that happened, put together from all answers and all events; one order for everybody. */
export interface Changes {
  /** By revision. */
  readonly all: readonly Change[];
  readonly violations: readonly Violation[];
}

export function changesOf(history: History): Changes {
  const violations: Violation[] = [];
  const puts = new Map<string, JsonObject>();
  const put = (key: string, object: JsonObject, where: string): void => {
    const id = `${revisionOf(object)} ${key}`;
    const known = puts.get(id);
    if (known !== undefined && stringifyJson(known) !== stringifyJson(object))
      violations.push({
        rule: "V2",
        message: `${where}: ${key} at ${revisionOf(object)} is another object than before`,
      });
    else puts.set(id, object);
  };
  for (const { type, key, outcome } of history.operations)
    if (outcome.kind === "object") put(key, outcome.object, `answer to ${type}`);
  for (const { scope, pages } of history.listings)
    for (const { objects } of pages) for (const object of objects) put(keyOf(scope.resource, object), object, "list");
  const removals = new Set<string>();
  for (const { scope, events } of history.sessions)
    for (const event of events)
      if (event.type === "ADDED" || event.type === "MODIFIED")
        put(keyOf(scope.resource, event.object), event.object, "event");
  for (const { scope, events } of history.sessions)
    for (const event of events) {
      if (event.type !== "DELETED") continue;
      const id = `${revisionOf(event.object)} ${keyOf(scope.resource, event.object)}`;
      if (!puts.has(id)) removals.add(id);
    }
  return { all: inOrder(puts, removals), violations };
}

function inOrder(puts: ReadonlyMap<string, JsonObject>, removals: ReadonlySet<string>): Change[] {
  const parsed = [...puts.keys(), ...removals].map((id) => {
    const space = id.indexOf(" ");
    return { revision: Number(id.slice(0, space)), key: id.slice(space + 1), after: puts.get(id) };
  });
  parsed.sort((a, b) => a.revision - b.revision);
  const newest = new Map<string, JsonObject | undefined>();
  return parsed.map((step) => {
    const before = newest.get(step.key);
    newest.set(step.key, step.after);
    return { ...step, before };
  });
}

/** What a watch of a scope should be told of the changes in (from, to]. */
export function expectedEvents(
  changes: Changes,
  scope: Scope,
  range: { readonly from: number; readonly to: number },
): Expected[] {
  const events: Expected[] = [];
  for (const { revision, key, before, after } of changes.all) {
    if (revision <= range.from || revision > range.to) continue;
    const was = before !== undefined && selects(scope, key, before);
    const is = after !== undefined && selects(scope, key, after);
    if (is) events.push({ type: was ? "MODIFIED" : "ADDED", revision, key, object: after });
    else if (was) events.push({ type: "DELETED", revision, key, object: before });
  }
  return events;
}

/** The objects of a scope at a revision, in the order of their keys. */
export function stateAt(changes: Changes, scope: Scope, revision: number): JsonObject[] {
  const objects = new Map<string, JsonObject>();
  for (const change of changes.all) {
    if (change.revision > revision) break;
    if (change.after !== undefined && selects(scope, change.key, change.after)) objects.set(change.key, change.after);
    else objects.delete(change.key);
  }
  return [...objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
}

import { revisionOf, type Operation, type Violation } from "./history.js";

/** What one object is: absent, there under a revision, or there as a write left it whose answer was lost. */
type State = number | "absent" | "written";

/**
 * V1: whether the operations on one object can be put into one order, each between its beginning and its end, that
 * explains every answer (Wing and Gong's search, one configuration per way to explain what has been answered so far).
 */
export function linearizable(key: string, operations: readonly Operation[]): Violation[] {
  const moments = [
    ...operations.map((operation) => ({ at: operation.began, operation, begins: true })),
    ...operations
      .filter(({ ended }) => ended !== Infinity)
      .map((operation) => ({ at: operation.ended, operation, begins: false })),
  ].sort((a, b) => a.at - b.at);
  const open = new Set<Operation>();
  let ways: readonly Way[] = [{ state: "absent", done: new Set() }];
  for (const { operation, begins } of moments) {
    if (begins) {
      open.add(operation);
      continue;
    }
    const explained = reachable(ways, open).filter(({ done }) => done.has(operation));
    if (explained.length === 0) return [{ rule: "V1", message: `${key}: no order explains ${describe(operation)}` }];
    open.delete(operation);
    ways = unique(
      explained.map(({ state, done }) => ({ state, done: new Set([...done].filter((o) => o !== operation)) })),
    );
  }
  return [];
}

/** A way to explain what was answered: the state, and which of the open operations have happened. */
interface Way {
  readonly state: State;
  readonly done: ReadonlySet<Operation>;
}

/** All that can be had by letting open operations happen, in any order. */
function reachable(ways: readonly Way[], open: ReadonlySet<Operation>): readonly Way[] {
  let all = unique(ways);
  for (let i = 0; i < all.length; i++) {
    const { state, done } = all[i] as Way;
    const next = [...open]
      .filter((operation) => !done.has(operation))
      .flatMap((operation) =>
        effects(operation, state).map((s): Way => ({ state: s, done: new Set([...done, operation]) })),
      );
    if (next.length > 0) all = unique([...all, ...next]);
  }
  return all;
}

function unique(ways: readonly Way[]): readonly Way[] {
  const seen = new Map<string, Way>();
  for (const way of ways) {
    const id = `${way.state} ${[...way.done]
      .map((o) => o.began)
      .sort((a, b) => a - b)
      .join(",")}`;
    if (!seen.has(id)) seen.set(id, way);
  }
  return [...seen.values()];
}

/** The states that an operation with this answer may leave behind; none when it cannot have happened here. */
function effects({ type, expected, outcome }: Operation, state: State): readonly State[] {
  const present = state !== "absent";
  const fits = expected === undefined || expected === state || state === "written";
  switch (outcome.kind) {
    case "refused":
      return isExplained(outcome.reason, { present, fits: fits && state !== "written" }) ? [state] : [];
    case "unknown":
      return type === "read" ? [state] : [state, "written", "absent"];
    case "removed":
      return present && fits ? ["absent"] : [];
    case "object": {
      const revision = revisionOf(outcome.object);
      if (type === "read") return state === revision || state === "written" ? [revision] : [];
      if (type === "create" ? present : type !== "apply" && !present) return [];
      if (!fits || (typeof state === "number" && revision < state)) return [];
      return [revision];
    }
  }
}

function isExplained(
  reason: string,
  { present, fits }: { readonly present: boolean; readonly fits: boolean },
): boolean {
  switch (reason) {
    case "AlreadyExists":
      return present;
    case "NotFound":
      return !present;
    case "Conflict":
      return present && !fits;
    default:
      return true;
  }
}

function describe({ type, expected, outcome }: Operation): string {
  const answer =
    outcome.kind === "object"
      ? `revision ${revisionOf(outcome.object)}`
      : outcome.kind === "refused"
        ? outcome.reason
        : outcome.kind;
  return `${type}${expected === undefined ? "" : ` of ${expected}`}, answered with ${answer}`;
}

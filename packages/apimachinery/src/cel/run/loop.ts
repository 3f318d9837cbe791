// Loops over lists and maps, of which all macros are made.
import { CelError, isList, isMap, type CelList, type CelMap, type Result, type Value } from "../value/value.js";
import type { Frame } from "./frame.js";

/** Where a loop keeps its variables. */
export interface LoopSlots {
  readonly accumulator: number;
  readonly first: number;
  /** Of loops with two variables: index and element, or key and value. */
  readonly second: number | undefined;
}

/** What a loop goes over. */
export interface Range {
  readonly over: CelList | CelMap;
  readonly keys: readonly Value[] | undefined;
  readonly count: number;
}

/** What to loop over, or why it cannot be. */
export function rangeOf(over: Result): Range | CelError {
  if (over instanceof CelError) return over;
  if (isMap(over)) {
    const keys = over.keys();
    return { over, keys, count: keys.length };
  }
  if (isList(over)) return { over, keys: undefined, count: over.length };
  return new CelError("got a value that is no list or map, expected iterable type");
}

/** Sets the variables of a turn. */
export function setVariables(frame: Frame, { over, keys }: Range, { first, second }: LoopSlots, turn: number): void {
  if (second === undefined) {
    frame.locals[first] = keys === undefined ? (over as CelList).at(turn) : (keys[turn] as Value);
    return;
  }
  const key = keys?.[turn] ?? BigInt(turn);
  frame.locals[first] = key;
  frame.locals[second] = keys === undefined ? (over as CelList).at(turn) : ((over as CelMap).get(key) ?? null);
}

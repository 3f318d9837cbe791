// Where a regular expression matches: all the ways that a match may go are followed at once, in the order in which they
// are preferred, so the first that ends decides (RE2's NFA).
import type { Sliced } from "@fairlead/base";
import { holds, OP, type Program } from "./go-regexp-program.js";

/** Where a match begins and ends. */
export interface GoMatch {
  readonly start: number;
  readonly end: number;
}

/** A step that has been reached, and where the match began that it belongs to. */
interface Thread {
  readonly index: number;
  readonly start: number;
}

/** The leftmost match from a place on, the preferred one of those that begin there. */
export function* findMatch(program: Program, text: string, from: number): Sliced<GoMatch | undefined> {
  const seen = new Int32Array(program.size).fill(-1);
  let threads: readonly Thread[] = [];
  let found: GoMatch | undefined;
  let before = from > 0 ? (text.codePointAt(lastStart(text, from)) ?? -1) : -1;
  let work = 0;
  for (let at = from; ;) {
    const point = at < text.length ? (text.codePointAt(at) ?? -1) : -1;
    const reached = found === undefined ? [...threads, { index: 0, start: at }] : threads;
    const { waiting, matched } = followThreads(program, reached, { seen, at, before, point });
    if (matched !== undefined) found = { start: matched, end: at };
    if (point < 0 || (waiting.length === 0 && found !== undefined)) return found;
    const next: Thread[] = [];
    for (const { index, start } of waiting) if (program.test(index, point)) next.push({ index: index + 1, start });
    threads = next;
    before = point;
    at += point > 0xffff ? 2 : 1;
    work += 5 + waiting.length * 2;
    if (work > 10_000) {
      yield work;
      work = 0;
    }
  }
}

/** Where the character begins that ends before a place. */
function lastStart(text: string, at: number): number {
  return at >= 2 && (text.codePointAt(at - 2) ?? 0) > 0xffff ? at - 2 : at - 1;
}

interface Place {
  /** Per step, the last place at which it was reached. */
  readonly seen: Int32Array;
  readonly at: number;
  /** The characters on both sides; -1 at the ends of the text. */
  readonly before: number;
  readonly point: number;
}

/** The steps that wait for a character, up to the first that ends a match; that one's beginning. */
function followThreads(
  program: Program,
  reached: readonly Thread[],
  { seen, at, before, point }: Place,
): { readonly waiting: readonly Thread[]; readonly matched: number | undefined } {
  const waiting: Thread[] = [];
  const open: number[] = [];
  for (const { index: first, start } of reached) {
    open.push(first);
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (seen[index] === at) continue;
      seen[index] = at;
      const op = program.op(index);
      if (op === OP.MATCH) return { waiting, matched: start };
      if (op === OP.CHARACTER) waiting.push({ index, start });
      else if (op === OP.SPLIT) {
        const next = program.split(index);
        for (let i = next.length - 1; i >= 0; i--) open.push(next[i] as number);
      } else if (holds(program.assertion(index), before, point)) open.push(index + 1);
    }
  }
  return { waiting, matched: undefined };
}

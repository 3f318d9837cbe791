// Go's regular expressions (RE2): the same language, and time linear in the text whatever the expression is.
import { characterTest, type CharacterTest } from "./go-regexp-class.js";
import { TransitionTable, type Move } from "./go-regexp-table.js";
import { GoRegExpError, parseGoRegExp, type Assertion, type RegExpNode } from "./go-regexp-parse.js";

export { GoRegExpError } from "./go-regexp-parse.js";

/** A regular expression of Go. */
export interface GoRegExp {
  /** Whether some part of a text matches. */
  test(text: string): boolean;
  /** The leftmost match from a place on, the one that is preferred of those that begin there. Offsets are UTF-16 units. */
  find(text: string, from?: number): GoMatch | undefined;
}

/** Where a match begins and ends. */
export interface GoMatch {
  readonly start: number;
  readonly end: number;
}

/** One step of the automaton: what must hold, and which steps come next. */
type Step =
  | { readonly op: "character"; readonly test: CharacterTest }
  | { readonly op: "assert"; readonly what: Assertion }
  | { readonly op: "split"; readonly next: number[] }
  | { readonly op: "match" };

const MOST_STEPS = 500_000;

/** @throws GoRegExpError with the message that Go has for an expression that it does not compile */
export function compileGoRegExp(pattern: string): GoRegExp {
  const steps: Step[] = [];
  append(steps, parseGoRegExp(pattern), pattern);
  steps.push({ op: "match" });
  const table = new TransitionTable({ reached: [], before: -1 }, moveIn(steps));
  return { test: (text) => table.test(text), find: (text, from = 0) => findMatch(steps, text, from) };
}

/** Like compileGoRegExp, but undefined for an expression that cannot be compiled. */
export function goRegExp(pattern: string): GoRegExp | undefined {
  try {
    return compileGoRegExp(pattern);
  } catch (error) {
    if (error instanceof GoRegExpError) return undefined;
    throw error;
  }
}

/** Appends the steps of a node; what matches goes on with the step that is appended next. */
function append(steps: Step[], node: RegExpNode, pattern: string): void {
  if (steps.length > MOST_STEPS) throw new GoRegExpError("expression too large", pattern);
  switch (node.kind) {
    case "set":
      steps.push({ op: "character", test: characterTest(node.set) });
      return;
    case "assert":
      steps.push({ op: "assert", what: node.what });
      return;
    case "all":
      for (const each of node.nodes) append(steps, each, pattern);
      return;
    case "any":
      appendAlternatives(steps, node.nodes, pattern);
      return;
    case "repeat":
      appendRepeat(steps, node, pattern);
  }
}

function appendAlternatives(steps: Step[], nodes: readonly RegExpNode[], pattern: string): void {
  const fork = split(steps);
  const ends: number[][] = [];
  for (const each of nodes) {
    fork.push(steps.length);
    append(steps, each, pattern);
    ends.push(split(steps));
  }
  for (const end of ends) end.push(steps.length);
}

/** Forks prefer what stands first: another turn, or, where the repetition is lazy, none. */
function appendRepeat(
  steps: Step[],
  { node, min, max, lazy }: Extract<RegExpNode, { kind: "repeat" }>,
  pattern: string,
): void {
  for (let i = 0; i < min; i++) append(steps, node, pattern);
  const leave = (fork: number[]): void => void (lazy ? fork.unshift(steps.length) : fork.push(steps.length));
  if (max === undefined) {
    const start = steps.length;
    const fork = split(steps);
    fork.push(steps.length);
    append(steps, node, pattern);
    split(steps).push(start);
    leave(fork);
    return;
  }
  const forks: number[][] = [];
  for (let i = min; i < max; i++) {
    const fork = split(steps);
    fork.push(steps.length);
    forks.push(fork);
    append(steps, node, pattern);
  }
  for (const fork of forks) leave(fork);
}

/** Appends a step that goes on with any of some steps, which are yet to be named. */
function split(steps: Step[]): number[] {
  const next: number[] = [];
  steps.push({ op: "split", next });
  return next;
}

/** One character on, with all the steps that may have been reached; undefined when the text matches by then. */
function moveIn(steps: readonly Step[]): Move {
  const seen = new Int32Array(steps.length).fill(-1);
  let turn = 0;
  return ({ reached, before }, point) => {
    if (turn === MOST_TURNS) seen.fill((turn = 0) - 1);
    const waiting = follow(steps, [...reached, 0], { seen, at: turn++, before, point });
    if (waiting === undefined) return undefined;
    const next: number[] = [];
    for (const index of waiting) {
      const step = steps[index] as Step;
      if (step.op === "character" && step.test(point)) next.push(index + 1);
    }
    return { reached: next.sort((a, b) => a - b), before: kindOf(point) };
  };
}

/** A character that means to assertions what this one means. */
function kindOf(point: number): number {
  return isWord(point) ? LETTER : point === NEWLINE ? NEWLINE : OTHER;
}

/** What `seen` can count to. */
const MOST_TURNS = 2 ** 31 - 1;
const NEWLINE = 10;
const OTHER = 32;
const LETTER = 97;

/** A step that has been reached, and where the match began that it belongs to. */
interface Thread {
  readonly index: number;
  readonly start: number;
}

/** Like run, but the steps are kept in the order in which they are preferred, so the first that ends a match decides. */
function findMatch(steps: readonly Step[], text: string, from: number): GoMatch | undefined {
  const seen = new Int32Array(steps.length).fill(-1);
  let threads: readonly Thread[] = [];
  let found: GoMatch | undefined;
  let before = from > 0 ? (text.codePointAt(lastStart(text, from)) ?? -1) : -1;
  for (let at = from; ;) {
    const point = at < text.length ? (text.codePointAt(at) ?? -1) : -1;
    const reached = found === undefined ? [...threads, { index: 0, start: at }] : threads;
    const { waiting, matched } = followThreads(steps, reached, { seen, at, before, point });
    if (matched !== undefined) found = { start: matched, end: at };
    if (point < 0 || (waiting.length === 0 && found !== undefined)) return found;
    threads = waiting.flatMap(({ index, start }) => {
      const step = steps[index] as Step;
      return step.op === "character" && step.test(point) ? [{ index: index + 1, start }] : [];
    });
    before = point;
    at += point > 0xffff ? 2 : 1;
  }
}

/** Where the character begins that ends before a place. */
function lastStart(text: string, at: number): number {
  return at >= 2 && (text.codePointAt(at - 2) ?? 0) > 0xffff ? at - 2 : at - 1;
}

/** The steps that wait for a character, up to the first that ends a match; that one's beginning. */
function followThreads(
  steps: readonly Step[],
  reached: readonly Thread[],
  place: Place,
): { readonly waiting: readonly Thread[]; readonly matched: number | undefined } {
  const waiting: Thread[] = [];
  for (const { index: first, start } of reached) {
    const open = [first];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (place.seen[index] === place.at) continue;
      place.seen[index] = place.at;
      const step = steps[index] as Step;
      if (step.op === "match") return { waiting, matched: start };
      if (step.op === "character") waiting.push({ index, start });
      else if (step.op === "split") open.push(...[...step.next].reverse());
      else if (holds(step.what, place)) open.push(index + 1);
    }
  }
  return { waiting, matched: undefined };
}

interface Place {
  /** Per step, the last place at which it was reached. */
  readonly seen: Int32Array;
  readonly at: number;
  /** The characters on both sides; -1 at the ends of the text. */
  readonly before: number;
  readonly point: number;
}

/** The steps that wait for a character, from those that were reached; undefined when the text matches. */
function follow(steps: readonly Step[], reached: readonly number[], place: Place): readonly number[] | undefined {
  const waiting: number[] = [];
  const open = [...reached];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (place.seen[index] === place.at) continue;
    place.seen[index] = place.at;
    const step = steps[index] as Step;
    if (step.op === "match") return undefined;
    if (step.op === "character") waiting.push(index);
    else if (step.op === "split") open.push(...step.next);
    else if (holds(step.what, place)) open.push(index + 1);
  }
  return waiting;
}

function holds(what: Assertion, { before, point }: Place): boolean {
  switch (what) {
    case "textStart":
      return before === -1;
    case "textEnd":
      return point === -1;
    case "lineStart":
      return before === -1 || before === 10;
    case "lineEnd":
      return point === -1 || point === 10;
    case "boundary":
      return isWord(before) !== isWord(point);
    case "noBoundary":
      return isWord(before) === isWord(point);
  }
}

function isWord(point: number): boolean {
  return (point >= 48 && point <= 57) || (point >= 65 && point <= 90) || (point >= 97 && point <= 122) || point === 95;
}

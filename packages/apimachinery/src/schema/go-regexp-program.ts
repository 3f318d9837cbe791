// What a regular expression is run by: numbered steps, of which each says what must hold and which come next (RE2's
// Prog). Counted repetitions are written out, so that a short expression may have many steps; they are kept small.
import type { Sliced } from "@fairlead/base";
import { characterTest, type CharacterSet, type CharacterTest } from "./go-regexp-class.js";
import { GoRegExpError } from "./go-regexp-error.js";
import type { Assertion, RegExpNode } from "./go-regexp-parse.js";

/** Steps at most; Go's own bound is of the same kind. */
const MOST_STEPS = 500_000;

/** @throws GoRegExpError for an expression that would have too many steps */
export function checkSize(node: RegExpNode, pattern: string): void {
  if (sizeOf(node) > MOST_STEPS) throw new GoRegExpError("expression too large", pattern);
}

function sizeOf(node: RegExpNode): number {
  switch (node.kind) {
    case "set":
    case "assert":
      return 1;
    case "all":
      return node.nodes.reduce((sum, each) => sum + sizeOf(each), 0);
    case "any":
      return node.nodes.reduce((sum, each) => sum + sizeOf(each) + 1, 1);
    case "repeat": {
      const size = sizeOf(node.node);
      return node.min * size + (node.max === undefined ? size + 2 : (node.max - node.min) * (size + 1));
    }
  }
}

/** What a step does. */
export const OP: {
  readonly CHARACTER: 0;
  readonly ASSERT: 1;
  readonly SPLIT: 2;
  readonly MATCH: 3;
} = { CHARACTER: 0, ASSERT: 1, SPLIT: 2, MATCH: 3 };

/** The steps of an expression; what matches a step goes on with the next but for splits. */
export class Program {
  readonly #ops: number[] = [];
  /** Per step, which of the tests, assertions or splits is its. */
  readonly #arguments: number[] = [];
  readonly #tests: CharacterTest[] = [];
  readonly #known = new Map<CharacterSet, number>();
  readonly #assertions: Assertion[] = [];
  readonly #splits: number[][] = [];
  #work = 0;

  /** Writes the steps of an expression. */
  static *of(node: RegExpNode): Sliced<Program> {
    const program = new Program();
    yield* program.#append(node);
    program.#add(OP.MATCH, 0);
    return program;
  }

  get size(): number {
    return this.#ops.length;
  }

  op(step: number): number {
    return this.#ops[step] as number;
  }

  /** Whether the step lets a character pass. */
  test(step: number, point: number): boolean {
    return (this.#tests[this.#arguments[step] as number] as CharacterTest)(point);
  }

  assertion(step: number): Assertion {
    return this.#assertions[this.#arguments[step] as number] as Assertion;
  }

  /** The steps that a split goes on with, the preferred one first. */
  split(step: number): readonly number[] {
    return this.#splits[this.#arguments[step] as number] as readonly number[];
  }

  #add(op: number, argument: number): void {
    this.#ops.push(op);
    this.#arguments.push(argument);
  }

  *#append(node: RegExpNode): Sliced<void> {
    if (++this.#work % 1000 === 0) yield 10_000;
    switch (node.kind) {
      case "set":
        this.#add(OP.CHARACTER, this.#testOf(node.set));
        return;
      case "assert":
        this.#add(OP.ASSERT, this.#assertions.push(node.what) - 1);
        return;
      case "all":
        for (const each of node.nodes) yield* this.#append(each);
        return;
      case "any":
        yield* this.#appendAlternatives(node.nodes);
        return;
      case "repeat":
        yield* this.#appendRepeat(node);
    }
  }

  #testOf(set: CharacterSet): number {
    let index = this.#known.get(set);
    if (index === undefined) this.#known.set(set, (index = this.#tests.push(characterTest(set)) - 1));
    return index;
  }

  *#appendAlternatives(nodes: readonly RegExpNode[]): Sliced<void> {
    const fork = this.#fork();
    const ends: number[][] = [];
    for (const each of nodes) {
      fork.push(this.size);
      yield* this.#append(each);
      ends.push(this.#fork());
    }
    for (const end of ends) end.push(this.size);
  }

  /** Forks prefer what stands first: another turn, or, where the repetition is lazy, none. */
  *#appendRepeat({ node, min, max, lazy }: Extract<RegExpNode, { kind: "repeat" }>): Sliced<void> {
    for (let i = 0; i < min; i++) yield* this.#append(node);
    const leave = (fork: number[]): void => void (lazy ? fork.unshift(this.size) : fork.push(this.size));
    if (max === undefined) {
      const start = this.size;
      const fork = this.#fork();
      fork.push(this.size);
      yield* this.#append(node);
      this.#fork().push(start);
      leave(fork);
      return;
    }
    const forks: number[][] = [];
    for (let i = min; i < max; i++) {
      const fork = this.#fork();
      fork.push(this.size);
      forks.push(fork);
      yield* this.#append(node);
    }
    for (const fork of forks) leave(fork);
  }

  /** Appends a step that goes on with any of some steps, which are yet to be named. */
  #fork(): number[] {
    const next: number[] = [];
    this.#add(OP.SPLIT, this.#splits.push(next) - 1);
    return next;
  }
}

const NEWLINE = 10;

/** Whether an assertion holds between two characters; -1 stands for the ends of the text. */
export function holds(what: Assertion, before: number, point: number): boolean {
  switch (what) {
    case "textStart":
      return before === -1;
    case "textEnd":
      return point === -1;
    case "lineStart":
      return before === -1 || before === NEWLINE;
    case "lineEnd":
      return point === -1 || point === NEWLINE;
    case "boundary":
      return isWord(before) !== isWord(point);
    case "noBoundary":
      return isWord(before) === isWord(point);
  }
}

/** A character that means to assertions what this one means. */
export function kindOf(point: number): number {
  return isWord(point) ? LETTER : point === NEWLINE ? NEWLINE : OTHER;
}

const OTHER = 32;
const LETTER = 97;

function isWord(point: number): boolean {
  return (point >= 48 && point <= 57) || (point >= 65 && point <= 90) || (point >= 97 && point <= 122) || point === 95;
}

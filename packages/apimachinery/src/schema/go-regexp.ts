// Go's regular expressions (RE2): the same language, and time linear in the text whatever the expression is.
import { unsliced, type Sliced } from "@fairlead/base";
import { findMatch, type GoMatch } from "./go-regexp-find.js";
import { GoRegExpError } from "./go-regexp-error.js";
import { parseGoRegExp, type RegExpNode } from "./go-regexp-parse.js";
import { checkSize, Program } from "./go-regexp-program.js";
import { TransitionTable } from "./go-regexp-table.js";

export { GoRegExpError } from "./go-regexp-error.js";
export type { GoMatch } from "./go-regexp-find.js";

/**
 * A regular expression of Go. What runs it is made when it is first used. Long texts and large expressions take their
 * time: `testing` and `finding` are the same in slices.
 */
export interface GoRegExp {
  /** Whether some part of a text matches. */
  test(text: string): boolean;
  /** The leftmost match from a place on, the one that is preferred of those that begin there. Offsets are UTF-16 units. */
  find(text: string, from?: number): GoMatch | undefined;
  testing(text: string): Sliced<boolean>;
  finding(text: string, from?: number): Sliced<GoMatch | undefined>;
}

/** @throws GoRegExpError with the message that Go has for an expression that it does not compile */
export function compileGoRegExp(pattern: string): GoRegExp {
  return unsliced(compilingGoRegExp(pattern));
}

/** compileGoRegExp in slices. */
export function* compilingGoRegExp(pattern: string): Sliced<GoRegExp> {
  const node = yield* parseGoRegExp(pattern);
  checkSize(node, pattern);
  return new Compiled(node);
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

class Compiled implements GoRegExp {
  readonly #node: RegExpNode;
  #program: Program | undefined;
  #table: TransitionTable | undefined;

  constructor(node: RegExpNode) {
    this.#node = node;
  }

  test(text: string): boolean {
    return unsliced(this.testing(text));
  }

  find(text: string, from?: number): GoMatch | undefined {
    return unsliced(this.finding(text, from));
  }

  *testing(text: string): Sliced<boolean> {
    this.#program ??= yield* Program.of(this.#node);
    this.#table ??= new TransitionTable(this.#program);
    return yield* this.#table.test(text);
  }

  *finding(text: string, from = 0): Sliced<GoMatch | undefined> {
    this.#program ??= yield* Program.of(this.#node);
    return yield* findMatch(this.#program, text, from);
  }
}

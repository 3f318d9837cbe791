// A place among the tokens of an expression, and what is said where they do not fit, in the words of the ANTLR parser.
import { FairleadError } from "@fairlead/base";
import type { Token } from "./lexer.js";
import type { Issue } from "./source.js";

/** How deep expressions may be nested, and how long a chain of one kind of operator may be. */
const DEEPEST = 250;

/** Ends the reading; the issue has been noted. */
export class Stop extends FairleadError {
  constructor() {
    super("CelSyntax", "an expression cannot be read");
  }
}

/** What an operand can begin with, and what can stand instead of the first one in brackets, in the order of ANTLR. */
const LITERALS = "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
export const STARTS: string = `{'[', '{', '(', '.', '-', '!', ${LITERALS}`;
export const STARTS_OF_LIST: string = `{'[', ']', '{', '(', '.', ',', '-', '!', '?', ${LITERALS}`;
export const STARTS_OF_MAP: string = `{'[', '{', '}', '(', '.', ',', '-', '!', '?', ${LITERALS}`;
export const STARTS_OF_CALL: string = `{'[', '{', '(', ')', '.', '-', '!', ${LITERALS}`;
const STARTING_SYMBOLS: ReadonlySet<string> = new Set(["[", "{", "(", ".", "-", "!", "true", "false", "null"]);

/** What can follow an operand anywhere. */
const FOLLOWING: ReadonlySet<string> = new Set("== != in < <= >= > && || . [ ? - + * / %".split(" "));

export type Rule = "expr" | "relation" | "calc" | "member";

/** Where the parser stands. */
export class Cursor {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  readonly #issues: Issue[];
  #at = 0;
  readonly #depth: Record<Rule, number> = { expr: 0, relation: 0, calc: 0, member: 0 };
  /** What ends the brackets and conditions that are open. */
  readonly #closing: string[] = [];
  /** What may stand here instead of an operand, as messages list it. */
  expected: string = STARTS;
  /** Whether a mistake has just been reported; more is only said once a token has fitted. */
  #recovering = false;

  constructor(text: string, tokens: readonly Token[], issues: Issue[]) {
    this.#text = text;
    this.#tokens = tokens;
    this.#issues = issues;
  }

  get token(): Token {
    return this.ahead(0);
  }

  ahead(distance: number): Token {
    return this.#tokens[Math.min(this.#at + distance, this.#tokens.length - 1)] as Token;
  }

  is(symbol: string, distance = 0): boolean {
    const token = this.ahead(distance);
    return token.kind === "symbol" && token.text === symbol;
  }

  next(): Token {
    const token = this.token;
    this.#at++;
    this.#recovering = false;
    return token;
  }

  /** Reads what brackets hold, or what stands before the colon of a condition. */
  inside<T>(closing: string, read: () => T): T {
    this.#closing.push(closing);
    const result = read();
    this.#closing.pop();
    return result;
  }

  skip(symbol: string): Token | undefined {
    return this.is(symbol) ? this.next() : undefined;
  }

  stop(offset: number | undefined, message: string): never {
    this.report(offset, message);
    throw new Stop();
  }

  report(offset: number | undefined, message: string): void {
    this.#issues.push({ offset, message });
  }

  /** Says what does not fit here. */
  mistake(message: string): void {
    if (!this.#recovering) this.report(this.token.start, `Syntax error: ${message}`);
    this.#recovering = true;
  }

  syntax(message: string): never {
    this.mistake(message);
    throw new Stop();
  }

  /** Takes a symbol; where it is missing at the end of the text, that is what is said. */
  expect(symbol: string): Token {
    if (this.is(symbol)) return this.next();
    const { text } = this.token;
    if (this.is(symbol, 1)) {
      this.mistake(`extraneous input '${text}' expecting '${symbol}'`);
      this.#at++;
      return this.next();
    }
    if (this.token.kind !== "end" || symbol === ":")
      return this.syntax(`mismatched input '${text}' expecting '${symbol}'`);
    this.mistake(`missing '${symbol}' at '<EOF>'`);
    return this.token;
  }

  end(): void {
    if (this.token.kind === "end") return;
    const what = this.ahead(1).kind === "end" ? "extraneous" : "mismatched";
    this.syntax(`${what} input '${this.token.text}' expecting <EOF>`);
  }

  /** Counts a level of a rule while `read` runs. */
  within<T>(rule: Rule, read: () => T): T {
    const before = this.#depth[rule];
    this.deeper(rule);
    const result = read();
    this.#depth[rule] = before;
    return result;
  }

  deeper(rule: Rule): void {
    if (++this.#depth[rule] > DEEPEST) this.stop(undefined, `expression recursion limit exceeded: ${DEEPEST}`);
  }

  noAlternative(from: Token, to: Token): never {
    const text = to.kind === "end" ? from.text : this.#text.slice(from.start, to.start + to.text.length);
    const word = /^.(true|false|null)$/s.exec(text)?.[1];
    return this.syntax(
      word === undefined
        ? `no viable alternative at input '${text}'`
        : `mismatched input '${word}' expecting IDENTIFIER`,
    );
  }

  startsNumber(distance: number): boolean {
    const { kind } = this.ahead(distance);
    return kind === "int" || kind === "double";
  }

  canStart(token: Token): boolean {
    if (token.kind === "symbol") return STARTING_SYMBOLS.has(token.text);
    return token.kind !== "end" && token.kind !== "escaped";
  }

  /** Whether an operand can begin here, or behind one token, which is dropped. */
  begins(): boolean {
    const expected = this.expected;
    this.expected = STARTS;
    if (this.canStart(this.token)) return true;
    const { text, kind } = this.token;
    const behind = kind !== "end" && this.canStart(this.ahead(1));
    this.mistake(`${behind ? "extraneous" : "mismatched"} input '${text}' expecting ${expected}`);
    if (behind) this.#at++;
    return behind;
  }

  /** Goes on where something follows that may follow an operand. */
  passOver(): void {
    while (this.token.kind !== "end" && !this.#follows(this.token)) this.#at++;
  }

  #follows({ kind, text }: Token): boolean {
    if (kind !== "symbol") return false;
    return (
      FOLLOWING.has(text) ||
      this.#closing.includes(text) ||
      (text === "," && this.#closing.some((each) => each !== ":"))
    );
  }
}

// The grammar of CEL by recursive descent (cel-go: parser/parser.go, parser/gen/CEL.g4). What does not fit is reported in
// the words of the ANTLR parser, and mostly reading goes on behind it as there: one token too many is dropped, a missing
// operand is passed over, a missing bracket is imagined at the end. Other mistakes end the reading.
import { FairleadError } from "@fairlead/base";
import { OPERATORS, type Expr, type ListElement, type MapEntry, type StructField } from "./ast.js";
import { tokenize, type Token } from "./lexer.js";
import { literalOf } from "./literals.js";
import { expandMacro } from "./macros.js";
import { Nodes, TooManyNodes } from "./nodes.js";
import type { Issue } from "./source.js";

/** An expression and where its nodes stand, or what is wrong with it. */
export type Parsed =
  | { readonly ok: true; readonly expr: Expr; readonly nodes: Nodes }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** How deep expressions may be nested, and how long a chain of one kind of operator may be. */
const DEEPEST = 250;
/** The longest expression, in characters. */
const LONGEST = 100_000;

/** Reads an expression. */
export function parseExpression(text: string): Parsed {
  const length = [...text].length;
  if (length > LONGEST) {
    const message = `expression code point size exceeds limit: size: ${length}, limit ${LONGEST}`;
    return { ok: false, issues: [{ offset: undefined, message }] };
  }
  const issues: Issue[] = [];
  const parser = new Parser(text, tokenize(text, issues), issues);
  const expr = parser.parse();
  return expr === undefined || issues.length > 0 ? { ok: false, issues } : { ok: true, expr, nodes: parser.nodes };
}

/** Ends the reading; the issue has been noted. */
class Stop extends FairleadError {
  constructor() {
    super("CelSyntax", "an expression cannot be read");
  }
}

const RESERVED: ReadonlySet<string> = new Set(
  "as break const continue else false for function if import in let loop package namespace null return true var void while".split(
    " ",
  ),
);

/** What an operand can begin with, and what can stand instead of the first one in brackets, in the order of ANTLR. */
const LITERALS = "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
const STARTS = `{'[', '{', '(', '.', '-', '!', ${LITERALS}`;
const STARTS_OF_LIST = `{'[', ']', '{', '(', '.', ',', '-', '!', '?', ${LITERALS}`;
const STARTS_OF_MAP = `{'[', '{', '}', '(', '.', ',', '-', '!', '?', ${LITERALS}`;
const STARTS_OF_CALL = `{'[', '{', '(', ')', '.', '-', '!', ${LITERALS}`;
const STARTING_SYMBOLS: ReadonlySet<string> = new Set(["[", "{", "(", ".", "-", "!", "true", "false", "null"]);

/** What can follow an operand anywhere. */
const FOLLOWING: ReadonlySet<string> = new Set("== != in < <= >= > && || . [ ? - + * / %".split(" "));

type Rule = "expr" | "relation" | "calc" | "member";

class Parser {
  readonly nodes: Nodes = new Nodes();
  readonly #text: string;
  readonly #tokens: readonly Token[];
  readonly #issues: Issue[];
  #at = 0;
  readonly #depth: Record<Rule, number> = { expr: 0, relation: 0, calc: 0, member: 0 };
  /** What ends the brackets and conditions that are open. */
  readonly #closing: string[] = [];
  /** What may stand here instead of an operand, as messages list it. */
  #expected = STARTS;
  /** Whether a mistake has just been reported; more is only said once a token has fitted. */
  #recovering = false;

  constructor(text: string, tokens: readonly Token[], issues: Issue[]) {
    this.#text = text;
    this.#tokens = tokens;
    this.#issues = issues;
  }

  parse(): Expr | undefined {
    try {
      const expr = this.#expr();
      this.#end();
      return expr;
    } catch (error) {
      if (error instanceof Stop) return undefined;
      if (!(error instanceof TooManyNodes)) throw error;
      this.#issues.push({ offset: undefined, message: error.message });
      return undefined;
    }
  }

  get #token(): Token {
    return this.#ahead(0);
  }

  #ahead(distance: number): Token {
    return this.#tokens[Math.min(this.#at + distance, this.#tokens.length - 1)] as Token;
  }

  #is(symbol: string, distance = 0): boolean {
    const token = this.#ahead(distance);
    return token.kind === "symbol" && token.text === symbol;
  }

  #next(): Token {
    const token = this.#token;
    this.#at++;
    this.#recovering = false;
    return token;
  }

  /** What stands for an expression that could not be read. */
  #nothing(at: Token): Expr {
    return { kind: "literal", id: this.nodes.add(at.start), literal: { type: "null" } };
  }

  /** Reads what brackets hold, or what stands before the colon of a condition. */
  #inside<T>(closing: string, read: () => T): T {
    this.#closing.push(closing);
    const result = read();
    this.#closing.pop();
    return result;
  }

  #skip(symbol: string): Token | undefined {
    return this.#is(symbol) ? this.#next() : undefined;
  }

  #stop(offset: number | undefined, message: string): never {
    this.#issues.push({ offset, message });
    throw new Stop();
  }

  #report(offset: number | undefined, message: string): void {
    this.#issues.push({ offset, message });
  }

  /** Says what does not fit here. */
  #mistake(message: string): void {
    if (!this.#recovering) this.#report(this.#token.start, `Syntax error: ${message}`);
    this.#recovering = true;
  }

  #syntax(message: string): never {
    this.#mistake(message);
    throw new Stop();
  }

  /** Takes a symbol; where it is missing at the end of the text, that is what is said. */
  #expect(symbol: string): Token {
    if (this.#is(symbol)) return this.#next();
    const { text } = this.#token;
    if (this.#is(symbol, 1)) {
      this.#mistake(`extraneous input '${text}' expecting '${symbol}'`);
      this.#at++;
      return this.#next();
    }
    if (this.#token.kind !== "end" || symbol === ":")
      return this.#syntax(`mismatched input '${text}' expecting '${symbol}'`);
    this.#mistake(`missing '${symbol}' at '<EOF>'`);
    return this.#token;
  }

  #end(): void {
    if (this.#token.kind === "end") return;
    const what = this.#ahead(1).kind === "end" ? "extraneous" : "mismatched";
    this.#syntax(`${what} input '${this.#token.text}' expecting <EOF>`);
  }

  /** Counts a level of a rule while `read` runs. */
  #within<T>(rule: Rule, read: () => T): T {
    const before = this.#depth[rule];
    this.#deeper(rule);
    const result = read();
    this.#depth[rule] = before;
    return result;
  }

  #deeper(rule: Rule): void {
    if (++this.#depth[rule] > DEEPEST) this.#stop(undefined, `expression recursion limit exceeded: ${DEEPEST}`);
  }

  #expr(): Expr {
    return this.#within("expr", () => {
      const condition = this.#logical("||");
      const mark = this.#skip("?");
      if (mark === undefined) return condition;
      const id = this.nodes.add(mark.start);
      const yes = this.#inside(":", () => this.#logical("||"));
      this.#expect(":");
      return { kind: "call", id, name: "_?_:_", args: [condition, yes, this.#expr()] };
    });
  }

  /** A chain of `||` or `&&` becomes a balanced tree, so that its depth stays small. */
  #logical(symbol: "||" | "&&"): Expr {
    const operand = (): Expr =>
      symbol === "||" ? this.#logical("&&") : this.#within("relation", () => this.#relation());
    const terms = [operand()];
    const ids: number[] = [];
    for (let token = this.#skip(symbol); token !== undefined; token = this.#skip(symbol)) {
      terms.push(operand());
      ids.push(this.nodes.add(token.start));
    }
    const balanced = (from: number, to: number): Expr => {
      const middle = Math.floor((from + to + 1) / 2);
      const left = middle === from ? (terms[middle] as Expr) : balanced(from, middle - 1);
      const right = middle === to ? (terms[middle + 1] as Expr) : balanced(middle + 1, to);
      return { kind: "call", id: ids[middle] as number, name: `_${symbol}_`, args: [left, right] };
    };
    return ids.length === 0 ? (terms[0] as Expr) : balanced(0, ids.length - 1);
  }

  #relation(): Expr {
    let left = this.#sum();
    for (;;) {
      if (!["<", "<=", ">=", ">", "==", "!=", "in"].some((symbol) => this.#is(symbol))) return left;
      left = this.#binary("relation", left, () => this.#sum());
    }
  }

  #binary(rule: Rule, left: Expr, operand: () => Expr): Expr {
    this.#deeper(rule);
    const token = this.#next();
    const id = this.nodes.add(token.start);
    return { kind: "call", id, name: OPERATORS.get(token.text) ?? token.text, args: [left, operand()] };
  }

  #sum(): Expr {
    return this.#within("calc", () => {
      let left = this.#product();
      while (this.#is("+") || this.#is("-")) left = this.#binary("calc", left, () => this.#product());
      return left;
    });
  }

  #product(): Expr {
    let left = this.#unary();
    while (this.#is("*") || this.#is("/") || this.#is("%")) left = this.#binary("calc", left, () => this.#unary());
    return left;
  }

  #unary(): Expr {
    if (!this.#begins()) return this.#passOver();
    const symbol = this.#is("!") ? "!" : "-";
    const first = this.#token;
    if (!this.#is("!") && (!this.#is("-") || this.#startsNumber(1))) return this.#member();
    let times = 0;
    while (this.#is(symbol) && !(symbol === "-" && this.#startsNumber(1) && times % 2 === 0 && times > 0)) {
      this.#next();
      times++;
    }
    if (!this.#canStart(this.#token) || this.#is(symbol === "!" ? "-" : "!")) {
      if (symbol === "-") this.#noAlternative(first, this.#token);
      this.#syntax(`mismatched input '${this.#token.text}' expecting ${STARTS}`);
    }
    const operand = this.#member();
    if (times % 2 === 0) return operand;
    return { kind: "call", id: this.nodes.add(first.start), name: symbol === "!" ? "!_" : "-_", args: [operand] };
  }

  #noAlternative(from: Token, to: Token): never {
    const text = to.kind === "end" ? from.text : this.#text.slice(from.start, to.start + to.text.length);
    const word = /^.(true|false|null)$/s.exec(text)?.[1];
    return this.#syntax(
      word === undefined
        ? `no viable alternative at input '${text}'`
        : `mismatched input '${word}' expecting IDENTIFIER`,
    );
  }

  #startsNumber(distance: number): boolean {
    const { kind } = this.#ahead(distance);
    return kind === "int" || kind === "double";
  }

  #canStart(token: Token): boolean {
    if (token.kind === "symbol") return STARTING_SYMBOLS.has(token.text);
    return token.kind !== "end" && token.kind !== "escaped";
  }

  /** Whether an operand can begin here, or behind one token, which is dropped. */
  #begins(): boolean {
    const expected = this.#expected;
    this.#expected = STARTS;
    if (this.#canStart(this.#token)) return true;
    const { text, kind } = this.#token;
    const behind = kind !== "end" && this.#canStart(this.#ahead(1));
    this.#mistake(`${behind ? "extraneous" : "mismatched"} input '${text}' expecting ${expected}`);
    if (behind) this.#at++;
    return behind;
  }

  /** Goes on where something follows that may follow an operand. */
  #passOver(): Expr {
    const nothing = this.#nothing(this.#token);
    while (this.#token.kind !== "end" && !this.#follows(this.#token)) this.#at++;
    return nothing;
  }

  #follows({ kind, text }: Token): boolean {
    if (kind !== "symbol") return false;
    return (
      FOLLOWING.has(text) ||
      this.#closing.includes(text) ||
      (text === "," && this.#closing.some((each) => each !== ":"))
    );
  }

  #member(): Expr {
    return this.#within("member", () => {
      let operand = this.#primary();
      for (;;) {
        if (this.#is(".")) operand = this.#select(operand);
        else if (this.#is("[")) operand = this.#index(operand);
        else return operand;
        this.#deeper("member");
      }
    });
  }

  #select(operand: Expr): Expr {
    const dot = this.#next();
    const optional = this.#skip("?");
    const name = this.#token;
    if (name.kind === "escaped") this.#stop(name.start, "unsupported syntax: '`'");
    if (name.kind !== "identifier") {
      if (optional !== undefined)
        this.#syntax(`mismatched input '${name.text}' expecting {IDENTIFIER, ESC_IDENTIFIER}`);
      this.#noAlternative(dot, name);
    }
    this.#next();
    if (optional !== undefined) {
      const field: Expr = {
        kind: "literal",
        id: this.nodes.add(name.start),
        literal: { type: "string", value: name.text },
      };
      return { kind: "call", id: this.nodes.add(dot.start), name: "_?._", args: [operand, field] };
    }
    const open = this.#skip("(");
    if (open === undefined)
      return { kind: "select", id: this.nodes.add(dot.start), operand, field: name.text, testOnly: false };
    return this.#call({ open, name: name.text, target: operand });
  }

  #index(operand: Expr): Expr {
    const open = this.#next();
    const id = this.nodes.add(open.start);
    const name = this.#skip("?") === undefined ? "_[_]" : "_[?_]";
    const index = this.#inside("]", () => this.#expr());
    this.#expect("]");
    return { kind: "call", id, name, args: [operand, index] };
  }

  /** What stands between the parentheses of a call, and the call, or what its macro makes of it. */
  #call({ open, name, target }: { readonly open: Token; readonly name: string; readonly target?: Expr }): Expr {
    const id = this.nodes.add(open.start);
    const args: Expr[] = [];
    this.#inside(")", () => {
      if (this.#is(")")) return;
      this.#expected = STARTS_OF_CALL;
      do args.push(this.#expr());
      while (this.#skip(",") !== undefined);
    });
    this.#expect(")");
    const expanded = expandMacro({ id, name, target, args }, this.nodes);
    if (expanded === undefined) return { kind: "call", id, name, ...(target === undefined ? {} : { target }), args };
    if ("expr" in expanded) return expanded.expr;
    this.#report(this.nodes.offset(expanded.at), expanded.problem);
    return this.#nothing(open);
  }

  #primary(): Expr {
    const token = this.#token;
    if (token.kind === "identifier" || this.#is(".")) return this.#named();
    if (this.#is("(")) {
      this.#next();
      const inner = this.#inside(")", () => this.#expr());
      this.#expect(")");
      return inner;
    }
    if (this.#is("[")) return this.#list();
    if (this.#is("{")) return this.#map();
    this.#next();
    return this.#literal(token);
  }

  #named(): Expr {
    const dot = this.#skip(".");
    const name = this.#token;
    if (name.kind !== "identifier") {
      if (dot === undefined) this.#syntax(`mismatched input '${name.text}' expecting IDENTIFIER`);
      this.#noAlternative(dot, name);
    }
    this.#next();
    const brace = this.#braceAhead();
    if (brace !== undefined) return this.#struct(`${dot === undefined ? "" : "."}${name.text}`);
    const full = `${dot === undefined ? "" : "."}${name.text}`;
    const open = this.#skip("(");
    if (RESERVED.has(name.text)) this.#report((dot ?? name).start, `reserved identifier: ${name.text}`);
    if (open !== undefined) return this.#call({ open, name: full });
    if (RESERVED.has(name.text)) return this.#nothing(name);
    return { kind: "ident", id: this.nodes.add(name.start), name: full };
  }

  /** The brace of a message `a.b.C{…}` whose first name has been read. */
  #braceAhead(): Token | undefined {
    let distance = 0;
    while (this.#is(".", distance) && this.#ahead(distance + 1).kind === "identifier") distance += 2;
    return this.#is("{", distance) ? this.#ahead(distance) : undefined;
  }

  #struct(first: string): Expr {
    let typeName = first;
    while (this.#skip(".") !== undefined) typeName += `.${this.#next().text}`;
    const id = this.nodes.add(this.#next().start);
    const fields: StructField[] = [];
    while (!this.#is("}")) {
      const name = this.#next();
      if (name.kind !== "identifier") {
        this.#at--;
        this.#syntax(`mismatched input '${name.text}' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}`);
      }
      const colon = this.#expect(":");
      fields.push({ id: this.nodes.add(colon.start), name: name.text, value: this.#expr() });
      if (this.#skip(",") === undefined) break;
    }
    this.#expect("}");
    return { kind: "struct", id, typeName, fields };
  }

  #list(): Expr {
    const id = this.nodes.add(this.#next().start);
    const elements: ListElement[] = [];
    this.#inside("]", () => {
      this.#expected = STARTS_OF_LIST;
      while (!this.#is("]")) {
        const optional = this.#skip("?") !== undefined;
        elements.push({ value: this.#expr(), optional });
        if (this.#skip(",") === undefined) break;
      }
      this.#expected = STARTS;
    });
    this.#expect("]");
    return { kind: "list", id, elements };
  }

  #map(): Expr {
    const id = this.nodes.add(this.#next().start);
    const entries: MapEntry[] = [];
    this.#inside("}", () => {
      this.#expected = STARTS_OF_MAP;
      while (!this.#is("}")) {
        const optional = this.#skip("?") !== undefined;
        const key = this.#inside(":", () => this.#expr());
        const colon = this.#expect(":");
        entries.push({ id: this.nodes.add(colon.start), key, value: this.#expr(), optional });
        if (this.#skip(",") === undefined) break;
      }
      this.#expected = STARTS;
    });
    this.#expect("}");
    return { kind: "map", id, entries };
  }

  #literal(token: Token): Expr {
    const number = token.text === "-" && token.kind === "symbol" ? this.#next() : token;
    const sign = number === token ? "" : "-";
    const literal = literalOf(number, sign);
    if ("problem" in literal) {
      this.#report(token.start, literal.problem);
      return this.#nothing(token);
    }
    return { kind: "literal", id: this.nodes.add(token.start), literal: literal.value };
  }
}

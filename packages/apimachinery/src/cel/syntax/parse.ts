// The grammar of CEL by recursive descent (cel-go: parser/parser.go, parser/gen/CEL.g4). What does not fit is reported in
// the words of the ANTLR parser, and mostly reading goes on behind it as there: one token too many is dropped, a missing
// operand is passed over, a missing bracket is imagined at the end. Other mistakes end the reading.
import { OPERATORS, type Expr, type ListElement, type MapEntry, type StructField } from "./ast.js";
import { Cursor, STARTS, STARTS_OF_CALL, STARTS_OF_LIST, STARTS_OF_MAP, Stop, type Rule } from "./cursor.js";
import { tokenize, type Token } from "./lexer.js";
import { literalOf } from "./literals.js";
import { expandMacro } from "./macros.js";
import { Nodes, TooManyNodes } from "./nodes.js";
import type { Issue } from "./source.js";

/** An expression and where its nodes stand, or what is wrong with it. */
export type Parsed =
  | { readonly ok: true; readonly expr: Expr; readonly nodes: Nodes }
  | { readonly ok: false; readonly issues: readonly Issue[] };

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
  const parser = new Parser(new Cursor(text, tokenize(text, issues), issues));
  const expr = parser.parse();
  return expr === undefined || issues.length > 0 ? { ok: false, issues } : { ok: true, expr, nodes: parser.nodes };
}

const RESERVED: ReadonlySet<string> = new Set(
  "as break const continue else false for function if import in let loop package namespace null return true var void while".split(
    " ",
  ),
);

class Parser {
  readonly nodes: Nodes = new Nodes();
  readonly #cursor: Cursor;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
  }

  parse(): Expr | undefined {
    try {
      const expr = this.#expr();
      this.#cursor.end();
      return expr;
    } catch (error) {
      if (error instanceof Stop) return undefined;
      if (!(error instanceof TooManyNodes)) throw error;
      this.#cursor.report(undefined, error.message);
      return undefined;
    }
  }

  /** What stands for an expression that could not be read. */
  #nothing(at: Token): Expr {
    return { kind: "literal", id: this.nodes.add(at.start), literal: { type: "null" } };
  }

  #expr(): Expr {
    return this.#cursor.within("expr", () => {
      const condition = this.#logical("||");
      const mark = this.#cursor.skip("?");
      if (mark === undefined) return condition;
      const id = this.nodes.add(mark.start);
      const yes = this.#cursor.inside(":", () => this.#logical("||"));
      this.#cursor.expect(":");
      return { kind: "call", id, name: "_?_:_", args: [condition, yes, this.#expr()] };
    });
  }

  /** A chain of `||` or `&&` becomes a balanced tree, so that its depth stays small. */
  #logical(symbol: "||" | "&&"): Expr {
    const operand = (): Expr =>
      symbol === "||" ? this.#logical("&&") : this.#cursor.within("relation", () => this.#relation());
    const terms = [operand()];
    const ids: number[] = [];
    for (let token = this.#cursor.skip(symbol); token !== undefined; token = this.#cursor.skip(symbol)) {
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
      if (!["<", "<=", ">=", ">", "==", "!=", "in"].some((symbol) => this.#cursor.is(symbol))) return left;
      left = this.#binary("relation", left, () => this.#sum());
    }
  }

  #binary(rule: Rule, left: Expr, operand: () => Expr): Expr {
    this.#cursor.deeper(rule);
    const token = this.#cursor.next();
    const id = this.nodes.add(token.start);
    return { kind: "call", id, name: OPERATORS.get(token.text) ?? token.text, args: [left, operand()] };
  }

  #sum(): Expr {
    return this.#cursor.within("calc", () => {
      let left = this.#product();
      while (this.#cursor.is("+") || this.#cursor.is("-")) left = this.#binary("calc", left, () => this.#product());
      return left;
    });
  }

  #product(): Expr {
    let left = this.#unary();
    while (this.#cursor.is("*") || this.#cursor.is("/") || this.#cursor.is("%"))
      left = this.#binary("calc", left, () => this.#unary());
    return left;
  }

  #unary(): Expr {
    if (!this.#cursor.begins()) {
      const nothing = this.#nothing(this.#cursor.token);
      this.#cursor.passOver();
      return nothing;
    }
    const symbol = this.#cursor.is("!") ? "!" : "-";
    const first = this.#cursor.token;
    if (!this.#cursor.is("!") && (!this.#cursor.is("-") || this.#cursor.startsNumber(1))) return this.#member();
    let times = 0;
    while (
      this.#cursor.is(symbol) &&
      !(symbol === "-" && this.#cursor.startsNumber(1) && times % 2 === 0 && times > 0)
    ) {
      this.#cursor.next();
      times++;
    }
    if (!this.#cursor.canStart(this.#cursor.token) || this.#cursor.is(symbol === "!" ? "-" : "!")) {
      if (symbol === "-") this.#cursor.noAlternative(first, this.#cursor.token);
      this.#cursor.syntax(`mismatched input '${this.#cursor.token.text}' expecting ${STARTS}`);
    }
    const operand = this.#member();
    if (times % 2 === 0) return operand;
    return { kind: "call", id: this.nodes.add(first.start), name: symbol === "!" ? "!_" : "-_", args: [operand] };
  }

  #member(): Expr {
    return this.#cursor.within("member", () => {
      let operand = this.#primary();
      for (;;) {
        if (this.#cursor.is(".")) operand = this.#select(operand);
        else if (this.#cursor.is("[")) operand = this.#index(operand);
        else return operand;
        this.#cursor.deeper("member");
      }
    });
  }

  #select(operand: Expr): Expr {
    const dot = this.#cursor.next();
    const optional = this.#cursor.skip("?");
    const name = this.#cursor.token;
    if (name.kind === "escaped") this.#cursor.stop(name.start, "unsupported syntax: '`'");
    if (name.kind !== "identifier") {
      if (optional !== undefined)
        this.#cursor.syntax(`mismatched input '${name.text}' expecting {IDENTIFIER, ESC_IDENTIFIER}`);
      this.#cursor.noAlternative(dot, name);
    }
    this.#cursor.next();
    if (optional !== undefined) {
      const field: Expr = {
        kind: "literal",
        id: this.nodes.add(name.start),
        literal: { type: "string", value: name.text },
      };
      return { kind: "call", id: this.nodes.add(dot.start), name: "_?._", args: [operand, field] };
    }
    const open = this.#cursor.skip("(");
    if (open === undefined)
      return { kind: "select", id: this.nodes.add(dot.start), operand, field: name.text, testOnly: false };
    return this.#call({ open, name: name.text, target: operand });
  }

  #index(operand: Expr): Expr {
    const open = this.#cursor.next();
    const id = this.nodes.add(open.start);
    const name = this.#cursor.skip("?") === undefined ? "_[_]" : "_[?_]";
    const index = this.#cursor.inside("]", () => this.#expr());
    this.#cursor.expect("]");
    return { kind: "call", id, name, args: [operand, index] };
  }

  /** What stands between the parentheses of a call, and the call, or what its macro makes of it. */
  #call({ open, name, target }: { readonly open: Token; readonly name: string; readonly target?: Expr }): Expr {
    const id = this.nodes.add(open.start);
    const args: Expr[] = [];
    this.#cursor.inside(")", () => {
      if (this.#cursor.is(")")) return;
      this.#cursor.expected = STARTS_OF_CALL;
      do args.push(this.#expr());
      while (this.#cursor.skip(",") !== undefined);
    });
    this.#cursor.expect(")");
    const expanded = expandMacro({ id, name, target, args }, this.nodes);
    if (expanded === undefined) return { kind: "call", id, name, ...(target === undefined ? {} : { target }), args };
    if ("expr" in expanded) return expanded.expr;
    this.#cursor.report(this.nodes.offset(expanded.at), expanded.problem);
    return this.#nothing(open);
  }

  #primary(): Expr {
    const token = this.#cursor.token;
    if (token.kind === "identifier" || this.#cursor.is(".")) return this.#named();
    if (this.#cursor.is("(")) {
      this.#cursor.next();
      const inner = this.#cursor.inside(")", () => this.#expr());
      this.#cursor.expect(")");
      return inner;
    }
    if (this.#cursor.is("[")) return this.#list();
    if (this.#cursor.is("{")) return this.#map();
    this.#cursor.next();
    return this.#literal(token);
  }

  #named(): Expr {
    const dot = this.#cursor.skip(".");
    const name = this.#cursor.token;
    if (name.kind !== "identifier") {
      if (dot === undefined) this.#cursor.syntax(`mismatched input '${name.text}' expecting IDENTIFIER`);
      this.#cursor.noAlternative(dot, name);
    }
    this.#cursor.next();
    const brace = this.#braceAhead();
    if (brace !== undefined) return this.#struct(`${dot === undefined ? "" : "."}${name.text}`);
    const full = `${dot === undefined ? "" : "."}${name.text}`;
    const open = this.#cursor.skip("(");
    if (RESERVED.has(name.text)) this.#cursor.report((dot ?? name).start, `reserved identifier: ${name.text}`);
    if (open !== undefined) return this.#call({ open, name: full });
    if (RESERVED.has(name.text)) return this.#nothing(name);
    return { kind: "ident", id: this.nodes.add(name.start), name: full };
  }

  /** The brace of a message `a.b.C{…}` whose first name has been read. */
  #braceAhead(): Token | undefined {
    let distance = 0;
    while (this.#cursor.is(".", distance) && this.#cursor.ahead(distance + 1).kind === "identifier") distance += 2;
    return this.#cursor.is("{", distance) ? this.#cursor.ahead(distance) : undefined;
  }

  #struct(first: string): Expr {
    let typeName = first;
    while (this.#cursor.skip(".") !== undefined) typeName += `.${this.#cursor.next().text}`;
    const id = this.nodes.add(this.#cursor.next().start);
    const fields: StructField[] = [];
    while (!this.#cursor.is("}")) {
      const name = this.#cursor.token;
      if (name.kind !== "identifier")
        this.#cursor.syntax(`mismatched input '${name.text}' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}`);
      this.#cursor.next();
      const colon = this.#cursor.expect(":");
      fields.push({ id: this.nodes.add(colon.start), name: name.text, value: this.#expr() });
      if (this.#cursor.skip(",") === undefined) break;
    }
    this.#cursor.expect("}");
    return { kind: "struct", id, typeName, fields };
  }

  #list(): Expr {
    const id = this.nodes.add(this.#cursor.next().start);
    const elements: ListElement[] = [];
    this.#cursor.inside("]", () => {
      this.#cursor.expected = STARTS_OF_LIST;
      while (!this.#cursor.is("]")) {
        const optional = this.#cursor.skip("?") !== undefined;
        elements.push({ value: this.#expr(), optional });
        if (this.#cursor.skip(",") === undefined) break;
      }
      this.#cursor.expected = STARTS;
    });
    this.#cursor.expect("]");
    return { kind: "list", id, elements };
  }

  #map(): Expr {
    const id = this.nodes.add(this.#cursor.next().start);
    const entries: MapEntry[] = [];
    this.#cursor.inside("}", () => {
      this.#cursor.expected = STARTS_OF_MAP;
      while (!this.#cursor.is("}")) {
        const optional = this.#cursor.skip("?") !== undefined;
        const key = this.#cursor.inside(":", () => this.#expr());
        const colon = this.#cursor.expect(":");
        entries.push({ id: this.nodes.add(colon.start), key, value: this.#expr(), optional });
        if (this.#cursor.skip(",") === undefined) break;
      }
      this.#cursor.expected = STARTS;
    });
    this.#cursor.expect("}");
    return { kind: "map", id, entries };
  }

  #literal(token: Token): Expr {
    const number = token.text === "-" && token.kind === "symbol" ? this.#cursor.next() : token;
    const sign = number === token ? "" : "-";
    const literal = literalOf(number, sign);
    if ("problem" in literal) {
      this.#cursor.report(token.start, literal.problem);
      return this.#nothing(token);
    }
    return { kind: "literal", id: this.nodes.add(token.start), literal: literal.value };
  }
}

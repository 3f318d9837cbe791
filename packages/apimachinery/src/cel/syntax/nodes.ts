import { FairleadError } from "@fairlead/base";
import type { Expr, Literal } from "./ast.js";

/** The most nodes of an expression. Macros copy what they are called on, so a short text may ask for more. */
const MOST_NODES = 200_000;

/** An expression that has become too large. */
export class TooManyNodes extends FairleadError {
  constructor() {
    super("CelSyntax", `the expression has more than ${MOST_NODES} nodes`);
  }
}

/** The nodes of an expression by number: each is given one as it is made, and is known to stand somewhere in the text. */
export class Nodes {
  readonly #offsets: number[] = [];

  /**
   * The id of a new node.
   *
   * @throws TooManyNodes
   */
  add(offset: number): number {
    if (this.#offsets.length >= MOST_NODES) throw new TooManyNodes();
    this.#offsets.push(offset);
    return this.#offsets.length - 1;
  }

  /** Where a node stands, in UTF-16 units. */
  offset(id: number): number {
    return this.#offsets[id] ?? 0;
  }

  /** The same expression, made of new nodes at the same places. */
  copy(expr: Expr): Expr {
    const id = this.add(this.offset(expr.id));
    switch (expr.kind) {
      case "literal":
      case "ident":
        return { ...expr, id };
      case "select":
        return { ...expr, id, operand: this.copy(expr.operand) };
      case "call": {
        const args = expr.args.map((arg) => this.copy(arg));
        return expr.target === undefined
          ? { ...expr, id, args }
          : { ...expr, id, target: this.copy(expr.target), args };
      }
      case "list":
        return { ...expr, id, elements: expr.elements.map((each) => ({ ...each, value: this.copy(each.value) })) };
      case "map":
        return {
          ...expr,
          id,
          entries: expr.entries.map((entry) => ({
            ...entry,
            id: this.add(this.offset(entry.id)),
            key: this.copy(entry.key),
            value: this.copy(entry.value),
          })),
        };
      case "struct":
        return { ...expr, id, fields: expr.fields.map((field) => ({ ...field, value: this.copy(field.value) })) };
      case "comprehension":
        return {
          ...expr,
          id,
          range: this.copy(expr.range),
          init: this.copy(expr.init),
          condition: this.copy(expr.condition),
          step: this.copy(expr.step),
          result: this.copy(expr.result),
        };
    }
  }
}

/** Makes the nodes that a macro adds; all of them stand where the macro does. */
export class NodeFactory {
  readonly #nodes: Nodes;
  readonly #offset: number;

  constructor(nodes: Nodes, offset: number) {
    this.#nodes = nodes;
    this.#offset = offset;
  }

  get id(): number {
    return this.#nodes.add(this.#offset);
  }

  ident(name: string): Expr {
    return { kind: "ident", id: this.id, name };
  }

  literal(literal: Literal): Expr {
    return { kind: "literal", id: this.id, literal };
  }

  bool(value: boolean): Expr {
    return this.literal({ type: "bool", value });
  }

  list(...elements: readonly Expr[]): Expr {
    return { kind: "list", id: this.id, elements: elements.map((value) => ({ value, optional: false })) };
  }

  call(name: string, ...args: readonly Expr[]): Expr {
    return { kind: "call", id: this.id, name, args };
  }

  method(name: string, target: Expr, ...args: readonly Expr[]): Expr {
    return { kind: "call", id: this.id, name, target, args };
  }

  copy(expr: Expr): Expr {
    return this.#nodes.copy(expr);
  }
}

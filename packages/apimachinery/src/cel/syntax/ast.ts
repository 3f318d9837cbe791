/** The value of a literal: integers are bigints, unsigned ones are told apart by their tag. */
export type Literal =
  | { readonly type: "null" }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "int"; readonly value: bigint }
  | { readonly type: "uint"; readonly value: bigint }
  | { readonly type: "double"; readonly value: number }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "bytes"; readonly value: Uint8Array };

/** An expression, macros expanded. An id is unique in its expression, and the key of what is known about the node. */
export type Expr =
  | { readonly kind: "literal"; readonly id: number; readonly literal: Literal }
  | { readonly kind: "ident"; readonly id: number; readonly name: string }
  | {
      readonly kind: "select";
      readonly id: number;
      readonly operand: Expr;
      readonly field: string;
      /** Whether only the presence of the field is asked, by `has()`. */
      readonly testOnly: boolean;
    }
  | CallExpr
  | { readonly kind: "list"; readonly id: number; readonly elements: readonly ListElement[] }
  | { readonly kind: "map"; readonly id: number; readonly entries: readonly MapEntry[] }
  | { readonly kind: "struct"; readonly id: number; readonly typeName: string; readonly fields: readonly StructField[] }
  | Comprehension;

export interface CallExpr {
  readonly kind: "call";
  readonly id: number;
  readonly name: string;
  /** What a member function is called on. */
  readonly target?: Expr;
  readonly args: readonly Expr[];
}

export interface ListElement {
  readonly value: Expr;
  readonly optional: boolean;
}

export interface MapEntry {
  readonly id: number;
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface StructField {
  readonly id: number;
  readonly name: string;
  readonly value: Expr;
}

/** A fold over a list or a map: the one loop that the language has. */
export interface Comprehension {
  readonly kind: "comprehension";
  readonly id: number;
  readonly range: Expr;
  /** The element of a list, the key of a map; with two variables the index or the key. */
  readonly variable: string;
  /** The element of a list, the value of a map. */
  readonly second?: string;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** Names that no expression can spell. */
export const ACCUMULATOR = "@result";
export const UNUSED = "#unused";

/** What an operator is called as a function. */
export const OPERATORS: ReadonlyMap<string, string> = new Map([
  ["+", "_+_"],
  ["-", "_-_"],
  ["*", "_*_"],
  ["/", "_/_"],
  ["%", "_%_"],
  ["==", "_==_"],
  ["!=", "_!=_"],
  ["<", "_<_"],
  ["<=", "_<=_"],
  [">", "_>_"],
  [">=", "_>=_"],
  ["in", "@in"],
]);

/** The parts of a node. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "literal":
    case "ident":
      return [];
    case "select":
      return [expr.operand];
    case "call":
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case "list":
      return expr.elements.map((element) => element.value);
    case "map":
      return expr.entries.flatMap((entry) => [entry.key, entry.value]);
    case "struct":
      return expr.fields.map((field) => field.value);
    case "comprehension":
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
  }
}

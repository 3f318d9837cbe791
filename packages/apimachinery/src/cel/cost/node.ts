import type { CelType } from "../check/types.js";
import type { Expr } from "../syntax/ast.js";
import { scale, UNKNOWN, type Range } from "./range.js";

/**
 * A way from a variable to a part of it: a field's name, `@items`, `@keys` or `@values` per step, the variable first. What
 * does not come from a variable has none.
 */
export type Path = readonly string[];

/** What an estimate knows about a value. */
export interface Node {
  readonly path: Path | undefined;
  readonly type: CelType;
  readonly expr?: Expr;
  /** How large it is, if that is known. */
  readonly size: Range | undefined;
}

/** Says how large the parts of variables may be; undefined for what it does not know. */
export type SizeEstimator = (path: Path) => Range | undefined;

/** The price of a call without its operands, and the size of what it gives. */
export interface CallEstimate {
  readonly cost: Range;
  readonly size?: Range;
}

export interface EstimatedCall {
  readonly name: string;
  readonly overload: string;
  readonly target: Node | undefined;
  readonly args: readonly Node[];
  readonly sizes: SizeEstimator;
}

export function sizeOfNode(node: Node | undefined, sizes: SizeEstimator): Range {
  if (node === undefined) return UNKNOWN;
  return node.size ?? (node.path === undefined ? undefined : sizes(node.path)) ?? UNKNOWN;
}

/** A text of a size, read once, or as often as is said. */
export function reading(size: Range, factor: number): Range {
  return scale(size, factor);
}

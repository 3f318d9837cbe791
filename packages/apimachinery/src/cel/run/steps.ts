// Steps made of steps: what does not depend on which function is called.
import type { Expr, Literal } from "../syntax/ast.js";
import { CelError, NO_SUCH_OVERLOAD, Optional, Uint, type Result, type Value } from "../value/value.js";
import type { Frame, Step } from "./frame.js";

export function literalValue(literal: Literal): Value {
  switch (literal.type) {
    case "null":
      return null;
    case "uint":
      return new Uint(literal.value);
    default:
      return literal.value;
  }
}

/** The values of steps, or the first failure. */
export function evaluateAll(frame: Frame, steps: readonly Step[]): readonly Value[] | CelError {
  const args: Value[] = [];
  for (const step of steps) {
    const value = step(frame);
    if (value instanceof CelError) return value;
    args.push(value);
  }
  return args;
}

/** What `&&` and `||` give, neither of whose sides decides. */
export function undecided(a: Result, b: Result, decisive: boolean): Result {
  if (typeof a === "boolean" && typeof b === "boolean") return !decisive;
  const failed = typeof a === "boolean" ? b : a;
  return failed instanceof CelError ? failed : NO_SUCH_OVERLOAD;
}

/** `&&` and `||`: what decides on either side outweighs a failure on the other. */
export function logical(left: Step, right: Step, decisive: boolean): Step {
  return (frame) => {
    const a = left(frame);
    if (a === decisive) return decisive;
    const b = right(frame);
    return b === decisive ? decisive : undecided(a, b, decisive);
  };
}

/** The value that an optional has, and otherwise undefined: then its alternative is asked for. */
export function preferred(value: Result, { unwrap }: { readonly unwrap: boolean }): Result | undefined {
  if (value instanceof CelError) return value;
  if (!(value instanceof Optional)) return NO_SUCH_OVERLOAD;
  if (value.value === undefined) return undefined;
  return unwrap ? value.value : value;
}

/** The elements of a list of literals, which is made once. */
export function constantElements(expr: Extract<Expr, { kind: "list" }>): Value[] | undefined {
  const values: Value[] = [];
  for (const { value, optional } of expr.elements) {
    if (optional || value.kind !== "literal") return undefined;
    values.push(literalValue(value.literal));
  }
  return values.length === 0 ? undefined : values;
}

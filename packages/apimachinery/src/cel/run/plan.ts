// Turns a checked expression into functions that run it (cel-go: interpreter/planner.go, interpretable.go). Each step
// charges what cel-go charges for it, but never more than was estimated beforehand for that step, so that an estimate is
// an upper bound.
import type { Checked } from "../check/check.js";
import type { Declarations } from "../check/declarations.js";
import { callCost, costsByResult, type CallCost } from "../cost/actual.js";
import { LIST_COST, MAP_COST } from "../cost/factors.js";
import { index } from "../lib/operators.js";
import { withPattern } from "../lib/regex.js";
import type { CallExpr, Comprehension, Expr, Literal } from "../syntax/ast.js";
import { equal } from "../value/compare.js";
import { ValueList } from "../value/list.js";
import { ValueMap } from "../value/map.js";
import {
  CelError,
  isList,
  isMap,
  NO_SUCH_OVERLOAD,
  Optional,
  TypeValue,
  Uint,
  type Result,
  type Value,
} from "../value/value.js";
import { fieldOf, hasField, optionalField, optionalIndex } from "./access.js";
import { invoke, pickOverload, refuse } from "./dispatch.js";
import type { Frame, Step } from "./frame.js";

export interface PlanInput {
  readonly checked: Checked;
  readonly declarations: Declarations;
  /** Per call, the most that it may cost without its operands. */
  readonly mostOwnCost: ReadonlyMap<number, number>;
}

/** The steps of an expression. */
export function planExpression(input: PlanInput): Step {
  return new Planner(input).plan(input.checked.expr, new Map());
}

/** Where the variables of the loops around a node are kept. */
type Slots = ReadonlyMap<string, number>;

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

class Planner {
  readonly #input: PlanInput;
  #slots = 0;

  constructor(input: PlanInput) {
    this.#input = input;
  }

  plan(expr: Expr, slots: Slots): Step {
    switch (expr.kind) {
      case "literal": {
        const value = literalValue(expr.literal);
        return () => value;
      }
      case "ident":
        return this.#ident(expr.name, slots);
      case "select":
        return this.#select(expr, slots);
      case "call":
        return this.#call(expr, slots);
      case "list":
        return this.#list(expr, slots);
      case "map":
        return this.#map(expr, slots);
      case "struct":
        return () => new CelError(`unknown type '${expr.typeName}'`);
      case "comprehension":
        return this.#comprehension(expr, slots);
    }
  }

  #ident(name: string, slots: Slots): Step {
    const slot = slots.get(name);
    if (slot !== undefined) {
      return (frame) => {
        frame.charge(1);
        return frame.locals[slot] as Result;
      };
    }
    const full = name.replace(/^\./, "");
    const type = this.#input.declarations.types.has(full) ? new TypeValue(full) : undefined;
    return (frame) => {
      frame.charge(1);
      const value = frame.variable(full);
      return value === undefined ? (type ?? new CelError(`no such attribute(s): ${full}`)) : value;
    };
  }

  #select(expr: Extract<Expr, { kind: "select" }>, slots: Slots): Step {
    const operand = this.plan(expr.operand, slots);
    const { field, testOnly } = expr;
    const kind = this.#input.checked.types.get(expr.operand.id)?.kind;
    const cost = !testOnly && (kind === "map" || kind === "struct") ? 1 : 0;
    const read = testOnly ? hasField : fieldOf;
    return (frame) => {
      const object = operand(frame);
      frame.charge(cost);
      return object instanceof CelError ? object : read(object, field);
    };
  }

  #call(expr: CallExpr, slots: Slots): Step {
    const operands = expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    const steps = operands.map((operand) => this.plan(operand, slots));
    const [first, second, third] = steps as [Step, Step, Step];
    switch (expr.name) {
      case "_&&_":
        return logical(first, second, false);
      case "_||_":
        return logical(first, second, true);
      case "_?_:_":
        return (frame) => {
          const test = first(frame);
          if (typeof test === "boolean") return (test ? second : third)(frame);
          return test instanceof CelError ? test : NO_SUCH_OVERLOAD;
        };
      case "@not_strictly_false":
        return (frame) => {
          const value = first(frame);
          frame.charge(1);
          return value !== false;
        };
      case "or":
      case "orValue":
        if (expr.target !== undefined) return orElse(first, second, { unwrap: expr.name === "orValue" });
        break;
      case "_?._":
        return this.#strict(expr, steps, ([object, field]) => optionalField(object as Value, String(field)));
      case "_[?_]":
        return this.#strict(expr, steps, ([object, key]) => optionalIndex(object as Value, key as Value));
      case "_[_]":
        return this.#strict(expr, steps, ([object, key]) =>
          object instanceof Optional ? optionalIndex(object, key as Value) : index(object as Value, key as Value),
        );
      case "_==_":
        return this.#strict(expr, steps, ([a, b]) => equal(a as Value, b as Value));
      case "_!=_":
        return this.#strict(expr, steps, ([a, b]) => {
          const same = equal(a as Value, b as Value);
          return same instanceof CelError ? same : !same;
        });
      default:
    }
    return this.#function(expr, steps);
  }

  /** A call that any operand that failed makes fail. */
  #strict(expr: CallExpr, steps: readonly Step[], run: (args: readonly Value[]) => Result): Step {
    const cost = this.#costOf(expr);
    const most = this.#input.mostOwnCost.get(expr.id) ?? Infinity;
    if (this.#costsByResult(expr)) {
      return (frame) => {
        const args = evaluateAll(frame, steps);
        if (args instanceof CelError) return args;
        const result = run(args);
        frame.charge(Math.min(most, cost(args, result)));
        return result;
      };
    }
    return (frame) => {
      const args = evaluateAll(frame, steps);
      if (args instanceof CelError) return args;
      // Before it runs, so that what costs too much does not run at all.
      frame.charge(Math.min(most, cost(args, null)));
      return run(args);
    };
  }

  #costsByResult({ id, name }: CallExpr): boolean {
    return (this.#input.checked.overloads.get(id) ?? []).some((overload) => costsByResult(name, overload.id));
  }

  /** What a call costs; where its overload is not known beforehand, that is found out each time. */
  #costOf({ id, name }: CallExpr): CallCost {
    const overloads = this.#input.checked.overloads.get(id) ?? [];
    const costs = new Map(overloads.map((overload) => [overload, callCost(name, overload.id)]));
    const [first = callCost(name, "")] = costs.values();
    if (costs.size < 2) return first;
    return (args, result) => {
      const overload = pickOverload(overloads, args);
      return ((overload === undefined ? undefined : costs.get(overload)) ?? first)(args, result);
    };
  }

  #function(expr: CallExpr, steps: readonly Step[]): Step {
    const declaration = this.#input.declarations.functions.get(expr.name);
    if (declaration === undefined) return () => new CelError(`unknown function: ${expr.name}`);
    const overloads = this.#input.checked.overloads.get(expr.id) ?? [];
    const pattern = expr.target === undefined ? expr.args[1] : expr.args[0];
    const fixed =
      pattern?.kind === "literal" && pattern.literal.type === "string"
        ? withPattern(expr.name, pattern.literal.value)
        : undefined;
    return this.#strict(expr, steps, (args) => {
      const overload = pickOverload(overloads, args);
      if (overload === undefined)
        return declaration.run === undefined ? refuse(declaration, args) : declaration.run(...args);
      return fixed === undefined ? invoke(declaration, overload, args) : fixed(args);
    });
  }

  #list(expr: Extract<Expr, { kind: "list" }>, slots: Slots): Step {
    const elements = constantElements(expr);
    if (elements !== undefined) {
      const constant = new ValueList(elements);
      return () => constant;
    }
    return this.#listOf(expr, slots);
  }

  #listOf(expr: Extract<Expr, { kind: "list" }>, slots: Slots): Step {
    const elements = expr.elements.map(({ value, optional }) => ({ step: this.plan(value, slots), optional }));
    return (frame) => {
      const items: Value[] = [];
      for (const { step, optional } of elements) {
        const value = step(frame);
        if (value instanceof CelError) return value;
        if (!optional) items.push(value);
        else if (!(value instanceof Optional))
          return new CelError("cannot initialize optional list element from non-optional value");
        else if (value.value !== undefined) items.push(value.value);
      }
      frame.charge(LIST_COST);
      return new ValueList(items);
    };
  }

  #map(expr: Extract<Expr, { kind: "map" }>, slots: Slots): Step {
    const entries = expr.entries.map((entry) => ({
      key: this.plan(entry.key, slots),
      value: this.plan(entry.value, slots),
      optional: entry.optional,
    }));
    return (frame) => {
      const pairs: (readonly [Value, Value])[] = [];
      for (const entry of entries) {
        const key = entry.key(frame);
        if (key instanceof CelError) return key;
        const value = entry.value(frame);
        if (value instanceof CelError) return value;
        if (!entry.optional) pairs.push([key, value]);
        else if (!(value instanceof Optional))
          return new CelError("cannot initialize optional entry from non-optional value");
        else if (value.value !== undefined) pairs.push([key, value.value]);
      }
      frame.charge(MAP_COST);
      return ValueMap.of(pairs);
    };
  }

  #comprehension(expr: Comprehension, slots: Slots): Step {
    const range = this.plan(expr.range, slots);
    const init = this.plan(expr.init, slots);
    const accumulator = this.#slots++;
    const first = this.#slots++;
    const second = this.#slots++;
    const outer = new Map(slots).set(expr.accumulator, accumulator);
    const inner = new Map(outer).set(expr.variable, first);
    if (expr.second !== undefined) inner.set(expr.second, second);
    const condition = this.plan(expr.condition, inner);
    const step = this.plan(expr.step, inner);
    const result = this.plan(expr.result, outer);
    const two = expr.second !== undefined;
    return (frame) => {
      const over = range(frame);
      if (over instanceof CelError) return over;
      if (!isList(over) && !isMap(over))
        return new CelError("got a value that is no list or map, expected iterable type");
      const keys = isMap(over) ? over.keys() : undefined;
      const count = keys?.length ?? (isList(over) ? over.length : 0);
      frame.locals[accumulator] = init(frame);
      for (let i = 0; i < count; i++) {
        const key = keys?.[i] ?? BigInt(i);
        if (two) {
          frame.locals[first] = key;
          frame.locals[second] = isList(over) ? over.at(i) : (over.get(key) ?? null);
        } else frame.locals[first] = isList(over) ? over.at(i) : key;
        if (condition(frame) === false) break;
        frame.locals[accumulator] = step(frame);
      }
      return result(frame);
    };
  }
}

function evaluateAll(frame: Frame, steps: readonly Step[]): readonly Value[] | CelError {
  const args: Value[] = [];
  for (const step of steps) {
    const value = step(frame);
    if (value instanceof CelError) return value;
    args.push(value);
  }
  return args;
}

/** `&&` and `||`: what decides on either side outweighs a failure on the other. */
function logical(left: Step, right: Step, decisive: boolean): Step {
  return (frame) => {
    const a = left(frame);
    if (a === decisive) return decisive;
    const b = right(frame);
    if (b === decisive) return decisive;
    if (typeof a === "boolean" && typeof b === "boolean") return !decisive;
    const failed = typeof a === "boolean" ? b : a;
    return failed instanceof CelError ? failed : NO_SUCH_OVERLOAD;
  };
}

function orElse(left: Step, right: Step, { unwrap }: { readonly unwrap: boolean }): Step {
  return (frame) => {
    const value = left(frame);
    if (value instanceof CelError) return value;
    if (!(value instanceof Optional)) return NO_SUCH_OVERLOAD;
    if (value.value === undefined) return right(frame);
    return unwrap ? value.value : value;
  };
}

/** The elements of a list of literals, which is made once. */
function constantElements(expr: Extract<Expr, { kind: "list" }>): Value[] | undefined {
  const values: Value[] = [];
  for (const { value, optional } of expr.elements) {
    if (optional || value.kind !== "literal") return undefined;
    values.push(literalValue(value.literal));
  }
  return values.length === 0 ? undefined : values;
}

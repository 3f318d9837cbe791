// Turns a checked expression into functions that run it (cel-go: interpreter/planner.go, interpretable.go). Each step
// charges what cel-go charges for it, but never more than was estimated beforehand for that step, so that an estimate is
// an upper bound.
import type { Checked } from "../check/check.js";
import type { Declarations } from "../check/declarations.js";
import { callCost, costsByResult, type CallCost } from "../cost/actual.js";
import { LIST_COST, MAP_COST } from "../cost/factors.js";
import { index } from "../lib/operators.js";
import { regExpFunction, type RegExpFunction } from "../lib/regex.js";
import type { CallExpr, Comprehension, Expr } from "../syntax/ast.js";
import { equal } from "../value/compare.js";
import { listOfValues, ValueList } from "../value/list.js";
import { ValueMap } from "../value/map.js";
import { CelError, NO_SUCH_OVERLOAD, Optional, TypeValue, weightOf, type Result, type Value } from "../value/value.js";
import { fieldOf, hasField, optionalField, optionalIndex } from "./access.js";
import { invoke, pickOverload, refuse } from "./dispatch.js";
import type { Frame, Step } from "./frame.js";
import { rangeOf, setVariables, type LoopSlots } from "./loop.js";
import { constantElements, evaluateAll, literalValue, logical, preferred } from "./steps.js";

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
export type Slots = ReadonlyMap<string, number>;

/** Makes steps of expressions. */
export class Planner {
  readonly #input: PlanInput;
  /** Steps of expressions that have been planned otherwise. */
  readonly #given: ReadonlyMap<Expr, Step>;
  #slots = 0;

  constructor(input: PlanInput, given: ReadonlyMap<Expr, Step> = new Map()) {
    this.#input = input;
    this.#given = given;
  }

  /** A place for a value in Frame.locals. */
  newSlot(): number {
    return this.#slots++;
  }

  plan(expr: Expr, slots: Slots): Step {
    return this.#given.get(expr) ?? this.#plan(expr, slots);
  }

  #plan(expr: Expr, slots: Slots): Step {
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
      case "orValue": {
        if (expr.target === undefined) break;
        const unwrap = expr.name === "orValue";
        return (frame) => preferred(first(frame), { unwrap }) ?? second(frame);
      }
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
    const slow = this.slowFunction(expr);
    return slow === undefined ? this.#function(expr, steps) : this.#slow(expr, steps, slow);
  }

  /** A call that any operand that failed makes fail. */
  #strict(expr: CallExpr, steps: readonly Step[], run: (args: readonly Value[]) => Result): Step {
    const cost = this.costOf(expr);
    const walks = !LOOKS_UP.has(expr.name);
    if (this.#costsByResult(expr)) {
      return (frame) => {
        const args = evaluateAll(frame, steps);
        if (args instanceof CelError) return args;
        const result = run(args);
        frame.charge(cost(args, result));
        return result;
      };
    }
    return (frame) => {
      const args = evaluateAll(frame, steps);
      if (args instanceof CelError) return args;
      if (walks) countWork(frame, args);
      // Before it runs, so that what costs too much does not run at all.
      frame.charge(cost(args, null));
      return run(args);
    };
  }

  #costsByResult({ id, name }: CallExpr): boolean {
    return (this.#input.checked.overloads.get(id) ?? []).some((overload) => costsByResult(name, overload.id));
  }

  /** What a call costs, at most what was estimated; where its overload is not known beforehand, that is found out each time. */
  costOf(expr: CallExpr): CallCost {
    const cost = this.#overloadCostOf(expr);
    const most = this.#input.mostOwnCost.get(expr.id) ?? Infinity;
    return (args, result) => Math.min(most, cost(args, result));
  }

  #overloadCostOf({ id, name }: CallExpr): CallCost {
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
    return this.#strict(expr, steps, (args) => {
      const overload = pickOverload(overloads, args);
      if (overload !== undefined) return invoke(declaration, overload, args);
      return declaration.run === undefined ? refuse(declaration, args) : declaration.run(...args);
    });
  }

  /** What a call of a function that may take long does once it has been charged; undefined for any other call. */
  slowFunction(expr: CallExpr): RegExpFunction | undefined {
    const pattern = expr.target === undefined ? expr.args[1] : expr.args[0];
    const literal =
      pattern?.kind === "literal" && pattern.literal.type === "string" ? pattern.literal.value : undefined;
    const run = regExpFunction(expr.name, literal);
    const declaration = this.#input.declarations.functions.get(expr.name);
    if (run === undefined || declaration === undefined) return undefined;
    const overloads = this.#input.checked.overloads.get(expr.id) ?? [];
    return function* (args) {
      return pickOverload(overloads, args) === undefined ? refuse(declaration, args) : yield* run(args);
    };
  }

  /** The same without a pause, as far as that goes. */
  #slow(expr: CallExpr, steps: readonly Step[], run: RegExpFunction): Step {
    const cost = this.costOf(expr);
    return (frame) => {
      const args = evaluateAll(frame, steps);
      if (args instanceof CelError) return args;
      frame.charge(cost(args, null));
      const working = run(args);
      while (true) {
        const stop = working.next();
        if (stop.done === true) return stop.value;
        frame.did(stop.value);
      }
    };
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
      return listOfValues(items);
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
    const { places, outer, inner } = this.loopSlots(expr, slots);
    const range = this.plan(expr.range, slots);
    const init = this.plan(expr.init, slots);
    const condition = this.plan(expr.condition, inner);
    const step = this.plan(expr.step, inner);
    const result = this.plan(expr.result, outer);
    return (frame) => {
      const over = rangeOf(range(frame));
      if (over instanceof CelError) return over;
      frame.locals[places.accumulator] = init(frame);
      for (let turn = 0; turn < over.count; turn++) {
        setVariables(frame, over, places, turn);
        if (condition(frame) === false) break;
        frame.locals[places.accumulator] = step(frame);
      }
      return result(frame);
    };
  }

  /** Places for the variables of a loop, and the variables as its result and its turns see them. */
  loopSlots(
    { accumulator, variable, second }: Comprehension,
    slots: Slots,
  ): { readonly places: LoopSlots; readonly outer: Slots; readonly inner: Slots } {
    const places = {
      accumulator: this.newSlot(),
      first: this.newSlot(),
      second: second === undefined ? undefined : this.newSlot(),
    };
    const outer = new Map(slots).set(accumulator, places.accumulator);
    const inner = new Map(outer).set(variable, places.first);
    if (second !== undefined && places.second !== undefined) inner.set(second, places.second);
    return { places, outer, inner };
  }
}

/** Functions that take the same time whatever their operands consist of. */
const LOOKS_UP: ReadonlySet<string> = new Set(["_[_]", "_[?_]", "_?._", "size", "type", "dyn", "optional.of"]);

/** Whoever compares, searches or copies lists and maps may have to look at all that they consist of. */
function countWork(frame: Frame, args: readonly Value[]): void {
  for (const arg of args) if (typeof arg === "object" && arg !== null) frame.did(weightOf(arg));
}

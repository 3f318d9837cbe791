// Runs an expression in slices. Only what contains a loop, or a function that may take long, is run by generators; all
// else is a step as in a run without a pause, so that both cost the same and give the same.
import type { Sliced } from "@fairlead/base";
import { childrenOf, type CallExpr, type Comprehension, type Expr } from "../syntax/ast.js";
import { CelError, NO_SUCH_OVERLOAD, type Result, type Value } from "../value/value.js";
import type { Frame, Step } from "./frame.js";
import { rangeOf, setVariables } from "./loop.js";
import { Planner, type PlanInput, type Slots } from "./plan.js";
import { preferred, undecided } from "./steps.js";

/** A node, ready to run in slices. */
export type SlicedStep = (frame: Frame) => Sliced<Result>;

/** The steps of an expression. */
export function planSliced(input: PlanInput): SlicedStep {
  return new SlicedPlanner(input).plan(input.checked.expr, new Map());
}

/** Work between two stops of a loop. */
const STRIDE = 5_000;

class SlicedPlanner {
  readonly #planner: Planner;
  /** What has been run in slices is read from where its result was put. */
  readonly #read = new Map<Expr, Step>();
  readonly #long = new Map<Expr, boolean>();

  constructor(input: PlanInput) {
    this.#planner = new Planner(input, this.#read);
  }

  plan(expr: Expr, slots: Slots): SlicedStep {
    if (!this.#isLong(expr)) return atOnce(this.#planner.plan(expr, slots));
    if (expr.kind === "comprehension") return this.#loop(expr, slots);
    if (expr.kind === "call") {
      const special = this.#special(expr, slots) ?? this.#slow(expr, slots);
      if (special !== undefined) return special;
    }
    const parts = this.#parts(childrenOf(expr), slots);
    const step = this.#planner.plan(expr, slots);
    return function* (frame) {
      yield* evaluate(frame, parts);
      return step(frame);
    };
  }

  /** Whether an expression has a part that is run in slices. */
  #isLong(expr: Expr): boolean {
    let long = this.#long.get(expr);
    if (long === undefined) {
      long =
        expr.kind === "comprehension" ||
        (expr.kind === "call" && this.#planner.slowFunction(expr) !== undefined) ||
        childrenOf(expr).some((child) => this.#isLong(child));
      this.#long.set(expr, long);
    }
    return long;
  }

  /** What is evaluated before an expression itself. */
  #parts(exprs: readonly Expr[], slots: Slots): readonly Part[] {
    return exprs.map((expr) => {
      const [step, slot] = [this.plan(expr, slots), this.#planner.newSlot()];
      this.#read.set(expr, (frame) => frame.locals[slot] as Result);
      return { step, slot };
    });
  }

  /** Calls that do not evaluate all of their operands. */
  #special(expr: CallExpr, slots: Slots): SlicedStep | undefined {
    const operands = operandsOf(expr);
    const at = (index: number): SlicedStep => this.plan(operands[index] as Expr, slots);
    switch (expr.name) {
      case "_&&_":
        return logical(at(0), at(1), false);
      case "_||_":
        return logical(at(0), at(1), true);
      case "_?_:_":
        return conditional(at(0), at(1), at(2));
      case "or":
      case "orValue":
        return expr.target === undefined ? undefined : orElse(at(0), at(1), expr.name === "orValue");
      default:
        return undefined;
    }
  }

  #slow(expr: CallExpr, slots: Slots): SlicedStep | undefined {
    const run = this.#planner.slowFunction(expr);
    if (run === undefined) return undefined;
    const parts = this.#parts(operandsOf(expr), slots);
    const cost = this.#planner.costOf(expr);
    return function* (frame) {
      const failed = yield* evaluate(frame, parts);
      if (failed !== undefined) return failed;
      const args = parts.map(({ slot }) => frame.locals[slot] as Value);
      frame.charge(cost(args, null));
      return yield* run(args);
    };
  }

  /** What is run at each turn of a loop, without a generator where it needs none. */
  #turnPart(expr: Expr, slots: Slots): { readonly sliced: SlicedStep; readonly plain: Step | undefined } {
    if (this.#isLong(expr)) return { sliced: this.plan(expr, slots), plain: undefined };
    const plain = this.#planner.plan(expr, slots);
    return { sliced: atOnce(plain), plain };
  }

  #loop(expr: Comprehension, slots: Slots): SlicedStep {
    const { places, outer, inner } = this.#planner.loopSlots(expr, slots);
    const range = this.plan(expr.range, slots);
    const init = this.plan(expr.init, slots);
    const condition = this.#turnPart(expr.condition, inner);
    const step = this.#turnPart(expr.step, inner);
    const result = this.plan(expr.result, outer);
    return function* (frame) {
      const over = rangeOf(yield* range(frame));
      if (over instanceof CelError) return over;
      frame.locals[places.accumulator] = yield* init(frame);
      let told = frame.work;
      for (let turn = 0; turn < over.count; turn++) {
        setVariables(frame, over, places, turn);
        if ((condition.plain === undefined ? yield* condition.sliced(frame) : condition.plain(frame)) === false) break;
        frame.locals[places.accumulator] = step.plain === undefined ? yield* step.sliced(frame) : step.plain(frame);
        const { work } = frame;
        if (work - told < STRIDE) continue;
        yield work - told;
        told = frame.work;
      }
      return yield* result(frame);
    };
  }
}

interface Part {
  readonly step: SlicedStep;
  readonly slot: number;
}

/** Puts the results of parts in their places; ends at one that fails, and tells it. */
function* evaluate(frame: Frame, parts: readonly Part[]): Sliced<CelError | undefined> {
  for (const { step, slot } of parts) {
    const value = yield* step(frame);
    frame.locals[slot] = value;
    if (value instanceof CelError) return value;
  }
  return undefined;
}

function operandsOf({ target, args }: CallExpr): readonly Expr[] {
  return target === undefined ? args : [target, ...args];
}

function atOnce(step: Step): SlicedStep {
  return function* (frame) {
    return step(frame);
  };
}

function logical(left: SlicedStep, right: SlicedStep, decisive: boolean): SlicedStep {
  return function* (frame) {
    const a = yield* left(frame);
    if (a === decisive) return decisive;
    const b = yield* right(frame);
    return b === decisive ? decisive : undecided(a, b, decisive);
  };
}

function conditional(test: SlicedStep, yes: SlicedStep, no: SlicedStep): SlicedStep {
  return function* (frame) {
    const value = yield* test(frame);
    if (typeof value === "boolean") return yield* (value ? yes : no)(frame);
    return value instanceof CelError ? value : NO_SUCH_OVERLOAD;
  };
}

function orElse(left: SlicedStep, right: SlicedStep, unwrap: boolean): SlicedStep {
  return function* (frame) {
    return preferred(yield* left(frame), { unwrap }) ?? (yield* right(frame));
  };
}

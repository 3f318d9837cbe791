// From text to something that runs: parsing, types, checks of literals, an estimate of the cost, a plan.
import { unsliced, type Sliced } from "@fairlead/base";
import type { Checked, Scope } from "./check/check.js";
import { checkExpression } from "./check/check.js";
import type { CelType } from "./check/types.js";
import { literalIssues } from "./check/literals.js";
import { estimateCost } from "./cost/estimate.js";
import type { SizeEstimator } from "./cost/node.js";
import { BASE_DECLARATIONS } from "./lib/base.js";
import { CostExceeded, Frame, SliceSpent, type Step, type Variables } from "./run/frame.js";
import { planExpression } from "./run/plan.js";
import { planSliced, type SlicedStep } from "./run/sliced.js";
import { parseExpression } from "./syntax/parse.js";
import { formatIssues, type Issue } from "./syntax/source.js";
import { CelError, type Result } from "./value/value.js";

/** What an expression may name besides Kubernetes' functions. */
export interface Environment {
  readonly variables: ReadonlyMap<string, CelType>;
  /** The fields of struct types by name. */
  readonly fields?: Scope["fields"];
  readonly sizes?: SizeEstimator;
}

/** An expression that can be run, as often as one likes. */
export interface CelProgram {
  readonly type: CelType;
  /** The variables that it names. */
  readonly references: ReadonlySet<string>;
  /** The most that it may cost; 2^64 where that is not known. */
  readonly maxCost: number;
  run(variables: Variables, limit: number): Outcome;
  /** The same in slices, for what may take long. */
  running(variables: Variables, limit: number): Sliced<Outcome>;
}

export interface Outcome {
  readonly result: Result;
  readonly cost: number;
  /** Whether it was ended because it cost too much; the result is the error that says so. */
  readonly exceeded: boolean;
}

export type Compiled =
  | { readonly ok: true; readonly program: CelProgram }
  /** The issues as cel-go prints them. */
  | { readonly ok: false; readonly message: string };

/** Compiles an expression with Kubernetes' libraries. */
export function compileExpression(text: string, environment: Environment): Compiled {
  const parsed = parseExpression(text);
  if (!parsed.ok) return { ok: false, message: formatIssues(text, parsed.issues) };
  const issues: Issue[] = [];
  const scope: Scope = {
    ...BASE_DECLARATIONS,
    variables: environment.variables,
    fields: environment.fields ?? (() => undefined),
  };
  const checked = checkExpression(parsed.expr, parsed.nodes, { scope, issues });
  if (issues.length === 0) issues.push(...literalIssues(checked));
  if (issues.length > 0) return { ok: false, message: formatIssues(text, issues) };
  return { ok: true, program: programOf(checked, environment.sizes ?? (() => undefined)) };
}

function programOf(checked: Checked, sizes: SizeEstimator): CelProgram {
  const { cost, mostOwnCost } = estimateCost(checked, sizes);
  const input = { checked, declarations: BASE_DECLARATIONS, mostOwnCost };
  const step = planExpression(input);
  let sliced: SlicedStep | undefined;
  function* running(variables: Variables, limit: number): Sliced<Outcome> {
    // Most are done before they would pause; what is not is begun again, which changes nothing.
    const quick = outcomeAtOnce(step, new Frame(variables, limit, QUICK_WORK));
    if (quick !== undefined) return quick;
    yield QUICK_WORK;
    return yield* outcome((sliced ??= planSliced(input)), new Frame(variables, limit));
  }
  return {
    type: checked.types.get(checked.expr.id) as CelType,
    references: checked.references,
    maxCost: cost.max,
    run: (variables, limit) => unsliced(running(variables, limit)),
    running,
  };
}

/** How much work a run may be before it is run in slices. */
const QUICK_WORK = 10_000;

/** Undefined when it takes too long. */
function outcomeAtOnce(step: Step, frame: Frame): Outcome | undefined {
  try {
    return { result: step(frame), cost: frame.cost, exceeded: false };
  } catch (error) {
    return error instanceof SliceSpent ? undefined : exceeded(error, frame);
  }
}

function* outcome(step: SlicedStep, frame: Frame): Sliced<Outcome> {
  try {
    return { result: yield* step(frame), cost: frame.cost, exceeded: false };
  } catch (error) {
    return exceeded(error, frame);
  }
}

function exceeded(error: unknown, frame: Frame): Outcome {
  if (!(error instanceof CostExceeded)) throw error;
  return { result: new CelError(error.message), cost: frame.cost, exceeded: true };
}

// What an expression may cost at most, before anybody runs it (cel-go: checker/cost.go). Sizes of variables come from
// their schemas; what is not known there may be as large as numbers go.
import type { Checked } from "../check/check.js";
import { DYN, type CelType } from "../check/types.js";
import { lengthOf } from "../value/text.js";
import { ACCUMULATOR, type CallExpr, type Comprehension, type Expr } from "../syntax/ast.js";
import { LIST_COST, MAP_COST, STRUCT_COST } from "./factors.js";
import { libraryEstimate } from "./library-estimates.js";
import type { CallEstimate, Node, Path, SizeEstimator } from "./node.js";
import { add, fixed, multiply, union, UNKNOWN, type Range } from "./range.js";
import { standardEstimate } from "./standard-estimates.js";

export interface Estimate {
  readonly cost: Range;
  /** Per call, the most that it may cost without its operands. */
  readonly mostOwnCost: ReadonlyMap<number, number>;
}

/** The cost of an expression. */
export function estimateCost(checked: Checked, sizes: SizeEstimator): Estimate {
  const estimator = new Estimator(checked, sizes);
  return { cost: estimator.cost(checked.expr), mostOwnCost: estimator.mostOwnCost };
}

/** How large the keys and values of a list or map are. */
interface EntrySizes {
  readonly container: "list" | "map";
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly path: Path | undefined;
  readonly size: Range | undefined;
  readonly entries: EntrySizes | undefined;
}

const ONE = fixed(1);
const NOTHING = fixed(0);

class Estimator {
  readonly mostOwnCost = new Map<number, number>();
  readonly #checked: Checked;
  readonly #estimateSize: SizeEstimator;
  readonly #paths = new Map<number, Path>();
  readonly #sizes = new Map<number, Range>();
  readonly #entries = new Map<number, EntrySizes>();
  readonly #locals = new Map<string, Local[]>();

  constructor(checked: Checked, sizes: SizeEstimator) {
    this.#checked = checked;
    this.#estimateSize = sizes;
  }

  cost(expr: Expr): Range {
    switch (expr.kind) {
      case "literal":
        return NOTHING;
      case "ident": {
        const local = this.#local(expr.name);
        this.#setPath(expr, local === undefined ? [expr.name.replace(/^\./, "")] : local.path);
        return ONE;
      }
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return add(fixed(STRUCT_COST), ...expr.fields.map((field) => this.cost(field.value)));
      case "comprehension":
        return isBind(expr) ? this.#bind(expr) : this.#comprehension(expr);
    }
  }

  #type(expr: Expr): CelType {
    return this.#checked.types.get(expr.id) ?? DYN;
  }

  #select(expr: Extract<Expr, { kind: "select" }>): Range {
    const operand = this.cost(expr.operand);
    if (expr.testOnly) return operand;
    const { kind } = this.#type(expr.operand);
    this.#setPath(expr, [...(this.#path(expr.operand) ?? []), expr.field]);
    return kind === "map" || kind === "struct" ? add(operand, ONE) : operand;
  }

  #list(expr: Extract<Expr, { kind: "list" }>): Range {
    const values = expr.elements.map((element) => element.value);
    const costs = values.map((value) => this.cost(value));
    this.#entries.set(expr.id, { container: "list", key: ONE, value: this.#allSizes(values) });
    return add(...costs, fixed(LIST_COST));
  }

  #map(expr: Extract<Expr, { kind: "map" }>): Range {
    const costs = expr.entries.flatMap((entry) => [this.cost(entry.key), this.cost(entry.value)]);
    this.#entries.set(expr.id, {
      container: "map",
      key: this.#allSizes(expr.entries.map((entry) => entry.key)),
      value: this.#allSizes(expr.entries.map((entry) => entry.value)),
    });
    return add(...costs, fixed(MAP_COST));
  }

  #allSizes(exprs: readonly Expr[]): Range {
    const [first, ...rest] = exprs.map((expr) => this.#size(expr) ?? UNKNOWN);
    return first === undefined ? NOTHING : rest.reduce(union, first);
  }

  #call(expr: CallExpr): Range {
    const costs = expr.args.map((arg) => this.cost(arg));
    const { name } = expr;
    if (name === "dyn" && expr.target === undefined) return this.#dyn(expr, costs[0] ?? NOTHING);
    const target = expr.target === undefined ? NOTHING : this.cost(expr.target);
    const [left = NOTHING, right = NOTHING, other = NOTHING] = costs;
    if (name === "_&&_" || name === "_||_") return { min: left.min, max: add(left, right).max };
    if (name === "_?_:_") return add(left, this.#conditional(expr, union(right, other)));
    const nodes = expr.args.map((arg) => this.#node(arg));
    const estimates = (this.#checked.overloads.get(expr.id) ?? []).map((overload) =>
      this.#overload(expr, overload.id, nodes),
    );
    const own = estimates.map((estimate) => estimate.cost);
    const most = own.slice(1).reduce(union, own[0] ?? NOTHING);
    this.mostOwnCost.set(expr.id, most.max);
    return add(target, most, ...costs);
  }

  #dyn(expr: CallExpr, cost: Range): Range {
    const [arg] = expr.args;
    if (arg !== undefined) this.#copySizes(expr, arg);
    this.mostOwnCost.set(expr.id, 1);
    return add(ONE, cost);
  }

  #conditional(expr: CallExpr, cost: Range): Range {
    const [, yes, no] = expr.args as readonly [Expr, Expr, Expr];
    this.#sizes.set(expr.id, union(this.#size(yes) ?? UNKNOWN, this.#size(no) ?? UNKNOWN));
    this.#setEntries(expr, bothEntries(this.#entriesOf(yes), this.#entriesOf(no)));
    return cost;
  }

  #overload(expr: CallExpr, overload: string, args: readonly Node[]): CallEstimate {
    const target = expr.target === undefined ? undefined : this.#node(expr.target);
    const call = { name: expr.name, overload, target, args, sizes: this.#estimateSize };
    const estimate = libraryEstimate(call) ?? standardEstimate(call);
    const [first, second] = expr.args;
    let { size } = estimate;
    if ((overload === "index_list" || overload === "index_map") && first !== undefined) {
      size = this.#entriesOf(first)?.value;
      this.#setPath(expr, [...(this.#path(first) ?? []), overload === "index_list" ? "@items" : "@values"]);
    }
    if (first !== undefined && second !== undefined && /^add_(?:list|string|bytes)$/.test(overload))
      this.#setEntries(expr, bothEntries(this.#entriesOf(first), this.#entriesOf(second)));
    const known = size ?? this.#size(expr);
    if (known !== undefined) {
      const before = estimate.size === undefined ? undefined : this.#sizes.get(expr.id);
      this.#sizes.set(expr.id, before === undefined ? known : union(before, known));
    }
    return estimate;
  }

  #comprehension(expr: Comprehension): Range {
    const range = this.cost(expr.range);
    const init = this.cost(expr.init);
    this.#push(expr.accumulator, this.#localOf(expr.init));
    this.#pushElements(expr);
    const turn = add(this.cost(expr.condition), this.cost(expr.step));
    this.#pop(expr.variable);
    if (expr.second !== undefined) this.#pop(expr.second);
    const result = this.cost(expr.result);
    this.#pop(expr.accumulator);
    const count = this.#size(expr.range) ?? UNKNOWN;
    if (expr.init.kind === "literal") this.#setSize(expr, this.#size(expr.init));
    if (expr.init.kind === "list" || expr.init.kind === "map") {
      this.#setSize(expr, count);
      this.#setEntries(expr, this.#entriesOf(expr.step));
    }
    return add(range, init, result, multiply(count, turn));
  }

  #pushElements(expr: Comprehension): void {
    const entries = this.#entriesOf(expr.range);
    const isList = (entries?.container ?? this.#type(expr.range).kind) === "list";
    const path = this.#path(expr.range) ?? [];
    const local = (step: string, size: Range | undefined): Local => ({
      path: [...path, step],
      size,
      entries: undefined,
    });
    if (expr.second !== undefined) {
      this.#push(expr.variable, local(isList ? "@indices" : "@keys", entries?.key));
      this.#push(expr.second, local(isList ? "@items" : "@values", entries?.value));
    } else {
      this.#push(expr.variable, isList ? local("@items", entries?.value) : local("@keys", entries?.key));
    }
  }

  #bind(expr: Comprehension): Range {
    const costs = add(this.cost(expr.range), this.cost(expr.init));
    this.#push(expr.accumulator, this.#localOf(expr.init));
    const result = this.cost(expr.result);
    this.#pop(expr.accumulator);
    this.#copySizes(expr, expr.result);
    return add(costs, result);
  }

  #localOf(expr: Expr): Local {
    return { path: this.#path(expr), size: this.#size(expr), entries: this.#entriesOf(expr) };
  }

  #push(name: string, local: Local): void {
    const stack = this.#locals.get(name);
    if (stack === undefined) this.#locals.set(name, [local]);
    else stack.push(local);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #setPath(expr: Expr, path: Path | undefined): void {
    if (path !== undefined) this.#paths.set(expr.id, path);
  }

  #path(expr: Expr): Path | undefined {
    const local = expr.kind === "ident" ? this.#local(expr.name) : undefined;
    return local === undefined ? this.#paths.get(expr.id) : local.path;
  }

  #node(expr: Expr): Node {
    const path = this.#path(expr);
    return {
      path: path?.[0] === ACCUMULATOR ? undefined : path,
      type: this.#type(expr),
      expr,
      size: this.#size(expr),
    };
  }

  #size(expr: Expr): Range | undefined {
    const known = this.#sizes.get(expr.id) ?? sizeOfExpr(expr);
    if (known !== undefined) return known;
    const path = this.#path(expr);
    const estimated = path === undefined ? undefined : this.#estimateSize(path);
    if (estimated !== undefined) {
      this.#sizes.set(expr.id, estimated);
      return estimated;
    }
    if (isScalar(this.#type(expr))) return ONE;
    return expr.kind === "ident" ? this.#local(expr.name)?.size : undefined;
  }

  #setSize(expr: Expr, size: Range | undefined): void {
    if (size !== undefined) this.#sizes.set(expr.id, size);
  }

  #setEntries(expr: Expr, entries: EntrySizes | undefined): void {
    if (entries !== undefined) this.#entries.set(expr.id, entries);
  }

  #entriesOf(expr: Expr): EntrySizes | undefined {
    return this.#entries.get(expr.id) ?? (expr.kind === "ident" ? this.#local(expr.name)?.entries : undefined);
  }

  #copySizes(to: Expr, from: Expr): void {
    this.#setSize(to, this.#size(from));
    this.#setEntries(to, this.#entriesOf(from));
  }
}

/** A loop over nothing that only gives a value a name. */
function isBind({ range, condition, accumulator }: Comprehension): boolean {
  return (
    range.kind === "list" &&
    range.elements.length === 0 &&
    condition.kind === "literal" &&
    condition.literal.type === "bool" &&
    !condition.literal.value &&
    accumulator !== ACCUMULATOR
  );
}

function bothEntries(a: EntrySizes | undefined, b: EntrySizes | undefined): EntrySizes | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { container: a.container, key: union(a.key, b.key), value: union(a.value, b.value) };
}

function sizeOfExpr(expr: Expr): Range | undefined {
  switch (expr.kind) {
    case "literal":
      if (expr.literal.type === "string") return fixed(lengthOf(expr.literal.value));
      return fixed(expr.literal.type === "bytes" ? expr.literal.value.length : 1);
    case "list":
      return fixed(expr.elements.length);
    case "map":
      return fixed(expr.entries.length);
    default:
      return undefined;
  }
}

function isScalar(type: CelType): boolean {
  if (type.kind === "opaque") return type.name === "optional_type" && isScalar(type.params[0] ?? DYN);
  return ["bool", "double", "duration", "int", "timestamp", "uint"].includes(type.kind);
}

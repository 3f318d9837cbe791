import { FairleadError } from "@fairlead/base";
import type { Result } from "../value/value.js";

/** An evaluation costs more than it may. */
export class CostExceeded extends FairleadError {
  constructor() {
    super("CelCost", "operation cancelled: actual cost limit exceeded");
  }
}

/** The values of variables; undefined for one that there is not. */
export type Variables = (name: string) => Result | undefined;

/** One run of an expression: what it may name, and what it has cost. */
export class Frame {
  readonly variable: Variables;
  readonly limit: number;
  /** The variables of loops, each at the place that it was given beforehand. */
  readonly locals: Result[] = [];
  cost = 0;

  constructor(variable: Variables, limit: number) {
    this.variable = variable;
    this.limit = limit;
  }

  /** @throws CostExceeded */
  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.limit) throw new CostExceeded();
  }
}

/** A node, ready to run. */
export type Step = (frame: Frame) => Result;

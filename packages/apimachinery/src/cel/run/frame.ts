import { FairleadError } from "@fairlead/base";
import type { Result } from "../value/value.js";

/** An evaluation costs more than it may. */
export class CostExceeded extends FairleadError {
  constructor() {
    super("CelCost", "operation cancelled: actual cost limit exceeded");
  }
}

/** An evaluation takes longer than it may without a pause. It is nobody's failure: it is begun again, in slices. */
export class SliceSpent extends Error {}

/** The values of variables; undefined for one that there is not. */
export type Variables = (name: string) => Result | undefined;

/** What a unit of cost stands for in work, of which Sliced tells the unit: most take less, parsing a time takes more. */
const WORK_PER_COST = 4;

/** One run of an expression: what it may name, and what it has cost. */
export class Frame {
  readonly variable: Variables;
  /** The variables of loops, each at the place that it was given beforehand. */
  readonly locals: Result[] = [];
  readonly #limit: number;
  readonly #mostWork: number;
  #cost = 0;
  #more = 0;

  /**
   * @param limit - What the run may cost.
   * @param mostWork - How much work it may be; no limit where it pauses itself.
   */
  constructor(variable: Variables, limit: number, mostWork: number = Infinity) {
    this.variable = variable;
    this.#limit = limit;
    this.#mostWork = mostWork;
  }

  get cost(): number {
    return this.#cost;
  }

  /** How much work the run has been. */
  get work(): number {
    return this.#cost * WORK_PER_COST + this.#more;
  }

  /** @throws CostExceeded or SliceSpent */
  charge(cost: number): void {
    this.#cost += cost;
    if (this.#cost > this.#limit) throw new CostExceeded();
    if (this.#cost * WORK_PER_COST + this.#more > this.#mostWork) throw new SliceSpent();
  }

  /** Counts work that costs nothing: what Kubernetes takes for little, and is not. @throws SliceSpent */
  did(work: number): void {
    this.#more += work;
    if (this.work > this.#mostWork) throw new SliceSpent();
  }
}

/** A node, ready to run. */
export type Step = (frame: Frame) => Result;

import { CelError, MOST_WEIGHT, TOO_HEAVY, weightOf, type CelList, type Result, type Value } from "./value.js";

/**
 * A list that an expression made. Lists grow out of each other at their ends, as in a loop that collects: they share one
 * array as long as nobody else has grown there, so each step takes the same time.
 */
export class ValueList implements CelList {
  readonly kind = "list";
  readonly length: number;
  readonly weight: number;
  readonly #items: Value[];

  constructor(items: Value[], { length = items.length, weight }: { length?: number; weight?: number } = {}) {
    this.#items = items;
    this.length = length;
    this.weight = weight ?? 1 + weightOfAll(items);
  }

  at(index: number): Value {
    return this.#items[index] as Value;
  }

  /** The list with more elements behind. */
  append(values: readonly Value[]): ValueList {
    const items = this.#items.length === this.length ? this.#items : this.#items.slice(0, this.length);
    for (const value of values) items.push(value);
    return new ValueList(items, { length: this.length + values.length, weight: this.weight + weightOfAll(values) });
  }
}

function weightOfAll(values: readonly Value[]): number {
  let weight = 0;
  for (const value of values) weight += weightOf(value);
  return weight;
}

/** A list of values unless it is too heavy. */
export function listOfValues(values: Value[]): ValueList | CelError {
  const list = new ValueList(values);
  return list.weight > MOST_WEIGHT ? TOO_HEAVY : list;
}

/** All elements, or the first failure among them. */
export function elementsOf(list: CelList): readonly Value[] | CelError {
  const out: Value[] = [];
  for (let i = 0; i < list.length; i++) {
    const element = list.at(i);
    if (element instanceof CelError) return element;
    out.push(element);
  }
  return out;
}

/** `a + b`. */
export function concat(a: CelList, b: CelList): Result {
  if (a.weight + b.weight > MOST_WEIGHT) return TOO_HEAVY;
  if (a.concat !== undefined) return a.concat(b);
  const more = elementsOf(b);
  if (more instanceof CelError) return more;
  if (a instanceof ValueList) return a.append(more);
  const items = elementsOf(a);
  return items instanceof CelError ? items : new ValueList([...items, ...more]);
}

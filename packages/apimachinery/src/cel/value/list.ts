import { CelError, type CelList, type Result, type Value } from "./value.js";

/**
 * A list that an expression made. Lists grow out of each other at their ends, as in a loop that collects: they share one
 * array as long as nobody else has grown there, so each step takes the same time.
 */
export class ValueList implements CelList {
  readonly kind = "list";
  readonly length: number;
  readonly #items: Value[];

  constructor(items: Value[], length: number = items.length) {
    this.#items = items;
    this.length = length;
  }

  at(index: number): Value {
    return this.#items[index] as Value;
  }

  /** The list with more elements behind. */
  append(values: readonly Value[]): ValueList {
    const items = this.#items.length === this.length ? this.#items : this.#items.slice(0, this.length);
    for (const value of values) items.push(value);
    return new ValueList(items);
  }
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
  if (a.concat !== undefined) return a.concat(b);
  const more = elementsOf(b);
  if (more instanceof CelError) return more;
  if (a instanceof ValueList) return a.append(more);
  const items = elementsOf(a);
  return items instanceof CelError ? items : new ValueList([...items, ...more]);
}

import { CelError, MOST_WEIGHT, TOO_HEAVY, Uint, weightOf, type CelMap, type Result, type Value } from "./value.js";

interface Entry {
  readonly key: Value;
  readonly value: Value;
  readonly index: number;
}

type Store = Map<string | bigint | boolean | number, Entry>;

/**
 * A map that an expression made. Like lists they share what they have in common: a map is the first entries of a store,
 * and one that grows by a key shares the store as long as nobody else has grown it.
 */
export class ValueMap implements CelMap {
  readonly kind = "map";
  readonly size: number;
  readonly weight: number;
  readonly #store: Store;
  #keys: readonly Value[] | undefined;

  private constructor(store: Store, size: number, weight: number) {
    this.#store = store;
    this.size = size;
    this.weight = weight;
  }

  /** Of equal keys the last one counts. */
  static of(entries: readonly (readonly [key: Value, value: Value])[]): ValueMap | CelError {
    const store: Store = new Map();
    let weight = 1;
    for (const [key, value] of entries) {
      const name = normalKey(key);
      if (name === undefined) continue;
      store.set(name, { key, value, index: store.get(name)?.index ?? store.size });
      weight += weightOf(key) + weightOf(value);
    }
    return weight > MOST_WEIGHT ? TOO_HEAVY : new ValueMap(store, store.size, weight);
  }

  #entry(key: Value): Entry | undefined {
    const name = normalKey(key);
    const entry = name === undefined ? undefined : this.#store.get(name);
    return entry !== undefined && entry.index < this.size ? entry : undefined;
  }

  get(key: Value): Value | undefined {
    return this.#entry(key)?.value;
  }

  field(name: string): Value | undefined {
    return this.get(name);
  }

  keys(): readonly Value[] {
    return (this.#keys ??= [...this.#store.values()]
      .filter((entry) => entry.index < this.size)
      .map((entry) => entry.key));
  }

  /** The map with one more key. */
  insert(key: Value, value: Value): ValueMap | CelError {
    const name = normalKey(key);
    if (name === undefined) return new CelError("unsupported key type");
    if (this.#entry(key) !== undefined) return new CelError(`insert failed: key ${showKey(key)} already exists`);
    const weight = this.weight + weightOf(key) + weightOf(value);
    if (weight > MOST_WEIGHT) return TOO_HEAVY;
    let store = this.#store;
    if (store.size !== this.size || store.has(name))
      store = new Map([...store].filter(([, entry]) => entry.index < this.size));
    store.set(name, { key, value, index: this.size });
    return new ValueMap(store, this.size + 1, weight);
  }
}

/** Keys that are equal have one form: numbers of all kinds are equal when their values are. */
export function normalKey(key: Value): string | bigint | boolean | number | undefined {
  if (key instanceof Uint) return key.value;
  if (typeof key === "number") return Number.isInteger(key) ? BigInt(key) : key;
  return typeof key === "string" || typeof key === "bigint" || typeof key === "boolean" ? key : undefined;
}

/** A key as messages name it. */
export function showKey(key: Result): string {
  if (key instanceof Uint) return String(key.value);
  return String(key);
}

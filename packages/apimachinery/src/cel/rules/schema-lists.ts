// Lists that are sets, or whose items have keys: what they hold counts, not its order
// (apiserver: pkg/cel/common/valuesunstructured.go).
import { equal } from "../value/compare.js";
import { elementsOf, ValueList } from "../value/list.js";
import { normalKey } from "../value/map.js";
import {
  CelError,
  Duration,
  isList,
  isMap,
  NO_SUCH_OVERLOAD,
  Timestamp,
  typeName,
  type CelList,
  type CelMap,
  type Result,
  type Value,
} from "../value/value.js";
import { escapeName } from "./escape.js";

/** The name of a value among the others of a set; undefined for what cannot be a set's element. */
function elementName(value: Value): string | undefined {
  const key = normalKey(value);
  if (key !== undefined) return `${typeof key} ${String(key)}`;
  if (value === null) return "null";
  if (value instanceof Timestamp || value instanceof Duration) return `${typeName(value)} ${value.ns}`;
  if (value instanceof Uint8Array) return `bytes ${value.join()}`;
  const parts = isList(value) ? elementsOf(value) : isMap(value) ? entriesOf(value) : undefined;
  if (parts === undefined || parts instanceof CelError) return undefined;
  const names = parts.map(elementName);
  if (names.includes(undefined)) return undefined;
  return JSON.stringify([isMap(value), ...(isMap(value) ? pairs(names) : names)]);
}

function entriesOf(map: CelMap): readonly Value[] | CelError {
  const out: Value[] = [];
  for (const key of map.keys()) {
    const value = map.get(key) as Result;
    if (value instanceof CelError) return value;
    out.push(key, value);
  }
  return out;
}

function pairs(names: readonly (string | undefined)[]): readonly string[] {
  const out: string[] = [];
  for (let i = 0; i < names.length; i += 2) out.push(JSON.stringify([names[i], names[i + 1]]));
  return out.sort();
}

/** A set: the order of its elements does not count, and adding to it adds what is not there yet. */
export class SetList implements CelList {
  readonly kind = "list";
  readonly #list: CelList;

  /** @param list - The elements, in their order. */
  constructor(list: CelList) {
    this.#list = list;
  }

  get length(): number {
    return this.#list.length;
  }

  get weight(): number {
    return this.#list.weight;
  }

  at(index: number): Result {
    return this.#list.at(index);
  }

  equals(other: CelList): boolean | CelError {
    if (this.length !== other.length) return false;
    const [own, others] = [names(this), names(other)];
    if (own instanceof CelError) return own;
    if (others instanceof CelError) return others;
    return own.size === others.size && [...own].every((name) => others.has(name));
  }

  concat(other: CelList): Result {
    const [own, more, known] = [elementsOf(this), elementsOf(other), names(this)];
    if (own instanceof CelError) return own;
    if (more instanceof CelError) return more;
    if (known instanceof CelError) return known;
    return new ValueList([...own, ...more.filter((element) => !known.has(elementName(element) ?? ""))]);
  }
}

function names(list: CelList): ReadonlySet<string> | CelError {
  const elements = elementsOf(list);
  if (elements instanceof CelError) return elements;
  const out = new Set<string>();
  for (const element of elements) {
    const name = elementName(element);
    if (name === undefined) return NO_SUCH_OVERLOAD;
    out.add(name);
  }
  return out;
}

/** A list whose items are told apart by keys: their order does not count, and adding an item replaces that of its keys. */
export class KeyedList implements CelList {
  readonly kind = "list";
  readonly #list: CelList;
  readonly #keys: readonly string[];

  /** @param keys - The properties that tell items apart. */
  constructor(list: CelList, keys: readonly string[]) {
    this.#list = list;
    this.#keys = keys.map((key) => escapeName(key) ?? key);
  }

  get length(): number {
    return this.#list.length;
  }

  get weight(): number {
    return this.#list.weight;
  }

  at(index: number): Result {
    return this.#list.at(index);
  }

  /** What tells an item from the others. */
  #name(item: Value): string {
    if (!isMap(item)) return "";
    return JSON.stringify(
      this.#keys.map((key) => {
        const value = item.field(key);
        return value === undefined || value instanceof CelError ? null : (elementName(value) ?? null);
      }),
    );
  }

  #byName(list: CelList): ReadonlyMap<string, Value> | CelError {
    const elements = elementsOf(list);
    if (elements instanceof CelError) return elements;
    return new Map(elements.map((element) => [this.#name(element), element]));
  }

  equals(other: CelList): boolean | CelError {
    if (this.length !== other.length) return false;
    const [own, others] = [this.#byName(this), this.#byName(other)];
    if (own instanceof CelError) return own;
    if (others instanceof CelError) return others;
    for (const [name, item] of others) {
      const mine = own.get(name);
      if (mine === undefined) return false;
      const same = equal(mine, item);
      if (same !== true) return same;
    }
    return own.size === others.size;
  }

  concat(other: CelList): Result {
    const [own, more] = [this.#byName(this), this.#byName(other)];
    if (own instanceof CelError) return own;
    if (more instanceof CelError) return more;
    return new ValueList([...new Map([...own, ...more]).values()]);
  }
}

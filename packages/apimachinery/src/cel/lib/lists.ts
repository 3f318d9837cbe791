// Functions of lists (apiserver: pkg/cel/library/lists.go; cel-go: ext/lists.go, version 3, and ext/sets.go).
import { declare, global, member, type Implementation, type Library, type Overload } from "../check/declarations.js";
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  param,
  STRING,
  TIMESTAMP,
  UINT,
  type CelType,
} from "../check/types.js";
import { compare, contains, equal } from "../value/compare.js";
import { elementsOf, ValueList } from "../value/list.js";
import { CelError, Duration, isList, typeName, Uint, type CelList, type Result, type Value } from "../value/value.js";
import { addValues } from "./operators.js";

const T = param("T");
const LIST = listOf(T);

const COMPARABLE: readonly (readonly [name: string, type: CelType])[] = [
  ["int", INT],
  ["uint", UINT],
  ["double", DOUBLE],
  ["bool", BOOL],
  ["duration", DURATION],
  ["timestamp", TIMESTAMP],
  ["string", STRING],
  ["bytes", BYTES],
];

const ZEROES: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["int", 0n],
  ["uint", new Uint(0n)],
  ["double", 0],
  ["duration", new Duration(0n)],
]);

/** A function of the elements, once they are all there. */
function onElements(run: (elements: readonly Value[]) => Result): Implementation {
  return (list: CelList) => {
    const elements = elementsOf(list);
    return elements instanceof CelError ? elements : run(elements);
  };
}

function isSorted(elements: readonly Value[]): Result {
  for (let i = 1; i < elements.length; i++) {
    const order = compare(elements[i - 1] as Value, elements[i] as Value);
    if (!(order instanceof CelError) && order > 0) return false;
  }
  return true;
}

function sumFrom(zero: Value): (elements: readonly Value[]) => Result {
  return (elements) => {
    let sum: Value = zero;
    for (const element of elements) {
      const next = addValues(sum, element);
      if (next instanceof CelError) return next;
      sum = next;
    }
    return sum;
  };
}

function extreme(name: string, better: (order: number) => boolean): (elements: readonly Value[]) => Result {
  return (elements) => {
    let best = elements[0];
    if (best === undefined) return new CelError(`${name} called on empty list`);
    for (const element of elements) {
      const order = compare(element, best);
      if (!(order instanceof CelError) && better(order)) best = element;
    }
    return best;
  };
}

function indexOf(list: CelList, wanted: Value): Result {
  for (let i = 0; i < list.length; i++) if (isAt(list, i, wanted)) return BigInt(i);
  return -1n;
}

function lastIndexOf(list: CelList, wanted: Value): Result {
  for (let i = list.length - 1; i >= 0; i--) if (isAt(list, i, wanted)) return BigInt(i);
  return -1n;
}

function isAt(list: CelList, index: number, wanted: Value): boolean {
  const element = list.at(index);
  return !(element instanceof CelError) && equal(element, wanted) === true;
}

function slice(list: CelList, start: bigint, end: bigint): Result {
  const what = `cannot slice(${start}, ${end})`;
  if (start < 0n || end < 0n) return new CelError(`${what}, negative indexes not supported`);
  if (start > end) return new CelError(`${what}, start index must be less than or equal to end index`);
  if (BigInt(list.length) < end) return new CelError(`${what}, list is length ${list.length}`);
  const out: Value[] = [];
  for (let i = Number(start); i < Number(end); i++) {
    const element = list.at(i);
    if (element instanceof CelError) return element;
    out.push(element);
  }
  return new ValueList(out);
}

function flatten(list: CelList, depth = 1n): Result {
  if (depth < 0n) return new CelError("level must be non-negative");
  const out: Value[] = [];
  const add = (from: CelList, left: bigint): CelError | undefined => {
    const elements = elementsOf(from);
    if (elements instanceof CelError) return elements;
    for (const element of elements) {
      if (!isList(element) || left === 0n) out.push(element);
      else {
        const error = add(element, left - 1n);
        if (error !== undefined) return error;
      }
    }
    return undefined;
  };
  return add(list, depth) ?? new ValueList(out);
}

function distinct(elements: readonly Value[]): Result {
  const out: Value[] = [];
  for (const element of elements) if (!out.some((other) => equal(element, other) === true)) out.push(element);
  return new ValueList(out);
}

/** The elements in the order of their keys; those of equal keys stay as they are. */
function sortBy(list: CelList, by: CelList): Result {
  const [elements, keys] = [elementsOf(list), elementsOf(by)];
  if (elements instanceof CelError) return elements;
  if (keys instanceof CelError) return keys;
  if (elements.length !== keys.length) {
    const sizes = `${elements.length} and ${keys.length} elements respectively`;
    return new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${sizes}`,
    );
  }
  const [first] = keys;
  if (first === undefined) return list;
  if (compare(first, first) instanceof CelError && typeof first !== "number")
    return new CelError("list elements must be comparable");
  if (keys.some((key) => typeName(key) !== typeName(first)))
    return new CelError("list elements must have the same type");
  const order = keys.map((_, i) => i);
  order.sort((a, b) => {
    const difference = compare(keys[a] as Value, keys[b] as Value);
    return difference instanceof CelError ? 0 : difference;
  });
  return new ValueList(order.map((i) => elements[i] as Value));
}

/** The most elements of a range; more than any budget pays for. */
const MOST_ELEMENTS = 4_000_000n;

function range(count: bigint): Result {
  if (count > MOST_ELEMENTS) return new CelError(`lists.range: more than ${MOST_ELEMENTS} elements`);
  return new ValueList(Array.from({ length: Math.max(0, Number(count)) }, (_, i) => BigInt(i)));
}

function containsAll(list: CelList, part: CelList): Result {
  const elements = elementsOf(part);
  if (elements instanceof CelError) return elements;
  for (const element of elements) {
    const found = contains(list, element);
    if (found !== true) return found;
  }
  return true;
}

function intersects(a: CelList, b: CelList): Result {
  const elements = elementsOf(a);
  return elements instanceof CelError ? elements : elements.some((element) => contains(b, element) === true);
}

function equivalent(a: CelList, b: CelList): Result {
  const one = containsAll(a, b);
  return one === true ? containsAll(b, a) : one;
}

const perType = (make: (name: string, type: CelType) => Overload): readonly Overload[] =>
  COMPARABLE.map(([name, type]) => make(name, type));

const summed = COMPARABLE.flatMap(([name, type]) => {
  const zero = ZEROES.get(name);
  return zero === undefined
    ? []
    : [member(`list_${name}_sum_${name}`, [listOf(type)], type, onElements(sumFrom(zero)))];
});

export const LISTS_LIBRARY: Library = [
  declare(
    "isSorted",
    ...perType((n, t) => member(`list_${n}_is_sorted_bool`, [listOf(t)], BOOL, onElements(isSorted))),
  ),
  declare("sum", ...summed),
  declare(
    "max",
    ...perType((n, t) =>
      member(`list_${n}_max_${n}`, [listOf(t)], t, onElements(extreme("max", (order) => order > 0))),
    ),
  ),
  declare(
    "min",
    ...perType((n, t) =>
      member(`list_${n}_min_${n}`, [listOf(t)], t, onElements(extreme("min", (order) => order < 0))),
    ),
  ),
  declare("indexOf", member("list_a_index_of_int", [LIST, T], INT, indexOf)),
  declare("lastIndexOf", member("list_a_last_index_of_int", [LIST, T], INT, lastIndexOf)),
  declare("slice", member("list_slice", [LIST, INT, INT], LIST, slice)),
  declare(
    "flatten",
    member("list_flatten", [listOf(LIST)], LIST, (list: CelList) => flatten(list)),
    member("list_flatten_int", [listOf(DYN), INT], listOf(DYN), flatten),
  ),
  declare(
    "sort",
    ...perType((n, t) => member(`list_${n}_sort`, [listOf(t)], listOf(t), (list: CelList) => sortBy(list, list))),
  ),
  declare(
    "@sortByAssociatedKeys",
    ...perType((n, t) => member(`list_${n}_sortByAssociatedKeys`, [LIST, listOf(t)], LIST, sortBy)),
  ),
  declare("lists.range", global("lists_range", [INT], listOf(INT), range)),
  declare(
    "reverse",
    member(
      "list_reverse",
      [LIST],
      LIST,
      onElements((elements) => new ValueList([...elements].reverse())),
    ),
  ),
  declare("distinct", member("list_distinct", [LIST], LIST, onElements(distinct))),
];

export const SETS_LIBRARY: Library = [
  declare("sets.contains", global("list_sets_contains_list", [LIST, LIST], BOOL, containsAll)),
  declare("sets.equivalent", global("list_sets_equivalent_list", [LIST, LIST], BOOL, equivalent)),
  declare("sets.intersects", global("list_sets_intersects_list", [LIST, LIST], BOOL, intersects)),
];

// Values that may be absent (cel-go: OptionalTypes of cel/library.go), and maps that loops make (ext/comprehensions.go).
import { declare, global, member, type Library } from "../check/declarations.js";
import { BOOL, DYN, INT, listOf, mapOf, optionalOf, param, STRING } from "../check/types.js";
import { elementsOf, ValueList } from "../value/list.js";
import type { ValueMap } from "../value/map.js";
import {
  CelError,
  Duration,
  isList,
  isMap,
  NONE,
  Optional,
  Timestamp,
  Uint,
  type CelList,
  type CelMap,
  type Result,
  type Value,
} from "../value/value.js";

const K = param("K");
const V = param("V");
const OPTIONAL = optionalOf(V);
const LIST = listOf(V);
const MAP = mapOf(K, V);

function isZero(value: Value): boolean {
  if (value === null || value === false || value === "" || value === 0n || value === 0) return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.ns === 0n;
  if (value instanceof Timestamp) return value.ns === -62_135_596_800_000_000_000n;
  if (value instanceof Optional) return value.value === undefined;
  if (value instanceof Uint8Array || isList(value)) return value.length === 0;
  return isMap(value) && value.size === 0;
}

function valueOf({ value }: Optional): Result {
  return value === undefined ? new CelError("optional.none() dereference") : value;
}

function elementAt(list: CelList, index: number): Result {
  const element = index < 0 ? NONE : list.at(index);
  return element instanceof CelError || element === NONE ? element : new Optional(element);
}

function unwrap(list: CelList): Result {
  const elements = elementsOf(list);
  if (elements instanceof CelError) return elements;
  const out: Value[] = [];
  for (const element of elements) {
    if (!(element instanceof Optional)) return new CelError("value is not optional");
    if (element.value !== undefined) out.push(element.value);
  }
  return new ValueList(out);
}

function insertAll(map: ValueMap, more: CelMap): Result {
  let made: ValueMap = map;
  for (const key of more.keys()) {
    const value = more.get(key) as Result;
    if (value instanceof CelError) return value;
    const next = made.insert(key, value);
    if (next instanceof CelError) return next;
    made = next;
  }
  return made;
}

export const OPTIONALS_LIBRARY: Library = [
  declare(
    "optional.of",
    global("optional_of", [V], OPTIONAL, (value: Value) => new Optional(value)),
  ),
  declare(
    "optional.ofNonZeroValue",
    global("optional_ofNonZeroValue", [V], OPTIONAL, (value: Value) => (isZero(value) ? NONE : new Optional(value))),
  ),
  declare(
    "optional.none",
    global("optional_none", [], OPTIONAL, () => NONE),
  ),
  declare("value", member("optional_value", [OPTIONAL], V, valueOf)),
  declare(
    "hasValue",
    member("optional_hasValue", [OPTIONAL], BOOL, ({ value }: Optional) => value !== undefined),
  ),
  // The evaluation looks at the second operand only when it is needed.
  declare("or", member("optional_or_optional", [OPTIONAL, OPTIONAL], OPTIONAL)),
  declare("orValue", member("optional_orValue_value", [OPTIONAL, V], V)),
  declare("_?._", global("select_optional_field", [DYN, STRING], OPTIONAL)),
  declare(
    "_[?_]",
    global("list_optindex_optional_int", [LIST, INT], OPTIONAL),
    global("optional_list_optindex_optional_int", [optionalOf(LIST), INT], OPTIONAL),
    global("map_optindex_optional_value", [MAP, K], OPTIONAL),
    global("optional_map_optindex_optional_value", [optionalOf(MAP), K], OPTIONAL),
  ),
  declare(
    "_[_]",
    global("optional_list_index_int", [optionalOf(LIST), INT], OPTIONAL),
    global("optional_map_index_value", [optionalOf(MAP), K], OPTIONAL),
  ),
  declare(
    "first",
    member("list_first", [LIST], OPTIONAL, (list: CelList) => elementAt(list, list.length === 0 ? -1 : 0)),
  ),
  declare(
    "last",
    member("list_last", [LIST], OPTIONAL, (list: CelList) => elementAt(list, list.length - 1)),
  ),
  declare("optional.unwrap", global("optional_unwrap", [listOf(OPTIONAL)], LIST, unwrap)),
  declare("unwrapOpt", member("optional_unwrapOpt", [listOf(OPTIONAL)], LIST, unwrap)),
  declare(
    "cel.@mapInsert",
    global("@mapInsert_map_key_value", [MAP, K, V], MAP, (map: ValueMap, key: Value, value: Value) =>
      map.insert(key, value),
    ),
    global("@mapInsert_map_map", [MAP, MAP], MAP, insertAll),
  ),
];

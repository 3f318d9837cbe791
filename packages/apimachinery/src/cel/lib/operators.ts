// Operators, in the order of cel-go (common/stdlib/standard.go). Each has one implementation that looks at its operands,
// since what cannot be known before may turn out to be anything.
import { declare, global, member, type FunctionDeclaration, type Library } from "../check/declarations.js";
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  listOf,
  mapOf,
  param,
  STRING,
  TIMESTAMP,
  UINT,
  type CelType,
} from "../check/types.js";
import { compare, contains } from "../value/compare.js";
import { concat } from "../value/list.js";
import { showKey } from "../value/map.js";
import { int, INT_OVERFLOW, uint } from "../value/number.js";
import { lengthOf } from "../value/text.js";
import { duration, timestamp } from "../value/time.js";
import {
  CelError,
  Duration,
  isList,
  isMap,
  NO_SUCH_OVERLOAD,
  Timestamp,
  typeName,
  Uint,
  type Result,
  type Value,
} from "../value/value.js";

const A = param("A");
const B = param("B");
const LIST = listOf(A);
const MAP = mapOf(A, B);

type Binary = (a: Value, b: Value) => Result;

function operator(
  name: string,
  run: Binary,
  overloads: readonly (readonly [id: string, a: CelType, b: CelType, result: CelType])[],
): FunctionDeclaration {
  return {
    name,
    overloads: overloads.map(([id, a, b, result]) => global(id, [a, b], result)),
    run: (...args) => run(...(args as readonly [Value, Value])),
  };
}

/** What an operator says to operands that it does not know: by its name unless the first has such an operator at all. */
export function noOverload(name: string, ...args: readonly Value[]): CelError {
  return new CelError(`no such overload: ${name}(${args.map(typeName).join(", ")})`);
}

/** `a + b`. */
export function addValues(a: Value, b: Value): Result {
  if (typeof a === "bigint" && typeof b === "bigint") return int(a + b);
  if (typeof a === "string" && typeof b === "string") return a + b;
  if (typeof a === "number" && typeof b === "number") return a + b;
  if (a instanceof Uint && b instanceof Uint) return uint(a.value + b.value);
  if (isList(a) && isList(b)) return concat(a, b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return joined(a, b);
  if (a instanceof Duration && b instanceof Duration) return duration(a.ns + b.ns);
  if (a instanceof Duration && b instanceof Timestamp) return timestamp(a.ns + b.ns);
  if (a instanceof Timestamp && b instanceof Duration) return timestamp(a.ns + b.ns);
  return unknownOperands("_+_", a, b);
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const out = new Uint8Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}

function subtract(a: Value, b: Value): Result {
  if (typeof a === "bigint" && typeof b === "bigint") return int(a - b);
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (a instanceof Uint && b instanceof Uint) return uint(a.value - b.value);
  if (a instanceof Duration && b instanceof Duration) return duration(a.ns - b.ns);
  if (a instanceof Timestamp && b instanceof Timestamp) return duration(a.ns - b.ns);
  if (a instanceof Timestamp && b instanceof Duration) return timestamp(a.ns - b.ns);
  return unknownOperands("_-_", a, b);
}

function multiply(a: Value, b: Value): Result {
  if (typeof a === "bigint" && typeof b === "bigint") return int(a * b);
  if (typeof a === "number" && typeof b === "number") return a * b;
  if (a instanceof Uint && b instanceof Uint) return uint(a.value * b.value);
  return unknownOperands("_*_", a, b);
}

function divide(a: Value, b: Value): Result {
  if (typeof a === "number" && typeof b === "number") return a / b;
  if (typeof a === "bigint" && typeof b === "bigint") return b === 0n ? new CelError("division by zero") : int(a / b);
  if (a instanceof Uint && b instanceof Uint)
    return b.value === 0n ? new CelError("division by zero") : new Uint(a.value / b.value);
  return unknownOperands("_/_", a, b);
}

function modulo(a: Value, b: Value): Result {
  if (typeof a === "bigint" && typeof b === "bigint") {
    if (b === 0n) return new CelError("modulus by zero");
    return b === -1n && int(-a) instanceof CelError ? INT_OVERFLOW : a % b;
  }
  if (a instanceof Uint && b instanceof Uint)
    return b.value === 0n ? new CelError("modulus by zero") : new Uint(a.value % b.value);
  return unknownOperands("_%_", a, b);
}

function negate(a: Value): Result {
  if (typeof a === "bigint") return int(-a);
  if (typeof a === "number") return -a;
  return a instanceof Duration ? duration(-a.ns) : noOverload("-_", a);
}

const ARITHMETIC: ReadonlyMap<string, readonly string[]> = new Map([
  [
    "_+_",
    ["bytes", "double", "google.protobuf.Duration", "google.protobuf.Timestamp", "int", "list", "string", "uint"],
  ],
  ["_-_", ["double", "google.protobuf.Duration", "google.protobuf.Timestamp", "int", "uint"]],
  ["_*_", ["double", "int", "uint"]],
  ["_/_", ["double", "int", "uint"]],
  ["_%_", ["int", "uint"]],
]);

function unknownOperands(name: string, a: Value, b: Value): CelError {
  return ARITHMETIC.get(name)?.includes(typeName(a)) === true ? NO_SUCH_OVERLOAD : noOverload(name, a, b);
}

const SAME: readonly (readonly [suffix: string, type: CelType])[] = [
  ["bool", BOOL],
  ["int64", INT],
  ["uint64", UINT],
  ["double", DOUBLE],
  ["string", STRING],
  ["bytes", BYTES],
  ["timestamp", TIMESTAMP],
  ["duration", DURATION],
];
const NUMBERS: readonly (readonly [suffix: string, type: CelType])[] = [
  ["int64", INT],
  ["uint64", UINT],
  ["double", DOUBLE],
];

function relation(name: string, id: string, holds: (order: number) => boolean): FunctionDeclaration {
  const run: Binary = (a, b) => {
    if (isList(a) || isMap(a) || a === null) return noOverload(name, a, b);
    const order = compare(a, b);
    return order instanceof CelError ? order : holds(order);
  };
  const mixed = NUMBERS.flatMap(([left, a]) =>
    NUMBERS.flatMap(([right, b]) => (left === right ? [] : [[`${id}_${left}_${right}`, a, b, BOOL] as const])),
  );
  return operator(name, run, [
    ...SAME.map(([suffix, type]) => [`${id}_${suffix}`, type, type, BOOL] as const),
    ...mixed,
  ]);
}

/** `list[i]` and `map[k]`. */
export function index(a: Value, b: Value): Result {
  if (isMap(a)) {
    const found = a.get(b);
    return found === undefined ? new CelError(`no such key: ${showKey(b)}`) : found;
  }
  if (!isList(a)) return noOverload("_[_]", a, b);
  const at = b instanceof Uint ? b.value : typeof b === "number" && Number.isInteger(b) ? BigInt(b) : b;
  if (typeof at !== "bigint") return new CelError(`unsupported index type '${typeName(b)}' in list`);
  return at >= 0n && at < BigInt(a.length) ? a.at(Number(at)) : new CelError(`index out of bounds: ${at}`);
}

function isIn(a: Value, b: Value): Result {
  if (isList(b)) return contains(b, a);
  if (!isMap(b)) return noOverload("@in", a, b);
  const found = b.get(a);
  return found instanceof CelError ? found : found !== undefined;
}

function size(a: Value): Result {
  if (typeof a === "string") return BigInt(lengthOf(a));
  if (isList(a) || a instanceof Uint8Array) return BigInt(a.length);
  return isMap(a) ? BigInt(a.size) : noOverload("size", a);
}

const SIZED: readonly (readonly [name: string, type: CelType])[] = [
  ["bytes", BYTES],
  ["list", LIST],
  ["map", MAP],
  ["string", STRING],
];

/** Operators of which the evaluation decides, not a function. */
const SPECIAL: Library = [
  declare("_?_:_", global("conditional", [BOOL, A, A], A)),
  declare("_&&_", global("logical_and", [BOOL, BOOL], BOOL)),
  declare("_||_", global("logical_or", [BOOL, BOOL], BOOL)),
  declare("@not_strictly_false", global("not_strictly_false", [BOOL], BOOL)),
  declare("_==_", global("equals", [A, A], BOOL)),
  declare("_!=_", global("not_equals", [A, A], BOOL)),
];

export const OPERATORS_LIBRARY: Library = [
  ...SPECIAL,
  {
    name: "!_",
    overloads: [global("logical_not", [BOOL], BOOL)],
    run: (...[a]) => (typeof a === "boolean" ? !a : NO_SUCH_OVERLOAD),
  },
  operator("_+_", addValues, [
    ["add_bytes", BYTES, BYTES, BYTES],
    ["add_double", DOUBLE, DOUBLE, DOUBLE],
    ["add_duration_duration", DURATION, DURATION, DURATION],
    ["add_duration_timestamp", DURATION, TIMESTAMP, TIMESTAMP],
    ["add_timestamp_duration", TIMESTAMP, DURATION, TIMESTAMP],
    ["add_int64", INT, INT, INT],
    ["add_list", LIST, LIST, LIST],
    ["add_string", STRING, STRING, STRING],
    ["add_uint64", UINT, UINT, UINT],
  ]),
  operator("_/_", divide, [
    ["divide_double", DOUBLE, DOUBLE, DOUBLE],
    ["divide_int64", INT, INT, INT],
    ["divide_uint64", UINT, UINT, UINT],
  ]),
  operator("_%_", modulo, [
    ["modulo_int64", INT, INT, INT],
    ["modulo_uint64", UINT, UINT, UINT],
  ]),
  operator("_*_", multiply, [
    ["multiply_double", DOUBLE, DOUBLE, DOUBLE],
    ["multiply_int64", INT, INT, INT],
    ["multiply_uint64", UINT, UINT, UINT],
  ]),
  {
    name: "-_",
    overloads: [global("negate_double", [DOUBLE], DOUBLE), global("negate_int64", [INT], INT)],
    run: (...args) => negate(args[0] as Value),
  },
  operator("_-_", subtract, [
    ["subtract_double", DOUBLE, DOUBLE, DOUBLE],
    ["subtract_duration_duration", DURATION, DURATION, DURATION],
    ["subtract_int64", INT, INT, INT],
    ["subtract_timestamp_duration", TIMESTAMP, DURATION, TIMESTAMP],
    ["subtract_timestamp_timestamp", TIMESTAMP, TIMESTAMP, DURATION],
    ["subtract_uint64", UINT, UINT, UINT],
  ]),
  relation("_<_", "less", (order) => order < 0),
  relation("_<=_", "less_equals", (order) => order <= 0),
  relation("_>_", "greater", (order) => order > 0),
  relation("_>=_", "greater_equals", (order) => order >= 0),
  operator("_[_]", index, [
    ["index_list", LIST, INT, A],
    ["index_map", MAP, A, B],
  ]),
  operator("@in", isIn, [
    ["in_list", A, LIST, BOOL],
    ["in_map", A, MAP, BOOL],
  ]),
  {
    name: "size",
    overloads: SIZED.flatMap(([name, type]) => [
      global(`size_${name}`, [type], INT),
      member(`${name}_size`, [type], INT),
    ]),
    run: (...args) => size(args[0] as Value),
  },
];

// Which overload fits the values that a function is called with (cel-go: common/decls).
import type { FunctionDeclaration, Overload } from "../check/declarations.js";
import type { CelType } from "../check/types.js";
import { noOverload } from "../lib/operators.js";
import {
  Duration,
  isList,
  isMap,
  isOpaque,
  NO_SUCH_OVERLOAD,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type CelError,
  type Result,
  type Value,
} from "../value/value.js";

/** Whether a value has a type, as far as it shows: what lists and maps hold is not looked at. */
export function hasType(value: Value, type: CelType): boolean {
  switch (type.kind) {
    case "dyn":
    case "param":
    case "error":
      return true;
    case "bool":
      return typeof value === "boolean";
    case "int":
      return typeof value === "bigint";
    case "double":
      return typeof value === "number";
    case "string":
      return typeof value === "string";
    case "null":
      return value === null;
    case "bytes":
      return value instanceof Uint8Array;
    case "uint":
      return value instanceof Uint;
    case "timestamp":
      return value instanceof Timestamp;
    case "duration":
      return value instanceof Duration;
    case "type":
      return value instanceof TypeValue;
    case "list":
      return isList(value);
    case "map":
      return isMap(value);
    case "opaque":
    case "struct":
      if (value instanceof Optional) return type.name === "optional_type";
      return isOpaque(value) ? value.celType === type.name : type.kind === "struct" && isMap(value);
  }
}

/** The first overload that the values fit. */
export function pickOverload(overloads: readonly Overload[], args: readonly Value[]): Overload | undefined {
  return overloads.find((each) => each.args.every((type, i) => hasType(args[i] as Value, type)));
}

/** Text functions do not tell which operands they refused. */
const TERSE: ReadonlySet<string> = new Set(["contains", "startsWith", "endsWith"]);

export function refuse(declaration: FunctionDeclaration, args: readonly Value[]): CelError {
  return TERSE.has(declaration.name) ? NO_SUCH_OVERLOAD : noOverload(declaration.name, ...args);
}

/** Runs an overload, or what its function does for all of them. */
export function invoke(declaration: FunctionDeclaration, overload: Overload, args: readonly Value[]): Result {
  if (overload.run !== undefined) return (overload.run as (...args: readonly Value[]) => Result)(...args);
  return declaration.run === undefined ? NO_SUCH_OVERLOAD : declaration.run(...args);
}

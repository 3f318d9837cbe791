import type { Result, Value } from "../value/value.js";
import type { CelType } from "./types.js";

/** One way to call a function. */
export interface Overload {
  /** As in cel-go: costs are looked up by it. */
  readonly id: string;
  /** Whether it is called on its first argument. */
  readonly member: boolean;
  readonly args: readonly CelType[];
  readonly result: CelType;
  /** The names of its type parameters. */
  readonly params: readonly string[];
  /** Absent where the function has one implementation for all, and for what is no function but part of the language. */
  readonly run?: Implementation;
}

/** What a function does. It is only ever given values of the types that it is declared with. */
export type Implementation = (...args: never[]) => Result;

/** All that can be called by one name. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** One implementation for all overloads; it looks at its operands itself. */
  readonly run?: (...args: readonly Value[]) => Result;
}

/** A part of the functions. */
export type Library = readonly FunctionDeclaration[];

/** What expressions may name: functions, and constants such as types. */
export interface Declarations {
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly types: ReadonlyMap<string, CelType>;
}

/** One name for the overloads of several libraries. */
export function mergeLibraries(...libraries: readonly Library[]): ReadonlyMap<string, FunctionDeclaration> {
  const merged = new Map<string, FunctionDeclaration>();
  for (const each of libraries.flat()) {
    const before = merged.get(each.name);
    merged.set(
      each.name,
      before === undefined ? each : { ...before, ...each, overloads: [...before.overloads, ...each.overloads] },
    );
  }
  return merged;
}

/** A function that is called with its arguments in parentheses. */
export function global(id: string, args: readonly CelType[], result: CelType, run?: Implementation): Overload {
  const params = [...new Set([...args, result].flatMap(paramNames))];
  return { id, member: false, args, result, params, ...(run === undefined ? {} : { run }) };
}

/** A function that is called on its first argument. */
export function member(id: string, args: readonly CelType[], result: CelType, run?: Implementation): Overload {
  return { ...global(id, args, result, run), member: true };
}

export function declare(name: string, ...overloads: readonly Overload[]): FunctionDeclaration {
  return { name, overloads };
}

function paramNames(type: CelType): readonly string[] {
  return type.kind === "param" ? [type.name] : type.params.flatMap(paramNames);
}

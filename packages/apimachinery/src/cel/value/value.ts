// What expressions work on. Integers are bigints and doubles numbers, so the two cannot be confused; what JavaScript has no
// word for is a class. Failures are values too, since `&&`, `||` and the macros made of them may pass over them.

/** A value of an expression. */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | TypeValue
  | Optional
  | CelList
  | CelMap
  | Opaque;

/** A value, or why there is none. */
export type Result = Value | CelError;

/** What went wrong as an expression ran; the message is cel-go's. */
export class CelError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

export const NO_SUCH_OVERLOAD: CelError = new CelError("no such overload");

/** An unsigned 64-bit integer. */
export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** A point in time, in nanoseconds since 1970. */
export class Timestamp {
  readonly ns: bigint;

  constructor(ns: bigint) {
    this.ns = ns;
  }
}

/** A length of time in nanoseconds, of 64 bits. */
export class Duration {
  readonly ns: bigint;

  constructor(ns: bigint) {
    this.ns = ns;
  }
}

/** A type as a value: `int`, `list`, `google.protobuf.Timestamp`. */
export class TypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A value that may be absent. */
export class Optional {
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }
}

export const NONE: Optional = new Optional(undefined);

/** A value of a type that a library brings. */
export interface Opaque {
  /** The type's name, `kubernetes.Quantity`. */
  readonly celType: string;
  /** Whether another value of the same type is the same. */
  equals(other: Opaque): boolean;
  /** What a traversal of it costs, for those that have a size. */
  readonly size?: number;
}

/** A list. */
export interface CelList {
  readonly kind: "list";
  readonly length: number;
  /** @param index - Within the list. */
  at(index: number): Result;
  /** How many values it consists of, nested ones and itself included; a bound where that is not known. */
  readonly weight: number;
  /** Equality, where it is not element by element: lists that are sets or maps ignore the order. */
  equals?(other: CelList): boolean | CelError;
  /** The concatenation, where it is no plain one: sets and maps take each element once. */
  concat?(other: CelList): Result;
}

/** A map, or an object of which the fields are known. */
export interface CelMap {
  readonly kind: "map";
  readonly size: number;
  /** As that of a list. */
  readonly weight: number;
  /** Undefined for a key that is absent. */
  get(key: Value): Result | undefined;
  keys(): readonly Value[];
  /** The value of a field as expressions spell it: objects escape names. */
  field(name: string): Result | undefined;
  equals?(other: CelMap): boolean | CelError;
}

export function isList(value: Result): value is CelList {
  return typeof value === "object" && value !== null && (value as { kind?: unknown }).kind === "list";
}

export function isMap(value: Result): value is CelMap {
  return typeof value === "object" && value !== null && (value as { kind?: unknown }).kind === "map";
}

export function isOpaque(value: Result): value is Opaque {
  return typeof value === "object" && value !== null && "celType" in value;
}

/** How many values a value consists of; long texts count for several. */
export function weightOf(value: Result): number {
  if (typeof value === "string") return 1 + (value.length >> TEXT_SHIFT);
  if (typeof value !== "object" || value === null) return 1;
  if (isList(value) || isMap(value)) return value.weight;
  if (value instanceof Optional) return value.value === undefined ? 1 : 1 + weightOf(value.value);
  return value instanceof Uint8Array ? 1 + (value.length >> TEXT_SHIFT) : 1;
}

const TEXT_SHIFT = 6;

/**
 * What a list or map that an expression makes may weigh. Its parts may be shared, so that it takes little to make one
 * whose parts could never be counted.
 */
export const MOST_WEIGHT = 1_000_000;
export const TOO_HEAVY: CelError = new CelError(`a list or map of more than ${MOST_WEIGHT} values`);

/** The name of a value's type, as messages and `type()` have it. */
export function typeName(value: Value): string {
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "double";
    case "string":
      return "string";
    default:
  }
  if (value === null) return "null_type";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Uint) return "uint";
  if (value instanceof Timestamp) return "google.protobuf.Timestamp";
  if (value instanceof Duration) return "google.protobuf.Duration";
  if (value instanceof TypeValue) return "type";
  if (value instanceof Optional) return "optional_type";
  return isOpaque(value) ? value.celType : value.kind;
}

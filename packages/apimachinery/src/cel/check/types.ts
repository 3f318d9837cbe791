// The types of CEL (cel-go: common/types/types.go, checker/format.go).

/** A type. `opaque` are abstract types such as optionals; `param` stands for a type that is to be found. */
export interface CelType {
  readonly kind:
    | "bool"
    | "bytes"
    | "double"
    | "duration"
    | "dyn"
    | "error"
    | "int"
    | "list"
    | "map"
    | "null"
    | "opaque"
    | "param"
    | "string"
    | "struct"
    | "timestamp"
    | "type"
    | "uint";
  readonly name: string;
  readonly params: readonly CelType[];
}

const simple = (kind: CelType["kind"], name: string = kind): CelType => ({ kind, name, params: [] });

export const BOOL: CelType = simple("bool");
export const BYTES: CelType = simple("bytes");
export const DOUBLE: CelType = simple("double");
export const DURATION: CelType = simple("duration", "google.protobuf.Duration");
export const DYN: CelType = simple("dyn");
export const ERROR: CelType = simple("error", "!error!");
export const INT: CelType = simple("int");
export const NULL: CelType = simple("null", "null_type");
export const STRING: CelType = simple("string");
export const TIMESTAMP: CelType = simple("timestamp", "google.protobuf.Timestamp");
export const TYPE: CelType = simple("type");
export const UINT: CelType = simple("uint");

export function listOf(element: CelType): CelType {
  return { kind: "list", name: "list", params: [element] };
}

export function mapOf(key: CelType, value: CelType): CelType {
  return { kind: "map", name: "map", params: [key, value] };
}

export function typeOf(type: CelType): CelType {
  return { kind: "type", name: "type", params: [type] };
}

export function optionalOf(type: CelType): CelType {
  return opaque("optional_type", type);
}

export function opaque(name: string, ...params: readonly CelType[]): CelType {
  return { kind: "opaque", name, params };
}

export function param(name: string): CelType {
  return simple("param", name);
}

/** An object with fields; what they are is known by the type's name. */
export function structType(name: string): CelType {
  return simple("struct", name);
}

export function isOptional(type: CelType): boolean {
  return type.kind === "opaque" && type.name === "optional_type";
}

/** What an optional holds; any other type as it is. */
export function unwrapped(type: CelType): CelType {
  return isOptional(type) ? (type.params[0] ?? DYN) : type;
}

export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  return (
    a.kind === b.kind &&
    a.name === b.name &&
    a.params.length === b.params.length &&
    a.params.every((each, i) => sameType(each, b.params[i] ?? ERROR))
  );
}

/** A type as messages name it. */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case "duration":
    case "timestamp":
    case "null":
      return type.kind;
    default:
      return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(formatType).join(", ")})`;
  }
}

/** `string.(int, int)`: what a function was called with, its target in front. */
export function formatSignature(args: readonly CelType[], member: boolean): string {
  const [target, ...rest] = args;
  const listed = (types: readonly CelType[]): string => `(${types.map(formatType).join(", ")})`;
  return member && target !== undefined ? `${formatType(target)}.${listed(rest)}` : listed(args);
}

// Which types fit which, and what type parameters come to stand for (cel-go: checker/types.go).
import { DYN, isOptional, opaque, sameType, typeOf, type CelType } from "./types.js";

/** What type parameters have been found to be. */
export class Substitution {
  readonly #found = new Map<string, CelType>();
  /** What has been set since an attempt began, with what stood there before. */
  readonly #trail: (readonly [name: string, before: CelType | undefined])[] = [];

  get(name: string): CelType | undefined {
    return this.#found.get(name);
  }

  set(name: string, type: CelType): void {
    this.#trail.push([name, this.#found.get(name)]);
    this.#found.set(name, type);
  }

  /** Whether each `from` can fit its `to`; only then what that means for parameters is kept. */
  assign(from: readonly CelType[], to: readonly CelType[]): boolean {
    this.#trail.length = 0;
    if (from.length === to.length && from.every((type, i) => fits(this, type, to[i] ?? DYN))) return true;
    for (const [name, before] of this.#trail.reverse()) {
      if (before === undefined) this.#found.delete(name);
      else this.#found.set(name, before);
    }
    return false;
  }
}

/** What is known of type parameters, by name. */
interface Known {
  get(name: string): CelType | undefined;
}

function fits(known: Substitution, a: CelType, b: CelType): boolean {
  if (b.kind === "param") {
    const result = substituteFor(known, a, b);
    if (result.valid) return true;
    if (result.known) return false;
  }
  if (a.kind === "param") return substituteFor(known, b, a).valid;
  if (isDynOrError(a) || isDynOrError(b)) return true;
  if (a.kind === "null") return takesNull(b);
  if (b.kind === "null") return takesNull(a);
  if (a.kind !== b.kind) return false;
  switch (a.kind) {
    case "type":
      return true;
    case "opaque":
    case "list":
    case "map":
      return (
        a.name === b.name &&
        a.params.length === b.params.length &&
        a.params.every((each, i) => fits(known, each, b.params[i] ?? DYN))
      );
    default:
      return a.name === b.name;
  }
}

function isDynOrError(type: CelType): boolean {
  return type.kind === "dyn" || type.kind === "error";
}

function takesNull(type: CelType): boolean {
  return ["null", "opaque", "struct", "duration", "timestamp"].includes(type.kind);
}

/** Whether `type` may stand for a parameter; remembers it, the more general one of two. */
function substituteFor(
  known: Substitution,
  type: CelType,
  parameter: CelType,
): { readonly valid: boolean; readonly known: boolean } {
  if (sameType(type, parameter)) return { valid: true, known: true };
  const before = known.get(parameter.name);
  if (before !== undefined) {
    if (sameType(type, before)) return { valid: true, known: true };
    if (!fits(known, type, before)) return { valid: false, known: true };
    const general = mostGeneral(type, before);
    if (!occurs(known, parameter, general)) known.set(parameter.name, general);
    return { valid: true, known: true };
  }
  if (occurs(known, parameter, type)) return { valid: false, known: false };
  known.set(parameter.name, type);
  return { valid: true, known: false };
}

/** Of two types that fit each other the one that says less. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return saysNoMore(a, b) ? a : b;
}

function saysNoMore(a: CelType, b: CelType): boolean {
  if (a.kind === "dyn" || a.kind === "param") return true;
  if (b.kind === "dyn" || b.kind === "param" || a.kind !== b.kind) return false;
  switch (a.kind) {
    case "type":
      return true;
    case "opaque":
    case "list":
    case "map":
      return (
        a.name === b.name &&
        a.params.length === b.params.length &&
        a.params.every((each, i) => saysNoMore(each, b.params[i] ?? DYN))
      );
    default:
      return a.name === b.name;
  }
}

function occurs(known: Known, parameter: CelType, within: CelType): boolean {
  if (sameType(parameter, within)) return true;
  if (within.kind === "param") {
    const found = known.get(within.name);
    return found !== undefined && occurs(known, parameter, found);
  }
  return within.params.some((each) => occurs(known, parameter, each));
}

/** A type with its parameters replaced by what is known of them. */
export function substitute(known: Known, type: CelType, options: { readonly rest?: CelType } = {}): CelType {
  if (type.kind === "param") {
    const found = known.get(type.name);
    return found === undefined ? (options.rest ?? type) : substitute(known, found, options);
  }
  if (type.params.length === 0) return type;
  const params = type.params.map((each) => substitute(known, each, options));
  if (params.every((each, i) => each === type.params[i])) return type;
  if (type.kind === "type") return typeOf(params[0] ?? DYN);
  return isOptional(type) ? opaque(type.name, ...params) : { ...type, params };
}

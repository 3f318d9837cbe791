import { FairleadError, JsonNumber, stringifyJson, type JsonObject, type JsonValue } from "@fairlead/base";

/**
 * Strict JSON. `JSON.stringify` drops undefined members, turns NaN into null (which deletes a field under merge
 * semantics), and flattens maps, sets and classes; a controller would send something other than it meant. So nothing is
 * sent before this walk has seen it.
 */

/** A value that JSON cannot carry as meant. `path` names it: `spec.template.replicas`. */
export class EncodingError extends FairleadError {
  readonly path: string;

  constructor(path: string, what: string) {
    super("Encoding", `${path === "" ? "The body" : path} is ${what}. ${ADVICE}`);
    this.path = path;
  }
}

const ADVICE = "Only null, booleans, finite numbers, strings, arrays and plain objects can be sent";

/** What a body may hold beyond plain JSON. */
export interface EncodeRules {
  /** `drop` leaves undefined members out, as JSON.stringify does; `refuse` is for bodies where absence has a meaning. */
  readonly undefinedMembers: "drop" | "refuse";
  /** `refuse` where null would own or delete something. */
  readonly nulls: "allow" | "refuse";
  /** `allow` sends a Date as an RFC 3339 string. */
  readonly dates: "allow" | "refuse";
}

/** The rules of bodies whose absent and null members are just that: creations, merge patches. */
export const LENIENT: EncodeRules = { undefinedMembers: "drop", nulls: "allow", dates: "allow" };

/** The rules of an apply: absence gives a field up, null is said through `clear`. */
export const APPLY: EncodeRules = { undefinedMembers: "refuse", nulls: "refuse", dates: "refuse" };

/**
 * JSON text of a value, keys in the order they were set.
 *
 * @throws EncodingError with the path of the first value that the rules refuse.
 */
export function encodeJson(value: unknown, rules: EncodeRules): string {
  return assertEncodable(value, rules) ? stringifyJson(value as JsonValue) : JSON.stringify(value);
}

/**
 * Throws EncodingError with the path of the first value that the rules refuse.
 *
 * @returns whether the value holds numbers that only the lossless printer keeps.
 */
export function assertEncodable(value: unknown, rules: EncodeRules): boolean {
  return walk(value, rules, undefined);
}

/** The way down to a value, kept as a list so that no path text is made unless something is wrong. */
interface Trail {
  readonly parent: Trail | undefined;
  readonly step: string | number;
}

function walk(value: unknown, rules: EncodeRules, at: Trail | undefined): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return false;
    case "number":
      if (!Number.isFinite(value)) return refuse(at, String(value));
      return false;
    case "bigint":
      return true;
    case "object":
      if (value === null)
        return rules.nulls === "allow" ? false : refuse(at, "null; to clear a field name it in `clear`");
      if (Array.isArray(value)) return walkArray(value, rules, at);
      return walkObject(value, rules, at);
    default:
      return refuse(at, value === undefined ? "undefined" : `a ${typeof value}`);
  }
}

function walkArray(value: readonly unknown[], rules: EncodeRules, at: Trail | undefined): boolean {
  let exact = false;
  for (let i = 0; i < value.length; i++) exact = walk(value[i], rules, { parent: at, step: i }) || exact;
  return exact;
}

function walkObject(value: object, rules: EncodeRules, at: Trail | undefined): boolean {
  const proto: unknown = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== null) {
    if (value instanceof JsonNumber) return true;
    if (value instanceof Date && rules.dates === "allow") {
      return Number.isNaN(value.getTime()) ? refuse(at, "an invalid Date") : false;
    }
    return refuse(at, `a ${nameOf(value)}`);
  }
  let exact = false;
  for (const key of Object.keys(value)) {
    const member = (value as JsonObject)[key] as unknown;
    const here: Trail = { parent: at, step: key };
    if (member === undefined) {
      if (rules.undefinedMembers === "refuse") refuse(here, "undefined; leave the key out to give the field up");
      continue;
    }
    exact = walk(member, rules, here) || exact;
  }
  return exact;
}

function nameOf(value: object): string {
  const constructor: unknown = (value as { readonly constructor?: unknown }).constructor;
  return typeof constructor === "function" && constructor.name !== "" ? constructor.name : "class instance";
}

function refuse(at: Trail | undefined, what: string): never {
  throw new EncodingError(formatTrail(at), what);
}

function formatTrail(at: Trail | undefined): string {
  if (at === undefined) return "";
  const before = formatTrail(at.parent);
  if (typeof at.step === "number") return `${before}[${at.step}]`;
  return before === "" ? at.step : `${before}.${at.step}`;
}

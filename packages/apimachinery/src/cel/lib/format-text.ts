// `'%s and %d'.format([…])` (cel-go: ext/formatting.go).
import { decodeUtf8, encodeUtf8 } from "@fairlead/base";
import { goQuote } from "../../validation/go-quote.js";
import { elementsOf } from "../value/list.js";
import { formatDouble, formatPlain } from "../value/number.js";
import { MOST_CHARACTERS, tooLong } from "../value/text.js";
import { formatDuration, formatTimestamp } from "../value/time.js";
import {
  CelError,
  Duration,
  isList,
  isMap,
  Timestamp,
  typeName,
  TypeValue,
  Uint,
  type CelMap,
  type Result,
  type Value,
} from "../value/value.js";

const DEFAULT_PRECISION = 6;
const GREATEST_PRECISION = 1000;

/** A piece of a format: text as it is, or a clause. */
export type Piece =
  | { readonly text: string }
  | { readonly clause: "s" | "d" | "f" | "e" | "b" | "x" | "X" | "o"; readonly precision: number | undefined };

/** The pieces of a format, or what is wrong with it. */
export function formatPieces(format: string): readonly Piece[] | string {
  const pieces: Piece[] = [];
  let at = 0;
  while (at < format.length) {
    const percent = format.indexOf("%", at);
    if (percent < 0) return [...pieces, { text: format.slice(at) }];
    if (percent > at) pieces.push({ text: format.slice(at, percent) });
    if (percent + 1 >= format.length) return "unexpected end of string";
    if (format[percent + 1] === "%") {
      pieces.push({ text: "%" });
      at = percent + 2;
      continue;
    }
    const match = /^%(?:\.(\d+))?([^])/u.exec(format.slice(percent));
    const clause = match?.[2] ?? "";
    if (match === null || !/^[sdfebxXo]$/.test(clause))
      return `could not parse formatting clause: unrecognized formatting clause ${goQuote(clause)}`;
    const precision = match[1] === undefined ? undefined : Number(match[1]);
    if ((precision ?? 0) > GREATEST_PRECISION)
      return `could not parse formatting clause: error while parsing precision: precision ${precision ?? 0} exceeds maximum`;
    pieces.push({ clause: clause as "s", precision });
    at = percent + match[0].length;
  }
  return pieces;
}

/** The text of a format with its arguments put in. */
export function formatText(format: string, args: readonly Value[]): Result {
  const pieces = formatPieces(format);
  if (typeof pieces === "string") return new CelError(pieces);
  let next = 0;
  let out = "";
  for (const piece of pieces) {
    if ("text" in piece) {
      out += piece.text;
      continue;
    }
    const arg = args[next];
    if (arg === undefined) return new CelError(`index ${next} out of range`);
    next++;
    const text = formatClause(arg, piece);
    if (text instanceof CelError) return new CelError(`error during formatting: ${text.message}`);
    out += text;
    if (out.length > MOST_CHARACTERS) return tooLong("format");
  }
  return out;
}

type Formatted = string | CelError;

function formatClause(
  value: Value,
  { clause, precision = DEFAULT_PRECISION }: Extract<Piece, { clause: string }>,
): Formatted {
  switch (clause) {
    case "s":
      return formatAny(value);
    case "d":
      return formatDecimal(value);
    case "f":
    case "e":
      return formatFloat(value, clause, precision);
    case "b":
      if (typeof value === "boolean") return value ? "1" : "0";
      return radix(value, 2) ?? clauseError("only integers and bools can be formatted as binary", value);
    case "o":
      return radix(value, 8) ?? clauseError("octal clause can only be used on integers", value);
    case "x":
      return formatHex(value);
    case "X": {
      const text = formatHex(value);
      return typeof text === "string" ? text.toUpperCase() : text;
    }
  }
}

function clauseError(what: string, value: Value): CelError {
  return new CelError(`${what}, was given ${typeName(value)}`);
}

function formatDecimal(value: Value): Formatted {
  if (typeof value === "number") return formatDouble(value, 21);
  return radix(value, 10) ?? clauseError("decimal clause can only be used on integers", value);
}

function radix(value: Value, base: number): string | undefined {
  if (typeof value === "bigint") return value.toString(base);
  return value instanceof Uint ? value.value.toString(base) : undefined;
}

function formatHex(value: Value): Formatted {
  const bytes = typeof value === "string" ? encodeUtf8(value) : value;
  if (bytes instanceof Uint8Array) return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return radix(value, 16) ?? clauseError("only integers, byte buffers, and strings can be formatted as hex", value);
}

const NAMED: ReadonlyMap<string, string> = new Map([
  ["NaN", "NaN"],
  ["Infinity", "∞"],
  ["-Infinity", "-∞"],
]);

function formatFloat(value: Value, clause: "f" | "e", precision: number): Formatted {
  const name = typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
  const named = NAMED.get(name);
  if (named !== undefined) return named;
  if (typeof value !== "number")
    return clauseError(`${clause === "f" ? "fixed-point" : "scientific"} clause can only be used on doubles`, value);
  if (clause === "f") return grouped(fixed(value, precision));
  const [mantissa = "", exponent = "0"] = value.toExponential(Math.min(precision, 100)).split("e");
  const size = exponent.replace(/^[+-]/, "").padStart(2, "0");
  return `${mantissa}\u202f×\u202f10${superscript(exponent.startsWith("-") ? `-${size}` : size)}`;
}

function superscript(text: string): string {
  return [...text].map((character) => (character === "-" ? "⁻" : ("⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(character)] ?? ""))).join("");
}

/** Go rounds what lies halfway to an even digit, JavaScript away from zero. */
function fixed(value: number, precision: number): string {
  const exact = value.toFixed(Math.min(100, precision + 60));
  const kept = exact.length - (exact.split(".")[1]?.length ?? 0) + precision;
  if (Math.abs(value) < 1e21 && /^50*$/.test(exact.slice(kept)) && precision < 40) {
    const down = exact.slice(0, kept).replace(/\.$/, "");
    if (/[02468]$/.test(down)) return down;
  }
  return Math.abs(value) < 1e21
    ? value.toFixed(Math.min(precision, 100))
    : `${formatPlain(value)}.${"0".repeat(precision)}`;
}

/** Thousands are set apart, as the locale of the library has them. */
function grouped(text: string): string {
  const [whole = "", fraction] = text.split(".");
  const marked = whole.replace(/\B(?=(?:\d{3})+$)/g, ",");
  return fraction === undefined ? marked : `${marked}.${fraction}`;
}

function formatAny(value: Value): Formatted {
  if (value === null) return "null";
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return formatDouble(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return decodeUtf8(value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof TypeValue) return value.name;
  if (isMap(value)) return formatMap(value);
  if (!isList(value)) {
    return clauseError(
      "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
      value,
    );
  }
  const elements = elementsOf(value);
  if (elements instanceof CelError) return elements;
  const parts = formatAll(elements);
  return parts instanceof CelError ? parts : `[${parts.join(", ")}]`;
}

function formatMap(map: CelMap): Formatted {
  const pairs: string[] = [];
  for (const key of map.keys()) {
    if (!["string", "boolean", "bigint"].includes(typeof key) && !(key instanceof Uint))
      return new CelError(`no formatting function for map key of type ${typeName(key)}`);
    const value = map.get(key) as Result;
    if (value instanceof CelError) return value;
    const parts = formatAll([key, value]);
    if (parts instanceof CelError) return parts;
    pairs.push(parts.join(":"));
  }
  return `{${pairs.sort().join(", ")}}`;
}

function formatAll(values: readonly Value[]): readonly string[] | CelError {
  const out: string[] = [];
  let length = 0;
  for (const value of values) {
    const text = formatInside(value);
    if (text instanceof CelError) return text;
    out.push(text);
    length += text.length;
    if (length > MOST_CHARACTERS) return tooLong("format");
  }
  return out;
}

/** A value inside of a list or map, as an expression would spell it. */
function formatInside(value: Value): Formatted {
  if (typeof value === "string") return goQuote(value);
  if (value instanceof Uint8Array) return `b${goQuote(decodeUtf8(value))}`;
  if (value instanceof Timestamp) return `timestamp(${goQuote(formatTimestamp(value))})`;
  if (value instanceof Duration) return `duration(${goQuote(formatDuration(value))})`;
  if (typeof value !== "number") return formatAny(value);
  return Number.isFinite(value) ? value.toFixed(DEFAULT_PRECISION) : goQuote(formatDouble(value));
}

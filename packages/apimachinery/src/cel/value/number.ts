// Numbers as Go reads, prints and counts them: integers never wrap around.
import { CelError, Uint } from "./value.js";

export const INT_OVERFLOW: CelError = new CelError("integer overflow");
export const UINT_OVERFLOW: CelError = new CelError("unsigned integer overflow");

const LEAST_INT = -(2n ** 63n);
const GREATEST_INT = 2n ** 63n - 1n;
const GREATEST_UINT = 2n ** 64n - 1n;

/** An int, if it has 64 bits. */
export function int(value: bigint): bigint | CelError {
  return value >= LEAST_INT && value <= GREATEST_INT ? value : INT_OVERFLOW;
}

/** An unsigned int, if it is not negative and has 64 bits. */
export function uint(value: bigint): Uint | CelError {
  return value >= 0n && value <= GREATEST_UINT ? new Uint(value) : UINT_OVERFLOW;
}

/** A double without its fraction. */
export function intOfDouble(value: number): bigint | CelError {
  // The bounds themselves are doubles that stand for integers beyond.
  return value > -(2 ** 63) && value < 2 ** 63 ? BigInt(Math.trunc(value)) : INT_OVERFLOW;
}

export function uintOfDouble(value: number): Uint | CelError {
  return value >= 0 && value < 2 ** 64 ? new Uint(BigInt(Math.trunc(value))) : UINT_OVERFLOW;
}

/** Go's strconv.ParseInt of base 10; undefined for other text. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ""));
  return value >= LEAST_INT && value <= GREATEST_INT ? value : undefined;
}

export function parseUint64(text: string): bigint | undefined {
  if (!/^\d+$/.test(text)) return undefined;
  const value = BigInt(text);
  return value <= GREATEST_UINT ? value : undefined;
}

/** Go's strconv.ParseFloat of decimals and the names of infinities and NaN; undefined for other text. */
export function parseDouble(text: string): number | undefined {
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : undefined;
  }
  const name = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (name === null) return undefined;
  return name[2]?.toLowerCase() === "nan" ? NaN : name[1] === "-" ? -Infinity : Infinity;
}

/** The shortest spelling, with an exponent where that is below -4 or from 21 on, or `from` on (Go's `%v` and `%g`). */
export function formatDouble(value: number, from: 6 | 21 = 6): string {
  const special = formatSpecial(value);
  if (special !== undefined) return special;
  const { sign, digits, exponent } = partsOf(value);
  if (value !== 0 && (exponent < -4 || exponent >= from)) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
    const size = String(Math.abs(exponent)).padStart(2, "0");
    return `${sign}${digits[0] ?? "0"}${fraction}e${exponent < 0 ? "-" : "+"}${size}`;
  }
  return formatPlain(value);
}

/** The shortest spelling without an exponent. */
export function formatPlain(value: number): string {
  const special = formatSpecial(value);
  if (special !== undefined) return special;
  const { sign, digits, exponent } = partsOf(value);
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  if (digits.length <= exponent + 1) return sign + digits.padEnd(exponent + 1, "0");
  return `${sign}${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}

function formatSpecial(value: number): string | undefined {
  if (Number.isNaN(value)) return "NaN";
  return Number.isFinite(value) ? undefined : value > 0 ? "+Inf" : "-Inf";
}

/** The number `d.ddd * 10^exponent` with the fewest digits. */
function partsOf(value: number): { readonly sign: string; readonly digits: string; readonly exponent: number } {
  const [mantissa = "0", exponent = "0"] = Math.abs(value).toExponential().split("e");
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  return { sign, digits: mantissa.replace(".", ""), exponent: Number(exponent) };
}

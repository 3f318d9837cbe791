// Quantities as Kubernetes counts them (apimachinery: pkg/api/resource): exact decimals with a suffix that is remembered.
import { FairleadError } from "@fairlead/base";

/** How a quantity was written, and is written back. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** The number `mantissa * 10^exponent`, and how it is written. */
export interface Quantity {
  readonly mantissa: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
  /** The spelling, where it is already canonical. */
  readonly text?: string;
}

/** A text that is not a quantity. The message is Go's. */
export class QuantityError extends FairleadError {
  constructor(message: string) {
    super("BadQuantity", message);
  }
}

const FORMAT_WRONG = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const BAD_NUMBER = "unable to parse numeric part of quantity";
const BAD_SUFFIX = "unable to parse quantity's suffix";

const NANO = -9;

/** Numbers of more digits than this leave Go's int64 form, which remembers its spelling. */
const FAST_DIGITS = 18;
const GREATEST_BINARY = 2n ** 63n - 1n;

/** Beyond this the sums would not fit into memory. */
const GREATEST_EXPONENT = 10_000;

interface Suffix {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

const SUFFIXES: ReadonlyMap<string, Suffix> = new Map<string, Suffix>([
  ...["n", "u", "m", "", "k", "M", "G", "T", "P", "E"].map((text, i): [string, Suffix] => [
    text,
    { base: 10, exponent: i * 3 - 9, format: "DecimalSI" },
  ]),
  ...["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].map((text, i): [string, Suffix] => [
    text,
    { base: 2, exponent: (i + 1) * 10, format: "BinarySI" },
  ]),
]);

/** @throws QuantityError */
export function parseQuantity(text: string): Quantity {
  if (text === "") throw new QuantityError(FORMAT_WRONG);
  const match = /^([+-]?)0*(\d*)(?:(\.)(\d*))?([eEinumkKMGTP]*[+-]?\d*)$/.exec(text);
  if (match === null) throw new QuantityError(FORMAT_WRONG);
  const [, sign = "", digits = "", , fraction = "", suffixText = ""] = match;
  const suffix = SUFFIXES.get(suffixText) ?? decimalExponent(suffixText);
  const whole = digits === "" ? "0" : digits;
  const fast = fastQuantity(text, { sign, whole, fraction, suffix });
  if (fast !== undefined) return fast;
  if (digits === "" && fraction === "" && !/^[+-]?0/.test(text)) throw new QuantityError(BAD_NUMBER);
  return exactQuantity({ sign, whole, fraction, suffix });
}

/** Like parseQuantity, but undefined for a text that is not a quantity. */
export function findQuantity(text: string): Quantity | undefined {
  if (text === "") return undefined; // Which is an absent one, most of the time, and an error takes long to make.
  try {
    return parseQuantity(text);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

function decimalExponent(text: string): Suffix {
  if (!/^[eE][+-]?\d+$/.test(text)) throw new QuantityError(BAD_SUFFIX);
  const exponent = Number(text.slice(1));
  if (Math.abs(exponent) > GREATEST_EXPONENT) throw new QuantityError(BAD_SUFFIX);
  return { base: 10, exponent, format: "DecimalExponent" };
}

interface Parts {
  readonly sign: string;
  readonly whole: string;
  readonly fraction: string;
  readonly suffix: Suffix;
}

/** Small numbers, as Go holds them in an int64: the spelling stays if it is close enough to canonical. */
function fastQuantity(text: string, { sign, whole, fraction, suffix }: Parts): Quantity | undefined {
  const shifted = whole + fraction;
  const binary = suffix.base === 2;
  if (binary && (fraction !== "" || whole.length + Math.trunc((suffix.exponent * 3) / 10) + 1 > 15)) return undefined;
  if (!binary && shifted.length > FAST_DIGITS) return undefined;
  const exponent = (binary ? 0 : suffix.exponent) - fraction.length;
  if (exponent < NANO) return undefined;
  const digits = BigInt(shifted);
  const size = binary ? digits << BigInt(suffix.exponent) : digits;
  if (size > GREATEST_BINARY) return undefined;
  const keeps = binary
    ? (digits & 7n) !== 0n
    : exponent % 3 === 0 && !shifted.endsWith("000") && !shifted.startsWith("0");
  const mantissa = sign === "-" ? -size : size;
  return { mantissa, exponent, format: suffix.format, ...(keeps || text === "0" ? { text } : {}) };
}

function exactQuantity({ sign, whole, fraction, suffix }: Parts): Quantity {
  let { format } = suffix;
  let mantissa = BigInt(whole + fraction);
  let exponent = -fraction.length;
  if (suffix.base === 10) exponent += suffix.exponent;
  else mantissa <<= BigInt(suffix.exponent);
  if (mantissa !== 0n && exponent < NANO) {
    mantissa = divideUp(mantissa, NANO - exponent);
    exponent = NANO;
  }
  if (format === "BinarySI") {
    const scaled = { mantissa, exponent, format };
    if (compareQuantities(scaled, { mantissa: GREATEST_BINARY, exponent: 0, format }) > 0) {
      mantissa = GREATEST_BINARY;
      exponent = 0;
    } else if (mantissa > 0n && compareQuantities(scaled, { mantissa: 1n, exponent: 0, format }) < 0) {
      format = "DecimalSI";
    }
  }
  return { mantissa: sign === "-" ? -mantissa : mantissa, exponent, format };
}

/** `value / 10^places`, rounded away from zero. */
function divideUp(value: bigint, places: number): bigint {
  if (places > value.toString().length + 1) return value === 0n ? 0n : value > 0n ? 1n : -1n;
  const by = 10n ** BigInt(places);
  const quotient = value / by;
  return quotient * by === value ? quotient : quotient + (value > 0n ? 1n : -1n);
}

/** The canonical spelling: no fraction, the greatest suffix that loses nothing (Quantity.String of apimachinery). */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text;
  if (quantity.mantissa === 0n) return "0";
  const { format } = quantity;
  if (format === "BinarySI" && !isBelow1024(quantity)) {
    const whole = wholeNumber(quantity);
    if (whole !== undefined) {
      const [number, times] = withoutFactors(whole, 1024n);
      return `${number}${["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"][times] ?? ""}`;
    }
  }
  const [mantissa, times] = withoutFactors(quantity.mantissa, 10n);
  let number = mantissa;
  let exponent = quantity.exponent + times;
  while (exponent % 3 !== 0) {
    number *= 10n;
    exponent--;
  }
  if (format === "DecimalExponent") return exponent === 0 ? `${number}` : `${number}e${exponent}`;
  return `${number}${["n", "u", "m", "", "k", "M", "G", "T", "P", "E"][exponent / 3 + 3] ?? ""}`;
}

function isBelow1024(quantity: Quantity): boolean {
  const size: Quantity = { ...quantity, mantissa: quantity.mantissa < 0n ? -quantity.mantissa : quantity.mantissa };
  return compareQuantities(size, { mantissa: 1024n, exponent: 0, format: "BinarySI" }) < 0;
}

/** The value as an integer, undefined when it has a fraction. */
function wholeNumber({ mantissa, exponent }: Quantity): bigint | undefined {
  if (exponent >= 0) return mantissa * 10n ** BigInt(exponent);
  const by = 10n ** BigInt(-exponent);
  return mantissa % by === 0n ? mantissa / by : undefined;
}

function withoutFactors(value: bigint, factor: bigint): [number: bigint, times: number] {
  let number = value;
  let times = 0;
  while (number !== 0n && number % factor === 0n) {
    number /= factor;
    times++;
  }
  return [number, times];
}

/** Negative, zero or positive, as the first is less than, equal to or greater than the second. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  if (a.mantissa === 0n || b.mantissa === 0n || a.mantissa > 0n !== b.mantissa > 0n) {
    return a.mantissa === b.mantissa ? 0 : sign(a.mantissa) - sign(b.mantissa);
  }
  const distance = magnitude(a) - magnitude(b);
  if (distance !== 0) return distance > 0 === a.mantissa > 0n ? 1 : -1;
  const exponent = Math.min(a.exponent, b.exponent);
  const left = a.mantissa * 10n ** BigInt(a.exponent - exponent);
  const right = b.mantissa * 10n ** BigInt(b.exponent - exponent);
  return left < right ? -1 : left > right ? 1 : 0;
}

function sign(value: bigint): number {
  return value > 0n ? 1 : value < 0n ? -1 : 0;
}

/** Digits before the decimal point. */
function magnitude({ mantissa, exponent }: Quantity): number {
  return (mantissa < 0n ? -mantissa : mantissa).toString().length + exponent;
}

/** The sum, in the first one's format unless that is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const exponent = Math.min(a.exponent, b.exponent);
  const mantissa =
    a.mantissa * 10n ** BigInt(a.exponent - exponent) + b.mantissa * 10n ** BigInt(b.exponent - exponent);
  return { mantissa, exponent, format: a.mantissa === 0n ? b.format : a.format };
}

/** The difference, in the first one's format unless that is zero. */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return addQuantities(a, { mantissa: -b.mantissa, exponent: b.exponent, format: b.format });
}

/** Units, rounded up (Quantity.Value). */
export function quantityValue(quantity: Quantity): bigint {
  return scaledUp(quantity, 0);
}

/** Thousandths, rounded up (Quantity.MilliValue). */
export function quantityMilliValue(quantity: Quantity): bigint {
  return scaledUp(quantity, -3);
}

function scaledUp({ mantissa, exponent }: Quantity, scale: number): bigint {
  return exponent >= scale ? mantissa * 10n ** BigInt(exponent - scale) : divideUp(mantissa, scale - exponent);
}

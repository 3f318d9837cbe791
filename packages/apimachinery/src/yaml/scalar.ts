import { decodeBase64, decodedNumber, decodeUtf8, JsonNumber, type JsonValue } from "@fairlead/base";

import { YamlError } from "./error.js";
import type { ScalarText } from "./event.js";

const PREFIX = "tag:yaml.org,2002:";
const RESOLVED_TAGS = new Set(["bool", "float", "int", "null", "str", "timestamp"].map((name) => PREFIX + name));

const TRUE = new Set(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"]);
const FALSE = new Set(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"]);
const NULL = new Set(["", "~", "null", "Null", "NULL"]);
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const INFINITY = /^[-+]?\.(inf|Inf|INF)$/;
const NOT_A_NUMBER = /^\.(nan|NaN|NAN)$/;
const DATE = /^(\d{4})-(\d\d?)-(\d\d?)$/;
const DATE_TIME =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:[Tt]\d\d?:\d\d?:\d\d?(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)| \d\d?:\d\d?:\d\d?(?:[.,]\d+)?)$/;

/** What a scalar is, and its value. Only a float can be infinite or no number. */
export type Scalar =
  | { readonly type: "null" }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "int"; readonly value: bigint }
  | { readonly type: "float"; readonly value: number }
  | { readonly type: "str"; readonly value: string };

type Resolved =
  Scalar | { readonly type: "timestamp"; readonly value: string } | { readonly type: "merge"; readonly value: string };

/** Decides by its tag, its quotes and its text what a scalar means (go-yaml v2: resolve.go). @throws YamlError */
export function resolveScalar(node: ScalarText): Scalar {
  const { tag, value } = node;
  if (tag === "" && !node.plain) return { type: "str", value };
  if (tag === `${PREFIX}binary`) return { type: "str", value: decodeBinary(value) };
  if (tag === `${PREFIX}str` || (tag !== "" && !RESOLVED_TAGS.has(tag))) return { type: "str", value };
  const found = resolvePlain(value, tag === "" || tag === `${PREFIX}timestamp`);
  if (tag !== "" && tag !== PREFIX + found.type) {
    if (tag === `${PREFIX}float` && found.type === "int" && isInt64(found.value))
      return { type: "float", value: Number(found.value) };
    throw new YamlError(`yaml: cannot decode !!${found.type} \`${value}\` as a ${shortTag(tag)}`);
  }
  if (found.type === "timestamp" || found.type === "merge") return { type: "str", value: found.value };
  return found;
}

function resolvePlain(text: string, mayBeTime: boolean): Resolved {
  if (NULL.has(text)) return { type: "null" };
  if (TRUE.has(text)) return { type: "bool", value: true };
  if (FALSE.has(text)) return { type: "bool", value: false };
  if (text === "<<") return { type: "merge", value: text };
  if (INFINITY.test(text)) return { type: "float", value: text.startsWith("-") ? -Infinity : Infinity };
  if (NOT_A_NUMBER.test(text)) return { type: "float", value: NaN };
  if (text.startsWith(".")) return floatValue(text) ?? { type: "str", value: text };
  if (!/^[-+0-9]/.test(text)) return { type: "str", value: text };
  if (mayBeTime && isTime(text)) return { type: "timestamp", value: text };
  // Many underscores go three times as fast so as by replaceAll.
  const digits = text.includes("_") ? text.split("_").join("") : text;
  const value = integerValue(digits);
  if (value !== undefined) return { type: "int", value };
  return floatValue(digits) ?? { type: "str", value: text };
}

function floatValue(text: string): Resolved | undefined {
  const value = Number(text);
  return FLOAT.test(text) && Number.isFinite(value) ? { type: "float", value } : undefined;
}

/** More than a sign, a prefix and 64 binary digits are either too many or zeros in front, which nobody writes. */
const LONGEST_INTEGER = 100;

/** Decimal integers and those that begin with `0x`, `0b`, `0o` or, octal, `0`, as far as 64 bits reach. */
function integerValue(text: string): bigint | undefined {
  if (text.length > LONGEST_INTEGER) return undefined;
  const strange = /^0b([-+][01]+)$/.exec(text);
  if (strange?.[1] !== undefined) return integerValue(strange[1].replace(/[01]/, "0b$&"));
  const match = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/.exec(text);
  if (match === null) return undefined;
  const [, sign = "", digits = ""] = match;
  const magnitude = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase());
  if (sign === "-") return magnitude <= 2n ** 63n ? -magnitude : undefined;
  if (sign === "+") return magnitude < 2n ** 63n ? magnitude : undefined;
  return magnitude < 2n ** 64n ? magnitude : undefined;
}

/** A date, or a date and a time, that exists. */
function isTime(text: string): boolean {
  const match = DATE.exec(text) ?? DATE_TIME.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const clock = /[Tt ](\d+):(\d+):(\d+)/.exec(text);
  if (clock !== null && (Number(clock[1]) > 23 || Number(clock[2]) > 59 || Number(clock[3]) > 59)) return false;
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

function decodeBinary(text: string): string {
  const digits = text.replaceAll(/[\r\n]/g, "");
  const bytes = digits.length % 4 === 0 ? decodeBase64(digits) : undefined;
  if (bytes === undefined) throw new YamlError("yaml: !!binary value contains invalid base64 data");
  return decodeUtf8(bytes);
}

function shortTag(tag: string): string {
  return tag.startsWith(PREFIX) ? `!!${tag.slice(PREFIX.length)}` : tag;
}

export function isInt64(value: bigint): boolean {
  return value >= -(2n ** 63n) && value < 2n ** 63n;
}

/** The value that JSON would bring: floats without a fraction are integers there, and zero has no sign. */
export function jsonOf(scalar: Scalar): JsonValue {
  switch (scalar.type) {
    case "null":
      return null;
    case "int":
      return decodedNumber(new JsonNumber(String(scalar.value)));
    case "float":
      return scalar.value === 0 ? 0 : scalar.value;
    case "bool":
    case "str":
      return scalar.value;
  }
}

// Conversions between types, and the functions of text that are part of the language (cel-go: common/stdlib/standard.go).
import { decodeUtf8Strictly, encodeUtf8 } from "@fairlead/base";
import { declare, global, member, type Library } from "../check/declarations.js";
import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, param, STRING, TIMESTAMP, typeOf, UINT } from "../check/types.js";
import {
  formatDouble,
  intOfDouble,
  parseDouble,
  parseInt64,
  parseUint64,
  uint,
  uintOfDouble,
  INT_OVERFLOW,
  UINT_OVERFLOW,
} from "../value/number.js";
import { formatDuration, formatTimestamp, parseDuration, parseTimestamp, timestamp } from "../value/time.js";
import {
  CelError,
  TypeValue,
  Uint,
  typeName,
  type Duration,
  type Result,
  type Timestamp,
  type Value,
} from "../value/value.js";

const A = param("A");

function conversionError(to: string, from = "string"): CelError {
  return new CelError(`type conversion error from '${from}' to '${to}'`);
}

const TRUE = new Set(["1", "t", "T", "true", "TRUE", "True"]);
const FALSE = new Set(["0", "f", "F", "false", "FALSE", "False"]);

function boolOf(text: string): Result {
  if (TRUE.has(text)) return true;
  return FALSE.has(text) ? false : conversionError("bool");
}

function textOfBytes(bytes: Uint8Array): Result {
  return decodeUtf8Strictly(bytes) ?? new CelError("invalid UTF-8 in bytes, cannot convert to string");
}

const same = (value: Value): Result => value;

export const CONVERSIONS_LIBRARY: Library = [
  {
    name: "type",
    overloads: [global("type", [A], typeOf(A))],
    run: (...args) => new TypeValue(typeName(args[0] as Value)),
  },
  declare("bool", global("bool_to_bool", [BOOL], BOOL, same), global("string_to_bool", [STRING], BOOL, boolOf)),
  declare(
    "bytes",
    global("bytes_to_bytes", [BYTES], BYTES, same),
    global("string_to_bytes", [STRING], BYTES, encodeUtf8),
  ),
  declare(
    "double",
    global("double_to_double", [DOUBLE], DOUBLE, same),
    global("int64_to_double", [INT], DOUBLE, (value: bigint) => Number(value)),
    global("string_to_double", [STRING], DOUBLE, (text: string) => parseDouble(text) ?? conversionError("double")),
    global("uint64_to_double", [UINT], DOUBLE, ({ value }: Uint) => Number(value)),
  ),
  declare(
    "duration",
    global("duration_to_duration", [DURATION], DURATION, same),
    global(
      "string_to_duration",
      [STRING],
      DURATION,
      (text: string) => parseDuration(text) ?? conversionError("google.protobuf.Duration"),
    ),
  ),
  { name: "dyn", overloads: [global("to_dyn", [A], DYN)], run: (...args) => args[0] as Value },
  declare(
    "int",
    global("int64_to_int64", [INT], INT, same),
    global("double_to_int64", [DOUBLE], INT, intOfDouble),
    global("duration_to_int64", [DURATION], INT, ({ ns }: Duration) => ns),
    global("string_to_int64", [STRING], INT, (text: string) => parseInt64(text) ?? conversionError("int")),
    global("timestamp_to_int64", [TIMESTAMP], INT, ({ ns }: Timestamp) => floorSeconds(ns)),
    global("uint64_to_int64", [UINT], INT, ({ value }: Uint) => (value < 2n ** 63n ? value : INT_OVERFLOW)),
  ),
  declare(
    "string",
    global("string_to_string", [STRING], STRING, same),
    global("bool_to_string", [BOOL], STRING, String),
    global("bytes_to_string", [BYTES], STRING, textOfBytes),
    global("double_to_string", [DOUBLE], STRING, (value: number) => formatDouble(value)),
    global("duration_to_string", [DURATION], STRING, formatDuration),
    global("int64_to_string", [INT], STRING, String),
    global("timestamp_to_string", [TIMESTAMP], STRING, formatTimestamp),
    global("uint64_to_string", [UINT], STRING, ({ value }: Uint) => String(value)),
  ),
  declare(
    "timestamp",
    global("timestamp_to_timestamp", [TIMESTAMP], TIMESTAMP, same),
    global("int64_to_timestamp", [INT], TIMESTAMP, (seconds: bigint) => timestamp(seconds * 1_000_000_000n)),
    global(
      "string_to_timestamp",
      [STRING],
      TIMESTAMP,
      (text: string) => parseTimestamp(text) ?? conversionError("google.protobuf.Timestamp"),
    ),
  ),
  declare(
    "uint",
    global("uint64_to_uint64", [UINT], UINT, same),
    global("double_to_uint64", [DOUBLE], UINT, uintOfDouble),
    global("int64_to_uint64", [INT], UINT, (value: bigint) => (value < 0n ? UINT_OVERFLOW : uint(value))),
    global("string_to_uint64", [STRING], UINT, (text: string) => {
      const value = parseUint64(text);
      return value === undefined ? conversionError("uint") : new Uint(value);
    }),
  ),
  declare(
    "contains",
    member("contains_string", [STRING, STRING], BOOL, (a: string, b: string) => a.includes(b)),
  ),
  declare(
    "endsWith",
    member("ends_with_string", [STRING, STRING], BOOL, (a: string, b: string) => a.endsWith(b)),
  ),
  declare(
    "startsWith",
    member("starts_with_string", [STRING, STRING], BOOL, (a: string, b: string) => a.startsWith(b)),
  ),
  declare("matches", global("matches", [STRING, STRING], BOOL), member("matches_string", [STRING, STRING], BOOL)),
];

function floorSeconds(ns: bigint): bigint {
  const seconds = ns / 1_000_000_000n;
  return ns < 0n && ns % 1_000_000_000n !== 0n ? seconds - 1n : seconds;
}

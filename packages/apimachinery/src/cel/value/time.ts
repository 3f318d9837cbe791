// Timestamps and durations (Go: time; kube-openapi: pkg/validation/strfmt).
import { formatPlain } from "./number.js";
import { CelError, Duration, Timestamp } from "./value.js";

const SECOND = 1_000_000_000n;
/** The first second of year 1 and the last of year 9999. */
const FIRST = -62_135_596_800n * SECOND;
const LAST = 253_402_300_800n * SECOND;

export const TIMESTAMP_OVERFLOW: CelError = new CelError("timestamp overflow");
export const DURATION_OVERFLOW: CelError = new CelError("duration overflow");

/** A timestamp, if its year has four digits. */
export function timestamp(ns: bigint): Timestamp | CelError {
  return ns >= FIRST && ns < LAST ? new Timestamp(ns) : TIMESTAMP_OVERFLOW;
}

/** A duration, if it has 64 bits. */
export function duration(ns: bigint): Duration | CelError {
  return BigInt.asIntN(64, ns) === ns ? new Duration(ns) : DURATION_OVERFLOW;
}

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:([Zz])|([+-])(\d\d):(\d\d))$/;

/** Reads RFC 3339; undefined for other text. Digits beyond nanoseconds are dropped. */
export function parseTimestamp(text: string): Timestamp | CelError | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 59)
    return undefined;
  const [offsetHour, offsetMinute] = [Number(match[10] ?? 0), Number(match[11] ?? 0)];
  if (offsetHour > 23 || offsetMinute > 59) return undefined;
  const offset = (offsetHour * 60 + offsetMinute) * (match[9] === "-" ? -1 : 1);
  const seconds = daysFromCivil(year, month, day) * 86_400 + hour * 3600 + (minute - offset) * 60 + second;
  return timestamp(BigInt(seconds) * SECOND + BigInt((match[7] ?? "").slice(0, 9).padEnd(9, "0")));
}

/** A date, `2024-02-29`, as the start of its day. */
export function parseDate(text: string): Timestamp | CelError | undefined {
  return parseTimestamp(`${text}T00:00:00Z`);
}

function daysIn(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
}

/** Days since 1970. Years begin with March here, so that the leap day is the last one. */
function daysFromCivil(year: number, month: number, day: number): number {
  const from = month <= 2 ? year - 1 : year;
  const era = Math.floor(from / 400);
  const ofEra = from - era * 400;
  const ofYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return era * 146_097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear - 719_468;
}

/** A point in time as clocks and calendars show it. */
export interface Civil {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  /** From 1. */
  readonly day: number;
  /** From 0. */
  readonly dayOfYear: number;
  /** From 0, which is Sunday. */
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanosecond: number;
}

/** @param offset - Seconds east of UTC. */
export function civil({ ns }: Timestamp, offset = 0): Civil {
  const shifted = ns + BigInt(offset) * SECOND;
  const nanosecond = Number(((shifted % SECOND) + SECOND) % SECOND);
  const seconds = Number((shifted - BigInt(nanosecond)) / SECOND);
  const days = Math.floor(seconds / 86_400);
  const ofDay = seconds - days * 86_400;
  const { year, month, day } = civilFromDays(days);
  return {
    year,
    month,
    day,
    dayOfYear: days - daysFromCivil(year, 1, 1),
    weekday: (((days + 4) % 7) + 7) % 7,
    hour: Math.floor(ofDay / 3600),
    minute: Math.floor(ofDay / 60) % 60,
    second: ofDay % 60,
    nanosecond,
  };
}

function civilFromDays(days: number): { readonly year: number; readonly month: number; readonly day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const ofEra = shifted - era * 146_097;
  const years = Math.floor(
    (ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  );
  const ofYear = ofEra - (365 * years + Math.floor(years / 4) - Math.floor(years / 100));
  const fromMarch = Math.floor((5 * ofYear + 2) / 153);
  const month = fromMarch + (fromMarch < 10 ? 3 : -9);
  return {
    year: years + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: ofYear - Math.floor((153 * fromMarch + 2) / 5) + 1,
  };
}

/** RFC 3339 in UTC, with as many digits of a second as there are. */
export function formatTimestamp(time: Timestamp): string {
  const { year, month, day, hour, minute, second, nanosecond } = civil(time);
  const two = (value: number): string => String(value).padStart(2, "0");
  const fraction = nanosecond === 0 ? "" : `.${String(nanosecond).padStart(9, "0").replace(/0+$/, "")}`;
  const date = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
  return `${date}T${two(hour)}:${two(minute)}:${two(second)}${fraction}Z`;
}

/**
 * How far a time zone is ahead of UTC at a time, in seconds: `Europe/Zurich`, or `+02:00`.
 *
 * @returns an error for a zone that is not known.
 */
export function zoneOffset(zone: string, time: Timestamp): number | CelError {
  const colon = zone.indexOf(":");
  if (colon >= 0) return fixedOffset(zone, colon);
  if (zone === "" || zone === "UTC") return 0;
  try {
    const name = zoneFormat(zone)
      .formatToParts(new Date(Number(time.ns / 1_000_000n)))
      .find((each) => each.type === "timeZoneName");
    const match = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?/.exec(name?.value ?? "");
    const seconds = Number(match?.[2] ?? 0) * 3600 + Number(match?.[3] ?? 0) * 60 + Number(match?.[4] ?? 0);
    return match?.[1] === "-" ? -seconds : seconds;
  } catch {
    return new CelError(`unknown time zone ${zone}`);
  }
}

/** Formats of the zones that were asked for last; making one takes a hundred times as long as using it. */
const zoneFormats = new Map<string, Intl.DateTimeFormat>();
const MOST_FORMATS = 100;

/** @throws RangeError for a zone that is not known */
function zoneFormat(zone: string): Intl.DateTimeFormat {
  let format = zoneFormats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
    if (zoneFormats.size >= MOST_FORMATS) zoneFormats.clear();
    zoneFormats.set(zone, format);
  }
  return format;
}

function fixedOffset(zone: string, colon: number): number | CelError {
  const [hours, minutes] = [zone.slice(0, colon), zone.slice(colon + 1)];
  for (const part of [hours, minutes])
    if (!/^[+-]?\d+$/.test(part)) return new CelError(`strconv.Atoi: parsing ${JSON.stringify(part)}: invalid syntax`);
  if (Number(minutes) < 0 || Number(minutes) > 59)
    return new CelError(`timezone offset minutes out of range [0, 59]: ${zone}`);
  const sign = zone.startsWith("-") ? -1 : 1;
  return (Number(hours) * 60 + sign * Number(minutes)) * 60;
}

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1000n],
  ["µs", 1000n],
  ["μs", 1000n],
  ["ms", 1_000_000n],
  ["s", SECOND],
  ["m", 60n * SECOND],
  ["h", 3600n * SECOND],
]);

/** Go's time.ParseDuration: `1h2m3.5s`, `-5ms`; undefined for other text and for what is too long. */
export function parseDuration(text: string): Duration | undefined {
  const match = /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)$/.exec(text);
  if (match === null) return undefined;
  let ns = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of (match[2] ?? "").matchAll(
    /(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g,
  )) {
    const scale = UNITS.get(unit) ?? 1n;
    const digits = fraction.slice(0, 18);
    ns +=
      BigInt(whole === "" ? "0" : whole) * scale +
      (BigInt(digits === "" ? "0" : digits) * scale) / 10n ** BigInt(digits.length);
  }
  const made = duration(match[1] === "-" ? -ns : ns);
  return made instanceof CelError ? undefined : made;
}

const LONG_UNITS: readonly (readonly [names: RegExp, ns: bigint])[] = [
  [/^(?:ns|nano.*)$/, 1n],
  [/^(?:us|µs|micro.*)$/, 1000n],
  [/^(?:ms|milli.*)$/, 1_000_000n],
  [/^(?:s|sec.*)$/, SECOND],
  [/^(?:m|min.*)$/, 60n * SECOND],
  [/^(?:h|hr|hour.*)$/, 3600n * SECOND],
  [/^(?:d|day.*)$/, 86_400n * SECOND],
  [/^(?:w|wk|week.*)$/, 604_800n * SECOND],
];

/** The format `duration` of a schema: Go's durations, and words such as `3 days`. */
export function parseLongDuration(text: string): Duration | undefined {
  const short = parseDuration(text);
  if (short !== undefined) return short;
  let ns: bigint | undefined;
  for (const [, count = "", word = ""] of text.matchAll(/(?<!\d)(\d+)\s*([A-Za-zµ]+)/g)) {
    for (const [names, size] of LONG_UNITS) if (names.test(word.toLowerCase())) ns = (ns ?? 0n) + BigInt(count) * size;
  }
  return ns === undefined ? undefined : new Duration(BigInt.asIntN(64, ns));
}

/** `5400s`. */
export function formatDuration({ ns }: Duration): string {
  return `${formatPlain(durationSeconds(ns))}s`;
}

/** The nearest double, as Go finds it: whole seconds, and the rest of it by itself. */
function durationSeconds(ns: bigint): number {
  return Number(ns / SECOND) + Number(ns % SECOND) / 1e9;
}

// What timestamps and durations are asked for (cel-go: common/stdlib/standard.go).
import { declare, member, type FunctionDeclaration, type Library } from "../check/declarations.js";
import { DURATION, INT, STRING, TIMESTAMP } from "../check/types.js";
import { civil, zoneOffset, type Civil } from "../value/time.js";
import { CelError, type Duration, type Result, type Timestamp } from "../value/value.js";

function part(name: string, id: string, read: (civil: Civil) => number): FunctionDeclaration {
  return declare(
    name,
    member(`timestamp_to_${id}`, [TIMESTAMP], INT, (time: Timestamp) => BigInt(read(civil(time)))),
    member(`timestamp_to_${id}_with_tz`, [TIMESTAMP, STRING], INT, (time: Timestamp, zone: string): Result => {
      const offset = zoneOffset(zone, time);
      return offset instanceof CelError ? offset : BigInt(read(civil(time, offset)));
    }),
  );
}

function partOfBoth(
  name: string,
  id: string,
  { read, unit }: { read: (civil: Civil) => number; unit: bigint },
): FunctionDeclaration {
  const { overloads } = part(name, id, read);
  return declare(
    name,
    ...overloads,
    member(`duration_to_${id}`, [DURATION], INT, ({ ns }: Duration) => ns / unit),
  );
}

export const TIMES_LIBRARY: Library = [
  part("getFullYear", "year", ({ year }) => year),
  part("getMonth", "month", ({ month }) => month - 1),
  part("getDayOfYear", "day_of_year", ({ dayOfYear }) => dayOfYear),
  part("getDate", "day_of_month_1_based", ({ day }) => day),
  part("getDayOfMonth", "day_of_month", ({ day }) => day - 1),
  part("getDayOfWeek", "day_of_week", ({ weekday }) => weekday),
  partOfBoth("getHours", "hours", { read: ({ hour }) => hour, unit: 3_600_000_000_000n }),
  partOfBoth("getMinutes", "minutes", { read: ({ minute }) => minute, unit: 60_000_000_000n }),
  partOfBoth("getSeconds", "seconds", { read: ({ second }) => second, unit: 1_000_000_000n }),
  partOfBoth("getMilliseconds", "milliseconds", {
    read: ({ nanosecond }) => Math.floor(nanosecond / 1_000_000),
    unit: 1_000_000n,
  }),
];

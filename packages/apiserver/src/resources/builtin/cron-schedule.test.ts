import { expect, it } from "vitest";
import { scheduleProblem, timeZoneProblem } from "./cron-schedule.js";

it.each<[schedule: string, problem: string | undefined]>([
  ["* * * * *", undefined],
  ["*/5 0-6,12 1 JAN-mar ?", undefined],
  ["TZ=Europe/Berlin 0 0 * * SUN", undefined],
  ["@hourly", undefined],
  ["@every 1h30m", undefined],
  ["", "empty spec string"],
  ["@often", "unrecognized descriptor: @often"],
  ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
  ["60 * * * *", "end of range (60) above maximum (59): 60"],
  ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
  ["5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"],
  ["*/0 * * * *", "step of range should be a positive number: */0"],
  ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
  ["*/2/3 * * * *", "too many slashes: */2/3"],
  ["a * * * *", 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
])("%j", (schedule, problem) => {
  expect(scheduleProblem(schedule)).toBe(problem);
});

it("knows the time zones of the world", () => {
  expect(timeZoneProblem("Asia/Tokyo")).toBeUndefined();
  expect(timeZoneProblem("Mars/Base")).toBe("unknown time zone Mars/Base");
});

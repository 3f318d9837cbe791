// Schedules as robfig/cron parses them, with its messages; and time zones.

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
  /** The number of the first name. */
  readonly first: number;
}

const MONTHS: readonly string[] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: readonly string[] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const DESCRIPTORS: ReadonlySet<string> = new Set([
  "@yearly",
  "@annually",
  "@monthly",
  "@weekly",
  "@daily",
  "@midnight",
  "@hourly",
]);

const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59, names: [], first: 0 },
  { min: 0, max: 23, names: [], first: 0 },
  { min: 1, max: 31, names: [], first: 0 },
  { min: 1, max: 12, names: MONTHS, first: 1 },
  { min: 0, max: 6, names: DAYS, first: 0 },
];

/** What is wrong with a schedule; undefined when nothing is. */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule === "") return "empty spec string";
  const zone = /^(?:CRON_)?TZ=(\S*)/.exec(schedule);
  const rest = zone === null ? schedule : schedule.slice(zone[0].length).trim();
  if (zone !== null && timeZoneProblem(zone[1] ?? "") !== undefined)
    return `provided bad location ${zone[1] ?? ""}: ${timeZoneProblem(zone[1] ?? "") ?? ""}`;
  if (rest.startsWith("@")) return descriptorProblem(rest);
  const fields = rest.split(/\s+/).filter((field) => field !== "");
  if (fields.length !== FIELDS.length)
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`;
  for (const [i, field] of fields.entries()) {
    const bounds = FIELDS[i];
    const problem = bounds === undefined ? undefined : fieldProblem(field, bounds);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function descriptorProblem(text: string): string | undefined {
  if (DESCRIPTORS.has(text)) return undefined;
  if (!text.startsWith("@every ")) return `unrecognized descriptor: ${text}`;
  const duration = text.slice("@every ".length);
  if (/^[-+]?(0|(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))+$/.test(duration)) return undefined;
  return `failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`;
}

function fieldProblem(field: string, bounds: Bounds): string | undefined {
  for (const range of field.split(",").filter((each) => each !== "")) {
    const problem = rangeProblem(range, bounds);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function rangeProblem(expression: string, bounds: Bounds): string | undefined {
  const rangeAndStep = expression.split("/");
  const lowAndHigh = (rangeAndStep[0] ?? "").split("-");
  let [start, end] = [bounds.min, bounds.max];
  if (lowAndHigh[0] !== "*" && lowAndHigh[0] !== "?") {
    const low = numberOf(lowAndHigh[0] ?? "", bounds);
    if (typeof low === "string") return low;
    start = low;
    end = low;
    if (lowAndHigh.length > 2) return `too many hyphens: ${expression}`;
    if (lowAndHigh.length === 2) {
      const high = numberOf(lowAndHigh[1] ?? "", bounds);
      if (typeof high === "string") return high;
      end = high;
    }
  }
  if (rangeAndStep.length > 2) return `too many slashes: ${expression}`;
  let step = 1;
  if (rangeAndStep.length === 2) {
    const given = integerOf(rangeAndStep[1] ?? "");
    if (typeof given === "string") return given;
    step = given;
    if (lowAndHigh.length === 1) end = bounds.max;
  }
  if (start < bounds.min) return `beginning of range (${start}) below minimum (${bounds.min}): ${expression}`;
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${expression}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${expression}`;
  return step === 0 ? `step of range should be a positive number: ${expression}` : undefined;
}

function numberOf(text: string, { names, first }: Bounds): number | string {
  const named = names.indexOf(text.toLowerCase());
  return named < 0 ? integerOf(text) : named + first;
}

/** A whole number, or what is wrong with it. */
function integerOf(text: string): number | string {
  if (!/^[-+]?\d+$/.test(text))
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  const value = Number(text);
  return value < 0 ? `negative number (${value}) not allowed: ${text}` : value;
}

/** What is wrong with the name of a time zone; undefined when nothing is. */
export function timeZoneProblem(name: string): string | undefined {
  const unknown = `unknown time zone ${name}`;
  if (name === "" || name === "UTC" || name === "Local") return undefined;
  if (/^[-+\d]/.test(name)) return unknown;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return undefined;
  } catch {
    return unknown;
  }
}

/** One measured figure, as `npm run bench` prints it: one line of JSON. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** `ratio` wherever a baseline ran beside it, else a unit of its own: `s`, `MB`. */
  readonly unit: string;
  readonly goal: number;
  readonly better: "lower" | "higher";
  /** How the value came about: the medians, how many runs. */
  readonly detail: Readonly<Record<string, number | string>>;
}

/** Something that can be measured. */
export interface Bench {
  readonly name: string;
  measure(): Promise<Figure>;
}

export function meetsGoal({ value, goal, better }: Figure): boolean {
  return better === "lower" ? value <= goal : value >= goal;
}

export function formatFigure(figure: Figure): string {
  const { name, value, unit, goal, better, detail } = figure;
  return JSON.stringify({ name, value: rounded(value), unit, goal, better, ok: meetsGoal(figure), detail });
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? NaN)
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

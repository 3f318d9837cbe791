import { plus, scaled, times, UNBOUNDED } from "./factors.js";

/** The least and the most that a size or a cost may be. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

export const UNKNOWN: Range = { min: 0, max: UNBOUNDED };

export function fixed(value: number): Range {
  return { min: value, max: value };
}

export function add(...ranges: readonly Range[]): Range {
  return ranges.reduce((a, b) => ({ min: plus(a.min, b.min), max: plus(a.max, b.max) }), fixed(0));
}

export function multiply(a: Range, b: Range): Range {
  return { min: times(a.min, b.min), max: times(a.max, b.max) };
}

export function scale(range: Range, factor: number): Range {
  return { min: scaled(range.min, factor), max: scaled(range.max, factor) };
}

/** The range that holds both. */
export function union(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

// What work costs (cel-go: common/cost.go), and arithmetic that stops at the greatest 64-bit number.

export const LIST_COST = 10;
export const MAP_COST = 30;
export const STRUCT_COST = 40;
/** Per character of a text that is read once. */
export const TEXT_FACTOR = 0.1;
/** Per character of a regular expression. */
export const PATTERN_FACTOR = 0.25;

/** Stands for all that does not fit into 64 bits. */
export const UNBOUNDED: number = 2 ** 64;

export function plus(a: number, b: number): number {
  return Math.min(UNBOUNDED, a + b);
}

export function times(a: number, b: number): number {
  return Math.min(UNBOUNDED, a * b);
}

/** Whole units, rounded up. */
export function scaled(size: number, factor: number): number {
  return Math.min(UNBOUNDED, Math.ceil(size * factor));
}

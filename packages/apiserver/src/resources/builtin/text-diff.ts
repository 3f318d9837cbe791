// How a refused change of a pod is shown: as a unified diff of the two specs.
import type { JsonValue } from "@fairlead/base";

const CONTEXT_LINES = 3;

/** The lines in which two values differ, as one hunk of a unified diff. */
export function textDiff(before: JsonValue, after: JsonValue): string {
  const a = pretty(before);
  const b = pretty(after);
  const shortest = Math.min(a.length, b.length);
  let head = 0;
  while (head < shortest && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < shortest - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const first = Math.max(0, head - CONTEXT_LINES);
  const endA = Math.min(a.length, a.length - tail + CONTEXT_LINES);
  const endB = Math.min(b.length, b.length - tail + CONTEXT_LINES);
  const lines = [
    `@@ -${range(first, endA)} +${range(first, endB)} @@`,
    ...a.slice(first, head).map((line) => ` ${line}`),
    ...a.slice(head, a.length - tail).map((line) => `-${line}`),
    ...b.slice(head, b.length - tail).map((line) => `+${line}`),
    ...a.slice(a.length - tail, endA).map((line) => ` ${line}`),
  ];
  return `${lines.join("\n")}\n`;
}

function pretty(value: JsonValue): readonly string[] {
  return JSON.stringify(value, (_key, each: unknown) => (typeof each === "bigint" ? Number(each) : each), 1).split(
    "\n",
  );
}

function range(start: number, end: number): string {
  return end - start === 1 ? String(start + 1) : `${String(start + 1)},${String(end - start)}`;
}

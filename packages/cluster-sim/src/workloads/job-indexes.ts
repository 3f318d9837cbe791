import type { kinds } from "@fairlead/client";

/** Annotation, and label, that carry the index of a pod of an Indexed job. */
export const COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";

/** The index of a pod; undefined when it has none that is below the job's completions. */
export function completionIndex(pod: kinds.Pod, completions: number): number | undefined {
  const text = pod.metadata.annotations?.[COMPLETION_INDEX] ?? "";
  const index = /^\d+$/.test(text) ? Number(text) : completions;
  return index < completions ? index : undefined;
}

/** `0-2,4` as a set; what is not below the completions, or not a number, is left out. */
export function parseIndexes(text: string | undefined, completions: number): ReadonlySet<number> {
  const indexes = new Set<number>();
  for (const part of (text ?? "").split(",")) {
    const range = /^(\d+)(?:-(\d+))?$/.exec(part);
    if (range === null) continue;
    const last = Math.min(Number(range[2] ?? range[1]), completions - 1);
    for (let i = Number(range[1]); i <= last; i++) indexes.add(i);
  }
  return indexes;
}

/** A set as Kubernetes writes it: three or more in a row are a range. */
export function formatIndexes(indexes: ReadonlySet<number>): string {
  const runs: [first: number, last: number][] = [];
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] + 1 === index) run[1] = index;
    else runs.push([index, index]);
  }
  return runs
    .map(([first, last]) =>
      first === last ? `${first}` : first + 1 === last ? `${first},${last}` : `${first}-${last}`,
    )
    .join(",");
}

/** The lowest indexes without a pod that has succeeded or may still. */
export function missingIndexes(taken: ReadonlySet<number>, completions: number, count: number): readonly number[] {
  const missing: number[] = [];
  for (let i = 0; i < completions && missing.length < count; i++) if (!taken.has(i)) missing.push(i);
  return missing;
}

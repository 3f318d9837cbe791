import type { ResourceVersion } from "./object-meta.js";

/**
 * Resource versions of one API server are decimal numbers that grow with every write. This is the only file that looks
 * inside them: the server makes them, and a cache may ask whether what it holds is at least as new as a write it made
 * (allowed for equal kinds since Kubernetes 1.35).
 */
export function resourceVersion(revision: number): ResourceVersion {
  return String(revision) as ResourceVersion;
}

/** The revision in a resourceVersion; undefined when it is not a plain decimal number. */
export function revisionOf(version: string): number | undefined {
  return /^(0|[1-9]\d*)$/.test(version) ? Number(version) : undefined;
}

/** Whether `have` is as new as `want`. Versions that are not numbers are only equal or not. */
export function isAtLeast(have: ResourceVersion, want: ResourceVersion): boolean {
  const [a, b] = [revisionOf(have), revisionOf(want)];
  return a === undefined || b === undefined ? have === want : a >= b;
}

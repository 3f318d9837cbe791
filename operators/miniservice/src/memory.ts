import type { Rendered } from "./rendered.js";

/**
 * What the operator remembers between reconciles. All of it can be lost: a render is made again, and a request that was
 * not found is looked for again.
 */
export interface Memory {
  /** By uid and digest of the chart's inputs; bounded. */
  readonly renders: Map<string, Rendered>;
  /** By uid of the service: when its request was first not found (monotonic milliseconds). */
  readonly requestMissingSince: Map<string, number>;
}

export function emptyMemory(): Memory {
  return { renders: new Map(), requestMissingSince: new Map() };
}

const MAX_RENDERS = 1000;

/** Keeps a render, and forgets the oldest beyond the bound. */
export function keepRender(memory: Memory, key: string, rendered: Rendered): void {
  memory.renders.delete(key);
  memory.renders.set(key, rendered);
  const [oldest] = memory.renders.keys();
  if (memory.renders.size > MAX_RENDERS && oldest !== undefined) memory.renders.delete(oldest);
}

/** Forgets everything about a service. */
export function forget(memory: Memory, uid: string): void {
  memory.requestMissingSince.delete(uid);
  for (const key of [...memory.renders.keys()]) if (key.startsWith(`${uid}:`)) memory.renders.delete(key);
}

import type { Documents } from "./render/documents.js";

/** A service's chart as it renders now. */
export type Rendered =
  | {
      readonly kind: "documents";
      readonly inputDigest: string;
      readonly hash: string;
      readonly documents: Documents & { readonly kind: "decoded" };
    }
  /** The chart, its values or the policy say no; only a change of them can help. */
  | {
      readonly kind: "invalid";
      readonly inputDigest: string;
      readonly reason: "ReValResultInvalid" | "UnexpectedInstallError";
      readonly message: string;
    }
  /** Rendering could not be tried; it will be tried again. */
  | { readonly kind: "unavailable"; readonly inputDigest: string; readonly message: string };

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

/**
 * Time as an argument. Code that waits or reads the time is handed a Clock: `systemClock` in production, a
 * VirtualClock in tests and simulations, so that every run can be replayed.
 */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. May jump when the machine's time is set. */
  now(): number;

  /** Milliseconds since an arbitrary moment; never goes back. For durations. */
  monotonic(): number;

  /**
   * Resolves after at least `ms` milliseconds.
   *
   * @throws `signal.reason` as soon as the signal is aborted, also when it was aborted before the call.
   */
  sleep(ms: number, signal: AbortSignal): Promise<void>;

  /** Resolves when other work that is ready has had its turn. Takes no time; for long computations between their parts. */
  turn(): Promise<void>;

  /** Calls `action` once after `ms` milliseconds, unless the returned function is called first. Never keeps Node alive. */
  schedule(ms: number, action: () => void): () => void;
}

/** A moment as Kubernetes writes it in metadata: UTC, whole seconds, `2026-11-30T12:00:00Z`. */
export function formatTime(ms: number): string {
  return `${new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

/** A moment as Kubernetes' MicroTime (Leases, Events): UTC, microseconds. */
export function formatMicroTime(ms: number): string {
  return new Date(Math.floor(ms)).toISOString().replace(/(\.\d{3})Z$/, "$1000Z");
}

/** Milliseconds of an RFC 3339 time, or undefined when the text is none. */
export function parseTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

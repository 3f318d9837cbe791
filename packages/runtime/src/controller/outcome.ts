import { FairleadError } from "@fairlead/base";

/** What a reconcile came to. A failure is thrown. */
export type Outcome =
  /** Nothing to do until something changes. */
  | { readonly kind: "settled" }
  /** Of a finalizer: everything it stood for is cleaned up, and it may be removed. Elsewhere the same as settled. */
  | { readonly kind: "released" }
  /** Reconcile again in this time at the latest. */
  | { readonly kind: "after"; readonly afterMs: number };

const SETTLED: Outcome = Object.freeze({ kind: "settled" });
const RELEASED: Outcome = Object.freeze({ kind: "released" });

export function settled(): Outcome {
  return SETTLED;
}

export function released(): Outcome {
  return RELEASED;
}

/** @param ms - Milliseconds, from the end of this reconcile. */
export function after(ms: number): Outcome {
  return { kind: "after", afterMs: ms };
}

/** A failure that trying again cannot cure: the object is left alone until it changes. */
export class TerminalError extends FairleadError {
  /** In CamelCase, fit for the reason of a condition: `QuotaExceeded`. */
  readonly reason: string;

  constructor(reason: string, message: string, options: { readonly cause?: unknown } = {}) {
    super("Terminal", message, options);
    this.reason = reason;
  }
}

/** `throw terminal("QuotaExceeded", "…")` */
export function terminal(reason: string, message: string, options: { readonly cause?: unknown } = {}): TerminalError {
  return new TerminalError(reason, message, options);
}

/** A reconcile took longer than its deadline, and its signal was aborted. */
export class ReconcileDeadlineError extends FairleadError {
  constructor(deadlineMs: number) {
    super(
      "ReconcileDeadline",
      `The reconcile took longer than ${deadlineMs} ms and was aborted; raise deadlineMs, or return after(…) instead of waiting`,
    );
  }
}

/** A write was about to be sent for a reconcile that must not write any more. It was not sent. */
export class WriteRefusedError extends FairleadError {
  constructor(write: string, why: "leadership was lost" | "the reconcile has ended") {
    super("WriteRefused", `${write} was not sent: ${why}`);
  }
}

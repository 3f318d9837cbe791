/**
 * The root of every error that Fairlead throws on purpose. Each subclass has one stable `code`; match by it, never by
 * the message.
 */
export class FairleadError extends Error {
  /** Stable, e.g. `"PortInUse"`; listed in docs/errors.md. */
  readonly code: string;

  /** @param message - What failed, for which object, and what to do next. */
  constructor(code: string, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
  }
}

/** A mistake of ours, not of the caller's: a state that the code promised could not be. */
export class InvariantError extends FairleadError {
  constructor(message: string) {
    super("Invariant", `${message}. This is a defect in Fairlead; please report it.`);
  }
}

/** Throws InvariantError unless `condition` holds. Stays on in production. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** Marks the branch of a `switch` that no value can reach. */
export function assertNever(value: never): never {
  throw new InvariantError(`Unexpected value ${String(JSON.stringify(value))}`);
}

/** The message of anything that can be thrown, causes included, on one line; never a stack. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error && !error.message.includes(error.cause.message) ? error.cause : undefined;
  return cause === undefined ? error.message : `${error.message}: ${messageOf(cause)}`;
}

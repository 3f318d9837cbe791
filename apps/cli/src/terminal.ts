/** What a command may use of its process. `main.ts` alone reads the real one. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Where SIGINT and SIGTERM arrive. */
  readonly signals: Signals;
}

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface Signals {
  on(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  off(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
}

/** A signal that is aborted by Ctrl-C or SIGTERM; `release` takes the listeners off again. */
export function interruption(signals: Signals): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController();
  const stop = (): void => {
    controller.abort(new Interrupted());
  };
  signals.on("SIGINT", stop);
  signals.on("SIGTERM", stop);
  return {
    signal: controller.signal,
    release: () => {
      signals.off("SIGINT", stop);
      signals.off("SIGTERM", stop);
    },
  };
}

/** Somebody asked the program to stop; not a failure. */
export class Interrupted extends Error {
  constructor() {
    super("interrupted");
  }
}

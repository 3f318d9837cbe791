/** Fields of a log event. Never put secrets, whole objects or request bodies here. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Structured logging: an event is a short constant text with fields. */
export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** A logger that adds `fields` to each of its events. */
  with(fields: LogFields): Logger;
}

const nothing = (): void => undefined;

/** A logger that says nothing. */
export const silentLogger: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  with: () => silentLogger,
};

export type LogLevel = "debug" | "info" | "warn" | "error";

const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** A logger that hands each event at or above `level` to `write` as one JSON line without its newline. */
export function jsonLogger(
  write: (line: string) => void,
  options: { readonly level: LogLevel; readonly now: () => number },
  base: LogFields = {},
): Logger {
  const at =
    (level: LogLevel) =>
    (event: string, fields: LogFields = {}): void => {
      if (RANK[level] < RANK[options.level]) return;
      write(JSON.stringify({ time: new Date(options.now()).toISOString(), level, event, ...base, ...fields }, plain));
    };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    with: (fields) => jsonLogger(write, options, { ...base, ...fields }),
  };
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return value instanceof Error ? { name: value.name, message: value.message } : value;
}

import { assertNever, FairleadError, type Files } from "@fairlead/base";

import { decodeLine, FORMAT, type Line } from "./lines.js";
import type { MemoryStorage } from "./memory.js";

/** What a folder holds, by its names. */
export interface Inventory {
  /** The newest snapshot; 0 when there is none. */
  readonly snapshot: number;
  /** The logs that follow it, in order. */
  readonly logs: readonly number[];
  /** Files that nothing needs any more. */
  readonly stale: readonly string[];
}

/** @throws FairleadError `DataDirectory` when a log is missing */
export async function inventory(files: Files, directory: string): Promise<Inventory> {
  const names = (await files.list(directory)).map((entry) => entry.name);
  const numbers = (pattern: RegExp): number[] =>
    names
      .map((name) => pattern.exec(name)?.[1])
      .filter((n) => n !== undefined)
      .map(Number)
      .sort((a, b) => a - b);
  const snapshots = numbers(/^snapshot\.(\d+)$/);
  const snapshot = snapshots.at(-1) ?? 0;
  const logs = numbers(/^log\.(\d+)$/).filter((n) => n >= snapshot);
  const first = Math.max(snapshot, 1);
  for (let i = 0; i < Math.max(logs.length, snapshot > 0 ? 1 : 0); i++) {
    if (logs[i] !== first + i) throw damaged(`${directory}/log.${first + i}`, "is missing");
  }
  const stale = names.filter((name) => {
    const generation = Number(/^(?:snapshot|log)\.(\d+)$/.exec(name)?.[1] ?? NaN);
    return generation < snapshot || name.endsWith(".tmp");
  });
  return { snapshot, logs, stale };
}

/** Reads a whole snapshot. @throws FairleadError `DataDirectory` at the first byte that is not as it was written */
export async function replaySnapshot(files: Files, path: string, memory: MemoryStorage): Promise<void> {
  const bytes = Buffer.from(await files.read(path));
  let lines = -1; // Until its head is read.
  let compacted = 0;
  for (const { at, line } of linesOf(bytes)) {
    if (line === undefined) throw damaged(path, `is damaged at byte ${at}`);
    if (lines === -1 && line.kind === "head" && "compacted" in line.head) {
      checkFormat(path, line.head.format);
      compacted = line.head.compacted;
      memory.restoreRevision(compacted);
      lines = 0;
    } else if (lines >= 0 && line.kind === "write") {
      lines++;
      if (line.write.revision <= compacted) memory.restore(line.write);
      else if (!memory.replay(line.write)) throw damaged(path, `is out of order at byte ${at}`);
    } else if (line.kind === "end" && line.end.lines === lines) {
      memory.advance(line.end.revision);
      return;
    } else throw damaged(path, `is out of order at byte ${at}`);
  }
  throw damaged(path, `ends too early, at byte ${bytes.length}`);
}

/**
 * Reads a log.
 *
 * @param ending - `torn` for the last log, whose end may be what a crash left of writes that nobody was promised.
 * @returns its bytes, and how many of them count: the rest was never acknowledged and is to be cut off
 * @throws FairleadError `DataDirectory` for damage anywhere else
 */
export async function replayLog(
  files: Files,
  { path, ending }: { readonly path: string; readonly ending: "whole" | "torn" },
  memory: MemoryStorage,
): Promise<{ readonly bytes: number; readonly whole: number }> {
  const bytes = Buffer.from(await files.read(path));
  for (const { at, line } of linesOf(bytes)) {
    if (line !== undefined && follows(line, { path, at, memory })) continue;
    if (ending === "whole" || hasMarkAfter(bytes, at)) throw damaged(path, `is damaged at byte ${at}`);
    return { bytes: bytes.length, whole: at };
  }
  return { bytes: bytes.length, whole: bytes.length };
}

/** Takes a line of a log in, where it stands as it must. */
function follows(
  line: Line,
  { path, at, memory }: { readonly path: string; readonly at: number; readonly memory: MemoryStorage },
): boolean {
  switch (line.kind) {
    case "head":
      checkFormat(path, line.head.format);
      return at === 0 && "log" in line.head;
    case "mark":
      return at > 0 && line.mark.sync === at;
    case "write":
      return at > 0 && memory.replay(line.write);
    case "end":
      return false;
    default:
      return assertNever(line);
  }
}

/** Whether something behind an offset was written after everything before it was on the disk. */
function hasMarkAfter(bytes: Buffer, offset: number): boolean {
  for (let found = bytes.indexOf(MARK, offset); found >= 0; found = bytes.indexOf(MARK, found + 1)) {
    const at = found - CHECKSUM_LENGTH;
    const end = bytes.indexOf(10, found);
    const line = at <= offset || end < 0 || end - at > MARK_LENGTH ? undefined : decodeLine(bytes.subarray(at, end));
    if (line?.kind === "mark" && line.mark.sync === at) return true;
  }
  return false;
}

const MARK = '{"sync":';
const CHECKSUM_LENGTH = 9;
/** No mark is longer: a checksum, and an offset of at most 16 digits. */
const MARK_LENGTH = 64;

/**
 * Reads a folder of the first format, which had neither heads nor marks: a snapshot of one revision that ended with a
 * line without a key, and one log, of which a crash could tear the last line.
 */
export async function replayFormatOne(files: Files, directory: string, options: FormatOne): Promise<void> {
  const { generation, memory } = options;
  const snapshot = `${directory}/snapshot.${generation}`;
  let ended = false;
  for (const { at, line } of linesOf(Buffer.from(await files.read(snapshot)))) {
    if (line?.kind !== "write" || ended) throw damaged(snapshot, `is damaged at byte ${at}`);
    ended = line.write.key === "";
    if (ended) memory.restoreRevision(line.write.revision);
    else memory.restore(line.write);
  }
  if (!ended) throw damaged(snapshot, "ends too early");
  const log = `${directory}/log.${generation}`;
  const bytes = Buffer.from(await files.read(log));
  for (const { at, end, line } of linesOf(bytes)) {
    if (line?.kind === "write") memory.replay(line.write);
    else if (bytes.indexOf(10, end + 1) >= 0) throw damaged(log, `is damaged at byte ${at}`);
    else return;
  }
}

export interface FormatOne {
  readonly generation: number;
  readonly memory: MemoryStorage;
}

/** Whether a snapshot is of the first format. */
export async function isFormatOne(files: Files, path: string): Promise<boolean> {
  for (const { line } of linesOf(Buffer.from(await files.read(path)))) return line?.kind === "write";
  return false;
}

interface Piece {
  readonly at: number;
  readonly end: number;
  /** Undefined when it is damaged, or has no end. */
  readonly line: Line | undefined;
}

function* linesOf(bytes: Buffer): Generator<Piece> {
  for (let at = 0; at < bytes.length;) {
    const newline = bytes.indexOf(10, at);
    const end = newline < 0 ? bytes.length : newline;
    yield { at, end, line: newline < 0 ? undefined : decodeLine(bytes.subarray(at, end)) };
    at = end + 1;
  }
}

function checkFormat(path: string, format: number): void {
  if (format === FORMAT) return;
  throw new FairleadError(
    "DataDirectory",
    `${path} has format ${format}, and this version reads formats 1 and ${FORMAT}: start the version that wrote it, or one that is newer`,
  );
}

function damaged(path: string, how: string): FairleadError {
  return new FairleadError(
    "DataDirectory",
    `${path} ${how}: restore the folder from a snapshot with \`fairlead server restore\`, or move it away to start empty`,
  );
}

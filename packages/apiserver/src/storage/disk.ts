import type { Files } from "@fairlead/base";

import { Log, type LogPosition } from "./log.js";
import { MemoryStorage } from "./memory.js";
import { inventory, isFormatOne, replayFormatOne, replayLog, replaySnapshot } from "./replay.js";
import type { Storage } from "./storage.js";

/**
 * Storage in memory with a log on disk. A folder holds the newest `snapshot.<n>`, and `log.<n>` with every write since;
 * while the next snapshot is being written also `log.<n+1>`. What the lines are is told in lines.ts.
 */
export interface DiskStorageOptions {
  readonly files: Files;
  /** Absolute; created with mode 0700 when missing. Only one storage may have it open: see lock.ts. */
  readonly directory: string;
  /**
   * Log bytes since the last snapshot that call for the next one; 64 MiB by default, and never fewer than the last
   * snapshot has, so that snapshots at most double what is written.
   */
  readonly maxLogBytes?: number;
  /** As in MemoryStorageOptions. What is kept of the past is kept over a restart, too. */
  readonly maxEvents?: number;
  /** Told of what goes wrong without a write to answer for it; by default nobody is. */
  readonly onTrouble?: (message: string, cause: unknown) => void;
}

/**
 * Opens or creates the storage of a folder.
 *
 * @throws FairleadError `DataDirectory` naming the file, the offset, and what to do
 */
export async function openDiskStorage(options: DiskStorageOptions): Promise<Storage> {
  const { files, directory, maxEvents } = options;
  await files.makeDirectory(directory);
  const memory = new MemoryStorage(maxEvents === undefined ? {} : { maxEvents });
  const found = await inventory(files, directory);
  for (const name of found.stale) await files.remove(`${directory}/${name}`);
  const old = found.snapshot > 0 && (await isFormatOne(files, `${directory}/snapshot.${found.snapshot}`));
  const position = old
    ? await replayOld(options, found.snapshot, memory)
    : await replayAll(options, { ...found, memory });
  const log = new Log(
    {
      files,
      directory,
      maxLogBytes: options.maxLogBytes ?? 64 << 20,
      image: () => memory.image(),
      onTrouble: options.onTrouble ?? (() => undefined),
    },
    position,
  );
  await log.open();
  if (old) await log.rotate();
  memory.attach(log);
  return memory;
}

async function replayOld(
  { files, directory }: DiskStorageOptions,
  generation: number,
  memory: MemoryStorage,
): Promise<LogPosition> {
  await replayFormatOne(files, directory, { generation, memory });
  const { length } = await files.read(`${directory}/log.${generation}`);
  return { generation, size: Math.max(length, 1), snapshot: generation, logBytes: length };
}

interface Reading {
  readonly snapshot: number;
  readonly logs: readonly number[];
  readonly memory: MemoryStorage;
}

async function replayAll(
  { files, directory }: DiskStorageOptions,
  { snapshot, logs, memory }: Reading,
): Promise<LogPosition> {
  if (snapshot > 0) await replaySnapshot(files, `${directory}/snapshot.${snapshot}`, memory);
  let size = 0;
  let logBytes = 0;
  for (const generation of logs) {
    const path = `${directory}/log.${generation}`;
    const last = generation === logs.at(-1);
    const { bytes, whole } = await replayLog(files, { path, ending: last ? "torn" : "whole" }, memory);
    if (whole < bytes) await files.truncate(path, whole);
    size = whole;
    logBytes += whole;
  }
  return { generation: logs.at(-1) ?? 1, size, snapshot, logBytes };
}

import { FairleadError, type Files } from "@fairlead/base";

import { encodeMeta, FORMAT } from "./lines.js";
import { MemoryStorage } from "./memory.js";
import { inventory, isFormatOne, replayFormatOne, replayLog, replaySnapshot } from "./replay.js";
import { writeSnapshot } from "./snapshot.js";

/** How a backup went. */
export interface BackupReport {
  readonly objects: number;
  readonly revision: number;
}

/** Attempts to read a folder whose files another process replaces meanwhile. */
const ATTEMPTS = 10;

/**
 * Writes everything that a folder holds into one file, also while a server has it open: files there only grow, or are
 * replaced as a whole, and then they are read again. What the server has acknowledged before the call is in it.
 *
 * @param path - Absolute; replaced when it exists; mode 0600.
 * @throws FairleadError `DataDirectory` when the folder is damaged or holds nothing
 */
export async function snapshotStorage(files: Files, directory: string, path: string): Promise<BackupReport> {
  const memory = await readFolder(files, directory);
  const image = memory.image();
  await writeSnapshot(files, { path, image, generation: 1 });
  await files.syncDirectory(path.slice(0, path.lastIndexOf("/")) || "/");
  return { objects: memory.size, revision: image.revision };
}

async function readFolder(files: Files, directory: string): Promise<MemoryStorage> {
  for (let attempt = 1; ; attempt++) {
    const memory = new MemoryStorage();
    try {
      const { snapshot, logs } = await inventory(files, directory);
      if (snapshot === 0 && logs.length === 0) throw new FairleadError("DataDirectory", `${directory} holds nothing`);
      const newest = `${directory}/snapshot.${snapshot}`;
      if (snapshot > 0 && (await isFormatOne(files, newest))) {
        await replayFormatOne(files, directory, { generation: snapshot, memory });
        return memory;
      }
      if (snapshot > 0) await replaySnapshot(files, newest, memory);
      for (const n of logs)
        await replayLog(files, { path: `${directory}/log.${n}`, ending: n === logs.at(-1) ? "torn" : "whole" }, memory);
      return memory;
    } catch (error) {
      const replaced = error instanceof FairleadError && ["FileNotFound", "DataDirectory"].includes(error.code);
      if (!replaced || attempt === ATTEMPTS) throw error;
    }
  }
}

/**
 * Added to the revision of what is restored (as etcd's guide advises): a client that has seen something newer than the
 * backup is told that its revision is gone, rather than be left with what never happened.
 */
const REVISION_BUMP = 1_000_000_000;

/**
 * Makes a folder of a backup, which is read and checked as a whole first. The past is forgotten, so every watch begins
 * anew, and revisions go on far beyond those of the backup.
 *
 * @throws FairleadError `DataDirectory` when the backup is damaged, or the folder holds something
 */
export async function restoreStorage(files: Files, path: string, directory: string): Promise<BackupReport> {
  const memory = new MemoryStorage();
  if (await isFormatOne(files, path))
    throw new FairleadError("DataDirectory", `${path} is of the first format, which has no backups`);
  await replaySnapshot(files, path, memory);
  await files.makeDirectory(directory);
  if ((await files.list(directory)).some((entry) => !entry.name.endsWith(".tmp")))
    throw new FairleadError(
      "DataDirectory",
      `${directory} is not empty: move it away, or choose another folder with --data-dir`,
    );
  memory.restoreRevision(memory.revision + REVISION_BUMP);
  const log = await files.openAppend(`${directory}/log.1`);
  await log.append(Buffer.from(encodeMeta({ format: FORMAT, log: 1 })));
  await log.sync();
  await log.close();
  await writeSnapshot(files, { path: `${directory}/snapshot.1`, image: memory.image(), generation: 1 });
  await files.syncDirectory(directory);
  return { objects: memory.size, revision: memory.revision };
}

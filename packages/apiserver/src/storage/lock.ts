import { open, readFile, rm } from "node:fs/promises";

import { FairleadError, messageOf } from "@fairlead/base";
import { systemFiles } from "@fairlead/base/node";

/**
 * Claims a data folder for this process: a `lock` file with the process's id. One left by a process that is gone is
 * taken over.
 *
 * @returns the function that gives the folder back
 * @throws FairleadError `DataDirectoryLocked` when another process has it, `DataDirectory` when it cannot be written
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const path = `${directory}/lock`;
  try {
    await systemFiles.makeDirectory(directory);
    for (let attempt = 0; attempt < 2; attempt++) {
      if (await claim(path)) return () => rm(path, { force: true });
      const owner = Number(await readFile(path, "utf8").catch(() => ""));
      if (isRunning(owner)) {
        throw new FairleadError(
          "DataDirectoryLocked",
          `${directory} is in use by process ${owner}: stop it, or choose another folder with --data-dir`,
        );
      }
      await rm(path, { force: true });
    }
  } catch (cause) {
    if (cause instanceof FairleadError && cause.code === "DataDirectoryLocked") throw cause;
    throw new FairleadError(
      "DataDirectory",
      `cannot write to ${directory}: ${messageOf(cause)}; choose a folder that you may write with --data-dir`,
      { cause },
    );
  }
  throw new FairleadError(
    "DataDirectoryLocked",
    `${directory} is in use by another process: choose another folder with --data-dir`,
  );
}

async function claim(path: string): Promise<boolean> {
  try {
    const handle = await open(path, "wx", 0o600);
    await handle.writeFile(String(process.pid));
    await handle.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

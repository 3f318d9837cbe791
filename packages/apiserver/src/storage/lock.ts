import { link, open, readFile, rename, rm } from "node:fs/promises";

import { FairleadError, messageOf } from "@fairlead/base";
import { systemFiles, systemRandom } from "@fairlead/base/node";

/** Who holds a folder. A process id alone does not say: it comes again, in a container every time. */
interface Owner {
  readonly pid: number;
  /** When the process started, as its system counts it; empty where that cannot be told. */
  readonly started: string;
}

/**
 * Claims a data folder for this process: a file `lock` that says which process. One left by a process that is gone is
 * taken over.
 *
 * @returns the function that gives the folder back
 * @throws FairleadError `DataDirectoryLocked` when another process has it, `DataDirectory` when it cannot be written
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const path = `${directory}/lock`;
  try {
    await systemFiles.makeDirectory(directory);
    for (let attempt = 0; attempt < 3; attempt++) {
      if (await claim(path)) return () => rm(path, { force: true });
      const text = await readFile(path, "utf8").catch(() => "");
      const owner = ownerOf(text);
      if (owner !== undefined && (await isRunning(owner))) {
        throw new FairleadError(
          "DataDirectoryLocked",
          `${directory} is in use by process ${owner.pid}: stop it, or choose another folder with --data-dir`,
        );
      }
      await takeAway(path, text);
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

/** Puts the lock there with its content, in one step; false when there is one. */
async function claim(path: string): Promise<boolean> {
  const own = `${path}.${suffix()}`;
  const owner: Owner = { pid: process.pid, started: await startOf(process.pid) };
  const handle = await open(own, "wx", 0o600);
  try {
    await handle.writeFile(JSON.stringify(owner));
    await handle.close();
    await link(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(own, { force: true });
  }
}

/** Removes a lock that nobody holds, unless another process has just put its own in its place. */
async function takeAway(path: string, text: string): Promise<void> {
  const aside = `${path}.${suffix()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  if ((await readFile(aside, "utf8")) !== text) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

/** What a lock says; older ones hold a process id alone. */
function ownerOf(text: string): Owner | undefined {
  const pid = Number(text);
  if (Number.isInteger(pid) && pid > 0) return { pid, started: "" };
  try {
    return JSON.parse(text) as Owner;
  } catch {
    return undefined;
  }
}

async function isRunning({ pid, started }: Owner): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  const now = await startOf(pid);
  return started === "" || now === "" || now === started;
}

/** On Linux: which boot, and how many ticks after it the process started. */
async function startOf(pid: number): Promise<string> {
  try {
    const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z") return "ended, and its parent has not noticed";
    return `${boot} ${fields[19] ?? ""}`;
  } catch {
    return "";
  }
}

function suffix(): string {
  return Buffer.from(systemRandom.bytes(8)).toString("hex");
}

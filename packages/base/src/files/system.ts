import { mkdir, open, readFile, readdir, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import { FairleadError } from "../errors/errors.js";
import type { Files } from "./files.js";

const CODES: Readonly<Record<string, string>> = {
  ENOENT: "FileNotFound",
  ENOTDIR: "FileNotFound",
  EEXIST: "FileExists",
  EACCES: "PermissionDenied",
  EPERM: "PermissionDenied",
  EROFS: "PermissionDenied",
  ENOSPC: "DiskFull",
};

/** Runs one disk operation; failures become FairleadErrors that name the path. */
async function on<T>(path: string, what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    const errno = (cause as NodeJS.ErrnoException).code ?? "";
    throw new FairleadError(CODES[errno] ?? "IoError", `cannot ${what} ${path}: ${errno || String(cause)}`, { cause });
  }
}

/** A folder with its parents. Not `recursive`: on file systems that refuse new folders with ENOENT that never returns. */
async function makeFolder(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") {
      if ((await stat(path)).isDirectory()) return;
      throw error;
    }
    const parent = dirname(path);
    if (
      code !== "ENOENT" ||
      parent === path ||
      (await stat(parent).then(
        () => true,
        () => false,
      ))
    )
      throw error;
    await makeFolder(parent, mode);
    await mkdir(path, { mode });
  }
}

/** The machine's disk. */
export const systemFiles: Files = {
  read: (path) => on(path, "read", () => readFile(path)),
  write: (path, data, mode = 0o600) => on(path, "write", () => writeFile(path, data, { mode })),
  openAppend: (path, mode = 0o600) =>
    on(path, "open", async () => {
      const handle = await open(path, "a", mode);
      return {
        append: (data) => on(path, "append to", async () => void (await handle.appendFile(data))),
        sync: () => on(path, "sync", () => handle.datasync()),
        close: () => on(path, "close", () => handle.close()),
      };
    }),
  rename: (from, to) => on(to, "replace", () => rename(from, to)),
  remove: (path) => on(path, "remove", () => rm(path, { recursive: true, force: true })),
  makeDirectory: (path, mode = 0o700) => on(path, "create", () => makeFolder(path, mode)),
  syncDirectory: (path) =>
    on(path, "sync", async () => {
      const handle = await open(path, "r");
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    }),
  list: (path) =>
    on(path, "list", async () => {
      const entries = await readdir(path, { withFileTypes: true });
      return entries
        .map((e) => ({
          name: e.name,
          kind: e.isFile() ? ("file" as const) : e.isDirectory() ? ("directory" as const) : ("other" as const),
        }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    }),
  exists: (path) =>
    stat(path).then(
      () => true,
      () => false,
    ),
  truncate: (path, length) => on(path, "truncate", () => truncate(path, length)),
};

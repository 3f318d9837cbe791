import { FairleadError, parseJson, type AppendFile, type Files, type JsonObject } from "@fairlead/base";

import { MemoryStorage, type PersistedWrite } from "./memory.js";
import type { Storage } from "./storage.js";

/**
 * Storage with a log on disk. A folder holds `snapshot.<n>` (every object at one revision) and `log.<n>` (every write
 * since, one line each: CRC-32 in hex, a space, JSON). Opening reads the newest whole snapshot and its log; a torn last
 * line is cut off, damage anywhere else is an error. Writes that arrive while an fsync runs share the next one.
 */
export interface DiskStorageOptions {
  readonly files: Files;
  /** Absolute; created with mode 0700 when missing. */
  readonly directory: string;
  /** Log bytes after which opening, or a write, starts a new snapshot; 64 MiB by default. */
  readonly maxLogBytes?: number;
}

interface Line {
  readonly c: string;
  readonly k: string;
  readonly r: number;
  readonly v?: JsonObject;
}

/** Opens or creates the storage of a folder. @throws FairleadError `DataDirectory` naming the folder and what to do. */
export async function openDiskStorage(options: DiskStorageOptions): Promise<Storage> {
  const { files, directory } = options;
  await files.makeDirectory(directory);
  const generations = (await files.list(directory))
    .map((e) => /^snapshot\.(\d+)$/.exec(e.name)?.[1])
    .filter((g) => g !== undefined);
  const generation = Math.max(0, ...generations.map(Number));
  const log = new Log(files, directory, generation, options.maxLogBytes ?? 64 << 20);
  const memory = new MemoryStorage({ persist: (write) => log.append(write) });
  if (generation > 0) await replay(options, `snapshot.${generation}`, memory, "whole");
  await replay(options, `log.${generation}`, memory, "torn");
  log.memory = memory;
  await log.open();
  const close = memory.close.bind(memory);
  memory.close = async () => {
    await close();
    await log.close();
  };
  return memory;
}

async function replay(
  { files, directory }: DiskStorageOptions,
  name: string,
  memory: MemoryStorage,
  ending: "whole" | "torn",
): Promise<void> {
  const path = `${directory}/${name}`;
  if (!(await files.exists(path))) return;
  const bytes = Buffer.from(await files.read(path));
  let at = 0;
  while (at < bytes.length) {
    const end = bytes.indexOf(10, at);
    const line = end < 0 ? undefined : decodeLine(bytes.toString("utf8", at, end));
    if (line === undefined) {
      const last = end < 0 || bytes.indexOf(10, end + 1) < 0;
      if (ending === "torn" && last) return files.truncate(path, at);
      throw new FairleadError(
        "DataDirectory",
        `${path} is damaged at byte ${at}: restore the folder from a backup, or move it away to start empty`,
      );
    }
    memory.restore(line.c, line.k, line.r, line.v);
    at = end + 1;
  }
}

function encodeLine(write: PersistedWrite): string {
  const head = `{"c":${JSON.stringify(write.collection)},"k":${JSON.stringify(write.key)},"r":${write.revision}`;
  const json = write.text === undefined ? `${head}}` : `${head},"v":${write.text}}`;
  return `${crc32(json)} ${json}\n`;
}

function decodeLine(text: string): Line | undefined {
  const json = text.slice(9);
  if (text[8] !== " " || crc32(json) !== text.slice(0, 8)) return undefined;
  return parseJson(json) as unknown as Line;
}

/** The append side: one file, group commit. */
class Log {
  memory: MemoryStorage | undefined;
  readonly #files: Files;
  readonly #directory: string;
  readonly #maxBytes: number;
  #generation: number;
  #file: AppendFile | undefined;
  #bytes = 0;
  #batch: { readonly lines: NewLine[]; readonly done: Promise<void> } | undefined;
  /** The batch that was made durable last; the storage may not have published all of it yet. */
  #recent: readonly NewLine[] = [];
  #busy: Promise<void> = Promise.resolve();
  #failed: FairleadError | undefined;

  constructor(files: Files, directory: string, generation: number, maxBytes: number) {
    this.#files = files;
    this.#directory = directory;
    this.#generation = generation;
    this.#maxBytes = maxBytes;
  }

  /** Starts a fresh generation: a snapshot of what was replayed and an empty log. */
  async open(): Promise<void> {
    await this.#rotate();
  }

  append(write: PersistedWrite): Promise<void> {
    if (this.#failed !== undefined) return Promise.reject(this.#failed);
    if (this.#batch === undefined) {
      const lines: NewLine[] = [];
      const done = this.#busy.then(() => this.#flush(lines));
      this.#busy = done.catch(() => undefined);
      this.#batch = { lines, done };
    }
    this.#batch.lines.push({ revision: write.revision, text: encodeLine(write) });
    return this.#batch.done;
  }

  async close(): Promise<void> {
    await this.#busy;
    await this.#file?.close();
    this.#file = undefined;
  }

  async #flush(lines: readonly NewLine[]): Promise<void> {
    this.#batch = undefined;
    try {
      if (this.#bytes > this.#maxBytes) await this.#rotate();
      const data = Buffer.from(lines.map((l) => l.text).join(""));
      await this.#file?.append(data);
      await this.#file?.sync();
      this.#bytes += data.length;
      this.#recent = lines;
    } catch (cause) {
      this.#failed = new FairleadError(
        "DataDirectory",
        `cannot write to ${this.#directory}; the server accepts no more writes`,
        { cause },
      );
      throw this.#failed;
    }
  }

  /**
   * Writes a snapshot of the visible state under the next generation, then starts its log and removes the older files.
   * The new log begins with what was durable but not yet visible when the snapshot began, and stands before the
   * snapshot gets its name: a crash at any point finds one whole generation.
   */
  async #rotate(): Promise<void> {
    const { memory } = this;
    if (memory === undefined) return;
    const next = this.#generation + 1;
    const at = (name: string): string => `${this.#directory}/${name}`;
    const began = memory.revision;
    for (const name of [`snapshot.${next}.tmp`, `log.${next}`]) await this.#files.remove(at(name));
    const snapshot = await this.#files.openAppend(at(`snapshot.${next}.tmp`));
    let chunk = "";
    for (const { collection, record } of memory.records()) {
      chunk += encodeLine({ collection, key: record.key, revision: record.revision, text: record.text });
      if (chunk.length > 1 << 20) {
        await snapshot.append(Buffer.from(chunk));
        chunk = "";
      }
    }
    await snapshot.append(
      Buffer.from(chunk + encodeLine({ collection: "", key: "", revision: began, text: undefined })),
    );
    await snapshot.sync();
    await snapshot.close();
    const log = await this.#files.openAppend(at(`log.${next}`));
    await log.append(
      Buffer.from(
        this.#recent
          .filter((l) => l.revision > began)
          .map((l) => l.text)
          .join(""),
      ),
    );
    await log.sync();
    await this.#files.rename(at(`snapshot.${next}.tmp`), at(`snapshot.${next}`));
    await this.#files.syncDirectory(this.#directory);
    await this.#file?.close();
    this.#file = log;
    this.#bytes = 0;
    const old = this.#generation;
    this.#generation = next;
    for (const name of [`snapshot.${old}`, `log.${old}`]) await this.#files.remove(at(name));
  }
}

interface NewLine {
  readonly revision: number;
  readonly text: string;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});

/** CRC-32 (IEEE) of a text's UTF-8 bytes, as 8 hex digits. */
function crc32(text: string): string {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) crc = (TABLE[(crc ^ byte) & 255] as number) ^ (crc >>> 8);
  return ((crc ^ 0xffffffff) >>> 0).toString(16).padStart(8, "0");
}

import { FairleadError, messageOf, type AppendFile, type Files } from "@fairlead/base";

import { encodeMeta, encodeWrite, FORMAT } from "./lines.js";
import type { Image, Journal, PersistedWrite } from "./memory.js";
import { writeSnapshot } from "./snapshot.js";

export interface LogOptions {
  readonly files: Files;
  readonly directory: string;
  /** Log bytes since the last snapshot that call for the next one; at least as many as that snapshot has. */
  readonly maxLogBytes: number;
  /** Everything that is visible, at the moment of the call. */
  readonly image: () => Image;
  /** Told of what goes wrong without a write to answer for it. */
  readonly onTrouble: (message: string, cause: unknown) => void;
}

/** Where the log of an opened folder goes on. */
export interface LogPosition {
  readonly generation: number;
  /** Bytes of `log.<generation>`; 0: the file is to be begun. */
  readonly size: number;
  /** The snapshot that the logs follow; 0 when there is none. */
  readonly snapshot: number;
  /** Bytes of all logs since then. */
  readonly logBytes: number;
}

interface Waiting {
  readonly write: PersistedWrite;
  readonly done: (failure?: FairleadError) => void;
}

/**
 * The append side of a data folder. Writes that arrive while an fsync runs share the next one. When a disk is full the
 * log is cut back to what is durable and takes writes again as soon as there is room; after any other failure, and
 * above all after a failed fsync, nobody knows what is on the disk, and no write is taken any more.
 */
export class Log implements Journal {
  readonly #options: LogOptions;
  #generation: number;
  #file: AppendFile | undefined;
  #size: number;
  #snapshot: number;
  #logBytes: number;
  #snapshotBytes = 0;
  #queue: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  #snapshotting: Promise<void> | undefined;
  #failed: FairleadError | undefined;
  #full: FairleadError | undefined;
  #lastTrouble: unknown;
  #probing = false;
  #closed = false;

  constructor(options: LogOptions, position: LogPosition) {
    this.#options = options;
    this.#generation = position.generation;
    this.#size = position.size;
    this.#snapshot = position.snapshot;
    this.#logBytes = position.logBytes;
  }

  /** A disk that was full is tried again: the answer may be another the next time. */
  get refusal(): FairleadError | undefined {
    return this.#failed;
  }

  /** Also while the disk is full. Asking tries, in the background, whether it still is. */
  get trouble(): FairleadError | undefined {
    if (this.#full !== undefined && !this.#probing) void this.#probe();
    return this.#failed ?? this.#full;
  }

  /** Opens the log for appending and makes sure that what was read from it is on the disk. */
  async open(): Promise<void> {
    const { files, directory } = this.#options;
    this.#file = await files.openAppend(this.#path(this.#generation));
    if (this.#size === 0) this.#size = await this.#begin(this.#file, this.#generation);
    else await this.#file.sync();
    await files.syncDirectory(directory);
  }

  append(write: PersistedWrite, done: (failure?: FairleadError) => void): void {
    this.#queue.push({ write, done });
    this.#flushing ??= this.#flush();
  }

  /** Starts a new log and writes a snapshot of what was before it. @throws FairleadError `DataDirectory` when it could not */
  async rotate(): Promise<void> {
    await this.#flushing;
    await this.#switch();
    await this.#snapshotting;
    if (this.#snapshot === this.#generation) return;
    throw new FairleadError("DataDirectory", `cannot write a snapshot into ${this.#options.directory}`, {
      cause: this.#lastTrouble,
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#flushing;
    await this.#snapshotting;
    if (this.#failed === undefined && this.#full === undefined) await this.#mark().catch(() => undefined);
    await this.#file?.close().catch(() => undefined);
    this.#file = undefined;
  }

  async #flush(): Promise<void> {
    await Promise.resolve(); // So that whoever comes in the same turn shares the first fsync, and nobody is answered at once.
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      const failure = await this.#persist(batch);
      // What was queued meanwhile may build on what is not there now.
      const rest = failure === undefined ? [] : this.#queue.splice(0);
      for (const { done } of [...batch, ...rest]) done(failure);
      if (failure === undefined && this.#isLong()) await this.#switch();
    }
    this.#flushing = undefined;
  }

  async #persist(batch: readonly Waiting[]): Promise<FairleadError | undefined> {
    if (this.#failed !== undefined) return this.#failed;
    const data = Buffer.from(encodeMeta({ sync: this.#size }) + batch.map(({ write }) => encodeWrite(write)).join(""));
    try {
      await this.#open.append(data);
    } catch (cause) {
      return isFull(cause) ? this.#cutBack(cause) : this.#fail(cause);
    }
    try {
      await this.#open.sync();
    } catch (cause) {
      return this.#fail(cause);
    }
    this.#size += data.length;
    this.#logBytes += data.length;
    this.#full = undefined;
    return undefined;
  }

  get #open(): AppendFile {
    if (this.#file === undefined) throw new FairleadError("DataDirectory", "the data folder is closed");
    return this.#file;
  }

  /** Removes what was written of a batch for which there was no room. */
  async #cutBack(cause: unknown): Promise<FairleadError> {
    const { files, directory } = this.#options;
    try {
      await files.truncate(this.#path(this.#generation), this.#size);
    } catch (error) {
      return this.#fail(error);
    }
    this.#full = new FairleadError(
      "DiskFull",
      `the disk of ${directory} is full: free space, and writes are accepted again; reads go on`,
      { cause },
    );
    return this.#full;
  }

  #fail(cause: unknown): FairleadError {
    this.#failed = new FairleadError(
      "DataDirectory",
      `cannot write to ${this.#options.directory}: ${messageOf(cause)}; the server accepts no more writes, and reads go on: look at the disk, then start it again`,
      { cause },
    );
    this.#trouble("the data folder failed; no more writes are accepted", cause);
    return this.#failed;
  }

  /** Tries whether there is room again. */
  async #probe(): Promise<void> {
    this.#probing = true;
    const { files, directory } = this.#options;
    try {
      const path = `${directory}/probe.tmp`;
      await files.write(path, new Uint8Array(64 << 10).fill(1));
      await files.remove(path);
      this.#full = undefined;
    } catch {
      // Still full.
    } finally {
      this.#probing = false;
    }
  }

  #isLong(): boolean {
    const { maxLogBytes } = this.#options;
    return (
      this.#snapshotting === undefined && !this.#closed && this.#logBytes > Math.max(maxLogBytes, this.#snapshotBytes)
    );
  }

  /**
   * Goes on in a new log, and has what was before it written as a snapshot in the background. Called while no write is
   * under way, so that what is visible and what is in the older logs is the same. A crash at any point finds the older
   * snapshot with all logs, or the newer one with the logs from it on.
   */
  async #switch(): Promise<void> {
    const { files, directory, image } = this.#options;
    const next = this.#generation + 1;
    let file: AppendFile | undefined;
    let size: number;
    try {
      await files.remove(this.#path(next));
      file = await files.openAppend(this.#path(next));
      size = await this.#begin(file, next);
      await files.syncDirectory(directory);
    } catch (cause) {
      await file?.close().catch(() => undefined);
      await this.#goOn(next, cause);
      return;
    }
    const before = this.#file;
    this.#file = file;
    this.#generation = next;
    this.#size = size;
    this.#logBytes = 0;
    await before?.close().catch(() => undefined);
    this.#snapshotting = this.#writeSnapshot(image(), next).finally(() => (this.#snapshotting = undefined));
  }

  /**
   * The present log is as good as before, if only nothing is left of the new one. Its length is counted anew, so that the
   * next attempt is not at once.
   */
  async #goOn(next: number, cause: unknown): Promise<void> {
    const { files, directory } = this.#options;
    this.#trouble("cannot start a new log", cause);
    this.#logBytes = 0;
    try {
      await files.remove(this.#path(next));
      await files.syncDirectory(directory);
    } catch (error) {
      this.#fail(error);
    }
  }

  #trouble(message: string, cause: unknown): void {
    this.#lastTrouble = cause;
    this.#options.onTrouble(message, cause);
  }

  async #writeSnapshot(image: Image, generation: number): Promise<void> {
    const { files, directory } = this.#options;
    try {
      this.#snapshotBytes = await writeSnapshot(files, {
        path: `${directory}/snapshot.${generation}`,
        image,
        generation,
      });
      await files.syncDirectory(directory);
    } catch (cause) {
      this.#trouble("cannot write a snapshot; the logs are kept, and it is tried again later", cause);
      return;
    }
    const old = this.#snapshot;
    this.#snapshot = generation;
    try {
      for (let n = Math.max(old, 1); n < generation; n++) await files.remove(this.#path(n));
      if (old > 0) await files.remove(`${directory}/snapshot.${old}`);
    } catch (cause) {
      this.#trouble("cannot remove files that are no longer needed", cause);
    }
  }

  async #begin(file: AppendFile, generation: number): Promise<number> {
    const head = Buffer.from(encodeMeta({ format: FORMAT, log: generation }));
    await file.append(head);
    await file.sync();
    return head.length;
  }

  /** Says at the end that everything before was synced, so that later damage is not taken for a torn end. */
  async #mark(): Promise<void> {
    const data = Buffer.from(encodeMeta({ sync: this.#size }));
    await this.#file?.append(data);
    await this.#file?.sync();
  }

  #path(generation: number): string {
    return `${this.#options.directory}/log.${generation}`;
  }
}

function isFull(error: unknown): boolean {
  return error instanceof FairleadError && error.code === "DiskFull";
}

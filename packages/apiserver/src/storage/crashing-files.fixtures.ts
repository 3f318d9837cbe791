import { FairleadError, type AppendFile, type FileEntry, type Files, type Random } from "@fairlead/base";

/** A file: what a read gives, and what is certainly there after a crash. */
interface Content {
  bytes: Buffer;
  durable: Buffer;
}

/** What is left of what nobody synced: a prefix of it, or any part of it in any order. */
export type Loss = "prefix" | "reordered";

export interface Faults {
  /** The operation, from 1, in the middle of which the machine loses power. */
  readonly diesAt?: number;
  /** What an operation fails with; half of an append may have happened. */
  readonly fails?: (operation: {
    readonly number: number;
    readonly name: string;
  }) => "DiskFull" | "IoError" | undefined;
}

/** A disk writes this many bytes at once, or none of them. Real ones write more; small ones tear more. */
const SECTOR = 16;

/**
 * A disk in memory that dies at its n-th operation, in the middle of it, as a machine does that loses power; or fails
 * at operations of one's choice, and lives on.
 */
export class CrashingFiles implements Files {
  /** Operations until now. */
  operations = 0;
  faults: Faults;
  #names: Map<string, Content>;
  #durableNames: Map<string, Content>;
  #changes: ((names: Map<string, Content>) => void)[] = [];
  #dead = false;
  readonly #random: Random;

  constructor(random: Random, faults: Faults = {}, names: Map<string, Content> = new Map<string, Content>()) {
    this.#random = random;
    this.faults = faults;
    this.#names = names;
    this.#durableNames = new Map(names);
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** The disk as the next start finds it after a loss of power. */
  restarted(loss: Loss = "prefix", faults: Faults = {}): CrashingFiles {
    const names = new Map(this.#durableNames);
    const kept = this.#below(this.#changes.length + 1);
    for (const [i, change] of this.#changes.entries())
      if (loss === "prefix" ? i < kept : this.#random.next() < 0.5) change(names);
    const contents = new Map<Content, Content>();
    for (const content of names.values()) {
      const bytes = this.#left(content, loss);
      contents.set(content, { bytes, durable: bytes });
    }
    return new CrashingFiles(
      this.#random,
      faults,
      new Map([...names].map(([name, content]) => [name, contents.get(content) as Content])),
    );
  }

  /** The disk as the next start finds it after the process alone was killed. */
  killed(faults: Faults = {}): CrashingFiles {
    const names = new Map(
      [...this.#names].map(([name, { bytes }]) => [name, { bytes: Buffer.from(bytes), durable: Buffer.from(bytes) }]),
    );
    return new CrashingFiles(this.#random, faults, names);
  }

  /** Flips a bit. */
  damage(path: string, at: number): void {
    const { bytes } = this.#find(path);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
  }

  /** Puts a file there, durably, by no operation. */
  put(path: string, text: string): void {
    const content = { bytes: Buffer.from(text), durable: Buffer.from(text) };
    this.#names.set(path, content);
    this.#durableNames.set(path, content);
  }

  bytesOf(path: string): Buffer {
    return this.#find(path).bytes;
  }

  paths(): readonly string[] {
    return [...this.#names.keys()].sort();
  }

  async read(path: string): Promise<Uint8Array> {
    this.#operate("read");
    return Promise.resolve(Buffer.from(this.#find(path).bytes));
  }

  async write(path: string, data: Uint8Array | string): Promise<void> {
    this.#operate("write");
    this.#change((names) => names.set(path, { bytes: Buffer.from(data), durable: Buffer.alloc(0) }));
    return Promise.resolve();
  }

  async openAppend(path: string): Promise<AppendFile> {
    this.#operate("openAppend");
    if (!this.#names.has(path)) {
      const content = { bytes: Buffer.alloc(0), durable: Buffer.alloc(0) };
      this.#change((names) => names.set(path, content));
    }
    const content = this.#find(path);
    return Promise.resolve({
      append: async (data) => {
        const failure = this.#failureOf("append");
        const length = failure === undefined ? data.length : this.#below(data.length + 1);
        content.bytes = Buffer.concat([content.bytes, data.subarray(0, length)]);
        if (failure !== undefined) throw failure;
        return Promise.resolve();
      },
      sync: async () => {
        this.#operate("sync");
        content.durable = content.bytes;
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    });
  }

  async rename(from: string, to: string): Promise<void> {
    this.#operate("rename");
    const content = this.#find(from);
    this.#change((names) => {
      if (names.get(from) === content) names.delete(from);
      names.set(to, content);
    });
    return Promise.resolve();
  }

  async remove(path: string): Promise<void> {
    this.#operate("remove");
    this.#change((names) => names.delete(path));
    return Promise.resolve();
  }

  async makeDirectory(): Promise<void> {
    this.#operate("makeDirectory");
    return Promise.resolve();
  }

  async syncDirectory(): Promise<void> {
    this.#operate("syncDirectory");
    this.#durableNames = new Map(this.#names);
    this.#changes = [];
    return Promise.resolve();
  }

  async list(path: string): Promise<readonly FileEntry[]> {
    this.#operate("list");
    return Promise.resolve(
      this.paths()
        .filter((p) => p.startsWith(`${path}/`))
        .map((p) => ({ name: p.slice(path.length + 1), kind: "file" as const })),
    );
  }

  async exists(path: string): Promise<boolean> {
    this.#operate("exists");
    return Promise.resolve(this.#names.has(path));
  }

  async truncate(path: string, length: number): Promise<void> {
    this.#operate("truncate");
    const content = this.#find(path);
    content.bytes = Buffer.from(content.bytes.subarray(0, length));
    return Promise.resolve();
  }

  /** What a crash leaves of a file. */
  #left({ bytes, durable }: Content, loss: Loss): Buffer {
    if (bytes.length < durable.length) return Buffer.from(this.#random.next() < 0.5 ? bytes : durable);
    const length = durable.length + this.#below(bytes.length - durable.length + 1);
    const left = Buffer.from(bytes.subarray(0, length));
    if (loss === "prefix") return left;
    for (let at = durable.length; at < length; at += SECTOR)
      if (this.#random.next() < 0.3) left.fill(0, at, Math.min(at + SECTOR, length));
    return left;
  }

  #find(path: string): Content {
    const content = this.#names.get(path);
    if (content === undefined) throw new FairleadError("FileNotFound", `${path} does not exist`);
    return content;
  }

  #change(change: (names: Map<string, Content>) => void): void {
    change(this.#names);
    this.#changes.push(change);
  }

  #operate(name: string): void {
    const failure = this.#failureOf(name);
    if (failure !== undefined) throw failure;
  }

  #failureOf(name: string): FairleadError | undefined {
    const number = ++this.operations;
    this.#dead ||= number >= (this.faults.diesAt ?? Infinity);
    if (this.#dead) return new FairleadError("IoError", "the machine lost power");
    const code = this.faults.fails?.({ number, name });
    return code === undefined ? undefined : new FairleadError(code, `cannot ${name}: ${code}`);
  }

  #below(count: number): number {
    return Math.floor(this.#random.next() * count);
  }
}

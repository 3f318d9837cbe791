import { FairleadError, type AppendFile, type FileEntry, type Files, type Random } from "@fairlead/base";

/** A file's bytes, and how many of them a crash cannot take. */
interface Content {
  bytes: Buffer;
  synced: number;
}

/**
 * A disk in memory that dies at its n-th operation, in the middle of it, as a machine does that loses power: of bytes
 * that nobody synced a prefix is left, and of changes to the folder a prefix too.
 */
export class CrashingFiles implements Files {
  /** Operations until now. */
  operations = 0;
  #names: Map<string, Content>;
  #durableNames: Map<string, Content>;
  #changes: ((names: Map<string, Content>) => void)[] = [];
  #dead = false;
  readonly #random: Random;
  readonly #diesAt: number;

  constructor(random: Random, diesAt: number, names: Map<string, Content> = new Map<string, Content>()) {
    this.#random = random;
    this.#diesAt = diesAt;
    this.#names = names;
    this.#durableNames = new Map(names);
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** The disk as the next start finds it. */
  restarted(diesAt = Infinity): CrashingFiles {
    const names = new Map(this.#durableNames);
    for (const change of this.#changes.slice(0, this.#below(this.#changes.length + 1))) change(names);
    const contents = new Map<Content, Content>();
    for (const content of names.values()) {
      const length = content.synced + this.#below(content.bytes.length - content.synced + 1);
      contents.set(content, { bytes: Buffer.from(content.bytes.subarray(0, length)), synced: length });
    }
    return new CrashingFiles(
      this.#random,
      diesAt,
      new Map([...names].map(([name, content]) => [name, contents.get(content) as Content])),
    );
  }

  /** Flips a bit. */
  damage(path: string, at: number): void {
    const { bytes } = this.#find(path);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
  }

  paths(): readonly string[] {
    return [...this.#names.keys()].sort();
  }

  async read(path: string): Promise<Uint8Array> {
    this.#operate();
    return Promise.resolve(Buffer.from(this.#find(path).bytes));
  }

  async write(path: string, data: Uint8Array | string): Promise<void> {
    this.#operate();
    this.#change((names) => names.set(path, { bytes: Buffer.from(data), synced: 0 }));
    return Promise.resolve();
  }

  async openAppend(path: string): Promise<AppendFile> {
    this.#operate();
    if (!this.#names.has(path)) {
      const content = { bytes: Buffer.alloc(0), synced: 0 };
      this.#change((names) => names.set(path, content));
    }
    const content = this.#find(path);
    const add = (data: Uint8Array): void => {
      content.bytes = Buffer.concat([content.bytes, data]);
    };
    return Promise.resolve({
      append: async (data) => {
        if (this.#dies()) {
          add(data.subarray(0, this.#below(data.length + 1)));
          throw crash();
        }
        add(data);
        return Promise.resolve();
      },
      sync: async () => {
        this.#operate();
        content.synced = content.bytes.length;
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    });
  }

  async rename(from: string, to: string): Promise<void> {
    this.#operate();
    const content = this.#find(from);
    this.#change((names) => {
      names.delete(from);
      names.set(to, content);
    });
    return Promise.resolve();
  }

  async remove(path: string): Promise<void> {
    this.#operate();
    this.#change((names) => names.delete(path));
    return Promise.resolve();
  }

  async makeDirectory(): Promise<void> {
    this.#operate();
    return Promise.resolve();
  }

  async syncDirectory(): Promise<void> {
    this.#operate();
    this.#durableNames = new Map(this.#names);
    this.#changes = [];
    return Promise.resolve();
  }

  async list(path: string): Promise<readonly FileEntry[]> {
    this.#operate();
    return Promise.resolve(
      this.paths()
        .filter((p) => p.startsWith(`${path}/`))
        .map((p) => ({ name: p.slice(path.length + 1), kind: "file" as const })),
    );
  }

  async exists(path: string): Promise<boolean> {
    this.#operate();
    return Promise.resolve(this.#names.has(path));
  }

  async truncate(path: string, length: number): Promise<void> {
    this.#operate();
    const content = this.#find(path);
    content.bytes = Buffer.from(content.bytes.subarray(0, length));
    content.synced = Math.min(content.synced, length);
    return Promise.resolve();
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

  #operate(): void {
    if (this.#dies()) throw crash();
  }

  #dies(): boolean {
    this.#dead ||= ++this.operations >= this.#diesAt;
    return this.#dead;
  }

  #below(count: number): number {
    return Math.floor(this.#random.next() * count);
  }
}

function crash(): FairleadError {
  return new FairleadError("IoError", "the machine lost power");
}

import { crc32 } from "node:zlib";

import { FairleadError, seededRandom, type JsonObject } from "@fairlead/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { restoreStorage, snapshotStorage } from "./backup.js";
import { CrashingFiles, type Faults, type Loss } from "./crashing-files.fixtures.js";
import { openDiskStorage } from "./disk.js";
import type { Storage, StorageEvent } from "./storage.js";

const DIRECTORY = "/data";
const open = (files: CrashingFiles, maxLogBytes = 400): Promise<Storage> =>
  openDiskStorage({ files, directory: DIRECTORY, maxLogBytes });
const disk = (faults?: Faults): CrashingFiles => new CrashingFiles(seededRandom(1), faults);
const value =
  (n: number) =>
  (revision: number): JsonObject => ({ n, metadata: { resourceVersion: String(revision) } });
const contents = (storage: Storage): Readonly<Record<string, unknown>> =>
  Object.fromEntries(storage.list("c", { prefix: "" }).map((r) => [r.key, r.object["n"]]));
const line = (json: string): string => `${crc32(json).toString(16).padStart(8, "0")} ${json}\n`;
const codeOf = (error: unknown): string => (error instanceof FairleadError ? error.code : String(error));

/** What a watcher from a revision on is told at once. */
function eventsAfter(storage: Storage, revision: number): readonly string[] {
  const seen: string[] = [];
  const show = ({ type, key, revision: at, previous, record }: StorageEvent): void => {
    seen.push(`${at} ${type} ${key} ${String(previous?.revision)} ${record.text}`);
  };
  storage.subscribe("c", revision, show)();
  return seen;
}

/** A key gets a number, or goes. */
interface Step {
  readonly key: string;
  readonly n: number | undefined;
}

const steps = fc.array(
  fc.record({ key: fc.constantFrom("a", "b", "c", "d"), n: fc.option(fc.nat(99), { nil: undefined }) }),
  { minLength: 1, maxLength: 30 },
);
const losses = fc.constantFrom<Loss>("prefix", "reordered");

async function write(storage: Storage, { key, n }: Step): Promise<unknown> {
  const seen = storage.getForWrite("c", key)?.revision ?? 0;
  if (n === undefined && seen === 0) return undefined;
  return storage.write("c", key, seen, n === undefined ? () => undefined : value(n));
}

/** Writes, and what each key may be afterwards: the last that was acknowledged, or anything that was under way after it. */
class Ledger {
  readonly #possible = new Map<string, Set<number | undefined>>();
  readonly events = new Map<number, string>();
  revision = 1;

  async attempt(storage: Storage, step: Step, together = false): Promise<unknown> {
    const may = this.#possible.get(step.key) ?? new Set([undefined]);
    this.#possible.set(step.key, may.add(step.n));
    try {
      if ((await write(storage, step)) === undefined) return undefined;
      if (!together) this.#possible.set(step.key, new Set([step.n]));
      this.revision = Math.max(this.revision, storage.revision);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  check(storage: Storage): void {
    const found = contents(storage);
    for (const [key, may] of this.#possible) expect([...may]).toContainEqual(found[key]);
    expect(Object.keys(found).every((key) => this.#possible.has(key))).toBe(true);
    expect(storage.revision).toBeGreaterThanOrEqual(this.revision);
  }
}

async function runUntilDead(files: CrashingFiles, all: readonly Step[], together: boolean): Promise<Ledger> {
  const ledger = new Ledger();
  try {
    const storage = await open(files);
    const run = async (step: Step): Promise<void> => {
      const error = await ledger.attempt(storage, step, together);
      if (error !== undefined) expect(files.dead).toBe(true);
    };
    if (together) await Promise.all(all.map(run));
    else for (const step of all) await run(step);
    await storage.close();
  } catch (error) {
    expect(files.dead, String(error)).toBe(true);
  }
  return ledger;
}

describe("storage on a disk", () => {
  it("is the same after a restart, revisions and the past included", async () => {
    const files = disk();
    const before = await open(files);
    for (let i = 0; i < 40; i++) await write(before, { key: `k${i % 7}`, n: i });
    await write(before, { key: "k3", n: undefined });
    const [wanted, revision, past] = [contents(before), before.revision, eventsAfter(before, 1)];
    await before.close();
    const after = await open(files.restarted());
    expect(contents(after)).toEqual(wanted);
    expect(after.revision).toBe(revision);
    expect(eventsAfter(after, 1)).toEqual(past);
    expect(eventsAfter(after, 20)).toEqual(past.slice(19));
    await write(after, { key: "new", n: 1 });
    expect(after.revision).toBe(revision + 1);
  });

  it("never uses a revision twice, though the last write was a deletion and its log is gone", async () => {
    const files = disk();
    const before = await open(files, 1);
    await write(before, { key: "a", n: 1 });
    await write(before, { key: "a", n: undefined });
    await before.close();
    const after = await open(files.restarted());
    expect(after.revision).toBe(3);
  });

  it("keeps the past within bounds, over restarts, and says what it has forgotten", async () => {
    const files = disk();
    const options = { files, directory: DIRECTORY, maxLogBytes: 400, maxEvents: 20 };
    const before = await openDiskStorage(options);
    for (let i = 0; i < 60; i++) await write(before, { key: `k${i % 3}`, n: i });
    const { compactedRevision } = before;
    expect(before.revision - compactedRevision).toBeLessThanOrEqual(20);
    expect(before.revision - compactedRevision).toBeGreaterThanOrEqual(18);
    await before.close();
    const after = await openDiskStorage({ ...options, files: files.restarted() });
    expect(after.compactedRevision).toBe(compactedRevision);
    expect(() => eventsAfter(after, compactedRevision - 1)).toThrow(/compacted/);
    expect(eventsAfter(after, compactedRevision)).toHaveLength(after.revision - compactedRevision);
    expect(after.list("c", { prefix: "", revision: compactedRevision })).toEqual(
      before.list("c", { prefix: "", revision: compactedRevision }),
    );
  });

  it("keeps one generation of files, and no more bytes than the state and its past", async () => {
    const files = disk();
    const storage = await openDiskStorage({ files, directory: DIRECTORY, maxLogBytes: 400, maxEvents: 10 });
    for (let i = 0; i < 1000; i++) await write(storage, { key: "k", n: i });
    await storage.close();
    expect(files.paths().map((p) => p.replace(/\d+/, "N"))).toEqual(["/data/log.N", "/data/snapshot.N"]);
    expect(files.paths().reduce((sum, p) => sum + files.bytesOf(p).length, 0)).toBeLessThan(4000);
  });

  it("makes what is written together durable together", async () => {
    const files = disk();
    const storage = await open(files, 1 << 20);
    const before = files.operations;
    await Promise.all(Array.from({ length: 100 }, (_, n) => write(storage, { key: `k${n}`, n })));
    expect(files.operations - before).toBe(2);
  });

  it("shows no write before it is durable, neither to readers nor to watchers, and lets a no-op wait for it", async () => {
    const files = disk();
    const storage = await open(files);
    const seen: string[] = [];
    storage.subscribe("c", storage.revision, (event) => seen.push(event.key));
    const writing = write(storage, { key: "a", n: 1 });
    expect([storage.get("c", "a"), seen.length, storage.revision]).toEqual([undefined, 0, 1]);
    expect(storage.getForWrite("c", "a")?.object["n"]).toBe(1);
    await storage.settled("c", "a");
    expect([storage.get("c", "a")?.object["n"], seen, storage.revision]).toEqual([1, ["a"], 2]);
    await writing;
    expect(storage.settled("c", "a")).toBeUndefined();
  });
});

describe("storage on a disk that loses power (T1, T2)", () => {
  it("loses nothing that it acknowledged, at whichever operation, and invents nothing", async () => {
    const all = Array.from({ length: 24 }, (_, i) => ({ key: `k${i % 5}`, n: i % 6 === 5 ? undefined : i }));
    const counting = disk();
    await runUntilDead(counting, all, false);
    expect(counting.operations).toBeGreaterThan(60);
    for (let diesAt = 1; diesAt <= counting.operations; diesAt++) {
      for (const loss of ["prefix", "reordered"] as const) {
        const files = new CrashingFiles(seededRandom(diesAt), { diesAt });
        const ledger = await runUntilDead(files, all, false);
        ledger.check(await open(files.restarted(loss)));
        ledger.check(await open(files.killed()));
      }
    }
  });

  it("does so too when it dies again while it recovers", async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(200), fc.nat(12), fc.nat(), losses, async (all, diesAt, again, seed, loss) => {
        const first = new CrashingFiles(seededRandom(seed), { diesAt: diesAt + 1 });
        const ledger = await runUntilDead(first, all, seed % 2 === 0);
        let files = first.restarted(loss, { diesAt: again + 1 });
        try {
          const storage = await open(files);
          for (const step of all.slice(0, 3)) await ledger.attempt(storage, step);
        } catch {
          expect(files.dead).toBe(true);
        }
        files = files.restarted(loss);
        ledger.check(await open(files));
      }),
      { numRuns: 300 },
    );
  });

  it("resumes a watch without a gap: what was seen before the crash is the beginning of what is seen after it", async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(200), fc.nat(), losses, async (all, diesAt, seed, loss) => {
        const files = new CrashingFiles(seededRandom(seed), { diesAt: diesAt + 1 });
        let seen: readonly string[] = [];
        try {
          const storage = await open(files);
          for (const step of all) {
            await write(storage, step);
            seen = eventsAfter(storage, 1);
          }
        } catch {
          expect(files.dead).toBe(true);
        }
        const after = eventsAfter(await open(files.restarted(loss)), 1);
        expect(after.slice(0, seen.length)).toEqual(seen);
      }),
      { numRuns: 200 },
    );
  });

  it("cuts off a last line that was torn", async () => {
    const files = disk();
    const storage = await open(files, 1 << 20);
    for (let i = 0; i < 3; i++) await write(storage, { key: `k${i}`, n: i });
    await files.truncate("/data/log.1", files.bytesOf("/data/log.1").length - 5);
    const after = await open(files);
    expect(contents(after)).toEqual({ k0: 0, k1: 1 });
    await write(after, { key: "k9", n: 9 });
    expect(contents(await open(files.killed()))).toEqual({ k0: 0, k1: 1, k9: 9 });
  });
});

describe("storage on a disk that rots", () => {
  it("refuses to open what it acknowledged and cannot read, naming the file, the place and what to do", async () => {
    const files = disk();
    const storage = await open(files, 1 << 20);
    for (let i = 0; i < 3; i++) await write(storage, { key: `k${i}`, n: i });
    const text = files.bytesOf("/data/log.1").toString();
    files.damage("/data/log.1", text.indexOf('"n":0'));
    await expect(open(files)).rejects.toThrow(
      /\/data\/log\.1 is damaged at byte \d+: restore the folder from a snapshot with `fairlead server restore`, or move it away/,
    );
  });

  it("finds every flipped bit of what was closed properly", async () => {
    const files = disk();
    const storage = await open(files, 300);
    for (let i = 0; i < 9; i++) await write(storage, { key: `k${i}`, n: i });
    await storage.close();
    expect(files.paths().map((p) => p.replace(/\d+/, "N"))).toEqual(["/data/log.N", "/data/snapshot.N"]);
    const wanted = contents(await open(files.killed()));
    for (const path of files.paths()) {
      const { length } = files.bytesOf(path);
      const lastMark = path.includes("log") ? files.bytesOf(path).lastIndexOf(10, length - 2) + 1 : length;
      for (let at = 0; at < length; at++) {
        const damaged = files.killed();
        damaged.damage(path, at);
        // Of the mark at the very end nothing depends; it is cut off.
        if (at >= lastMark) expect(contents(await open(damaged))).toEqual(wanted);
        else await expect(open(damaged), `${path} ${at}`).rejects.toThrow(/\/data\/\S+ (is|ends)/);
      }
    }
  });

  it("refuses a folder of which a log is missing, or that a newer version wrote", async () => {
    const files = disk();
    const storage = await open(files, 100);
    for (let i = 0; i < 9; i++) await write(storage, { key: `k${i}`, n: i });
    await storage.close();
    const missing = files.killed();
    await missing.remove(files.paths().find((p) => p.includes("log")) ?? "");
    await expect(open(missing)).rejects.toThrow(/\/data\/log\.\d+ is missing/);
    const newer = disk();
    newer.put("/data/log.1", line('{"format":3,"log":1}'));
    await expect(open(newer)).rejects.toThrow(/log\.1 has format 3, and this version reads formats 1 and 2/);
  });
});

describe("storage on a disk that is full or fails (T3, T4)", () => {
  it("fails what there is no room for, goes on reading, and takes writes again when there is room", async () => {
    const files = disk();
    const storage = await open(files, 1 << 20);
    await write(storage, { key: "a", n: 1 });
    files.faults = { fails: ({ name }) => (name === "append" || name === "write" ? "DiskFull" : undefined) };
    const writes = await Promise.allSettled([1, 2, 3].map((n) => write(storage, { key: `b${n}`, n })));
    for (const one of writes) expect(one).toMatchObject({ status: "rejected", reason: { code: "DiskFull" } });
    await expect(write(storage, { key: "a", n: 2 })).rejects.toThrow(/the disk of \/data is full: free space/);
    expect(contents(storage)).toEqual({ a: 1 });
    expect(storage.getForWrite("c", "a")?.object["n"]).toBe(1);
    expect(storage.unavailable?.code).toBe("DiskFull");
    files.faults = {};
    await expect.poll(() => storage.unavailable).toBeUndefined();
    await write(storage, { key: "a", n: 3 });
    expect(contents(await open(files.killed()))).toEqual({ a: 3 });
    await write(storage, { key: "a", n: 4 });
    expect(contents(await open(files.restarted()))).toEqual({ a: 4 });
  });

  it("loses nothing, whichever operations find the disk full, and is whole afterwards", async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(60), fc.nat(20), fc.nat(), losses, async (all, from, count, seed, loss) => {
        const files = new CrashingFiles(seededRandom(seed));
        const storage = await open(files);
        const ledger = new Ledger();
        const writing = ["append", "write", "openAppend"];
        const first = files.operations + from;
        files.faults = {
          fails: ({ number, name }) =>
            number >= first && number < first + count && writing.includes(name) ? "DiskFull" : undefined,
        };
        for (const step of all) {
          const error = await ledger.attempt(storage, step);
          if (error !== undefined) expect(codeOf(error)).toBe("DiskFull");
        }
        files.faults = {};
        expect(await ledger.attempt(storage, { key: "a", n: 7 })).toBeUndefined();
        ledger.check(storage);
        ledger.check(await open(files.restarted(loss)));
      }),
      { numRuns: 200 },
    );
  });

  it("acknowledges nothing after any failed operation of a write, and starts again with what it acknowledged", async () => {
    const all = Array.from({ length: 24 }, (_, i) => ({ key: `k${i % 5}`, n: i }));
    const counting = disk();
    await runUntilDead(counting, all, false);
    let refused = 0;
    for (let at = 1; at <= counting.operations; at++) {
      const files = new CrashingFiles(seededRandom(at));
      let failed = "";
      files.faults = { fails: ({ number, name }) => (number === at ? ((failed = name), "IoError") : undefined) };
      const ledger = new Ledger();
      let broken = false;
      try {
        const storage = await open(files);
        for (const step of all) {
          const error = await ledger.attempt(storage, step);
          if (broken) expect(codeOf(error)).toBe("DataDirectory");
          if (error === undefined) continue;
          expect(String(error)).toMatch(/cannot write to \/data: .*accepts no more writes, and reads go on/);
          expect(storage.unavailable?.code).toBe("DataDirectory");
          broken = true;
        }
        if (broken) refused++;
        ledger.check(storage);
        await storage.close();
      } catch (error) {
        expect(codeOf(error), failed).toBe(codeOf(error) === "DataDirectory" ? "DataDirectory" : "IoError");
      }
      ledger.check(await open(files.killed()));
      ledger.check(await open(files.restarted()));
    }
    expect(refused).toBeGreaterThan(30);
  });
});

describe("an older format", () => {
  const old = (): CrashingFiles => {
    const files = disk();
    files.put(
      "/data/snapshot.4",
      line('{"c":"c","k":"a","r":5,"v":{"metadata":{"resourceVersion":"5"},"n":1}}') +
        line('{"c":"c","k":"b","r":3,"v":{"metadata":{"resourceVersion":"3"},"n":2}}') +
        line('{"c":"","k":"","r":6}'),
    );
    files.put(
      "/data/log.4",
      line('{"c":"c","k":"b","r":7}') +
        line('{"c":"c","k":"d","r":8,"v":{"metadata":{"resourceVersion":"8"},"n":4}}') +
        line('{"c":"c","k":"e","r":9,"v":{"metadata":{"resourceVersion":"9"},"n":5}}').slice(0, 30),
    );
    return files;
  };

  it("is read, torn end and all, and goes on in the present one", async () => {
    const files = old();
    const storage = await open(files);
    expect([contents(storage), storage.revision, storage.compactedRevision]).toEqual([{ a: 1, d: 4 }, 8, 6]);
    await write(storage, { key: "f", n: 6 });
    expect(files.paths()).toEqual(["/data/log.5", "/data/snapshot.5"]);
    expect(files.bytesOf("/data/snapshot.5").toString()).toMatch(/^.{8} \{"format":2,/);
    expect(contents(await open(files.restarted()))).toEqual({ a: 1, d: 4, f: 6 });
  });

  it("is brought over, or still there, wherever the power fails", async () => {
    const counting = old();
    await open(counting);
    for (let diesAt = 1; diesAt <= counting.operations; diesAt++) {
      for (const loss of ["prefix", "reordered"] as const) {
        const files = old();
        files.faults = { diesAt };
        await open(files).catch(() => undefined);
        expect(contents(await open(files.restarted(loss)))).toEqual({ a: 1, d: 4 });
      }
    }
  });

  it("is refused when it is damaged before its end", async () => {
    const files = old();
    files.damage("/data/log.4", 20);
    await expect(open(files)).rejects.toThrow(/\/data\/log\.4 is damaged at byte 0/);
  });
});

describe("a backup", () => {
  it("is taken while writes go on, and holds everything that was acknowledged before", async () => {
    const files = disk();
    const storage = await open(files, 300);
    let stopped = false;
    let acknowledged = 0;
    const writing = (async () => {
      for (let n = 1; !stopped; n++) {
        await write(storage, { key: `k${n}`, n });
        acknowledged = n;
        if (n % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    for (let i = 0; i < 20; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      const before = acknowledged;
      await snapshotStorage(files, DIRECTORY, "/backup");
      const copy = new CrashingFiles(seededRandom(1));
      copy.put("/backup", files.bytesOf("/backup").toString());
      await restoreStorage(copy, "/backup", "/other");
      const restored = await openDiskStorage({ files: copy, directory: "/other" });
      const found = Object.keys(contents(restored)).length;
      expect(found).toBeGreaterThanOrEqual(before);
      expect(contents(restored)).toEqual(
        Object.fromEntries(Array.from({ length: found }, (_, n) => [`k${n + 1}`, n + 1])),
      );
      await restored.close();
    }
    stopped = true;
    await writing;
    await storage.close();
  });

  it("comes back under revisions that nobody has seen, and every older watch is told so (T5)", async () => {
    const files = disk();
    const storage = await open(files);
    for (let n = 0; n < 9; n++) await write(storage, { key: "k", n });
    await snapshotStorage(files, DIRECTORY, "/backup");
    for (let n = 0; n < 9; n++) await write(storage, { key: "k", n: 100 + n });
    const newest = storage.revision;
    await storage.close();
    await restoreStorage(files, "/backup", "/other");
    const restored = await openDiskStorage({ files, directory: "/other" });
    expect(contents(restored)).toEqual({ k: 8 });
    expect(restored.revision).toBeGreaterThan(newest + 1e8);
    for (const from of [1, 5, newest, newest + 5]) expect(() => eventsAfter(restored, from)).toThrow(/compacted/);
    expect(eventsAfter(restored, restored.revision)).toEqual([]);
  });

  it("is refused when a bit of it is wrong, or when it would fall on something", async () => {
    const files = disk();
    const storage = await open(files);
    for (let n = 0; n < 9; n++) await write(storage, { key: "k", n });
    await snapshotStorage(files, DIRECTORY, "/backup");
    await storage.close();
    await expect(restoreStorage(files, "/backup", DIRECTORY)).rejects.toThrow(/\/data is not empty: move it away/);
    files.damage("/backup", 100);
    await expect(restoreStorage(files, "/backup", "/other")).rejects.toThrow(/\/backup is damaged at byte/);
    expect(files.paths().filter((p) => p.startsWith("/other"))).toEqual([]);
  });
});

import { seededRandom, type JsonObject } from "@fairlead/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { CrashingFiles } from "./crashing-files.fixtures.js";
import { openDiskStorage } from "./disk.js";
import type { Storage } from "./storage.js";

const DIRECTORY = "/data";
const open = (files: CrashingFiles, maxLogBytes = 400): Promise<Storage> =>
  openDiskStorage({ files, directory: DIRECTORY, maxLogBytes });
const value =
  (n: number) =>
  (revision: number): JsonObject => ({ n, metadata: { resourceVersion: String(revision) } });
const contents = (storage: Storage): Readonly<Record<string, unknown>> =>
  Object.fromEntries(storage.list("c", { prefix: "" }).map((r) => [r.key, r.object["n"]]));

/** A key gets a number, or goes. */
interface Step {
  readonly key: string;
  readonly n: number | undefined;
}

const steps = fc.array(
  fc.record({ key: fc.constantFrom("a", "b", "c", "d"), n: fc.option(fc.nat(99), { nil: undefined }) }),
  { minLength: 1, maxLength: 30 },
);

async function write(storage: Storage, { key, n }: Step): Promise<unknown> {
  const seen = storage.getForWrite("c", key)?.revision ?? 0;
  if (n === undefined && seen === 0) return undefined;
  return storage.write("c", key, seen, n === undefined ? () => undefined : value(n));
}

describe("storage on a disk", () => {
  it("is the same after a restart, revisions included", async () => {
    const files = new CrashingFiles(seededRandom(1), Infinity);
    const before = await open(files);
    for (let i = 0; i < 40; i++) await write(before, { key: `k${i % 7}`, n: i });
    await write(before, { key: "k3", n: undefined });
    const [wanted, revision] = [contents(before), before.revision];
    await before.close();
    const after = await open(files.restarted());
    expect(contents(after)).toEqual(wanted);
    expect(after.revision).toBe(revision);
    await write(after, { key: "new", n: 1 });
    expect(after.revision).toBe(revision + 1);
  });

  it("keeps one generation of files", async () => {
    const files = new CrashingFiles(seededRandom(1), Infinity);
    const storage = await open(files);
    for (let i = 0; i < 100; i++) await write(storage, { key: "k", n: i });
    await storage.close();
    expect(files.paths().map((p) => p.replace(/\d+/, "N"))).toEqual(["/data/log.N", "/data/snapshot.N"]);
  });

  it("loses nothing that it acknowledged, wherever the power fails, and invents nothing", async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(400), fc.nat(), fc.boolean(), async (all, diesAt, seed, together) => {
        let files = new CrashingFiles(seededRandom(seed), diesAt + 1);
        // What a key may be: the last that was acknowledged, or anything that was under way after it.
        const possible = new Map<string, Set<number | undefined>>();
        const attempt = async (storage: Storage, step: Step): Promise<void> => {
          const may = possible.get(step.key) ?? new Set([undefined]);
          possible.set(step.key, may.add(step.n));
          try {
            const acknowledged = await write(storage, step);
            if (acknowledged !== undefined && !together) possible.set(step.key, new Set([step.n]));
          } catch {
            expect(files.dead).toBe(true);
          }
        };
        try {
          const storage = await open(files);
          if (together) await Promise.all(all.map((step) => attempt(storage, step)));
          else for (const step of all) await attempt(storage, step);
        } catch {
          expect(files.dead).toBe(true);
        }
        files = files.restarted();
        const after = await open(files);
        const found = contents(after);
        for (const [key, may] of possible) expect([...may]).toContainEqual(found[key]);
        expect(Object.keys(found).every((key) => possible.has(key))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("cuts off a last line that was torn", async () => {
    const files = new CrashingFiles(seededRandom(1), Infinity);
    const storage = await open(files, 1 << 20);
    for (let i = 0; i < 3; i++) await write(storage, { key: `k${i}`, n: i });
    const log = files.paths().find((p) => p.startsWith("/data/log.")) ?? "";
    await files.truncate(log, (await files.read(log)).length - 5);
    const after = await open(files);
    expect(contents(after)).toEqual({ k0: 0, k1: 1 });
  });

  it("refuses to open what was damaged in the middle, naming the file, the place and what to do", async () => {
    const files = new CrashingFiles(seededRandom(1), Infinity);
    const storage = await open(files, 1 << 20);
    for (let i = 0; i < 3; i++) await write(storage, { key: `k${i}`, n: i });
    const log = files.paths().find((p) => p.startsWith("/data/log.")) ?? "";
    files.damage(log, 20);
    await expect(open(files)).rejects.toThrow(
      /\/data\/log\.\d+ is damaged at byte 0: restore the folder from a backup, or move it away/,
    );
  });

  it("takes no more writes once one could not be made durable", async () => {
    const files = new CrashingFiles(seededRandom(1), 24);
    const storage = await open(files, 1 << 20);
    await expect(
      (async () => {
        for (let i = 0; i < 20; i++) await write(storage, { key: "k", n: i });
      })(),
    ).rejects.toThrow(/cannot write to \/data/);
    await expect(write(storage, { key: "other", n: 1 })).rejects.toThrow(/accepts no more writes/);
    expect(storage.get("c", "other")).toBeUndefined();
  });
});

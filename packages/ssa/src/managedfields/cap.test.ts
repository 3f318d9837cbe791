import { describe, expect, it } from "vitest";

import { fieldSetOf } from "../fieldpath/field-set.js";
import { fieldPath, formatPath } from "../fieldpath/path.js";
import { pathsOf } from "../fieldpath/field-set.js";
import type { VersionedSet } from "../merge/managers.js";
import { capUpdateManagers } from "./cap.js";
import type { Managed } from "./entries.js";
import { formatIdentity, parseIdentity } from "./identity.js";

interface Entry {
  readonly manager: string;
  /** Seconds; no time when left out. */
  readonly at?: number;
  readonly version?: string;
  readonly applied?: boolean;
}

const time = (at: number): string => `2026-01-01T00:00:${String(at).padStart(2, "0")}Z`;

function managed(entries: readonly Entry[]): Managed {
  const managers = new Map<string, VersionedSet>();
  const times = new Map<string, string>();
  for (const { manager, at, version = "v1", applied = false } of entries) {
    const operation = applied ? "Apply" : "Update";
    const key = formatIdentity({ manager, operation, apiVersion: version, subresource: "" });
    managers.set(key, { set: fieldSetOf([fieldPath(manager)]), apiVersion: version, applied });
    if (at !== undefined) times.set(key, time(at));
  }
  return { managers, times, read: new Map() };
}

/** `manager/version: fields @seconds`, sorted. */
function shown({ managers, times }: Managed): readonly string[] {
  return [...managers]
    .map(([key, { set, apiVersion }]) => {
      const at = times.get(key);
      return `${parseIdentity(key).manager}/${apiVersion}: ${pathsOf(set).map(formatPath).join(" ")} ${at === undefined ? "-" : `@${Number(at.slice(-3, -1))}`}`;
    })
    .sort();
}

const updaters = (count: number, more: Partial<Entry> = {}, from = 0): readonly Entry[] =>
  Array.from({ length: count }, (_, i) => ({
    manager: `u${String(i + from).padStart(2, "0")}`,
    at: i + from,
    ...more,
  }));

describe("beyond ten updaters", () => {
  it("none is folded at ten, however many appliers there are", () => {
    const ten = managed([...updaters(10), ...updaters(5, { applied: true }, 20)]);
    expect(capUpdateManagers(ten)).toBe(ten);
  });

  it("the oldest two become one with the time of the younger", () => {
    const capped = capUpdateManagers(managed([...updaters(11).slice(5), ...updaters(5)]));
    expect(shown(capped)).toEqual(["ancient-changes/v1: .u00 .u01 @1", ...shown(managed(updaters(9, {}, 2)))].sort());
  });

  it("three more become one of four", () => {
    const capped = capUpdateManagers(managed(updaters(13)));
    expect(shown(capped)[0]).toBe("ancient-changes/v1: .u00 .u01 .u02 .u03 @3");
    expect(capped.managers.size).toBe(10);
  });

  it("entries without a time are the oldest, and of the same age by name", () => {
    const capped = capUpdateManagers(managed([...updaters(9, {}, 2), { manager: "z" }, { manager: "y" }]));
    expect(shown(capped)[0]).toBe("ancient-changes/v1: .y .z -");
  });

  it("a bucket that is not the oldest of its version is lost, as it is upstream", () => {
    const capped = capUpdateManagers(
      managed([...updaters(10, {}, 2), { manager: "ancient-changes", at: 0 }, { manager: "y" }, { manager: "x" }]),
    );
    expect(capped.managers.size).toBe(10);
    expect(shown(capped)[0]).toBe("ancient-changes/v1: .u02 .x @2");
  });

  it("each version has a bucket of its own, and a version with one old entry keeps it", () => {
    const entries = [
      { manager: "old", at: 0, version: "v2" },
      { manager: "a", at: 1 },
      { manager: "b", at: 2 },
      { manager: "c", at: 3, version: "v2" },
      ...updaters(9, { version: "v3" }, 10),
    ];
    const capped = shown(capUpdateManagers(managed(entries)));
    expect(capped).toContain("ancient-changes/v1: .a .b @2");
    expect(capped).toContain("ancient-changes/v2: .c .old @3");
    expect(capped).toHaveLength(10);
    expect(shown(capUpdateManagers(managed(entries.slice(1))))).toContain("c/v2: .c @3");
  });

  it("appliers are never folded", () => {
    const capped = capUpdateManagers(managed([...updaters(12, {}, 5), { manager: "first", at: 0, applied: true }]));
    expect(shown(capped)).toContain("first/v1: .first @0");
    expect(capped.managers.size).toBe(11);
  });
});

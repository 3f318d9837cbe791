import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { breach, isTest, tableMistakes, type Manifest } from "./check-layers.js";
import { importsOf, importsOfText, sourceFiles } from "./imports.js";
import { LAYERS, type Layer } from "./layers.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const json = (path: string): Record<string, unknown> => JSON.parse(readFileSync(join(root, path), "utf8")) as never;
const folders = ["packages", "operators", "apps"].flatMap((group) =>
  readdirSync(join(root, group)).map((name) => `${group}/${name}`),
);
const packages = folders.filter((folder) => existsSync(join(root, folder, "package.json")));
const imports = new Map(
  packages.map((folder) => [folder, sourceFiles(root, folder).flatMap((file) => importsOf(root, file))]),
);
const manifests = new Map(packages.map((folder) => [folder, manifestOf(folder)]));

function manifestOf(folder: string): Manifest {
  const { name, exports = {}, dependencies = {} } = json(`${folder}/package.json`);
  return {
    name: name as string,
    entries: Object.keys(exports as object),
    dependencies: Object.keys(dependencies as object),
  };
}

describe("the tree", () => {
  it("has a row for every package", () => {
    expect(packages.filter((folder) => !LAYERS.some((row) => row.folder === folder))).toEqual([]);
  });

  it("imports only what the rows name", () => {
    const all = [...imports.values()].flat();
    expect(all.length).toBeGreaterThan(500);
    expect(all.flatMap((one) => breach(one, LAYERS, manifests) ?? [])).toEqual([]);
  });

  it.each(packages)("%s depends, by package.json and by project references, on rows it may import", (folder) => {
    const row = LAYERS.find((layer) => layer.folder === folder);
    const allowed = (row?.imports ?? []).map((above) => manifests.get(above)?.name ?? above);
    const own = manifests.get(folder)?.dependencies.filter((name) => /^(@fairlead\/|fairlead$)/.test(name)) ?? [];
    const { references = [] } = json(`${folder}/tsconfig.json`) as {
      references?: readonly { readonly path: string }[];
    };
    const referenced = references.map(({ path }) => join(folder, path));
    expect(own.filter((name) => !allowed.includes(name))).toEqual([]);
    expect(referenced.filter((other) => !(row?.imports ?? []).includes(other))).toEqual([]);
    expect(own.filter((name) => !referenced.some((other) => manifests.get(other)?.name === name))).toEqual([]);
  });

  it.each(packages)(
    "%s has a source for each of its entries, and depends on nothing that it does not use",
    (folder) => {
      const { exports = {} } = json(`${folder}/package.json`) as { exports?: Record<string, Record<string, string>> };
      const sources = Object.values(exports).map((entry) => entry["@fairlead/source"] ?? "");
      expect(sources.filter((source) => !existsSync(join(root, folder, source)))).toEqual([]);
      const shipped = (imports.get(folder) ?? []).filter((one) => !isTest(one.file));
      const used = shipped.map((one) => one.specifier ?? "");
      const idle = (name: string): boolean => !used.some((text) => text === name || text.startsWith(`${name}/`));
      expect(
        manifests.get(folder)?.dependencies.filter((name) => !name.startsWith("@fairlead/") && idle(name)),
      ).toEqual([]);
    },
  );
});

describe("the table", () => {
  it("names only rows above, and places everything once", () => {
    expect(tableMistakes(LAYERS)).toEqual([]);
    const low: Layer = { folder: "packages/low", imports: ["packages/high"], order: ["a/ b/", "a/"], outside: {} };
    expect(tableMistakes([low, { ...low, folder: "packages/high", imports: [], order: [] }])).toEqual([
      "row packages/low imports packages/high, which does not stand above it",
      "row packages/low places a/ twice",
    ]);
  });

  const layers: readonly Layer[] = [
    {
      folder: "packages/base",
      imports: [],
      order: ["a/ b/ -> c/", "d/x.ts -> e/", "d/", "index.ts node.ts"],
      outside: { "node:fs": ["d/"] },
    },
    {
      folder: "packages/top",
      imports: ["packages/base"],
      order: ["main.ts"],
      outside: { "@fairlead/base/node": ["main.ts"], yaml: ["*"] },
    },
    { folder: "packages/aside", imports: [], order: ["main.ts"], outside: {} },
  ];
  const known = new Map<string, Manifest>([
    ["packages/base", { name: "@fairlead/base", entries: [".", "./node", "./testing"], dependencies: [] }],
    ["packages/top", { name: "@fairlead/top", entries: ["."], dependencies: [] }],
    ["packages/aside", { name: "@fairlead/aside", entries: ["."], dependencies: [] }],
  ]);
  const judge = (file: string, specifier: string | undefined): string =>
    breach({ file, line: 1, specifier }, layers, known) ?? "fine";

  it.each([
    ["packages/base/src/c/c.ts", "../a/a.js", "fine"],
    ["packages/base/src/c/c.ts", "./other.js", "fine"],
    ["packages/base/src/a/a.ts", "../b/b.js", "b/ does not stand above a/"],
    ["packages/base/src/e/e.ts", "../d/x.js", "fine"],
    ["packages/base/src/e/e.ts", "../d/y.js", "d/ does not stand above e/"],
    ["packages/base/src/a/a.ts", "../index.js", "index.ts does not stand above a/"],
    ["packages/base/src/a/a.test.ts", "../index.js", "fine"],
    ["packages/base/src/a/a.ts", "./a.fixtures.js", "for tests"],
    ["packages/base/src/f/f.ts", "../a/a.js", "no place"],
    ["packages/base/src/d/d.ts", "node:fs", "fine"],
    ["packages/base/src/a/a.ts", "node:fs", "only for d/"],
    ["packages/base/src/a/a.ts", "lodash", "its row does not name"],
    ["packages/top/src/main.ts", "@fairlead/base", "fine"],
    ["packages/top/src/main.ts", "@fairlead/base/node", "fine"],
    ["packages/top/src/main.ts", "@fairlead/base/testing", "not listed"],
    ["packages/top/src/main.ts", "@fairlead/base/inner", "no entry"],
    ["packages/top/src/main.ts", "@fairlead/top", "its own package"],
    ["packages/top/src/main.ts", "@fairlead/aside", "does not name packages/aside"],
    ["packages/top/src/main.ts", "../../base/src/a/a.js", "inner file of another package"],
    ["packages/top/src/main.ts", "yaml", "missing in the dependencies"],
    ["packages/top/src/main.ts", undefined, "computes what it imports"],
    ["packages/other/src/main.ts", "yaml", "has no row"],
  ])("%s importing %s: %s", (file, specifier, verdict) => {
    expect(judge(file, specifier)).toContain(verdict);
  });

  it("sees imports of every form", () => {
    const text = `import a from "a"; import type { B } from "b"; export * from "c"; export * as d from "d";
      const e = await import("e"); type F = import("f").F; import g = require("g"); require("h"); await import(name);
      // import "not-this"
      const s = 'import "nor-this"';`;
    expect(importsOfText(text, "x.ts").map((one) => one.specifier)).toEqual([
      "a",
      "b",
      "c",
      "d",
      "e",
      "f",
      "g",
      "h",
      undefined,
    ]);
  });
});

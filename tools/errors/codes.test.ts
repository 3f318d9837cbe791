import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { isTest } from "../check-layers.js";
import { sourceFiles } from "../imports.js";
import { codesIn, codesOfText } from "./codes.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("docs/errors.md", () => {
  const uses = ["packages", "operators", "apps"]
    .flatMap((group) => sourceFiles(root, group))
    .filter((file) => !isTest(file))
    .flatMap((file) => codesIn(root, file));
  const listed = [...readFileSync(join(root, "docs/errors.md"), "utf8").matchAll(/^\| `(\w+)` \|/gm)].map(
    ([, code]) => code,
  );

  it("lists every code that an error can have", () => {
    expect(uses.length).toBeGreaterThan(30);
    expect(uses.filter(({ code }) => !listed.includes(code))).toEqual([]);
  });

  it("lists nothing else, and nothing twice", () => {
    expect(listed.filter((code) => !uses.some((use) => use.code === code))).toEqual([]);
    expect(listed.filter((code, i) => listed.indexOf(code) !== i)).toEqual([]);
  });
});

describe("the codes of a file", () => {
  it("are found in classes, in throws, and in tables", () => {
    const text = `
      const CODES = { ENOENT: "Missing", EIO: "Io" };
      const OTHER = { x: "NotThis" };
      class A extends FairleadError { constructor() { super("A", "message"); } }
      class B extends Error { constructor() { super("B"); } }
      throw new FairleadError(CODES[errno] ?? "Else", "message");
      throw new FairleadError(taken ? "Taken" : "Free", "message");`;
    expect(codesOfText(text, "x.ts").map(({ code }) => code)).toEqual(["A", "Missing", "Io", "Else", "Taken", "Free"]);
  });
});

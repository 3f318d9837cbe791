import { describe, expect, it } from "vitest";

import { codeBlocks } from "./blocks.js";

describe("the code of a document", () => {
  it("is what stands in TypeScript fences, with what the hidden comment before it gives", () => {
    const text = [
      "# Title",
      "```",
      "npm ci",
      "```",
      "```ts",
      "const a = 1;",
      "```",
      "<!-- given",
      "declare const b: number;",
      "-->",
      "",
      "```ts",
      "b;",
      "",
      "b;",
      "```",
      "<!-- given",
      "lost, since text stands between",
      "-->",
      "Text.",
      "```ts",
      "c;",
      "```",
    ].join("\n");
    expect(codeBlocks(text)).toEqual([
      { line: 6, code: "const a = 1;", given: "" },
      { line: 13, code: "b;\n\nb;", given: "declare const b: number;" },
      { line: 22, code: "c;", given: "" },
    ]);
  });
});

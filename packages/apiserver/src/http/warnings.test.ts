import { describe, expect, it } from "vitest";

import { Warnings } from "./warnings.js";

function shown(...texts: readonly string[]): readonly string[] | string | undefined {
  const warnings = new Warnings();
  for (const text of texts) warnings.add(text);
  return warnings.headers()["warning"];
}

const long = (letter: string, length: number): string => letter.repeat(length);

describe("warnings", () => {
  it("stand in the order in which they came, each once", () => {
    expect(shown()).toBeUndefined();
    expect(shown("a", "b", "a", "")).toEqual(['299 - "a"', '299 - "b"']);
    expect(shown('say "x\\y"')).toEqual(['299 - "say \\"x\\\\y\\""']);
  });

  it("are left out where a header cannot hold them", () => {
    expect(shown("a\nb", "c")).toEqual(['299 - "c"']);
  });

  it("are whole up to 4,096 characters together", () => {
    expect(shown(long("a", 4000), long("é", 96))).toEqual([`299 - "${long("a", 4000)}"`, `299 - "${long("é", 96)}"`]);
    expect(shown(long("\u{1f600}", 4096))).toHaveLength(1);
  });

  it("are cut to 256 characters each beyond that, earlier ones too", () => {
    expect(shown(long("a", 4000), long("\u{1f600}", 97), "short")).toEqual([
      `299 - "${long("a", 256)}"`,
      `299 - "${long("\u{1f600}", 97)}"`,
      '299 - "short"',
    ]);
  });

  it("end where those are too many as well", () => {
    const texts = Array.from({ length: 5000 }, (_, i) => `${i} ${long("x", 300)}`);
    expect(shown(...texts)).toHaveLength(4096 / 256);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { formatIndexes, missingIndexes, parseIndexes } from "./job-indexes.js";

describe("the indexes of a Job", () => {
  it.each([
    [[], ""],
    [[3], "3"],
    [[0, 1], "0,1"],
    [[0, 1, 2, 4], "0-2,4"],
    [[9, 1, 3, 2], "1-3,9"],
  ])("%j is written %j", (indexes, text) => {
    expect(formatIndexes(new Set(indexes))).toBe(text);
  });

  it("come back as they were written", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(60)), (indexes) => {
        expect([...parseIndexes(formatIndexes(new Set(indexes)), 61)].sort((a, b) => a - b)).toEqual(
          [...indexes].sort((a, b) => a - b),
        );
      }),
    );
  });

  it("beyond the completions, and what is no index, are left out", () => {
    expect([...parseIndexes("0-5,x,7-,2", 3)]).toEqual([0, 1, 2]);
  });

  it("that are free are the lowest ones", () => {
    expect(missingIndexes(new Set([0, 2]), 6, 3)).toEqual([1, 3, 4]);
    expect(missingIndexes(new Set([0, 1, 2]), 3, 2)).toEqual([]);
  });
});

import { expect, it } from "vitest";
import { isMerged } from "./context.js";
import { lostPath } from "./writer.js";

it.each<[value: unknown, patch: unknown, merged: boolean, lost: string | undefined]>([
  [{ a: 1, b: 2 }, { a: 1 }, true, undefined],
  [{ a: 1 }, { a: undefined }, true, undefined],
  [{ a: 1 }, { a: null }, false, ".a"],
  [{}, { a: null }, true, undefined],
  [{ a: { b: [1, 2] } }, { a: { b: [1] } }, false, ".a.b"],
  [undefined, { a: 1 }, false, ""],
  [{ a: {} }, { a: { pruned: true } }, false, ".a.pruned"],
])("knows whether a merge patch is in a value already, and what of it is not (%#)", (value, patch, merged, lost) => {
  expect(isMerged(value as never, patch as never)).toBe(merged);
  expect(lostPath(value as never, patch as never)).toBe(lost);
});

import fc from "fast-check";
import { expect, it } from "vitest";

import { characterAt, charactersOf, lengthOf, unitOf } from "./text.js";

const text = fc
  .array(fc.constantFrom("a", "\u00e9", "\u{1f600}", "\ud83d", "\ude00"))
  .chain((parts) => fc.constantFrom(parts.join(""), parts.join("").repeat(500)));

it("counts characters, as iterating over a text does", () => {
  fc.assert(
    fc.property(text, fc.nat(), (of, at) => {
      const characters = [...of];
      expect(lengthOf(of)).toBe(characters.length);
      expect(charactersOf(of)).toEqual(characters);
      const place = at % (characters.length + 1);
      const unit = characters.slice(0, place).join("").length;
      expect(unitOf(of, place)).toBe(unit);
      expect(characterAt(of, unit)).toBe(place);
    }),
    { numRuns: 50 },
  );
});

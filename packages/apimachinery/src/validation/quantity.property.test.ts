import fc from "fast-check";
import { expect, it } from "vitest";
import {
  addQuantities,
  compareQuantities,
  findQuantity,
  formatQuantity,
  parseQuantity,
  subtractQuantities,
  type Quantity,
} from "./quantity.js";

const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 12 });
const fraction = fc.oneof(
  fc.constant(""),
  digits.map((text) => `.${text}`),
);
// Nothing beyond 1000E, for which there is no suffix.
const suffix = fc.constantFrom("n", "u", "m", "", "k", "M", "Ki", "Mi", "Gi", "Ti", "e3", "E-2");
const quantity: fc.Arbitrary<Quantity> = fc
  .tuple(fc.constantFrom("", "-", "+"), digits, fraction, suffix)
  .map((parts) => parseQuantity(parts.join("")));

const same = (a: Quantity, b: Quantity): boolean => compareQuantities(a, b) === 0;

it("reads back the number that it wrote, and writes it the same way again", () => {
  fc.assert(
    fc.property(quantity, (value) => {
      const text = formatQuantity(value);
      const again = parseQuantity(text);
      expect(same(again, value)).toBe(true);
      expect(formatQuantity(again)).toBe(text);
    }),
  );
});

it("orders all quantities", () => {
  fc.assert(
    fc.property(quantity, quantity, quantity, (a, b, c) => {
      expect(Math.sign(compareQuantities(a, b))).toBe(-Math.sign(compareQuantities(b, a)) + 0);
      if (compareQuantities(a, b) <= 0 && compareQuantities(b, c) <= 0) expect(compareQuantities(a, c)).toBeLessThan(1);
    }),
  );
});

it("adds in any order and takes away what it added, exactly", () => {
  fc.assert(
    fc.property(quantity, quantity, quantity, (a, b, c) => {
      expect(same(addQuantities(a, b), addQuantities(b, a))).toBe(true);
      expect(same(addQuantities(addQuantities(a, b), c), addQuantities(a, addQuantities(b, c)))).toBe(true);
      expect(same(subtractQuantities(addQuantities(a, b), b), a)).toBe(true);
    }),
  );
});

it("finds a quantity or none in any text", () => {
  const text = fc.string({ unit: fc.constantFrom(..."0123456789.+-eEinumkKMGTP ") });
  fc.assert(
    fc.property(text, (input) => {
      const found = findQuantity(input);
      if (found !== undefined) expect(same(parseQuantity(formatQuantity(found)), found)).toBe(true);
    }),
  );
});

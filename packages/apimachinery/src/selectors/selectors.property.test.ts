import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonObject } from "@fairlead/base";
import { formatFieldSelector, matchesFields, parseFieldSelector } from "./field-selector.js";
import { formatLabelSelector, labelRequirement, matchesLabels, SelectorError } from "./label-selector.js";
import { parseLabelSelector } from "./parse-label-selector.js";

const key = fc.constantFrom("a", "b", "x.io/c", "in", "notin");
const value = fc.constantFrom("", "1", "2", "v", "in");
const labels: fc.Arbitrary<JsonObject> = fc.dictionary(key, value, { noNullPrototype: true });
const requirement = fc.oneof(
  fc
    .tuple(key, fc.constantFrom("in" as const, "notin" as const), fc.array(value, { minLength: 1, maxLength: 3 }))
    .map(([name, operator, values]) => labelRequirement(name, operator, values)),
  fc
    .tuple(key, fc.constantFrom("=" as const, "==" as const, "!=" as const), value)
    .map(([name, operator, one]) => labelRequirement(name, operator, [one])),
  fc
    .tuple(key, fc.constantFrom("exists" as const, "!" as const))
    .map(([name, operator]) => labelRequirement(name, operator, [])),
  fc
    .tuple(key, fc.constantFrom("gt" as const, "lt" as const), fc.nat(3))
    .map(([name, operator, n]) => labelRequirement(name, operator, [String(n)])),
);
const selector = fc.array(requirement, { maxLength: 4 }).map((requirements) => ({ requirements }));

it("selects the same after it was written and read", () => {
  fc.assert(
    fc.property(selector, labels, (original, some) => {
      const again = parseLabelSelector(formatLabelSelector(original));
      expect(matchesLabels(again, some)).toBe(matchesLabels(original, some));
      expect(formatLabelSelector(again)).toBe(formatLabelSelector(original));
    }),
  );
});

it("selects what all its requirements select", () => {
  fc.assert(
    fc.property(selector, labels, (all, some) => {
      const each = all.requirements.every((one) => matchesLabels({ requirements: [one] }, some));
      expect(matchesLabels(all, some)).toBe(each);
    }),
  );
});

it("is the opposite of its opposite", () => {
  fc.assert(
    fc.property(key, fc.array(value, { minLength: 1, maxLength: 3 }), labels, (name, values, some) => {
      const [some1, none] = (["in", "notin"] as const).map((operator) =>
        matchesLabels({ requirements: [labelRequirement(name, operator, values)] }, some),
      );
      expect(some1).not.toBe(none);
    }),
  );
});

it("reads any text, or refuses it with a reason", () => {
  const text = fc.string({ unit: fc.constantFrom(..."ab1=!<>(), \tin") });
  fc.assert(
    fc.property(text, (input) => {
      try {
        const read = parseLabelSelector(input);
        expect(formatLabelSelector(parseLabelSelector(formatLabelSelector(read)))).toBe(formatLabelSelector(read));
      } catch (error) {
        expect(error).toBeInstanceOf(SelectorError);
      }
    }),
  );
});

it("selects by fields whatever the values contain", () => {
  const field = fc.constantFrom("metadata.name", "spec.x");
  const requirements = fc.array(fc.record({ field, equals: fc.boolean(), value: fc.string() }), { maxLength: 3 });
  fc.assert(
    fc.property(requirements, fc.string(), (original, held) => {
      const again = parseFieldSelector(formatFieldSelector(original));
      expect(matchesFields(again, () => held)).toBe(matchesFields(original, () => held));
    }),
  );
});

import { describe, expect, it } from "vitest";
import { matchesFields, parseFieldSelector } from "./field-selector.js";
import { formatLabelSelector, labelSelectorOf, matchesLabels } from "./label-selector.js";
import { parseLabelSelector } from "./parse-label-selector.js";

const labels = { a: "b", n: "5", empty: "" };

describe("label selectors", () => {
  it.each<[selector: string, matches: boolean]>([
    ["", true],
    ["a=b", true],
    ["a==b,n", true],
    ["a!=b", false],
    ["z!=b", true],
    ["a in (x, b)", true],
    ["a notin (b)", false],
    ["z notin (b)", true],
    ["!z", true],
    ["! a", false],
    ["n>4,n<6", true],
    ["n>5", false],
    ["empty=", true],
    ["empty in ()", true],
    ["a in (in,notin,b)", true],
    ["a=", false],
  ])("%j matches: %s", (text, matches) => {
    expect(matchesLabels(parseLabelSelector(text), labels)).toBe(matches);
  });

  it.each<[selector: string, message: string]>([
    ["a=b=c", "found '=', expected: ',' or 'end of string'"],
    ["a in", "unable to parse requirement: found '' expected: '('"],
    ["a in (b", "unable to parse requirement: found '', expected: ',' or ')'"],
    ["=b", "found '=', expected: !, identifier, or 'end of string'"],
    ["a=b,", "found '', expected: identifier after ','"],
    ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ["!", "unable to parse requirement: found '', expected: identifier"],
    [
      "a>b",
      `unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    ["a,,b", "found ',', expected: identifier after ','"],
    ["a!b", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"],
  ])("%j is refused", (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(message);
  });

  it("prints a LabelSelector object as a text", () => {
    const selector = labelSelectorOf({
      matchLabels: { b: "1", a: "2" },
      matchExpressions: [{ key: "c", operator: "NotIn", values: ["y", "x"] }],
    });
    expect(formatLabelSelector(selector)).toBe("a=2,b=1,c notin (x,y)");
  });

  it("selects nothing where there is no selector", () => {
    expect(matchesLabels(labelSelectorOf(undefined), labels)).toBe(false);
    expect(matchesLabels(labelSelectorOf({}), labels)).toBe(true);
  });
});

describe("field selectors", () => {
  const valueOf = (field: string): string =>
    new Map([
      ["a", "x,y"],
      ["b", "="],
    ]).get(field) ?? "";

  it.each<[selector: string, matches: boolean]>([
    ["a=x\\,y", true],
    ["a==x\\,y,b=\\=", true],
    ["b!=z", true],
    ["c=", true],
  ])("%j matches: %s", (text, matches) => {
    expect(matchesFields(parseFieldSelector(text), valueOf)).toBe(matches);
  });

  it("refuses what has no operator", () => {
    expect(() => parseFieldSelector("abc")).toThrow("invalid selector: 'abc'; can't understand 'abc'");
  });
});

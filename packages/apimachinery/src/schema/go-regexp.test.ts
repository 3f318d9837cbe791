import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileGoRegExp, goRegExp } from "./go-regexp.js";

it.each<[pattern: string, good: readonly string[], bad: readonly string[]]>([
  ["^a+$", ["a", "aa"], ["", "ab"]],
  ["b", ["abc"], ["ac"]],
  ["^(ab|c)?d{2,3}$", ["dd", "abddd", "cdd"], ["d", "abcdd", "dddd"]],
  ["(?i)^k[b-d]$", ["KB", "kd", "\u212ab"], ["ke"]],
  ["^a(?i:b)c$", ["aBc"], ["aBC"]],
  ["\\Aa\\z", ["a"], ["a\n"]],
  ["(?m)^b$", ["a\nb\nc"], ["ab"]],
  ["^.$", ["😀"], ["\n", "ab"]],
  ["(?s)^.$", ["\n"], [""]],
  ["^(?P<year>[0-9]{4})$", ["2024"], ["24"]],
  ["^[[:alpha:]_]+$", ["aZ_"], ["a1"]],
  ["^[[:^digit:]5]$", ["a", "5"], ["6"]],
  ["^[^a-c\\d]$", ["d", "\n"], ["b", "1"]],
  ["^[]a-]$", ["]", "a", "-"], ["b"]],
  ["^\\p{Greek}\\PL$", ["α1"], ["αβ", "a1"]],
  ["\\bab\\b", ["x ab y"], ["xab"]],
  ["^\\Qa.b\\E$", ["a.b"], ["axb"]],
  ["^{a}{,2}$", ["{a}{,2}"], ["aa"]],
  ["^\\x41\\x{1F600}\\101$", ["A😀A"], ["a"]],
])("%s", (pattern, good, bad) => {
  const regExp = compileGoRegExp(pattern);
  expect(good.filter((text) => !regExp.test(text))).toEqual([]);
  expect(bad.filter((text) => regExp.test(text))).toEqual([]);
});

describe("what Go does not compile", () => {
  it.each<[pattern: string, message: string]>([
    ["a(", "missing closing ): `a(`"],
    ["a)", "unexpected ): `a)`"],
    ["[a", "missing closing ]: `[a`"],
    ["[b-a]", "invalid character class range: `b-a`"],
    ["[[:foo:]]", "invalid character class range: `[:foo:]`"],
    ["\\p{Nope}", "invalid character class range: `\\p{Nope}`"],
    ["(?=a)", "invalid or unsupported Perl syntax: `(?=`"],
    ["(?<!a)", "invalid named capture: `(?<!a)`"],
    ["(a)\\1", "invalid escape sequence: `\\1`"],
    ["*a", "missing argument to repetition operator: `*`"],
    ["a|+?", "missing argument to repetition operator: `+?`"],
    ["a**", "invalid nested repetition operator: `**`"],
    ["a{1001}", "invalid repeat count: `{1001}`"],
    ["(a{100}){11}", "invalid repeat count: `{11}`"],
    ["a\\", "trailing backslash at end of expression: ``"],
  ])("%s", (pattern, message) => {
    expect(() => compileGoRegExp(pattern)).toThrow(`error parsing regexp: ${message}`);
    expect(goRegExp(pattern)).toBeUndefined();
  });
});

it("takes time in proportion to the text where others would never end", () => {
  expect(compileGoRegExp("^(a*)*(a|a)*(aa?)+$").test(`${"a".repeat(5000)}b`)).toBe(false);
});

it("agrees with JavaScript on the language that both have", () => {
  const pattern = fc.array(
    fc.constantFrom("a", "b", "[ab]", "[^a]", "(?:", "(", ")", "|", "*", "+?", "?", "{1,2}", "^", "$", "."),
    {
      maxLength: 8,
    },
  );
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 });
  fc.assert(
    fc.property(pattern, text, (parts, input) => {
      // JavaScript repeats no assertions and has no groups of flags.
      fc.pre(!/[$^][*+?{]|\(\?(?!:)/.test(parts.join("")));
      const own = goRegExp(parts.join(""));
      if (own !== undefined) expect(own.test(input)).toBe(new RegExp(parts.join(""), "s").test(input));
    }),
    { numRuns: 1000 },
  );
});

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

it.each<[pattern: string, text: string, found: string | undefined]>([
  ["a+", "baaa", "aaa"],
  ["a+?", "baaa", "a"],
  ["(?U)a+", "baaa", "a"],
  ["(?U)a+?", "baaa", "aaa"],
  ["a|ab", "xab", "a"],
  ["ab|a", "xab", "ab"],
  ["(a|ab)(c|bcd)", "abcd", "abcd"],
  ["a{1,3}?b?", "aaab", "a"],
  ["x*", "aaa", ""],
  ["b", "aaa", undefined],
  ["(a*)*c", "aaac", "aaac"],
  [".", "😀x", "😀"],
])("finds of %s in %s the match that Go prefers", (pattern, text, found) => {
  const match = compileGoRegExp(pattern).find(text);
  expect(match && text.slice(match.start, match.end)).toBe(found);
});

it("finds what JavaScript finds, in the language that both have", () => {
  const part = fc.constantFrom("a", "b", "[ab]", "(?:a|ab)", "(?:ab|a)", "b*", "a+?", "a?", "(?:b|a){1,2}", "c??");
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), text, (parts, input) => {
      const pattern = parts.join("");
      const wanted = new RegExp(pattern).exec(input);
      const own = compileGoRegExp(pattern).find(input);
      expect(own && [own.start, input.slice(own.start, own.end)]).toEqual(
        wanted ? [wanted.index, wanted[0]] : undefined,
      );
    }),
    { numRuns: 1000 },
  );
});

it("tests many texts with one expression, whatever its table has seen before", () => {
  const own = compileGoRegExp("\\b(?:a|b)*a(?:a|b){12}c$|^é😀+$");
  const wanted = /\b(?:a|b)*a(?:a|b){12}c$|^é😀+$/u;
  const unit = fc.constantFrom("a", "b", "a", "b", "c", " ", "é", "😀");
  fc.assert(
    fc.property(fc.array(fc.string({ unit, maxLength: 40 }), { maxLength: 3 }), fc.boolean(), (texts, ends) => {
      for (const text of texts) {
        const input = ends ? `${text}a${text}c` : text;
        expect(own.test(input)).toBe(wanted.test(input));
      }
    }),
    { numRuns: 300 },
  );
  // More situations than the table holds, several times over.
  const tail = `a${"b".repeat(12)}c`;
  let mixed = "";
  for (let i = 0, x = 1; i < 20_000; i++) mixed += (x = (x * 48_271) % 2_147_483_647) % 2 === 0 ? "a" : "b";
  expect(own.test(mixed + tail)).toBe(true);
  expect(own.test(`${mixed + tail}b`)).toBe(false);
});

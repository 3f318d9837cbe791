import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { encodeUtf8, JsonLimitError, parseJson, stringifyJson, type JsonValue } from "@fairlead/base";

import { readJson } from "./json-text.js";
import { parseYaml, parseYamlDocuments, YamlError } from "./yaml.js";

describe("parseYaml", () => {
  it.each<[text: string, json: string]>([
    ["", "null"],
    ["# nothing", "null"],
    ["text", '"text"'],
    ["a: y\nb: Off\nc: 'on'\nd: yesterday", '{"a":true,"b":false,"c":"on","d":"yesterday"}'],
    ["[~, null, '', !!str ~]", '[null,null,"","~"]'],
    ["[010, 0o10, 0x1F, 0b11, 1_000, +7, 08]", "[8,8,31,3,1000,7,8]"],
    ["[1e2, 1.50, 2.0, .5, 1., -0.0, 1e21]", "[100,1.5,2,0.5,1,0,1e+21]"],
    ["[9223372036854775807, 18446744073709551616]", "[9223372036854775807,18446744073709552000]"],
    [
      "[1:30, 2020-01-01, 2020-01-01T00:00:00Z, 1.2.3, 0x]",
      '["1:30","2020-01-01","2020-01-01T00:00:00Z","1.2.3","0x"]',
    ],
    ["[!!int '0x10', !!float 1, !!binary aGk=, !mine 5, ! 5]", '[16,1,"hi","5","5"]'],
    ["1: a\ntrue: b\n1.5: c\n1e6: d\n'2': e", '{"1":"a","1.5":"c","1e+06":"d","2":"e","true":"b"}'],
    ["a: |\n  x\n   y\n\n  z\n\nb: >-\n  x\n  y\n\n  z\n", '{"a":"x\\n y\\n\\nz\\n","b":"x y\\nz"}'],
    ["a: |+\n  x\n\nb: |2\n    x\nc: >\n x\n  y\n z\n", '{"a":"x\\n\\n","b":"  x\\n","c":"x\\n y\\nz\\n"}'],
    [
      "a: 'it''s'\nb: \"\\x41\\u00e9\\n\\\n   x\"\nc: one\n  two\n\n  three",
      '{"a":"it\'s","b":"Aé\\nx","c":"one two\\nthree"}',
    ],
    ["a:\n- b: 1\n  c:\n  - - 2\n- \n", '{"a":[{"b":1,"c":[[2]]},null]}'],
    ["{a: [b, {c: d}, e: f,], 'g':h, i}", '{"a":["b",{"c":"d"},{"e":"f"}],"g":"h","i":null}'],
    ["? a\n: b\n? c\n", '{"a":"b","c":null}'],
    ["a: &x {b: 1}\nc: *x\n", '{"a":{"b":1},"c":{"b":1}}'],
    ["a: &x {b: 1, c: 1}\nd: {c: 0, <<: *x, b: 2}\n", '{"a":{"b":1,"c":1},"d":{"b":2,"c":1}}'],
    ["<<: [{a: 1}, {a: 2, b: 3}]", '{"a":1,"b":3}'],
    ["a: b\n---\n{", '{"a":"b"}'],
    ["%YAML 1.1\n%TAG !e! tag:e,2000:\n---\n!e!x a\n", '"a"'],
    ["\ufeffa: é😀", '{"a":"é😀"}'],
    ["__proto__: 1", '{"__proto__":1}'],
  ])("reads %j", (text, json) => {
    expect(stringifyJson(parseYaml(text).value)).toBe(stringifyJson(parseJson(json)));
  });

  it.each([
    ["{{{", "yaml: line 1: did not find expected node content"],
    ["a: b: c", "yaml: mapping values are not allowed in this context"],
    ["a: 1\nb: c: d", "yaml: line 2: mapping values are not allowed in this context"],
    ["a:\n\tb: 1", "yaml: line 2: found character that cannot start any token"],
    ["a:\n  b: 1\n c: 2", "yaml: line 2: did not find expected key"],
    ["a: {b: c\n", "yaml: line 1: did not find expected ',' or '}'"],
    ["a: [b\nc: d", "yaml: line 1: did not find expected ',' or ']'"],
    ["a: 1\nb\nc: 2", "yaml: line 3: could not find expected ':'"],
    ["a:\n  - b\n  c: d", "yaml: line 2: did not find expected '-' indicator"],
    ["a: - b", "yaml: block sequence entries are not allowed in this context"],
    ["a: ? b", "yaml: mapping keys are not allowed in this context"],
    ["a: 'b\n", "yaml: line 2: found unexpected end of stream"],
    ["a: 'b\n--- c'", "yaml: line 2: found unexpected document indicator"],
    ['a:\n  "\\q"', "yaml: line 2: found unknown escape character"],
    ['a:\n  "\\xg0"', "yaml: line 2: did not find expected hexdecimal number"],
    ['a:\n  "\\ud800"', "yaml: line 2: found invalid Unicode character escape code"],
    ["a:\n  @b", "yaml: line 2: found character that cannot start any token"],
    ["a:\n  & b", "yaml: line 2: did not find expected alphabetic or numeric character"],
    ["a:\n  !x!y b", "yaml: line 1: found undefined tag handle"],
    ["a: |0\n", "yaml: found an indentation indicator equal to 0"],
    ["a: | b\n", "yaml: did not find expected comment or line break"],
    ["a: |\n \t\n\tb", "yaml: line 2: found a tab character where an indentation space is expected"],
    ["a: *b", "yaml: unknown anchor 'b' referenced"],
    ["a: &b [*b]", "yaml: anchor 'b' value contains itself"],
    ["a: \u0001", "yaml: control characters are not allowed"],
    ["%YAML 1.2\n---\n", "yaml: found incompatible YAML document"],
    ["%FOO\n---\n", "yaml: found unknown directive name"],
    ["a: !!int b", "yaml: cannot decode !!str `b` as a !!int"],
    ["a: !!binary b", "yaml: !!binary value contains invalid base64 data"],
    ["<<: 1", "yaml: map merge requires map or sequence of maps as the value"],
    ["? [a, b]\n: c", 'yaml: invalid map key: []interface {}{"a", "b"}'],
    ["a: {{ b }}", 'yaml: invalid map key: map[interface {}]interface {}{"b":interface {}(nil)}'],
    ["~: a", 'unsupported map key of type: %!s(<nil>), key: <nil>, value: "a"'],
    ["a: .inf", "json: unsupported value: +Inf"],
    ["a: .inf\nb: !!int c", "yaml: cannot decode !!str `c` as a !!int"],
    ["[".repeat(10_001), "yaml: exceeded max depth of 10000"],
    ["- ".repeat(10_001), "yaml: exceeded max depth of 10000"],
  ])("refuses %.40j with the words of the Go library", (text, message) => {
    expect(() => parseYaml(text)).toThrow(new YamlError(message));
  });

  it("tells a control character before an earlier fault when both stand in the first 512 bytes", () => {
    const spaces = (n: number): string => `}${" ".repeat(n)}\u0001`;
    expect(() => parseYaml(spaces(510))).toThrow("control characters are not allowed");
    expect(() => parseYaml(spaces(511))).toThrow("did not find expected node content");
  });

  it("takes for a key what is followed by its colon within 1,024 characters", () => {
    const key = "k".repeat(1024);
    expect(parseYaml(`a: {${key}: 1}`).value).toEqual({ a: { [key]: 1 } });
    expect(() => parseYaml(`x${key}: 1`)).toThrow("yaml: mapping values are not allowed in this context");
  });

  it("names repeated keys by the line of their second value, and keeps that", () => {
    expect(parseYaml("a: 1\nb:\n  c: 2\n  c:\n    3\n? 1\n? 0x1\n")).toEqual({
      value: { a: 1, b: { c: 3 }, 1: null },
      duplicates: ['line 5: key "c" already set in map', "line 8: key 1 already set in map"],
    });
    expect(parseYaml("1: a\n'1': b\n").duplicates).toEqual([]);
  });

  it("does not let aliases make a small document large", () => {
    const list = (item: string): string => `[${Array(9).fill(item).join(", ")}]`;
    const lines = ["a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7"].map(
      (name, i) => `${name}: &${name} ${list(i === 0 ? "x" : `*a${i - 1}`)}`,
    );
    expect(parseYaml(lines.slice(0, 3).join("\n")).value).toMatchObject({
      a2: Array(9).fill(Array(9).fill(Array(9).fill("x"))),
    });
    expect(() => parseYaml(lines.join("\n"))).toThrow("yaml: document contains excessive aliasing");
  });

  it("does not follow nesting beyond 1,000 levels", () => {
    expect(() => parseYaml("[".repeat(1002) + "]".repeat(1002))).toThrow("yaml: exceeded max depth");
    expect(parseYaml("[".repeat(900) + "]".repeat(900)).duplicates).toEqual([]);
  });

  const text = fc.string({ unit: fc.constantFrom(..."ab é😀\n\t:,-?#&*!|>'\"%@`{}[]\\0~") });
  const { json } = fc.letrec<{ json: JsonValue }>((tie) => ({
    json: fc.oneof(
      { depthSize: "small" },
      text,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("json")),
      fc.dictionary(text, tie("json"), { noNullPrototype: true }),
    ),
  }));

  it("reads all JSON as JSON does", () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = stringifyJson(value);
        expect(stringifyJson(parseYaml(text).value)).toBe(text);
        // A blank before it keeps a document from the parser of JSON.
        expect(stringifyJson(parseYaml(` ${text}`).value)).toBe(text);
      }),
    );
  });

  it("reads any text, or refuses it as YAML", () => {
    const piece = fc.constantFrom(
      "a",
      ": ",
      "- ",
      "\n",
      "\n  ",
      "{",
      "}",
      "[",
      "]",
      ", ",
      "? ",
      "&a ",
      "*a",
      "!t ",
      "'",
      '"',
      "|",
      "> ",
      "#",
      "\t",
      "---",
      "%",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        try {
          parseYaml(pieces.join(""));
        } catch (error) {
          expect(error).toBeInstanceOf(YamlError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe("parseYamlDocuments", () => {
  it("reads one after the other, empty ones too", () => {
    expect(parseYamlDocuments("a\n---\n---\nb: 1\n...\n---\nc\n").map((d) => d.value)).toEqual([
      "a",
      null,
      { b: 1 },
      "c",
    ]);
    expect(parseYamlDocuments("# nothing\n")).toEqual([]);
  });

  it("refuses what follows a document without a mark", () => {
    expect(() => parseYamlDocuments("a: 1\n...\nb\n---\nc")).toThrow(
      "yaml: line 2: did not find expected <document start>",
    );
  });
});

describe("the bounds of a document", () => {
  const aliased = "a: &a [1, 2, 3, 4]\nb: [*a, *a, *a]\n";

  it.each([
    ["values of JSON", '{"a":[1,2,3]}', "limit is 4 values"],
    ["values of YAML", "a: [1, 2, 3]", "limit is 4 values"],
  ])("are kept for %s", (_what, text, message) => {
    expect(parseYaml(text, { maxNodes: 6 }).value).toEqual({ a: [1, 2, 3] });
    expect(() => parseYaml(text, { maxNodes: 4 })).toThrow(new JsonLimitError(message));
  });

  it("are kept for the text that aliases repeat", () => {
    const text = (length: number): string => `a: &a "${"x".repeat(length)}"\nb: [*a, *a, *a]\n`;
    expect(parseYaml(text(1024 * 1024)).duplicates).toEqual([]);
    expect(() => parseYaml(text(1024 * 1024 + 1))).toThrow("yaml: document contains excessive aliasing");
  });

  it("count what aliases repeat", () => {
    expect(parseYaml(aliased, { maxNodes: 22 }).duplicates).toEqual([]);
    expect(() => parseYaml(aliased, { maxNodes: 21 })).toThrow(new JsonLimitError("limit is 21 values"));
  });

  it("count the keys of each mapping", () => {
    expect(parseYaml("a: {b: 1, c: 1}\nd: 1", { maxKeys: 2 }).duplicates).toEqual([]);
    expect(() => parseYaml("a: {b: 1, c: 1, d: 1}", { maxKeys: 2 })).toThrow(
      new JsonLimitError("limit is 2 keys in one object"),
    );
  });
});

it.each(['{"a":1,"a":2}', '{"a":1.0}', '{"a":"\\/"}', '{"a":"\u2028"}', '{"a"\n:1}', '{"a":1} x', "{a: 1}"])(
  "leaves %j to the parser of YAML",
  (text) => {
    expect(readJson(text, { maxNodes: 100, maxKeys: 100 })).toBeUndefined();
    expect(readJson('{"a": [1, "b\\n"]}\n', { maxNodes: 100, maxKeys: 100 })).toEqual({ a: [1, "b\n"] });
  },
);

describe("bytes", () => {
  const bytes = (...octets: readonly number[]): Uint8Array => Uint8Array.from(octets);
  const utf8 = (text: string): readonly number[] => [...encodeUtf8(text)];
  const utf16 = (text: string, littleEndian: boolean): readonly number[] =>
    Array.from({ length: text.length }, (_, i) => text.charCodeAt(i)).flatMap((unit) =>
      littleEndian ? [unit & 0xff, unit >> 8] : [unit >> 8, unit & 0xff],
    );

  it.each<[encoding: string, body: Uint8Array]>([
    ["UTF-8", bytes(...utf8("a: é😀"))],
    ["UTF-8 with its mark", bytes(0xef, 0xbb, 0xbf, ...utf8("a: é😀"))],
    ["UTF-8 with two marks", bytes(0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, ...utf8("\na: é😀"))],
    ["UTF-16, the low octet first", bytes(0xff, 0xfe, ...utf16("a: é😀", true))],
    ["UTF-16, the high octet first", bytes(0xfe, 0xff, ...utf16("a: é😀", false))],
  ])("are read as %s", (_encoding, body) => {
    expect(parseYaml(body).value).toEqual({ a: "é😀" });
  });

  it.each<[body: Uint8Array, problem: string]>([
    [bytes(...utf8("a: "), 0xff), "invalid leading UTF-8 octet"],
    [bytes(...utf8("a: "), 0x80), "invalid leading UTF-8 octet"],
    [bytes(...utf8("a: "), 0xc3, 0x28), "invalid trailing UTF-8 octet"],
    [bytes(...utf8("a: "), 0xe2, 0x82), "incomplete UTF-8 octet sequence"],
    [bytes(...utf8("a: "), 0xc0, 0x80), "invalid length of a UTF-8 sequence"],
    [bytes(...utf8("a: "), 0xe0, 0x80, 0x80), "invalid length of a UTF-8 sequence"],
    [bytes(...utf8("a: "), 0xf0, 0x80, 0x80, 0x80), "invalid length of a UTF-8 sequence"],
    [bytes(...utf8("a: "), 0xed, 0xa0, 0x80), "invalid Unicode character"],
    [bytes(...utf8("a: "), 0xf4, 0x90, 0x80, 0x80), "invalid Unicode character"],
    [bytes(0xff, 0xfe, ...utf16("a: ", true), 0x41), "incomplete UTF-16 character"],
    [bytes(0xff, 0xfe, ...utf16("a: \ude00", true)), "unexpected low surrogate area"],
    [bytes(0xff, 0xfe, ...utf16("a: \ud83d", true)), "incomplete UTF-16 surrogate pair"],
    [bytes(0xff, 0xfe, ...utf16("a: \ud83da", true)), "expected low surrogate area"],
  ])("that are of no encoding are refused: %s", (body, problem) => {
    expect(() => parseYaml(body)).toThrow(`yaml: ${problem}`);
  });

  it("are refused by blocks of 512, so that an earlier fault of the syntax is told where it is in another", () => {
    const faulty = (fault: number): Uint8Array => bytes(...utf8("]".padEnd(fault)), 0xff);
    expect(() => parseYaml(faulty(511))).toThrow("invalid leading UTF-8 octet");
    expect(() => parseYaml(faulty(512))).toThrow("did not find expected node content");
  });

  it("may be less than what is looked ahead for", () => {
    expect(() => parseYaml(bytes(...utf8("a: b\n".repeat(100)), ...utf8("a:".padEnd(12)), 0xff))).toThrow("octet");
  });
});

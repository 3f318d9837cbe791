import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { JsonSyntaxError, parseJson, type DuplicateKey } from "./parse.js";
import { stringifyJson } from "./stringify.js";
import { JsonNumber, type JsonValue } from "./value.js";

describe("parseJson", () => {
  it.each<[text: string, value: JsonValue]>([
    ["0", 0],
    ["-1", -1],
    ["1.5", 1.5],
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", 9007199254740992n],
    ["9007199254740993", 9007199254740993n],
    ["-9223372036854775808", -9223372036854775808n],
    ["9223372036854775808", new JsonNumber("9223372036854775808")],
    ["1.0", new JsonNumber("1.0")],
    ["1e3", new JsonNumber("1e3")],
    ["-0", new JsonNumber("-0")],
    ['"a\\u0041\\n\\/"', "aA\n/"],
    [' [ 1 , { "a" : null } , true ] ', [1, { a: null }, true]],
    ["{}", {}],
    ["[]", []],
  ])("reads %s", (text, value) => {
    expect(parseJson(text)).toEqual(value);
    expect(stringifyJson(parseJson(text))).toBe(stringifyJson(value));
  });

  it("takes __proto__ for a key like any other", () => {
    const value = parseJson('{"__proto__":{"polluted":true},"constructor":1}');
    expect(Object.keys(value as object)).toEqual(["__proto__", "constructor"]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(stringifyJson(value)).toBe('{"__proto__":{"polluted":true},"constructor":1}');
  });

  it.each([
    ["", "unexpected end of JSON input"],
    ["{", "unexpected end of JSON input"],
    ["[1,]", "invalid character ']' looking for beginning of value"],
    ["{a}", "invalid character 'a' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
    ["[1 2]", "invalid character '2' after array element"],
    ["nul", "unexpected end of JSON input"],
    ["nulx", "invalid character 'x' in literal null (expecting 'l')"],
    ["1 2", "invalid character '2' after top-level value"],
    ["01", "invalid character '1' after top-level value"],
    ["1.x", "invalid character 'x' after decimal point in numeric literal"],
    ["1e+x", "invalid character 'x' in exponent of numeric literal"],
    ["-x", "invalid character 'x' in numeric literal"],
    ["\ufeff{}", "invalid character 'ï' looking for beginning of value"],
    ["é", "invalid character 'Ã' looking for beginning of value"],
    ["😀", "invalid character 'ð' looking for beginning of value"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"],
  ])("refuses %j with Go's words", (text, message) => {
    expect(() => parseJson(text)).toThrow(new JsonSyntaxError(message, 0).message);
  });

  it("is bounded in depth and in values", () => {
    expect(() => parseJson("[".repeat(1002))).toThrow("exceeded max depth");
    expect(stringifyJson(parseJson("[".repeat(1000) + "]".repeat(1000)))).toHaveLength(2000);
    expect(() => parseJson("[1,2,3]", { maxNodes: 3 })).toThrow("limit is 3 values");
  });

  it("tells keys that stand twice, and keeps the last", () => {
    const found: DuplicateKey[] = [];
    const value = parseJson('{"spec":{"list":[{"a":1,\n"a":2}]}}', {
      onDuplicateKey: (duplicate) => found.push(duplicate),
    });
    expect(value).toEqual({ spec: { list: [{ a: 2 }] } });
    expect(found).toEqual([{ path: "spec.list[0].a", key: "a", line: 2 }]);
  });

  it("agrees with JSON.parse about what is JSON, whatever the text", () => {
    const text = fc.oneof(
      fc.json(),
      fc.string(),
      fc.string({ unit: fc.constantFrom(...'{}[]",:0123456789.eE+-\\untrfals \n') }),
    );
    fc.assert(
      fc.property(text, (input) => {
        let wanted: unknown;
        try {
          wanted = JSON.parse(input) as unknown;
        } catch {
          expect(() => parseJson(input)).toThrow(JsonSyntaxError);
          return;
        }
        expect(JSON.parse(stringifyJson(parseJson(input)))).toEqual(wanted);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("stringifyJson", () => {
  const value = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.string({ unit: "binary" }),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value")),
      fc.dictionary(fc.string(), tie("value"), { noNullPrototype: true }),
    ),
  })).value;

  it("comes back as it was", () => {
    fc.assert(
      fc.property(value, (v) => {
        const text = stringifyJson(v);
        expect(stringifyJson(parseJson(text))).toBe(text);
      }),
    );
  });

  it("is the same for equal values, whatever the order of their keys, and leaves out what is undefined", () => {
    expect(stringifyJson({ b: 1, a: undefined, c: { z: 1, y: 2 } })).toBe(stringifyJson({ c: { y: 2, z: 1 }, b: 1 }));
  });

  it("has half a surrogate pair as Go's decoder has it, in keys too", () => {
    expect(parseJson('{"\\ud800k":"\\udc00", "pair":"\\ud83d\\ude00"}')).toEqual({
      "\ufffdk": "\ufffd",
      pair: "\u{1f600}",
    });
  });

  it.each([
    ["a\u2028b", '"a\\u2028b"'],
    ["\ud800", '"\ufffd"'],
    ["<&>", '"<&>"'],
    ["\u0001", '"\\u0001"'],
    ["\u007f", '"\u007f"'],
  ])("prints %j as Go does", (text, printed) => {
    expect(stringifyJson(text)).toBe(printed);
  });
});

import { describe, expect, it } from "vitest";

import {
  compareElements,
  elementValue,
  fieldElement,
  fieldName,
  formatElement,
  indexElement,
  isFieldElement,
  isKeyElement,
  keyElement,
  keyFields,
  parseElement,
  PathElementError,
  valueElement,
  type PathElement,
} from "./element.js";

describe("spelling", () => {
  it.each<[element: PathElement, text: string, message: string]>([
    [fieldElement("image"), "f:image", ".image"],
    [fieldElement("app.kubernetes.io/name"), "f:app.kubernetes.io/name", ".app.kubernetes.io/name"],
    [fieldElement("__proto__"), "f:__proto__", ".__proto__"],
    [keyElement([["name", "c"]]), 'k:{"name":"c"}', '[name="c"]'],
    [
      keyElement([
        ["protocol", "TCP"],
        ["port", 80],
      ]),
      'k:{"port":80,"protocol":"TCP"}',
      '[port=80,protocol="TCP"]',
    ],
    [keyElement([["k", "a<b"]]), 'k:{"k":"a\\u003cb"}', '[k="a<b"]'],
    [keyElement([['say "hi"', 1]]), 'k:{"say \\"hi\\"":1}', '[say "hi"=1]'],
    [keyElement([["\u2028é", 1]]), 'k:{"\u2028é":1}', "[\u2028é=1]"],
    [
      keyElement([
        ["10", 1],
        ["9", 2],
        ["1", 3],
      ]),
      'k:{"1":3,"10":1,"9":2}',
      "[1=3,9=2,10=1]",
    ],
    [keyElement([["k", null]]), 'k:{"k":null}', "[k=null]"],
    [valueElement("x"), 'v:"x"', '[="x"]'],
    [valueElement(1.5), "v:1.5", "[=1.5]"],
    [valueElement(true), "v:true", "[=true]"],
    [indexElement(3), "i:3", "[3]"],
  ])("of %s", (element, text, message) => {
    expect(element).toBe(text);
    expect(formatElement(element)).toBe(message);
    expect(parseElement(text)).toBe(element);
  });

  it.each([
    ['k:{"protocol":"TCP","port":80}', 'k:{"port":80,"protocol":"TCP"}'],
    ['k:{ "name" : "c" }', 'k:{"name":"c"}'],
    ['k:{"name":"\\u0061"}', 'k:{"name":"a"}'],
    ["k:{}", "k:{}"],
    ["k:null", "k:{}"],
    ['k:{"a":1,"a":2}', 'k:{"a":2}'],
    ['k:{"a":"\\ud800"}', 'k:{"a":"\ufffd"}'],
    ["i:+3", "i:3"],
    ["i:-3", "i:-3"],
    ["v:80.0", "v:80"],
    ["v:8e1", "v:80"],
    ["i:007", "i:7"],
    ["v:1e1", "v:10"],
    ["v: 1", "v:1"],
    ["v:1 ", "v:1"],
    ['v:"<"', 'v:"\\u003c"'],
    ['v:"a\\u0061"', 'v:"aa"'],
    ['k:{"a":"<"}', 'k:{"a":"\\u003c"}'],
    ['k:{"a": null}', 'k:{"a":null}'],
    ['k:{"a":1 }', 'k:{"a":1}'],
    ['k:{"a":1e1}', 'k:{"a":10}'],
    ['k:{"a":1,"b":"<"}', 'k:{"a":1,"b":"\\u003c"}'],
    ['k:{"a":1,"b": null}', 'k:{"a":1,"b":null}'],
    ['k:{"a":1,"b":2e1}', 'k:{"a":1,"b":20}'],
    ['k:{"b":1,"a":"x"}', 'k:{"a":"x","b":1}'],
    ['k:{"\\u0061":1}', 'k:{"a":1}'],
    ['k:{"a":1,"\\u0062":1}', 'k:{"a":1,"b":1}'],
    ['k:{"a":1}\n', 'k:{"a":1}'],
    ["v:1234567890123456789", "v:1234567890123456800"],
    ['k:{"a":1234567890123456789}', 'k:{"a":1234567890123456800}'],
  ])("%s is put right", (text, canonical) => {
    expect(parseElement(text)).toBe(canonical);
  });

  it.each([
    ["", "key must be 2 characters long:"],
    ["f", "key must be 2 characters long:"],
    ["fx", "missing colon: fx"],
    ["xy:", "missing colon: xy:"],
    ["k:{", "invalid path element: k:{"],
    ["k:5", "not an object: k:5"],
    ['k:{"a":01}', 'invalid path element: k:{"a":01}'],
    ["v:", "invalid path element: v:"],
    ["v:{", "invalid path element: v:{"],
    ["v:01", "invalid path element: v:01"],
    ["v:1x", "invalid path element: v:1x"],
    ["v:xv:1", "invalid path element: v:xv:1"],
    ['k:{"a":1}x', 'invalid path element: k:{"a":1}x'],
    ['k:xk:{"a":1}', 'invalid path element: k:xk:{"a":1}'],
    ['k:{"a":1,"b":02}', 'invalid path element: k:{"a":1,"b":02}'],
    ['k:{"a":1,}', 'invalid path element: k:{"a":1,}'],
    ["k:[]", "not an object: k:[]"],
    ["i:", "invalid index: i:"],
    ["i:1x", "invalid index: i:1x"],
    ["i:--1", "invalid index: i:--1"],
    ["i:x", "invalid index: i:x"],
    ["i:x1", "invalid index: i:x1"],
    ["i:1.5", "invalid index: i:1.5"],
  ])("%j is refused: %s", (text, message) => {
    expect(() => parseElement(text)).toThrow(PathElementError);
    expect(() => parseElement(text)).toThrow(message);
  });

  it("leaves out elements of kinds it does not know", () => {
    expect(parseElement("z:whatever")).toBeUndefined();
  });
});

it("tells what an element stands for", () => {
  const [field, key, value, index] = [
    fieldElement("f"),
    keyElement([
      ["name", "c"],
      ["port", 80],
    ]),
    valueElement({ a: [1, null] }),
    indexElement(2),
  ];
  const all = [field, key, value, index];
  expect(all.map(fieldName)).toEqual(["f", undefined, undefined, undefined]);
  expect(all.map(isFieldElement)).toEqual([true, false, false, false]);
  expect(all.map(isKeyElement)).toEqual([false, true, false, false]);
  const fields = [
    ["name", "c"],
    ["port", 80],
  ];
  expect(all.map(keyFields)).toEqual([undefined, fields, undefined, undefined]);
  expect(all.map(elementValue)).toEqual([undefined, undefined, { a: [1, null] }, undefined]);
  expect(keyFields("k:null" as PathElement)).toEqual([]);
});

it("orders fields by name, then keys, values and indices by content", () => {
  const ordered = [
    "f:",
    "f:Z",
    "f:a",
    "f:a.b",
    "f:aa",
    'k:{"a":1}',
    'k:{"name":9}',
    'k:{"name":10}',
    'k:{"name":10,"x":1}',
    'k:{"name":"10"}',
    'k:{"name":"9"}',
    'k:{"name":"a"}',
    'k:{"name":"a!"}',
    'k:{"name":"a\\"b"}',
    'k:{"name":"a\\u003cb"}',
    'k:{"name":"a=b"}',
    'k:{"name":"aa"}',
    'k:{"name":true}',
    'k:{"name":null}',
    'k:{"nbme":1}',
    'k:{"port":80,"protocol":"TCP"}',
    'k:{"port":80,"protocol":"UDP"}',
    'k:{"port":443,"protocol":"TCP"}',
    "v:-1",
    "v:2",
    "v:10",
    'v:"10"',
    'v:"2"',
    'v:"a"',
    'v:"a!"',
    'v:"a:10"',
    'v:"a:9"',
    "v:false",
    "v:true",
    "i:2",
    "i:10",
  ] as unknown as readonly PathElement[];
  for (const [i, a] of ordered.entries()) {
    for (const [j, b] of ordered.entries())
      expect([a, b, Math.sign(compareElements(a, b))]).toEqual([a, b, Math.sign(i - j)]);
  }
});

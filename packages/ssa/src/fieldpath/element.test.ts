import { describe, expect, it } from "vitest";

import {
  compareElements,
  fieldElement,
  formatElement,
  indexElement,
  keyElement,
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
    ["v:80.0", "v:80"],
    ["v:8e1", "v:80"],
    ["i:007", "i:7"],
  ])("%s is put right", (text, canonical) => {
    expect(parseElement(text)).toBe(canonical);
  });

  it.each(["", "f", "fx", "x", "k:{", "k:5", "v:", "v:{", "i:x", "i:1.5"])("%j is refused", (text) => {
    expect(() => parseElement(text)).toThrow(PathElementError);
  });

  it("leaves out elements of kinds it does not know", () => {
    expect(parseElement("z:whatever")).toBeUndefined();
  });
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
    'k:{"name":"a\\"b"}',
    'k:{"name":"aa"}',
    'k:{"name":true}',
    'k:{"port":80,"protocol":"TCP"}',
    'k:{"port":80,"protocol":"UDP"}',
    'k:{"port":443,"protocol":"TCP"}',
    "v:-1",
    "v:2",
    "v:10",
    'v:"10"',
    'v:"2"',
    'v:"a"',
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

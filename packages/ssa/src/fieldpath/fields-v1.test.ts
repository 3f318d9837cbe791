import { describe, expect, it } from "vitest";

import { PathElementError } from "./element.js";
import { hasPath, pathsOf } from "./field-set.js";
import { encodeFieldsV1, formatFieldsV1, parseFieldsV1 } from "./fields-v1.js";
import { fieldPath, formatPath } from "./path.js";

describe("FieldsV1", () => {
  it.each([
    ["{}"],
    ['{"f:spec":{}}'],
    ['{"f:spec":{".":{},"f:image":{}}}'],
    [
      '{"f:metadata":{"f:labels":{".":{},"f:a":{},"f:b":{}}},"f:spec":{"f:ports":{"k:{\\"port\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:port":{}},"k:{\\"port\\":443,\\"protocol\\":\\"TCP\\"}":{".":{}' +
        ',"f:port":{}}},"f:tags":{"v:\\"x\\"":{},"v:\\"y\\"":{}},"f:x":{"i:0":{},"i:10":{}}}}',
    ],
  ])("%s is written as it was read", (text) => {
    expect(formatFieldsV1(parseFieldsV1(text))).toBe(text);
    expect(JSON.stringify(encodeFieldsV1(parseFieldsV1(text)))).toBe(text);
  });

  it.each([
    [
      "out of order",
      '{"v:1":{},"f:b":{},"k:{\\"n\\":1}":{},"f:a":{}}',
      '{"f:a":{},"f:b":{},"k:{\\"n\\":1}":{},"v:1":{}}',
    ],
    ["a leaf spelled with a dot", '{"f:a":{".":{}}}', '{"f:a":{}}'],
    ["a null node", '{"f:a":null}', '{"f:a":{}}'],
    ["unknown kinds", '{"f:a":{"z:b":{},"f:c":{}},"y:":{}}', '{"f:a":{"f:c":{}}}'],
    ["a node with nothing but unknown kinds", '{"f:a":{"z:b":{}}}', '{"f:a":{}}'],
    [
      "two spellings of one element",
      '{"k:{\\"n\\":1.0}":{"f:a":{}},"k:{\\"n\\":1}":{"f:b":{}}}',
      '{"k:{\\"n\\":1}":{"f:a":{},"f:b":{}}}',
    ],
    ["null itself", "null", "{}"],
  ])("%s is put right", (_what, text, canonical) => {
    expect(formatFieldsV1(parseFieldsV1(text))).toBe(canonical);
  });

  it.each(['{"x":{}}', '{"f:a":5}', '{"f:a":[]}', '{"k:{":{}}', "[]"])("%s is refused", (text) => {
    expect(() => parseFieldsV1(text)).toThrow(PathElementError);
  });

  it("lists members of a node before those below them", () => {
    const set = parseFieldsV1(
      '{"f:spec":{".":{},"f:a":{".":{},"f:b":{}},"f:c":{},"k:{\\"n\\":\\"x\\"}":{".":{},"f:n":{}}}}',
    );
    expect(pathsOf(set).map(formatPath)).toEqual([
      ".spec",
      ".spec.a",
      ".spec.c",
      '.spec[n="x"]',
      ".spec.a.b",
      '.spec[n="x"].n',
    ]);
  });

  it("tells members from nodes on the way", () => {
    const set = parseFieldsV1('{"f:spec":{"f:image":{}}}');
    expect(hasPath(set, fieldPath("spec", "image"))).toBe(true);
    expect(hasPath(set, fieldPath("spec"))).toBe(false);
    expect(hasPath(set, fieldPath("spec", "constructor"))).toBe(false);
    expect(hasPath(set, fieldPath())).toBe(false);
  });
});

import { describe, expect, it } from "vitest";
import {
  isConfigMapKey,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isEnvVarName,
  isHttpPath,
  isLabelValue,
  isPathSegmentName,
  isPercent,
  isPortName,
  isPortNumber,
  isQualifiedName,
  isWildcardDns1123Subdomain,
  namePrefixRule,
} from "./names.js";

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const KEY =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

type Rule = (text: string) => readonly string[];

describe.each<[name: string, rule: Rule, cases: readonly (readonly [text: string, ...messages: readonly string[]])[]]>([
  [
    "a DNS-1123 label",
    isDns1123Label,
    [["a"], ["0-9"], ["", LABEL], ["A", LABEL], ["a-", LABEL], ["a.b", "must not contain dots"], ["ä", LABEL]],
  ],
  ["a DNS-1123 subdomain", isDns1123Subdomain, [["a.b-c.d"], ["a..b", SUBDOMAIN], ["a_b", SUBDOMAIN]]],
  [
    "a qualified name",
    isQualifiedName,
    [
      ["a"],
      ["example.com/A_b.c-d"],
      ["", "name part must be non-empty", `name part ${KEY}`],
      ["/a", "prefix part must be non-empty"],
      ["a/", "name part must be non-empty", `name part ${KEY}`],
      ["A/a", `prefix part ${SUBDOMAIN}`],
      ["a/b/c", `a valid label key ${KEY} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`],
      ["x".repeat(64), "name part must be no more than 63 bytes"],
    ],
  ],
  ["a label value", isLabelValue, [[""], ["a.b_C"], ["-", VALUE], ["a".repeat(64), "must be no more than 63 bytes"]]],
  [
    "a port name",
    isPortName,
    [
      ["http"],
      ["1", "must contain at least one letter (a-z)"],
      ["a--b", "must not contain consecutive hyphens"],
      ["-a", "must not begin or end with a hyphen"],
      ["a".repeat(16), "must be no more than 15 characters"],
    ],
  ],
  [
    "a path segment",
    isPathSegmentName,
    [["A:b"], ["..", "may not be '..'"], ["a/b%", "may not contain '/'", "may not contain '%'"]],
  ],
])("%s", (_name, rule, cases) => {
  it.each(cases)("%j", (text, ...messages) => {
    expect(rule(text)).toEqual(messages);
  });
});

it.each<[sentence: string, good: readonly string[], bad: readonly string[], rule: Rule]>([
  ["DNS-1035 labels start with a letter", ["a1"], ["1a", "A", ""], isDns1035Label],
  ["wildcards have one star, in front", ["*.a.b"], ["*", "a.*", "*.*.a"], isWildcardDns1123Subdomain],
  ["config keys do not lead to the parent folder", ["a", ".a", "A_B-c"], ["", ".", "..", "..a", "a/b"], isConfigMapKey],
  ["environment variables have no `=`", ["a", "A.b c"], ["", "a=b", "é"], isEnvVarName],
  ["percents are whole", ["0%", "150%"], ["%", "1.5%", "-1%", "5"], isPercent],
  ["paths have no spaces", ["/a/b?".slice(0, 4), "/%20"], ["", "/a b", "/a?b"], isHttpPath],
  ["ports fit into 16 bits", ["1", "65535"], ["0", "65536", "-1"], (text) => isPortNumber(Number(text))],
])("%s", (_sentence, good, bad, rule) => {
  expect(good.filter((text) => rule(text).length > 0)).toEqual([]);
  expect(bad.filter((text) => rule(text).length === 0)).toEqual([]);
});

it("lets a generateName end with the dash that comes before the generated part", () => {
  const rule = namePrefixRule(isDns1123Label);
  expect(rule("abc-", true)).toEqual([]);
  expect(rule("abc-", false)).toEqual([LABEL]);
  expect(rule("-", true)).toEqual([LABEL]);
});

it("counts bytes, not characters", () => {
  expect(isQualifiedName(`${"a".repeat(251)}.é/x`)[0]).toBe("prefix part must be no more than 253 bytes");
});

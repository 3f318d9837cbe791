// Formats that values can be checked against (apiserver: pkg/cel/library/format.go).
import { matchesFormat } from "../../schema/formats.js";
import { requestUriProblem } from "../../schema/go-address.js";
import {
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
  namePrefixRule,
} from "../../validation/names.js";
import { declare, global, member, type Library } from "../check/declarations.js";
import { listOf, optionalOf, STRING, structType } from "../check/types.js";
import { ValueList } from "../value/list.js";
import { NONE, Optional, type Opaque } from "../value/value.js";

const FORMAT_NAME = "kubernetes.NamedFormat";
const FORMAT = structType(FORMAT_NAME);

/** A format: what it says of a text, and how long an expression for it would be, which is what a check costs. */
export class FormatValue implements Opaque {
  readonly celType: string = FORMAT_NAME;
  readonly name: string;
  readonly regExpSize: number;
  readonly problems: (text: string) => readonly string[];

  constructor(name: string, regExpSize: number, problems: (text: string) => readonly string[]) {
    this.name = name;
    this.regExpSize = regExpSize;
    this.problems = problems;
  }

  equals(other: Opaque): boolean {
    return other instanceof FormatValue && this.name === other.name;
  }
}

const prefixed = (rule: (text: string) => readonly string[]) => {
  const masked = namePrefixRule(rule);
  return (text: string): readonly string[] => masked(text, true);
};

const of =
  (format: string, problem: string) =>
  (text: string): readonly string[] =>
    matchesFormat(format, text) === true ? [] : [problem];

const UUID_SIZE = 76;
const DATE_TIME_SIZE = 71;

const FORMATS: ReadonlyMap<string, FormatValue> = new Map(
  (
    [
      ["dns1123Label", "DNS1123Label", 30, isDns1123Label],
      ["dns1123Subdomain", "DNS1123Subdomain", 60, isDns1123Subdomain],
      ["dns1035Label", "DNS1035Label", 30, isDns1035Label],
      ["qualifiedName", "QualifiedName", 60, isQualifiedName],
      ["dns1123LabelPrefix", "DNS1123LabelPrefix", 30, prefixed(isDns1123Label)],
      ["dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60, prefixed(isDns1123Subdomain)],
      ["dns1035LabelPrefix", "DNS1035LabelPrefix", 30, prefixed(isDns1035Label)],
      ["labelValue", "LabelValue", 40, isLabelValue],
      [
        "uri",
        "URI",
        1103,
        (text: string) => {
          const problem = requestUriProblem(text);
          return problem === undefined ? [] : [problem];
        },
      ],
      ["uuid", "uuid", UUID_SIZE, of("uuid", "does not match the UUID format")],
      ["byte", "byte", 84, of("byte", "invalid base64")],
      ["date", "date", DATE_TIME_SIZE, of("date", "invalid date")],
      ["datetime", "datetime", DATE_TIME_SIZE, of("datetime", "invalid datetime")],
    ] as const
  ).map(([key, name, size, problems]) => [key, new FormatValue(name, size, problems)]),
);

export const FORMATS_LIBRARY: Library = [
  ...[...FORMATS].map(([key, format]) =>
    declare(
      `format.${key}`,
      global(`format.${key}`, [], FORMAT, () => format),
    ),
  ),
  declare(
    "format.named",
    global("format-named", [STRING], optionalOf(FORMAT), (name: string) => new Optional(FORMATS.get(name))),
  ),
  declare(
    "validate",
    member("format-validate", [FORMAT, STRING], optionalOf(listOf(STRING)), (format: FormatValue, text: string) => {
      const problems = format.problems(text);
      return problems.length === 0 ? NONE : new Optional(new ValueList([...problems]));
    }),
  ),
];

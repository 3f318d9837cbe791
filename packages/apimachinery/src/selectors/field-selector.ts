// Field selectors, `metadata.name=a,status.phase!=Running` (apimachinery: pkg/fields/selector.go).
import { byCodeUnit } from "@fairlead/base";
import { SelectorError } from "./label-selector.js";

/** One condition on one field. */
export interface FieldRequirement {
  readonly field: string;
  readonly equals: boolean;
  readonly value: string;
}

/** All requirements must hold; none of them selects everything. */
export type FieldSelector = readonly FieldRequirement[];

/**
 * Parses the text of a field selector. In values `\,`, `\=` and `\\` are escapes. Which fields there are is the kind's
 * affair. Terms are sorted.
 *
 * @throws SelectorError
 */
export function parseFieldSelector(text: string): FieldSelector {
  return splitTerms(text)
    .sort(byCodeUnit)
    .filter((term) => term !== "")
    .map((term) => parseTerm(term, text));
}

function parseTerm(term: string, whole: string): FieldRequirement {
  const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
  if (match === null) throw new SelectorError(`invalid selector: '${whole}'; can't understand '${term}'`);
  return { field: match[1] ?? "", equals: match[2] !== "!=", value: unescapeValue(match[3] ?? "") };
}

/** Commas that are not escaped separate. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === ",") {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...terms, text.slice(start)];
}

function unescapeValue(text: string): string {
  let out = "";
  const characters = [...text];
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i] ?? "";
    if (character === "," || character === "=") {
      throw new SelectorError(`invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`);
    }
    if (character !== "\\") {
      out += character;
      continue;
    }
    const next = characters[++i] ?? "";
    if (next !== "\\" && next !== "," && next !== "=")
      throw new SelectorError(`invalid field selector: invalid escape sequence: \\${next}`);
    out += next;
  }
  return out;
}

/** Whether an object satisfies a selector; `valueOf` gives the value of each field that stands in it. */
export function matchesFields(selector: FieldSelector, valueOf: (field: string) => string): boolean {
  return selector.every(({ field, equals, value }) => (valueOf(field) === value) === equals);
}

/** The text of a field selector, values escaped. */
export function formatFieldSelector(selector: FieldSelector): string {
  return selector
    .map(({ field, equals, value }) => `${field}${equals ? "=" : "!="}${value.replace(/[\\,=]/g, "\\$&")}`)
    .join(",");
}

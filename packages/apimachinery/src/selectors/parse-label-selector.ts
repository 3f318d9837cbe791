// The text form of label selectors, `a=b,c in (d,e),!f` (apimachinery: pkg/labels/selector.go).
import {
  badLabelKey,
  labelRequirement,
  SelectorError,
  type LabelOperator,
  type LabelRequirement,
  type LabelSelector,
} from "./label-selector.js";

type TokenKind =
  "end" | ")" | "," | "!" | "==" | "=" | ">" | "identifier" | "in" | "<" | "!=" | "notin" | "(" | "error";

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

/**
 * Parses the text of a label selector; an empty text selects everything. Requirements are sorted by key.
 *
 * @throws SelectorError
 */
export function parseLabelSelector(text: string): LabelSelector {
  const tokens = new Tokens(scan(text));
  const requirements: LabelRequirement[] = [];
  while (true) {
    const { kind, text: found } = tokens.peekValue();
    if (kind === "end") return sorted(requirements);
    if (kind !== "identifier" && kind !== "!")
      throw new SelectorError(`found '${found}', expected: !, identifier, or 'end of string'`);
    requirements.push(requirement(tokens));
    const next = tokens.takeValue();
    if (next.kind === "end") return sorted(requirements);
    if (next.kind !== ",") throw new SelectorError(`found '${next.text}', expected: ',' or 'end of string'`);
    const after = tokens.peekValue();
    if (after.kind !== "identifier" && after.kind !== "!") {
      throw new SelectorError(`found '${after.text}', expected: identifier after ','`);
    }
  }
}

function sorted(requirements: readonly LabelRequirement[]): LabelSelector {
  return { requirements: [...requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)) };
}

/** Tokens and a place among them. Where a value may stand, `in` and `notin` are ordinary words. */
class Tokens {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  peekValue(): Token {
    return asValue(this.#tokens[this.#at] ?? END);
  }

  takeValue(): Token {
    return asValue(this.take());
  }

  take(): Token {
    return this.#tokens[this.#at++] ?? END;
  }
}

const END: Token = { kind: "end", text: "" };

function asValue(token: Token): Token {
  return token.kind === "in" || token.kind === "notin" ? { kind: "identifier", text: token.text } : token;
}

function scan(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text[at] ?? "";
    if (/\s/.test(character)) {
      at++;
      continue;
    }
    const token = /[=!(),<>]/.test(character) ? symbol(text.slice(at, at + 2)) : word(text.slice(at));
    tokens.push(token);
    at += token.text.length;
  }
  return [...tokens, END];
}

function symbol(two: string): Token {
  if (two === "==" || two === "!=") return { kind: two, text: two };
  const one = two.slice(0, 1);
  return { kind: one as TokenKind, text: one };
}

function word(rest: string): Token {
  const text = /^[^=!(),<>\s]+/.exec(rest)?.[0] ?? rest;
  return { kind: text === "in" || text === "notin" ? text : "identifier", text };
}

function requirement(tokens: Tokens): LabelRequirement {
  try {
    return parseRequirement(tokens);
  } catch (error) {
    if (error instanceof SelectorError) throw new SelectorError(`unable to parse requirement: ${error.message}`);
    throw error;
  }
}

function parseRequirement(tokens: Tokens): LabelRequirement {
  let token = tokens.takeValue();
  const absent = token.kind === "!";
  if (absent) token = tokens.takeValue();
  if (token.kind !== "identifier") throw new SelectorError(`found '${token.text}', expected: identifier`);
  const key = token.text;
  const bad = badLabelKey(key);
  if (bad !== undefined) throw new SelectorError(bad);
  const { kind } = tokens.peekValue();
  if (absent) return labelRequirement(key, "!", []);
  if (kind === "end" || kind === ",") return labelRequirement(key, "exists", []);
  const operator = parseOperator(tokens);
  return labelRequirement(
    key,
    operator,
    operator === "in" || operator === "notin" ? parseValues(tokens) : [parseExactValue(tokens)],
  );
}

const OPERATORS: ReadonlyMap<TokenKind, LabelOperator> = new Map<TokenKind, LabelOperator>([
  ["in", "in"],
  ["notin", "notin"],
  ["=", "="],
  ["==", "=="],
  ["!=", "!="],
  [">", "gt"],
  ["<", "lt"],
]);

function parseOperator(tokens: Tokens): LabelOperator {
  const token = tokens.take();
  const operator = OPERATORS.get(token.kind);
  if (operator === undefined) throw new SelectorError(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
  return operator;
}

function parseExactValue(tokens: Tokens): string {
  const { kind } = tokens.peekValue();
  if (kind === "end" || kind === ",") return "";
  const token = tokens.takeValue();
  if (token.kind !== "identifier") throw new SelectorError(`found '${token.text}', expected: identifier`);
  return token.text;
}

function parseValues(tokens: Tokens): readonly string[] {
  const open = tokens.takeValue();
  if (open.kind !== "(") throw new SelectorError(`found '${open.text}' expected: '('`);
  const first = tokens.peekValue();
  if (first.kind === ")") {
    tokens.takeValue();
    return [""];
  }
  if (first.kind !== "identifier" && first.kind !== ",")
    throw new SelectorError(`found '${first.text}', expected: ',', ')' or identifier`);
  const values = parseList(tokens);
  const close = tokens.takeValue();
  if (close.kind !== ")") throw new SelectorError(`found '${first.text}', expected: ')'`);
  return values;
}

/** Commas with nothing between them stand for empty values. */
function parseList(tokens: Tokens): readonly string[] {
  const values = new Set<string>();
  while (true) {
    const token = tokens.takeValue();
    if (token.kind === "identifier") {
      values.add(token.text);
      const next = tokens.peekValue();
      if (next.kind === ")") return [...values];
      if (next.kind !== ",") throw new SelectorError(`found '${next.text}', expected: ',' or ')'`);
    } else if (token.kind === ",") {
      if (values.size === 0) values.add("");
      const next = tokens.peekValue();
      if (next.kind === ")") {
        values.add("");
        return [...values];
      }
      if (next.kind === ",") values.add("");
    } else throw new SelectorError(`found '${token.text}', expected: ',', or identifier`);
  }
}

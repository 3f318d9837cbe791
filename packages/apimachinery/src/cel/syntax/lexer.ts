// The tokens of CEL (cel-go: parser/gen/CEL.g4). Text that is no token is reported in the words of the ANTLR lexer, which
// drops what it has read of it, the character it stumbled over included, and goes on behind.
import type { Issue } from "./source.js";

export type TokenKind = "int" | "uint" | "double" | "string" | "bytes" | "identifier" | "escaped" | "symbol" | "end";

export interface Token {
  readonly kind: TokenKind;
  /** As it is written; `<EOF>` at the end. */
  readonly text: string;
  readonly start: number;
}

const SPACE = /(?:[\t \r\n\f]+|\/\/[^\n]*)+/y;
const STRING =
  "(?:[rR](?:\"\"\"[^]*?\"\"\"|'''[^]*?'''|\"[^\"\\n\\r]*\"|'[^'\\n\\r]*')" +
  "|\"\"\"(?:ESC|[^\\\\])*?\"\"\"|'''(?:ESC|[^\\\\])*?'''|\"(?:ESC|[^\\\\\"\\n\\r])*\"|'(?:ESC|[^\\\\'\\n\\r])*')";
const ESCAPE = "\\\\(?:[abfnrtv\"'\\\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})";
const TEXT = STRING.replaceAll("ESC", ESCAPE);

/** In order: of tokens of one length the first is taken. */
const RULES: readonly (readonly [kind: TokenKind, pattern: RegExp])[] = [
  ["string", new RegExp(TEXT, "y")],
  ["bytes", new RegExp(`[bB]${TEXT}`, "y")],
  ["double", /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y],
  ["uint", /(?:0x[0-9a-fA-F]+|\d+)[uU]/y],
  ["int", /(?:0x[0-9a-fA-F]+|\d+)/y],
  ["symbol", /(?:==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%])/y],
  ["identifier", /[A-Za-z_][A-Za-z0-9_]*/y],
  ["escaped", /`[A-Za-z0-9_.\-/ ]+`/y],
];

const WORDS: ReadonlySet<string> = new Set(["in", "true", "false", "null"]);

/** All tokens, the end last; what is no token goes to `issues`. */
export function tokenize(text: string, issues: Issue[]): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    SPACE.lastIndex = at;
    at += SPACE.exec(text)?.[0].length ?? 0;
    if (at >= text.length) break;
    const token = longest(text, at);
    if (token === undefined) {
      const length = brokenLength(text, at);
      issues.push({
        offset: at,
        message: `Syntax error: token recognition error at: '${shown(text.slice(at, at + length))}'`,
      });
      at += length;
    } else {
      tokens.push(token);
      at += token.text.length;
    }
  }
  tokens.push({ kind: "end", text: "<EOF>", start: text.length });
  return tokens;
}

function longest(text: string, start: number): Token | undefined {
  let best: Token | undefined;
  for (const [kind, pattern] of RULES) {
    pattern.lastIndex = start;
    const found = pattern.exec(text)?.[0];
    if (found === undefined || found.length <= (best?.text.length ?? 0)) continue;
    best = { kind: kind === "identifier" && WORDS.has(found) ? "symbol" : kind, text: found, start };
  }
  return best;
}

/** The beginnings of tokens, as far as they are right. */
const BROKEN = new RegExp(
  `^(?:[=&|]|\`[A-Za-z0-9_.\\-/ ]*|[bB]?(?:[rR](?:"[^"\\n\\r]*|'[^'\\n\\r]*)|(?:"(?:ESC|[^"\\\\\\n\\r])*|'(?:ESC|[^'\\\\\\n\\r])*)(?:PART)?))`
    .replaceAll("ESC", ESCAPE)
    .replace("PART", "\\\\(?:[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)?"),
);

/** How much of the text the lexer reads before it gives up on a token, with the character that it did not expect. */
function brokenLength(text: string, start: number): number {
  const read = BROKEN.exec(text.slice(start))?.[0] ?? "";
  const next = text.codePointAt(start + read.length);
  return read.length + (next === undefined ? 0 : next > 0xffff ? 2 : 1);
}

function shown(text: string): string {
  return text.replaceAll("\n", "\\n").replaceAll("\t", "\\t").replaceAll("\r", "\\r");
}

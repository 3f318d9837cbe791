// Sets of characters, and escapes, as Go's regular expressions spell them (Go: regexp/syntax/parse.go).
import {
  perlPiece,
  posixPiece,
  rangePiece,
  unicodePiece,
  type CharacterSet,
  type SetPiece,
} from "./go-regexp-class.js";
import { GoRegExpError } from "./go-regexp-error.js";

/** A place in an expression that is being read. */
export interface Reader {
  readonly text: string;
  at: number;
  readonly flags: { readonly foldCase: boolean };
}

/** Reads a character that stands for itself. */
export function readPoint(state: Reader): number {
  const point = state.text.codePointAt(state.at) ?? 0;
  state.at += point > 0xffff ? 2 : 1;
  return point;
}

/** `\d`, `\pL`, `\p{Greek}` and the like. */
export function readPiece(state: Reader): SetPiece | undefined {
  const { text, at } = state;
  if (text[at] !== "\\") return undefined;
  const letter = text[at + 1] ?? "";
  if (letter === "p" || letter === "P") return readUnicode(state, letter === "P");
  const piece = perlPiece(letter);
  if (piece !== undefined) state.at += 2;
  return piece;
}

function readUnicode(state: Reader, negated: boolean): SetPiece {
  const { text, at } = state;
  const inBraces = text[at + 2] === "{";
  const end = inBraces ? text.indexOf("}", at) + 1 : at + 2 + ((text.codePointAt(at + 2) ?? 0) > 0xffff ? 2 : 1);
  if (end === 0) throw new GoRegExpError("invalid character class range", text.slice(at));
  const whole = text.slice(at, end);
  const name = inBraces ? whole.slice(3, -1) : whole.slice(2);
  const opposite = name.startsWith("^");
  const piece = unicodePiece(opposite ? name.slice(1) : name, opposite !== negated);
  if (piece === undefined) throw new GoRegExpError("invalid character class range", whole);
  state.at = end;
  return piece;
}

const CONTROLS: ReadonlyMap<string, number> = new Map([
  ["a", 7],
  ["f", 12],
  ["n", 10],
  ["r", 13],
  ["t", 9],
  ["v", 11],
]);

const OCTAL = /\\(?:0[0-7]{0,2}|[1-7][0-7]{1,2})/y;
const HEX = /\\x(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{2}))/y;

/** The one character that an escape stands for. */
export function readEscape(state: Reader): number {
  const { text, at } = state;
  if (at + 1 >= text.length) throw new GoRegExpError("trailing backslash at end of expression", "");
  OCTAL.lastIndex = HEX.lastIndex = at;
  const octal = OCTAL.exec(text)?.[0];
  if (octal !== undefined) {
    state.at += octal.length;
    return parseInt(octal.slice(1), 8);
  }
  const hex = HEX.exec(text);
  const value = hex === null ? NaN : parseInt(hex[1] ?? hex[2] ?? "", 16);
  if (hex !== null && value <= 0x10ffff) {
    state.at += hex[0].length;
    return value;
  }
  state.at++;
  const point = readPoint(state);
  const character = String.fromCodePoint(point);
  const control = CONTROLS.get(character);
  if (control !== undefined) return control;
  if (point < 0x80 && !/[0-9A-Za-z]/.test(character)) return point;
  throw new GoRegExpError("invalid escape sequence", text.slice(at, at + badEscapeLength(text, at)));
}

/** How much of a bad escape Go has read when it gives up. */
function badEscapeLength(text: string, at: number): number {
  if (text[at + 1] !== "x") return 1 + String.fromCodePoint(text.codePointAt(at + 1) ?? 0).length;
  const rest = [...text.slice(at + 2)];
  if (rest[0] !== "{") return 2 + rest.slice(0, 2).join("").length;
  let value = 0;
  for (let i = 1; i < rest.length; i++) {
    const digit = parseInt(rest[i] ?? "", 16);
    value = value * 16 + digit;
    if (Number.isNaN(digit) || value > 0x10ffff) return 2 + rest.slice(0, i + 1).join("").length;
  }
  return 2 + rest.join("").length;
}

/** `[…]`. */
export function readSet(state: Reader): CharacterSet {
  const { text } = state;
  const start = state.at++;
  const negated = text[state.at] === "^";
  if (negated) state.at++;
  const pieces: SetPiece[] = [];
  for (let first = true; first || text[state.at] !== "]"; first = false) {
    const piece = readNamed(state) ?? readPiece(state) ?? readRange(state, start);
    pieces.push(piece);
  }
  state.at++;
  return { pieces, negated, foldCase: state.flags.foldCase };
}

/** `[:alpha:]` inside a set. */
function readNamed(state: Reader): SetPiece | undefined {
  const { text, at } = state;
  if (!text.startsWith("[:", at) || text.length <= at + 2) return undefined;
  const end = text.indexOf(":]", at + 2);
  if (end < 0) return undefined;
  const piece = posixPiece(text.slice(at + 2, end));
  if (piece === undefined) throw new GoRegExpError("invalid character class range", text.slice(at, end + 2));
  state.at = end + 2;
  return piece;
}

function readRange(state: Reader, start: number): SetPiece {
  const { text } = state;
  const begin = state.at;
  const from = readSetCharacter(state, start);
  if (text[state.at] !== "-" || state.at + 1 >= text.length || text[state.at + 1] === "]")
    return rangePiece(from, from);
  state.at++;
  const to = readSetCharacter(state, start);
  if (to < from) throw new GoRegExpError("invalid character class range", text.slice(begin, state.at));
  return rangePiece(from, to);
}

function readSetCharacter(state: Reader, start: number): number {
  if (state.at >= state.text.length) throw new GoRegExpError("missing closing ]", state.text.slice(start));
  return state.text[state.at] === "\\" ? readEscape(state) : readPoint(state);
}

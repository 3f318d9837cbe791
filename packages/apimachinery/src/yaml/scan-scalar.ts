import { hexDigit, isBlank, isBreak, isBreakOrEnd, isDigit, isSpaceOrEnd, type Cursor } from "./cursor.js";
import { scannerError } from "./error.js";
import { TextBuilder } from "./text-builder.js";

const QUOTE = 0x27;
const DOUBLE_QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const HASH = 0x23;
const MINUS = 0x2d;
const PLUS = 0x2b;
const DOT = 0x2e;
const ZERO = 0x30;
const TAB = 0x09;
const LF = 0x0a;
const SPACE = 0x20;

/** The units of `--- `, which the Go library reads ahead wherever one may begin. */
export const LONGEST_INDICATOR = 4;

/** Whether a line begins here that is `---` or `...`. */
export function atDocumentIndicator(cursor: Cursor): boolean {
  cursor.ensure(LONGEST_INDICATOR);
  if (cursor.column !== 0) return false;
  const unit = cursor.unit();
  if ((unit !== MINUS && unit !== DOT) || cursor.unit(1) !== unit || cursor.unit(2) !== unit) return false;
  return isSpaceOrEnd(cursor.unit(3));
}

/**
 * Scans a plain scalar, over several lines when they are indented enough.
 *
 * @param within - The indentation of the collection around it, and whether that is a flow collection.
 * @returns Its text, the line on which it ends, and whether line breaks follow it.
 * @throws YamlError
 */
export function scanPlain(
  cursor: Cursor,
  within: { readonly indent: number; readonly inFlow: boolean },
): { readonly value: string; readonly endLine: number; readonly endsLine: boolean } {
  const text = new TextBuilder();
  let [endLine, length, endsLine] = [cursor.line, text.length, false];
  while (!atDocumentIndicator(cursor) && cursor.unit() !== HASH) {
    if (readWord(cursor, text, within.inFlow)) [endLine, length, endsLine] = [cursor.line, text.length, false];
    if (!isBlank(cursor.unit()) && !isBreak(cursor.unit())) break;
    endsLine = scanGap(cursor, text, false, within);
    if (!within.inFlow && cursor.column <= within.indent) break;
  }
  text.truncate(length);
  return { value: text.toString(), endLine, endsLine };
}

/** Words of ASCII with one space between two, without what may mean something else: `:`, `#` and, in a flow, `,?[]{}`. */
const COMMON_WORDS = /[!"$-9;-~]+(?: [!"$-9;-~]+)*/y;
const COMMON_FLOW_WORDS = /[!"$-+\--9;->@-Z\\^-z|~]+(?: [!"$-+\--9;->@-Z\\^-z|~]+)*/y;

/** Whether there was any of a word here; the first ones of a scalar are gone over at once. */
function readWord(cursor: Cursor, text: TextBuilder, inFlow: boolean): boolean {
  const start = cursor.index;
  if (text.length === 0) text.append(cursor.readRun(inFlow ? COMMON_FLOW_WORDS : COMMON_WORDS));
  for (let unit = cursor.unit(); !isSpaceOrEnd(unit) && !endsPlain(cursor, inFlow); unit = cursor.unit())
    text.push(cursor.next());
  return cursor.index > start;
}

/** One of `,?[]{}`. */
function isFlowIndicator(unit: number): boolean {
  return unit === 0x2c || unit === 0x3f || unit === 0x5b || unit === 0x5d || unit === 0x7b || unit === 0x7d;
}

function endsPlain(cursor: Cursor, inFlow: boolean): boolean {
  const unit = cursor.unit();
  if (unit === COLON) return isSpaceOrEnd(cursor.unit(1));
  return inFlow && isFlowIndicator(unit);
}

/** Scans a scalar in single or double quotes. @throws YamlError */
export function scanQuoted(cursor: Cursor): string {
  const quote = cursor.unit();
  const text = new TextBuilder();
  cursor.skip();
  text.append(cursor.readRun(quote === QUOTE ? COMMON_SINGLE : COMMON_DOUBLE));
  while (true) {
    if (atDocumentIndicator(cursor)) throw scannerError("found unexpected document indicator", cursor.line);
    if (cursor.unit() === 0) throw scannerError("found unexpected end of stream", cursor.line);
    const afterBreak = scanQuotedWord(cursor, text, quote);
    if (cursor.unit() === quote) break;
    scanGap(cursor, text, afterBreak, undefined);
  }
  cursor.skip();
  return text.toString();
}

/** What is written in quotes as it is meant, up to the last word of ASCII on a line. */
const COMMON_SINGLE = /[!-&(-~]+(?: +[!-&(-~]+)*/y;
const COMMON_DOUBLE = /[!#-[\]-~]+(?: +[!#-[\]-~]+)*/y;

/** Goes over what stands before a blank, a line break or the quote that ends; whether it ended in an escaped line break. */
function scanQuotedWord(cursor: Cursor, text: TextBuilder, quote: number): boolean {
  const double = quote === DOUBLE_QUOTE;
  for (let unit = cursor.unit(); !isSpaceOrEnd(unit); unit = cursor.unit()) {
    if (unit === quote) {
      if (double || cursor.unit(1) !== QUOTE) return false;
      cursor.skip();
      text.push(cursor.next());
    } else if (!double || unit !== BACKSLASH) text.push(cursor.next());
    else if (isBreak(cursor.unit(1))) {
      cursor.skip();
      cursor.nextBreak();
      return true;
    } else scanEscape(cursor, text);
  }
  return false;
}

function byUnit<T>(entries: readonly (readonly [letter: string, value: T])[]): ReadonlyMap<number, T> {
  return new Map(entries.map(([letter, value]) => [letter.charCodeAt(0), value]));
}

const ESCAPES: ReadonlyMap<number, number> = byUnit([
  ["0", 0],
  ["a", 0x07],
  ["b", 0x08],
  ["t", 0x09],
  ["\t", 0x09],
  ["n", 0x0a],
  ["v", 0x0b],
  ["f", 0x0c],
  ["r", 0x0d],
  ["e", 0x1b],
  [" ", 0x20],
  ['"', 0x22],
  ["'", 0x27],
  ["\\", 0x5c],
  ["N", 0x85],
  ["_", 0xa0],
  ["L", 0x2028],
  ["P", 0x2029],
]);

const ESCAPED_DIGITS: ReadonlyMap<number, number> = byUnit([
  ["x", 2],
  ["u", 4],
  ["U", 8],
]);

function scanEscape(cursor: Cursor, text: TextBuilder): void {
  const letter = cursor.unit(1);
  const simple = ESCAPES.get(letter);
  const digits = ESCAPED_DIGITS.get(letter);
  if (simple === undefined && digits === undefined) throw scannerError("found unknown escape character", cursor.line);
  cursor.skip(2);
  if (simple !== undefined) text.push(simple);
  if (digits === undefined) return;
  let point = 0;
  for (let i = 0; i < digits; i++) {
    const digit = hexDigit(cursor.unit(i));
    if (digit < 0) throw scannerError("did not find expected hexdecimal number", cursor.line);
    point = point * 16 + digit;
  }
  if ((point >= 0xd800 && point <= 0xdfff) || point > 0x10ffff)
    throw scannerError("found invalid Unicode character escape code", cursor.line);
  cursor.skip(digits);
  if (point < 0x10000) text.push(point);
  else for (const half of [0xd800 + ((point - 0x10000) >> 10), 0xdc00 + (point & 0x3ff)]) text.push(half);
}

/**
 * Goes over blanks and line breaks between two words of a scalar that is not a block, and adds what it keeps of them: one
 * break is a space, more lose the first, and blanks beside a break are none.
 *
 * @param afterBreak - Whether an escaped line break, which leaves nothing, stands before them.
 * @param plain - What a plain scalar is in: there a tab is no indentation.
 * @returns Whether there was a line break.
 * @throws YamlError
 */
function scanGap(
  cursor: Cursor,
  text: TextBuilder,
  afterBreak: boolean,
  plain: { readonly indent: number } | undefined,
): boolean {
  const start = text.length;
  let hasBreaks = afterBreak;
  let folds = false;
  for (let unit = cursor.unit(); isBlank(unit) || isBreak(unit); unit = cursor.unit()) {
    if (isBlank(unit)) {
      if (hasBreaks && unit === TAB && plain !== undefined && cursor.column <= plain.indent)
        throw scannerError("found a tab character that violates indentation", cursor.line);
      cursor.next();
      if (!hasBreaks) text.push(unit);
      continue;
    }
    const kept = cursor.nextBreak();
    if (hasBreaks) text.push(kept);
    else {
      hasBreaks = true;
      text.truncate(start);
      if (kept === LF) folds = true;
      else text.push(kept);
    }
  }
  if (folds && text.length === start) text.push(SPACE);
  return hasBreaks;
}

/**
 * Scans a literal (`|`) or folded (`>`) scalar.
 *
 * @param parentIndent - The indentation of the collection around it, -1 when there is none.
 * @throws YamlError
 */
export function scanBlock(cursor: Cursor, parentIndent: number): { readonly value: string; readonly endLine: number } {
  const literal = cursor.startsWith("|");
  const { keep, increment } = scanBlockHeader(cursor);
  const text = new TextBuilder();
  const lines = new BlockLines(cursor, increment === 0 ? 0 : Math.max(parentIndent, 0) + increment, parentIndent);
  let [lineEnd, lineBreak, beganBlank] = [0, 0, false];
  lines.scanBreaks(text);
  while (cursor.column === lines.indent && cursor.unit() !== 0) {
    const beginsBlank = isBlank(cursor.unit());
    if (!literal && lineBreak === LF && !beganBlank && !beginsBlank)
      text.replace(lineEnd, text.length === lineEnd + 1 ? SPACE : undefined);
    beganBlank = beginsBlank;
    text.append(cursor.readLine());
    lineEnd = text.length;
    lineBreak = cursor.nextBreak();
    if (lineBreak !== 0) text.push(lineBreak);
    lines.scanBreaks(text);
  }
  if (keep !== "all") text.truncate(keep === "one" && lineBreak !== 0 ? lineEnd + 1 : lineEnd);
  return { value: text.toString(), endLine: lines.endLine };
}

/** The indicators behind `|` or `>`: which line breaks at the end are kept, and how far the text is indented (0: look). */
function scanBlockHeader(cursor: Cursor): { readonly keep: "none" | "one" | "all"; readonly increment: number } {
  cursor.skip();
  let keep = scanChomping(cursor);
  const increment = scanIncrement(cursor);
  if (increment > 0 && keep === undefined) keep = scanChomping(cursor);
  cursor.skipBlanks();
  cursor.skipComment();
  if (!isBreakOrEnd(cursor.unit())) throw scannerError("did not find expected comment or line break", cursor.line);
  cursor.nextBreak();
  return { keep: keep ?? "one", increment };
}

function scanChomping(cursor: Cursor): "none" | "all" | undefined {
  const unit = cursor.unit();
  if (unit !== PLUS && unit !== MINUS) return undefined;
  cursor.skip();
  return unit === PLUS ? "all" : "none";
}

function scanIncrement(cursor: Cursor): number {
  if (!isDigit(cursor.unit())) return 0;
  if (cursor.unit() === ZERO) throw scannerError("found an indentation indicator equal to 0", cursor.line);
  return Number(cursor.read());
}

/** The indentation of a block scalar's lines, which its first line that is not empty decides unless it was given. */
class BlockLines {
  readonly #cursor: Cursor;
  readonly #parentIndent: number;
  /** 0 until it is known. */
  indent: number;
  endLine: number;

  constructor(cursor: Cursor, indent: number, parentIndent: number) {
    this.#cursor = cursor;
    this.indent = indent;
    this.#parentIndent = parentIndent;
    this.endLine = cursor.line;
  }

  /** Goes over indentation and empty lines, and adds the line breaks to a text. */
  scanBreaks(text: TextBuilder): void {
    const cursor = this.#cursor;
    let deepest = 0;
    this.endLine = cursor.line;
    while (true) {
      cursor.skipSpacesTo(this.indent === 0 ? Infinity : this.indent);
      deepest = Math.max(deepest, cursor.column);
      if ((this.indent === 0 || cursor.column < this.indent) && cursor.unit() === TAB)
        throw scannerError("found a tab character where an indentation space is expected", cursor.line);
      if (!isBreak(cursor.unit())) break;
      text.push(cursor.nextBreak());
      this.endLine = cursor.line;
    }
    if (this.indent === 0) this.indent = Math.max(deepest, this.#parentIndent + 1, 1);
  }
}

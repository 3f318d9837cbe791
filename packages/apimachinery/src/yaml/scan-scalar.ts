import { isBlank, isBreak, isBreakOrEnd, isDigit, isInLine, isSpaceOrEnd, type Cursor } from "./cursor.js";
import { scannerError } from "./error.js";

const QUOTE = 0x27;
const DOUBLE_QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const HASH = 0x23;
const MINUS = 0x2d;
const PLUS = 0x2b;
const ZERO = 0x30;
const TAB = 0x09;

/** Whether a line begins here that is `---` or `...`. */
export function atDocumentIndicator(cursor: Cursor): boolean {
  return cursor.column === 0 && (cursor.startsWith("---") || cursor.startsWith("...")) && isSpaceOrEnd(cursor.unit(3));
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
  const gap = new Gap();
  let value = "";
  let endLine = cursor.line;
  while (!atDocumentIndicator(cursor) && cursor.unit() !== HASH) {
    while (!isSpaceOrEnd(cursor.unit()) && !endsPlain(cursor, within.inFlow)) {
      value += gap.take() + readWords(cursor, within.inFlow);
      endLine = cursor.line;
    }
    if (!isBlank(cursor.unit()) && !isBreak(cursor.unit())) break;
    gap.scan(cursor, () => {
      if (cursor.column <= within.indent && cursor.unit() === TAB)
        throw scannerError("found a tab character that violates indentation", cursor.line);
    });
    if (!within.inFlow && cursor.column <= within.indent) break;
  }
  return { value, endLine, endsLine: gap.hasBreaks };
}

/** At least one character, and what surely goes on with it on this line; there is more where words are out of the common. */
function readWords(cursor: Cursor, inFlow: boolean): string {
  const words = cursor.readRun(inFlow ? COMMON_FLOW_WORDS : COMMON_WORDS);
  return words === "" ? cursor.read() + cursor.readWhile(inFlow ? isInsideFlowWord : isInsideWord) : words;
}

/** Words of ASCII with one space between two, without what may mean something else: `:`, `#` and, in a flow, `,?[]{}`. */
const COMMON_WORDS = /[!"$-9;-~]+(?: [!"$-9;-~]+)*/y;
const COMMON_FLOW_WORDS = /[!"$-+\--9;->@-Z\\^-z|~]+(?: [!"$-+\--9;->@-Z\\^-z|~]+)*/y;

/** What goes on with a word without a look at what comes next. */
function isInsideWord(unit: number): boolean {
  return unit !== COLON && !isSpaceOrEnd(unit);
}

function isInsideFlowWord(unit: number): boolean {
  return isInsideWord(unit) && !isFlowIndicator(unit);
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
  const gap = new Gap();
  let value = "";
  cursor.skip();
  while (true) {
    if (atDocumentIndicator(cursor)) throw scannerError("found unexpected document indicator", cursor.line);
    if (cursor.unit() === 0) throw scannerError("found unexpected end of stream", cursor.line);
    while (!isSpaceOrEnd(cursor.unit())) {
      const unit = cursor.unit();
      if (quote === QUOTE && unit === QUOTE && cursor.unit(1) === QUOTE) {
        value += "'";
        cursor.skip(2);
      } else if (unit === quote) break;
      else if (quote === DOUBLE_QUOTE && unit === BACKSLASH && isBreak(cursor.unit(1))) {
        cursor.skip();
        cursor.readBreak();
        gap.hasBreaks = true;
        break;
      } else if (quote === DOUBLE_QUOTE && unit === BACKSLASH) value += scanEscape(cursor);
      else value += cursor.readWhile(quote === QUOTE ? isInsideSingle : isInsideDouble);
    }
    if (cursor.unit() === quote) break;
    gap.scan(cursor, () => undefined);
    value += gap.take();
  }
  cursor.skip();
  return value;
}

function isInsideSingle(unit: number): boolean {
  return unit !== QUOTE && !isSpaceOrEnd(unit);
}

function isInsideDouble(unit: number): boolean {
  return unit !== DOUBLE_QUOTE && unit !== BACKSLASH && !isSpaceOrEnd(unit);
}

function byUnit<T>(entries: readonly (readonly [letter: string, value: T])[]): ReadonlyMap<number, T> {
  return new Map(entries.map(([letter, value]) => [letter.charCodeAt(0), value]));
}

const ESCAPES: ReadonlyMap<number, string> = byUnit([
  ["0", "\0"],
  ["a", "\x07"],
  ["b", "\b"],
  ["t", "\t"],
  ["\t", "\t"],
  ["n", "\n"],
  ["v", "\v"],
  ["f", "\f"],
  ["r", "\r"],
  ["e", "\x1b"],
  [" ", " "],
  ['"', '"'],
  ["'", "'"],
  ["\\", "\\"],
  ["N", "\x85"],
  ["_", "\xa0"],
  ["L", "\u2028"],
  ["P", "\u2029"],
]);

const ESCAPED_DIGITS: ReadonlyMap<number, number> = byUnit([
  ["x", 2],
  ["u", 4],
  ["U", 8],
]);

function scanEscape(cursor: Cursor): string {
  const letter = cursor.unit(1);
  const simple = ESCAPES.get(letter);
  const digits = ESCAPED_DIGITS.get(letter);
  if (simple === undefined && digits === undefined) throw scannerError("found unknown escape character", cursor.line);
  cursor.skip(2);
  if (simple !== undefined || digits === undefined) return simple ?? "";
  let point = 0;
  for (let i = 0; i < digits; i++) {
    const digit = hexDigit(cursor.unit(i));
    if (digit < 0) throw scannerError("did not find expected hexdecimal number", cursor.line);
    point = point * 16 + digit;
  }
  if ((point >= 0xd800 && point <= 0xdfff) || point > 0x10ffff)
    throw scannerError("found invalid Unicode character escape code", cursor.line);
  cursor.skip(digits);
  return String.fromCodePoint(point);
}

const SPACES = / +/y;

/** What a digit counts; -1 for anything else. */
function hexDigit(unit: number): number {
  if (isDigit(unit)) return unit - ZERO;
  const letter = unit | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** Blanks and line breaks between two words of a flow scalar. */
class Gap {
  hasBreaks = false;
  #blanks = "";
  #first = "";
  #others = "";

  /** Goes over them; `onBlank` is called before each blank that begins a line. */
  scan(cursor: Cursor, onBlank: () => void): void {
    while (isBlank(cursor.unit()) || isBreak(cursor.unit())) {
      if (isBlank(cursor.unit())) {
        if (this.hasBreaks) onBlank();
        const blank = cursor.unit() === TAB ? cursor.read() : cursor.readRun(SPACES);
        if (!this.hasBreaks) this.#blanks += blank;
      } else if (this.hasBreaks) this.#others += cursor.readBreak();
      else {
        this.#blanks = "";
        this.#first = cursor.readBreak();
        this.hasBreaks = true;
      }
    }
  }

  /** What the scalar keeps of them: one break is a space, more lose the first. Nothing is left. */
  take(): string {
    const folded = this.#first === "\n" ? this.#others || " " : this.#first + this.#others;
    const kept = this.hasBreaks ? folded : this.#blanks;
    this.#blanks = this.#first = this.#others = "";
    this.hasBreaks = false;
    return kept;
  }
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
  const lines = new BlockLines(cursor, increment === 0 ? 0 : Math.max(parentIndent, 0) + increment, parentIndent);
  let value = "";
  let lineBreak = "";
  let beganBlank = false;
  let breaks = lines.scanBreaks();
  while (cursor.column === lines.indent && cursor.unit() !== 0) {
    const whole = literal ? lines.readWhole() : "";
    if (whole !== "") {
      value += lineBreak + breaks + whole;
      lineBreak = "\n";
      breaks = lines.scanBreaks();
      continue;
    }
    const beginsBlank = isBlank(cursor.unit());
    const folds = !literal && lineBreak === "\n" && !beganBlank && !beginsBlank;
    value += folds ? breaks || " " : lineBreak + breaks;
    beganBlank = beginsBlank;
    value += cursor.readRun(COMMON_LINE) + cursor.readWhile(isInLine);
    lineBreak = cursor.readBreak();
    breaks = lines.scanBreaks();
  }
  if (keep !== "none") value += lineBreak;
  if (keep === "all") value += breaks;
  return { value, endLine: lines.endLine };
}

const COMMON_LINE = /[\t -~]*/y;

/** The indicators behind `|` or `>`: which line breaks at the end are kept, and how far the text is indented (0: look). */
function scanBlockHeader(cursor: Cursor): { readonly keep: "none" | "one" | "all"; readonly increment: number } {
  cursor.skip();
  let keep = scanChomping(cursor);
  const increment = scanIncrement(cursor);
  if (increment > 0 && keep === undefined) keep = scanChomping(cursor);
  cursor.skipBlanks();
  cursor.skipComment();
  if (!isBreakOrEnd(cursor.unit())) throw scannerError("did not find expected comment or line break", cursor.line);
  cursor.readBreak();
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
  #wholeLines: RegExp | undefined;
  /** 0 until it is known. */
  indent: number;
  endLine: number;

  constructor(cursor: Cursor, indent: number, parentIndent: number) {
    this.#cursor = cursor;
    this.indent = indent;
    this.#parentIndent = parentIndent;
    this.endLine = cursor.line;
  }

  /**
   * Goes over whole lines of ASCII from the end of an indentation on, as many as are indented as far and are not empty;
   * returns their text without indentation and last line break.
   */
  readWhole(): string {
    this.#wholeLines ??= new RegExp(`[\\t -~]+\\n(?: {${this.indent}}[\\t -~]+\\n)*`, "y");
    const text = this.#cursor.readLines(this.#wholeLines).slice(0, -1);
    return this.indent === 0 ? text : text.replaceAll(`\n${" ".repeat(this.indent)}`, "\n");
  }

  /** Goes over indentation and empty lines; returns the line breaks. */
  scanBreaks(): string {
    const cursor = this.#cursor;
    let breaks = "";
    let deepest = 0;
    this.endLine = cursor.line;
    while (true) {
      cursor.skipSpacesTo(this.indent === 0 ? Infinity : this.indent);
      deepest = Math.max(deepest, cursor.column);
      if ((this.indent === 0 || cursor.column < this.indent) && cursor.unit() === TAB)
        throw scannerError("found a tab character where an indentation space is expected", cursor.line);
      if (!isBreak(cursor.unit())) break;
      breaks += cursor.readBreak();
      this.endLine = cursor.line;
    }
    if (this.indent === 0) this.indent = Math.max(deepest, this.#parentIndent + 1, 1);
    return breaks;
  }
}

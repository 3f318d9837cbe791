import { YamlError } from "./error.js";

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const NEXT_LINE = 0x85;
const LINE_SEPARATOR = 0x2028;
const PARAGRAPH_SEPARATOR = 0x2029;

/** What the characters before a place amount to. Lines and columns from 0; columns and indexes in characters. */
export interface Mark {
  readonly line: number;
  readonly column: number;
  readonly index: number;
}

/**
 * A place in a text that moves forward, one character or one line break at a time. Beyond the end the character is 0.
 *
 * libyaml reads its input in blocks of 512 bytes, and refuses one with a control character as soon as it needs the first
 * byte of it; so does this, which decides whether that or an earlier fault of the syntax is told.
 */
export class Cursor {
  readonly #text: string;
  readonly #readable: number;
  #at = 0;
  #line = 0;
  #column = 0;
  #index = 0;

  constructor(text: string) {
    this.#text = text.startsWith("\ufeff") ? text.slice(1) : text;
    this.#readable = readableLength(this.#text);
  }

  get mark(): Mark {
    return { line: this.#line, column: this.#column, index: this.#index };
  }

  get line(): number {
    return this.#line;
  }

  get column(): number {
    return this.#column;
  }

  get index(): number {
    return this.#index;
  }

  /** The UTF-16 unit here, or `ahead` units further; 0 beyond the end. @throws YamlError */
  unit(ahead: number = 0): number {
    const at = this.#at + ahead;
    if (at < this.#readable) return this.#text.charCodeAt(at);
    if (at < this.#text.length) throw new YamlError("yaml: control characters are not allowed");
    return 0;
  }

  /** Whether the text goes on with `word`. */
  startsWith(word: string): boolean {
    for (let i = 0; i < word.length; i++) if (this.unit(i) !== word.charCodeAt(i)) return false;
    return true;
  }

  /** Goes over one character that is no line break, and returns it. */
  read(): string {
    const width = isHighSurrogate(this.unit()) ? 2 : 1;
    const text = this.#text.slice(this.#at, this.#at + width);
    this.#at += width;
    this.#column += 1;
    this.#index += 1;
    return text;
  }

  /** Goes over what a sticky expression matches here and returns it; it may match what ASCII prints, and tabs. */
  readRun(expression: RegExp): string {
    expression.lastIndex = this.#at;
    const run = expression.exec(this.#text)?.[0] ?? "";
    this.#at += run.length;
    this.#column += run.length;
    this.#index += run.length;
    return run;
  }

  /** Goes over the whole lines of ASCII that a sticky expression matches from here, and returns them. */
  readLines(expression: RegExp): string {
    expression.lastIndex = this.#at;
    const lines = expression.exec(this.#text)?.[0] ?? "";
    if (lines === "" || this.#at + lines.length > this.#readable) return "";
    for (let at = lines.indexOf("\n"); at >= 0; at = lines.indexOf("\n", at + 1)) this.newLine();
    this.#at += lines.length;
    this.#index += lines.length;
    return lines;
  }

  /** Goes over what `accepts` takes and returns it; there must be no line break in it. */
  readWhile(accepts: (unit: number) => boolean): string {
    const start = this.#at;
    let seconds = 0;
    let unit = this.unit();
    while (accepts(unit)) {
      if (isHighSurrogate(unit)) seconds += 1;
      this.#at += 1;
      unit = this.unit();
    }
    const characters = this.#at - start - seconds;
    this.#column += characters;
    this.#index += characters;
    return this.#text.slice(start, this.#at);
  }

  /** Goes over spaces up to a column. */
  skipSpacesTo(column: number): void {
    const start = this.#at;
    const limit = Math.min(start + Math.max(column - this.#column, 0), this.#readable);
    while (this.#at < limit && this.#text.charCodeAt(this.#at) === SPACE) this.#at += 1;
    this.#column += this.#at - start;
    this.#index += this.#at - start;
  }

  skip(characters: number = 1): void {
    for (let i = 0; i < characters; i++) this.read();
  }

  /** Goes over a line break and returns what a scalar keeps of it; stays when there is none. */
  readBreak(): string {
    const unit = this.unit();
    if (!isBreak(unit)) return "";
    const width = unit === CR && this.unit(1) === LF ? 2 : 1;
    this.#at += width;
    this.#index += width;
    this.newLine();
    return unit === LINE_SEPARATOR || unit === PARAGRAPH_SEPARATOR ? String.fromCharCode(unit) : "\n";
  }

  /** Begins a line without a character, as the end of a text does. */
  newLine(): void {
    this.#column = 0;
    this.#line += 1;
  }

  skipBlanks(): void {
    this.readWhile(isBlank);
  }

  /** Goes over a comment that begins here, up to the line break. */
  skipComment(): void {
    if (this.unit() === 0x23) this.readWhile(isInLine);
  }
}

/** The units before the first block of 512 bytes of UTF-8 that has a character YAML does not allow. */
function readableLength(text: string): number {
  if (ALLOWED.test(text)) return text.length;
  let [start, bytes] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const point = text.codePointAt(at) ?? 0;
    const width = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (bytes + width > 512) [start, bytes] = [at, 0];
    if (!isAllowed(point)) return start;
    bytes += width;
    if (width === 4) at++;
  }
  return text.length;
}

/** What isAllowed allows, and halves of surrogate pairs. */
const ALLOWED = /^[\t\n\r\u0020-\u007e\u0085\u00a0-\ufffd]*$/;

function isAllowed(point: number): boolean {
  if (point < 0x7f) return point >= SPACE || point === TAB || point === LF || point === CR;
  return point === NEXT_LINE || (point >= 0xa0 && point !== 0xfffe && point !== 0xffff);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

export function isBlank(unit: number): boolean {
  return unit === SPACE || unit === TAB;
}

export function isBreak(unit: number): boolean {
  return unit === LF || unit === CR || unit === NEXT_LINE || unit === LINE_SEPARATOR || unit === PARAGRAPH_SEPARATOR;
}

/** Neither a line break nor the end. */
export function isInLine(unit: number): boolean {
  return !isBreakOrEnd(unit);
}

export function isBreakOrEnd(unit: number): boolean {
  return unit === 0 || isBreak(unit);
}

/** A blank, a line break or the end: what may follow an indicator. */
export function isSpaceOrEnd(unit: number): boolean {
  return isBlank(unit) || isBreakOrEnd(unit);
}

export function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

/** A letter or digit of ASCII, `_` or `-`: what names of anchors, tags and directives are made of. */
export function isWord(unit: number): boolean {
  return (
    isDigit(unit) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a) || unit === 0x5f || unit === 0x2d
  );
}

import { YamlError } from "./error.js";
import type { Source } from "./source.js";

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

/** A place in a text that moves forward, one character or one line break at a time. Beyond the end the character is 0. */
export class Cursor {
  readonly #text: string;
  readonly #readable: number;
  readonly #problem: string;
  #at = 0;
  #line = 0;
  /** The units of the text before this line, and all second halves of characters since; so columns count characters. */
  #beforeLine = 0;
  #secondHalves = 0;

  constructor({ text, readable, problem }: Source) {
    this.#text = text;
    this.#readable = readable;
    this.#problem = problem;
  }

  get mark(): Mark {
    return { line: this.line, column: this.column, index: this.index };
  }

  get line(): number {
    return this.#line;
  }

  get column(): number {
    return this.#at - this.#beforeLine;
  }

  get index(): number {
    return this.#at - this.#secondHalves;
  }

  /** The UTF-16 unit here, or `ahead` units further; 0 beyond the end. @throws YamlError */
  unit(ahead: number = 0): number {
    const at = this.#at + ahead;
    if (at < this.#readable) return this.#text.charCodeAt(at);
    if (at < this.#text.length) throw new YamlError(`yaml: ${this.#problem}`);
    return 0;
  }

  /** Makes sure that so many units from here on can be read, as far as there are any. @throws YamlError */
  ensure(units: number): void {
    if (this.#at + units > this.#readable && this.#readable < this.#text.length) this.unit(this.#readable - this.#at);
  }

  /** Whether the text goes on with `word`. */
  startsWith(word: string): boolean {
    for (let i = 0; i < word.length; i++) if (this.unit(i) !== word.charCodeAt(i)) return false;
    return true;
  }

  /** Goes over one character that is no line break, and returns it. */
  read(): string {
    const start = this.#at;
    if (isHighSurrogate(this.next())) this.next();
    return this.#text.slice(start, this.#at);
  }

  /** Goes over one unit that is no line break, and returns it; the second half of a character counts for none. */
  next(): number {
    const unit = this.unit();
    this.#at += 1;
    if (isLowSurrogate(unit)) this.#skipSecondHalves(1);
    return unit;
  }

  /** Goes over what a sticky expression matches here and returns it; it may match what ASCII prints, and tabs. */
  readRun(expression: RegExp): string {
    expression.lastIndex = this.#at;
    const run = expression.exec(this.#text)?.[0] ?? "";
    this.#at += run.length;
    return run;
  }

  /** Goes over the whole lines of ASCII that a sticky expression matches from here, and returns them. */
  readLines(expression: RegExp): string {
    expression.lastIndex = this.#at;
    const lines = expression.exec(this.#text)?.[0] ?? "";
    if (lines === "" || this.#at + lines.length > this.#readable) return "";
    for (let at = 0; at < lines.length; at++) if (lines.charCodeAt(at) === LF) this.#line += 1;
    this.#at += lines.length;
    this.#beforeLine = this.#at;
    return lines;
  }

  /** Goes over what `accepts` takes and returns it; there must be no line break in it. */
  readWhile(accepts: (unit: number) => boolean): string {
    const start = this.#at;
    while (accepts(this.unit())) this.next();
    return this.#text.slice(start, this.#at);
  }

  /** Goes over the rest of a line, without its break, and returns it. */
  readLine(): string {
    const start = this.#at;
    let seconds = 0;
    for (let unit = this.unit(); isInLine(unit); unit = this.unit()) {
      if (isLowSurrogate(unit)) seconds += 1;
      this.#at += 1;
    }
    this.#skipSecondHalves(seconds);
    return this.#text.slice(start, this.#at);
  }

  /** Goes over spaces up to a column. */
  skipSpacesTo(column: number): void {
    const limit = Math.min(this.#beforeLine + column, this.#readable);
    while (this.#at < limit && this.#text.charCodeAt(this.#at) === SPACE) this.#at += 1;
  }

  /** Goes over characters of ASCII that are no line breaks. */
  skip(characters: number = 1): void {
    for (let i = 0; i < characters; i++) this.next();
  }

  /** Goes over a line break and returns the unit that a scalar keeps of it; stays and returns 0 when there is none. */
  nextBreak(): number {
    const unit = this.unit();
    if (!isBreak(unit)) return 0;
    const width = unit === CR && this.unit(1) === LF ? 2 : 1;
    this.#at += width;
    this.newLine();
    return unit === LINE_SEPARATOR || unit === PARAGRAPH_SEPARATOR ? unit : LF;
  }

  /** Begins a line without a character, as the end of a text does. */
  newLine(): void {
    this.#beforeLine = this.#at;
    this.#line += 1;
  }

  #skipSecondHalves(count: number): void {
    this.#beforeLine += count;
    this.#secondHalves += count;
  }

  skipBlanks(): void {
    this.readWhile(isBlank);
  }

  /** Goes over a comment that begins here, up to the line break. */
  skipComment(): void {
    if (this.unit() === 0x23) this.readLine();
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

export function isBlank(unit: number): boolean {
  return unit === SPACE || unit === TAB;
}

export function isBreak(unit: number): boolean {
  if (unit > CR && unit < NEXT_LINE) return false;
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

/** What a hexadecimal digit counts; -1 for anything else. */
export function hexDigit(unit: number): number {
  if (isDigit(unit)) return unit - 0x30;
  const letter = unit | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** A letter or digit of ASCII, `_` or `-`: what names of anchors, tags and directives are made of. */
export function isWord(unit: number): boolean {
  return (
    isDigit(unit) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a) || unit === 0x5f || unit === 0x2d
  );
}

import { FairleadError } from "../errors/errors.js";
import { JsonNumber, setOwn, type JsonValue, type MutableJsonObject } from "./value.js";

export interface ParseOptions {
  /** Nesting at most; 1,000 by default, since what is read is walked by functions that call themselves. Go allows 10,000. */
  readonly maxDepth?: number;
  /** Values (scalars, arrays, objects) at most; 2,000,000 by default. */
  readonly maxNodes?: number;
  /** Keys of one object at most; as many as values by default. */
  readonly maxKeys?: number;
  /** Called for each key that stands twice in its object; the last value wins. */
  readonly onDuplicateKey?: (duplicate: DuplicateKey) => void;
}

/** A key that stands twice in its object. */
export interface DuplicateKey {
  /** `spec.containers[0].name`. */
  readonly path: string;
  readonly key: string;
  /** Of the second one, from 1. */
  readonly line: number;
}

/** Text that is not JSON, or is nested too deep. The message is Go's (`invalid character 'x' looking for …`). */
export class JsonSyntaxError extends FairleadError {
  /** UTF-16 units before the failure. */
  readonly offset: number;

  constructor(message: string, offset: number) {
    super("JsonSyntax", message);
    this.offset = offset;
  }
}

/** JSON with more in it than its reader wants to hold. The message names the bound. */
export class JsonLimitError extends FairleadError {
  constructor(message: string) {
    super("JsonLimit", message);
  }
}

/**
 * Parses JSON without losing anything: integers beyond 2^53 become `bigint`, other spellings that JavaScript would
 * change become JsonNumber, `__proto__` is a key like any other.
 *
 * @throws JsonSyntaxError
 * @throws JsonLimitError
 */
export function parseJson(text: string, options: ParseOptions = {}): JsonValue {
  return new Parser(text, options).parse();
}

const QUOTE = 34;
const BACKSLASH = 92;
const NEWLINE = 10;
const ZERO = 48;
const NINE = 57;

class Parser {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #maxNodes: number;
  readonly #maxKeys: number;
  readonly #onDuplicateKey: ((duplicate: DuplicateKey) => void) | undefined;
  readonly #path: (string | number)[] = [];
  #at = 0;
  #counted = 0;
  #line = 1;
  #nodes = 0;

  constructor(text: string, options: ParseOptions) {
    this.#text = text;
    this.#maxDepth = options.maxDepth ?? 1000;
    this.#maxNodes = options.maxNodes ?? 2_000_000;
    this.#maxKeys = options.maxKeys ?? this.#maxNodes;
    this.#onDuplicateKey = options.onDuplicateKey;
  }

  parse(): JsonValue {
    const value = this.#value(0);
    this.#space();
    if (this.#at < this.#text.length) this.#fail("after top-level value");
    return value;
  }

  #value(depth: number): JsonValue {
    if (depth > this.#maxDepth) throw new JsonSyntaxError("exceeded max depth", this.#at);
    if (++this.#nodes > this.#maxNodes) throw new JsonLimitError(`limit is ${this.#maxNodes} values`);
    this.#space();
    switch (this.#text.charCodeAt(this.#at)) {
      case 123:
        return this.#object(depth);
      case 91:
        return this.#array(depth);
      case QUOTE:
        return this.#string();
      case 116:
        return this.#word("true", true);
      case 102:
        return this.#word("false", false);
      case 110:
        return this.#word("null", null);
      default:
        return this.#number();
    }
  }

  #object(depth: number): JsonValue {
    const out: MutableJsonObject = {};
    this.#at++;
    this.#space();
    if (this.#text[this.#at] === "}") {
      this.#at++;
      return out;
    }
    for (let keys = 1; ; keys++) {
      if (keys > this.#maxKeys) throw new JsonLimitError(`limit is ${this.#maxKeys} keys in one object`);
      this.#space();
      if (this.#text.charCodeAt(this.#at) !== QUOTE) this.#fail("looking for beginning of object key string");
      const key = this.#string();
      this.#space();
      if (this.#text[this.#at] !== ":") this.#fail("after object key");
      this.#at++;
      if (this.#onDuplicateKey !== undefined) {
        this.#path.push(key);
        if (Object.hasOwn(out, key)) {
          this.#onDuplicateKey({
            path: formatKeyPath(this.#path),
            key,
            line: this.#lineHere(),
          });
        }
      }
      setOwn(out, key, this.#value(depth + 1));
      if (this.#onDuplicateKey !== undefined) this.#path.pop();
      this.#space();
      const next = this.#text[this.#at];
      if (next === ",") this.#at++;
      else if (next === "}") {
        this.#at++;
        return out;
      } else this.#fail("after object key:value pair");
    }
  }

  /** The line that has been reached; asked for in the order of the text, so that each character is looked at once. */
  #lineHere(): number {
    for (; this.#counted < this.#at; this.#counted++)
      if (this.#text.charCodeAt(this.#counted) === NEWLINE) this.#line++;
    return this.#line;
  }

  #array(depth: number): JsonValue {
    const out: JsonValue[] = [];
    this.#at++;
    this.#space();
    if (this.#text[this.#at] === "]") {
      this.#at++;
      return out;
    }
    while (true) {
      if (this.#onDuplicateKey !== undefined) this.#path.push(out.length);
      out.push(this.#value(depth + 1));
      if (this.#onDuplicateKey !== undefined) this.#path.pop();
      this.#space();
      const next = this.#text[this.#at];
      if (next === ",") this.#at++;
      else if (next === "]") {
        this.#at++;
        return out;
      } else this.#fail("after array element");
    }
  }

  #string(): string {
    const text = this.#text;
    const start = ++this.#at;
    let at = start;
    while (true) {
      const c = text.charCodeAt(at);
      if (c === QUOTE) {
        this.#at = at + 1;
        return text.slice(start, at);
      }
      if (c === BACKSLASH) break;
      if (c < 32 || at >= text.length) {
        this.#at = at;
        this.#fail("in string literal");
      }
      at++;
    }
    return this.#escaped(start, at);
  }

  /** A string with escapes: the engine reads what is right, and the slow way finds what is wrong. */
  #escaped(start: number, firstEscape: number): string {
    const text = this.#text;
    let end = firstEscape;
    while (end < text.length && text.charCodeAt(end) !== QUOTE) end += text.charCodeAt(end) === BACKSLASH ? 2 : 1;
    let out: string;
    try {
      out = JSON.parse(text.slice(start - 1, end + 1)) as string;
    } catch {
      return this.#badString(firstEscape);
    }
    this.#at = end + 1;
    return out.toWellFormed(); // Half of a surrogate pair is U+FFFD, as Go's decoder has it.
  }

  /** Says what is wrong with a string, from its first escape on. */
  #badString(firstEscape: number): never {
    for (let at = firstEscape; ; at = this.#at) {
      while (this.#text.charCodeAt(at) >= 32 && this.#text.charCodeAt(at) !== BACKSLASH) at++;
      this.#at = at;
      if (this.#text.charCodeAt(at) !== BACKSLASH) this.#fail("in string literal");
      this.#at++;
      this.#checkEscape();
    }
  }

  #checkEscape(): void {
    const c = this.#text[this.#at];
    if (c !== undefined && ESCAPES.has(c)) this.#at++;
    else if (c !== "u") this.#fail("in string escape code");
    else {
      for (let i = 1; i <= 4; i++) {
        if (!/[0-9a-fA-F]/.test(this.#text[this.#at + i] ?? "")) {
          this.#at += i;
          this.#fail("in \\u hexadecimal character escape");
        }
      }
      this.#at += 5;
    }
  }

  #number(): JsonValue {
    return this.#smallInteger() ?? this.#anyNumber();
  }

  /** Up to 15 digits and nothing else, which is most numbers; undefined for all others. */
  #smallInteger(): number | undefined {
    const text = this.#text;
    let at = this.#at;
    let value = 0;
    for (let c = text.charCodeAt(at); c >= ZERO && c <= NINE; c = text.charCodeAt(++at)) value = value * 10 + c - ZERO;
    const length = at - this.#at;
    if (length === 0 || length > 15 || (length > 1 && text.charCodeAt(this.#at) === ZERO)) return undefined;
    const next = text.charCodeAt(at);
    if (next === 46 || (next | 32) === 101) return undefined; // `.`, `e`, `E`
    this.#at = at;
    return value;
  }

  #anyNumber(): JsonValue {
    NUMBER.lastIndex = this.#at;
    const match = NUMBER.exec(this.#text);
    if (match === null) return this.#badNumber();
    const literal = match[0];
    this.#at += literal.length;
    const next = this.#text[this.#at];
    if (next === "." || next === "e" || next === "E") return this.#badNumber(literal);
    if (literal === "0" && next !== undefined && next >= "0" && next <= "9") this.#fail("after top-level value");
    const value = Number(literal);
    if (literal.length < 16 && match[1] === undefined && match[2] === undefined && !(value === 0 && literal.length > 1))
      return value;
    if (literal.length <= 20 && match[1] === undefined && match[2] === undefined && !Number.isSafeInteger(value)) {
      const integer = BigInt(literal);
      if (integer >= -(2n ** 63n) && integer < 2n ** 63n) return integer;
    }
    return literal.length <= 25 && String(value) === literal ? value : new JsonNumber(literal);
  }

  #badNumber(literal?: string): never {
    if (literal !== undefined) {
      const dot = this.#text[this.#at] === ".";
      this.#at++;
      if (!dot && /[+-]/.test(this.#text[this.#at] ?? "")) this.#at++;
      return this.#fail(dot ? "after decimal point in numeric literal" : "in exponent of numeric literal");
    }
    if (this.#text[this.#at] === "-") {
      this.#at++;
      return this.#fail("in numeric literal");
    }
    return this.#fail("looking for beginning of value");
  }

  #word<T extends JsonValue>(word: string, value: T): T {
    for (let i = 1; i < word.length; i++) {
      if (this.#text[this.#at + i] === word[i]) continue;
      this.#at += i;
      this.#fail(`in literal ${word} (expecting '${word[i] ?? ""}')`);
    }
    this.#at += word.length;
    return value;
  }

  #space(): void {
    for (let c = this.#text.charCodeAt(this.#at); c === 32 || c === 10 || c === 13 || c === 9;)
      c = this.#text.charCodeAt(++this.#at);
  }

  #fail(where: string): never {
    const point = this.#text.codePointAt(this.#at);
    if (point === undefined) throw new JsonSyntaxError("unexpected end of JSON input", this.#at);
    throw new JsonSyntaxError(`invalid character ${quoted(point)} ${where}`, this.#at);
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;

/** What may follow a backslash, but `u`. */
const ESCAPES = new Set('"\\/bfnrt');

/** The first byte of a character in UTF-8. */
function firstByte(point: number): number {
  return point < 0x800 ? 0xc0 | (point >> 6) : point < 0x10000 ? 0xe0 | (point >> 12) : 0xf0 | (point >> 18);
}

/** A character as Go's `quoteChar` prints it. */
function quoted(point: number): string {
  if (point >= 128) return `'${String.fromCharCode(firstByte(point))}'`; // Go looks at bytes.
  if (point === 39) return "'\\''";
  if (point === 34) return "'\"'";
  if (point >= 32 && point !== 127 && point !== BACKSLASH) return `'${String.fromCodePoint(point)}'`;
  const named = new Map([
    [10, "\\n"],
    [13, "\\r"],
    [9, "\\t"],
    [8, "\\b"],
    [12, "\\f"],
    [7, "\\a"],
    [11, "\\v"],
    [BACKSLASH, "\\\\"],
  ]).get(point);
  return `'${named ?? `\\x${point.toString(16).padStart(2, "0")}`}'`;
}

/** `spec.containers[0].name`. */
export function formatKeyPath(path: readonly (string | number)[]): string {
  let out = "";
  for (const step of path) out += typeof step === "number" ? `[${step}]` : out === "" ? step : `.${step}`;
  return out;
}

import { Cursor, isBlank, isBreak, isSpaceOrEnd, type Mark } from "./cursor.js";
import { scannerError } from "./error.js";
import { atDocumentIndicator, LONGEST_INDICATOR, scanBlock, scanPlain, scanQuoted } from "./scan-scalar.js";
import { scanAnchor, scanDirective, scanTag } from "./scan-tag.js";
import type { Source } from "./source.js";
import type { Token, TokenBody, TokenType } from "./token.js";

const MAX_DEPTH = 10_000;
/** How far behind the beginning of a key its `:` may stand, in characters. */
const MAX_KEY = 1024;

/** A place where a key may have begun whose `:` was not met yet; one for each level of flow collections. */
interface SimpleKey {
  possible: boolean;
  /** Nothing but a key can stand here. */
  readonly required: boolean;
  readonly tokenNumber: number;
  readonly mark: Mark;
}

const TAB = 0x09;
const BYTE_ORDER_MARK = 0xfeff;
/** Lines of spaces and comments of ASCII. */
const EMPTY_LINES = /(?: *(?:#[\t -~]*)?\n)+/y;

/**
 * Characters become tokens, as in libyaml: whether a scalar is a key is known only at its `:`, so tokens wait in a queue
 * until they cannot be keys any more, and the tokens that begin a key and a mapping are put in before them. Faults are
 * found in the order in which the Go library finds them. (go-yaml v2: scannerc.go)
 */
export class Scanner {
  readonly #cursor: Cursor;
  readonly #queue: Token[] = [];
  /** Tokens taken from the queue; a token's number is how many stood before it. */
  #taken = 0;
  #ended = false;
  #indent = -1;
  readonly #indents: number[] = [];
  readonly #keys: SimpleKey[];
  /** By the number of the token that would be a key: where the key stands in `#keys`. */
  readonly #keyOfToken = new Map<number, number>();
  #keyAllowed = true;

  constructor(source: Source) {
    this.#cursor = new Cursor(source);
    this.#keys = [{ possible: false, required: false, tokenNumber: 0, mark: this.#cursor.mark }];
  }

  /** The next token, which stays; at the end that is always `stream-end`. @throws YamlError */
  peek(): Token {
    while (this.#needsMore()) this.#fetch();
    const [token] = this.#queue;
    return token ?? { body: { type: "stream-end" }, startLine: this.#cursor.line, endLine: this.#cursor.line };
  }

  /** Removes the next token. @throws YamlError */
  take(): Token {
    const token = this.peek();
    if (this.#queue.shift() !== undefined) this.#taken++;
    return token;
  }

  #needsMore(): boolean {
    if (this.#queue.length === 0) return !this.#ended;
    const at = this.#keyOfToken.get(this.#taken);
    const key = at === undefined ? undefined : this.#keys[at];
    return key !== undefined && this.#isKeyPossible(key);
  }

  get #inFlow(): boolean {
    return this.#keys.length > 1;
  }

  #fetch(): void {
    const cursor = this.#cursor;
    this.#skipToToken();
    this.#unrollIndent(cursor.column);
    cursor.ensure(LONGEST_INDICATOR);
    const unit = cursor.unit();
    if (unit === 0) return this.#fetchStreamEnd();
    const character = String.fromCharCode(unit);
    if (cursor.column === 0 && (character === "%" || atDocumentIndicator(cursor)))
      return this.#fetchDocumentPart(character);
    const apart = isSpaceOrEnd(cursor.unit(1));
    switch (character) {
      case "[":
        return this.#fetchFlowStart("flow-sequence-start");
      case "{":
        return this.#fetchFlowStart("flow-mapping-start");
      case "]":
        return this.#fetchFlowEnd("flow-sequence-end");
      case "}":
        return this.#fetchFlowEnd("flow-mapping-end");
      case ",":
        this.#forgetKey();
        this.#keyAllowed = true;
        return this.#push("flow-entry");
      case "*":
        return this.#fetchKeyLike(() => scanAnchor(cursor, "alias"));
      case "&":
        return this.#fetchKeyLike(() => scanAnchor(cursor, "anchor"));
      case "!":
        return this.#fetchKeyLike(() => scanTag(cursor));
      case "'":
      case '"':
        return this.#fetchKeyLike(() => ({ type: "scalar", value: scanQuoted(cursor), plain: false }));
      case "-":
        if (apart) return this.#fetchBlockEntry();
        break;
      case "?":
        if (apart || this.#inFlow) return this.#fetchKey();
        break;
      case ":":
        if (apart || this.#inFlow) return this.#fetchValue();
        break;
      case "|":
      case ">":
        if (!this.#inFlow) return this.#fetchBlockScalar();
        throw cannotStart(cursor);
      case "#":
      case "%":
      case "@":
      case "`":
        throw cannotStart(cursor);
      default:
        if (isBlank(unit)) throw cannotStart(cursor);
    }
    this.#fetchPlain();
  }

  /** Goes over blanks, comments, line breaks and a second byte order mark. A tab does not indent, so it is none where a key may begin. */
  #skipToToken(): void {
    const cursor = this.#cursor;
    for (let mayBeMany = true; ;) {
      if (mayBeMany) {
        mayBeMany = cursor.readLines(EMPTY_LINES) !== "";
        if (mayBeMany && !this.#inFlow) this.#keyAllowed = true;
      }
      if (cursor.index === 0 && cursor.unit() === BYTE_ORDER_MARK) cursor.next();
      cursor.skipSpacesTo(Infinity);
      if ((this.#inFlow || !this.#keyAllowed) && cursor.unit() === TAB) cursor.skipBlanks();
      cursor.skipComment();
      if (!isBreak(cursor.unit())) return;
      cursor.nextBreak();
      if (!this.#inFlow) this.#keyAllowed = true;
    }
  }

  #fetchStreamEnd(): void {
    if (this.#cursor.column !== 0) this.#cursor.newLine();
    this.#unrollIndent(-1);
    this.#forgetKey();
    this.#keyAllowed = false;
    this.#ended = true;
    this.#push("stream-end", 0);
  }

  #fetchDocumentPart(character: string): void {
    this.#unrollIndent(-1);
    this.#forgetKey();
    this.#keyAllowed = false;
    if (character === "%") this.#add(this.#cursor.line, scanDirective(this.#cursor));
    else this.#push(character === "-" ? "document-start" : "document-end", 3);
  }

  #fetchFlowStart(type: "flow-sequence-start" | "flow-mapping-start"): void {
    this.#saveKey();
    this.#keys.push({ possible: false, required: false, tokenNumber: this.#nextNumber, mark: this.#cursor.mark });
    if (this.#keys.length - 1 > MAX_DEPTH) throw tooDeep(this.#cursor);
    this.#keyAllowed = true;
    this.#push(type);
  }

  #fetchFlowEnd(type: "flow-sequence-end" | "flow-mapping-end"): void {
    this.#forgetKey();
    if (this.#inFlow) {
      const key = this.#keys.pop();
      if (key !== undefined) this.#keyOfToken.delete(key.tokenNumber);
    }
    this.#keyAllowed = false;
    this.#push(type);
  }

  #fetchBlockEntry(): void {
    if (!this.#inFlow)
      this.#beginBlock("block-sequence-start", "block sequence entries are not allowed in this context");
    this.#forgetKey();
    this.#keyAllowed = true;
    this.#push("block-entry");
  }

  #fetchKey(): void {
    if (!this.#inFlow) this.#beginBlock("block-mapping-start", "mapping keys are not allowed in this context");
    this.#forgetKey();
    this.#keyAllowed = !this.#inFlow;
    this.#push("key");
  }

  #fetchValue(): void {
    const key = this.#keys.at(-1);
    if (key !== undefined && this.#isKeyPossible(key)) {
      const { line } = key.mark;
      const at = key.tokenNumber - this.#taken;
      this.#queue.splice(at, 0, { body: { type: "key" }, startLine: line, endLine: line });
      this.#rollIndent(key.mark.column, line, { type: "block-mapping-start", at });
      key.possible = false;
      this.#keyOfToken.delete(key.tokenNumber);
      this.#keyAllowed = false;
    } else {
      if (!this.#inFlow) this.#beginBlock("block-mapping-start", "mapping values are not allowed in this context");
      this.#keyAllowed = !this.#inFlow;
    }
    this.#push("value");
  }

  /** What may itself be a key, and cannot be followed by one. */
  #fetchKeyLike(scan: () => TokenBody): void {
    this.#saveKey();
    this.#keyAllowed = false;
    this.#add(this.#cursor.line, scan());
  }

  #fetchPlain(): void {
    this.#saveKey();
    this.#keyAllowed = false;
    const startLine = this.#cursor.line;
    const { value, endLine, endsLine } = scanPlain(this.#cursor, { indent: this.#indent, inFlow: this.#inFlow });
    if (endsLine) this.#keyAllowed = true;
    this.#queue.push({ body: { type: "scalar", value, plain: true }, startLine, endLine });
  }

  #fetchBlockScalar(): void {
    this.#forgetKey();
    this.#keyAllowed = true;
    const startLine = this.#cursor.line;
    const { value, endLine } = scanBlock(this.#cursor, this.#indent);
    this.#queue.push({ body: { type: "scalar", value, plain: false }, startLine, endLine });
  }

  /** Begins a block collection here unless it has begun. @throws YamlError with `problem` where none may begin */
  #beginBlock(type: "block-sequence-start" | "block-mapping-start", problem: string): void {
    if (!this.#keyAllowed) throw scannerError(problem, this.#cursor.line);
    this.#rollIndent(this.#cursor.column, this.#cursor.line, { type, at: this.#queue.length });
  }

  #rollIndent(column: number, line: number, start: { readonly type: BlockStart; readonly at: number }): void {
    if (this.#inFlow || this.#indent >= column) return;
    this.#indents.push(this.#indent);
    this.#indent = column;
    if (this.#indents.length > MAX_DEPTH) throw tooDeep(this.#cursor);
    this.#queue.splice(start.at, 0, { body: { type: start.type }, startLine: line, endLine: line });
  }

  #unrollIndent(column: number): void {
    if (this.#inFlow) return;
    while (this.#indent > column) {
      this.#push("block-end", 0);
      this.#indent = this.#indents.pop() ?? -1;
    }
  }

  get #nextNumber(): number {
    return this.#taken + this.#queue.length;
  }

  /** Remembers that a key may begin here. */
  #saveKey(): void {
    if (!this.#keyAllowed) return;
    const required = !this.#inFlow && this.#indent === this.#cursor.column;
    this.#forgetKey();
    const key = { possible: true, required, tokenNumber: this.#nextNumber, mark: this.#cursor.mark };
    this.#keys[this.#keys.length - 1] = key;
    this.#keyOfToken.set(key.tokenNumber, this.#keys.length - 1);
  }

  #forgetKey(): void {
    const key = this.#keys.at(-1);
    if (key?.possible !== true) return;
    if (key.required) throw scannerError("could not find expected ':'", this.#cursor.line);
    key.possible = false;
    this.#keyOfToken.delete(key.tokenNumber);
  }

  #isKeyPossible(key: SimpleKey): boolean {
    if (!key.possible) return false;
    if (key.mark.line === this.#cursor.line && key.mark.index + MAX_KEY >= this.#cursor.index) return true;
    if (key.required) throw scannerError("could not find expected ':'", this.#cursor.line);
    key.possible = false;
    return false;
  }

  /** Adds an indicator of so many characters. */
  #push(type: IndicatorType, characters: number = 1): void {
    const { line } = this.#cursor;
    this.#cursor.skip(characters);
    this.#add(line, { type });
  }

  #add(startLine: number, body: TokenBody): void {
    this.#queue.push({ body, startLine, endLine: this.#cursor.line });
  }
}

type IndicatorType = Exclude<TokenType, "scalar" | "alias" | "anchor" | "tag" | "version-directive" | "tag-directive">;
type BlockStart = "block-sequence-start" | "block-mapping-start";

function cannotStart(cursor: Cursor): Error {
  return scannerError("found character that cannot start any token", cursor.line);
}

function tooDeep(cursor: Cursor): Error {
  return scannerError(`exceeded max depth of ${MAX_DEPTH}`, cursor.line);
}

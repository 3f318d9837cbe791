// The syntax of Go's regular expressions with its messages (Go: regexp/syntax/parse.go, with the flags of regexp.Compile).
import { FairleadError } from "@fairlead/base";
import {
  ANY_BUT_NEWLINE,
  ANY_CHARACTER,
  perlPiece,
  posixPiece,
  rangePiece,
  unicodePiece,
  type CharacterSet,
  type SetPiece,
} from "./go-regexp-class.js";

/** What a regular expression consists of. Groups are not told apart: nobody asks what they matched. */
export type RegExpNode =
  | { readonly kind: "set"; readonly set: CharacterSet }
  | { readonly kind: "assert"; readonly what: Assertion }
  | { readonly kind: "all"; readonly nodes: readonly RegExpNode[] }
  | { readonly kind: "any"; readonly nodes: readonly RegExpNode[] }
  | {
      readonly kind: "repeat";
      readonly node: RegExpNode;
      readonly min: number;
      readonly max: number | undefined;
      /** Whether fewer turns are preferred. */
      readonly lazy: boolean;
    };

/** Conditions on a place between characters. */
export type Assertion = "textStart" | "textEnd" | "lineStart" | "lineEnd" | "boundary" | "noBoundary";

/** An expression that Go does not compile. The message is Go's. */
export class GoRegExpError extends FairleadError {
  constructor(code: string, part: string) {
    super("BadRegExp", `error parsing regexp: ${code}: \`${part}\``);
  }
}

const MOST_REPEATS = 1000;
const DEEPEST = 1000;

interface Flags {
  readonly foldCase: boolean;
  readonly multiLine: boolean;
  readonly dotNewline: boolean;
  /** Whether repetitions are lazy, and a question mark makes them greedy. */
  readonly ungreedy: boolean;
}

/** A group that is open: its finished alternatives, and the one that is being read. */
interface Frame {
  readonly flags: Flags;
  readonly alternatives: RegExpNode[];
  nodes: RegExpNode[];
}

interface State {
  readonly text: string;
  at: number;
  flags: Flags;
  /** Where the repetition began that has just been read. */
  lastRepeat: number | undefined;
  readonly frames: Frame[];
}

/** @throws GoRegExpError */
export function parseGoRegExp(text: string): RegExpNode {
  const flags: Flags = { foldCase: false, multiLine: false, dotNewline: false, ungreedy: false };
  const state: State = { text, at: 0, flags, lastRepeat: undefined, frames: [{ flags, alternatives: [], nodes: [] }] };
  while (state.at < text.length) {
    const start = state.at;
    state.lastRepeat = readItem(state) ? start : undefined;
  }
  if (state.frames.length > 1) throw new GoRegExpError("missing closing )", text);
  const node = closed(top(state));
  if (depthOf(node) > DEEPEST) throw new GoRegExpError("expression nests too deeply", text);
  return node;
}

function top(state: State): Frame {
  return state.frames.at(-1) as Frame;
}

function closed({ alternatives, nodes }: Frame): RegExpNode {
  const last: RegExpNode = nodes.length === 1 ? (nodes[0] as RegExpNode) : { kind: "all", nodes };
  return alternatives.length === 0 ? last : { kind: "any", nodes: [...alternatives, last] };
}

function depthOf(node: RegExpNode): number {
  let deepest = 0;
  let layer: readonly RegExpNode[] = [node];
  for (; layer.length > 0 && deepest <= DEEPEST; deepest++)
    layer = layer.flatMap((each) => ("nodes" in each ? each.nodes : each.kind === "repeat" ? [each.node] : []));
  return deepest;
}

/** Reads the next item; tells whether it was a repetition. */
function readItem(state: State): boolean {
  const { text, at, flags } = state;
  const { nodes } = top(state);
  const put = (node: RegExpNode, length: number): false => {
    nodes.push(node);
    state.at += length;
    return false;
  };
  switch (text[at]) {
    case "(":
      openGroup(state);
      return false;
    case "|": {
      const frame = top(state);
      frame.alternatives.push(closed({ ...frame, alternatives: [] }));
      frame.nodes = [];
      state.at++;
      return false;
    }
    case ")":
      closeGroup(state);
      return false;
    case "^":
      return put({ kind: "assert", what: flags.multiLine ? "lineStart" : "textStart" }, 1);
    case "$":
      return put({ kind: "assert", what: flags.multiLine ? "lineEnd" : "textEnd" }, 1);
    case ".":
      return put({ kind: "set", set: flags.dotNewline ? ANY_CHARACTER : ANY_BUT_NEWLINE }, 1);
    case "[": {
      const set = readSet(state);
      return put({ kind: "set", set }, 0);
    }
    case "*":
      return repeat(state, { min: 0, max: undefined, length: 1 });
    case "+":
      return repeat(state, { min: 1, max: undefined, length: 1 });
    case "?":
      return repeat(state, { min: 0, max: 1, length: 1 });
    case "{":
      return readCount(state);
    case "\\":
      readEscaped(state);
      return false;
    default:
      literal(state, readPoint(state));
      return false;
  }
}

function literal(state: State, point: number): void {
  const set = { pieces: [rangePiece(point, point)], negated: false, foldCase: state.flags.foldCase };
  top(state).nodes.push({ kind: "set", set });
}

function readPoint(state: State): number {
  const point = state.text.codePointAt(state.at) ?? 0;
  state.at += point > 0xffff ? 2 : 1;
  return point;
}

interface Count {
  readonly min: number;
  readonly max: number | undefined;
  readonly length: number;
}

function repeat(state: State, { min, max, length }: Count): true {
  const { text, at } = state;
  let after = at + length;
  const marked = text[after] === "?";
  if (marked) after++;
  if (state.lastRepeat !== undefined)
    throw new GoRegExpError("invalid nested repetition operator", text.slice(state.lastRepeat, after));
  const { nodes } = top(state);
  const node = nodes.pop();
  const said = text.slice(at, after);
  if (node === undefined) throw new GoRegExpError("missing argument to repetition operator", said);
  const repeated: RegExpNode = { kind: "repeat", node, min, max, lazy: marked !== state.flags.ungreedy };
  if (text[at] === "{" && (min >= 2 || (max ?? 0) >= 2) && !fits(repeated, MOST_REPEATS))
    throw new GoRegExpError("invalid repeat count", said);
  nodes.push(repeated);
  state.at = after;
  return true;
}

/** Whether counts inside counts stay below a limit together. */
function fits(node: RegExpNode, limit: number): boolean {
  if ("nodes" in node) return node.nodes.every((each) => fits(each, limit));
  if (node.kind !== "repeat") return true;
  // Of `*`, `+` and `?` nothing is counted.
  const times = node.max ?? (node.min > 1 ? node.min : 0);
  if (node.max === 0) return true;
  if (times > limit) return false;
  return fits(node.node, times > 0 ? Math.floor(limit / times) : limit);
}

const COUNT = /\{(0|[1-9]\d*)(?:(,)(0|[1-9]\d*)?)?\}/y;

/** `{2}`, `{2,}`, `{2,3}`; any other brace is a character. */
function readCount(state: State): boolean {
  COUNT.lastIndex = state.at;
  const match = COUNT.exec(state.text);
  if (match === null) {
    literal(state, readPoint(state));
    return false;
  }
  const min = Number(match[1]);
  const max = match[2] === undefined ? min : match[3] === undefined ? undefined : Number(match[3]);
  if (min > MOST_REPEATS || (max ?? 0) > MOST_REPEATS || (max !== undefined && min > max))
    throw new GoRegExpError("invalid repeat count", match[0]);
  return repeat(state, { min, max, length: match[0].length });
}

function openGroup(state: State): void {
  const { text, at, flags } = state;
  const frame: Frame = { flags, alternatives: [], nodes: [] };
  if (text[at + 1] !== "?") {
    state.frames.push(frame);
    state.at++;
    return;
  }
  const rest = text.slice(at);
  const name = /^\(\?P?</.exec(rest);
  if (name !== null && rest.length > name[0].length) {
    const end = rest.indexOf(">");
    const named = end < 0 ? rest : rest.slice(0, end + 1);
    if (!/^\(\?P?<[A-Za-z0-9_]+>$/.test(named)) throw new GoRegExpError("invalid named capture", named);
    state.frames.push(frame);
    state.at += named.length;
    return;
  }
  const set = /^\(\?([imsU]*)(?:-([imsU]+))?([:)])/.exec(rest);
  if (set === null) {
    const bad = /^\(\?[imsU]*(?:-[imsU]*)?/.exec(rest)?.[0] ?? "(?";
    const wrong = rest.codePointAt(bad.length);
    throw new GoRegExpError(
      "invalid or unsupported Perl syntax",
      bad + (wrong === undefined ? "" : String.fromCodePoint(wrong)),
    );
  }
  state.flags = withFlags(withFlags(flags, set[1] ?? "", true), set[2] ?? "", false);
  if (set[3] === ":") state.frames.push(frame);
  state.at += set[0].length;
}

function withFlags(flags: Flags, letters: string, on: boolean): Flags {
  return {
    foldCase: letters.includes("i") ? on : flags.foldCase,
    multiLine: letters.includes("m") ? on : flags.multiLine,
    dotNewline: letters.includes("s") ? on : flags.dotNewline,
    ungreedy: letters.includes("U") ? on : flags.ungreedy,
  };
}

function closeGroup(state: State): void {
  const frame = state.frames.pop() as Frame;
  if (state.frames.length === 0) throw new GoRegExpError("unexpected )", state.text);
  state.flags = frame.flags;
  top(state).nodes.push(closed(frame));
  state.at++;
}

const ASSERTIONS: ReadonlyMap<string, Assertion> = new Map<string, Assertion>([
  ["A", "textStart"],
  ["z", "textEnd"],
  ["b", "boundary"],
  ["B", "noBoundary"],
]);

/** What begins with a backslash outside of a set. */
function readEscaped(state: State): void {
  const { text, at } = state;
  const letter = text[at + 1] ?? "";
  const what = ASSERTIONS.get(letter);
  if (what !== undefined) {
    top(state).nodes.push({ kind: "assert", what });
    state.at += 2;
    return;
  }
  if (letter === "C") throw new GoRegExpError("invalid escape sequence", "\\C");
  if (letter === "Q") {
    const end = text.indexOf("\\E", at + 2);
    state.at = at + 2;
    while (state.at < (end < 0 ? text.length : end)) literal(state, readPoint(state));
    if (end >= 0) state.at = end + 2;
    return;
  }
  const piece = readPiece(state);
  if (piece === undefined) literal(state, readEscape(state));
  else top(state).nodes.push({ kind: "set", set: { pieces: [piece], negated: false, foldCase: state.flags.foldCase } });
}

/** `\d`, `\pL`, `\p{Greek}` and the like. */
function readPiece(state: State): SetPiece | undefined {
  const { text, at } = state;
  if (text[at] !== "\\") return undefined;
  const letter = text[at + 1] ?? "";
  if (letter === "p" || letter === "P") return readUnicode(state, letter === "P");
  const piece = perlPiece(letter);
  if (piece !== undefined) state.at += 2;
  return piece;
}

function readUnicode(state: State, negated: boolean): SetPiece {
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
function readEscape(state: State): number {
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
function readSet(state: State): CharacterSet {
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
function readNamed(state: State): SetPiece | undefined {
  const { text, at } = state;
  if (!text.startsWith("[:", at) || text.length <= at + 2) return undefined;
  const end = text.indexOf(":]", at + 2);
  if (end < 0) return undefined;
  const piece = posixPiece(text.slice(at + 2, end));
  if (piece === undefined) throw new GoRegExpError("invalid character class range", text.slice(at, end + 2));
  state.at = end + 2;
  return piece;
}

function readRange(state: State, start: number): SetPiece {
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

function readSetCharacter(state: State, start: number): number {
  if (state.at >= state.text.length) throw new GoRegExpError("missing closing ]", state.text.slice(start));
  return state.text[state.at] === "\\" ? readEscape(state) : readPoint(state);
}

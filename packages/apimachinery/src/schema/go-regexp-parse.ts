// The syntax of Go's regular expressions with its messages (Go: regexp/syntax/parse.go, with the flags of regexp.Compile).
import type { Sliced } from "@fairlead/base";
import { ANY_BUT_NEWLINE, ANY_CHARACTER, rangePiece, type CharacterSet } from "./go-regexp-class.js";
import { GoRegExpError } from "./go-regexp-error.js";
import { readEscape, readPiece, readPoint, readSet, type Reader } from "./go-regexp-sets.js";

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

interface State extends Reader {
  flags: Flags;
  /** Where the repetition began that has just been read. */
  lastRepeat: number | undefined;
  readonly frames: Frame[];
}

/** @throws GoRegExpError */
export function* parseGoRegExp(text: string): Sliced<RegExpNode> {
  const flags: Flags = { foldCase: false, multiLine: false, dotNewline: false, ungreedy: false };
  const state: State = { text, at: 0, flags, lastRepeat: undefined, frames: [{ flags, alternatives: [], nodes: [] }] };
  for (let items = 1; state.at < text.length; items++) {
    const start = state.at;
    state.lastRepeat = readItem(state) ? start : undefined;
    if (items % 1000 === 0) yield 10_000;
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

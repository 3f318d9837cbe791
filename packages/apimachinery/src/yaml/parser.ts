import { invariant, JsonLimitError } from "@fairlead/base";

import { parserError } from "./error.js";
import type { Event } from "./event.js";
import { Scanner } from "./scanner.js";
import type { Source } from "./source.js";
import type { TokenType } from "./token.js";

type State =
  | "implicit document start"
  | "document start"
  | "document content"
  | "document end"
  | "block node"
  | "first block sequence entry"
  | "block sequence entry"
  | "indentless sequence entry"
  | "first block mapping key"
  | "block mapping key"
  | "block mapping value"
  | "first flow sequence entry"
  | "flow sequence entry"
  | "flow sequence entry key"
  | "flow sequence entry value"
  | "flow sequence entry end"
  | "first flow mapping key"
  | "flow mapping key"
  | "flow mapping value"
  | "flow mapping empty value"
  | "end";

/** Where a node stands, which decides what it may be. */
interface NodeContext {
  readonly block: boolean;
  /** A sequence may stand as deep as the key before it. */
  readonly indentless: boolean;
}

const FLOW: NodeContext = { block: false, indentless: false };
const BLOCK: NodeContext = { block: true, indentless: false };
const BLOCK_OR_INDENTLESS: NodeContext = { block: true, indentless: true };

const STANDARD_TAGS: readonly (readonly [handle: string, prefix: string])[] = [
  ["!", "!"],
  ["!!", "tag:yaml.org,2002:"],
];

/** Nobody has written more than a few; each must be kept. */
const MAX_TAGS = 10_000;

/** Tokens become events, one by one, by the states of libyaml; nesting costs no stack. (go-yaml v2: parserc.go) */
export class Parser {
  readonly #scanner: Scanner;
  #state: State = "implicit document start";
  /** What follows when the node at hand is over. */
  readonly #after: State[] = [];
  readonly #tags = new Map<string, string>();

  constructor(source: Source) {
    this.#scanner = new Scanner(source);
  }

  /** The next event; at the end always `stream-end`. @throws YamlError @throws JsonLimitError */
  next(): Event {
    switch (this.#state) {
      case "implicit document start":
        return this.#documentStart();
      case "document start":
        while (this.#at("document-end")) this.#scanner.take();
        return this.#documentStart();
      case "document content":
        if (this.#at("version-directive", "tag-directive", "document-start", "document-end", "stream-end"))
          return this.#empty(this.#pop(), this.#scanner.peek().startLine);
        return this.#node(BLOCK);
      case "document end":
        return this.#documentEnd();
      case "block node":
        return this.#node(BLOCK);
      case "first block sequence entry":
        this.#scanner.take();
        return this.#blockSequenceEntry();
      case "block sequence entry":
        return this.#blockSequenceEntry();
      case "indentless sequence entry":
        return this.#indentlessSequenceEntry();
      case "first block mapping key":
        this.#scanner.take();
        return this.#blockMappingKey();
      case "block mapping key":
        return this.#blockMappingKey();
      case "block mapping value":
        return this.#blockMappingValue();
      case "first flow sequence entry":
        this.#scanner.take();
        return this.#flowSequenceEntry();
      case "flow sequence entry":
        if (!this.#at("flow-sequence-end")) this.#takeFlowEntry("did not find expected ',' or ']'");
        return this.#flowSequenceEntry();
      case "flow sequence entry key":
        return this.#flowSequenceEntryKey();
      case "flow sequence entry value":
        return this.#flowValue("flow-sequence-end", "flow sequence entry end");
      case "flow sequence entry end":
        this.#scanner.peek();
        this.#state = "flow sequence entry";
        return { type: "mapping-end" };
      case "first flow mapping key":
        this.#scanner.take();
        return this.#flowMappingKey();
      case "flow mapping key":
        if (!this.#at("flow-mapping-end")) this.#takeFlowEntry("did not find expected ',' or '}'");
        return this.#flowMappingKey();
      case "flow mapping value":
        return this.#flowValue("flow-mapping-end", "flow mapping key");
      case "flow mapping empty value":
        return this.#empty("flow mapping key", this.#scanner.peek().startLine);
      case "end":
        return { type: "stream-end" };
    }
  }

  #documentStart(): Event {
    const implicit = this.#state === "implicit document start";
    if (this.#at("stream-end")) {
      this.#state = "end";
      return { type: "stream-end" };
    }
    const explicit = this.#at("version-directive", "tag-directive", "document-start");
    this.#readDirectives();
    this.#after.push("document end");
    if (implicit && !explicit) {
      this.#state = "block node";
      return { type: "document-start" };
    }
    const token = this.#scanner.peek();
    if (token.body.type !== "document-start")
      throw parserError("did not find expected <document start>", token.startLine);
    this.#scanner.take();
    this.#state = "document content";
    return { type: "document-start" };
  }

  #readDirectives(): void {
    let versions = 0;
    for (let token = this.#scanner.peek(); ; token = this.#scanner.peek()) {
      const { body } = token;
      if (body.type === "version-directive") {
        if (versions++ > 0) throw parserError("found duplicate %YAML directive", token.startLine);
        if (body.major !== 1 || body.minor !== 1)
          throw parserError("found incompatible YAML document", token.startLine);
      } else if (body.type === "tag-directive") {
        if (this.#tags.has(body.handle)) throw parserError("found duplicate %TAG directive", token.startLine);
        this.#tags.set(body.handle, body.prefix);
        if (this.#tags.size > MAX_TAGS) throw new JsonLimitError(`limit is ${MAX_TAGS} tag directives`);
      } else break;
      this.#scanner.take();
    }
    for (const [handle, prefix] of STANDARD_TAGS) if (!this.#tags.has(handle)) this.#tags.set(handle, prefix);
  }

  #documentEnd(): Event {
    if (this.#at("document-end")) this.#scanner.take();
    this.#tags.clear();
    this.#state = "document start";
    return { type: "document-end" };
  }

  #blockSequenceEntry(): Event {
    const token = this.#scanner.peek();
    if (token.body.type === "block-entry") {
      this.#scanner.take();
      return this.#nodeUnless(["block-entry", "block-end"], token.endLine, "block sequence entry", BLOCK);
    }
    if (token.body.type !== "block-end") throw parserError("did not find expected '-' indicator", token.startLine);
    return this.#end("sequence-end");
  }

  #indentlessSequenceEntry(): Event {
    const token = this.#scanner.peek();
    if (token.body.type === "block-entry") {
      this.#scanner.take();
      const ends = ["block-entry", "key", "value", "block-end"] as const;
      return this.#nodeUnless(ends, token.endLine, "indentless sequence entry", BLOCK);
    }
    this.#state = this.#pop();
    return { type: "sequence-end" };
  }

  #blockMappingKey(): Event {
    const token = this.#scanner.peek();
    if (token.body.type === "key") {
      this.#scanner.take();
      return this.#nodeUnless(ENDS_OF_BLOCK_NODE, token.endLine, "block mapping value", BLOCK_OR_INDENTLESS);
    }
    if (token.body.type !== "block-end") throw parserError("did not find expected key", token.startLine);
    return this.#end("mapping-end");
  }

  #blockMappingValue(): Event {
    const token = this.#scanner.peek();
    if (token.body.type !== "value") return this.#empty("block mapping key", token.startLine);
    this.#scanner.take();
    return this.#nodeUnless(ENDS_OF_BLOCK_NODE, token.endLine, "block mapping key", BLOCK_OR_INDENTLESS);
  }

  #takeFlowEntry(problem: string): void {
    const token = this.#scanner.peek();
    if (token.body.type !== "flow-entry") throw parserError(problem, token.startLine);
    this.#scanner.take();
  }

  #flowSequenceEntry(): Event {
    const token = this.#scanner.peek();
    if (token.body.type === "key") {
      this.#scanner.take();
      this.#state = "flow sequence entry key";
      return { type: "mapping-start", anchor: undefined, line: token.startLine };
    }
    if (token.body.type === "flow-sequence-end") return this.#end("sequence-end");
    this.#after.push("flow sequence entry");
    return this.#node(FLOW);
  }

  #flowSequenceEntryKey(): Event {
    const token = this.#scanner.peek();
    if (!this.#at("value", "flow-entry", "flow-sequence-end")) {
      this.#after.push("flow sequence entry value");
      return this.#node(FLOW);
    }
    this.#scanner.take();
    return this.#empty("flow sequence entry value", token.endLine);
  }

  #flowMappingKey(): Event {
    const token = this.#scanner.peek();
    if (token.body.type === "key") {
      this.#scanner.take();
      const line = this.#scanner.peek().startLine;
      return this.#nodeUnless(["value", "flow-entry", "flow-mapping-end"], line, "flow mapping value", FLOW);
    }
    if (token.body.type === "flow-mapping-end") return this.#end("mapping-end");
    this.#after.push("flow mapping empty value");
    return this.#node(FLOW);
  }

  #flowValue(end: "flow-sequence-end" | "flow-mapping-end", next: State): Event {
    if (!this.#at("value")) return this.#empty(next, this.#scanner.peek().startLine);
    this.#scanner.take();
    return this.#nodeUnless(["flow-entry", end], this.#scanner.peek().startLine, next, FLOW);
  }

  /** A node, after which comes `next`; an empty scalar of the line given when one of `ends` follows. */
  #nodeUnless(ends: readonly TokenType[], line: number, next: State, context: NodeContext): Event {
    if (this.#at(...ends)) return this.#empty(next, line);
    this.#after.push(next);
    return this.#node(context);
  }

  #node(context: NodeContext): Event {
    const first = this.#scanner.peek();
    if (first.body.type === "alias") {
      this.#scanner.take();
      this.#state = this.#pop();
      return { type: "alias", name: first.body.name, line: first.startLine };
    }
    const { anchor, tag } = this.#properties();
    const line = first.startLine;
    const { body, startLine } = this.#scanner.peek();
    const start = startOf(body.type, context);
    if (start !== undefined) {
      this.#state = start.state;
      return { type: start.type, anchor, line };
    }
    if (body.type === "scalar") {
      this.#scanner.take();
      this.#state = this.#pop();
      const plain = tag === "!" || (tag === "" && body.plain);
      return { type: "scalar", value: body.value, tag, plain, anchor, line };
    }
    if (anchor === undefined && tag === "") throw parserError("did not find expected node content", startLine);
    this.#state = this.#pop();
    return { type: "scalar", value: "", tag, plain: tag === "", anchor, line };
  }

  /** The anchor and the tag before a node, in either order; the tag in full, or empty. */
  #properties(): { readonly anchor: string | undefined; readonly tag: string } {
    let anchor: string | undefined;
    let tag: { readonly handle: string; readonly suffix: string } | undefined;
    let tagLine = 0;
    for (let { body, startLine } = this.#scanner.peek(); ; { body, startLine } = this.#scanner.peek()) {
      if (body.type === "anchor" && anchor === undefined) anchor = body.name;
      else if (body.type === "tag" && tag === undefined) [tag, tagLine] = [body, startLine];
      else break;
      this.#scanner.take();
    }
    if (tag === undefined) return { anchor, tag: "" };
    if (tag.handle === "") return { anchor, tag: tag.suffix };
    const prefix = this.#tags.get(tag.handle);
    if (prefix === undefined) throw parserError("found undefined tag handle", tagLine);
    return { anchor, tag: prefix + tag.suffix };
  }

  #empty(next: State, line: number): Event {
    this.#state = next;
    return { type: "scalar", value: "", tag: "", plain: true, anchor: undefined, line };
  }

  #end(type: "sequence-end" | "mapping-end"): Event {
    this.#scanner.take();
    this.#state = this.#pop();
    return { type };
  }

  #at(...types: readonly TokenType[]): boolean {
    return types.includes(this.#scanner.peek().body.type);
  }

  #pop(): State {
    const state = this.#after.pop();
    invariant(state !== undefined, "a node stands in something that goes on after it");
    return state;
  }
}

const ENDS_OF_BLOCK_NODE = ["key", "value", "block-end"] as const;

/** The collection that a token begins, and what comes next in it. */
function startOf(
  type: TokenType,
  { block, indentless }: NodeContext,
): { readonly type: "sequence-start" | "mapping-start"; readonly state: State } | undefined {
  switch (type) {
    case "flow-sequence-start":
      return { type: "sequence-start", state: "first flow sequence entry" };
    case "flow-mapping-start":
      return { type: "mapping-start", state: "first flow mapping key" };
    case "block-sequence-start":
      return block ? { type: "sequence-start", state: "first block sequence entry" } : undefined;
    case "block-mapping-start":
      return block ? { type: "mapping-start", state: "first block mapping key" } : undefined;
    case "block-entry":
      return indentless ? { type: "sequence-start", state: "indentless sequence entry" } : undefined;
    default:
      return undefined;
  }
}

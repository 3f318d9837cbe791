import { invariant, JsonLimitError } from "@fairlead/base";

import { YamlError } from "./error.js";
import type { ScalarText } from "./event.js";
import { Parser } from "./parser.js";
import { sourceOf, type Source } from "./source.js";

/** A document as it was written: what scalars mean and what aliases repeat is not decided. Lines count from 0. */
export type Node = ({ readonly kind: "scalar" } & ScalarText) | Alias | Collection;

/** Stands for another node of its document, which may be one that it is in. */
export interface Alias {
  readonly kind: "alias";
  readonly name: string;
  readonly target: Node;
  readonly line: number;
}

/** A mapping's children are its keys and values in turn. */
export interface Collection {
  readonly kind: "sequence" | "mapping";
  readonly children: readonly Node[];
  readonly line: number;
}

/**
 * Reads one document after the other; stops before the fault of a document that nobody asked for.
 *
 * @param maxNodes - In one document.
 * @throws YamlError @throws JsonLimitError
 */
export function* composeDocuments(source: Source, maxNodes: number): Generator<Node> {
  const parser = new Parser(source.text === "" ? sourceOf("\n") : source);
  while (parser.next().type === "document-start") {
    const root = composeNode(parser, maxNodes);
    parser.next();
    yield root;
  }
}

function composeNode(parser: Parser, maxNodes: number): Node {
  const anchors = new Map<string, Node>();
  const open: { readonly node: Node; readonly children: Node[] }[] = [];
  for (let nodes = 0; ;) {
    const event = parser.next();
    if (!event.type.endsWith("-end") && ++nodes > maxNodes) throw new JsonLimitError(`limit is ${maxNodes} values`);
    let node: Node;
    switch (event.type) {
      case "scalar": {
        const { value, tag, plain, line } = event;
        node = { kind: "scalar", value, tag, plain, line };
        if (event.anchor !== undefined) anchors.set(event.anchor, node);
        break;
      }
      case "alias": {
        const target = anchors.get(event.name);
        if (target === undefined) throw new YamlError(`yaml: unknown anchor '${event.name}' referenced`);
        node = { kind: "alias", name: event.name, target, line: event.line };
        break;
      }
      case "sequence-start":
      case "mapping-start": {
        const children: Node[] = [];
        node = { kind: event.type === "mapping-start" ? "mapping" : "sequence", children, line: event.line };
        if (event.anchor !== undefined) anchors.set(event.anchor, node);
        open.at(-1)?.children.push(node);
        open.push({ node, children });
        continue;
      }
      default: {
        const ended = open.pop();
        invariant(ended !== undefined, "a node begins before it ends");
        if (open.length === 0) return ended.node;
        continue;
      }
    }
    const parent = open.at(-1);
    if (parent === undefined) return node;
    parent.children.push(node);
  }
}

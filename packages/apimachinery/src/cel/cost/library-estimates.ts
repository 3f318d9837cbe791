// What calls of libraries may cost (apiserver: EstimateCallCost of pkg/cel/library/cost.go; cel-go: ext/lists.go and
// ext/sets.go). Any change here changes which rules a definition may have.
import { sameType } from "../check/types.js";
import type { Expr } from "../syntax/ast.js";
import { LIST_COST, PATTERN_FACTOR, TEXT_FACTOR, UNBOUNDED } from "./factors.js";
import { sizeOfNode, type CallEstimate, type EstimatedCall, type Node, type SizeEstimator } from "./node.js";
import { add, fixed, multiply, scale, union, type Range } from "./range.js";

const ONE: ReadonlySet<string> = new Set(
  (
    "masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast format.named " +
    "sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch " +
    "getScheme getHostname getHost getPort getEscapedPath getQuery"
  ).split(" "),
);

/** Undefined for a call that costs what the language says. */
export function libraryEstimate(call: EstimatedCall): CallEstimate | undefined {
  return listEstimate(call) ?? (ONE.has(call.name) ? { cost: fixed(1) } : functionEstimate(call));
}

/** The number that a node is, when it is written down. */
function literalInt(expr: Expr | undefined, otherwise: number): number {
  if (expr?.kind !== "literal" || expr.literal.type !== "int") return otherwise;
  return Math.max(0, Number(expr.literal.value));
}

function allocating(size: Range, factor: number): CallEstimate {
  return { cost: add(scale(size, factor), fixed(1), fixed(LIST_COST)), size };
}

function listEstimate({ overload, target, args, sizes }: EstimatedCall): CallEstimate | undefined {
  const size = sizeOfNode(target, sizes);
  switch (overload) {
    case "list_sets_contains_list":
    case "list_sets_intersects_list":
    case "list_sets_equivalent_list": {
      const factor = overload === "list_sets_equivalent_list" ? 2 : 1;
      const product = multiply(sizeOfNode(args[0], sizes), sizeOfNode(args[1], sizes));
      return { cost: add(scale(product, factor), fixed(1)) };
    }
    case "list_slice": {
      const [start, end] = [literalInt(args[0]?.expr, 0), literalInt(args[1]?.expr, size.max)];
      return allocating(fixed(end >= start ? end - start : UNBOUNDED), 1);
    }
    case "lists_range":
      return allocating(fixed(literalInt(args[0]?.expr, UNBOUNDED)), 1);
    case "list_reverse":
    case "list_flatten":
      return allocating(size, 1);
    case "list_flatten_int":
      return allocating(size, literalInt(args[0]?.expr, UNBOUNDED));
    case "list_distinct":
      return allocating(multiply(size, size), 2);
    default: {
      const sorted = /^list_(.*)_(sort|sortByAssociatedKeys)$/.exec(overload);
      if (sorted === null) return undefined;
      const keys = sorted[2] === "sort" ? size : sizeOfNode(args[0], sizes);
      const isText = sorted[1] === "string" || sorted[1] === "bytes";
      return allocating(multiply(keys, keys), 2 + (isText ? TEXT_FACTOR : 0));
    }
  }
}

function functionEstimate(call: EstimatedCall): CallEstimate | undefined {
  const { name, target, args, sizes, overload } = call;
  const size = target === undefined ? undefined : sizeOfNode(target, sizes);
  const first = args[0] === undefined ? undefined : sizeOfNode(args[0], sizes);
  switch (name) {
    case "isSorted":
    case "sum":
    case "max":
    case "min":
    case "indexOf":
    case "lastIndexOf":
      return target === undefined || size === undefined ? undefined : { cost: elementwise(target, size, sizes) };
    case "url":
      return first && { cost: scale(first, TEXT_FACTOR), size: first };
    case "lowerAscii":
    case "upperAscii":
    case "substring":
    case "trim":
      return size && { cost: scale(size, TEXT_FACTOR), size };
    case "replace":
      return size && first && replaceEstimate(size, first, sizeOfNode(args[1], sizes));
    case "split":
      return size && { cost: scale(size, 2 * TEXT_FACTOR), size: piecesOf(size, args[1]?.expr) };
    case "join":
      return target === undefined || size === undefined ? undefined : joinEstimate(target, size, { first, sizes });
    case "find":
    case "findAll":
      return size && first && { cost: patternCost(size, first), size: piecesOf(size, undefined) };
    case "cidr":
    case "isIP":
    case "isCIDR":
    case "quantity":
    case "isQuantity":
    case "semver":
    case "isSemver":
      return first && { cost: scale(first, TEXT_FACTOR) };
    case "ip":
      return overload === "cidr_ip" ? { cost: fixed(1) } : first && { cost: scale(first, TEXT_FACTOR) };
    case "ip.isCanonical":
      return first && { cost: scale(first, 2 * TEXT_FACTOR) };
    case "containsIP":
      return first && { cost: add(NETWORK_TWICE, parsing(overload === "cidr_contains_ip_string", first)) };
    case "containsCIDR":
      return (
        first && {
          cost: add(NETWORK_TWICE, NETWORK_ONCE, fixed(1), parsing(overload === "cidr_contains_cidr_string", first)),
        }
      );
    case "validate":
      return first && { cost: scale(scale(first, TEXT_FACTOR), LONGEST_PATTERN * PATTERN_FACTOR) };
    case "_==_":
      return equalityEstimate(args);
    default:
      return undefined;
  }
}

/**
 * Into how many pieces a text may be taken apart: one more than it has characters. (Kubernetes forgets the one; then a
 * loop over the pieces could cost more than its estimate.)
 */
function piecesOf(text: Range, limit: Expr | undefined): Range {
  const most = Math.min(UNBOUNDED, text.max + 1);
  if (limit?.kind !== "literal" || limit.literal.type !== "int") return { min: 0, max: most };
  return { min: 0, max: limit.literal.value < 0n ? UNBOUNDED : Number(limit.literal.value) };
}

const ADDRESS: Range = { min: 4, max: 16 };
const NETWORK_ONCE: Range = scale(ADDRESS, TEXT_FACTOR);
const NETWORK_TWICE: Range = scale(add(ADDRESS, ADDRESS), TEXT_FACTOR);
const LONGEST_PATTERN = 128;
const LONGEST_FORMAT = 64;

function parsing(needed: boolean, size: Range): Range {
  return needed ? scale(size, TEXT_FACTOR) : fixed(0);
}

/** Each element is looked at once, and read if it is text. */
function elementwise(target: Node, size: Range, sizes: SizeEstimator): Range {
  const element = elementOf(target);
  if (element === undefined) return scale(size, TEXT_FACTOR);
  const isText = element.type.kind === "string" || element.type.kind === "bytes";
  return multiply(size, isText ? add(fixed(1), scale(sizeOfNode(element, sizes), TEXT_FACTOR)) : fixed(1));
}

function elementOf({ type, path }: Node): Node | undefined {
  const [element] = type.params;
  if (element === undefined) return undefined;
  return { path: path === undefined ? undefined : [...path, "@items"], type: element, size: undefined };
}

/** One is added, since even an empty text costs what its expression does. */
export function patternCost(text: Range, pattern: Range): Range {
  return multiply(scale(add(text, fixed(1)), TEXT_FACTOR), scale(pattern, PATTERN_FACTOR));
}

function replaceEstimate(size: Range, old: Range, replacement: Range): CallEstimate {
  const count = { min: 0, max: 0 };
  const kept = { min: 0, max: 0 };
  if (old.min === 0) {
    count.max = Math.min(UNBOUNDED, size.max + 1);
    kept.max = size.max;
  } else if (replacement.max <= old.min) kept.max = size.max;
  else count.max = Math.ceil(size.max / old.min);
  if (old.max === 0) {
    count.min = Math.min(UNBOUNDED, size.min + 1);
    kept.min = size.min;
  } else if (old.max <= replacement.min) kept.min = size.min;
  else count.min = Math.ceil(size.min / old.max);
  return { cost: scale(size, 2 * TEXT_FACTOR), size: add(multiply(count, replacement), kept) };
}

function joinEstimate(
  target: Node,
  size: Range,
  { first, sizes }: { readonly first: Range | undefined; readonly sizes: SizeEstimator },
): CallEstimate {
  const element = elementOf(target);
  const parts = element === undefined ? fixed(0) : multiply(size, sizeOfNode(element, sizes));
  const gaps = { min: Math.max(0, size.min - 1), max: Math.max(0, size.max - 1) };
  const text = first === undefined ? parts : add(parts, multiply(first, gaps));
  return { cost: scale(text, TEXT_FACTOR), size: text };
}

function equalityEstimate(args: readonly Node[]): CallEstimate | undefined {
  const [left, right] = args;
  if (left === undefined || right === undefined || !sameType(left.type, right.type)) return undefined;
  switch (left.type.name) {
    case "net.IP":
    case "net.CIDR":
    case "kubernetes.Quantity":
    case "kubernetes.Semver":
      return { cost: fixed(1) };
    case "kubernetes.NamedFormat":
      return { cost: scale({ min: 1, max: LONGEST_FORMAT }, TEXT_FACTOR) };
    case "kubernetes.URL": {
      const size = right.size === undefined ? fixed(1) : union(right.size, right.size);
      return { cost: scale({ min: 1, max: size.max }, TEXT_FACTOR) };
    }
    default:
      return undefined;
  }
}

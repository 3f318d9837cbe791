// What a call has cost (cel-go: interpreter/runtimecost.go; apiserver: CallCost of pkg/cel/library/cost.go).
import { FormatValue } from "../lib/formats.js";
import { lengthOf } from "../lib/operators.js";
import { CelError, isList, isMap, isOpaque, Optional, type CelList, type Result, type Value } from "../value/value.js";
import { LIST_COST, PATTERN_FACTOR, scaled, TEXT_FACTOR } from "./factors.js";

export interface CallFacts {
  readonly name: string;
  /** The overload's id. */
  readonly overload: string;
  readonly args: readonly Value[];
  readonly result: Result;
}

/** The cost of a call, without that of its operands. */
export function callCost(call: CallFacts): number {
  return overloadCost(call) ?? libraryCost(call) ?? standardCost(call);
}

/** The size of texts, lists and the like; one for any other value. */
export function sizeOf(value: Result | undefined): number {
  if (typeof value === "string") return lengthOf(value);
  if (value === undefined || value === null || value instanceof CelError) return 1;
  if (value instanceof Uint8Array || isList(value)) return value.length;
  if (isMap(value)) return value.size;
  if (value instanceof Optional) return sizeOf(value.value);
  return isOpaque(value) ? (value.size ?? 1) : 1;
}

const read = (value: Result | undefined, times = 1): number => scaled(sizeOf(value) * times, TEXT_FACTOR);

/** Costs that belong to one overload (cel-go: ext/lists.go, ext/sets.go). */
function overloadCost({ overload, args, result }: CallFacts): number | undefined {
  switch (overload) {
    case "list_sets_contains_list":
    case "list_sets_intersects_list":
      return 1 + sizeOf(args[0]) * sizeOf(args[1]);
    case "list_sets_equivalent_list":
      return 1 + 2 * sizeOf(args[0]) * sizeOf(args[1]);
    case "list_slice":
    case "list_reverse":
      return listCost(sizeOf(result));
    case "lists_range":
      return listCost(Math.max(0, Number(args[0])));
    case "list_flatten":
      return listCost(sizeOf(args[0]));
    case "list_flatten_int":
      return listCost(sizeOf(args[0]) * Number(args[1]));
    case "list_distinct":
      return comparisonCost(args[0]);
    default:
      if (/^list_.*_sort$/.test(overload)) return comparisonCost(args[0]);
      return /^list_.*_sortByAssociatedKeys$/.test(overload) ? comparisonCost(args[1]) : undefined;
  }
}

function listCost(units: number): number {
  return 1 + LIST_COST + Math.max(0, Math.ceil(units));
}

function comparisonCost(list: Value | undefined): number {
  if (list === undefined || !isList(list)) return listCost(0);
  const first = list.length === 0 ? null : list.at(0);
  const isText = typeof first === "string" || first instanceof Uint8Array;
  return listCost(list.length * list.length * (2 + (isText ? TEXT_FACTOR : 0)));
}

const ONE: ReadonlySet<string> = new Set(
  (
    "masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast format.named " +
    "sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch " +
    "getScheme getHostname getHost getPort getEscapedPath getQuery"
  ).split(" "),
);

/** Costs of Kubernetes' own functions, and those that it prices anew. */
function libraryCost({ name, overload, args, result }: CallFacts): number | undefined {
  if (ONE.has(name)) return 1;
  switch (name) {
    case "isSorted":
    case "sum":
    case "max":
    case "min":
    case "indexOf":
    case "lastIndexOf":
      return traversal(args[0]);
    case "url":
    case "lowerAscii":
    case "upperAscii":
    case "substring":
    case "trim":
    case "cidr":
    case "isIP":
    case "isCIDR":
    case "quantity":
    case "isQuantity":
    case "semver":
    case "isSemver":
      return read(args[0]);
    case "ip":
      return overload === "cidr_ip" ? 1 : read(args[0]);
    case "replace":
    case "split":
    case "ip.isCanonical":
      return read(args[0], 2);
    case "join":
      return read(result, 2);
    case "find":
    case "findAll":
      return patternCost(sizeOf(args[0]), sizeOf(args[1]));
    case "containsIP":
      return read(args[0], 2) + (overload === "cidr_contains_ip_string" ? read(args[1]) : 0);
    case "containsCIDR":
      return read(args[0], 2) + read(args[0]) + 1 + (overload === "cidr_contains_cidr_string" ? read(args[1]) : 0);
    case "validate":
      return args[0] instanceof FormatValue ? patternCost(sizeOf(args[1]), args[0].regExpSize) : undefined;
    case "_==_":
      return args[0] !== undefined && isOpaque(args[0]) ? 1 : undefined;
    default:
      return undefined;
  }
}

function patternCost(text: number, pattern: number): number {
  return scaled(1 + text, TEXT_FACTOR) * scaled(pattern, PATTERN_FACTOR);
}

function traversal(value: Result | undefined): number {
  if (typeof value === "string" || value instanceof Uint8Array) return Math.trunc(sizeOf(value) * TEXT_FACTOR);
  if (value !== undefined && isList(value))
    return elements(value).reduce<number>((sum, each) => sum + traversal(each), 0);
  if (value === undefined || !isMap(value)) return 1;
  return value.keys().reduce<number>((sum, key) => sum + traversal(key) + traversal(value.get(key)), 0);
}

function elements(list: CelList): readonly Result[] {
  return Array.from({ length: list.length }, (_, i) => list.at(i));
}

const COMPARED = /^(?:less|less_equals|greater|greater_equals)_(?:string|bytes)$|^(?:equals|not_equals)$/;

function standardCost({ overload, args }: CallFacts): number {
  switch (overload) {
    case "starts_with_string":
    case "ends_with_string":
    case "string_to_bytes":
    case "bytes_to_string":
    case "strings_quote":
    case "string_format":
      return read(args[0]);
    case "in_list":
      return sizeOf(args[1]);
    case "add_string":
    case "add_bytes":
      return scaled(sizeOf(args[0]) + sizeOf(args[1]), TEXT_FACTOR);
    case "matches_string":
      return patternCost(sizeOf(args[0]), sizeOf(args[1]));
    case "contains_string":
      return read(args[0]) * read(args[1]);
    default:
      return COMPARED.test(overload) ? scaled(Math.min(sizeOf(args[0]), sizeOf(args[1])), TEXT_FACTOR) : 1;
  }
}

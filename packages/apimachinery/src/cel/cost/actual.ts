// What a call has cost (cel-go: interpreter/runtimecost.go; apiserver: CallCost of pkg/cel/library/cost.go).
import { FormatValue } from "../lib/formats.js";
import { lengthOf } from "../value/text.js";
import { CelError, isList, isMap, isOpaque, Optional, type CelList, type Result, type Value } from "../value/value.js";
import { LIST_COST, PATTERN_FACTOR, scaled, TEXT_FACTOR } from "./factors.js";

/** The cost of a call by its operands and its result, without the cost of the operands. */
export type CallCost = (args: readonly Value[], result: Result) => number;

/** What calls of a function cost. Ask once for each call of an expression, not each time that it runs. */
export function callCost(name: string, overload: string): CallCost {
  return overloadCost(overload) ?? libraryCost(name, overload) ?? standardCost(overload);
}

/** Whether what a call costs is known only by its result; of all others it is known beforehand. */
export function costsByResult(name: string, overload: string): boolean {
  return name === "join" || overload === "list_slice" || overload === "list_reverse";
}

const one: CallCost = () => 1;

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
function overloadCost(overload: string): CallCost | undefined {
  switch (overload) {
    case "list_sets_contains_list":
    case "list_sets_intersects_list":
      return ([a, b]) => 1 + sizeOf(a) * sizeOf(b);
    case "list_sets_equivalent_list":
      return ([a, b]) => 1 + 2 * sizeOf(a) * sizeOf(b);
    case "list_slice":
    case "list_reverse":
      return (_, result) => listCost(sizeOf(result));
    case "lists_range":
      return ([count]) => listCost(Math.max(0, Number(count)));
    case "list_flatten":
      return ([list]) => listCost(sizeOf(list));
    case "list_flatten_int":
      return ([list, depth]) => listCost(sizeOf(list) * Number(depth));
    case "list_distinct":
      return ([list]) => comparisonCost(list);
    default:
      if (/^list_.*_sort$/.test(overload)) return ([list]) => comparisonCost(list);
      return /^list_.*_sortByAssociatedKeys$/.test(overload) ? ([, keys]) => comparisonCost(keys) : undefined;
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

const readOnce: CallCost = ([text]) => read(text);
const readTwice: CallCost = ([text]) => read(text, 2);

/** Costs of Kubernetes' own functions, and those that it prices anew. */
function libraryCost(name: string, overload: string): CallCost | undefined {
  if (ONE.has(name)) return one;
  switch (name) {
    case "isSorted":
    case "sum":
    case "max":
    case "min":
    case "indexOf":
    case "lastIndexOf":
      return ([list]) => traversal(list);
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
      return readOnce;
    case "ip":
      return overload === "cidr_ip" ? one : readOnce;
    case "replace":
    case "split":
    case "ip.isCanonical":
      return readTwice;
    case "join":
      return (_, result) => read(result, 2);
    case "find":
    case "findAll":
      return ([text, pattern]) => patternCost(sizeOf(text), sizeOf(pattern));
    case "containsIP":
      return ([cidr, ip]) => read(cidr, 2) + (overload === "cidr_contains_ip_string" ? read(ip) : 0);
    case "containsCIDR":
      return ([cidr, other]) =>
        read(cidr, 2) + read(cidr) + 1 + (overload === "cidr_contains_cidr_string" ? read(other) : 0);
    case "validate":
      return ([format, text]) => (format instanceof FormatValue ? patternCost(sizeOf(text), format.regExpSize) : 1);
    case "_==_":
      return ([a, b]) => (a !== undefined && isOpaque(a) ? 1 : compared(a, b));
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

function compared(a: Value | undefined, b: Value | undefined): number {
  return scaled(Math.min(sizeOf(a), sizeOf(b)), TEXT_FACTOR);
}

function standardCost(overload: string): CallCost {
  switch (overload) {
    case "starts_with_string":
    case "ends_with_string":
    case "string_to_bytes":
    case "bytes_to_string":
    case "strings_quote":
    case "string_format":
      return readOnce;
    case "in_list":
      return ([, list]) => sizeOf(list);
    case "add_string":
    case "add_bytes":
      return ([a, b]) => scaled(sizeOf(a) + sizeOf(b), TEXT_FACTOR);
    case "matches_string":
      return ([text, pattern]) => patternCost(sizeOf(text), sizeOf(pattern));
    case "contains_string":
      return ([text, part]) => read(text) * read(part);
    default:
      return COMPARED.test(overload) ? ([a, b]) => compared(a, b) : one;
  }
}

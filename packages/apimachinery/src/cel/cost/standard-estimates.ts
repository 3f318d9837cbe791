// What calls of the language's own functions may cost (cel-go: functionCost of checker/cost.go).
import { TEXT_FACTOR, times } from "./factors.js";
import { patternCost } from "./library-estimates.js";
import type { CallEstimate, EstimatedCall, Node } from "./node.js";
import { add, fixed, multiply, scale, UNKNOWN, type Range } from "./range.js";

const size = (node: Node | undefined): Range => node?.size ?? UNKNOWN;
const COMPARED = /^(?:less|less_equals|greater|greater_equals)_(?:string|bytes)$|^(?:equals|not_equals)$/;

/** One, for all that is not listed. */
export function standardEstimate({ overload, target, args }: EstimatedCall): CallEstimate {
  const [first, second] = [size(args[0]), size(args[1])];
  switch (overload) {
    case "string_format":
      return { cost: scale(size(target), TEXT_FACTOR) };
    case "string_to_bytes":
      return { cost: scale(first, TEXT_FACTOR), size: { min: first.min, max: times(first.max, 4) } };
    case "bytes_to_string":
      return { cost: scale(first, TEXT_FACTOR), size: { min: Math.floor(first.min / 4), max: first.max } };
    case "strings_quote":
      return { cost: scale(first, TEXT_FACTOR), size: add(multiply(first, { min: 1, max: 2 }), fixed(2)) };
    case "starts_with_string":
    case "ends_with_string":
      return { cost: scale(first, TEXT_FACTOR) };
    case "in_list":
      return { cost: second };
    case "matches_string":
      return { cost: patternCost(size(target), first) };
    case "contains_string":
      return { cost: multiply(scale(size(target), TEXT_FACTOR), scale(first, TEXT_FACTOR)) };
    case "add_list":
      return { cost: fixed(1), size: add(first, second) };
    case "add_string":
    case "add_bytes": {
      const sum = add(first, second);
      return { cost: scale(sum, TEXT_FACTOR), size: sum };
    }
    default: {
      if (!COMPARED.test(overload)) return { cost: fixed(1) };
      const max = Math.min(first.max, second.max);
      return { cost: scale({ min: max > 0 ? 1 : 0, max }, TEXT_FACTOR) };
    }
  }
}

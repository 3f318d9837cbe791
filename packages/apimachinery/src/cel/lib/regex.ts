// Kubernetes' functions of regular expressions (apiserver: pkg/cel/library/regex.go).
import { GoRegExpError, compileGoRegExp, type GoRegExp } from "../../schema/go-regexp.js";
import { declare, member, type Library } from "../check/declarations.js";
import { INT, listOf, STRING } from "../check/types.js";
import { ValueList } from "../value/list.js";
import { CelError, NO_SUCH_OVERLOAD, type Result, type Value } from "../value/value.js";

function compiled(pattern: string): GoRegExp | CelError {
  try {
    return compileGoRegExp(pattern);
  } catch (error) {
    if (error instanceof GoRegExpError) return new CelError(`Illegal regex: ${error.message}`);
    throw error;
  }
}

function find(text: string, pattern: string | GoRegExp): Result {
  const regExp = typeof pattern === "string" ? compiled(pattern) : pattern;
  if (regExp instanceof CelError) return regExp;
  const match = regExp.find(text);
  return match === undefined ? "" : text.slice(match.start, match.end);
}

/** Go's FindAllString: an empty match right behind another match does not count. A negative limit is none. */
function findAll(text: string, pattern: string | GoRegExp, limit = -1n): Result {
  const regExp = typeof pattern === "string" ? compiled(pattern) : pattern;
  if (regExp instanceof CelError) return regExp;
  const found: string[] = [];
  let last = -1;
  for (let at = 0; at <= text.length && (limit < 0n || BigInt(found.length) < limit);) {
    const match = regExp.find(text, at);
    if (match === undefined) break;
    const { start, end } = match;
    if (end > start || start !== last) found.push(text.slice(start, end));
    last = end;
    at = end > at ? end : at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
  }
  return new ValueList(found);
}

/** A function of regular expressions whose pattern is known beforehand; undefined for any other function. */
export function withPattern(name: string, pattern: string): ((args: readonly Value[]) => Result) | undefined {
  if (name !== "matches" && name !== "find" && name !== "findAll") return undefined;
  const regExp = compiled(pattern);
  if (regExp instanceof CelError) return undefined;
  return ([text, , limit]) => {
    if (typeof text !== "string") return NO_SUCH_OVERLOAD;
    if (name === "matches") return regExp.test(text);
    return name === "find" ? find(text, regExp) : findAll(text, regExp, typeof limit === "bigint" ? limit : -1n);
  };
}

const S = STRING;

export const REGEX_LIBRARY: Library = [
  declare("find", member("string_find_string", [S, S], S, find)),
  declare(
    "findAll",
    member("string_find_all_string", [S, S], listOf(S), (text: string, pattern: string) => findAll(text, pattern)),
    member("string_find_all_string_int", [S, S, INT], listOf(S), findAll),
  ),
];

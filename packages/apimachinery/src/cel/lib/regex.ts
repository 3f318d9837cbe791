// Kubernetes' functions of regular expressions (apiserver: pkg/cel/library/regex.go).
import type { Sliced } from "@fairlead/base";
import { compilingGoRegExp, GoRegExpError, type GoRegExp } from "../../schema/go-regexp.js";
import { declare, member, type Library } from "../check/declarations.js";
import { INT, listOf, STRING } from "../check/types.js";
import { ValueList } from "../value/list.js";
import { CelError, NO_SUCH_OVERLOAD, type Result, type Value } from "../value/value.js";

function* compiled(name: string, pattern: string): Sliced<GoRegExp | CelError> {
  yield 100 + pattern.length * 10;
  try {
    return yield* compilingGoRegExp(pattern);
  } catch (error) {
    if (!(error instanceof GoRegExpError)) throw error;
    return new CelError(
      name === "matches" ? `error parsing regexp: \`${pattern}\`` : `Illegal regex: ${error.message}`,
    );
  }
}

function* find(text: string, regExp: GoRegExp): Sliced<Result> {
  const match = yield* regExp.finding(text);
  return match === undefined ? "" : text.slice(match.start, match.end);
}

/** Go's FindAllString: an empty match right behind another match does not count. A negative limit is none. */
function* findAll(text: string, regExp: GoRegExp, limit: bigint): Sliced<Result> {
  const found: string[] = [];
  let last = -1;
  for (let at = 0; at <= text.length && (limit < 0n || BigInt(found.length) < limit);) {
    const match = yield* regExp.finding(text, at);
    if (match === undefined) break;
    yield 20;
    const { start, end } = match;
    if (end > start || start !== last) found.push(text.slice(start, end));
    last = end;
    at = end > at ? end : at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
  }
  return new ValueList(found);
}

/** What a function of regular expressions does, in slices. It looks at its operands itself. */
export type RegExpFunction = (args: readonly Value[]) => Sliced<Result>;

const NAMES: ReadonlySet<string> = new Set(["matches", "find", "findAll"]);

/**
 * A function of regular expressions by its name; undefined for any other function.
 *
 * @param literal - The pattern, where it is known beforehand.
 */
export function regExpFunction(name: string, literal: string | undefined): RegExpFunction | undefined {
  if (!NAMES.has(name)) return undefined;
  let fixed: GoRegExp | CelError | undefined;
  return function* ([text, pattern, limit]): Sliced<Result> {
    if (typeof text !== "string" || typeof pattern !== "string") return NO_SUCH_OVERLOAD;
    const regExp = fixed ?? (yield* compiled(name, pattern));
    if (literal !== undefined) fixed = regExp;
    if (regExp instanceof CelError) return regExp;
    if (name === "matches") return yield* regExp.testing(text);
    if (name === "find") return yield* find(text, regExp);
    return yield* findAll(text, regExp, typeof limit === "bigint" ? limit : -1n);
  };
}

const S = STRING;

/** What they do is planned with the expression: they may take long, so they are run in slices. */
export const REGEX_LIBRARY: Library = [
  declare("find", member("string_find_string", [S, S], S)),
  declare(
    "findAll",
    member("string_find_all_string", [S, S], listOf(S)),
    member("string_find_all_string_int", [S, S, INT], listOf(S)),
  ),
];

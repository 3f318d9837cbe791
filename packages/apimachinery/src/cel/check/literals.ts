// Checks of what is written down in an expression, once its types are known (cel-go: cel/validator.go and the check of
// formats in ext/formatting.go).
import { goRegExp } from "../../schema/go-regexp.js";
import { formatPieces } from "../lib/format-text.js";
import { childrenOf, type CallExpr, type Expr } from "../syntax/ast.js";
import type { Issue } from "../syntax/source.js";
import { parseDuration, parseTimestamp } from "../value/time.js";
import { CelError } from "../value/value.js";
import type { Checked } from "./check.js";
import { DYN, formatType, sameType, unwrapped, type CelType } from "./types.js";

type Report = (id: number, message: string) => void;

/** What is wrong with an expression's literals. */
export function literalIssues(checked: Checked): readonly Issue[] {
  const issues: Issue[] = [];
  const report: Report = (id, message) => void issues.push({ offset: checked.nodes.offset(id), message });
  const typeOf = (expr: Expr): CelType => checked.types.get(expr.id) ?? DYN;
  const calls = [...nodesOf(checked.expr)].filter((expr) => expr.kind === "call");
  for (const [name, isValid] of LITERALS) {
    for (const call of calls) {
      const [arg] = call.args;
      if (call.name !== name || arg?.kind !== "literal" || arg.literal.type !== "string") continue;
      if (!isValid(arg.literal.value)) report(arg.id, `invalid ${name} argument`);
    }
  }
  checkElements(checked.expr, typeOf, report);
  for (const call of calls) if (call.name === "format" && call.target !== undefined) checkFormat(call, typeOf, report);
  return issues;
}

const LITERALS: readonly (readonly [name: string, isValid: (text: string) => boolean])[] = [
  ["duration", (text) => parseDuration(text) !== undefined],
  [
    "timestamp",
    (text) => {
      const time = parseTimestamp(text);
      return time !== undefined && !(time instanceof CelError);
    },
  ],
  ["matches", (text) => goRegExp(text) !== undefined],
];

function* nodesOf(expr: Expr): Generator<Expr> {
  yield expr;
  for (const child of childrenOf(expr)) yield* nodesOf(child);
}

/** The elements of a list are of one type, and so are the keys and the values of a map, but in arguments of formats. */
function checkElements(expr: Expr, typeOf: (expr: Expr) => CelType, report: Report): void {
  if (expr.kind === "call" && expr.name === "format") return;
  if (expr.kind === "list") {
    const elements = expr.elements.map(({ value, optional }) => ({
      id: value.id,
      type: optional ? unwrapped(typeOf(value)) : typeOf(value),
    }));
    const other = elements.find(({ type }) => !isSame(elements[0]?.type ?? type, type));
    if (other !== undefined) reportMismatch(report, other, elements[0]?.type ?? other.type);
  }
  if (expr.kind === "map") {
    const keys = expr.entries.map(({ key }) => ({ id: key.id, type: typeOf(key) }));
    const values = expr.entries.map(({ value, optional }) => ({
      id: value.id,
      type: optional ? unwrapped(typeOf(value)) : typeOf(value),
    }));
    for (const parts of [keys, values]) {
      const [first] = parts;
      if (first === undefined) continue;
      for (const part of parts) if (!isSame(first.type, part.type)) reportMismatch(report, part, first.type);
    }
  }
  for (const child of childrenOf(expr)) checkElements(child, typeOf, report);
}

interface Typed {
  readonly id: number;
  readonly type: CelType;
}

function reportMismatch(report: Report, { id, type }: Typed, wanted: CelType): void {
  report(id, `expected type '${formatType(wanted)}' but found '${formatType(type)}'`);
}

function isSame(a: CelType, b: CelType): boolean {
  return sameType(a, b);
}

const CLAUSES: ReadonlyMap<string, readonly [kinds: readonly CelType["kind"][], message: string]> = new Map<
  string,
  readonly [readonly CelType["kind"][], string]
>([
  ["d", [["int", "uint"], "decimal clause can only be used on integers"]],
  ["f", [["double", "string"], "fixed-point clause can only be used on doubles"]],
  ["e", [["double", "string"], "scientific clause can only be used on doubles"]],
  ["b", [["int", "uint", "bool"], "only integers and bools can be formatted as binary"]],
  ["x", [["int", "uint", "string", "bytes"], "only integers, byte buffers, and strings can be formatted as hex"]],
  ["X", [["int", "uint", "string", "bytes"], "only integers, byte buffers, and strings can be formatted as hex"]],
  ["o", [["int", "uint"], "octal clause can only be used on integers"]],
  [
    "s",
    [
      ["list", "map", "int", "uint", "double", "bool", "string", "timestamp", "bytes", "duration", "type", "null"],
      "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
    ],
  ],
]);

function checkFormat(call: CallExpr, typeOf: (expr: Expr) => CelType, report: Report): void {
  const { target, args } = call;
  const [list] = args;
  if (target?.kind !== "literal" || target.literal.type !== "string" || list?.kind !== "list") return;
  const pieces = formatPieces(target.literal.value);
  if (typeof pieces === "string") {
    report(call.id, pieces);
    return;
  }
  const clauses = pieces.filter((piece) => "clause" in piece);
  for (const [i, { clause }] of clauses.entries()) {
    const arg = list.elements[i]?.value;
    if (arg === undefined) {
      report(call.id, `index ${i} out of range`);
      return;
    }
    const [kinds = [], message = ""] = CLAUSES.get(clause) ?? [];
    const type = typeOf(arg);
    if (type.kind === "dyn" || kinds.includes(type.kind)) continue;
    report(arg.id, `error during formatting: ${message}, was given ${type.name}`);
    return;
  }
  if (list.elements.length > clauses.length) {
    const counts = `(expected ${clauses.length}, got ${list.elements.length})`;
    report(call.id, `too many arguments supplied to string.format ${counts}`);
  }
}

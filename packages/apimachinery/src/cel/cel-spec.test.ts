import { tests as conformance } from "@bufbuild/cel-spec/testdata/conformance.js";
import { tests as parsing } from "@bufbuild/cel-spec/testdata/parsing.js";
import { describe, expect, it } from "vitest";

import { casesOf, specType, specValue, type SpecCase } from "./cel-spec.fixtures.js";
import type { CelType } from "./check/types.js";
import { compileExpression } from "./expression.js";
import { equal } from "./value/compare.js";
import { CelError, typeName, type Value } from "./value/value.js";

/** Messages, enums, and libraries that Kubernetes does not have. */
const FOREIGN =
  /TestAllTypes|google\.protobuf|math\.|cel\.(?:bind|block|@|expr|i)|base64|proto\.|(?:Nested|Global)Enum|\.`|\.reverse\(\)/;

/** Where Kubernetes, or cel-go as Kubernetes has it, decides otherwise. */
const OTHERWISE: ReadonlyMap<RegExp, string> = new Map([
  [
    /string_ext\/format\/.*(?:scientific|infinity|list support|map support|dyntype|%d|decimal)/,
    "an earlier version of format",
  ],
  [/(?:last)?indexof_out_of_range$/, "an offset behind the end is no error in cel-go"],
  [/map_value_repeat_key/, "cel-go takes the last of equal keys"],
]);

interface Ready {
  readonly variables: ReadonlyMap<string, CelType>;
  readonly values: ReadonlyMap<string, Value>;
}

/** What a case needs, if it needs no messages. */
function prepare({ expr, name, test }: SpecCase): Ready | undefined {
  const { container, typeEnv, bindings } = test.original as Original;
  if (FOREIGN.test(expr) || container !== undefined) return undefined;
  if ([...OTHERWISE.keys()].some((pattern) => pattern.test(name))) return undefined;
  const types = (typeEnv ?? []).map((each) => [each.name, each.ident && specType(each.ident.type)] as const);
  const values = Object.entries(bindings ?? {}).map(([key, { value }]) => [key, value && specValue(value)] as const);
  if ([...types, ...values].some(([, each]) => each === undefined)) return undefined;
  return {
    variables: new Map(types as readonly (readonly [string, CelType])[]),
    values: new Map(values as readonly (readonly [string, Value])[]),
  };
}

type Json = Readonly<Record<string, unknown>>;

interface Original {
  readonly container?: string;
  readonly disableCheck?: boolean;
  readonly typeEnv?: readonly { readonly name: string; readonly ident?: { readonly type: Json } }[];
  readonly bindings?: Readonly<Record<string, { readonly value?: Json }>>;
  readonly value?: Json;
  readonly evalError?: unknown;
}

/** Literals of mixed types are refused by Kubernetes. */
const MIXED = /expected type '.*' but found '.*'/;

/** `passed`, `skipped`, or what is wrong. */
function play(one: SpecCase): string {
  const ready = prepare(one);
  const { value, evalError, disableCheck } = one.test.original as Original;
  const wanted = value === undefined ? undefined : specValue(value);
  if (ready === undefined || (wanted === undefined && evalError === undefined)) return "skipped";
  const compiled = compileExpression(one.expr, { variables: ready.variables });
  if (!compiled.ok) {
    if (evalError !== undefined) return "passed";
    return disableCheck === true || MIXED.test(compiled.message) ? "skipped" : compiled.message;
  }
  const { result } = compiled.program.run((name) => ready.values.get(name), Infinity);
  if (evalError !== undefined) return result instanceof CelError ? "passed" : "no error";
  if (result instanceof CelError) return result.message;
  const same =
    (Number.isNaN(result) && Number.isNaN(wanted)) ||
    (equal(result, wanted as Value) === true && typeName(result) === typeName(wanted as Value));
  return same ? "passed" : `another value: ${String(result)}`;
}

it("agrees with the public cases that need no messages", () => {
  const played = casesOf(conformance).map((one) => ({ name: one.name, said: play(one) }));
  expect(played.filter(({ said }) => said !== "passed" && said !== "skipped")).toEqual([]);
  expect(played.filter(({ said }) => said === "passed").length).toBeGreaterThan(1100);
});

describe("syntax errors", () => {
  /** The first line of each issue. */
  const heads = (text: string): readonly string[] =>
    [...text.matchAll(/^ERROR: (?:<input>)?:(.*)$/gm)].map((match) => match[1] ?? "");
  /** Lower limits than Kubernetes', and syntax that it has but that was not allowed. */
  const otherwise = /max recursion depth|limit exceeded|More than|unsupported syntax/;
  /** Second mistakes: inside of messages, which nobody can make, and behind a minus. */
  const follow = /^(?:func\{|msg\{|--$)/;

  it("are those of cel-go", () => {
    const cases = casesOf(parsing).filter(
      ({ expr, test }) =>
        !follow.test(expr) && test.error?.startsWith("ERROR: :") === true && !otherwise.test(test.error ?? ""),
    );
    const said = cases.map(({ expr, test }) => {
      const compiled = compileExpression(expr, { variables: new Map() });
      return { expr, own: compiled.ok ? [] : heads(compiled.message), theirs: heads(test.error ?? "") };
    });
    expect(said.filter(({ own, theirs }) => own.join("\n") !== theirs.join("\n"))).toEqual([]);
    expect(said.length).toBeGreaterThan(50);
  });
});

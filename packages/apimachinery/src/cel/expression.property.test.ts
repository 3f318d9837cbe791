// Random expressions: @bufbuild/cel is the oracle of their values, estimates are above what they cost, and nothing hangs
// or crashes.
import { isCelError, isCelList, isCelMap, isCelUint, run as runOther } from "@bufbuild/cel";
import { strings } from "@bufbuild/cel/ext";
import { unsliced } from "@fairlead/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { structuralSchema } from "../schema/structural.js";
import { checkExpression } from "./check/check.js";
import { compileExpression, type Environment } from "./expression.js";
import { BASE_DECLARATIONS } from "./lib/base.js";
import { declaredSizes, declaredType, fieldTables } from "./rules/declared.js";
import { schemaValue } from "./rules/schema-value.js";
import { CostExceeded, Frame } from "./run/frame.js";
import { planExpression } from "./run/plan.js";
import { planSliced } from "./run/sliced.js";
import { parseExpression } from "./syntax/parse.js";
import { elementsOf } from "./value/list.js";
import { CelError, isList, isMap, Uint, type Result } from "./value/value.js";

type Kind = "int" | "bool" | "string" | "double" | "ints" | "strings" | "map";

/** Expressions of each kind, over the variables that are given. */
function expressions(
  variables: Readonly<Partial<Record<Kind, readonly string[]>>>,
): Record<Kind, fc.Arbitrary<string>> {
  const leaf = (kind: Kind, ...literals: readonly string[]): fc.Arbitrary<string> =>
    fc.constantFrom(...literals, ...(variables[kind] ?? []), ...(variables[kind] ?? []));
  return fc.letrec<Record<Kind, string>>((tie) => {
    const say = (parts: TemplateStringsArray, ...kinds: readonly Kind[]): fc.Arbitrary<string> =>
      fc.tuple(...kinds.map((kind) => tie(kind))).map((texts) => String.raw({ raw: parts.raw }, ...texts));
    const of = (
      kind: Kind,
      literals: readonly string[],
      ...more: readonly fc.Arbitrary<string>[]
    ): fc.Arbitrary<string> =>
      fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        leaf(kind, ...literals),
        ...more,
        say`(${"bool"} ? ${kind} : ${kind})`,
      );
    return {
      int: of(
        "int",
        ["0", "1", "-1", "2", "7", "9223372036854775807"],
        say`(${"int"} + ${"int"})`,
        say`(${"int"} - ${"int"})`,
        say`(${"int"} * ${"int"})`,
        say`(${"int"} / ${"int"})`,
        say`(${"int"} % ${"int"})`,
        say`(-${"int"})`,
        say`size(${"string"})`,
        say`${"ints"}.size()`,
        say`${"ints"}[${"int"}]`,
        say`${"map"}[${"string"}]`,
        say`${"string"}.indexOf(${"string"})`,
      ),
      bool: of(
        "bool",
        ["true", "false"],
        say`(${"int"} < ${"int"})`,
        say`(${"int"} == ${"int"})`,
        say`(${"double"} <= ${"int"})`,
        say`(${"string"} == ${"string"})`,
        say`(${"string"} < ${"string"})`,
        say`(${"ints"} == ${"ints"})`,
        say`(${"map"} == ${"map"})`,
        say`(${"bool"} && ${"bool"})`,
        say`(${"bool"} || ${"bool"})`,
        say`!(${"bool"})`,
        say`(${"int"} in ${"ints"})`,
        say`(${"string"} in ${"map"})`,
        say`${"ints"}.all(x, x > ${"int"})`,
        say`${"ints"}.exists(x, x == ${"int"})`,
        say`${"ints"}.exists_one(x, x == ${"int"})`,
        say`${"strings"}.all(s, s.contains(${"string"}))`,
        say`${"map"}.exists(k, k == ${"string"})`,
        say`${"string"}.startsWith(${"string"})`,
        say`${"string"}.matches('^a+b?$')`,
      ),
      string: of(
        "string",
        ["''", "'a'", "'ab'", "'éa'"],
        say`(${"string"} + ${"string"})`,
        say`string(${"int"})`,
        say`string(${"bool"})`,
        say`${"string"}.lowerAscii()`,
        say`${"string"}.replace('a', ${"string"})`,
        say`${"strings"}.join(${"string"})`,
        say`${"strings"}[0]`,
      ),
      double: of(
        "double",
        ["0.0", "1.5", "-2.25"],
        say`double(${"int"})`,
        say`(${"double"} + ${"double"})`,
        say`(${"double"} * ${"double"})`,
      ),
      ints: of(
        "ints",
        ["[0]", "[1, 2, 3]", "[1, 1]"],
        say`[${"int"}, ${"int"}]`,
        say`(${"ints"} + ${"ints"})`,
        say`${"ints"}.map(x, x + ${"int"})`,
        say`${"ints"}.filter(x, x < ${"int"})`,
      ),
      strings: of(
        "strings",
        ["['a', 'b']", "['']"],
        say`[${"string"}, ${"string"}]`,
        say`${"string"}.split(${"string"})`,
        say`${"strings"}.map(s, s + ${"string"})`,
      ),
      map: of("map", ["{'a': 1}", "{'a': 1, 'b': 2}"], say`{'a': ${"int"}, 'b': ${"int"}}`),
    };
  });
}

/** A value in a form that both evaluators share. */
function plain(value: unknown): unknown {
  if (value instanceof CelError || isCelError(value)) return "failed";
  if (value instanceof Uint || isCelUint(value)) return `${String(value.value)}u`;
  if (typeof value === "bigint") return `${value}i`;
  if (isList(value as Result)) {
    const elements = elementsOf(value as never);
    return elements instanceof CelError ? "failed" : elements.map(plain);
  }
  if (isMap(value as Result))
    return entries((value as { keys: () => readonly unknown[] }).keys(), (key) =>
      (value as { get: (key: unknown) => unknown }).get(key),
    );
  if (isCelList(value)) return [...value].map(plain);
  if (isCelMap(value)) return entries([...value.keys()], (key) => value.get(key as never));
  return value;
}

function entries(keys: readonly unknown[], get: (key: unknown) => unknown): unknown {
  return keys.map((key) => [plain(key), plain(get(key))]).sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1));
}

const NOTHING: Environment = { variables: new Map() };

describe("values", () => {
  const all = expressions({});
  it.each(Object.keys(all) as readonly Kind[])("of kind %s are those of @bufbuild/cel", (kind) => {
    fc.assert(
      fc.property(all[kind], (text) => {
        const compiled = compileExpression(text, NOTHING);
        if (!compiled.ok) throw new Error(compiled.message);
        const { result, exceeded } = compiled.program.run(() => undefined, 100_000);
        fc.pre(!exceeded);
        expect(plain(result)).toEqual(plain(runOther(text, {}, { funcs: strings })));
      }),
      { numRuns: 150 },
    );
  });
});

const SCHEMA = structuralSchema({
  type: "object",
  required: ["n", "d", "b", "s", "ns", "ss", "m"],
  properties: {
    n: { type: "integer" },
    d: { type: "number" },
    b: { type: "boolean" },
    s: { type: "string", maxLength: 8 },
    ns: { type: "array", maxItems: 5, items: { type: "integer" } },
    ss: { type: "array", maxItems: 4, items: { type: "string", maxLength: 6 } },
    m: { type: "object", maxProperties: 3, additionalProperties: { type: "integer" } },
  },
});
const OBJECTS = fc.record({
  n: fc.integer(),
  d: fc.double({ noNaN: true, noDefaultInfinity: true }),
  b: fc.boolean(),
  s: fc.string({ maxLength: 8 }),
  ns: fc.array(fc.integer(), { maxLength: 5 }),
  ss: fc.array(fc.string({ maxLength: 6 }), { maxLength: 4 }),
  m: fc.dictionary(fc.string(), fc.integer(), { maxKeys: 3, noNullPrototype: true }),
});

describe("costs", () => {
  const type = declaredType(SCHEMA, "self");
  if (type === undefined) throw new Error("no type");
  const tables = fieldTables(type);
  const environment: Environment = {
    variables: new Map([["self", type.celType]]),
    fields: (name) => tables.get(name),
    sizes: declaredSizes(type),
  };
  const { bool } = expressions({
    int: ["self.n"],
    double: ["self.d"],
    bool: ["self.b", "has(self.n)"],
    string: ["self.s"],
    ints: ["self.ns"],
    strings: ["self.ss"],
    map: ["self.m"],
  });

  it("and values are the same in slices and without a pause", () => {
    const variables = environment.variables;
    const scope = { ...BASE_DECLARATIONS, variables, fields: environment.fields ?? (() => undefined) };
    fc.assert(
      fc.property(bool, OBJECTS, fc.integer({ min: 1, max: 400 }), (text, object, limit) => {
        const parsed = parseExpression(`${text} || self.ss.exists(x, x.matches('a+') && self.ns.all(y, y > 0))`);
        if (!parsed.ok) throw new Error("it does not parse");
        const checked = checkExpression(parsed.expr, parsed.nodes, { scope, issues: [] });
        const input = { checked, declarations: BASE_DECLARATIONS, mostOwnCost: new Map<number, number>() };
        const [plain, sliced] = [planExpression(input), planSliced(input)];
        const self = schemaValue(object, SCHEMA);
        const outcome = (run: (frame: Frame) => Result): unknown => {
          const frame = new Frame(() => self, limit);
          try {
            return [run(frame), frame.cost];
          } catch (error) {
            if (!(error instanceof CostExceeded)) throw error;
            return "too expensive";
          }
        };
        expect(outcome((frame) => unsliced(sliced(frame)))).toEqual(outcome(plain));
      }),
      { numRuns: 500 },
    );
  });

  it("are never above their estimate", () => {
    fc.assert(
      fc.property(bool, OBJECTS, (text, object) => {
        const compiled = compileExpression(text, environment);
        if (!compiled.ok) throw new Error(compiled.message);
        const self = schemaValue(object, SCHEMA);
        const { cost } = compiled.program.run(() => self, Infinity);
        expect(cost).toBeLessThanOrEqual(compiled.program.maxCost);
      }),
      { numRuns: 500 },
    );
  });
});

it("compiles or refuses any text", () => {
  const token = fc.constantFrom(
    ..."self . ( ) [ ] { } , : ? + - * / % ! && || == < in 1 1u 0x1 1.5 'a' b'a' r'\\' true null x has map all optMap size \" ' ` \\ é // \n @".split(
      " ",
    ),
  );
  const text = fc.oneof(
    fc.array(token).map((tokens) => tokens.join(" ")),
    fc.array(token).map((tokens) => tokens.join("")),
    fc.string(),
  );
  fc.assert(
    fc.property(text, (source) => {
      const compiled = compileExpression(source, NOTHING);
      if (compiled.ok) compiled.program.run(() => undefined, 10_000);
      else expect(compiled.message).toMatch(/^ERROR: <input>:/);
    }),
    { numRuns: 1500 },
  );
});

// Calls that become something else as they are read (cel-go: parser/macro.go, ext/comprehensions.go, ext/lists.go, and
// optMap and optFlatMap of cel/library.go).
import { ACCUMULATOR, UNUSED, type Comprehension, type Expr } from "./ast.js";
import { NodeFactory, type Nodes } from "./nodes.js";

export interface MacroCall {
  readonly id: number;
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

/** What a call becomes, or why it cannot, with the node that is to blame. */
export type Expansion = { readonly expr: Expr } | { readonly at: number; readonly problem: string };

type Fold = Omit<Comprehension, "kind" | "id" | "accumulator" | "range" | "variable" | "second">;

/** Undefined for a call that is no macro. */
export function expandMacro(call: MacroCall, nodes: Nodes): Expansion | undefined {
  const make = new NodeFactory(nodes, nodes.offset(call.id));
  const { target, args, name } = call;
  if (target === undefined) return name === "has" && args.length === 1 ? expandHas(args[0] as Expr, make) : undefined;
  const { length } = args;
  switch (name) {
    case "all":
    case "exists":
    case "exists_one":
    case "existsOne":
      if (length !== 2 && length !== 3) return undefined;
      return loop(target, args.slice(0, -1), { make, fold: quantifier(name, args[length - 1] as Expr, make) });
    case "map":
      if (length !== 2 && length !== 3) return undefined;
      return mapping(target, args, make);
    case "filter": {
      if (length !== 2) return undefined;
      const [variable, keep] = args as readonly [Expr, Expr];
      return mapping(target, [variable, keep, variable], make);
    }
    case "transformList":
    case "transformMap":
    case "transformMapEntry":
      if (length !== 3 && length !== 4) return undefined;
      return loop(target, args.slice(0, 2), { make, fold: transform(name, args, make) });
    case "optMap":
    case "optFlatMap":
      return length === 2 ? optional(name, target, { args, make }) : undefined;
    case "sortBy":
      return length === 2 ? sortBy(target, args, make) : undefined;
    default:
      return undefined;
  }
}

function expandHas(arg: Expr, make: NodeFactory): Expansion {
  if (arg.kind !== "select") return { at: arg.id, problem: "invalid argument to has() macro" };
  return { expr: { ...arg, id: make.id, testOnly: true } };
}

function quantifier(name: string, test: Expr, make: NodeFactory): Fold {
  const so = (): Expr => make.ident(ACCUMULATOR);
  switch (name) {
    case "all":
      return {
        init: make.bool(true),
        condition: make.call("@not_strictly_false", so()),
        step: make.call("_&&_", so(), test),
        result: so(),
      };
    case "exists":
      return {
        init: make.bool(false),
        condition: make.call("@not_strictly_false", make.call("!_", so())),
        step: make.call("_||_", so(), test),
        result: so(),
      };
    default: {
      const one = (): Expr => make.literal({ type: "int", value: 1n });
      return {
        init: make.literal({ type: "int", value: 0n }),
        condition: make.bool(true),
        step: make.call("_?_:_", test, make.call("_+_", so(), one()), so()),
        result: make.call("_==_", so(), one()),
      };
    }
  }
}

/** `map` and `filter`: with three arguments the second says which elements count. */
function mapping(target: Expr, args: readonly Expr[], make: NodeFactory): Expansion {
  const variable = args[0] as Expr;
  if (variable.kind !== "ident") return { at: variable.id, problem: "argument is not an identifier" };
  const append = make.call("_+_", make.ident(ACCUMULATOR), make.list(args[args.length - 1] as Expr));
  return loop(target, [variable], {
    make,
    fold: folding(args.length === 3 ? args[1] : undefined, append, make.list(), make),
  });
}

function folding(keep: Expr | undefined, step: Expr, init: Expr, make: NodeFactory): Fold {
  return {
    init,
    condition: make.bool(true),
    step: keep === undefined ? step : make.call("_?_:_", keep, step, make.ident(ACCUMULATOR)),
    result: make.ident(ACCUMULATOR),
  };
}

function transform(name: string, args: readonly Expr[], make: NodeFactory): Fold {
  const value = args[args.length - 1] as Expr;
  const keep = args.length === 4 ? args[2] : undefined;
  if (name === "transformList")
    return folding(keep, make.call("_+_", make.ident(ACCUMULATOR), make.list(value)), make.list(), make);
  const key = args[0]?.kind === "ident" ? [make.ident(args[0].name)] : [];
  const insert = make.call(
    "cel.@mapInsert",
    make.ident(ACCUMULATOR),
    ...(name === "transformMap" ? [...key, value] : [value]),
  );
  return folding(keep, insert, { kind: "map", id: make.id, entries: [] }, make);
}

function loop(
  range: Expr,
  variables: readonly Expr[],
  { make, fold }: { readonly make: NodeFactory; readonly fold: Fold },
): Expansion {
  const names: string[] = [];
  for (const variable of variables) {
    if (variable.kind !== "ident") return { at: variable.id, problem: "argument must be a simple name" };
    if (names.includes(variable.name)) return { at: variable.id, problem: `duplicate variable name: ${variable.name}` };
    if (variable.name === ACCUMULATOR || variable.name === "__result__")
      return { at: variable.id, problem: "iteration variable overwrites accumulator variable" };
    names.push(variable.name);
  }
  const [variable = "", second] = names;
  return {
    expr: {
      kind: "comprehension",
      id: make.id,
      range,
      variable,
      ...(second === undefined ? {} : { second }),
      accumulator: ACCUMULATOR,
      ...fold,
    },
  };
}

/** A loop that never turns gives a value a name. */
function bind(
  name: string,
  value: Expr,
  { result, make }: { readonly result: Expr; readonly make: NodeFactory },
): Expr {
  return {
    kind: "comprehension",
    id: make.id,
    range: make.list(),
    variable: UNUSED,
    accumulator: name,
    init: value,
    condition: make.bool(false),
    step: make.ident(name),
    result,
  };
}

function optional(
  name: string,
  target: Expr,
  { args, make }: { readonly args: readonly Expr[]; readonly make: NodeFactory },
): Expansion {
  const [variable, value] = args as readonly [Expr, Expr];
  if (variable.kind !== "ident")
    return { at: variable.id, problem: `${name}() variable name must be a simple identifier` };
  const bound = bind(variable.name, make.method("value", make.copy(target)), { result: value, make });
  return {
    expr: make.call(
      "_?_:_",
      make.method("hasValue", target),
      name === "optMap" ? make.call("optional.of", bound) : bound,
      make.call("optional.none"),
    ),
  };
}

const SORTED = "@__sortBy_input__";

function sortBy(target: Expr, args: readonly Expr[], make: NodeFactory): Expansion {
  if (!["list", "select", "ident", "comprehension", "call"].includes(target.kind)) {
    return {
      at: target.id,
      problem: "sortBy can only be applied to a list, identifier, comprehension, call or select expression",
    };
  }
  const keys = mapping(make.ident(SORTED), args, make);
  if (!("expr" in keys)) return keys;
  const sorted = make.method("@sortByAssociatedKeys", make.ident(SORTED), keys.expr);
  return { expr: bind(SORTED, target, { result: sorted, make }) };
}

// Finds the type of every node (cel-go: checker/checker.go).
import type { CallExpr, Comprehension, Expr } from "../syntax/ast.js";
import type { Nodes } from "../syntax/nodes.js";
import type { Issue } from "../syntax/source.js";
import type { Declarations, FunctionDeclaration, Overload } from "./declarations.js";
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  ERROR,
  formatSignature,
  formatType,
  INT,
  isOptional,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  param,
  STRING,
  typeOf,
  UINT,
  unwrapped,
  type CelType,
} from "./types.js";
import { mostGeneral, substitute, Substitution } from "./unify.js";

/** What an expression may refer to. */
export interface Scope extends Declarations {
  readonly variables: ReadonlyMap<string, CelType>;
  /** The fields of a struct type by its name, as expressions spell them; undefined for a type that is not known. */
  readonly fields: (typeName: string) => ReadonlyMap<string, CelType> | undefined;
}

/** An expression with its types; `expr` may differ from what was parsed where names were put together. */
export interface Checked {
  readonly expr: Expr;
  readonly nodes: Nodes;
  readonly types: ReadonlyMap<number, CelType>;
  /** Per call, the overloads that its arguments allow. */
  readonly overloads: ReadonlyMap<number, readonly Overload[]>;
  /** The variables that are named, those of loops left out. */
  readonly references: ReadonlySet<string>;
}

/** The types of an expression's nodes. Issues are added to `issues`; with any, the result is of no use. */
export function checkExpression(
  expr: Expr,
  nodes: Nodes,
  { scope, issues }: { readonly scope: Scope; readonly issues: Issue[] },
): Checked {
  return new Checker(scope, nodes, issues).run(expr);
}

const LITERAL_TYPES: Readonly<Record<string, CelType>> = {
  null: NULL,
  bool: BOOL,
  int: INT,
  uint: UINT,
  double: DOUBLE,
  string: STRING,
  bytes: BYTES,
};

type Locals = ReadonlyMap<string, CelType>;

class Checker {
  readonly #scope: Scope;
  readonly #nodes: Nodes;
  readonly #issues: Issue[];
  readonly #types = new Map<number, CelType>();
  readonly #overloads = new Map<number, readonly Overload[]>();
  readonly #references = new Set<string>();
  readonly #known = new Substitution();
  #free = 0;

  constructor(scope: Scope, nodes: Nodes, issues: Issue[]) {
    this.#scope = scope;
    this.#nodes = nodes;
    this.#issues = issues;
  }

  run(parsed: Expr): Checked {
    const expr = this.#check(parsed, new Map());
    const types = new Map([...this.#types].map(([id, type]) => [id, substitute(this.#known, type, { rest: DYN })]));
    return { expr, nodes: this.#nodes, types, overloads: this.#overloads, references: this.#references };
  }

  #report(id: number, message: string): void {
    this.#issues.push({ offset: this.#nodes.offset(id), message });
  }

  #type(expr: Expr): CelType {
    return this.#types.get(expr.id) ?? ERROR;
  }

  #freeType(): CelType {
    return param(`_var${this.#free++}`);
  }

  #assign(from: CelType, to: CelType): boolean {
    return this.#known.assign([from], [to]);
  }

  #check(expr: Expr, locals: Locals): Expr {
    switch (expr.kind) {
      case "literal":
        this.#types.set(expr.id, LITERAL_TYPES[expr.literal.type] ?? ERROR);
        return expr;
      case "ident":
        return this.#ident(expr, locals);
      case "select":
        return this.#select(expr, locals);
      case "call":
        return this.#call(expr, locals);
      case "list":
        return this.#list(expr, locals);
      case "map":
        return this.#map(expr, locals);
      case "struct":
        this.#undeclared(expr.id, expr.typeName);
        return expr;
      case "comprehension":
        return this.#comprehension(expr, locals);
    }
  }

  #undeclared(id: number, name: string): void {
    this.#types.set(id, ERROR);
    this.#report(id, `undeclared reference to '${name}' (in container '')`);
  }

  #ident(expr: Extract<Expr, { kind: "ident" }>, locals: Locals): Expr {
    const local = locals.get(expr.name);
    if (local !== undefined) {
      this.#types.set(expr.id, local);
      return expr;
    }
    const found = this.#global(expr.name, expr.id);
    if (found !== undefined) return found;
    this.#undeclared(expr.id, expr.name);
    return expr;
  }

  /** A variable or a type by its full name; a leading dot passes over what loops call their own. */
  #global(written: string, id: number): Expr | undefined {
    const name = written.replace(/^\./, "");
    const variable = this.#scope.variables.get(name);
    if (variable !== undefined) {
      this.#references.add(name);
      this.#types.set(id, variable);
      return { kind: "ident", id, name: `.${name}` };
    }
    const type = this.#scope.types.get(name);
    if (type === undefined) return undefined;
    this.#types.set(id, typeOf(type));
    return { kind: "ident", id, name: `.${name}` };
  }

  #select(expr: Extract<Expr, { kind: "select" }>, locals: Locals): Expr {
    const name = expr.testOnly ? undefined : qualifiedName(expr);
    if (name !== undefined && !locals.has(name.split(".")[0] ?? "")) {
      const found = this.#global(name, expr.id);
      if (found !== undefined) return found;
    }
    const operand = this.#check(expr.operand, locals);
    const type = this.#fieldType(operand, expr.field, { id: expr.id, optional: false });
    this.#types.set(expr.id, expr.testOnly ? BOOL : substitute(this.#known, type));
    return { ...expr, operand };
  }

  #fieldType(
    operand: Expr,
    field: string,
    { id, optional }: { readonly id: number; readonly optional: boolean },
  ): CelType {
    const whole = substitute(this.#known, this.#type(operand));
    const type = unwrapped(whole);
    const result = this.#memberType(type, field, id);
    return optional || isOptional(whole) ? optionalOf(result) : result;
  }

  #memberType(type: CelType, field: string, id: number): CelType {
    switch (type.kind) {
      case "map":
        return type.params[1] ?? DYN;
      case "struct": {
        const fields = this.#scope.fields(type.name);
        const found = fields?.get(field);
        if (found !== undefined) return found;
        this.#report(
          id,
          fields === undefined ? `unexpected failed resolution of '${type.name}'` : `undefined field '${field}'`,
        );
        return ERROR;
      }
      case "param":
        this.#assign(DYN, type);
        return DYN;
      case "dyn":
      case "error":
        return DYN;
      default:
        this.#report(id, `type '${formatType(type)}' does not support field selection`);
        return DYN;
    }
  }

  #call(expr: CallExpr, locals: Locals): Expr {
    if (expr.name === "_?._") return this.#optionalSelect(expr, locals);
    const args = expr.args.map((arg) => this.#check(arg, locals));
    const { target } = expr;
    if (target === undefined) {
      const name = expr.name.replace(/^\./, "");
      return this.#resolve({ kind: "call", id: expr.id, name, args }, this.#scope.functions.get(name), expr.name);
    }
    const prefix = qualifiedName(target);
    const full = prefix === undefined ? undefined : `${prefix.replace(/^\./, "")}.${expr.name}`;
    const namespaced = full === undefined ? undefined : this.#scope.functions.get(full);
    if (full !== undefined && namespaced !== undefined)
      return this.#resolve({ kind: "call", id: expr.id, name: full, args }, namespaced, full);
    const checked = this.#check(target, locals);
    return this.#resolve({ ...expr, target: checked, args }, this.#scope.functions.get(expr.name), expr.name);
  }

  #optionalSelect(expr: CallExpr, locals: Locals): Expr {
    const [object, field] = expr.args as readonly [Expr, Expr];
    const operand = this.#check(object, locals);
    this.#check(field, locals);
    const name = field.kind === "literal" && field.literal.type === "string" ? field.literal.value : "";
    const type = this.#fieldType(operand, name, { id: expr.id, optional: true });
    this.#types.set(expr.id, substitute(this.#known, type));
    return { ...expr, args: [operand, field] };
  }

  #resolve(call: CallExpr, declaration: FunctionDeclaration | undefined, written: string): Expr {
    if (declaration === undefined) {
      this.#undeclared(call.id, written);
      return call;
    }
    const operands = call.target === undefined ? call.args : [call.target, ...call.args];
    if (call.name === "_&&_" || call.name === "_||_") this.#logical(call, declaration);
    else this.#overload(call, { declaration, operands });
    return call;
  }

  #logical(call: CallExpr, declaration: FunctionDeclaration): void {
    let fits = true;
    for (const arg of call.args) {
      if (this.#assign(this.#type(arg), BOOL)) continue;
      fits = false;
      this.#mismatch(arg, BOOL, this.#type(arg));
    }
    this.#types.set(call.id, fits ? BOOL : ERROR);
    this.#overloads.set(call.id, declaration.overloads);
  }

  #mismatch(at: Expr, wanted: CelType, found: CelType): void {
    this.#report(at.id, `expected type '${formatType(wanted)}' but found '${formatType(found)}'`);
  }

  #overload(
    call: CallExpr,
    { declaration, operands }: { readonly declaration: FunctionDeclaration; readonly operands: readonly Expr[] },
  ): void {
    const types = operands.map((operand) => this.#type(operand));
    const member = call.target !== undefined;
    const found: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of declaration.overloads) {
      if (overload.member !== member) continue;
      const fresh = this.#instantiate(overload);
      if (!this.#known.assign(types, fresh.args)) continue;
      found.push(overload);
      const own = substitute(this.#known, fresh.result);
      if (result === undefined) result = own;
      else if (result.kind !== "dyn" && formatType(own) !== formatType(result)) result = DYN;
    }
    if (result === undefined) {
      const shown = types.map((type) => substitute(this.#known, type, { rest: DYN }));
      const signature = formatSignature(shown, member);
      this.#report(call.id, `found no matching overload for '${declaration.name}' applied to '${signature}'`);
    }
    this.#types.set(call.id, result ?? ERROR);
    this.#overloads.set(call.id, found);
  }

  /** An overload whose type parameters nobody else uses. */
  #instantiate({ args, result, params }: Overload): Pick<Overload, "args" | "result"> {
    if (params.length === 0) return { args, result };
    const fresh = new Map(params.map((name) => [name, this.#freeType()]));
    return { args: args.map((arg) => substitute(fresh, arg)), result: substitute(fresh, result) };
  }

  #list(expr: Extract<Expr, { kind: "list" }>, locals: Locals): Expr {
    let element: CelType | undefined;
    const elements = expr.elements.map((each) => {
      const value = this.#check(each.value, locals);
      element = this.#join(element, each.optional ? this.#content(value) : this.#type(value));
      return { ...each, value };
    });
    this.#types.set(expr.id, listOf(element ?? this.#freeType()));
    return { ...expr, elements };
  }

  /** The type of an optional element without its optional. */
  #content(value: Expr): CelType {
    const type = substitute(this.#known, this.#type(value));
    if (!isOptional(type) && type.kind !== "dyn") this.#mismatch(value, optionalOf(type), type);
    return unwrapped(type);
  }

  #map(expr: Extract<Expr, { kind: "map" }>, locals: Locals): Expr {
    let key: CelType | undefined;
    let value: CelType | undefined;
    const entries = expr.entries.map((entry) => {
      const checked = { ...entry, key: this.#check(entry.key, locals), value: this.#check(entry.value, locals) };
      key = this.#join(key, this.#type(checked.key));
      value = this.#join(value, entry.optional ? this.#content(checked.value) : this.#type(checked.value));
      return checked;
    });
    this.#types.set(expr.id, mapOf(key ?? this.#freeType(), value ?? this.#freeType()));
    return { ...expr, entries };
  }

  #join(before: CelType | undefined, type: CelType): CelType {
    if (before === undefined) return type;
    return this.#assign(before, type) ? mostGeneral(before, type) : DYN;
  }

  #comprehension(expr: Comprehension, locals: Locals): Expr {
    const range = this.#check(expr.range, locals);
    const init = this.#check(expr.init, locals);
    const accumulator = this.#type(init);
    const outer = new Map(locals).set(expr.accumulator, accumulator);
    const [first, second] = this.#elementTypes(range, expr.second !== undefined);
    const inner = new Map(outer).set(expr.variable, first);
    if (expr.second !== undefined) inner.set(expr.second, second);
    const condition = this.#check(expr.condition, inner);
    this.#must(condition, BOOL);
    const step = this.#check(expr.step, inner);
    this.#must(step, accumulator);
    const result = this.#check(expr.result, outer);
    this.#types.set(expr.id, substitute(this.#known, this.#type(result)));
    return { ...expr, range, init, condition, step, result };
  }

  #must(expr: Expr, type: CelType): void {
    if (!this.#assign(type, this.#type(expr))) this.#mismatch(expr, type, this.#type(expr));
  }

  /** What one turn of a loop sees. */
  #elementTypes(range: Expr, two: boolean): readonly [CelType, CelType] {
    const type = substitute(this.#known, this.#type(range));
    const [first = DYN, second = DYN] = type.params;
    switch (type.kind) {
      case "list":
        return two ? [INT, first] : [first, DYN];
      case "map":
        return [first, second];
      case "dyn":
      case "error":
      case "param":
        this.#assign(DYN, type);
        return [DYN, DYN];
      default: {
        const what = "cannot be range of a comprehension (must be list, map, or dynamic)";
        this.#report(range.id, `expression of type '${formatType(type)}' ${what}`);
        return [ERROR, ERROR];
      }
    }
  }
}

/** `a.b.c`, where an expression is nothing but names. */
function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === "ident") return expr.name;
  if (expr.kind !== "select" || expr.testOnly) return undefined;
  const operand = qualifiedName(expr.operand);
  return operand === undefined ? undefined : `${operand}.${expr.field}`;
}

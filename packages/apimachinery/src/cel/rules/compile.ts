// The rules of a schema, ready to run (apiextensions-apiserver: pkg/apiserver/schema/cel/compilation.go).
import type { Schema, ValidationRule } from "../../schema/schema.js";
import { optionalOf, type CelType } from "../check/types.js";
import { compileExpression, type CelProgram, type Environment } from "../expression.js";
import { declaredSizes, declaredType, fieldTables, type DeclaredType } from "./declared.js";
import { escapeName } from "./escape.js";
import { normalFieldPath } from "./field-path.js";

/** A rule, and what became of it: at most one of `program` and `problem` is there, and neither for a rule without text. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program?: CelProgram;
  /** Why it cannot be compiled. */
  readonly problem?: string;
  readonly usesOldSelf: boolean;
  readonly message?: CelProgram;
  readonly messageProblem?: string;
  /** The field that the rule is about, below the value. */
  readonly fieldPath?: string;
}

/** A rule that is compiled when it is first asked for, which takes a while. */
export class LazyRule {
  readonly rule: ValidationRule;
  readonly #compile: () => CompiledRule;
  #compiled: CompiledRule | undefined;

  constructor(rule: ValidationRule, compile: () => CompiledRule) {
    this.rule = rule;
    this.#compile = compile;
  }

  get compiled(): CompiledRule {
    return (this.#compiled ??= this.#compile());
  }

  /** How much work it is, as Sliced counts it, to ask for the compiled rule now. */
  get work(): number {
    if (this.#compiled !== undefined) return 0;
    const { rule, messageExpression = "" } = this.rule;
    return COMPILE_WORK + (rule.length + messageExpression.length) * WORK_PER_CHARACTER;
  }
}

const COMPILE_WORK = 1000;
const WORK_PER_CHARACTER = 25;

/** The rules of a schema and of the schemas inside, where there are any. */
export interface RuleNode {
  readonly schema: Schema;
  readonly isRoot: boolean;
  readonly rules: readonly LazyRule[];
  /** Why rules cannot be compiled at all. */
  readonly problem?: string;
  readonly items?: RuleNode;
  readonly additionalProperties?: RuleNode;
  readonly properties: ReadonlyMap<string, RuleNode>;
  /** Rules in `allOf`, about the same value. */
  readonly allOf: readonly RuleNode[];
}

/** What object types are called; nobody can name it. */
const SELF_TYPE = "selfType";

/**
 * The rules of a schema; undefined when there are none. Make them once per version of a definition.
 *
 * @param options.isPart - Whether the schema describes a part of an object, not a whole one with a kind and a name.
 */
export function compileRules(schema: Schema, options: { readonly isPart?: boolean } = {}): RuleNode | undefined {
  const isRoot = options.isPart !== true;
  return ruleNode(schema, schema, { isRoot, type: declaredType(schema, SELF_TYPE, isRoot) });
}

interface Place {
  readonly isRoot: boolean;
  readonly type: DeclaredType | undefined;
}

/** @param rules - Where the rules stand: the schema of the node, or a part of an `allOf` of it. */
function ruleNode(rules: Schema, schema: Schema, place: Place): RuleNode | undefined {
  const { type, isRoot } = place;
  const own = rules.validations ?? [];
  const problem =
    own.length > 0 && type === undefined ? "failed to convert to declType for CEL validation rules" : undefined;
  const items =
    rules.items === undefined || schema.items === undefined
      ? undefined
      : ruleNode(rules.items, schema.items, inside(schema.items, type?.element));
  const [ruleValues, values] = [rules.additionalProperties, schema.additionalProperties];
  const additional =
    typeof ruleValues === "object" && typeof values === "object"
      ? ruleNode(ruleValues, values, inside(values, type?.element))
      : undefined;
  const node: RuleNode = {
    schema,
    isRoot,
    rules: type === undefined ? [] : compileRulesOf(own, schema, type),
    ...(problem === undefined ? {} : { problem }),
    ...(items === undefined ? {} : { items }),
    ...(additional === undefined ? {} : { additionalProperties: additional }),
    properties: propertyNodes(rules, schema, type),
    allOf: (rules.allOf ?? []).flatMap((part) => ruleNode(part, schema, place) ?? []),
  };
  return isEmpty(node) ? undefined : node;
}

function inside(schema: Schema, type: DeclaredType | undefined): Place {
  return { isRoot: schema.embeddedResource === true, type };
}

function isEmpty({ rules, problem, items, additionalProperties, properties, allOf }: RuleNode): boolean {
  return (
    rules.length === 0 &&
    problem === undefined &&
    items === undefined &&
    additionalProperties === undefined &&
    properties.size === 0 &&
    allOf.length === 0
  );
}

function propertyNodes(rules: Schema, schema: Schema, type: DeclaredType | undefined): ReadonlyMap<string, RuleNode> {
  const nodes = new Map<string, RuleNode>();
  for (const [name, ruled] of rules.properties ?? []) {
    const property = schema.properties?.get(name);
    const declared = property === undefined ? undefined : propertyType(name, property, type);
    if (property === undefined || declared === undefined) continue;
    const node = ruleNode(ruled, property, inside(property, declared));
    if (node !== undefined) nodes.set(name, node);
  }
  return nodes;
}

/** The type of a property. One that expressions cannot name from outside still has rules of its own. */
function propertyType(name: string, schema: Schema, parent: DeclaredType | undefined): DeclaredType | undefined {
  const escaped = escapeName(name);
  if (escaped === undefined) return declaredType(schema, SELF_TYPE, schema.embeddedResource === true);
  return parent?.fields?.get(escaped);
}

/** The rules of one node, of a known type. */
export function compileRulesOf(
  rules: readonly ValidationRule[],
  schema: Schema,
  type: DeclaredType,
): readonly LazyRule[] {
  let environments: Environments | undefined;
  return rules.map(
    (rule) =>
      new LazyRule(rule, () => {
        environments ??= environmentsOf(type);
        return compileRule(rule, schema, rule.optionalOldSelf === true ? environments.optional : environments.plain);
      }),
  );
}

/** What rules may name; with `optionalOldSelf` the old value is one that may be absent. */
interface Environments {
  readonly plain: Environment;
  readonly optional: Environment;
}

function environmentsOf(type: DeclaredType): Environments {
  const tables = fieldTables(type);
  const environment = (oldSelf: CelType): Environment => ({
    variables: new Map([
      ["self", type.celType],
      ["oldSelf", oldSelf],
    ]),
    fields: (name) => tables.get(name),
    sizes: declaredSizes(type),
  });
  return { plain: environment(type.celType), optional: environment(optionalOf(type.celType)) };
}

function compileRule(rule: ValidationRule, schema: Schema, environment: Environment): CompiledRule {
  if (rule.rule.trim() === "") return { rule, usesOldSelf: false };
  const compiled = compileExpression(rule.rule, environment);
  if (!compiled.ok) return { rule, usesOldSelf: false, problem: `compilation failed: ${compiled.message}` };
  const { program } = compiled;
  if (program.type.kind !== "bool")
    return { rule, usesOldSelf: false, problem: "cel expression must evaluate to a bool" };
  const fieldPath = rule.fieldPath === undefined ? undefined : normalFieldPath(rule.fieldPath, schema);
  return {
    rule,
    program,
    usesOldSelf: program.references.has("oldSelf"),
    ...compileMessage(rule, environment),
    ...(fieldPath === undefined ? {} : { fieldPath }),
  };
}

function compileMessage(
  { messageExpression }: ValidationRule,
  environment: Environment,
): Pick<CompiledRule, "message" | "messageProblem"> {
  if (messageExpression === undefined) return {};
  const compiled = compileExpression(messageExpression, environment);
  if (!compiled.ok) return { messageProblem: `messageExpression compilation failed: ${compiled.message}` };
  return compiled.program.type.kind === "string"
    ? { message: compiled.program }
    : { messageProblem: "messageExpression must evaluate to a string" };
}

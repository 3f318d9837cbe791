// Runs the rules of a kind on an object (apiextensions-apiserver: pkg/apiserver/schema/cel/validation.go).
import {
  encodeUtf8,
  getOwn,
  isArray,
  isObject,
  unsliced,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  type Sliced,
} from "@fairlead/base";
import type { Schema, ValidationRule } from "../../schema/schema.js";
import { childPath, forbidden, invalid, required } from "../../validation/errors.js";
import type { FieldError } from "../../validation/field-error.js";
import type { CelProgram } from "../expression.js";
import { CostExceeded, type Variables } from "../run/frame.js";
import { CelError, NONE, Optional, type Result } from "../value/value.js";
import type { CompiledRule, LazyRule, RuleNode } from "./compile.js";
import { Correlation, OldItems } from "./correlation.js";
import { withObjectMeta } from "./declared.js";
import { schemaValue } from "./schema-value.js";

/** What one evaluation may cost. */
export const PER_CALL_LIMIT = 1_000_000;
/** What all rules of an object may cost together. */
export const OBJECT_BUDGET = 10_000_000;
/** The longest text of a message expression, in bytes. */
const LONGEST_MESSAGE = 5 * 1024;

export interface RuleErrors {
  readonly errors: readonly FieldError[];
  /** Errors of what has not changed: Kubernetes only warns of them. */
  readonly ratcheted: readonly FieldError[];
  /** What is left of the budget; negative when it has been used up. */
  readonly budget: number;
}

export interface RuleOptions {
  /** The stored value, on an update. What has not changed since is not reported, unless `ratchets` is false. */
  readonly old?: JsonValue | undefined;
  readonly ratchets?: boolean;
  /** Where the value stands, empty for a whole object. */
  readonly path?: string;
  readonly budget?: number;
}

/** What is wrong with a value by its rules. Evaluation ends when the budget is used up. */
export function validateRules(node: RuleNode, value: JsonValue, options: RuleOptions = {}): RuleErrors {
  return unsliced(validatingRules(node, value, options));
}

/** validateRules in slices. */
export function* validatingRules(node: RuleNode, value: JsonValue, options: RuleOptions = {}): Sliced<RuleErrors> {
  const { old, path = "", ratchets = true } = options;
  const run = new Run(options.budget ?? OBJECT_BUDGET);
  const correlation = old === undefined || !ratchets ? undefined : new Correlation(value, old, node.schema);
  try {
    yield* run.node(node, { path, value, old, correlation, ancestor: undefined });
  } catch (error) {
    if (!(error instanceof CostExceeded)) throw error;
    return { errors: run.errors, ratcheted: run.ratcheted, budget: -1 };
  }
  return run;
}

/** Errors at most, of which nobody reads so many; then evaluation ends. */
const MOST_ERRORS = 10_000;
/** What it takes to get from one value to the next. */
const VALUE_WORK = 5;
/** What has cost more than this has told its work itself. */
const LEAST_TOLD = 2_000;
const WORK_PER_COST = 4;

interface Place {
  readonly path: string;
  readonly value: JsonValue;
  readonly old: JsonValue | undefined;
  readonly correlation: Correlation | undefined;
  /** The nearest correlation above. */
  readonly ancestor: Correlation | undefined;
}

const NO_BUDGET = "validation failed due to running out of cost budget, no further validation rules will be run";

class Run {
  readonly errors: FieldError[] = [];
  readonly ratcheted: FieldError[] = [];
  budget: number;

  constructor(budget: number) {
    this.budget = budget;
  }

  *node(node: RuleNode, place: Place): Sliced<void> {
    const { value } = place;
    if (value === null) return;
    yield VALUE_WORK;
    yield* this.#rules(node, place);
    for (const part of node.allOf) yield* this.node(part, { ...place, correlation: undefined });
    if (isArray(value)) yield* this.#items(node, value, place);
    else if (isObject(value)) yield* this.#members(node, value, place);
  }

  *#items(node: RuleNode, list: JsonArray, place: Place): Sliced<void> {
    const { items, schema } = node;
    if (items === undefined) return;
    const { listType, listMapKeys = [] } = schema;
    const before = new OldItems(listType === "map" && isArray(place.old) ? place.old : [], listMapKeys);
    for (const [i, value] of list.entries()) {
      const own = place.correlation?.index(i);
      yield* this.node(items, {
        path: `${place.path}[${i}]`,
        value,
        old: before.find(value),
        correlation: own,
        ancestor: place.correlation ?? place.ancestor,
      });
    }
  }

  *#members(node: RuleNode, object: JsonObject, place: Place): Sliced<void> {
    const before = isObject(place.old) ? place.old : undefined;
    for (const key of Object.keys(object)) {
      const property = node.properties.get(key);
      const value = getOwn(object, key) as JsonValue;
      const old = before === undefined ? undefined : getOwn(before, key);
      if (node.additionalProperties !== undefined)
        yield* this.node(node.additionalProperties, {
          path: `${place.path}[${key}]`,
          value,
          old,
          ...below(place, key),
        });
      if (property !== undefined)
        yield* this.node(property, { path: childPath(place.path, key), value, old, ...below(place, key) });
    }
  }

  *#rules(node: RuleNode, place: Place): Sliced<void> {
    const { schema, isRoot, rules, problem } = node;
    const type = schema.type ?? "";
    const field = place.path === "" ? "<nil>" : place.path;
    if (problem !== undefined) {
      this.errors.push(invalid(field, type, `rule compiler initialization error: ${problem}`));
      return;
    }
    if (rules.length === 0) return;
    if (this.budget <= 0) this.#stop(invalid(field, type, NO_BUDGET));
    const variables = new RuleVariables(place, isRoot ? withObjectMeta(schema) : schema, rules);
    for (const lazy of rules) {
      const { work } = lazy;
      if (work > 0) yield work;
      yield* this.#rule(lazy.compiled, { ...place, variables, type, field });
      if (this.errors.length + this.ratcheted.length > MOST_ERRORS) throw new CostExceeded();
    }
  }

  /** Ends the run. @throws CostExceeded */
  #stop(error: FieldError): never {
    this.errors.push(error);
    throw new CostExceeded();
  }

  *#rule(compiled: CompiledRule, place: RulePlace): Sliced<void> {
    const { rule, program, problem, usesOldSelf } = compiled;
    const { type, field, variables } = place;
    if (problem !== undefined) this.errors.push(invalid(field, type, `rule compile error: ${problem}`));
    if (program === undefined || (usesOldSelf && !hasOld(place) && rule.optionalOldSelf !== true)) return;
    const { result, cost, exceeded } = yield* program.running(variables.of(rule), PER_CALL_LIMIT);
    yield Math.min(cost, LEAST_TOLD) * WORK_PER_COST;
    if (cost > this.budget) this.#stop(invalid(field, type, NO_BUDGET));
    this.budget -= cost;
    if (result === true) return;
    if (!(result instanceof CelError)) yield* this.#failed(compiled, place);
    else if (exceeded) {
      const why = "no further validation rules will be run due to call cost exceeds limit for rule";
      this.#stop(invalid(field, type, `'${result.message}': ${why}: ${ruleText(rule)}`));
    } else this.errors.push(invalid(field, type, explain(result, rule)));
  }

  *#failed(compiled: CompiledRule, place: RulePlace): Sliced<void> {
    const { rule, message } = compiled;
    const field = fieldOf(compiled, place);
    const text = message === undefined ? undefined : yield* this.#message(message, { compiled, place, field });
    const detail = text ?? (rule.message === undefined ? `failed rule: ${ruleText(rule)}` : rule.message.trim());
    this.#add(compiled, place, errorOf(rule, { field, detail, value: shownValue(place) }));
  }

  #add({ usesOldSelf }: CompiledRule, { correlation, ancestor }: Place, error: FieldError): void {
    const unchanged = (correlation ?? ancestor)?.unchanged === true;
    (!usesOldSelf && unchanged ? this.ratcheted : this.errors).push(error);
  }

  /** The text of a message expression; undefined when it fails or gives nothing that can be shown. */
  *#message(
    message: CelProgram,
    { compiled, place, field }: { readonly compiled: CompiledRule; readonly place: RulePlace; readonly field: string },
  ): Sliced<string | undefined> {
    const { result, cost, exceeded } = yield* message.running(place.variables.plain, PER_CALL_LIMIT);
    yield Math.min(cost, LEAST_TOLD) * WORK_PER_COST;
    const stop = (detail: string): never => {
      this.#add(compiled, place, invalid(field, place.type, detail));
      throw new CostExceeded();
    };
    if (cost > this.budget)
      stop(
        "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run",
      );
    if (exceeded) {
      const why = "no further validation rules will be run due to call cost exceeds limit for messageExpression";
      stop(`${why}: ${JSON.stringify(compiled.rule.messageExpression)}`);
    }
    this.budget -= cost;
    const text = typeof result === "string" ? result.trim() : "";
    return text === "" || text.includes("\n") || encodeUtf8(text).length > LONGEST_MESSAGE ? undefined : text;
  }
}

function below({ correlation, ancestor }: Place, key: string): Pick<Place, "correlation" | "ancestor"> {
  if (correlation === undefined) return { correlation, ancestor };
  // Of both the version is the same, whatever was sent.
  if (ancestor === undefined && (key === "apiVersion" || key === "kind"))
    return { correlation: undefined, ancestor: undefined };
  return { correlation: correlation.key(key), ancestor: correlation };
}

interface RulePlace extends Place {
  readonly variables: RuleVariables;
  readonly type: string;
  readonly field: string;
}

function hasOld({ old }: Place): boolean {
  return old !== undefined && old !== null;
}

/** What the rules of one value may name. Values are made when the first rule asks for them. */
class RuleVariables {
  readonly #place: Place;
  readonly #schema: Schema;
  readonly #rules: readonly LazyRule[];
  #self: Result | undefined;
  #old: Result | undefined;

  constructor(place: Place, schema: Schema, rules: readonly LazyRule[]) {
    this.#place = place;
    this.#schema = schema;
    this.#rules = rules;
  }

  /** The variables of a rule; with `optionalOldSelf` the old value is one that may be absent. */
  of(rule: ValidationRule): Variables {
    return rule.optionalOldSelf === true ? this.#optional : this.plain;
  }

  readonly plain: Variables = (name) => {
    if (name === "self") return (this.#self ??= schemaValue(this.#place.value, this.#schema));
    const usesOld = name === "oldSelf" && this.#rules.some(({ compiled }) => compiled.usesOldSelf);
    return usesOld ? this.#oldValue() : undefined;
  };

  readonly #optional: Variables = (name) => {
    if (name !== "oldSelf") return this.plain(name);
    const old = this.#oldValue();
    if (old === undefined) return NONE;
    return old instanceof CelError ? old : new Optional(old);
  };

  #oldValue(): Result | undefined {
    const { old } = this.#place;
    return old === undefined || old === null ? undefined : (this.#old ??= schemaValue(old, this.#schema));
  }
}

function ruleText({ rule, message }: ValidationRule): string {
  return (message ?? rule).trim();
}

function explain(error: CelError, rule: ValidationRule): string {
  if (!error.message.startsWith("no such overload")) return `${error.message} evaluating rule: ${ruleText(rule)}`;
  const why = "call arguments did not match a supported operator, function or macro signature for rule";
  return `'${error.message}': ${why}: ${ruleText(rule)}`;
}

function fieldOf({ fieldPath }: CompiledRule, { path, field }: RulePlace): string {
  return fieldPath === undefined || fieldPath === "" ? field : childPath(path, fieldPath);
}

/** Objects and lists are too long to be shown. */
function shownValue({ value, type }: RulePlace): JsonValue | undefined {
  return type === "object" || type === "array" ? undefined : value;
}

function errorOf(
  { reason }: ValidationRule,
  { field, detail, value }: { readonly field: string; readonly detail: string; readonly value: JsonValue | undefined },
): FieldError {
  switch (reason) {
    case "FieldValueForbidden":
      return forbidden(field, detail);
    case "FieldValueRequired":
      return required(field, detail);
    case "FieldValueDuplicate":
      return { type: "FieldValueDuplicate", field, badValue: value, detail: "" };
    default:
      return { type: "FieldValueInvalid", field, badValue: value, detail };
  }
}

// The rules in CEL of a CustomResourceDefinition: that they compile, and that they cannot cost too much
// (apiextensions-apiserver: pkg/apis/apiextensions/validation, cel_validation.go).
import {
  compileRulesOf,
  declaredType,
  forbidden,
  internalError,
  invalid,
  maxCardinality,
  MOST_COST,
  structuralSchema,
  type CompiledRule,
  type FieldError,
  type Schema,
} from "@fairlead/apimachinery";
import { getOwn, isObject, type JsonObject, type Sliced } from "@fairlead/base";
import { bool, entries, has, num, obj, objs, str } from "./access.js";
import { shownRule } from "./definition-form.js";

/** What one rule may cost for all values that it can meet, and all rules together. */
const RULE_LIMIT = 10_000_000;
const TOTAL_LIMIT = 100_000_000;
/** How many of the rules are named that cost most when all together cost too much. */
const MOST_NAMED = 4;

export interface CelRuleOptions {
  /** What else is wrong with the schema; rules of a part that is wrong are not looked at. */
  readonly schemaErrors: readonly FieldError[];
  /** Whether single rules may cost too much, as they did before. */
  readonly anyRuleCost: boolean;
}

/** What is wrong with the rules of a schema: first each by itself, then the sum of their costs. */
export function* celRuleErrors(
  schema: JsonObject,
  path: string,
  options: CelRuleOptions,
): Sliced<readonly FieldError[]> {
  const check = new Check(options);
  yield* check.schema(schema, structuralSchema(schema), { path, isRoot: true, cardinality: 1 });
  return [...check.errors, ...check.totalErrors(path)];
}

interface Place {
  readonly path: string;
  readonly isRoot: boolean;
  /** How many values of the schema an object can have at most; undefined when nothing bounds them. */
  readonly cardinality: number | undefined;
  /** The list above whose items cannot be told apart. */
  readonly uncorrelated?: string;
}

const VALUE_WORK = 20;

class Check {
  readonly errors: FieldError[] = [];
  readonly #options: CelRuleOptions;
  readonly #costs: { readonly path: string; readonly cost: number }[] = [];
  #total = 0;

  constructor(options: CelRuleOptions) {
    this.#options = options;
  }

  /** @param schema - The same as its JSON. */
  *schema(json: JsonObject, schema: Schema, place: Place): Sliced<void> {
    yield VALUE_WORK;
    const { path } = place;
    const cardinality = timesElements(place.cardinality, json);
    const inside = (part: JsonObject, at: string, uncorrelated = place.uncorrelated): Place => ({
      path: `${path}.${at}`,
      isRoot: bool(part, "x-kubernetes-embedded-resource"),
      cardinality,
      ...(uncorrelated === undefined ? {} : { uncorrelated }),
    });
    const additional = getOwn(json, "additionalProperties");
    if (isObject(additional) && typeof schema.additionalProperties === "object")
      yield* this.schema(additional, schema.additionalProperties, inside(additional, "additionalProperties"));
    for (const [name, part] of entries(json, "properties")) {
      const property = schema.properties?.get(name);
      if (isObject(part) && property !== undefined)
        yield* this.schema(part, property, inside(part, `properties[${name}]`));
    }
    const items = obj(json, "items");
    const keyed = str(json, "x-kubernetes-list-type") === "map";
    if (items !== undefined && schema.items !== undefined) {
      const uncorrelated = keyed ? place.uncorrelated : (place.uncorrelated ?? path);
      yield* this.schema(items, schema.items, inside(items, "items", uncorrelated));
    }
    const rules = objs(json, "x-kubernetes-validations");
    if (rules.length > 0 && !this.#options.schemaErrors.some((error) => error.field.startsWith(path)))
      yield* this.#rules(schema, rules, place);
  }

  *#rules(schema: Schema, rules: readonly JsonObject[], place: Place): Sliced<void> {
    const type = declaredType(schema, "selfType", place.isRoot);
    const path = `${place.path}.x-kubernetes-validations`;
    if (type === undefined) {
      const problem = "failed to construct type information for x-kubernetes-validations rules";
      const why = "unable to convert structural schema to CEL declarations";
      this.errors.push(internalError(path, `internal error: ${problem}: ${why}`));
      return;
    }
    const cardinality = place.cardinality ?? maxCardinality(type);
    for (const [i, lazy] of compileRulesOf(schema.validations ?? [], schema, type).entries()) {
      yield lazy.work;
      const at = { path: `${path}[${i}]`, cardinality, uncorrelated: place.uncorrelated };
      this.#rule(lazy.compiled, rules[i] ?? {}, at);
    }
  }

  #rule(
    { program, message, problem, messageProblem, usesOldSelf, rule }: CompiledRule,
    json: JsonObject,
    at: { readonly path: string; readonly cardinality: number; readonly uncorrelated: string | undefined },
  ): void {
    const { path, cardinality, uncorrelated } = at;
    const shown = shownRule(json);
    this.#cost(Math.min(MOST_COST, (program?.maxCost ?? 0) * cardinality), `${path}.rule`, "rule");
    if (problem !== undefined) this.errors.push(invalid(`${path}.rule`, shown, problem));
    if (messageProblem !== undefined) this.errors.push(invalid(`${path}.messageExpression`, shown, messageProblem));
    else if (message !== undefined) this.#cost(message.maxCost, `${path}.messageExpression`, "messageExpression");
    if (usesOldSelf && uncorrelated !== undefined) {
      const why = "oldSelf cannot be used on the uncorrelatable portion of the schema within";
      this.errors.push(invalid(`${path}.rule`, rule.rule, `${why} ${uncorrelated}`));
    }
    if (!usesOldSelf && has(json, "optionalOldSelf")) {
      const why = "may not be set if oldSelf is not used in rule";
      this.errors.push(invalid(`${path}.optionalOldSelf`, bool(json, "optionalOldSelf"), why));
    }
  }

  #cost(cost: number, path: string, what: "rule" | "messageExpression"): void {
    if (!this.#options.anyRuleCost && cost > RULE_LIMIT)
      this.errors.push(forbidden(path, tooExpensive(`estimated ${what} cost`, cost / RULE_LIMIT)));
    this.#total = Math.min(MOST_COST, this.#total + cost);
    if (cost >= TOTAL_LIMIT / 100) this.#costs.push({ path, cost });
  }

  totalErrors(path: string): readonly FieldError[] {
    if (this.#total <= TOTAL_LIMIT) return [];
    const named = [...this.#costs].sort((a, b) => b.cost - a.cost).slice(0, MOST_NAMED);
    const contributed = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    return [
      ...named.map((each) => forbidden(each.path, contributed)),
      forbidden(path, tooExpensive(what, this.#total / TOTAL_LIMIT)),
    ];
  }
}

/** How many values the parts of a schema can have, if the schema itself has so many. */
function timesElements(cardinality: number | undefined, schema: JsonObject): number | undefined {
  if (cardinality === undefined) return undefined;
  const type = str(schema, "type");
  const limit = type === "array" ? "maxItems" : "maxProperties";
  if (type !== "array" && (type !== "object" || !has(schema, "additionalProperties"))) return cardinality;
  return has(schema, limit) ? Math.min(MOST_COST, cardinality * Math.max(0, num(schema, limit))) : undefined;
}

function tooExpensive(what: string, factor: number): string {
  const times = factor > 100 ? "more than 100x" : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  const advice =
    "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared";
  return `${what} exceeds budget by factor of ${times} (${advice})`;
}

// Label selectors: their matching, and LabelSelector objects (apimachinery: pkg/labels, apis/meta/v1/helpers.go).
import { byCodeUnit, FairleadError, getOwn, isArray, isObject, type JsonObject, type JsonValue } from "@fairlead/base";
import { invalid } from "../validation/errors.js";
import { formatFieldError, type FieldError } from "../validation/field-error.js";
import { isLabelValue, isQualifiedName } from "../validation/names.js";

export type LabelOperator = "in" | "notin" | "=" | "==" | "!=" | "exists" | "!" | "gt" | "lt";

/** One condition on one label. Values are sorted and unique. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** All requirements must hold; none of them selects everything. `nothing` selects nothing whatever they are. */
export interface LabelSelector {
  readonly requirements: readonly LabelRequirement[];
  readonly nothing?: boolean;
}

/** Selects everything. */
export const everyLabels: LabelSelector = { requirements: [] };

/** A selector that cannot be understood. The message is Kubernetes'. */
export class SelectorError extends FairleadError {
  constructor(message: string) {
    super("BadSelector", message);
  }
}

/** Whether labels satisfy a selector. */
export function matchesLabels(selector: LabelSelector, labels: JsonObject | undefined): boolean {
  return (
    selector.nothing !== true &&
    selector.requirements.every((requirement) => matchesRequirement(requirement, labels ?? {}))
  );
}

function matchesRequirement({ key, operator, values }: LabelRequirement, labels: JsonObject): boolean {
  const value = getOwn(labels, key);
  const exists = typeof value === "string";
  switch (operator) {
    case "in":
    case "=":
    case "==":
      return exists && values.includes(value);
    case "notin":
    case "!=":
      return !exists || !values.includes(value);
    case "exists":
      return exists;
    case "!":
      return !exists;
    case "gt":
    case "lt": {
      const left = exists ? parseInt64(value) : undefined;
      const right = parseInt64(values[0] ?? "");
      if (left === undefined || right === undefined) return false;
      return operator === "gt" ? left > right : left < right;
    }
  }
}

function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ""));
  return value >= -(2n ** 63n) && value < 2n ** 63n ? value : undefined;
}

/**
 * A requirement, checked.
 *
 * @throws SelectorError
 */
export function labelRequirement(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
  const sorted = [...new Set(values)].sort(byCodeUnit);
  const errors: FieldError[] = [];
  const keyMessages = isQualifiedName(key);
  if (keyMessages.length > 0) errors.push(invalid("key", key, keyMessages.join("; ")));
  errors.push(...countErrors(operator, sorted));
  for (const [i, value] of sorted.entries()) {
    const messages = isLabelValue(value);
    if (messages.length > 0) errors.push(invalid(`values[${i}][${key}]`, value, messages.join("; ")));
  }
  if (errors.length > 0) throw new SelectorError(aggregate(errors));
  return { key, operator, values: sorted };
}

function countErrors(operator: LabelOperator, values: readonly string[]): readonly FieldError[] {
  switch (operator) {
    case "in":
    case "notin":
      return values.length === 0
        ? [invalid("values", [...values], "for 'in', 'notin' operators, values set can't be empty")]
        : [];
    case "=":
    case "==":
    case "!=":
      return values.length === 1
        ? []
        : [invalid("values", [...values], "exact-match compatibility requires one single value")];
    case "exists":
    case "!":
      return values.length === 0
        ? []
        : [invalid("values", [...values], "values set must be empty for exists and does not exist")];
    case "gt":
    case "lt": {
      const count =
        values.length === 1
          ? []
          : [invalid("values", [...values], "for 'Gt', 'Lt' operators, exactly one value is required")];
      const numbers = values.flatMap((value, i) =>
        parseInt64(value) === undefined
          ? [invalid(`values[${i}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer")]
          : [],
      );
      return [...count, ...numbers];
    }
  }
}

function aggregate(errors: readonly FieldError[]): string {
  const messages = [...new Set(errors.map(formatFieldError))];
  return messages.length === 1 ? (messages[0] ?? "") : `[${messages.join(", ")}]`;
}

/** The message of a key that is no label key, as selectors report it: without a field. */
export function badLabelKey(key: string): string | undefined {
  const messages = isQualifiedName(key);
  return messages.length === 0 ? undefined : formatFieldError(invalid("<nil>", key, messages.join("; ")));
}

const OBJECT_OPERATORS: ReadonlyMap<string, LabelOperator> = new Map<string, LabelOperator>([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

/**
 * The selector of a LabelSelector object. Absent selects nothing, `{}` everything.
 *
 * @throws SelectorError
 */
export function labelSelectorOf(object: JsonValue | undefined): LabelSelector {
  if (!isObject(object)) return { requirements: [], nothing: true };
  const matchLabels = getOwn(object, "matchLabels");
  const expressions = getOwn(object, "matchExpressions");
  const exact = isObject(matchLabels)
    ? Object.keys(matchLabels)
        .sort(byCodeUnit)
        .map((key) => labelRequirement(key, "=", [String(getOwn(matchLabels, key))]))
    : [];
  return { requirements: [...exact, ...(isArray(expressions) ? expressions.map(requirementOf) : [])] };
}

function requirementOf(expression: JsonValue): LabelRequirement {
  const object = isObject(expression) ? expression : {};
  const name = String(getOwn(object, "operator") ?? "");
  const operator = OBJECT_OPERATORS.get(name);
  const values = getOwn(object, "values");
  if (operator === undefined) {
    throw new SelectorError(`${JSON.stringify(name)} is not a valid label selector operator`);
  }
  return labelRequirement(String(getOwn(object, "key") ?? ""), operator, isArray(values) ? values.map(String) : []);
}

/** A selector of exact values, as ReplicationControllers and Services have. Absent or empty selects nothing. */
export function labelSelectorFromMap(labels: JsonValue | undefined): LabelSelector {
  if (!isObject(labels) || Object.keys(labels).length === 0) return { requirements: [], nothing: true };
  return {
    requirements: Object.keys(labels)
      .sort(byCodeUnit)
      .map((key) => ({ key, operator: "=", values: [String(getOwn(labels, key))] })),
  };
}

/** The text of a selector, as `status.selector` of a Scale and tables print it. */
export function formatLabelSelector(selector: LabelSelector): string {
  return [...selector.requirements]
    .sort((a, b) => byCodeUnit(a.key, b.key))
    .map(formatRequirement)
    .join(",");
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${values.join(",")})`;
    case "gt":
      return `${key}>${values[0] ?? ""}`;
    case "lt":
      return `${key}<${values[0] ?? ""}`;
    default:
      return `${key}${operator}${values[0] ?? ""}`;
  }
}

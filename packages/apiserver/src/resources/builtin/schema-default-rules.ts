// Defaults in the schemas of CustomResourceDefinitions (apiextensions-apiserver: pkg/apiserver/schema/defaulting/validation.go).
import {
  coerceMetadata,
  compileRules,
  invalid,
  OBJECT_BUDGET,
  prune,
  structuralSchema,
  validateEmbedded,
  validatingRules,
  validatingValue,
  type FieldError,
  type Schema,
} from "@fairlead/apimachinery";
import { cloneJson, getOwn, isArray, isObject, type JsonObject, type JsonValue, type Sliced } from "@fairlead/base";
import { bool, entries, obj } from "./access.js";

export interface DefaultRules {
  /** Whether defaults may not have fields that their schema does not know. */
  readonly pruned: boolean;
}

/** What is wrong with the defaults of a structural schema. */
export function* defaultErrors(schema: JsonObject, path: string, rules: DefaultRules): Sliced<readonly FieldError[]> {
  return yield* visit(
    schema,
    { path, embedded: true, inMetadata: false, root: true },
    { ...rules, budget: OBJECT_BUDGET },
  );
}

interface Place {
  readonly path: string;
  /** Whether the schema is that of a whole object. */
  readonly embedded: boolean;
  readonly inMetadata: boolean;
  /** Whether it is the schema that everything else is a part of. */
  readonly root: boolean;
}

/** How defaults are checked, and what is left of the budget that their rules have together. */
interface Check extends DefaultRules {
  budget: number;
}

const META: ReadonlySet<string> = new Set(["metadata", "apiVersion", "kind"]);

function* visit(schema: JsonObject, place: Place, rules: Check): Sliced<readonly FieldError[]> {
  yield VALUE_WORK;
  const { path } = place;
  const value = getOwn(schema, "default");
  const items = obj(schema, "items");
  const errors: FieldError[] = [];
  if (value !== undefined && value !== null) errors.push(...(yield* oneDefaultErrors(schema, value, place, rules)));
  if (items !== undefined)
    errors.push(...(yield* visit(items, inner(items, `${path}.items`, place.inMetadata), rules)));
  for (const [name, part] of entries(schema, "properties")) {
    if (!isObject(part)) continue;
    const inMetadata = place.inMetadata || (place.embedded && META.has(name));
    errors.push(...(yield* visit(part, inner(part, `${path}.properties[${name}]`, inMetadata), rules)));
  }
  return errors;
}

const VALUE_WORK = 20;
/** What the schema of a default takes to be made ready, per value in it. */
const DEFAULT_WORK = 20;

function inner(schema: JsonObject, path: string, inMetadata: boolean): Place {
  const embedded = bool(schema, "x-kubernetes-embedded-resource");
  return { path, embedded, inMetadata: inMetadata && !embedded, root: embedded };
}

function* oneDefaultErrors(
  json: JsonObject,
  value: JsonValue,
  { path, inMetadata, root }: Place,
  rules: Check,
): Sliced<readonly FieldError[]> {
  yield DEFAULT_WORK * (sizeOf(json) + sizeOf(value));
  const schema = structuralSchema(json);
  const where = `${path}.default`;
  function* valueErrors(): Sliced<readonly FieldError[]> {
    const wrong = yield* validatingValue(value, schema, { path: where });
    return wrong.length > 0 ? wrong : yield* celErrors(value, schema, { path: where, root, rules });
  }
  if (inMetadata) return yield* valueErrors();
  const unknown: string[] = [];
  prune(cloneJson(value), schema, { onUnknown: (field) => unknown.push(field) });
  const errors = rules.pruned && unknown.length > 0 ? [invalid(where, value, "must not have unknown fields")] : [];
  const wrong = coerceMetadata(cloneJson(value), schema, { path: where });
  if (wrong !== undefined) return [...errors, wrong];
  const embedded = validateEmbedded(value, schema, where);
  return [...errors, ...(embedded.length > 0 ? embedded : yield* valueErrors())];
}

/** How many values a value consists of. */
function sizeOf(value: JsonValue): number {
  if (isArray(value)) return value.reduce<number>((sum, item) => sum + sizeOf(item), 1);
  if (!isObject(value)) return 1;
  return Object.keys(value).reduce((sum, key) => sum + sizeOf(value[key] as JsonValue), 1);
}

/** What rules in CEL say of a default, both where it has been there before and where it is new. */
function* celErrors(
  value: JsonValue,
  schema: Schema,
  { path, root, rules }: { readonly path: string; readonly root: boolean; readonly rules: Check },
): Sliced<readonly FieldError[]> {
  if (rules.budget < 0) return [];
  const compiled = compileRules(schema, { isPart: !root });
  if (compiled === undefined) return [];
  const { budget } = rules;
  const same = yield* validatingRules(compiled, value, { path, old: value, ratchets: false, budget });
  rules.budget = same.budget;
  if (same.errors.length > 0) return same.errors;
  const fresh = yield* validatingRules(compiled, value, { path, budget });
  rules.budget = Math.min(same.budget, fresh.budget);
  return fresh.errors;
}

/** Whether a schema has a default with fields that it does not know. */
export function* hasUnprunedDefault(json: JsonObject): Sliced<boolean> {
  const errors = yield* defaultErrors(json, "", { pruned: true });
  return errors.some((error) => error.detail === "must not have unknown fields");
}

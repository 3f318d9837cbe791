// Defaults in the schemas of CustomResourceDefinitions (apiextensions-apiserver: pkg/apiserver/schema/defaulting/validation.go).
import {
  coerceMetadata,
  compileRules,
  invalid,
  OBJECT_BUDGET,
  prune,
  structuralSchema,
  validateEmbedded,
  validateRules,
  validateValue,
  type FieldError,
  type Schema,
} from "@fairlead/apimachinery";
import { cloneJson, getOwn, isObject, type JsonObject, type JsonValue } from "@fairlead/base";
import { bool, entries, obj } from "./access.js";

export interface DefaultRules {
  /** Whether defaults may not have fields that their schema does not know. */
  readonly pruned: boolean;
}

/** What is wrong with the defaults of a structural schema. */
export function defaultErrors(schema: JsonObject, path: string, rules: DefaultRules): readonly FieldError[] {
  return visit(schema, { path, embedded: true, inMetadata: false, root: true }, { ...rules, budget: OBJECT_BUDGET });
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

function visit(schema: JsonObject, place: Place, rules: Check): readonly FieldError[] {
  const { path } = place;
  const value = getOwn(schema, "default");
  const items = obj(schema, "items");
  return [
    ...(value === undefined || value === null ? [] : oneDefaultErrors(schema, value, place, rules)),
    ...(items === undefined ? [] : visit(items, inner(items, `${path}.items`, place.inMetadata), rules)),
    ...entries(schema, "properties").flatMap(([name, part]) =>
      isObject(part)
        ? visit(
            part,
            inner(part, `${path}.properties[${name}]`, place.inMetadata || (place.embedded && META.has(name))),
            rules,
          )
        : [],
    ),
  ];
}

function inner(schema: JsonObject, path: string, inMetadata: boolean): Place {
  const embedded = bool(schema, "x-kubernetes-embedded-resource");
  return { path, embedded, inMetadata: inMetadata && !embedded, root: embedded };
}

function oneDefaultErrors(
  json: JsonObject,
  value: JsonValue,
  { path, inMetadata, root }: Place,
  rules: Check,
): readonly FieldError[] {
  const schema = structuralSchema(json);
  const where = `${path}.default`;
  const valueErrors = (): readonly FieldError[] => {
    const wrong = validateValue(value, schema, { path: where });
    return wrong.length > 0 ? wrong : celErrors(value, schema, { path: where, root, rules });
  };
  if (inMetadata) return valueErrors();
  const unknown: string[] = [];
  prune(cloneJson(value), schema, { onUnknown: (field) => unknown.push(field) });
  const errors = rules.pruned && unknown.length > 0 ? [invalid(where, value, "must not have unknown fields")] : [];
  const wrong = coerceMetadata(cloneJson(value), schema, { path: where });
  if (wrong !== undefined) return [...errors, wrong];
  const embedded = validateEmbedded(value, schema, where);
  return [...errors, ...(embedded.length > 0 ? embedded : valueErrors())];
}

/** What rules in CEL say of a default, both where it has been there before and where it is new. */
function celErrors(
  value: JsonValue,
  schema: Schema,
  { path, root, rules }: { readonly path: string; readonly root: boolean; readonly rules: Check },
): readonly FieldError[] {
  if (rules.budget < 0) return [];
  const compiled = compileRules(schema, { isPart: !root });
  if (compiled === undefined) return [];
  const { budget } = rules;
  const same = validateRules(compiled, value, { path, old: value, ratchets: false, budget });
  rules.budget = same.budget;
  if (same.errors.length > 0) return same.errors;
  const fresh = validateRules(compiled, value, { path, budget });
  rules.budget = Math.min(same.budget, fresh.budget);
  return fresh.errors;
}

/** Whether a schema has a default with fields that it does not know. */
export function hasUnprunedDefault(json: JsonObject): boolean {
  return defaultErrors(json, "", { pruned: true }).some((error) => error.detail === "must not have unknown fields");
}

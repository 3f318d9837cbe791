// Defaults in the schemas of CustomResourceDefinitions (apiextensions-apiserver: pkg/apiserver/schema/defaulting/validation.go).
import {
  coerceMetadata,
  invalid,
  prune,
  structuralSchema,
  validateEmbedded,
  validateValue,
  type FieldError,
} from "@fairlead/apimachinery";
import { cloneJson, getOwn, isObject, type JsonObject, type JsonValue } from "@fairlead/base";
import { bool, entries, obj } from "./access.js";

export interface DefaultRules {
  /** Whether defaults may not have fields that their schema does not know. */
  readonly pruned: boolean;
}

/** What is wrong with the defaults of a structural schema. */
export function defaultErrors(schema: JsonObject, path: string, rules: DefaultRules): readonly FieldError[] {
  return visit(schema, { path, embedded: true, inMetadata: false }, rules);
}

interface Place {
  readonly path: string;
  /** Whether the schema is that of a whole object. */
  readonly embedded: boolean;
  readonly inMetadata: boolean;
}

const META: ReadonlySet<string> = new Set(["metadata", "apiVersion", "kind"]);

function visit(schema: JsonObject, place: Place, rules: DefaultRules): readonly FieldError[] {
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
  return { path, embedded, inMetadata: inMetadata && !embedded };
}

function oneDefaultErrors(
  json: JsonObject,
  value: JsonValue,
  { path, inMetadata }: Place,
  rules: DefaultRules,
): readonly FieldError[] {
  const schema = structuralSchema(json);
  const where = `${path}.default`;
  if (inMetadata) return validateValue(value, schema, { path: where });
  const unknown: string[] = [];
  prune(cloneJson(value), schema, { onUnknown: (field) => unknown.push(field) });
  const errors = rules.pruned && unknown.length > 0 ? [invalid(where, value, "must not have unknown fields")] : [];
  const wrong = coerceMetadata(cloneJson(value), schema, { path: where });
  if (wrong !== undefined) return [...errors, wrong];
  const embedded = validateEmbedded(value, schema, where);
  return [...errors, ...(embedded.length > 0 ? embedded : validateValue(value, schema, { path: where }))];
}

/** Whether a schema has a default with fields that it does not know. */
export function hasUnprunedDefault(json: JsonObject): boolean {
  return defaultErrors(json, "", { pruned: true }).some((error) => error.detail === "must not have unknown fields");
}

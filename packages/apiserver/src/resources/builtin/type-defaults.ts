// Defaults belong to types, as in Go: wherever a value of a type stands, its defaults are filled in, the holder's first.
// A walk along the schema visits only what leads to a type that has defaults, or to quantities of resources, which are
// rounded up to thousandths.
import {
  compareQuantities,
  findQuantity,
  formatQuantity,
  quantityMilliValue,
  type Schema,
} from "@fairlead/apimachinery";
import { isArray, isObject, type JsonValue, type MutableJsonObject } from "@fairlead/base";

/** Fills in the defaults of one value of a type, which is in Go's form. */
export type TypeDefault = (value: MutableJsonObject) => void;

/** Fills in the defaults of everything in a value. */
export interface TypeDefaults {
  apply(value: MutableJsonObject, schema: Schema): void;
}

/** What a walk does in a type: its own defaults, then defaults of its fields, then the fields that lead on. */
interface Plan {
  readonly own: TypeDefault | undefined;
  readonly values: readonly (readonly [key: string, value: JsonValue])[];
  readonly fields: readonly (readonly [key: string, schema: Schema])[];
}

/** @param defaults - By the name of the type, e.g. `core.v1.Container`. */
export function typeDefaults(defaults: ReadonlyMap<string, TypeDefault>): TypeDefaults {
  const plans = new Map<string, Plan>();
  const leads = new Map<string, boolean>();

  /** Whether a walk has anything to do below a schema; types may hold themselves. */
  const leadsOn = (schema: Schema): boolean => {
    if (schema.items !== undefined) return leadsOn(schema.items);
    const additional = schema.additionalProperties;
    if (additional !== undefined && additional !== true) return additional.format === "quantity" || leadsOn(additional);
    const name = schema.typeName;
    if (name === undefined || schema.properties === undefined) return false;
    const known = leads.get(name);
    if (known !== undefined) return known;
    leads.set(name, false);
    const found =
      defaults.has(name) ||
      [...schema.properties.values()].some((field) => documented(field) !== undefined || leadsOn(field));
    leads.set(name, found);
    return found;
  };

  const planOf = (name: string, schema: Schema): Plan => {
    const known = plans.get(name);
    if (known !== undefined) return known;
    const fields = [...(schema.properties ?? [])];
    const plan: Plan = {
      own: defaults.get(name),
      values: fields.flatMap(([key, field]) => {
        const value = documented(field);
        return value === undefined ? [] : [[key, value] as const];
      }),
      fields: fields.filter(([, field]) => leadsOn(field)),
    };
    plans.set(name, plan);
    return plan;
  };

  const walk = (value: JsonValue | undefined, schema: Schema): void => {
    if (isArray(value)) {
      if (schema.items !== undefined) for (const item of value) walk(item, schema.items);
      return;
    }
    if (!isObject(value)) return;
    const object: MutableJsonObject = value;
    const additional = schema.additionalProperties;
    if (additional !== undefined && additional !== true) {
      for (const key of Object.keys(object)) {
        if (additional.format === "quantity") object[key] = roundedUp(object[key]);
        else walk(object[key], additional);
      }
      return;
    }
    // Only the core group's types round what their resources need.
    if (schema.typeName === undefined || schema.typeName === "node.v1.Overhead") return;
    const plan = planOf(schema.typeName, schema);
    plan.own?.(object);
    for (const [key, fallback] of plan.values)
      if (object[key] === undefined || object[key] === "") object[key] = fallback;
    for (const [key, field] of plan.fields) if (object[key] !== undefined) walk(object[key], field);
  };

  return { apply: walk };
}

/** The default that the documents give a field, if it is not its zero value. */
function documented(field: Schema): JsonValue | undefined {
  const value = field.default;
  return value === undefined || value === "" || value === 0 || value === false ? undefined : value;
}

/** No resource is counted finer than in thousandths. */
function roundedUp(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== "string" || !/[nueE]/.test(value)) return value;
  const quantity = findQuantity(value);
  if (quantity === undefined) return value;
  const rounded = { mantissa: quantityMilliValue(quantity), exponent: -3, format: quantity.format };
  return compareQuantities(quantity, rounded) === 0 ? value : formatQuantity(rounded);
}

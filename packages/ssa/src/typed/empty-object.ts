import { isObject, setOwn, type JsonObject, type JsonValue, type MutableJsonObject } from "@fairlead/base";
import type { Schema } from "@fairlead/apimachinery";

/**
 * The zero value of a built-in kind's Go type as its encoder prints it: structs that are not pointers are `{}`, and
 * fields without `omitempty` are there with their zero or null. Creations are compared with it, so what it holds is not
 * owned by the creator (`f:strategy` has no `.`).
 */
export function emptyStruct(schema: Schema): JsonObject {
  const out: MutableJsonObject = {};
  const required = new Set(schema.required);
  for (const [name, field] of schema.properties ?? []) {
    const zero = zeroOf(field, required.has(name));
    if (zero !== undefined) setOwn(out, name, zero);
  }
  return out;
}

function zeroOf(field: Schema, isRequired: boolean): JsonValue | undefined {
  const zero = field.default;
  if (isObject(zero) && field.properties !== undefined) return emptyStruct(field);
  if (zero === "" || zero === 0 || zero === false) return zero;
  return isRequired && zero === undefined ? null : undefined;
}

// Fields and elements of values, which may be optional.
import { index } from "../lib/operators.js";
import { CelError, isList, isMap, NONE, NO_SUCH_OVERLOAD, Optional, type Result, type Value } from "../value/value.js";

/** `object.field`; of an optional the field, if there is one. */
export function fieldOf(object: Value, field: string): Result {
  if (object instanceof Optional) return optionalField(object, field);
  if (!isMap(object)) return NO_SUCH_OVERLOAD;
  const found = object.field(field);
  return found === undefined ? new CelError(`no such key: ${field}`) : found;
}

/** `has(object.field)`. */
export function hasField(object: Value, field: string): Result {
  const value = object instanceof Optional ? (object.value ?? null) : object;
  return isMap(value) && value.field(field) !== undefined;
}

/** `object.?field`. */
export function optionalField(object: Value, field: string): Result {
  const value = object instanceof Optional ? object.value : object;
  if (value === undefined) return NONE;
  if (!isMap(value)) return NO_SUCH_OVERLOAD;
  return present(value.field(field));
}

/** `object[?key]`. */
export function optionalIndex(object: Value, key: Value): Result {
  const value = object instanceof Optional ? object.value : object;
  if (value === undefined) return NONE;
  if (isMap(value)) return present(value.get(key));
  if (!isList(value)) return NO_SUCH_OVERLOAD;
  const found = index(value, key);
  return found instanceof CelError && found.message.startsWith("index out of bounds") ? NONE : present(found);
}

function present(found: Result | undefined): Result {
  if (found === undefined) return NONE;
  return found instanceof CelError ? found : new Optional(found);
}

// A value and the one that it was before an update (apiserver: pkg/cel/common/equality.go).
import { deepEqual, getOwn, isArray, isObject, type JsonArray, type JsonObject, type JsonValue } from "@fairlead/base";
import type { Schema } from "../../schema/schema.js";

/** Finds, for an item of a list whose items have keys, the old item with the same keys. */
export function oldItem(item: JsonValue | undefined, old: JsonArray, keys: readonly string[]): JsonObject | undefined {
  if (item === undefined || !isObject(item) || keys.length === 0) return undefined;
  if (keys.some((key) => !isScalar(getOwn(item, key)))) return undefined;
  return old.find(
    (before): before is JsonObject =>
      isObject(before) && keys.every((key) => deepEqual(getOwn(item, key), getOwn(before, key))),
  );
}

function isScalar(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && !isArray(value) && !isObject(value);
}

/** A value with its predecessor. What has none, or cannot be told apart from others, has no correlation. */
export class Correlation {
  readonly #value: JsonValue;
  readonly #old: JsonValue;
  readonly #schema: Schema;
  #unchanged: boolean | undefined;

  constructor(value: JsonValue, old: JsonValue, schema: Schema) {
    this.#value = value;
    this.#old = old;
    this.#schema = schema;
  }

  /** The correlation of a member that the schema knows. */
  key(name: string): Correlation | undefined {
    if (!isObject(this.#value) || !isObject(this.#old)) return undefined;
    const [value, old] = [getOwn(this.#value, name), getOwn(this.#old, name)];
    const additional = this.#schema.additionalProperties;
    const schema = this.#schema.properties?.get(name) ?? (typeof additional === "object" ? additional : undefined);
    return value === undefined || old === undefined || schema === undefined
      ? undefined
      : new Correlation(value, old, schema);
  }

  /** The correlation of an item of a list whose items have keys. */
  index(at: number): Correlation | undefined {
    const { items, listType, listMapKeys } = this.#schema;
    if (!isArray(this.#value) || !isArray(this.#old) || listType !== "map" || items === undefined) return undefined;
    const value = this.#value[at];
    const old = oldItem(value, this.#old, listMapKeys ?? []);
    return value === undefined || old === undefined ? undefined : new Correlation(value, old, items);
  }

  /** Whether the value is what it was. Objects with members that the schema does not know never are. */
  get unchanged(): boolean {
    return (this.#unchanged ??= this.#compare());
  }

  #compare(): boolean {
    const [value, old] = [this.#value, this.#old];
    if (isArray(value) && isArray(old)) {
      if (value.length !== old.length) return false;
      if (this.#schema.listType !== "map") return deepEqual(value, old);
      return value.every((_, i) => this.index(i)?.unchanged === true);
    }
    if (!isObject(value) || !isObject(old)) return deepEqual(value, old);
    const keys = Object.keys(value);
    return keys.length === Object.keys(old).length && keys.every((key) => this.key(key)?.unchanged === true);
  }
}

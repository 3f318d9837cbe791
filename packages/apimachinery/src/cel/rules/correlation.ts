// A value and the one that it was before an update (apiserver: pkg/cel/common/equality.go).
import { deepEqual, getOwn, isArray, isObject, type JsonArray, type JsonObject, type JsonValue } from "@fairlead/base";
import type { Schema } from "../../schema/schema.js";

/** The items of an old list whose items are told apart by keys. Of several with the same keys the first counts. */
export class OldItems {
  readonly #keys: readonly string[];
  readonly #byKeys = new Map<string, JsonObject>();

  constructor(old: JsonArray, keys: readonly string[]) {
    this.#keys = keys;
    if (keys.length === 0) return;
    for (const item of old) {
      const identity = this.#identity(item);
      if (identity !== undefined && !this.#byKeys.has(identity)) this.#byKeys.set(identity, item as JsonObject);
    }
  }

  /** The old item with the same keys. */
  find(item: JsonValue | undefined): JsonObject | undefined {
    const identity = item === undefined ? undefined : this.#identity(item);
    return identity === undefined ? undefined : this.#byKeys.get(identity);
  }

  /** Undefined for what lacks a key, or has something there that identifies nothing. */
  #identity(item: JsonValue): string | undefined {
    if (!isObject(item) || this.#keys.length === 0) return undefined;
    let identity = "";
    for (const key of this.#keys) {
      const value = getOwn(item, key);
      if (value === undefined || value === null || isArray(value) || isObject(value)) return undefined;
      identity += typeof value === "string" ? JSON.stringify(value) : `${String(value)},`;
    }
    return identity;
  }
}

/** A value with its predecessor. What has none, or cannot be told apart from others, has no correlation. */
export class Correlation {
  readonly #value: JsonValue;
  readonly #old: JsonValue;
  readonly #schema: Schema;
  readonly #children = new Map<string, Correlation | undefined>();
  #oldItems: OldItems | undefined;
  #unchanged: boolean | undefined;

  constructor(value: JsonValue, old: JsonValue, schema: Schema) {
    this.#value = value;
    this.#old = old;
    this.#schema = schema;
  }

  /** The correlation of a member that the schema knows. */
  key(name: string): Correlation | undefined {
    if (!this.#children.has(name)) this.#children.set(name, this.#key(name));
    return this.#children.get(name);
  }

  #key(name: string): Correlation | undefined {
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
    const name = String(at);
    if (!this.#children.has(name)) this.#children.set(name, this.#index(at));
    return this.#children.get(name);
  }

  #index(at: number): Correlation | undefined {
    const { items, listType, listMapKeys } = this.#schema;
    if (!isArray(this.#value) || !isArray(this.#old) || listType !== "map" || items === undefined) return undefined;
    const value = this.#value[at];
    const old = (this.#oldItems ??= new OldItems(this.#old, listMapKeys ?? [])).find(value);
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

import { byCodeUnit } from "@fairlead/base";

import type { Range, Record } from "./storage.js";

/**
 * The visible records of one resource, by key, with the keys sorted on demand: inserting into a sorted array on every
 * create would cost a shift, so new keys wait unsorted until somebody lists.
 */
export class Collection {
  readonly #records = new Map<string, Record>();
  #sorted: string[] = [];
  #added: string[] = [];
  #removed = 0;

  get size(): number {
    return this.#records.size;
  }

  get(key: string): Record | undefined {
    return this.#records.get(key);
  }

  set(record: Record): void {
    if (!this.#records.has(record.key)) this.#added.push(record.key);
    this.#records.set(record.key, record);
  }

  delete(key: string): void {
    if (this.#records.delete(key)) this.#removed++;
  }

  /** Records of a range, in key order. */
  list({ prefix, after, limit = Infinity }: Range): Record[] {
    const keys = this.#keys();
    const out: Record[] = [];
    const start = after !== undefined && after >= prefix ? after : prefix;
    for (let i = lowerBound(keys, start); i < keys.length && out.length < limit; i++) {
      const key = keys[i] as string;
      if (!key.startsWith(prefix)) break;
      if (key === after) continue;
      const record = this.#records.get(key);
      if (record !== undefined) out.push(record);
    }
    return out;
  }

  count(prefix: string): number {
    if (prefix === "") return this.size;
    const keys = this.#keys();
    let n = 0;
    for (let i = lowerBound(keys, prefix); i < keys.length && (keys[i] as string).startsWith(prefix); i++) n++;
    return n;
  }

  copy(): Map<string, Record> {
    return new Map(this.#records);
  }

  #keys(): readonly string[] {
    if (this.#added.length > 0 || this.#removed > 0) {
      const fresh = [...new Set(this.#added)].sort(byCodeUnit);
      this.#sorted = merge(
        this.#removed > 0 ? this.#sorted.filter((k) => this.#records.has(k)) : this.#sorted,
        fresh.filter((k) => this.#records.has(k)),
      );
      this.#added = [];
      this.#removed = 0;
    }
    return this.#sorted;
  }
}

/** Two sorted lists as one; a key in both stands once. */
function merge(a: readonly string[], b: readonly string[]): string[] {
  if (b.length === 0) return [...a];
  const out: string[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const x = a[i];
    const y = b[j];
    if (y === undefined || (x !== undefined && x < y)) {
      out.push(x as string);
      i++;
    } else {
      if (x === y) i++;
      out.push(y);
      j++;
    }
  }
  return out;
}

/** The index of the first key that is not less than `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

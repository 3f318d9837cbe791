import type { JsonObject } from "@fairlead/base";

import type { Record } from "../storage/storage.js";
import type { Endpoint } from "./endpoint.js";
import { withMetadata } from "./metadata.js";
import { printer } from "./object-text.js";
import type { Registry } from "./registry.js";

export interface Place {
  /** Of the object in its collection. */
  readonly key: string;
  /** The revision of the record that the writer saw; 0: none. */
  readonly expected: number;
}

/** Stores an object under the new revision, as its endpoint prints it; undefined when another write came between. */
export function storeObject(
  { storage }: Registry,
  endpoint: Endpoint,
  { key, expected }: Place,
  object: JsonObject,
): Promise<Record | undefined> {
  const make = (revision: number): JsonObject => withMetadata(object, { resourceVersion: String(revision) });
  return storage.write(endpoint.collection, key, expected, make, printer(endpoint));
}

/** Removes an object; undefined when another write came between. */
export function unstoreObject(
  { storage }: Registry,
  endpoint: Endpoint,
  { key, expected }: Place,
): Promise<Record | undefined> {
  return storage.write(endpoint.collection, key, expected, () => undefined, printer(endpoint));
}

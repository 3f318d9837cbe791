import { isArray, isObject, type JsonObject, type JsonValue } from "@fairlead/base";

import { tooLarge } from "./failures.js";
import { withMetadata } from "./metadata.js";

/** Values in one object, and keys in one map of it, at most. etcd's bound on bytes is met long before by what people write. */
export const OBJECT_BOUNDS = { maxNodes: 50_000, maxKeys: 10_000 } as const;

/** Of a body that is YAML, which takes several times as long to read, unless it is JSON. */
export const YAML_BOUNDS = { maxNodes: 30_000, maxKeys: 10_000, maxNodesOfJson: 50_000 } as const;

/** Text of this many bytes and more is worked on in parts, between which other requests have their turn. */
const HEAVY_BYTES = 64 * 1024;

/** Whether a request with a body, or on an object, of this size is to be worked on in parts. */
export function isHeavy(bytes: number): boolean {
  return bytes > HEAVY_BYTES;
}

/** @throws StatusError 413 when an object, but for its managedFields, has outgrown its bounds, as one can that is patched */
export function checkBounds(object: JsonObject): void {
  const left = countDown(withMetadata(object, { managedFields: undefined }), OBJECT_BOUNDS.maxNodes);
  if (left < 0) throw tooLarge(`Request entity too large: limit is ${OBJECT_BOUNDS.maxNodes} values`);
}

/** What remains of a number of values after those of one; negative as soon as they are too many. */
function countDown(value: JsonValue | undefined, left: number): number {
  let rest = left - 1;
  if (isArray(value)) {
    for (let i = 0; i < value.length && rest >= 0; i++) rest = countDown(value[i], rest);
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      rest = countDown(value[key], rest);
      if (rest < 0) break;
    }
  }
  return rest;
}

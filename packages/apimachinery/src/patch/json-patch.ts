import {
  cloneJson,
  deepEqual,
  getOwn,
  isArray,
  isObject,
  setOwn,
  stringifyJson,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";

import { badPatch, patchTooLarge, unprocessablePatch } from "./failures.js";
import { jsonTypeName } from "./go-value.js";

/** Operations of one JSON patch at most. */
export const MAX_JSON_PATCH_OPERATIONS = 10_000;

/** JSON that the `copy` operations of one patch may add at most. */
export const MAX_JSON_PATCH_COPY_BYTES: number = 3 * 1024 * 1024;

export interface JsonPatchOptions {
  /** Whether members of the wrong type are a mistake of form (400) or a failing operation; true by default. */
  readonly checkTypes?: boolean;
}

/**
 * Applies an RFC 6902 patch as the API server's library does (evanphx/json-patch v4), which is more lenient than the
 * RFC: `replace` adds what is missing, `copy` of what is missing and an operation without `value` write null, negative
 * indices count from the end, and `test` compares numbers by their spelling. A null patch does nothing.
 *
 * @param document - Not changed; the result shares with it what no operation touched.
 * @returns The patched document, which need not be an object any more.
 * @throws StatusError 400 for a malformed patch, 413 for too many operations, 422 for an operation that fails.
 */
export function applyJsonPatch(document: JsonObject, patch: JsonValue, options: JsonPatchOptions = {}): JsonValue {
  if (patch === null) return document;
  if (!isArray(patch))
    throw badPatch(
      `error decoding patch: json: cannot unmarshal ${jsonTypeName(patch)} into Go value of type []handlers.jsonPatchOp`,
    );
  for (const operation of patch) checkOperation(operation, options.checkTypes ?? true);
  if (patch.length > MAX_JSON_PATCH_OPERATIONS) {
    throw patchTooLarge(
      `The allowed maximum operations in a JSON patch is ${MAX_JSON_PATCH_OPERATIONS}, got ${patch.length}`,
    );
  }
  const run = new JsonPatchRun(document);
  for (const operation of patch) run.apply(isObject(operation) ? operation : {});
  return run.document;
}

/** Members of operations that no operation has, as strict decoding names them: `[0].extra`. */
export function unknownJsonPatchMembers(patch: JsonValue): readonly string[] {
  if (!isArray(patch)) return [];
  return patch.flatMap((operation, i) =>
    isObject(operation)
      ? Object.keys(operation)
          .filter((key) => !MEMBERS.has(key))
          .map((key) => `[${i}].${key}`)
      : [],
  );
}

const MEMBERS: ReadonlySet<string> = new Set(["op", "path", "from", "value"]);

function checkOperation(operation: JsonValue, checkTypes: boolean): void {
  if (operation === null) return;
  const type = checkTypes ? "handlers.jsonPatchOp" : "jsonpatch.Operation";
  const prefix = checkTypes ? "error decoding patch: " : "";
  if (!isObject(operation))
    throw badPatch(`${prefix}json: cannot unmarshal ${jsonTypeName(operation)} into Go value of type ${type}`);
  if (!checkTypes) return;
  for (const name of ["op", "path", "from"]) {
    const value = getOwn(operation, name);
    if (value === undefined || value === null || typeof value === "string") continue;
    throw badPatch(
      `${prefix}json: cannot unmarshal ${jsonTypeName(value)} into Go struct field jsonPatchOp.${name} of type string`,
    );
  }
}

type Container = MutableJsonObject | JsonValue[];

/** One application: containers on the way to a change are copied once, then changed in place. */
class JsonPatchRun {
  document: JsonValue;
  #copiedBytes = 0;
  readonly #owned = new WeakSet<object>();

  constructor(document: JsonObject) {
    this.document = document;
  }

  apply(operation: JsonObject): void {
    const kind = getOwn(operation, "op");
    switch (kind) {
      case "add":
        return this.#add(pathOf(operation, "path"), valueOf(operation));
      case "replace":
        return this.#replace(pathOf(operation, "path"), operation);
      case "remove":
        return this.#remove(pathOf(operation, "path"));
      case "move":
        return this.#move(operation);
      case "copy":
        return this.#copy(operation);
      case "test":
        return this.#test(pathOf(operation, "path"), valueOf(operation));
      default:
        throw unprocessablePatch(`Unexpected kind: ${typeof kind === "string" ? kind : "unknown"}`);
    }
  }

  #add(path: string, value: JsonValue): void {
    const { container, key } = this.#locate(path);
    if (!isList(container)) return setOwn(container, key, value);
    if (key === "-") container.push(value);
    else container.splice(insertionIndex(container, key, path), 0, value);
  }

  #replace(path: string, operation: JsonObject): void {
    const value = valueOf(operation);
    if (path === "") {
      if (typeof value === "object" && value !== null) this.document = value;
      return;
    }
    const { container, key } = this.#locate(path);
    if (isList(container)) container[elementIndex(container, key, path)] = value;
    else setOwn(container, key, value);
  }

  #remove(path: string): void {
    const { container, key } = this.#locate(path);
    if (isList(container)) container.splice(elementIndex(container, key, path), 1);
    else if (Object.hasOwn(container, key)) delete container[key];
    else throw unprocessablePatch(`nothing to remove at ${path}`);
  }

  #move(operation: JsonObject): void {
    const from = pathOf(operation, "from");
    const value = this.#read(from) ?? null;
    this.#remove(from);
    this.#add(pathOf(operation, "path"), value);
  }

  #copy(operation: JsonObject): void {
    const value = this.#read(pathOf(operation, "from"));
    if (value !== undefined) {
      this.#copiedBytes += stringifyJson(value).length;
      if (this.#copiedBytes > MAX_JSON_PATCH_COPY_BYTES)
        throw unprocessablePatch("copies of this patch grow beyond the limit");
    }
    this.#add(pathOf(operation, "path"), value === undefined ? null : cloneJson(value));
  }

  #test(path: string, expected: JsonValue): void {
    const actual = path === "" ? this.document : (this.#read(path) ?? null);
    if (!deepEqual(actual, expected)) throw unprocessablePatch(`testing value ${path} failed`);
  }

  /** The value at a path; undefined for a member that is not there. */
  #read(path: string): JsonValue | undefined {
    const steps = stepsOf(path);
    let at: JsonValue | undefined = this.document;
    for (const step of steps) {
      if (isArray(at)) at = at[elementIndex(at, step, path)];
      else if (isObject(at)) at = getOwn(at, step);
      else throw unprocessablePatch(`missing path: ${path}`);
    }
    return at;
  }

  /** The container of the last step of a path, ready to be changed. */
  #locate(path: string): { readonly container: Container; readonly key: string } {
    const steps = stepsOf(path);
    let container = this.#own(this.document, path);
    this.document = container;
    for (const step of steps.slice(0, -1)) {
      const key = isList(container) ? elementIndex(container, step, path) : step;
      const child = this.#own((isList(container) ? container[key as number] : getOwn(container, step)) ?? null, path);
      if (isList(container)) container[key as number] = child;
      else setOwn(container, step, child);
      container = child;
    }
    return { container, key: steps.at(-1) as string };
  }

  #own(value: JsonValue, path: string): Container {
    if (!isArray(value) && !isObject(value)) throw unprocessablePatch(`missing path: ${path}`);
    if (this.#owned.has(value)) return value as Container;
    const copy: Container = isArray(value) ? [...value] : { ...value };
    this.#owned.add(copy);
    return copy;
  }
}

function isList(container: Container): container is JsonValue[] {
  return Array.isArray(container);
}

function pathOf(operation: JsonObject, member: "path" | "from"): string {
  const path = getOwn(operation, member);
  if (typeof path === "string") return path;
  throw unprocessablePatch(`operation missing ${member} field`);
}

function valueOf(operation: JsonObject): JsonValue {
  return getOwn(operation, "value") ?? null;
}

/** The steps of a pointer. What stands before the first slash is lost; `~` is only special before 0 and 1. */
function stepsOf(path: string): readonly string[] {
  const steps = path.split("/").slice(1);
  if (steps.length === 0) throw unprocessablePatch(`missing path: ${path}`);
  return steps.map((step) =>
    step.includes("~") ? step.replace(/~[01]/g, (escape) => (escape === "~1" ? "/" : "~")) : step,
  );
}

function elementIndex(list: readonly JsonValue[], key: string, path: string): number {
  const index = parseIndex(key, path);
  const at = index < 0 ? index + list.length : index;
  if (at < 0 || at >= list.length) throw unprocessablePatch(`index ${key} is out of bounds at ${path}`);
  return at;
}

function insertionIndex(list: readonly JsonValue[], key: string, path: string): number {
  const index = parseIndex(key, path);
  const at = index < 0 ? index + list.length + 1 : index;
  if (at < 0 || at > list.length) throw unprocessablePatch(`index ${key} is out of bounds at ${path}`);
  return at;
}

function parseIndex(key: string, path: string): number {
  if (/^[+-]?\d+$/.test(key)) return Number(key);
  throw unprocessablePatch(`${key} is no index at ${path}`);
}

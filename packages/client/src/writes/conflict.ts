import {
  FairleadError,
  isArray,
  isObject,
  setOwn,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";
import { formatKey, type KubernetesObject, type StatusError } from "@fairlead/apimachinery";
import type { OwnedPaths } from "./owned-paths.js";

/** One field that an apply would change although another manager owns it. */
export interface FieldConflict {
  /** As the server writes it: `.spec.replicas`, `.spec.ports[port=80,protocol="TCP"].targetPort`. */
  readonly field: string;
  readonly manager: string;
}

/** An apply met fields of other managers, and nothing was changed. `cause` is the StatusError. */
export class ApplyConflictError extends FairleadError {
  readonly conflicts: readonly FieldConflict[];

  constructor(
    owned: OwnedPaths<KubernetesObject>,
    manager: string,
    conflicts: readonly FieldConflict[],
    cause: StatusError,
  ) {
    const list = conflicts.map((one) => `${one.field} is owned by ${JSON.stringify(one.manager)}`).join("; ");
    super(
      "ApplyConflict",
      `${owned.kind.kind} ${formatKey(owned.key)} was not applied by ${JSON.stringify(manager)}: ${list}. ` +
        `Take such fields with onConflict "take", leave them to their owner with "yield", or drop them from the contract`,
      { cause },
    );
    this.conflicts = conflicts;
  }
}

/** The conflicts in the answer to an apply, by field, then manager; empty when the conflict is another (a stale version). */
export function fieldConflicts(error: StatusError): readonly FieldConflict[] {
  return (error.status.details?.causes ?? [])
    .filter((cause) => cause.reason === "FieldManagerConflict")
    .map((cause) => ({ field: cause.field ?? "", manager: managerIn(cause.message ?? "") }))
    .sort((a, b) => compare(a.field, b.field) || compare(a.manager, b.manager));
}

/** The message is `conflict with "kubectl" with subresource "scale" using apps/v1 at …`, quoted as Go does. */
function managerIn(message: string): string {
  const quoted = /^conflict with ("(?:[^"\\]|\\.)*")/.exec(message)?.[1];
  if (quoted === undefined) return message;
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted.slice(1, -1);
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The body without the field at a path as the server writes it, and without the parents that this leaves empty. Keys
 * with dots are not quoted in such a path, so it is matched along the body, the longest key first.
 *
 * @returns the same body when it has no such field.
 */
export function withoutField(body: JsonObject, field: string): JsonObject {
  const left = removeAt(body, field);
  return left === REMOVED ? {} : (left as JsonObject);
}

const REMOVED: unique symbol = Symbol("removed");

function removeAt(value: JsonValue, path: string): JsonValue | typeof REMOVED {
  if (path === "") return REMOVED;
  if (path.startsWith(".") && isObject(value)) return removeKey(value, path.slice(1));
  if (path.startsWith("[") && isArray(value)) return removeItem(value, path);
  return value;
}

function removeKey(object: JsonObject, path: string): JsonValue | typeof REMOVED {
  const key = Object.keys(object)
    .filter((name) => path.startsWith(name) && ["", ".", "["].includes(path.charAt(name.length)))
    .sort((a, b) => b.length - a.length)[0];
  if (key === undefined) return object;
  const before = object[key] as JsonValue;
  const left = removeAt(before, path.slice(key.length));
  if (left === before) return object;
  const copy: MutableJsonObject = {};
  for (const name of Object.keys(object)) {
    if (name !== key) setOwn(copy, name, object[name] as JsonValue);
    else if (left !== REMOVED) setOwn(copy, name, left);
  }
  return Object.keys(copy).length === 0 ? REMOVED : copy;
}

function removeItem(list: readonly JsonValue[], path: string): JsonValue | typeof REMOVED {
  const selector = /^\[((?:[^\]"]|"(?:[^"\\]|\\.)*")*)\]/.exec(path)?.[1];
  if (selector === undefined) return list;
  const at = list.findIndex((item, i) => selects(selector, item, i));
  if (at < 0) return list;
  const left = removeAt(list[at] as JsonValue, path.slice(selector.length + 2));
  if (left === list[at]) return list;
  const copy = left === REMOVED ? list.filter((_, i) => i !== at) : list.with(at, left);
  return copy.length === 0 ? REMOVED : copy;
}

/** Whether `name="app"`, `="value"` or `3` picks this item. */
function selects(selector: string, item: JsonValue, index: number): boolean {
  if (/^\d+$/.test(selector)) return Number(selector) === index;
  if (selector.startsWith("=")) return sameValue(selector.slice(1), item);
  if (!isObject(item)) return false;
  const pairs = selector.match(/[^,=]+=(?:"(?:[^"\\]|\\.)*"|[^,]*)/g) ?? [];
  return pairs.every((pair) => {
    const [, key = "", value = ""] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    // A key that the body leaves to its default (protocol TCP) does not speak against the item.
    return !Object.hasOwn(item, key) || sameValue(value, item[key] as JsonValue);
  });
}

function sameValue(text: string, value: JsonValue): boolean {
  return text === (typeof value === "string" ? JSON.stringify(value) : String(value));
}

import { formatFieldError } from "@fairlead/apimachinery";
import { cloneJson, isSliced, unsliced, type JsonObject, type MutableJsonObject } from "@fairlead/base";
import type { FieldErrors, ResourceStrategy } from "../resource.js";
import { builtinResources } from "./builtin.js";

const STRATEGIES: ReadonlyMap<string, ResourceStrategy> = new Map(
  builtinResources().map((strategy) => [nameOf(strategy), strategy]),
);

function nameOf({ info }: ResourceStrategy): string {
  return `${info.group}/${info.version}/${info.kind}`;
}

/** The strategy of a kind by `group/version/Kind`. */
export function strategyOf(name: string): ResourceStrategy {
  const strategy = STRATEGIES.get(name);
  if (strategy === undefined) throw new RangeError(`There is no built-in kind ${name}.`);
  return strategy;
}

/** The object with its defaults, as it is decoded. */
export function defaulted(name: string, object: JsonObject): MutableJsonObject {
  const out: MutableJsonObject = cloneJson(object);
  strategyOf(name).applyDefaults(out);
  return out;
}

/** The object as it is validated and stored: with defaults, prepared. */
export function prepared(name: string, object: JsonObject): MutableJsonObject {
  const out = defaulted(name, object);
  strategyOf(name).prepareForCreate?.(out, { nowMs: 0 });
  return out;
}

/** What is wrong with a new object. */
export function createErrors(name: string, object: JsonObject): readonly string[] {
  return texts(strategyOf(name).validateCreate(prepared(name, object)));
}

/** What is wrong with a change of a stored object, over which the given parts are laid. */
export function updateErrors(name: string, before: JsonObject, parts: JsonObject): readonly string[] {
  const live = prepared(name, before);
  const object = defaulted(name, withPart(live, parts));
  strategyOf(name).prepareForUpdate?.(object, live, { nowMs: 0 });
  return texts(strategyOf(name).validateUpdate(object, live));
}

/** Both objects, the second laid over the first, deeply; lists are replaced. */
export function withPart(object: JsonObject, part: JsonObject): JsonObject {
  const out: MutableJsonObject = { ...object };
  for (const [key, value] of Object.entries(part)) {
    const before = out[key];
    out[key] = isPlain(value) && isPlain(before) ? withPart(before, value) : value;
  }
  return out;
}

function isPlain(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A pod that is as small as may be. */
export const POD: JsonObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "n" },
  spec: { containers: [{ name: "c", image: "i" }] },
};

/** A workload of such pods. */
export function workload(kind: string, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name: "w", namespace: "n" },
    spec: {
      selector: { matchLabels: { app: "a" } },
      template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      ...spec,
    },
  };
}

function texts(errors: FieldErrors): readonly string[] {
  return (isSliced(errors) ? unsliced(errors) : errors).map(formatFieldError);
}

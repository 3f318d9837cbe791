import {
  FairleadError,
  getOwn,
  isArray,
  isObject,
  setOwn,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";

/**
 * Paths of contracts. `spec.replicas` names a field and everything in it; `containers[]` each item of a keyed list;
 * `annotations["example.com/x"]` a key that holds dots. The keys of a list are known for Kubernetes' own lists, and
 * are named in the brackets for others: `rules[host,path].backend`.
 */
export type PathStep =
  { readonly kind: "field"; readonly name: string } | { readonly kind: "items"; readonly keys: readonly string[] };

export interface OwnedPath {
  readonly text: string;
  readonly steps: readonly PathStep[];
}

/** A path that cannot be read, or that no contract can own. */
export class ContractPathError extends FairleadError {
  readonly path: string;

  constructor(path: string, why: string) {
    super("ContractPath", `${path} is no path of a contract: ${why}`);
    this.path = path;
  }
}

const STEP = /(?:^|\.)([^.[\]"]+)|\["((?:[^"\\]|\\.)*)"\]|\[([^\]"]*)\]/y;

/** @throws ContractPathError */
export function parseOwnedPath(text: string): OwnedPath {
  const steps: PathStep[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const match = STEP.exec(text);
    if (match === null)
      throw new ContractPathError(text, 'write fields with dots, items as list[], keys with dots as ["key"]');
    const [, field, quoted, keys] = match;
    const last = steps.at(-1);
    if (field !== undefined) steps.push({ kind: "field", name: field });
    else if (quoted !== undefined) steps.push({ kind: "field", name: quoted.replace(/\\(.)/g, "$1") });
    else if (last?.kind !== "field") throw new ContractPathError(text, "brackets must follow the name of a list");
    else
      steps.push({
        kind: "items",
        keys: keys === "" ? mergeKeys(last.name) : (keys ?? "").split(",").map((key) => key.trim()),
      });
  }
  if (steps.length === 0) throw new ContractPathError(text, "it is empty");
  return { text, steps };
}

/** The merge keys of Kubernetes' keyed lists by the list's field (its OpenAPI, `x-kubernetes-list-map-keys`). */
export function mergeKeys(list: string): readonly string[] {
  return MERGE_KEYS.get(list) ?? ["name"];
}

const MERGE_KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ["ports", ["port", "containerPort", "protocol", "name"]],
  ["conditions", ["type"]],
  ["ownerReferences", ["uid"]],
  ["volumeMounts", ["mountPath"]],
  ["volumeDevices", ["devicePath"]],
  ["hostAliases", ["ip"]],
  ["hostIPs", ["ip"]],
  ["podIPs", ["ip"]],
  ["addresses", ["type"]],
  ["topologySpreadConstraints", ["topologyKey", "whenUnsatisfiable"]],
  ["resizePolicy", ["resourceName"]],
  ["taints", ["key", "effect"]],
]);

/** Whether an object has anything at a path, null included. Paths through list items are never found. */
export function hasPath(value: unknown, steps: readonly PathStep[]): boolean {
  let at = value;
  for (const step of steps) {
    if (step.kind === "items" || !isObject(at) || !Object.hasOwn(at, step.name)) return false;
    at = getOwn(at, step.name);
  }
  return true;
}

/** The value with `leaf` at a path of fields, parents made where they are missing; shares the rest. */
export function withPath(value: JsonObject, steps: readonly PathStep[], leaf: JsonValue): JsonObject {
  const [step, ...rest] = steps;
  if (step === undefined || step.kind === "items") return value;
  const copy: MutableJsonObject = { ...value };
  const child = getOwn(copy, step.name);
  setOwn(copy, step.name, rest.length === 0 ? leaf : withPath(isObject(child) ? child : {}, rest, leaf));
  return copy;
}

/** The value without null members, at any depth. */
export function withoutNulls(value: JsonValue): JsonValue {
  if (isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const copy: MutableJsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member !== null && member !== undefined) setOwn(copy, key, withoutNulls(member));
  }
  return copy;
}

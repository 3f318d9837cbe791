import {
  FairleadError,
  getOwn,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";
import { formatKey, type KubernetesObject, type ObjectKey } from "@fairlead/apimachinery";
import { apiVersionOf, type ResourceKind } from "../request/resource-kind.js";
import { APPLY, assertEncodable } from "../request/encode.js";
import type { AnyContract, Contract } from "./contract.js";
import { parseOwnedPath, withoutNulls, withPath, type OwnedPath, type PathStep } from "./path.js";

/** A body that was checked against its contract, complete with identity: the only thing that an apply sends. */
export interface OwnedPaths<T extends KubernetesObject> {
  readonly kind: ResourceKind<T>;
  readonly key: ObjectKey;
  readonly subresource: "status" | undefined;
  readonly body: JsonObject;
  /** Paths that are to be absent afterwards; the body has null there. */
  readonly clear: readonly OwnedPath[];
}

/** A body names a field that its contract does not declare. Nothing was sent. */
export class UndeclaredPathError extends FairleadError {
  readonly path: string;

  constructor(path: string, contract: AnyContract, what = "is not declared") {
    super(
      "UndeclaredPath",
      `${path} ${what} in the contract on ${contract.kind.kind} (${formatPaths(contract.owned)}). Declare it if this controller owns it, or leave it out`,
    );
    this.path = path;
  }
}

/** A body says it is another object than the one it is applied to. */
export class IdentityError extends FairleadError {
  constructor(what: string, got: unknown, want: string) {
    super(
      "Identity",
      `The body's ${what} is ${JSON.stringify(got)}, but it is applied to ${want}; leave it out or make it agree`,
    );
  }
}

export interface OwnedPathsOptions {
  /**
   * Declared paths that are to be empty, and be owned by nobody afterwards. (To give a field up and leave it to others,
   * leave it out of the body.) Paths through list items cannot be cleared.
   */
  readonly clear?: readonly string[];
}

/**
 * Checks a body against its contract and completes it with identity. Pure.
 *
 * @param ref - The object; its namespace is needed for namespaced kinds.
 * @throws UndeclaredPathError for the first path, in the body's order, that is not declared.
 * @throws EncodingError for a value that JSON would change silently, and for null: name the path in `clear`.
 * @throws IdentityError when the body says it is another object.
 */
export function ownedPaths<T extends KubernetesObject, B>(
  contract: Contract<T, B>,
  ref: ObjectKey,
  body: NoInfer<B>,
  options: OwnedPathsOptions = {},
): OwnedPaths<T> {
  const { kind, subresource } = contract;
  const given = contract.owned === "whole" ? manifestBody(body as JsonObject) : (body as JsonObject);
  assertEncodable(given, APPLY);
  const want = identityOf(kind, ref);
  checkIdentity(given, want, `${kind.kind} ${formatKey(ref)}`);
  const { apiVersion: _v, kind: _k, metadata, ...rest } = given as JsonObject & { readonly metadata?: JsonObject };
  const { name: _n, namespace: _ns, ...meta } = metadata ?? {};
  if (contract.owned !== "whole") {
    const tree = treeOf(contract.owned);
    const fields: JsonObject = Object.keys(meta).length === 0 ? rest : { metadata: meta, ...rest };
    checkObject(fields, tree, "", contract);
  }
  const clear = (options.clear ?? []).map((text) => clearPath(text, contract as unknown as AnyContract));
  const whole: JsonObject = { ...want, metadata: { ...want.metadata, ...meta }, ...rest };
  return Object.freeze({
    kind,
    key: ref,
    subresource,
    body: clear.reduce((value, path) => withPath(value, path.steps, null), whole),
    clear,
  });
}

/** A rendered manifest without what a renderer cannot mean: nulls, status, and metadata that the server sets. */
export function manifestBody(manifest: JsonObject): JsonObject {
  const { status: _status, ...rest } = withoutNulls(manifest) as JsonObject;
  const { metadata } = rest;
  if (!isObject(metadata)) return rest;
  const kept: MutableJsonObject = {};
  for (const key of Object.keys(metadata)) {
    if (!SERVER_SET.has(key)) kept[key] = metadata[key];
  }
  return { ...rest, metadata: kept };
}

const SERVER_SET: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "managedFields",
  "selfLink",
  "generateName",
]);

function identityOf(
  kind: ResourceKind<KubernetesObject>,
  ref: ObjectKey,
): JsonObject & { readonly metadata: JsonObject } {
  const metadata =
    kind.namespaced && ref.namespace !== undefined ? { name: ref.name, namespace: ref.namespace } : { name: ref.name };
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata };
}

function checkIdentity(body: JsonObject, want: JsonObject & { readonly metadata: JsonObject }, target: string): void {
  for (const key of ["apiVersion", "kind"]) {
    const got = getOwn(body, key);
    if (got !== undefined && got !== want[key]) throw new IdentityError(key, got, `${String(want[key])} (${target})`);
  }
  const metadata = getOwn(body, "metadata");
  if (!isObject(metadata)) return;
  for (const key of ["name", "namespace"]) {
    const got = getOwn(metadata, key);
    if (got !== undefined && got !== want.metadata[key]) throw new IdentityError(`metadata.${key}`, got, target);
  }
}

/** Declared paths as a tree. `whole` ends a path: everything below is owned. */
interface Tree {
  whole: boolean;
  readonly fields: Map<string, Tree>;
  items: { readonly keys: readonly string[]; readonly tree: Tree } | undefined;
}

function treeOf(paths: readonly OwnedPath[]): Tree {
  const root = emptyTree();
  for (const path of paths) {
    let at = root;
    for (const step of path.steps) at = below(at, step);
    at.whole = true;
  }
  return root;
}

function emptyTree(): Tree {
  return { whole: false, fields: new Map(), items: undefined };
}

function below(tree: Tree, step: PathStep): Tree {
  if (step.kind === "items") {
    tree.items ??= { keys: step.keys, tree: emptyTree() };
    return tree.items.tree;
  }
  const child = tree.fields.get(step.name) ?? emptyTree();
  tree.fields.set(step.name, child);
  return child;
}

function checkValue(value: JsonValue, tree: Tree, at: string, contract: AnyContract): void {
  if (tree.whole) return;
  if (isArray(value)) return checkList(value, tree, at, contract);
  if (isObject(value) && tree.fields.size > 0) return checkObject(value, tree, at, contract);
  throw new UndeclaredPathError(at, contract, "itself is not declared");
}

function checkObject(value: JsonObject, tree: Tree, at: string, contract: AnyContract): void {
  const keys = Object.keys(value);
  if (keys.length === 0 && at !== "")
    throw new UndeclaredPathError(at, contract, "is empty, so it would be owned itself, which is not declared");
  for (const key of keys) {
    const here = joined(at, key);
    const child = tree.fields.get(key);
    if (child === undefined) throw new UndeclaredPathError(here, contract);
    checkValue(value[key] as JsonValue, child, here, contract);
  }
}

/** Each item may give its keys, which say which item it is, and the fields declared below. */
function checkList(value: readonly JsonValue[], tree: Tree, at: string, contract: AnyContract): void {
  const { items } = tree;
  if (items === undefined) throw new UndeclaredPathError(at, contract, "is a list, and itself is not declared");
  if (value.length === 0)
    throw new UndeclaredPathError(at, contract, "is empty, so it would be owned itself, which is not declared");
  for (const [i, item] of value.entries()) {
    const here = `${at}[${i}]`;
    if (items.tree.whole) continue;
    if (!isObject(item))
      throw new UndeclaredPathError(here, contract, "is no object, so it has no fields, and itself is not declared");
    if (!items.keys.some((key) => Object.hasOwn(item, key))) {
      throw new UndeclaredPathError(
        here,
        contract,
        `gives none of its keys (${items.keys.join(", ")}), so which item it is cannot be told, as it should be`,
      );
    }
    for (const key of Object.keys(item)) {
      const child = items.tree.fields.get(key);
      if (child === undefined && items.keys.includes(key)) continue;
      if (child === undefined) throw new UndeclaredPathError(joined(here, key), contract);
      checkValue(item[key] as JsonValue, child, joined(here, key), contract);
    }
  }
}

function clearPath(text: string, contract: AnyContract): OwnedPath {
  const path = parseOwnedPath(text);
  if (path.steps.some((step) => step.kind === "items"))
    throw new UndeclaredPathError(
      text,
      contract,
      "goes through list items and cannot be cleared; it is not declared as a field",
    );
  if (contract.owned === "whole") return path;
  let tree = treeOf(contract.owned);
  for (const step of path.steps) {
    if (tree.whole) return path;
    const child = step.kind === "field" ? tree.fields.get(step.name) : undefined;
    if (child === undefined) throw new UndeclaredPathError(text, contract);
    tree = child;
  }
  if (!tree.whole) throw new UndeclaredPathError(text, contract, "is only partly declared");
  return path;
}

function joined(at: string, key: string): string {
  const step = /^[^.[\]"]+$/.test(key) ? key : `[${JSON.stringify(key)}]`;
  return at === "" || step.startsWith("[") ? `${at}${step}` : `${at}.${step}`;
}

function formatPaths(owned: readonly OwnedPath[] | "whole"): string {
  return owned === "whole" ? "the whole object" : owned.map((path) => path.text).join(", ");
}

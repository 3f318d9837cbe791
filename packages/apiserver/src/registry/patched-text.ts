import { byCodeUnit, getOwn, isArray, isObject, stringifyJson, type JsonObject, type JsonValue } from "@fairlead/base";

/*
 * A patched object as the messages of a refused patch quote it. The real server patches JSON text: what the patch went
 * into comes out with sorted keys, and what it left alone keeps the order of its Go struct. Here what a patch left alone
 * is the very object of the live one.
 */

const METADATA: readonly string[] = [
  "name",
  "generateName",
  "namespace",
  "selfLink",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "annotations",
  "ownerReferences",
  "finalizers",
  "managedFields",
];
const MANAGED_FIELDS: readonly string[] = [
  "manager",
  "operation",
  "apiVersion",
  "time",
  "fieldsType",
  "fieldsV1",
  "subresource",
];
const OWNER_REFERENCE: readonly string[] = ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"];
const ORDERS: ReadonlyMap<string, readonly string[]> = new Map([
  ["metadata", METADATA],
  ["metadata.managedFields", MANAGED_FIELDS],
  ["metadata.ownerReferences", OWNER_REFERENCE],
]);

/** The text of a patched object of a built-in kind. */
export function patchedText(patched: JsonObject, live: JsonObject): string {
  return text(patched, live, "");
}

function text(value: JsonValue, live: JsonValue | undefined, path: string): string {
  if (isArray(value))
    return `[${value.map((item, i) => text(item, isArray(live) ? live[i] : undefined, path)).join(",")}]`;
  if (!isObject(value)) return stringifyJson(value);
  const order = value === live ? ORDERS.get(path) : undefined;
  const before = isObject(live) ? live : {};
  const members = keysIn(value, order).map((key) => {
    return `${JSON.stringify(key)}:${text(value[key] as JsonValue, getOwn(before, key), path === "" ? key : `${path}.${key}`)}`;
  });
  return `{${members.join(",")}}`;
}

function keysIn(object: JsonObject, order: readonly string[] | undefined): readonly string[] {
  const keys = Object.keys(object).filter((key) => object[key] !== undefined);
  if (order === undefined) return keys.sort(byCodeUnit);
  return [...order.filter((key) => keys.includes(key)), ...keys.filter((key) => !order.includes(key)).sort(byCodeUnit)];
}

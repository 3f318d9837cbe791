import { byCodeUnit, getOwn, isArray, isObject, stringifyJson, type JsonObject, type JsonValue } from "@fairlead/base";
import { OBJECT_META_FIELDS, OWNER_REFERENCE_FIELDS } from "@fairlead/apimachinery";

/*
 * A patched object as the messages of a refused patch quote it. The real server patches JSON text: what the patch went
 * into comes out with sorted keys, and what it left alone keeps the order of its Go struct. Here what a patch left alone
 * is the very object of the live one.
 */

const MANAGED_FIELDS: readonly string[] = [
  "manager",
  "operation",
  "apiVersion",
  "time",
  "fieldsType",
  "fieldsV1",
  "subresource",
];
const ORDERS: ReadonlyMap<string, readonly string[]> = new Map([
  ["metadata", OBJECT_META_FIELDS],
  ["metadata.managedFields", MANAGED_FIELDS],
  ["metadata.ownerReferences", OWNER_REFERENCE_FIELDS],
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
